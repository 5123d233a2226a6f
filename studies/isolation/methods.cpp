#include "methods.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "isolate/candidate_counts.h"
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
         (literal.symptom.empty() ? notation(space, literal.candidate) : literal.symptom);
}
}  // namespace

Clusters by_causes(const RunTable& training, const RunTable& held_out,
                   const CauseOptions& options) {
  const Separation separation = separate(training, options);
  Clusters result;
  result.count = separation.causes.size();
  result.of_training = assign(training, separation);
  result.of_held_out = assign(held_out, separation);
  result.predicates = separation.made.size();
  result.text =
      fmt::format("{} predicates, {} compared\n", separation.features, separation.compared);
  for (const Division& division : separation.made) {
    result.text +=
        fmt::format("  divided {} | {}, explains {:.2f} ({:.2f} within, {} witnesses): {}\n",
                    division.holds, division.rest, division.explained, division.within,
                    division.witnesses, literal_text(training.space(), division.literal));
  }
  if (separation.next) {
    const Division& division = *separation.next;
    result.text += fmt::format(
        "  not divided {} | {}, would explain {:.2f} ({:.2f} within, {} witnesses): {}\n",
        division.holds, division.rest, division.explained, division.within, division.witnesses,
        literal_text(training.space(), division.literal));
  }
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

}  // namespace dissensus::study
