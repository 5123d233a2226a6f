#include <algorithm>

#include <fmt/format.h>

#include "regression/corpus.h"

namespace dissensus::regression {

namespace {

/// For attributes and text of XML; control characters, which it knows not, become blanks.
std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// For a cell of a table.
std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '`' || c == '*' || c == '_' || c == '[') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

}  // namespace

std::string to_junit(const std::vector<CheckedEntry>& entries) {
  const auto count = [&entries](bool (CheckedEntry::*is)() const) {
    return std::count_if(entries.begin(), entries.end(),
                         [is](const CheckedEntry& entry) { return (entry.*is)(); });
  };
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format(
      "<testsuite name=\"dissensus corpus\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
      entries.size(), count(&CheckedEntry::is_regression), count(&CheckedEntry::is_open));
  for (const CheckedEntry& entry : entries) {
    text += fmt::format("  <testcase classname=\"corpus\" name=\"{}\"", xml_text(entry.name));
    if (!entry.is_regression() && !entry.is_open()) {
      text += "/>\n";
      continue;
    }
    const char* element = entry.is_regression() ? "failure" : "error";
    text += fmt::format(">\n    <{0} message=\"{1}\">{2}</{0}>\n  </testcase>\n", element,
                        to_string(entry.state), xml_text(entry.reason));
  }
  return text + "</testsuite>\n";
}

std::string to_markdown(const std::vector<CheckedEntry>& entries) {
  std::string text = "| entry | expected | now | |\n|---|---|---|---|\n";
  for (const CheckedEntry& entry : entries) {
    text += fmt::format("| {} | {} | {}{} | {} |\n", markdown_text(entry.name),
                        entry.expected == Expectation::fails ? "fails" : "fixed",
                        entry.is_regression() ? "**regression**: " : "", to_string(entry.state),
                        markdown_text(entry.reason));
  }
  return text;
}

}  // namespace dissensus::regression
