#include "conform/mutation.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace dissensus::conform {

namespace {

/// Steps that the mapping keeps away from are not compared.
bool is_mapped(const Mapping& mapping, const std::string& action) {
  const auto weight = std::find_if(mapping.weights.begin(), mapping.weights.end(),
                                   [&](const MappingWeight& one) { return one.action == action; });
  if (weight != mapping.weights.end() && weight->weight == 0) return false;
  return std::any_of(mapping.replays.begin(), mapping.replays.end(),
                     [&](const MappingReplay& replay) { return replay.action == action; });
}

/// The mapping as it is, then each set-up.
std::vector<Variant> variants_of(const Mapping& mapping, const Variant& mutant) {
  std::vector<Variant> variants{mutant};
  for (const MappingMutation::Setup& setup : mapping.mutation.setups) {
    Variant variant = mutant;
    variant.settings.insert(variant.settings.end(), setup.settings.begin(), setup.settings.end());
    variant.constants.insert(variant.constants.end(), setup.constants.begin(),
                             setup.constants.end());
    variants.push_back(std::move(variant));
  }
  return variants;
}

}  // namespace

std::vector<Mutant> mutants_of(const Mapping& mapping, const InputValues& values,
                               const SystemRegistry& systems) {
  std::vector<Mutant> mutants;
  Pairing pairing(mapping, {}, values, systems);
  const auto& actions = pairing.machine().spec().actions();
  for (const tla::GuardDescription& guard : pairing.machine().spec().guards()) {
    if (guard.is_assignment || !is_mapped(mapping, actions[guard.action].name)) continue;
    for (const bool negate : {false, true}) {
      Mutant mutant{"model", guard.at.to_string() + " " + guard.at.excerpt(), negate, {}};
      mutant.variant.change =
          tla::SpecOptions::GuardChange{guard.module, guard.at.line, guard.at.column, negate};
      mutants.push_back(std::move(mutant));
    }
  }
  for (const std::string& guard : mapping.mutation.guards) {
    for (const bool negate : {false, true}) {
      const std::string& key = negate ? mapping.mutation.negate_key : mapping.mutation.delete_key;
      mutants.push_back(
          {"implementation", guard, negate, {{{key, '"' + guard + '"'}}, {}, std::nullopt}});
    }
  }
  return mutants;
}

MutantOutcome try_mutant(const Mapping& mapping, const Mutant& mutant, const MutationBudget& budget,
                         std::uint64_t seed, const SystemRegistry& systems) {
  const auto start = std::chrono::steady_clock::now();
  MutantOutcome outcome;
  WorkflowCounters all;
  for (const Variant& variant : variants_of(mapping, mutant.variant)) {
    Conformance conformance(mapping, variant, seed, systems);
    try {
      const auto finding = conformance.conform(budget.rounds, budget.depth, budget.limits);
      all.add(conformance.counters());
      if (!finding) continue;
      outcome.is_detected = true;
      outcome.how = fmt::format("{} at step {} of trace {}", to_string(finding->violation.type),
                                finding->violation.step, all.traces);
    } catch (const tla::EvaluationError& error) {
      outcome.is_detected = true;
      outcome.how = fmt::format("error: {}", error.what());
    }
    break;
  }
  if (!outcome.is_detected) {
    outcome.how = fmt::format("not noticed in {} traces of {} steps in all", all.traces, all.steps);
    const std::vector<std::string> left = gaps(all, budget.limits);
    if (!left.empty()) outcome.how += fmt::format(" ({})", fmt::join(left, "; "));
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace dissensus::conform
