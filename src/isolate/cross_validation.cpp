#include "isolate/cross_validation.h"

#include <algorithm>
#include <numeric>

#include "dissensus/random.h"

#include "isolate/run_evaluator.h"

namespace dissensus::isolate {
namespace {

/// The fold of each run.
std::vector<std::size_t> draw_folds(const RunTable& table, const CrossValidationOptions& options) {
  std::vector<std::size_t> folds(table.runs().size());
  Random random(options.seed, "isolate-folds");
  for (const bool failing : {true, false}) {
    std::vector<std::size_t> runs;
    for (std::size_t run = 0; run < folds.size(); ++run) {
      if (table.runs()[run].failing == failing) runs.push_back(run);
    }
    for (std::size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[random.below(i)]);
    for (std::size_t i = 0; i < runs.size(); ++i) folds[runs[i]] = i % options.folds;
  }
  return folds;
}

/// Where each predicate holds.
std::vector<std::vector<bool>> extents(const RunTable& table,
                                       const std::vector<Candidate>& predicates,
                                       const KeepGoing& keep_going) {
  std::vector<std::vector<bool>> result(predicates.size(), std::vector<bool>(table.runs().size()));
  RunEvaluator evaluator(table);
  for (std::size_t run = 0; run < table.runs().size(); ++run) {
    stop_unless(keep_going);
    evaluator.evaluate(table.runs()[run]);
    for (std::size_t i = 0; i < predicates.size(); ++i)
      result[i][run] = evaluator.is_true(predicates[i]);
  }
  return result;
}

struct Fold {
  const RunTable& table;
  const std::vector<bool>& training;
  std::size_t label;

  bool has_label(std::size_t run) const { return (table.runs()[run].labels >> label & 1) != 0; }

  /// Adds up the runs that are, or are not, training runs.
  void score(const std::vector<bool>& predicted, bool on_training, Scores& scores) const {
    for (std::size_t run = 0; run < predicted.size(); ++run) {
      if (training[run] != on_training) continue;
      scores.true_positive += predicted[run] && has_label(run) ? 1 : 0;
      scores.false_positive += predicted[run] && !has_label(run) ? 1 : 0;
      scores.false_negative += !predicted[run] && has_label(run) ? 1 : 0;
    }
  }
};

void score_label(const Fold& fold, const std::vector<std::vector<bool>>& extents,
                 CrossValidation::Label& result) {
  std::vector<bool> best(fold.training.size());
  std::vector<bool> together(fold.training.size());
  double best_f1 = 0;
  for (const std::vector<bool>& extent : extents) {
    Scores training;
    fold.score(extent, true, training);
    if (training.f1() > best_f1) {
      best_f1 = training.f1();
      best = extent;
    }
    if (training.precision() > 0.5) {
      for (std::size_t run = 0; run < together.size(); ++run)
        together[run] = together[run] || extent[run];
    }
  }
  fold.score(best, false, result.single);
  fold.score(together, false, result.together);
}

}  // namespace

CrossValidation cross_validate(const RunTable& table, const IsolationOptions& isolation,
                               const CrossValidationOptions& options) {
  CrossValidation result;
  result.labels.resize(table.space().schema().labels.size());
  const std::vector<std::size_t> folds = draw_folds(table, options);
  for (std::size_t held_out = 0; held_out < options.folds; ++held_out) {
    std::vector<bool> training(folds.size());
    for (std::size_t run = 0; run < folds.size(); ++run) training[run] = folds[run] != held_out;
    const std::vector<Candidate> predicates = choose_predicates(table, training, isolation);
    result.predicates.push_back(predicates.size());
    const std::vector<std::vector<bool>> where = extents(table, predicates, isolation.keep_going);
    for (std::size_t label = 0; label < result.labels.size(); ++label)
      score_label({table, training, label}, where, result.labels[label]);
  }
  return result;
}

}  // namespace dissensus::isolate
