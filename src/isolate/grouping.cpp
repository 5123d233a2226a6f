#include "isolate/grouping.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/assert.h"
#include "core/proportion.h"

namespace dissensus::isolate {
namespace {

/// A family bears a division out if this much of the differences in one of its features is
/// explained by it.
constexpr double kWitnessMin = 0.5;
/// Groups are two causes if so much of what differs is between them; if each has a feature that is
/// likelier there, by so much at the least; and one of them a second one of another witness, by so
/// much.
/// "At the least": the lower end of an interval of so many standard errors.
constexpr double kApartMin = 0.12;
constexpr double kTellingMin = 0.4;
constexpr double kConfirmedMin = 0.5;
/// What explains so much of all that differs needs no second witness.
constexpr double kClear = 0.5;
constexpr double kTellingErrors = 1.28;
/// A side of fewer runs says less.
constexpr double kFullSide = 4;
/// So many groups there are at most before some are put together again.
constexpr std::size_t kGroupsMax = 24;
/// Divisions of a group that are kept for who looks closer.
constexpr std::size_t kRejectedMax = 6;

/// How a feature is spread over two sides.
struct Contrast {
  double p = 0;  ///< share of the first side's runs that have it
  double q = 0;  ///< of the second one's
  double total = 0;
  double explained = 0;

  Contrast(std::size_t holds, std::size_t runs, std::size_t other_holds, std::size_t other_runs) {
    const auto a = static_cast<double>(runs);
    const auto b = static_cast<double>(other_runs);
    p = static_cast<double>(holds) / a;
    q = static_cast<double>(other_holds) / b;
    const double middle = (p + q) / 2;
    // Few runs differ from many by chance; that is taken off.
    const double chance = p * (1 - p) / std::max(1.0, a - 1) + q * (1 - q) / std::max(1.0, b - 1);
    total = middle * (1 - middle);
    explained = ((p - q) * (p - q) - chance) / 4;
  }
  bool is_witness() const { return explained >= kWitnessMin * total; }
};

double weight_of_size(const Cut& cut) {
  return std::min(1.0, static_cast<double>(std::min(cut.holds, cut.rest)) / kFullSide);
}

/// The lower end of the interval of p - q (Newcombe's method).
double low_difference(std::size_t holds, std::size_t runs, std::size_t other_holds,
                      std::size_t other_runs) {
  const double p = static_cast<double>(holds) / static_cast<double>(runs);
  const double q = static_cast<double>(other_holds) / static_cast<double>(other_runs);
  const double down = p - wilson_interval(holds, runs, kTellingErrors).low;
  const double up = wilson_interval(other_holds, other_runs, kTellingErrors).high - q;
  return p - q - std::sqrt(down * down + up * up);
}

}  // namespace

Divider::Divider(const Features& features, const CauseOptions& options)
    : features_(features), options_(options) {
  std::map<std::string, std::uint32_t> numbers;
  for (const Feature& feature : features.list) {
    const auto [place, is_new] =
        numbers.emplace(feature.witness, static_cast<std::uint32_t>(witnesses_.size()));
    if (is_new) witnesses_.push_back(feature.witness);
    witness_of_.push_back(place->second);
  }
}

std::vector<Cut> Divider::cuts(const RunSet& group) const {
  const std::size_t size = group.size();
  std::vector<Cut> result;
  if (size < 2 * options_.support_min) return result;
  std::vector<const Feature*> varying;
  std::vector<std::size_t> holds;
  for (const Feature& feature : features_.list) {
    const std::size_t count = feature.runs.common(group);
    if (count == 0 || count == size) continue;
    varying.push_back(&feature);
    holds.push_back(count);
  }
  for (std::size_t i = 0; i < varying.size(); ++i) {
    const std::size_t rest = size - holds[i];
    if (holds[i] < options_.support_min || rest < options_.support_min) continue;
    stop_unless(options_.keep_going);
    const RunSet inside = varying[i]->runs & group;
    double explained = 0;
    double total = 0;
    for (std::size_t k = 0; k < varying.size(); ++k) {
      const std::size_t common = varying[k]->runs.common(inside);
      const Contrast contrast(common, holds[i], holds[k] - common, rest);
      explained += varying[k]->weight * contrast.explained;
      total += varying[k]->weight * contrast.total;
    }
    result.push_back({static_cast<std::size_t>(varying[i] - features_.list.data()),
                      explained / total, holds[i], rest});
  }
  std::stable_sort(result.begin(), result.end(), [](const Cut& a, const Cut& b) {
    return a.within * weight_of_size(a) > b.within * weight_of_size(b);
  });
  return result;
}

std::vector<std::string> Divider::witnesses(const RunSet& group, const Cut& cut) const {
  const RunSet inside = group & runs_of(cut);
  const RunSet outside = group.without(runs_of(cut));
  std::vector<bool> bears(witnesses_.size());
  for (std::size_t i = 0; i < features_.list.size(); ++i) {
    const RunSet& runs = features_.list[i].runs;
    const Contrast contrast(runs.common(inside), cut.holds, runs.common(outside), cut.rest);
    if (contrast.total > 0 && contrast.is_witness()) bears[witness_of_[i]] = true;
  }
  std::vector<std::string> result;
  for (std::size_t family = 0; family < bears.size(); ++family) {
    if (bears[family]) result.push_back(witnesses_[family]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool Divider::differs_both_ways(const RunSet& one, const RunSet& other) const {
  bool forth = false;
  bool back = false;
  for (const Feature& feature : features_.list) {
    const Contrast contrast(feature.runs.common(one), one.size(), feature.runs.common(other),
                            other.size());
    if (contrast.total == 0 || !contrast.is_witness()) continue;
    (contrast.p > contrast.q ? forth : back) = true;
    if (forth && back) return true;
  }
  return false;
}

bool Divider::are_two(const RunSet& one, const RunSet& other) const {
  const double apart = distance(one, other);
  if (apart < kApartMin) return false;
  // Per witness the best of its features.
  std::vector<double> forth(witnesses_.size(), -1);
  std::vector<double> back(witnesses_.size(), -1);
  for (std::size_t i = 0; i < features_.list.size(); ++i) {
    const std::size_t x = features_.list[i].runs.common(one);
    const std::size_t y = features_.list[i].runs.common(other);
    double& more = forth[witness_of_[i]];
    double& less = back[witness_of_[i]];
    more = std::max(more, low_difference(x, one.size(), y, other.size()));
    less = std::max(less, low_difference(y, other.size(), x, one.size()));
  }
  std::sort(forth.rbegin(), forth.rend());
  std::sort(back.rbegin(), back.rend());
  if (forth.empty() || std::min(forth.front(), back.front()) < kTellingMin) return false;
  if (apart >= kClear) return true;
  return forth.size() > 1 && std::max(forth[1], back[1]) >= kConfirmedMin;
}

double Divider::distance(const RunSet& one, const RunSet& other) const {
  double explained = 0;
  double total = 0;
  for (const Feature& feature : features_.list) {
    const Contrast contrast(feature.runs.common(one), one.size(), feature.runs.common(other),
                            other.size());
    explained += feature.weight * contrast.explained;
    total += feature.weight * contrast.total;
  }
  return total > 0 ? explained / total : 0;
}

Literal Divider::literal_of(const Cut& cut, bool holds) const {
  const Feature& feature = features_.list[cut.feature];
  return {feature.candidate, feature.sign.words, holds};
}

Division Divider::division_of(const RunSet& group, const Cut& cut) const {
  return {literal_of(cut, true), cut.within, witnesses(group, cut), cut.holds, cut.rest};
}

double Divider::likeness(const RunSet& group) const {
  const auto size = static_cast<double>(group.size());
  double differing = 0;
  double total = 0;
  for (const Feature& feature : features_.list) {
    const double share = static_cast<double>(feature.runs.common(group)) / size;
    total += feature.weight;
    differing += feature.weight * 2 * share * (1 - share);
  }
  return total > 0 ? 1 - differing / total : 1;
}

std::size_t Divider::middle_of(const RunSet& group) const {
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

namespace {

/// Divides groups until nothing tells two sides of one apart.
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
      const RunSet& runs = divider.runs_of(one);
      return one.within >= options.within_min &&
             (one.within >= kClear ||
              divider.witnesses(group.runs, one).size() >= options.witnesses_min) &&
             divider.differs_both_ways(group.runs & runs, group.runs.without(runs));
    });
    if (cut == cuts.end() || open.size() + done.size() + 2 > kGroupsMax) {
      for (std::size_t i = 0; i < std::min(cuts.size(), kRejectedMax); ++i)
        result.rejected.push_back(divider.division_of(group.runs, cuts[i]));
      done.push_back(std::move(group));
      continue;
    }
    result.made.push_back(divider.division_of(group.runs, *cut));
    Group inside{group.runs & divider.runs_of(*cut), group.rules};
    Group outside{group.runs.without(divider.runs_of(*cut)), group.rules};
    inside.rules.front().push_back(divider.literal_of(*cut, true));
    outside.rules.front().push_back(divider.literal_of(*cut, false));
    open.push_back(std::move(outside));
    open.push_back(std::move(inside));
  }
  return done;
}

/// The nearest two groups that are not surely two causes become one, again and again.
void unite_alike(const Divider& divider, std::vector<Group>& groups) {
  for (;;) {
    double nearest = 0;
    std::size_t one = groups.size();
    std::size_t other = groups.size();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t k = i + 1; k < groups.size(); ++k) {
        const double distance = divider.distance(groups[i].runs, groups[k].runs);
        if (one < groups.size() && distance >= nearest) continue;
        if (divider.are_two(groups[i].runs, groups[k].runs)) continue;
        nearest = distance;
        one = i;
        other = k;
      }
    }
    if (one == groups.size()) return;
    unite(groups, one, other, {});
  }
}

}  // namespace

void unite(std::vector<Group>& groups, std::size_t one, std::size_t other,
           const std::string& shared) {
  Group& to = groups[one];
  const Group& from = groups[other];
  to.runs = to.runs | from.runs;
  to.rules.insert(to.rules.end(), from.rules.begin(), from.rules.end());
  if (!shared.empty()) to.shared = shared;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(other));
}

namespace {

class Simplification {
 public:
  Simplification(const Features& features, Group& group) : features_(features), group_(group) {}

  void run() {
    for (std::vector<Literal>& rule : group_.rules) {
      for (std::size_t i = rule.size(); i-- > 0;) {
        std::vector<Literal> shorter = rule;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
        if (runs_of(shorter).without(group_.runs).size() == 0) rule = std::move(shorter);
      }
    }
    for (std::size_t i = group_.rules.size(); i-- > 0;) {
      RunSet others(features_.failing.size());
      for (std::size_t k = 0; k < group_.rules.size(); ++k) {
        if (k != i) others = others | runs_of(group_.rules[k]);
      }
      if (group_.runs.without(others).size() == 0)
        group_.rules.erase(group_.rules.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

 private:
  const RunSet& runs_of(const Literal& literal) const {
    const auto found =
        std::find_if(features_.list.begin(), features_.list.end(), [&](const Feature& feature) {
          return literal.sign.empty()
                     ? feature.sign.words.empty() && feature.candidate == literal.candidate
                     : feature.sign.words == literal.sign;
        });
    DISSENSUS_ASSERT(found != features_.list.end(), "Simplification : a literal is of a feature");
    return found->runs;
  }
  RunSet runs_of(const std::vector<Literal>& rule) const {
    RunSet runs(features_.failing.size());
    for (std::size_t run = 0; run < features_.failing.size(); ++run) runs.add(run);
    for (const Literal& literal : rule)
      runs = literal.holds ? runs & runs_of(literal) : runs.without(runs_of(literal));
    return runs;
  }

  const Features& features_;
  Group& group_;
};

}  // namespace

void simplify_rules(const Features& features, std::vector<Group>& groups) {
  for (Group& group : groups) Simplification(features, group).run();
}

std::vector<Group> group_runs(const Features& features, const CauseOptions& options,
                              Separation& result) {
  const Divider divider(features, options);
  std::vector<Group> groups = divide(divider, features.failing.size(), options, result);
  unite_alike(divider, groups);
  return groups;
}

}  // namespace dissensus::isolate
