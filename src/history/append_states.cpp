#include "history/append_states.h"

#include <algorithm>

namespace dissensus::history {

AppendStates::AppendStates(std::vector<std::string_view> seen) : seen_(std::move(seen)) {
  std::sort(seen_.begin(), seen_.end());
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
  states_.push_back({});  // kUnseen: an empty range
}

StateId AppendStates::after(const Beginning& beginning, std::string_view piece) {
  const auto first = seen_.begin() + beginning.first;
  const auto last = seen_.begin() + beginning.last;
  const auto rest = [&](std::string_view text) {
    return text.substr(beginning.length, piece.size());
  };
  const auto low =
      std::partition_point(first, last, [&](std::string_view text) { return rest(text) < piece; });
  const auto high =
      std::partition_point(low, last, [&](std::string_view text) { return rest(text) == piece; });
  if (low == high) return kUnseen;
  const Beginning result{static_cast<std::uint32_t>(low - seen_.begin()),
                         static_cast<std::uint32_t>(high - seen_.begin()),
                         static_cast<std::uint32_t>(beginning.length + piece.size())};
  const std::uint64_t key = (std::uint64_t{result.first} << 32) | result.length;
  const auto [found, is_first] = ids_.try_emplace(key, static_cast<StateId>(states_.size()));
  if (is_first) states_.push_back(result);
  return found->second;
}

StateId AppendStates::state_of(std::string_view text) {
  return after({0, static_cast<std::uint32_t>(seen_.size()), 0}, text);
}

std::uint32_t AppendStates::piece_of(std::string_view text) {
  pieces_.push_back(text);
  return static_cast<std::uint32_t>(pieces_.size() - 1);
}

StateId AppendStates::step(StateId state, const LinearStep& step) {
  if (state == kUnseen) return kUnseen;
  const std::uint64_t key = (std::uint64_t{state} << 32) | step.a;
  const auto [found, is_first] = steps_.try_emplace(key, kUnseen);
  if (is_first) found->second = after(Beginning(states_[state]), pieces_[step.a]);
  return found->second;
}

bool AppendStates::may_lead(StateId from, StateId to) {
  const Beginning& start = states_[from];
  const Beginning& end = states_[to];
  return start.length <= end.length && start.first <= end.first && end.first < start.last;
}

std::size_t AppendStates::memory_bytes() const {
  constexpr std::size_t kMapEntryBytes = 56;
  return states_.capacity() * sizeof(Beginning) + (ids_.size() + steps_.size()) * kMapEntryBytes;
}

std::string_view AppendStates::text_of(StateId state) const {
  if (state == kUnseen) return {};
  return seen_[states_[state].first].substr(0, states_[state].length);
}

}  // namespace dissensus::history
