#include "tla/logs/matcher.h"

#include <algorithm>
#include <utility>

namespace dissensus::tla {

namespace {

/// So few states are compared faster than looked up.
constexpr std::size_t kFewStates = 8;

}  // namespace

bool Frontier::WordOrder::operator()(const State& a, const State& b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](Value x, Value y) { return x.word() < y.word(); });
}

bool Frontier::contains(const State& state) const {
  if (!known_.empty()) return known_.contains(state);
  return std::find(states_.begin(), states_.end(), state) != states_.end();
}

bool Frontier::add(const State& state) {
  if (contains(state)) return false;
  states_.push_back(state);
  if (!known_.empty()) {
    known_.insert(state);
  } else if (states_.size() > kFewStates) {
    known_.insert(states_.begin(), states_.end());
  }
  return true;
}

void Frontier::collect(Machine& machine) {
  std::vector<State*> keep;
  for (State& state : states_) keep.push_back(&state);
  machine.collect(keep);
  if (known_.empty()) return;
  known_.clear();
  known_.insert(states_.begin(), states_.end());
}

HiddenSteps::HiddenSteps(Machine& machine, std::vector<std::uint32_t> most, std::size_t limit)
    : machine_(machine), most_(std::move(most)), limit_(limit) {
  any_ = std::any_of(most_.begin(), most_.end(), [](auto count) { return count > 0; });
}

HiddenSteps::Reached HiddenSteps::from(const Frontier& states) const {
  Reached reached{states, false, 0};
  // Which hidden steps led to a state decides how many are left: the same state with other counts
  // is another way to go on.
  using Counts = std::vector<std::uint32_t>;
  std::vector<std::pair<State, Counts>> open;
  std::set<std::pair<std::vector<std::uint64_t>, Counts>> known;
  const auto enter = [&](const State& state, const Counts& counts) {
    std::vector<std::uint64_t> words;
    for (const Value value : state) words.push_back(value.word());
    if (known.emplace(std::move(words), counts).second) open.emplace_back(state, counts);
  };
  for (const State& state : states.states()) enter(state, Counts(most_.size(), 0));
  for (std::size_t i = 0; i < open.size() && !reached.is_cut; ++i) {
    const State state = open[i].first;  // a copy: the list grows
    const Counts counts = open[i].second;
    machine_.successors(state, [&](const Label& label, const State& next) {
      if (counts[label.action] >= most_[label.action]) return true;
      Counts used = counts;
      ++used[label.action];
      ++reached.visited;
      reached.states.add(next);
      enter(next, used);
      reached.is_cut = open.size() > limit_;
      return !reached.is_cut;
    });
  }
  return reached;
}

Matcher::Matcher(Machine& machine, SeenEvents& seen, std::vector<std::uint32_t> hidden,
                 const MatchLimits& limits)
    : machine_(machine),
      seen_(seen),
      hidden_(machine, std::move(hidden), limits.hidden),
      limits_(limits) {}

void Matcher::enter_initial_states() {
  is_cut_ = false;
  Frontier all;
  machine_.initial_states([&](const State& state) {
    ++visited_;
    all.add(state);
    is_cut_ = all.size() > limits_.states;
    return !is_cut_;
  });
  frontier_ = {};
  for (const State& state : all.states()) {
    if (seen_.fits_initially(state)) frontier_.add(state);
  }
}

Match Matcher::outcome(const Frontier& reached) const {
  if (is_cut_) return Match::unknown;
  return reached.empty() ? Match::refused : Match::admitted;
}

Match Matcher::start() {
  is_wide_ = false;
  used_hidden_ = false;
  events_ = 0;
  enter_initial_states();
  widest_ = frontier_.size();
  return outcome(frontier_);
}

Match Matcher::next() {
  Match match = read(events_);
  if (match == Match::refused && can_widen()) {
    match = widen();
    if (match == Match::admitted) match = read(events_);
  }
  if (match == Match::admitted) ++events_;
  return match;
}

Match Matcher::widen() {
  is_wide_ = true;
  enter_initial_states();
  Match match = outcome(frontier_);
  for (std::size_t event = 0; event < events_ && match == Match::admitted; ++event) {
    match = read(event);
  }
  return match;
}

Match Matcher::read(std::size_t event) {
  seen_.begin(event, frontier_);
  Frontier reached;
  if (is_wide_) frontier_ = with_hidden_steps(frontier_);
  advance(event, reached);
  if (reached.empty() && !is_cut_ && can_widen()) {
    frontier_ = with_hidden_steps(frontier_);
    used_hidden_ = true;
    advance(event, reached);
  }
  const Match match = outcome(reached);
  if (match == Match::admitted) {
    frontier_ = std::move(reached);
    widest_ = std::max(widest_, frontier_.size());
  }
  return match;
}

void Matcher::advance(std::size_t event, Frontier& reached) {
  for (const State& state : frontier_.states()) {
    const bool is_whole = seen_.steps(event, state, [&](const State& next) {
      reached.add(next);
      is_cut_ = reached.size() > limits_.states;
      return !is_cut_;
    });
    is_cut_ = is_cut_ || !is_whole;
    if (is_cut_) return;
  }
}

Frontier Matcher::with_hidden_steps(const Frontier& from) {
  HiddenSteps::Reached reached = hidden_.from(from);
  visited_ += reached.visited;
  is_cut_ = is_cut_ || reached.is_cut;
  return std::move(reached.states);
}

}  // namespace dissensus::tla
