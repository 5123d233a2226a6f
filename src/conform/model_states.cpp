#include "conform/model_states.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dissensus/digest.h"

#include "conform/judge.h"
#include "conform/observed_trace.h"
#include "conform/pairing.h"

namespace dissensus::conform {

namespace {

/// Steps of a run that are followed; what comes after says nothing more.
constexpr std::size_t kStepsMost = 20'000;
/// A state of the model that fits is found fast or not at all.
constexpr std::size_t kFrontierMost = 64;
constexpr std::size_t kHiddenStatesMost = 1'000;

InputValues values_of(const Mapping& mapping, const run::Scenario& scenario) {
  InputValues values;
  for (const MappingInput& input : mapping.inputs) {
    const bool is_size = input.sets == "system.nodes";
    values.push_back(is_size ? static_cast<double>(scenario.nodes()) : input.from);
  }
  return values;
}

class ModelStates final : public run::StateSource {
 public:
  ModelStates(Mapping mapping, const run::Scenario& scenario)
      : mapping_(std::move(mapping)),
        scenario_(scenario),
        machine_(load_model(mapping_, Variant{}, values_of(mapping_, scenario))),
        bound_(mapping_, machine_, *scenario.system),
        judge_(bound_, {.frontier_most = kFrontierMost,
                        .hidden_states_most = kHiddenStatesMost,
                        .ignored_properties = {}}) {}

  EventMask wants() const override { return EventMask::reports(); }
  bool wants_steps() const override { return true; }
  void on_event(const Event& event) override { recorder_->on_event(event); }
  void on_step(const StepReport& step) override { recorder_->on_step(step); }

  void begin(std::uint64_t seed) override {
    judge_.forget();
    machine_.collect();
    recorder_.emplace(bound_, kStepsMost);
    Stepper stepper(*scenario_.system, seed);
    stepper.start();
    recorder_->trace().initial_states = node_states(machine_.store(), stepper, scenario_.nodes());
  }

  void end(std::vector<std::uint64_t>& states) override {
    const ObservedTrace& trace = recorder_->trace();
    judge_.start(trace.initial_states);
    for (const Observation& observation : trace.observations) {
      const bool is_refused = judge_.observe(observation).has_value();
      if (judge_.is_unknown() || judge_.frontier().empty()) break;
      const std::uint64_t view = bound_.view_hash(observation.node, judge_.frontier().front());
      states.push_back(mix64(view, observation.event * 2 + (is_refused ? 1u : 0u)));
      if (is_refused) break;
    }
  }

 private:
  Mapping mapping_;
  const run::Scenario& scenario_;
  tla::Machine machine_;
  BoundMapping bound_;
  Judge judge_;
  std::optional<TraceRecorder> recorder_;
};

}  // namespace

std::unique_ptr<run::StateSource> make_model_states(const std::string& mapping,
                                                    const run::Scenario& scenario) {
  return std::make_unique<ModelStates>(load_mapping(mapping), scenario);
}

}  // namespace dissensus::conform
