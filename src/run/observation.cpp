#include "run/observation.h"

#include <optional>

#include "sim/world.h"

namespace dissensus::run {

namespace {
EventMask mask_of(trace::Detail detail, bool log) {
  EventMask mask = EventMask::everything();
  if (detail == trace::Detail::decisions) {
    for (const EventType type : {EventType::send, EventType::deliver, EventType::drop,
                                 EventType::duplicate, EventType::timer}) {
      mask = mask.without(type);
    }
  }
  return log ? mask.with(EventType::log) : mask;
}
}  // namespace

Recorder::Recorder(const Scenario& scenario, trace::Detail detail, bool log)
    : scenario_(scenario), wants_(mask_of(detail, log)) {}

void Recorder::on_event(const Event& event) {
  if (bytes_ >= scenario_.plan.limits.trace_bytes) {
    is_cut = true;
    return;
  }
  const trace::Record& record =
      records.emplace_back(trace::to_record(event, scenario_.system_description()));
  bytes_ += sizeof(trace::Record) + record.fields.size() * sizeof(FieldValue) + record.text.size();
}

Observation::Observation(const Scenario& scenario)
    : scenario_(scenario),
      oracle_(scenario.oracle, scenario.system_description(), scenario.nodes()),
      sent_(scenario.system_description().kinds.size()) {}

void Observation::add(EventSink& sink) {
  listeners_.push_back({sink.wants(), &sink});
  listened_ = listened_ | sink.wants();
  wants_ = wants_ | listened_;
  wants_steps_ = wants_steps_ || sink.wants_steps();
}

void Observation::on_event(const Event& event) {
  hash_.add(event);
  oracle_.on_event(event);
  if (event.type == EventType::send) ++sent_[event.message->kind()];
  if (listened_.has(event.type)) {
    for (const Listener& listener : listeners_) {
      if (listener.wants.has(event.type)) listener.sink->on_event(event);
    }
  }
  if (event.type == EventType::decide) end_phase_if_reached();
  if (oracle_.goal_reached() || (scenario_.stop_on_violation && oracle_.violated())) {
    world_->request_stop();
  }
}

void Observation::on_step(const StepReport& step) {
  for (const Listener& listener : listeners_) {
    if (listener.sink->wants_steps()) listener.sink->on_step(step);
  }
}

void Observation::end_phase_if_reached() {
  if (!scenario_.fault_phase) return;
  const FaultPhase& phase = *scenario_.fault_phase;
  const auto reached = [](std::int64_t decided, const std::optional<std::uint64_t>& wanted) {
    return wanted && decided >= static_cast<std::int64_t>(*wanted);
  };
  if (reached(oracle_.least_decided(phase.level), phase.all) ||
      reached(oracle_.most_decided(phase.level), phase.any)) {
    world_->end_fault_phase();
  }
}

}  // namespace dissensus::run
