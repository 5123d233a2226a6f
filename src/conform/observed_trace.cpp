#include "conform/observed_trace.h"

#include <utility>

namespace dissensus::conform {
namespace {

std::uint64_t hash_of(const Observation& observation) {
  std::uint64_t hash = mix64(observation.event, observation.node);
  for (const tla::Value argument : observation.arguments) hash = mix64(hash, argument.hash());
  return observation.state.is_null() ? hash : mix64(hash, observation.state.hash());
}

}  // namespace

std::uint64_t sequence_hash(const ObservedTrace& trace) {
  std::uint64_t hash = trace.initial_states.size();
  for (const tla::Value state : trace.initial_states) {
    hash = mix64(hash, state.is_null() ? 0 : state.hash());
  }
  for (const Observation& observation : trace.observations)
    hash = mix64(hash, hash_of(observation));
  return hash;
}

Observation to_observation(tla::Store& store, const ReportedStep& step) {
  Observation observation{step.step, step.node, {}, to_value(store, step.state)};
  for (const StateValue& argument : step.arguments) {
    observation.arguments.push_back(to_value(store, argument));
  }
  return observation;
}

std::vector<tla::Value> node_states(tla::Store& store, const Stepper& stepper, std::size_t nodes) {
  std::vector<tla::Value> states;
  for (std::size_t node = 0; node < nodes; ++node) {
    states.push_back(to_value(store, stepper.state(static_cast<NodeId>(node))));
  }
  return states;
}

void TraceRecorder::add(Observation observation) {
  if (trace_.observations.size() < most_) {
    trace_.observations.push_back(std::move(observation));
  } else {
    trace_.is_cut = true;
  }
}

void TraceRecorder::on_event(const Event& event) {
  if (event.type == EventType::crash) {
    add({mapping_.crash_event(), event.node, {}, {}});
  } else if (event.type == EventType::restart) {
    add({mapping_.restart_event(), event.node, {}, {}});
  }
}

void TraceRecorder::on_step(const StepReport& step) {
  if (trace_.observations.size() >= most_) {
    trace_.is_cut = true;
    return;
  }
  Observation observation{step.step, step.node, {}, to_value(store_, *step.state)};
  for (const StateValue& argument : step.arguments) {
    observation.arguments.push_back(to_value(store_, argument));
  }
  add(std::move(observation));
}

}  // namespace dissensus::conform
