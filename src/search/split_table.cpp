#include "search/split_table.h"

#include <algorithm>

namespace dissensus::search {

namespace {
constexpr std::size_t kFirstBuckets = 256;

std::size_t bucket_of(std::size_t stage, std::uint64_t instance, std::size_t buckets) {
  return static_cast<std::size_t>(mix64(instance, stage)) & (buckets - 1);
}
}  // namespace

void SplitTable::reset(std::size_t stages, std::size_t nodes) {
  stages_ = stages;
  nodes_ = nodes;
  entries_.clear();
  rank_of_node_.clear();
  buckets_.assign(kFirstBuckets, 0);
}

std::size_t SplitTable::find_or_add(std::size_t stage, std::uint64_t instance) {
  std::size_t bucket = bucket_of(stage, instance, buckets_.size());
  while (buckets_[bucket] != 0) {
    const Entry& entry = entries_[buckets_[bucket] - 1];
    if (entry.instance == instance && entry.stage == stage) return buckets_[bucket] - 1;
    bucket = (bucket + 1) & (buckets_.size() - 1);
  }
  Entry& entry = entries_.emplace_back();
  entry.instance = instance;
  entry.stage = static_cast<std::uint32_t>(stage);
  rank_of_node_.resize(entries_.size() * nodes_, kNoRank);
  buckets_[bucket] = static_cast<std::uint32_t>(entries_.size());
  if (entries_.size() * 2 > buckets_.size()) grow();
  return entries_.size() - 1;
}

void SplitTable::grow() {
  buckets_.assign(buckets_.size() * 2, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t bucket = bucket_of(entries_[i].stage, entries_[i].instance, buckets_.size());
    while (buckets_[bucket] != 0) bucket = (bucket + 1) & (buckets_.size() - 1);
    buckets_[bucket] = static_cast<std::uint32_t>(i + 1);
  }
}

std::uint8_t SplitTable::add(std::size_t stage, std::uint64_t instance, NodeId node,
                             const Digest& value) {
  const std::size_t index = find_or_add(stage, instance);
  Entry& entry = entries_[index];
  std::size_t rank = 0;
  while (rank < entry.values && entry.value[rank] != value) ++rank;
  if (rank == entry.values) {
    if (rank < kRanks) {
      entry.value[rank] = value;
      ++entry.values;
    } else {
      rank = kRanks - 1;
    }
  }
  std::uint8_t& last = rank_of_node_[index * nodes_ + node];
  if (last != kNoRank) --entry.nodes[last];
  last = static_cast<std::uint8_t>(rank);
  ++entry.nodes[rank];
  if (entry.values > 1) entry.second_max = std::max(entry.second_max, second_group(entry));
  return last;
}

std::uint16_t SplitTable::second_group(const Entry& entry) {
  std::uint16_t first = 0;
  std::uint16_t second = 0;
  for (std::size_t rank = 0; rank < entry.values; ++rank) {
    second = std::max(second, std::min(first, entry.nodes[rank]));
    first = std::max(first, entry.nodes[rank]);
  }
  return second;
}

std::vector<double> SplitTable::second_groups() const {
  std::vector<double> result(stages_);
  for (const Entry& entry : entries_) {
    if (entry.second_max == 0) continue;
    const double group = 0.5 * (entry.second_max + second_group(entry));
    result[entry.stage] = std::max(result[entry.stage], group);
  }
  return result;
}

}  // namespace dissensus::search
