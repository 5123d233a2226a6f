#include "tla/liveness/judge.h"

#include <fmt/format.h>

#include "core/assert.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kCasesMax = 4096;

bool is_true_of(const BehaviourGraph& graph, const Lasso& lasso, const Formula& formula) {
  return holds_on_lasso(formula, lasso.states.size(), lasso.loop,
                        [&](std::size_t step, std::uint32_t atom) {
                          return is_true(graph.letters[lasso.letters[step]], atom);
                        });
}

}  // namespace

LivenessVerdict judge_liveness(const BehaviourGraph& graph, const FormulaPtr& fairness,
                               const FormulaPtr& property, const FairCycleLimits& limits) {
  LivenessVerdict verdict;
  std::vector<Obligations> cases;
  if (!split_into_obligations(conjunction_of({negation_of(property), fairness}), kCasesMax,
                              cases)) {
    verdict.limit = fmt::format("the formula has more than {} cases", kCasesMax);
    return verdict;
  }
  for (const Obligations& obligations : cases) {
    FairCycleResult found = find_fair_cycle(graph, obligations, limits);
    if (!found.lasso) {
      if (verdict.limit.empty()) verdict.limit = found.limit;
      continue;
    }
    DISSENSUS_ASSERT(
        is_true_of(graph, *found.lasso, *fairness) && !is_true_of(graph, *found.lasso, *property),
        "judge_liveness : a counterexample is fair and violates the property");
    verdict.counterexample = std::move(found.lasso);
    verdict.limit.clear();
    return verdict;
  }
  return verdict;
}

Lasso without_stuttering(const Lasso& lasso) {
  std::vector<std::size_t> prefix, cycle;  // positions
  for (std::size_t i = 0; i < lasso.states.size(); ++i) {
    std::vector<std::size_t>& part = i < lasso.loop ? prefix : cycle;
    if (part.empty() || lasso.states[part.back()] != lasso.states[i]) part.push_back(i);
  }
  if (cycle.size() > 1 && lasso.states[cycle.back()] == lasso.states[cycle.front()]) {
    cycle.pop_back();
  }
  if (!prefix.empty() && lasso.states[prefix.back()] == lasso.states[cycle.front()]) {
    prefix.pop_back();
  }
  Lasso result;
  result.loop = prefix.size();
  prefix.insert(prefix.end(), cycle.begin(), cycle.end());
  for (const std::size_t i : prefix) {
    result.states.push_back(lasso.states[i]);
    result.letters.push_back(lasso.letters[i]);
  }
  return result;
}

}  // namespace dissensus::tla
