#include "hunt/item.h"

namespace dissensus::hunt {

Evaluation to_evaluation(const ItemRecord& item) {
  Evaluation evaluation;
  evaluation.objectives = item.objectives;
  evaluation.failed = item.outcome == oracle::Outcome::fail;
  evaluation.unknown = item.outcome == oracle::Outcome::unknown;
  evaluation.violations = item.violations;
  evaluation.signature = item.signature;
  evaluation.new_states = item.new_states.size();
  evaluation.virtual_seconds = static_cast<double>(item.virtual_time.count()) / 1e6;
  evaluation.disagreement_margin = item.disagreement_margin;
  evaluation.termination_margin = item.termination_margin;
  return evaluation;
}

}  // namespace dissensus::hunt
