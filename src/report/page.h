// The frame of every page that Dissensus writes: one HTML file without references to anything
// outside it, readable in light and dark, on paper and on narrow screens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dissensus::report {

/// Text for HTML content and attribute values.
std::string escape(std::string_view text);

/// A table; cells are HTML. Columns of numbers are aligned right.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> is_number;  ///< by column; empty: none is
};
std::string to_html(const Table& table);

/// A part of the page under a heading of its own. `id` names it for links and tests.
/// Links to the sections of a page, by their headings.
std::string contents(std::string_view body);
std::string section(std::string_view id, std::string_view heading, std::string_view body);
/// Something that is folded until the reader opens it.
std::string folded(std::string_view summary, std::string_view body);
/// An SVG figure with its caption (HTML).
std::string figure(std::string_view svg, std::string_view caption);
/// A command with a button that copies it.
std::string command(std::string_view text);

/// The whole file.
std::string page(std::string_view title, std::string_view body);

}  // namespace dissensus::report
