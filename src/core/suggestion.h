// "did you mean": the nearest known word to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dissensus {

/// Number of insertions, deletions, replacements and swaps of neighbours between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest known word if one is near enough, else null.
const std::string* nearest(std::string_view word, const std::vector<std::string>& known);

/// ", did you mean 'x'?" for the nearest word if one is near enough, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace dissensus
