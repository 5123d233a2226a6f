// How well two partitions of the same things agree.
#pragma once

#include <cstddef>
#include <span>

namespace dissensus::isolate {

/// The adjusted Rand index (Hubert and Arabie 1985): 1 for equal partitions, 0 on average for
/// random ones. 1 where there is nothing to agree on: both have one part, or each thing is alone in
/// both.
double adjusted_rand_index(std::span<const std::size_t> left, std::span<const std::size_t> right);

}  // namespace dissensus::isolate
