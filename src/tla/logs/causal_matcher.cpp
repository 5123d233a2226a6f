#include "tla/logs/causal_matcher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dissensus::tla {

namespace {

constexpr std::size_t kRefusalsKept = 16;
/// Of so many stable events one is tried in the other order, too.
constexpr std::uint64_t kCheckEvery = 8;

bool same_states(const Frontier& a, const Frontier& b) {
  return a.size() == b.size() && std::all_of(a.states().begin(), a.states().end(),
                                             [&](const State& state) { return b.contains(state); });
}

}  // namespace

CausalMatcher::CausalMatcher(Machine& machine, SeenEvents& seen, std::vector<std::uint32_t> hidden,
                             const MatchLimits& limits)
    : machine_(machine),
      seen_(seen),
      hidden_(machine, std::move(hidden), limits.hidden),
      limits_(limits) {}

std::size_t CausalMatcher::add_process() {
  processes_.emplace_back();
  silent_.push_back(false);
  for (Reading& reading : open_) reading.positions.push_back(0);
  return processes_.size() - 1;
}

Match CausalMatcher::start() {
  open_.clear();
  bool is_cut = false;
  machine_.initial_states([&](const State& state) {
    ++visited_;
    if (seen_.fits_initially(state)) {
      open_.push_back({std::vector<std::uint64_t>(processes_.size(), 0), state, 0});
    }
    is_cut = open_.size() > limits_.states;
    return !is_cut;
  });
  if (is_cut) return Match::unknown;
  return open_.empty() ? Match::refused : Match::admitted;
}

void CausalMatcher::add(std::size_t process, CausalEvent event) {
  processes_[process].events.push_back(std::move(event));
}

const CausalEvent* CausalMatcher::next_of(const Reading& reading, std::size_t process) const {
  const Process& one = processes_[process];
  const std::uint64_t offset = reading.positions[process] - one.forgotten;
  return offset < one.events.size() ? &one.events[offset] : nullptr;
}

bool CausalMatcher::is_ready(const Reading& reading, const CausalEvent& event) const {
  return std::all_of(event.after.begin(), event.after.end(), [&](const auto& earlier) {
    return reading.positions[earlier.first] > earlier.second;
  });
}

/// Something that is not there yet might come first.
bool CausalMatcher::is_waiting(const Reading& reading) const {
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    if (!silent_[process] && next_of(reading, process) == nullptr) return true;
  }
  return false;
}

bool CausalMatcher::is_finished(const Reading& reading) const {
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    if (next_of(reading, process) != nullptr) return false;
  }
  return true;
}

/// Processes whose next event may be read, in the order of arrival.
std::vector<std::size_t> CausalMatcher::ready_processes(const Reading& reading) const {
  std::vector<std::pair<std::size_t, std::size_t>> ready;
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    const CausalEvent* event = next_of(reading, process);
    if (event != nullptr && is_ready(reading, *event)) ready.emplace_back(event->number, process);
  }
  std::sort(ready.begin(), ready.end());
  std::vector<std::size_t> processes;
  for (const auto& [number, process] : ready) processes.push_back(process);
  return processes;
}

Frontier CausalMatcher::before(const Reading& reading) {
  Frontier states;
  states.add(reading.state);
  if (!hidden_.any()) return states;
  HiddenSteps::Reached reached = hidden_.from(states);
  visited_ += reached.visited;
  if (reached.is_cut && doubt_.empty()) {
    doubt_ = fmt::format("more than {} ways through hidden steps before one event", limits_.hidden);
  }
  return std::move(reached.states);
}

Frontier CausalMatcher::after(const Frontier& states, const CausalEvent& event) {
  Frontier reached;
  for (const State& state : states.states()) {
    const bool is_whole = seen_.steps(event.number, state, [&](const State& next) {
      ++visited_;
      reached.add(next);
      return reached.size() <= limits_.states;
    });
    if (is_whole && reached.size() <= limits_.states) continue;
    if (doubt_.empty()) doubt_ = fmt::format("more than {} states after one step", limits_.states);
    break;
  }
  return reached;
}

bool CausalMatcher::take(const Reading& reading, std::size_t process, const Frontier& states,
                         std::vector<Reading>& next) {
  const Frontier reached = after(states, *next_of(reading, process));
  for (const State& state : reached.states()) {
    Reading longer{reading.positions, state, reading.length + 1};
    ++longer.positions[process];
    next.push_back(std::move(longer));
  }
  return !reached.empty();
}

/// A stable event and one of another process that are both possible lead to the same, whichever
/// comes first. Whoever says otherwise of an event in a mapping is told.
void CausalMatcher::check_claim(const Reading& reading, std::size_t taken,
                                const std::vector<std::size_t>& ready) {
  if (taken_++ % kCheckEvery != 0) return;
  Frontier here;
  here.add(reading.state);
  const CausalEvent& stable = *next_of(reading, taken);
  const Frontier first = after(here, stable);
  if (first.empty()) return;  // it took a hidden step
  for (const std::size_t process : ready) {
    if (process == taken) continue;
    const CausalEvent& other = *next_of(reading, process);
    const Frontier second = after(here, other);
    if (second.empty()) continue;
    ++checked_pairs_;
    const Frontier both = after(first, other);
    if (!both.empty() && same_states(both, after(second, stable))) continue;
    trusts_claims_ = false;
    doubt_ = fmt::format(
        "an event that the mapping calls stable does not commute with another (events {} and {})",
        stable.number, other.number);
    return;
  }
}

bool CausalMatcher::expand(const Reading& reading, std::vector<Reading>& next) {
  const std::vector<std::size_t> ready = ready_processes(reading);
  if (ready.empty() && is_waiting(reading)) return false;
  const Frontier states = before(reading);
  if (trusts_claims_) {
    for (const std::size_t process : ready) {
      if (!next_of(reading, process)->is_stable || !take(reading, process, states, next)) continue;
      check_claim(reading, process, ready);
      return true;
    }
  }
  if (is_waiting(reading)) return false;
  bool goes_on = false;
  for (const std::size_t process : ready) {
    goes_on = take(reading, process, states, next) || goes_on;
  }
  if (!goes_on) note_dead_end(reading, states, ready);
  return true;
}

void CausalMatcher::note_dead_end(const Reading& reading, const Frontier& states,
                                  const std::vector<std::size_t>& ready) {
  if (reading.length < dead_end_length_) return;
  if (reading.length > dead_end_length_) refusals_.clear();
  dead_end_length_ = reading.length;
  is_circular_ = ready.empty();
  for (const std::size_t process : ready) {
    if (refusals_.size() == kRefusalsKept) return;
    refusals_.push_back({next_of(reading, process)->number, states.states().front()});
  }
}

void CausalMatcher::limit_readings(std::vector<Reading>& readings) {
  if (readings.size() <= limits_.states) return;
  readings.resize(limits_.states);
  if (doubt_.empty()) {
    doubt_ = fmt::format("more than {} ways to read the logs fitted at once", limits_.states);
  }
}

CausalMatcher::Key CausalMatcher::key_of(const Reading& reading) {
  Key key = reading.positions;
  for (const Value value : reading.state) key.push_back(value.word());
  return key;
}

Match CausalMatcher::advance() {
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    std::vector<Reading> next;
    std::set<Key> known;  // never listed: the order is of addresses
    std::vector<Reading> reached;
    for (Reading& reading : open_) {
      if (is_finished(reading) || !expand(reading, reached)) {
        reached.clear();
        reached.push_back(std::move(reading));
      } else {
        has_moved = true;
      }
      for (Reading& one : reached) {
        if (known.insert(key_of(one)).second) next.push_back(std::move(one));
      }
      reached.clear();
    }
    limit_readings(next);
    open_ = std::move(next);
    for (const Reading& reading : open_) read_ = std::max(read_, reading.length);
    most_readings_ = std::max(most_readings_, open_.size());
    if (open_.empty()) break;
    forget();
  }
  if (!open_.empty()) return Match::admitted;
  return doubt_.empty() ? Match::refused : Match::unknown;
}

/// What all readings have read.
void CausalMatcher::forget() {
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    std::uint64_t least = open_.front().positions[process];
    for (const Reading& reading : open_) least = std::min(least, reading.positions[process]);
    Process& one = processes_[process];
    for (; one.forgotten < least; ++one.forgotten) one.events.pop_front();
  }
}

std::size_t CausalMatcher::waiting() const {
  std::size_t count = 0;
  for (const Process& process : processes_) count += process.events.size();
  return count;
}

std::size_t CausalMatcher::oldest_number() const {
  std::size_t oldest = ~std::size_t{0};
  for (const Process& process : processes_) {
    if (!process.events.empty()) oldest = std::min(oldest, process.events.front().number);
  }
  return oldest;
}

void CausalMatcher::collect(std::vector<State*> keep) {
  for (Reading& reading : open_) keep.push_back(&reading.state);
  machine_.collect(keep);
}

}  // namespace dissensus::tla
