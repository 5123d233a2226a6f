#include "faults/schedule_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/assert.h"

namespace dissensus::faults {
namespace {

/// Sorts `values` and returns how many pairs stood in strictly falling order. `spare` has the same
/// size.
std::uint64_t sort_counting_inversions(std::span<std::uint32_t> values,
                                       std::span<std::uint32_t> spare) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  std::uint64_t inversions = sort_counting_inversions(values.first(half), spare.first(half)) +
                             sort_counting_inversions(values.subspan(half), spare.subspan(half));
  std::size_t left = 0;
  std::size_t right = half;
  for (std::uint32_t& target : spare) {
    if (right == values.size() || (left < half && values[left] <= values[right])) {
      target = values[left++];
    } else {
      inversions += half - left;
      target = values[right++];
    }
  }
  std::copy(spare.begin(), spare.end(), values.begin());
  return inversions;
}

}  // namespace

double euclidean_distance(std::span<const std::uint32_t> first,
                          std::span<const std::uint32_t> second) {
  DISSENSUS_ASSERT(first.size() == second.size(), "euclidean_distance : vectors of equal length");
  double squares = 0;
  for (std::size_t index = 0; index < first.size(); ++index) {
    const double difference =
        static_cast<double>(first[index]) - static_cast<double>(second[index]);
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

double euclidean_distance_max(std::size_t length, std::uint32_t bound) {
  return static_cast<double>(bound) * std::sqrt(static_cast<double>(length));
}

std::uint64_t kendall_tau_distance(std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second) {
  DISSENSUS_ASSERT(first.size() == second.size(), "kendall_tau_distance : vectors of equal length");
  std::vector<std::size_t> order(first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal ranks of the first in the order of the second: they count as agreeing.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return first[a] != first[b] ? first[a] < first[b] : second[a] < second[b];
  });
  std::vector<std::uint32_t> ranks;
  ranks.reserve(order.size());
  for (const std::size_t index : order) ranks.push_back(second[index]);
  std::vector<std::uint32_t> spare(ranks.size());
  return sort_counting_inversions(ranks, spare);
}

std::uint64_t kendall_tau_distance_max(std::size_t length) {
  return length < 2 ? 0 : std::uint64_t{length} * (length - 1) / 2;
}

}  // namespace dissensus::faults
