#include "statistics/markdown.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/assert.h"

namespace dissensus::statistics {

void MarkdownTable::add(std::vector<std::string> row) {
  DISSENSUS_ASSERT(row.size() == header_.size(), "MarkdownTable::add : one cell per column");
  rows_.push_back(std::move(row));
}

std::string MarkdownTable::text() const {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  std::string result = line(header_);
  result += line(std::vector<std::string>(header_.size(), "---"));
  for (const auto& row : rows_) result += line(row);
  return result;
}

std::string replace_section(std::string_view document, std::string_view name,
                            std::string_view content, const std::string& path) {
  const std::string begin = fmt::format("<!-- begin {} -->\n", name);
  const std::string end = fmt::format("<!-- end {} -->", name);
  const std::size_t first = document.find(begin);
  const std::size_t last = first == std::string_view::npos
                               ? std::string_view::npos
                               : document.find(end, first + begin.size());
  if (last == std::string_view::npos) {
    throw InputError(
        fmt::format("{}:1: {}: no section, expected the lines \"<!-- begin {} -->\" "
                    "and \"{}\"",
                    path, name, name, end));
  }
  std::string result(document.substr(0, first + begin.size()));
  result += content;
  result += document.substr(last);
  return result;
}

std::string p_value_text(double p) {
  if (std::isnan(p)) return "-";
  return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p);
}

}  // namespace dissensus::statistics
