// Distances between genotypes: vectors of delays and permutations of priorities (thesis 3.2.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dissensus::faults {

/// Vectors of equal length.
double euclidean_distance(std::span<const std::uint32_t> first,
                          std::span<const std::uint32_t> second);
/// Of vectors whose elements lie in 0..bound.
double euclidean_distance_max(std::size_t length, std::uint32_t bound);

/// Kendall tau distance: pairs of positions that the two vectors, of equal length, rank in opposite
/// order; for permutations the number of swaps of neighbouring ranks between them. O(n log n).
std::uint64_t kendall_tau_distance(std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second);
std::uint64_t kendall_tau_distance_max(std::size_t length);

}  // namespace dissensus::faults
