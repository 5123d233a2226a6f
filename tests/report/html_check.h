// A strict reader of the HTML that this project writes: every element is closed, in order, every
// attribute value is quoted, and no bare < or & stands in text.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::report {

/// Empty, or what is wrong and where.
inline std::string html_fault(std::string_view html) {
  static constexpr std::array<std::string_view, 4> kVoid{"meta", "br", "hr", "input"};
  std::vector<std::string> open;
  const auto fault = [&](std::string_view what, std::size_t at) {
    return std::string(what) + " at " + std::to_string(at) + ": " +
           std::string(html.substr(at, 60));
  };
  for (std::size_t i = 0; i < html.size();) {
    if (html[i] == '&') {
      const std::size_t end = html.find(';', i);
      if (end == std::string_view::npos || end - i > 8) return fault("bare &", i);
    }
    if (html[i] != '<') {
      ++i;
      continue;
    }
    if (html.substr(i, 9) == "<!DOCTYPE") {
      i = html.find('>', i) + 1;
      continue;
    }
    std::size_t at = i + 1;
    const bool closing = at < html.size() && html[at] == '/';
    if (closing) ++at;
    const std::size_t name_start = at;
    while (at < html.size() && std::isalnum(static_cast<unsigned char>(html[at])) != 0) ++at;
    const std::string name(html.substr(name_start, at - name_start));
    if (name.empty()) return fault("bare <", i);
    // Attributes, with > allowed inside quotes.
    bool quoted = false;
    while (at < html.size() && (quoted || html[at] != '>')) {
      if (html[at] == '"') quoted = !quoted;
      if (html[at] == '<') return fault("< inside a tag", i);
      ++at;
    }
    if (at >= html.size()) return fault("tag without end", i);
    const bool self_closing = html[at - 1] == '/';
    if (closing) {
      if (open.empty() || open.back() != name) return fault("</" + name + "> closes nothing", i);
      open.pop_back();
    } else if (!self_closing && std::find(kVoid.begin(), kVoid.end(), name) == kVoid.end()) {
      open.push_back(name);
    }
    i = at + 1;
    if (!closing && (name == "style" || name == "script")) i = html.find("</" + name, i);
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

}  // namespace dissensus::report
