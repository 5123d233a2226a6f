// How the reports of each instance are split between nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/ids.h"

namespace dissensus::search {

/// Tallies of the latest value that each node reported, by stage (a kind of report) and instance.
/// Nothing that comes out depends on the order of the hash table inside.
class SplitTable {
 public:
  /// Values beyond this many of one instance count as one.
  static constexpr std::size_t kRanks = 8;

  void reset(std::size_t stages, std::size_t nodes);
  /// Returns the rank of the value among those of the instance: 0 for the first one reported...
  std::uint8_t add(std::size_t stage, std::uint64_t instance, NodeId node, const Digest& value);
  /// By stage, of the instance that was split most: nodes in the second-largest group, the mean of
  /// what it was at its largest and at the end.
  std::vector<double> second_groups() const;

 private:
  static constexpr std::uint8_t kNoRank = 0xFF;
  struct Entry {
    std::uint64_t instance = 0;
    std::uint32_t stage = 0;
    std::uint16_t values = 0;
    std::uint16_t second_max = 0;  ///< the second-largest group at its largest
    std::array<Digest, kRanks> value;
    std::array<std::uint16_t, kRanks> nodes{};  ///< how many nodes reported it last
  };

  static std::uint16_t second_group(const Entry& entry);
  std::size_t find_or_add(std::size_t stage, std::uint64_t instance);
  void grow();

  std::size_t stages_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> rank_of_node_;  ///< [entry * nodes + node]
  std::vector<std::uint32_t> buckets_;      ///< entry + 1; 0: free; a power of two of them
};

}  // namespace dissensus::search
