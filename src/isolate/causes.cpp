#include "isolate/causes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "isolate/candidate_counts.h"
#include "isolate/features.h"
#include "isolate/run_evaluator.h"

namespace dissensus::isolate {
namespace {

/// A family bears a division out if this much of the differences in one of its features is
/// explained by it.
constexpr double kWitnessMin = 0.5;
/// Where runs show no signs, all that speaks is predicates. Their families are no independent
/// witnesses; instead so many times as much must be explained.
constexpr double kPredicatesAlone = 2;
/// With fewer features nothing can be said about the number of causes.
constexpr std::size_t kFeaturesMin = 8;
/// Divisions of a group that are kept for who looks closer.
constexpr std::size_t kRejectedMax = 6;

std::size_t support_of(const CauseOptions& options, std::size_t failing) {
  if (options.support_min > 0) return options.support_min;
  return std::clamp<std::size_t>(failing * 5 / 100, 4, 20);
}

double spread(std::size_t holds, std::size_t runs) {
  if (runs == 0) return 0;
  const auto count = static_cast<double>(runs);
  return static_cast<double>(holds) * (count - static_cast<double>(holds)) / count;
}

/// A group of failing runs and the conditions that made it.
struct Group {
  RunSet runs;
  std::vector<std::vector<Literal>> rules;
  std::string shared = {};
};

struct Cut {
  std::size_t feature = 0;
  double within = 0;     ///< share of what differs within the group that the cut explains
  double explained = 0;  ///< share of what differs among all failing runs
  std::set<std::string> families;
  std::size_t holds = 0;
  std::size_t rest = 0;
};

class Divider {
 public:
  Divider(const Features& features, const CauseOptions& options)
      : features_(features), support_(support_of(options, features.failing.size())) {
    for (const Feature& feature : features.list) {
      whole_ += feature.weight * spread(feature.runs.size(), features.failing.size());
    }
  }

  /// All divisions of a group, that first after which the two sides differ least within themselves.
  std::vector<Cut> cuts(const RunSet& group) const {
    const std::size_t size = group.size();
    std::vector<Cut> result;
    if (size < 2 * support_) return result;
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
    for (std::size_t i = 0; i < varying.size(); ++i) {
      const std::size_t rest = size - holds[i];
      if (holds[i] < support_ || rest < support_) continue;
      const RunSet inside = varying[i]->runs & group;
      double left = 0;
      std::set<std::string> families;
      for (std::size_t k = 0; k < varying.size(); ++k) {
        const std::size_t common = varying[k]->runs.common(inside);
        const double still = spread(common, holds[i]) + spread(holds[k] - common, rest);
        left += varying[k]->weight * still;
        if (still <= (1 - kWitnessMin) * spread(holds[k], size))
          families.insert(varying[k]->family);
      }
      const double within = 1 - left / total;
      result.push_back(Cut{static_cast<std::size_t>(varying[i] - features_.list.data()), within,
                           (total - left) / whole_, std::move(families), holds[i], rest});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Cut& a, const Cut& b) { return a.within > b.within; });
    return result;
  }

  Literal literal_of(const Cut& cut, bool holds) const {
    const Feature& feature = features_.list[cut.feature];
    return {feature.candidate, feature.sign.words, holds};
  }
  Division division_of(const Cut& cut) const {
    return {literal_of(cut, true),
            cut.explained,
            cut.within,
            {cut.families.begin(), cut.families.end()},
            cut.holds,
            cut.rest};
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
  double whole_ = 0;  ///< what differs among all failing runs
};

std::vector<Group> divide(const Divider& divider, std::size_t failing, const CauseOptions& options,
                          Separation& result) {
  RunSet all(failing);
  for (std::size_t run = 0; run < failing; ++run) all.add(run);
  std::vector<Group> open{{all, {{}}}};
  std::vector<Group> done;
  while (!open.empty()) {
    Group group = std::move(open.back());
    open.pop_back();
    const std::vector<Cut> cuts = divider.cuts(group.runs);
    const auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const Cut& one) {
      return one.explained >= options.division_min && one.within >= options.within_min &&
             one.families.size() >= options.families_min;
    });
    const bool is_enough =
        open.size() + done.size() + 2 > options.causes_max || result.features < kFeaturesMin;
    if (cut == cuts.end() || is_enough) {
      for (std::size_t i = 0; i < std::min(cuts.size(), kRejectedMax); ++i)
        result.rejected.push_back(divider.division_of(cuts[i]));
      done.push_back(std::move(group));
      continue;
    }
    result.made.push_back(divider.division_of(*cut));
    Group inside{group.runs & divider.runs_of(*cut), group.rules};
    Group outside{group.runs.without(divider.runs_of(*cut)), group.rules};
    inside.rules.front().push_back(divider.literal_of(*cut, true));
    outside.rules.front().push_back(divider.literal_of(*cut, false));
    open.push_back(std::move(outside));
    open.push_back(std::move(inside));
  }
  return done;
}

/// One bug may show in two ways, an early fork and a late stall for example. Groups are one cause
/// after all if the nodes of both decided on the same too little evidence and those of other
/// failing runs did not. That it is also seen in successful runs is what tells it from a symptom:
/// no failing made it so.
class Reunion {
 public:
  Reunion(const Features& features, std::vector<Group>& groups)
      : features_(features), groups_(groups) {}

  void run() {
    while (unite_two()) {
    }
  }

 private:
  /// So much of each of the two groups must have it, and at most so much of all others.
  static constexpr double kShareMin = 0.8;
  static constexpr double kOthersMax = 0.15;

  static double share(const RunSet& of, const RunSet& mechanism) {
    return static_cast<double>(of.common(mechanism)) / static_cast<double>(of.size());
  }
  /// The words of what they share; empty: nothing.
  std::string shared_by(const Group& one, const Group& other) const {
    RunSet rest(features_.failing.size());
    for (std::size_t run = 0; run < features_.failing.size(); ++run) {
      if (!one.runs.has(run) && !other.runs.has(run)) rest.add(run);
    }
    if (rest.size() == 0) return {};
    for (const Feature& mechanism : features_.mechanisms) {
      if (share(one.runs, mechanism.runs) >= kShareMin &&
          share(other.runs, mechanism.runs) >= kShareMin &&
          share(rest, mechanism.runs) <= kOthersMax) {
        return mechanism.sign.words;
      }
    }
    return {};
  }
  bool unite_two() {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (std::size_t k = i + 1; k < groups_.size(); ++k) {
        const std::string shared = shared_by(groups_[i], groups_[k]);
        if (shared.empty()) continue;
        Group& one = groups_[i];
        const Group& other = groups_[k];
        one.runs = one.runs | other.runs;
        one.rules.insert(one.rules.end(), other.rules.begin(), other.rules.end());
        one.shared = shared;
        groups_.erase(groups_.begin() + std::ptrdiff_t(k));
        return true;
      }
    }
    return false;
  }

  const Features& features_;
  std::vector<Group>& groups_;
};

/// What keeps the number of causes from being sure.
std::string doubt_of(const Separation& result, const CauseOptions& options) {
  if (result.features < kFeaturesMin) {
    return fmt::format(
        "only {} predicates and signs tell failing runs apart: too few to say how many causes "
        "there are",
        result.compared);
  }
  const auto near =
      std::find_if(result.rejected.begin(), result.rejected.end(), [&](const Division& division) {
        return division.explained >= options.division_min / 2 &&
               division.within >= options.within_min / 2 &&
               division.families.size() >= options.families_min;
      });
  if (near == result.rejected.end()) return {};
  return fmt::format(
      "one group may be two, of {} and {} runs: that would explain {:.0f} % of its differences",
      near->holds, near->rest, 100 * near->within);
}

bool holds_all(const std::vector<Literal>& rule, const RunTable& table, const RunSummary& run,
               const RunEvaluator& evaluator) {
  return std::all_of(rule.begin(), rule.end(), [&](const Literal& literal) {
    const bool truth = literal.sign.empty() ? evaluator.is_true(literal.candidate)
                                            : table.shows(run, literal.sign);
    return truth == literal.holds;
  });
}

bool fits(const Cause& cause, const RunTable& table, const RunSummary& run,
          const RunEvaluator& evaluator) {
  return std::any_of(cause.rules.begin(), cause.rules.end(), [&](const std::vector<Literal>& rule) {
    return holds_all(rule, table, run, evaluator);
  });
}

}  // namespace

Separation separate(const RunTable& table, const CauseOptions& asked) {
  Separation result;
  CauseOptions options = asked;
  const FeatureOptions wanted{support_of(options, table.failing()), options.features_max,
                              options.jobs};
  const Features features = collect_features(table, wanted);
  result.features = features.significant;
  result.compared = features.list.size();
  const bool has_signs =
      std::any_of(features.list.begin(), features.list.end(),
                  [](const Feature& feature) { return !feature.sign.words.empty(); });
  if (!has_signs) {
    options.division_min *= kPredicatesAlone;
    options.within_min *= kPredicatesAlone;
    options.families_min = 1;
  }
  const Divider divider(features, options);
  std::vector<Group> groups = divide(divider, features.failing.size(), options, result);
  Reunion(features, groups).run();
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.runs.size() > b.runs.size(); });
  for (Group& group : groups) {
    Cause& cause = result.causes.emplace_back();
    cause.rules = std::move(group.rules);
    cause.shared = std::move(group.shared);
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
      if (!fits(separation.causes[cause], table, summary, evaluator)) continue;
      result[run] = cause;
      break;
    }
  }
  return result;
}

}  // namespace dissensus::isolate
