#include "methods.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "isolate/candidate_counts.h"
#include "isolate/features.h"
#include "isolate/predicate_text.h"
#include "isolate/run_evaluator.h"

namespace dissensus::study {

using namespace isolate;

bool StoredRuns::next(Run& run) {
  if (next_ == runs_.size()) return false;
  run = runs_[next_++];
  return true;
}

namespace {
std::string literal_text(const PredicateSpace& space, const Literal& literal) {
  return (literal.holds ? "" : "not ") +
         (literal.sign.empty() ? notation(space, literal.candidate) : literal.sign);
}
}  // namespace

std::string describe(const RunTable& table, const Separation& separation) {
  std::string text =
      fmt::format("{} predicates, {} compared\n", separation.features, separation.compared);
  const auto add = [&](std::string_view what, const std::vector<Division>& list) {
    for (const Division& division : list) {
      text +=
          fmt::format("  {} {} | {}, explains {:.2f}: {} [{}]\n", what, division.holds,
                      division.rest, division.within, literal_text(table.space(), division.literal),
                      fmt::join(division.families, "; "));
    }
  };
  add("divided", separation.made);
  for (const Cause& cause : separation.causes) {
    text += fmt::format("  cause of {} runs, comes back in {:.0f} %: {}\n", cause.runs.size(),
                        100 * cause.returns, cause.shared);
  }
  add("not divided", separation.rejected);
  if (!separation.doubt.empty()) text += fmt::format("  in doubt: {}\n", separation.doubt);
  return text;
}

Clusters by_causes(const RunTable& training, const RunTable& held_out,
                   const CauseOptions& options) {
  const Separation separation = separate(training, options);
  Clusters result;
  result.count = separation.causes.size();
  result.of_training = assign(training, separation);
  result.of_held_out = assign(held_out, separation);
  result.predicates = separation.made.size();
  result.text = describe(training, separation);
  return result;
}

namespace {
std::vector<std::size_t> first_that_holds(const RunTable& table,
                                          const std::vector<Candidate>& list) {
  std::vector<std::size_t> result;
  RunEvaluator evaluator(table);
  for (const RunSummary& run : table.runs()) {
    evaluator.evaluate(run);
    std::size_t index = 0;
    while (index < list.size() && !evaluator.is_true(list[index])) ++index;
    result.push_back(index);
  }
  return result;
}
}  // namespace

Clusters by_elimination(const RunTable& training, const RunTable& held_out, Mode mode) {
  IsolationOptions options;
  options.mode = mode;
  const std::vector<Candidate> list =
      choose_predicates(training, std::vector<bool>(training.runs().size(), true), options);
  Clusters result;
  result.of_training = first_that_holds(training, list);
  result.of_held_out = first_that_holds(held_out, list);
  result.count = list.size();
  result.predicates = list.size();
  for (const Candidate& candidate : list)
    result.text += fmt::format("  {}\n", notation(training.space(), candidate));
  return result;
}

namespace {

constexpr std::size_t kDepthMax = 6;
constexpr std::size_t kLeafMin = 4;

class Tree {
 public:
  explicit Tree(const RunTable& table) : table_(table) {
    std::vector<std::uint8_t> classes;
    for (const RunSummary& run : table.runs()) classes.push_back(run.failing ? 0 : 1);
    grow(classes, 0);
  }
  std::vector<std::size_t> leaves_of(const RunTable& table) const {
    std::vector<std::size_t> result;
    RunEvaluator evaluator(table);
    for (const RunSummary& run : table.runs()) {
      evaluator.evaluate(run);
      std::size_t node = 0;
      while (nodes_[node].condition) {
        node =
            evaluator.is_true(*nodes_[node].condition) ? nodes_[node].inside : nodes_[node].outside;
      }
      result.push_back(node);
    }
    return result;
  }
  std::size_t inner_nodes() const { return nodes_.size() / 2; }

 private:
  struct TreeNode {
    std::optional<Candidate> condition;
    std::size_t inside = 0;
    std::size_t outside = 0;
  };
  static double gini(double failing, double successful) {
    const double all = failing + successful;
    return all == 0 ? 0 : 2 * failing * successful / all;
  }

  std::size_t grow(const std::vector<std::uint8_t>& classes, std::size_t depth) {
    const std::size_t self = nodes_.size();
    nodes_.emplace_back();
    const CandidateCounts counts(table_, classes, 2, 1);
    const auto failing = static_cast<double>(counts.runs(0));
    const auto successful = static_cast<double>(counts.runs(1));
    std::optional<Candidate> best;
    double impurity = gini(failing, successful) - 1e-9;
    if (depth < kDepthMax && impurity > 0) {
      counts.for_each([&](const Candidate& candidate) {
        const std::size_t both = counts.holds(0, candidate) + counts.holds(1, candidate);
        if (both < kLeafMin || counts.runs(0) + counts.runs(1) - both < kLeafMin) return;
        const auto f = static_cast<double>(counts.holds(0, candidate));
        const auto s = static_cast<double>(counts.holds(1, candidate));
        const double left = gini(f, s) + gini(failing - f, successful - s);
        if (left >= impurity) return;
        impurity = left;
        best = candidate;
      });
    }
    if (!best) return self;
    std::vector<std::uint8_t> inside = classes;
    std::vector<std::uint8_t> outside = classes;
    RunEvaluator evaluator(table_);
    for (std::size_t run = 0; run < classes.size(); ++run) {
      if (classes[run] == CandidateCounts::kSkip) continue;
      evaluator.evaluate(table_.runs()[run]);
      (evaluator.is_true(*best) ? outside : inside)[run] = CandidateCounts::kSkip;
    }
    nodes_[self].condition = best;
    const std::size_t in = grow(inside, depth + 1);
    nodes_[self].inside = in;
    const std::size_t out = grow(outside, depth + 1);
    nodes_[self].outside = out;
    return self;
  }

  const RunTable& table_;
  std::vector<TreeNode> nodes_;
};

}  // namespace

Clusters by_tree(const RunTable& training, const RunTable& held_out) {
  const Tree tree(training);
  Clusters result;
  result.of_training = tree.leaves_of(training);
  result.of_held_out = tree.leaves_of(held_out);
  result.predicates = tree.inner_nodes();
  std::vector<std::size_t> leaves;
  for (std::size_t run = 0; run < training.runs().size(); ++run) {
    if (training.runs()[run].failing) leaves.push_back(result.of_training[run]);
  }
  std::sort(leaves.begin(), leaves.end());
  result.count =
      static_cast<std::size_t>(std::unique(leaves.begin(), leaves.end()) - leaves.begin());
  return result;
}

namespace {

/// Grown on causes, over the features that `separate` compares.
class LabelTree {
 public:
  LabelTree(const RunTable& table, const std::vector<std::optional<std::size_t>>& causes)
      : features_(collect_features(table, {2, 20'000, 1})) {
    for (const std::size_t run : features_.failing) causes_.push_back(causes[run]);
    std::vector<std::size_t> all;
    for (std::size_t run = 0; run < causes_.size(); ++run) {
      if (causes_[run]) all.push_back(run);
    }
    grow(all, 0);
  }

  std::vector<std::size_t> causes_of(const RunTable& table) const {
    std::vector<std::size_t> result;
    RunEvaluator evaluator(table);
    for (const RunSummary& run : table.runs()) {
      evaluator.evaluate(run);
      std::size_t node = 0;
      while (nodes_[node].feature != nullptr) {
        const Feature& feature = *nodes_[node].feature;
        const bool holds = feature.sign.words.empty() ? evaluator.is_true(feature.candidate)
                                                      : table.shows(run, feature.sign.words);
        node = holds ? nodes_[node].inside : nodes_[node].outside;
      }
      result.push_back(nodes_[node].cause);
    }
    return result;
  }
  std::size_t inner_nodes() const { return nodes_.size() / 2; }

  /// The features that tell two causes apart best.
  std::string best_between(const RunTable& table, std::size_t one, std::size_t other) const {
    std::vector<std::pair<double, std::string>> list;
    for (const Feature& feature : features_.list) {
      double count[2] = {0, 0};
      double holds[2] = {0, 0};
      for (std::size_t run = 0; run < causes_.size(); ++run) {
        if (!causes_[run] || (*causes_[run] != one && *causes_[run] != other)) continue;
        const std::size_t side = *causes_[run] == one ? 0 : 1;
        count[side] += 1;
        holds[side] += feature.runs.has(run) ? 1 : 0;
      }
      if (count[0] == 0 || count[1] == 0) return {};
      const double difference = std::abs(holds[0] / count[0] - holds[1] / count[1]);
      list.emplace_back(-difference, fmt::format("    {:.2f} {:.2f} {}: {}\n", holds[0] / count[0],
                                                 holds[1] / count[1], feature.family,
                                                 feature.sign.words.empty()
                                                     ? notation(table.space(), feature.candidate)
                                                     : feature.sign.words));
    }
    std::stable_sort(list.begin(), list.end());
    std::string text = fmt::format("  causes {} and {}\n", one, other);
    for (std::size_t i = 0; i < list.size() && i < 14; ++i) text += list[i].second;
    return text;
  }

 private:
  struct LabelNode {
    const Feature* feature = nullptr;
    std::size_t cause = 0;
    std::size_t inside = 0;
    std::size_t outside = 0;
  };
  using Tally = std::map<std::size_t, std::size_t>;

  static double gini(const Tally& tally) {
    double size = 0;
    double squares = 0;
    for (const auto& [cause, count] : tally) {
      size += static_cast<double>(count);
      squares += static_cast<double>(count) * static_cast<double>(count);
    }
    return size == 0 ? 0 : size - squares / size;
  }

  std::size_t grow(const std::vector<std::size_t>& runs, std::size_t depth) {
    const std::size_t self = nodes_.size();
    nodes_.emplace_back();
    Tally tally;
    for (const std::size_t run : runs) ++tally[*causes_[run]];
    for (const auto& [cause, count] : tally) {
      if (count > tally[nodes_[self].cause]) nodes_[self].cause = cause;
    }
    const Feature* best = nullptr;
    double impurity = gini(tally) - 1e-9;
    if (depth >= kDepthMax || impurity <= 0) return self;
    for (const Feature& feature : features_.list) {
      Tally inside;
      Tally outside;
      for (const std::size_t run : runs)
        ++(feature.runs.has(run) ? inside : outside)[*causes_[run]];
      const double left = gini(inside) + gini(outside);
      if (inside.empty() || outside.empty() || left >= impurity) continue;
      impurity = left;
      best = &feature;
    }
    if (best == nullptr) return self;
    std::vector<std::size_t> inside;
    std::vector<std::size_t> outside;
    for (const std::size_t run : runs) (best->runs.has(run) ? inside : outside).push_back(run);
    nodes_[self].feature = best;
    const std::size_t in = grow(inside, depth + 1);
    nodes_[self].inside = in;
    const std::size_t out = grow(outside, depth + 1);
    nodes_[self].outside = out;
    return self;
  }

  Features features_;
  std::vector<std::optional<std::size_t>> causes_;  ///< by number among the failing runs
  std::vector<LabelNode> nodes_;
};

}  // namespace

Clusters by_labels(const RunTable& training, const RunTable& held_out,
                   const std::vector<std::optional<std::size_t>>& causes) {
  const LabelTree tree(training, causes);
  Clusters result;
  result.of_training = tree.causes_of(training);
  result.of_held_out = tree.causes_of(held_out);
  result.predicates = tree.inner_nodes();
  for (std::size_t one = 0; one < 5; ++one) {
    for (std::size_t other = one + 1; other < 5; ++other)
      result.text += tree.best_between(training, one, other);
  }
  std::vector<std::size_t> used = result.of_training;
  std::sort(used.begin(), used.end());
  result.count = static_cast<std::size_t>(std::unique(used.begin(), used.end()) - used.begin());
  return result;
}

}  // namespace dissensus::study
