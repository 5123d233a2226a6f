// What several processes did, where only causality says what came first: each process's own order,
// and sends before receives. The model must admit one order of all events that respects these.
//
// A reading is how many events of each process are read, and a state of the model that fits them.
// Readings are followed side by side, from event to event; what all have read is forgotten. A limit
// that drops readings leaves a conforming log conforming, since one reading is enough, but makes a
// refusal unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tla/logs/matcher.h"

namespace dissensus::tla {

/// An event of one process.
struct CausalEvent {
  std::size_t number = 0;  ///< for SeenEvents::steps; ascending in the order of arrival
  /// Process and position of an event there (from 0) that came before this one.
  std::vector<std::pair<std::size_t, std::uint64_t>> after;
  /// It is said that where this event is possible it stays possible, with the same result, whatever
  /// other processes do, and hinders none of their events. So it can be read as soon as it fits.
  bool is_stable = false;
};

class CausalMatcher {
 public:
  /// Machine and events must outlive it.
  CausalMatcher(Machine& machine, SeenEvents& seen, std::vector<std::uint32_t> hidden,
                const MatchLimits& limits);

  /// From the model's initial states.
  Match start();
  /// One more process; they are numbered from 0.
  std::size_t add_process();
  /// The next event of a process. Events that it comes after must have been added, or come.
  void add(std::size_t process, CausalEvent event);
  /// No event of this process is to be waited for: it has ended, or been silent for long. One that
  /// comes all the same is read after what has been read by then.
  void set_silent(std::size_t process, bool is_silent) { silent_[process] = is_silent; }
  /// Reads what can be read. After anything but `admitted` only start() makes sense.
  Match advance();

  /// Events that were added and that no reading has read, or not all of them.
  std::size_t waiting() const;
  std::uint64_t read() const { return read_; }  ///< by the reading that is furthest
  std::size_t readings() const { return open_.size(); }
  std::size_t most_readings() const { return most_readings_; }
  std::uint64_t visited() const { return visited_; }
  std::uint64_t checked_pairs() const { return checked_pairs_; }
  /// Why a refusal would mean nothing; empty: it means that the model admits no order.
  const std::string& doubt() const { return doubt_; }
  /// All readings have read it.
  bool is_forgotten(std::size_t process, std::uint64_t position) const {
    return position < processes_[process].forgotten;
  }
  std::size_t waiting(std::size_t process) const { return processes_[process].events.size(); }
  /// Nothing older is asked for again.
  std::size_t oldest_number() const;

  /// After a refusal: the readings that came furthest, and the event that each could not read, in
  /// the order of arrival. At most 16.
  struct Refusal {
    std::size_t number = 0;
    State state;
  };
  const std::vector<Refusal>& refusals() const { return refusals_; }
  /// True: no event was refused, but each waits for another. The log contradicts itself.
  bool is_circular() const { return is_circular_; }
  /// A state that fits what was read; empty after a refusal.
  const State& state() const { return open_.front().state; }

  /// Machine::collect; `keep` survives as well.
  void collect(std::vector<State*> keep);

 private:
  struct Reading {
    std::vector<std::uint64_t> positions;  ///< by process: events read
    State state;
    std::uint64_t length = 0;
  };
  struct Process {
    std::uint64_t forgotten = 0;  ///< events before the first in `events`
    std::deque<CausalEvent> events;
  };
  using Key = std::vector<std::uint64_t>;

  const CausalEvent* next_of(const Reading& reading, std::size_t process) const;
  bool is_ready(const Reading& reading, const CausalEvent& event) const;
  bool is_waiting(const Reading& reading) const;
  bool is_finished(const Reading& reading) const;
  std::vector<std::size_t> ready_processes(const Reading& reading) const;
  Frontier before(const Reading& reading);
  Frontier after(const Frontier& states, const CausalEvent& event);
  /// False: it has to wait for events that are not there yet.
  bool expand(const Reading& reading, std::vector<Reading>& next);
  bool take(const Reading& reading, std::size_t process, const Frontier& states,
            std::vector<Reading>& next);
  void check_claim(const Reading& reading, std::size_t taken,
                   const std::vector<std::size_t>& ready);
  void note_dead_end(const Reading& reading, const Frontier& states,
                     const std::vector<std::size_t>& ready);
  void limit_readings(std::vector<Reading>& readings);
  void forget();
  static Key key_of(const Reading& reading);

  Machine& machine_;
  SeenEvents& seen_;
  HiddenSteps hidden_;
  MatchLimits limits_;
  std::vector<Process> processes_;
  std::vector<bool> silent_;
  std::vector<Reading> open_;
  std::vector<Refusal> refusals_;
  std::uint64_t dead_end_length_ = 0;
  bool is_circular_ = false;
  bool trusts_claims_ = true;
  std::string doubt_;
  std::uint64_t read_ = 0;
  std::size_t most_readings_ = 0;
  std::uint64_t visited_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t checked_pairs_ = 0;
};

}  // namespace dissensus::tla
