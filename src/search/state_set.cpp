#include "search/state_set.h"

#include <algorithm>

#include "dissensus/digest.h"

namespace dissensus::search {

namespace {
constexpr std::size_t kFirstBuckets = 256;
}  // namespace

void StateSet::clear() {
  states_.clear();
  buckets_.assign(kFirstBuckets, 0);
}

std::size_t StateSet::place_of(std::uint64_t state) const {
  std::size_t bucket = static_cast<std::size_t>(mix64(state, 0)) & (buckets_.size() - 1);
  while (buckets_[bucket] != 0 && states_[buckets_[bucket] - 1] != state) {
    bucket = (bucket + 1) & (buckets_.size() - 1);
  }
  return bucket;
}

bool StateSet::contains(std::uint64_t state) const {
  return buckets_[place_of(state)] != 0;
}

bool StateSet::insert(std::uint64_t state) {
  const std::size_t bucket = place_of(state);
  if (buckets_[bucket] != 0) return false;
  states_.push_back(state);
  buckets_[bucket] = static_cast<std::uint32_t>(states_.size());
  if (states_.size() * 2 > buckets_.size()) grow();
  return true;
}

void StateSet::grow() {
  buckets_.assign(buckets_.size() * 2, 0);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    buckets_[place_of(states_[i])] = static_cast<std::uint32_t>(i + 1);
  }
}

void StateSet::sorted_into(std::vector<std::uint64_t>& states) const {
  states = states_;
  std::sort(states.begin(), states.end());
}

std::size_t StateMemory::add(std::span<const std::uint64_t> states) {
  std::size_t added = 0;
  for (const std::uint64_t state : states) added += seen_.insert(state) ? 1 : 0;
  return added;
}

}  // namespace dissensus::search
