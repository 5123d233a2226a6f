// Whoever says which abstract states a run reached, in the place of those that every hunt measures.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/event.h"
#include "run/scenario.h"

namespace dissensus::run {

/// Listens to one run after another (RunOptions::sinks). One thread.
class StateSource : public EventSink {
 public:
  /// Before each run.
  virtual void begin(std::uint64_t seed) = 0;
  /// After it: adds what it reached, in any order.
  virtual void end(std::vector<std::uint64_t>& states) = 0;
};

/// Makes one for a thread; the scenario outlives it.
using MakeStateSource = std::function<std::unique_ptr<StateSource>(const Scenario& scenario)>;

}  // namespace dissensus::run
