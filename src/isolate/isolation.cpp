#include "isolate/isolation.h"

#include <algorithm>
#include <optional>

#include "dissensus/random.h"

#include "isolate/candidate_counts.h"
#include "isolate/relatives.h"
#include "isolate/run_evaluator.h"

namespace dissensus::isolate {
namespace {

constexpr std::uint8_t kFailing = 0;
constexpr std::uint8_t kSuccessful = 1;
/// Improved mode: so probable may it be that chance alone makes some candidate as good.
constexpr double kChanceMax = 0.05;

struct Choice {
  Candidate candidate;
  Counts counts;
  double importance = 0;
  std::size_t rivals = 0;
};

Counts counts_of(const CandidateCounts& counts, const Candidate& candidate, Mode mode) {
  Counts result;
  result.failing_true = counts.holds(kFailing, candidate);
  result.successful_true = counts.holds(kSuccessful, candidate);
  // The reference counts every predicate as observed in every run.
  const bool all = mode != Mode::paper;
  result.failing_observed = all ? counts.runs(kFailing) : counts.observed(kFailing, candidate.base);
  result.successful_observed =
      all ? counts.runs(kSuccessful) : counts.observed(kSuccessful, candidate.base);
  return result;
}

std::size_t support_min(const IsolationOptions& options, std::size_t failing) {
  if (options.mode != Mode::improved) return 0;
  if (options.support_min > 0) return options.support_min;
  return std::clamp<std::size_t>(failing / 10, 2, 5);
}

/// Of predicates that are equally important the simplest is taken, and of equally simple ones the
/// first, which asks for the fewest senders and nodes.
std::size_t complexity(const PredicateSpace& space, const Candidate& candidate) {
  const BasePredicate base = space.describe(candidate.base);
  return base.is_trait ? 2 : space.pairs()[base.pair].sets[base.set].size();
}

/// The state of an elimination: which runs are left.
class Elimination {
 public:
  Elimination(const RunTable& table, const std::vector<bool>& use, const IsolationOptions& options)
      : table_(table), options_(options), evaluator_(table) {
    for (std::size_t run = 0; run < table.runs().size(); ++run) {
      const std::uint8_t of_class = table.runs()[run].failing ? kFailing : kSuccessful;
      classes_.push_back(use[run] ? of_class : CandidateCounts::kSkip);
      failing_ += use[run] && table.runs()[run].failing ? 1 : 0;
    }
    left_ = failing_;
  }

  std::size_t left() const { return left_; }
  bool is_left(std::size_t run) const { return classes_[run] == kFailing; }

  std::optional<Choice> choose() const {
    const CandidateCounts counts(table_, classes_, 2, options_.jobs, options_.keep_going);
    const std::size_t support = support_min(options_, failing_);
    const double log_chance_max =
        portable_log(kChanceMax / static_cast<double>(table_.space().candidates()));
    std::size_t rivals = 0;
    std::optional<Choice> best;
    counts.for_each([&](const Candidate& candidate) {
      if (std::find(chosen_.begin(), chosen_.end(), candidate) != chosen_.end()) return;
      Choice choice{candidate, counts_of(counts, candidate, options_.mode), 0, 0};
      const double gain = increase(choice.counts);
      if (!(gain > 0) || choice.counts.failing_true < support) return;
      if (options_.mode == Mode::improved) {
        const double low = increase_interval(choice.counts, kZ95).low;
        if (!(low > 0) || log_chance(choice.counts) > log_chance_max) return;
        choice.importance = importance(low, choice.counts.failing_true, left_);
      } else {
        choice.importance = importance(gain, choice.counts.failing_true, left_);
      }
      ++rivals;
      if (!best || is_better(choice, *best)) best = choice;
    });
    if (best) best->rivals = rivals;
    return best;
  }

  /// Removes the runs that the choice explains, all or, given up, none; and gives back which of
  /// them fail.
  std::vector<std::size_t> remove(const Candidate& candidate) {
    std::vector<std::size_t> cluster;
    std::vector<std::uint8_t> classes = classes_;
    for (std::size_t run = 0; run < classes.size(); ++run) {
      if (classes[run] == CandidateCounts::kSkip) continue;
      // The paper removes all runs in which the predicate holds, the reference failing ones.
      if (classes[run] == kSuccessful && options_.mode != Mode::paper) continue;
      stop_unless(options_.keep_going);
      evaluator_.evaluate(table_.runs()[run]);
      if (!evaluator_.is_true(candidate)) continue;
      if (classes[run] == kFailing) cluster.push_back(run);
      classes[run] = CandidateCounts::kSkip;
    }
    classes_ = std::move(classes);
    chosen_.push_back(candidate);
    left_ -= cluster.size();
    return cluster;
  }

 private:
  bool is_better(const Choice& a, const Choice& b) const {
    if (a.importance != b.importance) return a.importance > b.importance;
    if (options_.mode != Mode::improved) return false;  // the first one stays
    return complexity(table_.space(), a.candidate) < complexity(table_.space(), b.candidate);
  }

  const RunTable& table_;
  const IsolationOptions& options_;
  RunEvaluator evaluator_;
  std::vector<std::uint8_t> classes_;
  std::size_t failing_ = 0;
  std::size_t left_ = 0;
  std::vector<Candidate> chosen_;
};

bool wants_more(const Elimination& elimination, std::size_t found,
                const IsolationOptions& options) {
  if (elimination.left() == 0) return false;
  return options.mode != Mode::improved || found < options.predicates_max;
}

void fill_extent(const RunTable& table, const KeepGoing& keep_going, Finding& finding) {
  RunEvaluator evaluator(table);
  for (std::size_t run = 0; run < table.runs().size(); ++run) {
    stop_unless(keep_going);
    evaluator.evaluate(table.runs()[run]);
    if (!evaluator.is_true(finding.candidate)) continue;
    (table.runs()[run].failing ? finding.failing : finding.successful).push_back(run);
  }
}

/// Reference: the paper's tables, where successful runs do not count.
void fill_scores(const RunTable& table, Mode mode, Finding& finding) {
  std::vector<bool> predicted(table.runs().size());
  if (mode == Mode::reference) {
    for (const std::size_t run : finding.cluster) predicted[run] = true;
  } else {
    for (const std::size_t run : finding.failing) predicted[run] = true;
    for (const std::size_t run : finding.successful) predicted[run] = true;
  }
  finding.scores.resize(table.space().schema().labels.size());
  for (std::size_t label = 0; label < finding.scores.size(); ++label) {
    Scores& scores = finding.scores[label];
    for (std::size_t run = 0; run < predicted.size(); ++run) {
      const bool actual = (table.runs()[run].labels >> label & 1) != 0;
      scores.true_positive += predicted[run] && actual ? 1 : 0;
      scores.false_positive += predicted[run] && !actual ? 1 : 0;
      scores.false_negative += !predicted[run] && actual ? 1 : 0;
    }
  }
}

}  // namespace

std::string_view to_string(Relative::Type type) {
  switch (type) {
    case Relative::Type::equivalent:
      return "equivalent";
    case Relative::Type::weaker:
      return "weaker";
    case Relative::Type::stronger:
      return "stronger";
    case Relative::Type::similar:
      break;
  }
  return "similar";
}

namespace {
/// Nothing where no predicate is good enough.
std::optional<Finding> next_finding(const RunTable& table, const IsolationOptions& options,
                                    Elimination& elimination) {
  const std::optional<Choice> choice = elimination.choose();
  if (!choice) return std::nullopt;
  Finding finding;
  finding.candidate = choice->candidate;
  finding.counts = choice->counts;
  finding.importance = choice->importance;
  finding.rivals = choice->rivals;
  finding.increase = increase(choice->counts);
  finding.increase_interval = increase_interval(choice->counts, kZ95);
  fill_extent(table, options.keep_going, finding);
  if (options.mode == Mode::improved) fill_relatives(table, options, finding);
  finding.cluster = elimination.remove(choice->candidate);
  fill_scores(table, options.mode, finding);
  return finding;
}
}  // namespace

IsolationResult isolate(const RunTable& table, const IsolationOptions& options) {
  IsolationResult result;
  result.mode = options.mode;
  result.base_predicates = table.space().base_predicates();
  result.candidates = table.space().candidates();
  Elimination elimination(table, std::vector<bool>(table.runs().size(), true), options);
  try {
    while (wants_more(elimination, result.findings.size(), options)) {
      std::optional<Finding> finding = next_finding(table, options, elimination);
      if (!finding) break;
      result.findings.push_back(std::move(*finding));
    }
  } catch (const Stopped&) {
    // What was found so far is true.
  }
  for (std::size_t run = 0; run < table.runs().size(); ++run) {
    if (elimination.is_left(run)) result.unexplained.push_back(run);
  }
  return result;
}

std::vector<Candidate> choose_predicates(const RunTable& table, const std::vector<bool>& use,
                                         const IsolationOptions& options) {
  std::vector<Candidate> result;
  Elimination elimination(table, use, options);
  while (wants_more(elimination, result.size(), options)) {
    const std::optional<Choice> choice = elimination.choose();
    if (!choice) break;
    result.push_back(choice->candidate);
    elimination.remove(choice->candidate);
  }
  return result;
}

}  // namespace dissensus::isolate
