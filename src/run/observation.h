// What is seen of a run while it goes on. The hash and the oracle see every event; whoever else
// wants to know is a sink and says which events it wants.
#pragma once

#include <cstdint>
#include <vector>

#include "core/event.h"
#include "oracle/oracle.h"
#include "run/scenario.h"
#include "trace/trace.h"

namespace dissensus::sim {
class World;
}

namespace dissensus::run {

/// Keeps records of events up to the scenario's limit of bytes.
class Recorder final : public EventSink {
 public:
  Recorder(const Scenario& scenario, trace::Detail detail, bool log);
  EventMask wants() const override { return wants_; }
  void on_event(const Event& event) override;

  const std::uint64_t& bytes() const { return bytes_; }

  std::vector<trace::Record> records;
  bool is_cut = false;

 private:
  const Scenario& scenario_;
  EventMask wants_;
  std::uint64_t bytes_ = 0;
};

/// The one sink that a world has: passes events on, and ends the fault phase and the run when their
/// time has come.
class Observation final : public EventSink {
 public:
  explicit Observation(const Scenario& scenario);

  /// Before the run. The sink must outlive it.
  void add(EventSink& sink);
  void attach(sim::World& world) { world_ = &world; }

  EventMask wants() const override { return wants_; }
  bool wants_steps() const override { return wants_steps_; }
  void on_event(const Event& event) override;
  void on_step(const StepReport& step) override;
  /// Liars are exempt from all properties.
  void on_lie(NodeId node) override { oracle_.mark_faulty(node); }

  oracle::Oracle& oracle() { return oracle_; }
  std::uint64_t hash() const { return hash_.value(); }
  /// Messages by kind. Counted here, because a call for each of them would cost a sink more than
  /// all the rest.
  std::vector<std::uint64_t> take_sent() { return std::move(sent_); }

 private:
  void end_phase_if_reached();

  struct Listener {
    EventMask wants;
    EventSink* sink;
  };
  const Scenario& scenario_;
  trace::TraceHash hash_;
  oracle::Oracle oracle_;
  std::vector<Listener> listeners_;
  EventMask listened_;  ///< what some listener wants
  EventMask wants_ = EventMask::everything();
  bool wants_steps_ = false;
  std::vector<std::uint64_t> sent_;
  sim::World* world_ = nullptr;
};

}  // namespace dissensus::run
