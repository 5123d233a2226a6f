#include "isolate/causes.h"

#include <algorithm>

#include <fmt/format.h>

#include "isolate/candidate_counts.h"
#include "isolate/features.h"
#include "isolate/run_evaluator.h"

namespace dissensus::isolate {
namespace {

/// A division that leaves most of a group's differences as they were is none.
constexpr double kWithinMin = 0.3;
/// A predicate bears a division out if this much of its own differences is explained by it.
constexpr double kWitnessMin = 0.5;

std::size_t support_of(const CauseOptions& options, std::size_t failing) {
  if (options.support_min > 0) return options.support_min;
  return std::clamp<std::size_t>(failing * 3 / 100, 4, 20);
}

double spread(std::size_t holds, std::size_t runs) {
  if (runs == 0) return 0;
  const auto count = static_cast<double>(runs);
  return static_cast<double>(holds) * (count - static_cast<double>(holds)) / count;
}

/// A group of failing runs and the conditions that made it.
struct Group {
  RunSet runs;
  std::vector<Literal> rule;
};

struct Cut {
  std::size_t feature = 0;
  double within = 0;     ///< share of what differs within the group that the cut explains
  double explained = 0;  ///< share of what differs among all failing runs
  std::size_t witnesses = 0;
  std::size_t holds = 0;
  std::size_t rest = 0;
};

class Divider {
 public:
  Divider(const Features& features, const CauseOptions& options)
      : features_(features),
        support_(support_of(options, features.failing.size())),
        witnesses_min_(options.witnesses_min) {
    for (const Feature& feature : features.list) {
      whole_ += feature.weight * spread(feature.runs.size(), features.failing.size());
    }
  }

  /// The division after which the two sides differ least within themselves.
  std::optional<Cut> best_cut(const RunSet& group) const {
    const std::size_t size = group.size();
    if (size < 2 * support_) return std::nullopt;
    std::vector<const Feature*> varying;
    std::vector<std::size_t> holds;
    double total = 0;
    for (const Feature& feature : features_.list) {
      const std::size_t count = feature.runs.common(group);
      if (count == 0 || count == size) continue;
      varying.push_back(&feature);
      holds.push_back(count);
      total += feature.weight * spread(count, size);
    }
    std::optional<Cut> best;
    for (std::size_t i = 0; i < varying.size(); ++i) {
      const std::size_t rest = size - holds[i];
      if (holds[i] < support_ || rest < support_) continue;
      const RunSet inside = varying[i]->runs & group;
      double left = 0;
      std::size_t witnesses = 0;
      for (std::size_t k = 0; k < varying.size(); ++k) {
        const std::size_t common = varying[k]->runs.common(inside);
        const double still = spread(common, holds[i]) + spread(holds[k] - common, rest);
        left += varying[k]->weight * still;
        if (still > (1 - kWitnessMin) * spread(holds[k], size)) continue;
        // How runs fail was told by whoever judged them, and needs no other witness.
        witnesses += varying[k]->symptom.empty() ? varying[k]->equal : witnesses_min_;
      }
      const double within = 1 - left / total;
      if (best && within <= best->within) continue;
      best = Cut{static_cast<std::size_t>(varying[i] - features_.list.data()),
                 within,
                 (total - left) / whole_,
                 witnesses,
                 holds[i],
                 rest};
    }
    return best;
  }

  Literal literal_of(const Cut& cut, bool holds) const {
    const Feature& feature = features_.list[cut.feature];
    return {feature.candidate, feature.symptom, holds};
  }
  Division division_of(const Cut& cut) const {
    return {literal_of(cut, true), cut.explained, cut.within, cut.witnesses, cut.holds, cut.rest};
  }
  const RunSet& runs_of(const Cut& cut) const { return features_.list[cut.feature].runs; }

  /// The share of predicates in which two runs of the group agree, weighted.
  double likeness(const RunSet& group) const {
    const auto size = static_cast<double>(group.size());
    double differing = 0;
    double total = 0;
    for (const Feature& feature : features_.list) {
      total += feature.weight;
      differing += feature.weight * 2 * spread(feature.runs.common(group), group.size()) / size;
    }
    return total > 0 ? 1 - differing / total : 1;
  }

  /// The run, by its number among the failing ones, that differs least from the rest of the group.
  std::size_t middle_of(const RunSet& group) const {
    std::vector<double> distance(features_.failing.size());
    const auto size = static_cast<double>(group.size());
    for (const Feature& feature : features_.list) {
      const double share = static_cast<double>(feature.runs.common(group)) / size;
      for (std::size_t run = 0; run < distance.size(); ++run)
        distance[run] += feature.weight * (feature.runs.has(run) ? 1 - share : share);
    }
    std::size_t best = distance.size();
    for (std::size_t run = 0; run < distance.size(); ++run) {
      if (group.has(run) && (best == distance.size() || distance[run] < distance[best])) best = run;
    }
    return best;
  }

 private:
  const Features& features_;
  std::size_t support_;
  std::size_t witnesses_min_;
  double whole_ = 0;  ///< what differs among all failing runs
};

std::vector<Group> divide(const Divider& divider, std::size_t failing, const CauseOptions& options,
                          Separation& result) {
  RunSet all(failing);
  for (std::size_t run = 0; run < failing; ++run) all.add(run);
  std::vector<Group> open{{all, {}}};
  std::vector<Group> done;
  while (!open.empty()) {
    Group group = std::move(open.back());
    open.pop_back();
    const std::optional<Cut> cut = divider.best_cut(group.runs);
    const bool is_enough = open.size() + done.size() + 2 > options.causes_max;
    const bool pays = cut && cut->explained >= options.division_min && cut->within >= kWithinMin &&
                      cut->witnesses >= options.witnesses_min;
    if (!pays || is_enough) {
      if (cut && (!result.next || cut->within > result.next->within)) {
        result.next = divider.division_of(*cut);
      }
      done.push_back(std::move(group));
      continue;
    }
    result.made.push_back(divider.division_of(*cut));
    Group inside{group.runs & divider.runs_of(*cut), group.rule};
    Group outside{group.runs.without(divider.runs_of(*cut)), group.rule};
    inside.rule.push_back(divider.literal_of(*cut, true));
    outside.rule.push_back(divider.literal_of(*cut, false));
    open.push_back(std::move(outside));
    open.push_back(std::move(inside));
  }
  std::stable_sort(done.begin(), done.end(),
                   [](const Group& a, const Group& b) { return a.runs.size() > b.runs.size(); });
  return done;
}

/// What keeps the number of causes from being sure.
std::string doubt_of(const Separation& result, const CauseOptions& options) {
  if (result.features < options.witnesses_min) {
    return fmt::format(
        "only {} predicates tell failing runs apart: too few to say how many causes there are",
        result.compared);
  }
  if (!result.next || result.next->within < kWithinMin / 2) return {};
  return fmt::format(
      "one group may be two, of {} and {} runs: that would explain {:.0f} % of its differences, "
      "with {} predicates",
      result.next->holds, result.next->rest, 100 * result.next->within, result.next->witnesses);
}

bool fits(const std::vector<Literal>& rule, const RunSummary& run, const RunEvaluator& evaluator) {
  return std::all_of(rule.begin(), rule.end(), [&](const Literal& literal) {
    const bool truth = literal.symptom.empty() ? evaluator.is_true(literal.candidate)
                                               : run.symptom == literal.symptom;
    return truth == literal.holds;
  });
}

}  // namespace

Separation separate(const RunTable& table, const CauseOptions& options) {
  Separation result;
  const FeatureOptions wanted{support_of(options, table.failing()), options.features_max,
                              options.jobs};
  const Features features = collect_features(table, wanted);
  result.features = features.significant;
  result.compared = features.list.size();
  const Divider divider(features, options);
  for (Group& group : divide(divider, features.failing.size(), options, result)) {
    Cause& cause = result.causes.emplace_back();
    cause.rule = std::move(group.rule);
    for (std::size_t run = 0; run < features.failing.size(); ++run) {
      if (group.runs.has(run)) cause.runs.push_back(features.failing[run]);
    }
    cause.alike = divider.likeness(group.runs);
    cause.representative = features.failing[divider.middle_of(group.runs)];
  }
  result.doubt = doubt_of(result, options);
  return result;
}

std::vector<std::size_t> assign(const RunTable& table, const Separation& separation) {
  std::vector<std::size_t> result(table.runs().size(), separation.causes.size());
  RunEvaluator evaluator(table);
  for (std::size_t run = 0; run < result.size(); ++run) {
    const RunSummary& summary = table.runs()[run];
    if (!summary.failing) continue;
    evaluator.evaluate(summary);
    for (std::size_t cause = 0; cause < separation.causes.size(); ++cause) {
      if (!fits(separation.causes[cause].rule, summary, evaluator)) continue;
      result[run] = cause;
      break;
    }
  }
  return result;
}

}  // namespace dissensus::isolate
