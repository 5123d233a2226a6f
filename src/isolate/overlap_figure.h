// How the findings overlap: an UpSet plot, which stays readable where circles of a Venn diagram do
// not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dissensus::isolate {

struct OverlapSet {
  std::string name;
  std::vector<std::size_t> members;  ///< ascending
};

/// An SVG figure: one column per combination of sets that some element has, most frequent first. At
/// most `columns_max` columns; the rest is counted in the last line.
std::string overlap_figure(const std::vector<OverlapSet>& sets,
                           const std::vector<std::size_t>& elements, std::size_t columns_max = 24);

}  // namespace dissensus::isolate
