#include "isolate/overlap_figure.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "trace/text.h"

namespace dissensus::isolate {
namespace {

constexpr int kColumn = 34;
constexpr int kRow = 26;
constexpr int kBars = 130;
constexpr int kTop = 24;

struct Column {
  std::vector<bool> in;
  std::size_t count = 0;
};

std::vector<Column> columns_of(const std::vector<OverlapSet>& sets,
                               const std::vector<std::size_t>& elements) {
  std::map<std::vector<bool>, std::size_t> counts;
  for (const std::size_t element : elements) {
    std::vector<bool> in;
    for (const OverlapSet& set : sets)
      in.push_back(std::binary_search(set.members.begin(), set.members.end(), element));
    ++counts[in];
  }
  std::vector<Column> columns;
  for (const auto& [in, count] : counts) columns.push_back({in, count});
  std::stable_sort(columns.begin(), columns.end(),
                   [](const Column& a, const Column& b) { return a.count > b.count; });
  return columns;
}

/// Room for the longest name: none is cut.
int left_of(const std::vector<OverlapSet>& sets) {
  std::size_t longest = 12;
  for (const OverlapSet& set : sets) {
    longest = std::max(longest, set.name.size() + std::to_string(set.members.size()).size() + 3);
  }
  return static_cast<int>(longest) * 8 + 14;
}

std::string column_svg(const Column& column, std::size_t index, std::size_t largest, int left) {
  const int x = left + static_cast<int>(index) * kColumn + kColumn / 2;
  const int height = std::max(1, static_cast<int>(column.count * kBars / largest));
  std::string svg = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"20\" height=\"{}\" class=\"bar\"/>"
      "<text x=\"{}\" y=\"{}\" class=\"count\">{}</text>",
      x - 10, kTop + kBars - height, height, x, kTop + kBars - height - 5, column.count);
  int first = -1;
  int last = -1;
  std::string dots;
  for (std::size_t row = 0; row < column.in.size(); ++row) {
    const int y = kTop + kBars + 22 + static_cast<int>(row) * kRow;
    dots += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"6\" class=\"{}\"/>", x, y,
                        column.in[row] ? "in" : "out");
    if (!column.in[row]) continue;
    if (first < 0) first = y;
    last = y;
  }
  if (first >= 0 && last > first)
    svg += fmt::format("<path d=\"M{} {}V{}\" class=\"join\"/>", x, first, last);
  return svg + dots;
}

}  // namespace

std::string overlap_figure(const std::vector<OverlapSet>& sets,
                           const std::vector<std::size_t>& elements, std::size_t columns_max) {
  const std::vector<Column> columns = columns_of(sets, elements);
  const std::size_t shown = std::min(columns.size(), columns_max);
  const std::size_t largest = columns.empty() ? 1 : columns.front().count;
  const int left = left_of(sets);
  const int width = left + std::max(6, static_cast<int>(shown)) * kColumn + 20;
  const int height = kTop + kBars + 22 + static_cast<int>(sets.size()) * kRow + 20;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"overlap\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"Overlap of the predicates\">\n"
      "<desc>A column per combination of predicates, as high as it has failing runs.</desc>\n"
      "<style>.overlap text{{font:13px sans-serif;fill:#222}}.overlap .count{{text-anchor:middle;"
      "font-size:12px}}.overlap .bar{{fill:#2f5d8a}}.overlap .in{{fill:#2f5d8a}}.overlap "
      ".out{{fill:#dfe5ec}}.overlap .join{{stroke:#2f5d8a;stroke-width:3}}.overlap "
      ".name{{text-anchor:end}}.overlap .rest{{fill:#666}}</style>\n",
      width, height);
  for (std::size_t row = 0; row < sets.size(); ++row) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"name\">{} ({})</text>\n", left - 10,
                       kTop + kBars + 26 + static_cast<int>(row) * kRow,
                       trace::xml_text(sets[row].name), sets[row].members.size());
  }
  for (std::size_t index = 0; index < shown; ++index)
    svg += column_svg(columns[index], index, largest, left) + "\n";
  if (shown < columns.size()) {
    std::size_t rest = 0;
    for (std::size_t index = shown; index < columns.size(); ++index) rest += columns[index].count;
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" class=\"rest\">{} more combinations with {} runs "
        "not shown</text>\n",
        left, height - 4, columns.size() - shown, rest);
  }
  return svg + "</svg>\n";
}

}  // namespace dissensus::isolate
