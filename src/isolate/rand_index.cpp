#include "isolate/rand_index.h"

#include <map>
#include <utility>

#include "core/assert.h"

namespace dissensus::isolate {
namespace {
double pairs(std::size_t things) {
  const auto count = static_cast<double>(things);
  return count * (count - 1) / 2;
}
}  // namespace

double adjusted_rand_index(std::span<const std::size_t> left, std::span<const std::size_t> right) {
  DISSENSUS_ASSERT(left.size() == right.size(), "adjusted_rand_index : the same things");
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> both;
  std::map<std::size_t, std::size_t> in_left;
  std::map<std::size_t, std::size_t> in_right;
  for (std::size_t i = 0; i < left.size(); ++i) {
    ++both[{left[i], right[i]}];
    ++in_left[left[i]];
    ++in_right[right[i]];
  }
  double together = 0;
  double together_left = 0;
  double together_right = 0;
  for (const auto& [parts, count] : both) together += pairs(count);
  for (const auto& [part, count] : in_left) together_left += pairs(count);
  for (const auto& [part, count] : in_right) together_right += pairs(count);
  if (left.size() < 2) return 1;
  const double expected = together_left * together_right / pairs(left.size());
  const double most = (together_left + together_right) / 2;
  return most == expected ? 1 : (together - expected) / (most - expected);
}

}  // namespace dissensus::isolate
