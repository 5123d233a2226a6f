// The states of a model that fit all that was seen so far, carried from event to event: by this
// both a log (trace.h) and a run of an implementation (conform/judge.h) are judged.
//
// A limit that was hit is an answer of its own: what lies beyond it might have fitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tla/evaluation/machine.h"

namespace dissensus::tla {

/// States in the order in which they were found, each once.
class Frontier {
 public:
  /// False: it is known.
  bool add(const State& state);
  bool contains(const State& state) const;
  const std::vector<State>& states() const { return states_; }
  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  /// Machine::collect, which makes all values anew.
  void collect(Machine& machine);

 private:
  struct WordOrder {
    bool operator()(const State& a, const State& b) const;
  };
  std::vector<State> states_;
  std::set<State, WordOrder> known_;  ///< of many states; never listed: the order is of addresses
};

enum class Match : std::uint8_t {
  admitted,
  refused,  ///< no state of the model fits
  unknown,  ///< a limit was hit
};

struct MatchLimits {
  std::size_t states = 10'000;  ///< that fit at once
  std::size_t hidden = 10'000;  ///< ways into states by hidden steps, before one event
};

/// Steps of the model that nobody sees: at most so many of an action before each event.
class HiddenSteps {
 public:
  /// `most` by action. The machine must outlive it.
  HiddenSteps(Machine& machine, std::vector<std::uint32_t> most, std::size_t limit);

  bool any() const { return any_; }
  struct Reached {
    Frontier states;  ///< those that it began with first
    bool is_cut = false;
    std::uint64_t visited = 0;
  };
  Reached from(const Frontier& states) const;

 private:
  Machine& machine_;
  std::vector<std::uint32_t> most_;
  std::size_t limit_;
  bool any_ = false;
};

/// What was seen, as the matcher asks about it. Events are numbered from 0.
class SeenEvents {
 public:
  virtual ~SeenEvents() = default;
  virtual bool fits_initially(const State&) { return true; }
  /// An event is about to be read, from the states in `frontier`; they may be collected.
  virtual void begin(std::size_t, Frontier&) {}
  /// Every state that an event leads to and that looks as it was seen, until the visitor says
  /// false. False: a limit cut this short.
  virtual bool steps(std::size_t event, const State& from,
                     FunctionRef<bool(const State&)> visit) = 0;
};

/// Hidden steps, at most so many of an action before each event, are first tried only where nothing
/// else fits. When that fails all events are read again with hidden steps considered everywhere, so
/// that a refusal is never due to the short cut.
class Matcher {
 public:
  /// `hidden` by action. Machine and events must outlive it.
  Matcher(Machine& machine, SeenEvents& seen, std::vector<std::uint32_t> hidden,
          const MatchLimits& limits);

  /// Back to the model's initial states that fit.
  Match start();
  /// Reads the next event. After anything but `admitted` only start() makes sense.
  Match next();

  /// False: there are no hidden steps, or they are considered everywhere already.
  bool can_widen() const { return hidden_.any() && !is_wide_; }
  /// Reads the events so far again with hidden steps considered everywhere.
  Match widen();

  /// The states that fit; after a refusal those before the event, hidden steps included.
  const Frontier& frontier() const { return frontier_; }
  std::size_t widest() const { return widest_; }
  bool used_hidden_steps() const { return is_wide_ || used_hidden_; }
  std::uint64_t visited() const { return visited_; }  ///< initial states and hidden steps
  const MatchLimits& limits() const { return limits_; }

 private:
  void enter_initial_states();
  Match outcome(const Frontier& reached) const;
  Match read(std::size_t event);
  void advance(std::size_t event, Frontier& reached);
  Frontier with_hidden_steps(const Frontier& from);

  Machine& machine_;
  SeenEvents& seen_;
  HiddenSteps hidden_;
  MatchLimits limits_;
  bool is_wide_ = false;
  bool is_cut_ = false;
  bool used_hidden_ = false;
  Frontier frontier_;
  std::size_t events_ = 0;
  std::size_t widest_ = 0;
  std::uint64_t visited_ = 0;
};

}  // namespace dissensus::tla
