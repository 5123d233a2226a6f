#include "history/state_table.h"

#include <algorithm>
#include <utility>

namespace dissensus::history {

namespace {
std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}
}  // namespace

std::size_t StateTable::HashStep::operator()(const StepKey& key) const {
  const std::uint64_t step = (std::uint64_t{key.step.a} << 32) | key.step.b;
  return scrambled(scrambled(step) ^ (std::uint64_t{key.state} << 8) ^
                   static_cast<std::uint64_t>(key.step.kind));
}

std::span<const std::uint32_t> StateTable::content_of(StateId state) const {
  const Entry& entry = entries_[state];
  return {contents_.data() + entry.begin, entry.length};
}

StateId StateTable::state_of(std::span<const std::uint32_t> content) {
  std::uint64_t hash = content.size();
  for (const std::uint32_t item : content) hash = scrambled(hash + item + 0x9E3779B97F4A7C15);
  const auto state = static_cast<StateId>(entries_.size());
  const auto [found, is_first] = by_hash_.try_emplace(hash, state);
  if (!is_first) {
    for (StateId other = found->second; other != kNoState; other = entries_[other].next_with_hash) {
      if (std::ranges::equal(content_of(other), content)) return other;
    }
  }
  const StateId next = is_first ? kNoState : std::exchange(found->second, state);
  entries_.push_back({contents_.size(), static_cast<std::uint32_t>(content.size()), next});
  contents_.insert(contents_.end(), content.begin(), content.end());
  return state;
}

StateId StateTable::step(StateId state, const LinearStep& step) {
  const auto [found, is_first] = steps_.try_emplace(StepKey{state, step}, kNoState);
  if (!is_first) return found->second;
  const std::span<const std::uint32_t> content = content_of(state);
  scratch_.assign(content.begin(), content.end());
  if (apply(scratch_, step)) found->second = state_of(scratch_);
  return found->second;
}

std::size_t StateTable::memory_bytes() const {
  constexpr std::size_t kMapEntryBytes = 64;
  return contents_.capacity() * sizeof(std::uint32_t) + entries_.capacity() * sizeof(Entry) +
         (by_hash_.size() + steps_.size()) * kMapEntryBytes;
}

}  // namespace dissensus::history
