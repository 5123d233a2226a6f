#include "history/linear_search.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "core/assert.h"
#include "history/index.h"

namespace dissensus::history {

namespace {

constexpr std::uint64_t kStepsBetweenLooks = 1024;

std::uint64_t key_of(std::uint64_t index) {
  std::uint64_t x = (index + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::size_t words_for(std::size_t bits) {
  return (bits + 63) / 64;
}

}  // namespace

void LinearSearch::prepare(const LinearObject& object) {
  const std::size_t count = object.operations.size();
  steps_.resize(count);
  number_of_.resize(count);
  twin_before_.assign(count, kNone);
  call_node_.resize(count);
  answer_node_.assign(count, 0);
  std::vector<std::uint32_t> ours(count);
  std::uint32_t op_next = 0;
  for (const bool is_answered : {true, false}) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (object.operations[i].is_answered != is_answered) continue;
      ours[i] = op_next;
      number_of_[op_next] = i;
      steps_[op_next] = object.operations[i].step;
      ++op_next;
    }
    if (is_answered) answered_ = op_next;
  }
  if (answered_ < count) {
    std::map<std::tuple<LinearStep::Kind, std::uint32_t, std::uint32_t>, std::uint32_t> last;
    for (std::uint32_t op = answered_; op < count; ++op) {
      const LinearStep& step = steps_[op];
      const auto [found, is_first] = last.try_emplace({step.kind, step.a, step.b}, op);
      if (!is_first) twin_before_[op] = std::exchange(found->second, op);
    }
  }
  extras_.assign(words_for(count - answered_), 0);
  placed_.assign(words_for(answered_), 0);

  const std::size_t nodes = object.moments.size() + 1;
  node_.resize(nodes);
  next_.resize(nodes);
  previous_.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    next_[i] = i + 1 < nodes ? i + 1 : 0;
    previous_[i] = i == 0 ? static_cast<std::uint32_t>(nodes - 1) : i - 1;
    if (i == 0) continue;
    const LinearObject::Moment& moment = object.moments[i - 1];
    const std::uint32_t op = ours[moment.index];
    node_[i] = op * 2 + (moment.is_answer ? 1 : 0);
    (moment.is_answer ? answer_node_ : call_node_)[op] = i;
  }
  for (std::size_t i = keys_.size(); i < count; ++i) keys_.push_back(key_of(i));

  low_ = high_ = 0;
  hash_ = 0;
  count_ = 0;
  trail_.clear();
  frames_.clear();
  slots_.assign(64, {});
  used_ = 0;
  configurations_.clear();
  best_.clear();
  common_ = 0;
  best_count_ = 0;
  dived_from_ = 0;
  dives_ = 0;
  best_state_ = object.initial;
  best_stuck_ = kNone;
}

void LinearSearch::lift(std::uint32_t op) {
  const auto unlink = [this](std::uint32_t node) {
    next_[previous_[node]] = next_[node];
    previous_[next_[node]] = previous_[node];
  };
  unlink(call_node_[op]);
  hash_ ^= keys_[op];
  trail_.push_back(op);
  if (op >= answered_) {
    const std::uint32_t bit = op - answered_;
    extras_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    return;
  }
  unlink(answer_node_[op]);
  ++count_;
  const std::size_t word = op / 64;
  placed_[word] |= std::uint64_t{1} << (op % 64);
  high_ = std::max(high_, word + 1);
  while (low_ < high_ && placed_[low_] == ~std::uint64_t{0}) ++low_;
}

void LinearSearch::unlift() {
  const std::uint32_t op = trail_.back();
  trail_.pop_back();
  common_ = std::min(common_, trail_.size());
  const auto link = [this](std::uint32_t node) {
    next_[previous_[node]] = node;
    previous_[next_[node]] = node;
  };
  hash_ ^= keys_[op];
  if (op >= answered_) {
    const std::uint32_t bit = op - answered_;
    extras_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  } else {
    link(answer_node_[op]);
    --count_;
    const std::size_t word = op / 64;
    placed_[word] &= ~(std::uint64_t{1} << (op % 64));
    low_ = std::min(low_, word);
    while (high_ > 0 && placed_[high_ - 1] == 0) --high_;
  }
  link(call_node_[op]);
}

/// Places every pure operation that fits. One pass is enough: the state does not change, and an
/// answer that goes away opens what lies behind it, where the pass has yet to come.
void LinearSearch::place_pure(StateId state, StateMachine* machine) {
  std::uint32_t before = 0;
  for (std::uint32_t node = next_[0]; node != 0 && (node_[node] & 1) == 0; node = next_[before]) {
    ++seen_;
    const std::uint32_t op = node_[node] / 2;
    const LinearStep& step = steps_[op];
    if (step.is_pure && after(state, step, machine) != kNoState) {
      lift(op);
    } else {
      before = node;
    }
  }
}

/// Looks at the reads that are answered within the next moments: the value of each must be there,
/// or come from a write that was invoked before the answer.
bool LinearSearch::is_hopeless(StateId state, StateMachine* machine) {
  constexpr std::size_t kMomentsMax = 48;
  std::array<StateId, kMomentsMax + 1> sources;
  std::size_t source_count = 1;
  sources[0] = state;
  bool grows = false;  // a step of kind `other` may come before the answer
  std::uint32_t node = next_[0];
  for (std::size_t i = 0; i < kMomentsMax && node != 0; ++i, node = next_[node]) {
    const LinearStep& step = steps_[node_[node] / 2];
    if ((node_[node] & 1) == 0) {
      if (step.kind == LinearStep::Kind::write) sources[source_count++] = step.a;
      if (step.kind == LinearStep::Kind::cas) sources[source_count++] = step.b;
      grows = grows || (step.kind == LinearStep::Kind::other && !step.is_pure);
      continue;
    }
    if (step.kind != LinearStep::Kind::read) continue;
    const auto is_source = [&](StateId source) {
      return source == step.a || (grows && machine->may_lead(source, step.a));
    };
    if (std::none_of(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(source_count),
                     is_source)) {
      seen_ += i + 1;
      return true;
    }
  }
  return false;
}

/// A hopeless configuration can be the start of the longest order: goes on from it, first fit, as
/// far as it will, and comes back.
void LinearSearch::dive(StateId state, StateMachine* machine) {
  constexpr std::uint32_t kDivesMax = 500;
  if (count_ < dived_from_ || dives_ == kDivesMax) return;
  dived_from_ = count_;
  ++dives_;
  const std::size_t start = trail_.size();
  std::uint32_t node = next_[0];
  while (node != 0 && (node_[node] & 1) == 0) {
    ++seen_;
    const std::uint32_t op = node_[node] / 2;
    const LinearStep& step = steps_[op];
    const StateId next = step.is_pure || op >= answered_ ? kNoState : after(state, step, machine);
    if (next == kNoState) {
      node = next_[node];
      continue;
    }
    lift(op);
    state = next;
    place_pure(state, machine);
    node = next_[0];
  }
  keep_best(state, node);
  while (trail_.size() > start) unlift();
}

bool LinearSearch::waits_for_twin(std::uint32_t op) const {
  const std::uint32_t twin = twin_before_[op];
  if (twin == kNone) return false;
  const std::uint32_t bit = twin - answered_;
  return (extras_[bit / 64] >> (bit % 64) & 1) == 0;
}

bool LinearSearch::is_stored(std::uint64_t offset, StateId state) const {
  const std::uint64_t* words = configurations_.data() + offset;
  const std::size_t length = high_ - std::min(low_, high_);
  if (words[0] != state || words[1] != ((std::uint64_t{low_} << 32) | length)) return false;
  words += 2;
  return std::equal(extras_.begin(), extras_.end(), words) &&
         std::equal(placed_.begin() + static_cast<std::ptrdiff_t>(low_),
                    placed_.begin() + static_cast<std::ptrdiff_t>(low_ + length),
                    words + extras_.size());
}

void LinearSearch::store(StateId state) {
  const std::size_t length = high_ - std::min(low_, high_);
  configurations_.push_back(state);
  configurations_.push_back((std::uint64_t{low_} << 32) | length);
  configurations_.insert(configurations_.end(), extras_.begin(), extras_.end());
  const auto first = placed_.begin() + static_cast<std::ptrdiff_t>(low_);
  configurations_.insert(configurations_.end(), first, first + static_cast<std::ptrdiff_t>(length));
}

void LinearSearch::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.offset == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].offset != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

/// True, and remembered, if this configuration was not seen before.
bool LinearSearch::is_new(StateId state) {
  if (used_ * 2 >= slots_.size()) grow();
  const std::uint64_t hash = key_of(hash_ ^ (std::uint64_t{state} << 17) ^ state);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].offset != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && is_stored(slots_[at].offset - 1, state)) return false;
  }
  slots_[at] = {hash, configurations_.size() + 1};
  ++used_;
  store(state);
  return true;
}

void LinearSearch::keep_best(StateId state, std::uint32_t node) {
  if (best_stuck_ != kNone && count_ <= best_count_) return;
  best_.resize(common_);
  best_.insert(best_.end(), trail_.begin() + static_cast<std::ptrdiff_t>(common_), trail_.end());
  common_ = trail_.size();
  best_count_ = count_;
  best_state_ = state;
  while (node != 0 && (node_[node] & 1) == 0) node = next_[node];
  best_stuck_ = node == 0 ? kNone : node_[node] / 2;
}

/// Takes back the last choice and all that was placed after it; the search goes on behind it.
void LinearSearch::backtrack(StateId& state, std::uint32_t& node) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const std::uint32_t op = trail_[frame.place];
  while (trail_.size() > frame.place) unlift();
  state = frame.before;
  node = next_[call_node_[op]];
}

std::size_t LinearSearch::memory_bytes() const {
  return slots_.size() * sizeof(Slot) + configurations_.capacity() * sizeof(std::uint64_t);
}

LinearResult LinearSearch::run(const LinearObject& object, StateMachine* machine, Work& work) {
  prepare(object);
  LinearResult result;
  result.outcome = Outcome::fail;
  StateId state = object.initial;
  place_pure(state, machine);
  std::uint32_t node = next_[0];
  for (;;) {
    if (count_ == answered_) {
      result.outcome = Outcome::pass;
      keep_best(state, 0);
      break;
    }
    if (++seen_ >= kStepsBetweenLooks) {
      const bool fits = memory_bytes() + (machine != nullptr ? machine->memory_bytes() : 0) <=
                        work.limits().memory_bytes;
      result.memory_exhausted = !fits;
      if (!work.spend(std::exchange(seen_, 0)) || !fits) {
        keep_best(state, node);
        result.outcome = Outcome::unknown;
        break;
      }
    }
    if (node == 0 || (node_[node] & 1) != 0) {
      keep_best(state, node);
      if (frames_.empty()) break;
      backtrack(state, node);
      continue;
    }
    const std::uint32_t op = node_[node] / 2;
    const LinearStep& step = steps_[op];
    const StateId next =
        step.is_pure || waits_for_twin(op) ? kNoState : after(state, step, machine);
    // What nobody was told about is left out where it changes nothing.
    if (next == kNoState || (op >= answered_ && next == state)) {
      node = next_[node];
      continue;
    }
    frames_.push_back({static_cast<std::uint32_t>(trail_.size()), state});
    lift(op);
    place_pure(next, machine);
    state = next;
    if (is_hopeless(state, machine)) {
      dive(state, machine);
      backtrack(state, node);
    } else if (!is_new(state)) {
      backtrack(state, node);
    } else {
      node = next_[0];
    }
  }
  work.spend(std::exchange(seen_, 0));
  result.order.reserve(best_.size());
  for (const std::uint32_t op : best_) result.order.push_back(number_of_[op]);
  result.stuck = best_stuck_ == kNone ? kNone : number_of_[best_stuck_];
  result.state = best_state_;
  return result;
}

}  // namespace dissensus::history
