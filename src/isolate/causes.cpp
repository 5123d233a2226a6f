#include "isolate/causes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "isolate/features.h"
#include "isolate/grouping.h"
#include "isolate/parallel_slices.h"
#include "isolate/reunion.h"
#include "isolate/run_evaluator.h"

namespace dissensus::isolate {
namespace {

/// Where runs show no signs, all that speaks is predicates. Their families are no independent
/// witnesses; instead so many times as much must be explained.
constexpr double kPredicatesAlone = 2;
/// With fewer features nothing can be said about the number of causes.
constexpr std::size_t kFeaturesMin = 8;
/// A cause comes back in a draw if one group there has this much in common with it.
constexpr double kReturnedMin = 0.7;
constexpr double kReturnsMin = 0.9;
/// A group of so many runs that comes back less often is none.
constexpr std::size_t kManyRuns = 10;
constexpr double kUnsteady = 0.65;
/// Of each failing run: how probably it is drawn.
constexpr double kDrawn = 0.8;
/// Draws look at so many features; which, follows from the features alone.
constexpr std::size_t kFeaturesPerDraw = 1000;
constexpr std::size_t kManyFailing = 400;
constexpr std::size_t kFeaturesLeast = 100;

/// Comparing all features with each other costs their square times the runs: with many failing runs
/// fewer are enough.
std::size_t features_for(std::size_t most, std::size_t failing) {
  if (failing <= kManyFailing) return most;
  const double share = static_cast<double>(kManyFailing) / static_cast<double>(failing);
  return std::max<std::size_t>(
      kFeaturesLeast, static_cast<std::size_t>(static_cast<double>(most) * std::sqrt(share)));
}

CauseOptions fitting(const CauseOptions& asked, const Features& features) {
  CauseOptions options = asked;
  const bool has_signs =
      std::any_of(features.list.begin(), features.list.end(),
                  [](const Feature& feature) { return !feature.sign.words.empty(); });
  if (!has_signs) {
    options.within_min *= kPredicatesAlone;
    options.witnesses_min = 1;
  }
  return options;
}

void sort_by_size(std::vector<Group>& groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.runs.size() > b.runs.size(); });
}

std::vector<Group> groups_of(const Features& features, const CauseOptions& options,
                             Separation& result) {
  if (features.significant < kFeaturesMin) {
    RunSet all(features.failing.size());
    for (std::size_t run = 0; run < features.failing.size(); ++run) all.add(run);
    return {Group{all, {{}}}};
  }
  std::vector<Group> groups = group_runs(features, options, result);
  reunite(features, groups);
  sort_by_size(groups);
  return groups;
}

/// The features of a part of the failing runs. Without repetition: a run that is there three times
/// would be a group of its own.
class Draw {
 public:
  Draw(const Features& features, const CauseOptions& options, std::size_t number) {
    Random random(options.seed, "isolate-draws", number);
    for (std::size_t run = 0; run < features.failing.size(); ++run) {
      if (random.chance(kDrawn)) drawn_.push_back(run);
    }
    for (const std::size_t run : drawn_) features_.failing.push_back(features.failing[run]);
    features_.significant = features.significant;
    const std::size_t most = features_for(kFeaturesPerDraw, features.failing.size());
    const std::size_t step = (features.list.size() + most - 1) / most;
    for (std::size_t i = 0; i < features.list.size(); i += std::max<std::size_t>(1, step))
      add(features.list[i], features_.list);
    for (const Feature& feature : features.mechanisms) add(feature, features_.mechanisms);
    for (const Feature& feature : features.universal) add(feature, features_.universal);
  }

  const Features& features() const { return features_; }
  /// A set of failing runs among those drawn.
  RunSet drawn_of(const RunSet& runs) const {
    RunSet result(drawn_.size());
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      if (runs.has(drawn_[i])) result.add(i);
    }
    return result;
  }

 private:
  void add(const Feature& feature, std::vector<Feature>& list) {
    Feature& drawn = list.emplace_back(feature);
    drawn.runs = drawn_of(feature.runs);
    if (feature.began.empty()) return;
    drawn.began.clear();
    for (const std::size_t run : drawn_) drawn.began.push_back(feature.began[run]);
  }

  std::vector<std::size_t> drawn_;
  Features features_;
};

double in_common(const RunSet& one, const RunSet& other) {
  const std::size_t all = (one | other).size();
  return all == 0 ? 0 : static_cast<double>(one.common(other)) / static_cast<double>(all);
}

/// What draws say of groups.
struct Steadiness {
  std::vector<double> returns;      ///< by group: share of the draws in which it came back
  std::vector<std::size_t> counts;  ///< groups per draw, ascending
};

Steadiness bootstrap(const Features& features, const CauseOptions& options,
                     const std::vector<Group>& groups) {
  struct Answer {
    std::size_t count = 0;
    std::vector<bool> asked;
    std::vector<bool> returned;
  };
  std::vector<Answer> answers(options.draws);
  for_each_slice(options.draws, options.jobs, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t number = begin; number < end; ++number) {
      const Draw draw(features, options, number);
      Separation ignored;
      const std::vector<Group> drawn = groups_of(draw.features(), options, ignored);
      Answer& answer = answers[number];
      answer.count = drawn.size();
      for (const Group& group : groups) {
        const RunSet runs = draw.drawn_of(group.runs);
        answer.asked.push_back(runs.size() >= options.support_min);
        answer.returned.push_back(std::any_of(drawn.begin(), drawn.end(), [&](const Group& one) {
          return in_common(one.runs, runs) >= kReturnedMin;
        }));
      }
    }
  });
  Steadiness result;
  for (const Answer& answer : answers) result.counts.push_back(answer.count);
  std::sort(result.counts.begin(), result.counts.end());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t asked = 0;
    std::size_t returned = 0;
    for (const Answer& answer : answers) {
      asked += answer.asked[i] ? 1 : 0;
      returned += answer.asked[i] && answer.returned[i] ? 1 : 0;
    }
    result.returns.push_back(
        asked == 0 ? 0 : static_cast<double>(returned) / static_cast<double>(asked));
  }
  return result;
}

/// The group that is nearest to one of them.
std::size_t nearest_to(const Divider& divider, const std::vector<Group>& groups, std::size_t one) {
  std::size_t nearest = one == 0 ? 1 : 0;
  const auto distance = [&](std::size_t other) {
    return divider.distance(groups[one].runs, groups[other].runs);
  };
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (k != one && distance(k) < distance(nearest)) nearest = k;
  }
  return nearest;
}

/// A group that most draws do not have, although they have enough of its runs, becomes part of the
/// nearest other one if draws have both together. Says whether there was one.
bool unite_unsteady(const Features& features, const CauseOptions& options, Steadiness& steadiness,
                    std::vector<Group>& groups) {
  const Divider divider(features, options);
  for (std::size_t i = 0; i < groups.size() && groups.size() > 1; ++i) {
    if (groups[i].runs.size() < kManyRuns || steadiness.returns[i] >= kUnsteady) continue;
    const std::size_t nearest = nearest_to(divider, groups, i);
    const RunSet both = groups[i].runs | groups[nearest].runs;
    std::vector<Group> united = groups;
    unite(united, std::min(i, nearest), std::max(i, nearest), {});
    sort_by_size(united);
    Steadiness after = bootstrap(features, options, united);
    const auto place = std::find_if(united.begin(), united.end(),
                                    [&](const Group& group) { return group.runs == both; });
    if (after.returns[static_cast<std::size_t>(place - united.begin())] < kUnsteady) continue;
    groups = std::move(united);
    steadiness = std::move(after);
    return true;
  }
  return false;
}

void note_range(const Steadiness& steadiness, Separation& result) {
  for (std::size_t i = 0; i < result.causes.size(); ++i) {
    result.causes[i].returns = steadiness.returns[i];
    result.causes_low += steadiness.returns[i] >= kReturnsMin ? 1 : 0;
  }
  const std::vector<std::size_t>& counts = steadiness.counts;
  result.causes_low = std::max<std::size_t>(1, result.causes_low);
  result.causes_high = result.causes.size();
  if (!counts.empty()) {
    const std::size_t place = std::min(counts.size() * 9 / 10, counts.size() - 1);
    result.causes_high = std::max(result.causes_high, counts[place]);
  }
}

/// The best division that explains enough and was not made, because only one of its sides has
/// something of its own.
const Division* near_division(const Separation& result, const CauseOptions& options) {
  const auto near =
      std::find_if(result.rejected.begin(), result.rejected.end(), [&](const Division& division) {
        return division.within >= options.within_min &&
               division.families.size() >= options.witnesses_min;
      });
  return near == result.rejected.end() ? nullptr : &*near;
}

/// What keeps the number of causes from being sure.
std::string doubt_of(const Separation& result, const Division* near) {
  if (result.features < kFeaturesMin) {
    return fmt::format(
        "only {} predicates and signs tell failing runs apart: too few to say how many causes "
        "there are",
        result.compared);
  }
  if (result.causes_low == result.causes_high) return {};
  std::string doubt = fmt::format("there may be {} to {}", result.causes_low, result.causes_high);
  const auto steady =
      std::count_if(result.causes.begin(), result.causes.end(),
                    [](const Cause& cause) { return cause.returns >= kReturnsMin; });
  if (static_cast<std::size_t>(steady) < result.causes.size()) {
    doubt += fmt::format("; {} of {} come back in nine of ten draws of the failing runs", steady,
                         result.causes.size());
  }
  if (near != nullptr) {
    doubt += fmt::format(
        "; one group may be two, of {} and {} runs, of which only one has "
        "something of its own",
        near->holds, near->rest);
  }
  return doubt;
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
  const std::size_t most = features_for(asked.features_max, table.failing());
  const Features features =
      collect_features(table, {asked.support_min, most, asked.jobs, asked.keep_going});
  result.features = features.significant;
  result.compared = features.list.size();
  const CauseOptions options = fitting(asked, features);
  std::vector<Group> groups = groups_of(features, options, result);
  const Divider divider(features, options);
  Steadiness steadiness = bootstrap(features, options, groups);
  while (unite_unsteady(features, options, steadiness, groups)) {
  }
  simplify_rules(features, groups);
  for (const Group& group : groups) {
    Cause& cause = result.causes.emplace_back();
    cause.rules = group.rules;
    cause.shared = group.shared;
    for (std::size_t run = 0; run < features.failing.size(); ++run) {
      if (group.runs.has(run)) cause.runs.push_back(features.failing[run]);
    }
    cause.alike = divider.likeness(group.runs);
    cause.representative = features.failing[divider.middle_of(group.runs)];
  }
  note_range(steadiness, result);
  const Division* near = near_division(result, options);
  if (near != nullptr) result.causes_high = std::max(result.causes_high, result.causes.size() + 1);
  result.doubt = doubt_of(result, near);
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
