// What a failing run needs in order to fail: it is made again with a kind of fault, the faults on a
// kind of message, or a kind of message taken away, or with one kind of fault alone. A bug that
// shows only where nodes stop is not the one that shows only where messages are late, however alike
// their failures look. Statistics over runs can only guess that; here the simulator is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isolate/run_source.h"
#include "run/runner.h"

namespace dissensus::hunt {

/// A changed run, and what it means if the failure is still there, or not; empty: nothing.
struct Question {
  faults::Schedule schedule;
  std::string about;
  std::string if_it_fails;
  std::string if_not;
};

/// In a fixed order. Twins, which make nodes, are never taken away.
std::vector<Question> questions_about(const run::Scenario& scenario,
                                      const faults::Schedule& schedule);

/// Asks about failing runs, one after the other. Needs runs that can be repeated.
class Interventions {
 public:
  /// False: the questions that are left stay open. Null: all are asked.
  explicit Interventions(std::function<bool()> keep_going = {})
      : keep_going_(std::move(keep_going)) {}
  /// The answers as signs. `symptom` is the first violation's signature: another one is another
  /// failure.
  std::vector<isolate::Sign> ask(const run::Scenario& scenario, const faults::Schedule& schedule,
                                 std::uint64_t seed, const std::string& symptom);
  /// Runs that were made to answer.
  std::size_t runs() const { return runs_; }

 private:
  std::function<bool()> keep_going_;
  run::Runner runner_;
  std::size_t runs_ = 0;
};

}  // namespace dissensus::hunt
