// Temporal properties, once every reachable state is known.
#include <algorithm>

#include <fmt/format.h>

#include "core/assert.h"
#include "tla/evaluation/temporal.h"
#include "tla/exploration/search.h"
#include "tla/linking/program.h"

namespace dissensus::tla {

void Search::check_liveness() {
  if (!checks_liveness_) return;
  judge_properties(record_.take_graph());
}

void Search::judge_properties(const BehaviourGraph& graph) {
  const TemporalFormulas& formulas = workers_[0]->machine().temporal();
  const std::vector<TemporalProperty>& properties = spec_->program().temporal_properties;
  FairCycleLimits limits;
  limits.is_enough = [this] {
    return options_.limits.seconds > 0 && seconds() >= options_.limits.seconds;
  };
  if (options_.limits.bytes > 0) {
    const std::uint64_t used =
        states_bytes_ + graph.edges.size() * sizeof(graph.edges[0]) + graph.first.size() * 8;
    limits.bytes =
        std::max<std::uint64_t>(1, options_.limits.bytes - std::min(options_.limits.bytes, used));
  }
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const std::string& name = properties[i].name;
    const LivenessVerdict verdict =
        judge_liveness(graph, formulas.fairness(), formulas.properties()[i], limits);
    std::vector<std::string>& names =
        verdict.limit.empty() ? result_.judged_properties : result_.unjudged_properties;
    if (names.empty() || names.back() != name) names.push_back(name);
    if (verdict.counterexample) {
      const Lasso lasso = without_stuttering(*verdict.counterexample);
      result_.outcome = CheckOutcome::violation;
      result_.property = name;
      const std::size_t repeated = lasso.states.size() - lasso.loop;
      result_.message =
          fmt::format("temporal property {} is violated: {}", name,
                      repeated == 1 ? "nothing changes after the last state"
                                    : fmt::format("the last {} states repeat forever", repeated));
      result_.trace = behaviour_along(lasso);
      return;
    }
    if (verdict.limit.empty() || result_.outcome == CheckOutcome::incomplete) continue;
    result_.outcome = CheckOutcome::incomplete;
    result_.message = fmt::format("incomplete: temporal property {}: {}", name, verdict.limit);
  }
}

Behaviour Search::behaviour_along(const Lasso& lasso) {
  SearchWorker& worker = *workers_[0];
  std::vector<State> states(lasso.states.size());
  std::vector<Label> labels(lasso.states.size());
  std::size_t found = 0;
  for (; found < states.size(); ++found) {
    const std::uint32_t number = lasso.states[found];
    const bool is_there = found == 0
                              ? worker.find(nullptr, origins_[number], labels[0], states[0])
                              : worker.find_step(states[found - 1], record_.fingerprint(number),
                                                 labels[found], states[found]);
    if (is_there) continue;
    result_.message += fmt::format(" (state {} of the trace could not be found again)", found + 1);
    break;
  }
  const bool is_complete = found == states.size();
  states.resize(found);
  labels.resize(found);
  StateTrace trace{states, std::move(labels), std::nullopt};
  if (is_complete) trace.loop = lasso.loop;
  Behaviour behaviour = shown(std::move(trace));
  if (!is_complete) return behaviour;
  behaviour.loop = lasso.loop;
  if (lasso.loop + 1 < states.size()) {
    Label back;
    State again;
    const std::uint64_t first = record_.fingerprint(lasso.states[lasso.loop]);
    if (worker.find_step(states.back(), first, back, again)) {
      behaviour.loop_action = to_string(*spec_, back);
    }
  }
  return behaviour;
}

}  // namespace dissensus::tla
