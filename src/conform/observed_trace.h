// The trace of an implementation as a model sees it: which steps its nodes took, and their states.
#pragma once

#include <cstdint>
#include <vector>

#include "conform/bound_mapping.h"
#include "conform/stepper.h"
#include "core/event.h"

namespace dissensus::conform {

/// What happened, from the nodes' initial states on.
struct ObservedTrace {
  std::vector<tla::Value> initial_states;  ///< by node; null: unknown
  std::vector<Observation> observations;
  bool is_cut = false;  ///< more happened than was kept
};

/// Hash of the initial states and of the observations in their order. Traces whose nodes did the
/// same in another order are others: properties and guards may be about several nodes at once.
std::uint64_t sequence_hash(const ObservedTrace& trace);

Observation to_observation(tla::Store& store, const ReportedStep& step);
std::vector<tla::Value> node_states(tla::Store& store, const Stepper& stepper, std::size_t nodes);

/// Listens to a run (RunOptions::sinks).
class TraceRecorder final : public EventSink {
 public:
  TraceRecorder(BoundMapping& mapping, std::size_t most)
      : mapping_(mapping), store_(mapping.machine().store()), most_(most) {}
  EventMask wants() const override { return EventMask::reports(); }
  void on_event(const Event& event) override;
  void on_step(const StepReport& step) override;
  bool wants_steps() const override { return true; }
  ObservedTrace& trace() { return trace_; }

 private:
  void add(Observation observation);

  BoundMapping& mapping_;
  tla::Store& store_;
  std::size_t most_;
  ObservedTrace trace_;
};

}  // namespace dissensus::conform
