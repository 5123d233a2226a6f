#include "isolate/features.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "dissensus/digest.h"

#include "isolate/candidate_counts.h"
#include "isolate/run_evaluator.h"
#include "isolate/signs.h"
#include "isolate/statistics.h"

namespace dissensus::isolate {

std::size_t RunSet::size() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

std::size_t RunSet::common(const RunSet& other) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < words_.size(); ++i)
    count += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
  return count;
}

RunSet RunSet::operator&(const RunSet& other) const {
  RunSet result = *this;
  for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] &= other.words_[i];
  return result;
}

RunSet RunSet::operator|(const RunSet& other) const {
  RunSet result = *this;
  for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] |= other.words_[i];
  return result;
}

RunSet RunSet::without(const RunSet& other) const {
  RunSet result = *this;
  for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] &= ~other.words_[i];
  return result;
}

namespace {

constexpr std::uint8_t kFailingRun = 0;
constexpr std::uint8_t kSuccessfulRun = 1;

/// A predicate that tells why a run fails holds in few successful runs: at most this share of the
/// share of failing ones. Others vary with the schedule, whatever the cause.
constexpr double kSuccessfulMax = 0.05;
/// Predicates have one say together; so have how runs fail, on what the first two different
/// decisions were made, on what all were, and the other signs.
constexpr double kWeight = 1;

constexpr double kRareChanceMax = 0.05;
constexpr double kUniversalMin = 0.9;
/// So many of these are enough to say what came first.
constexpr std::size_t kUniversalMax = 500;

struct Selected {
  Candidate candidate;
  std::size_t successful = 0;
  double weight = 0;
  bool is_universal = false;
};

/// A predicate that is seen in few failing runs, and in no successful one: the probability that
/// this is chance.
double chance_of_none(const Counts& both) {
  if (both.successful_true > 0) return 1;
  double chance = 1;
  const std::size_t runs = both.failing_observed + both.successful_observed;
  for (std::size_t i = 0; i < both.failing_true; ++i) {
    chance *= static_cast<double>(both.failing_observed - i) / static_cast<double>(runs - i);
  }
  return chance;
}

/// Candidates that next to all failing runs have, and next to no successful one.
bool is_universal(const Counts& both) {
  return static_cast<double>(both.failing_true) >=
             kUniversalMin * static_cast<double>(both.failing_observed) &&
         static_cast<double>(both.successful_true) <=
             kSuccessfulMax * static_cast<double>(both.successful_observed);
}

/// Candidates that some, not all, failing runs have, and that are likelier in failing runs.
bool is_telling(const Counts& both, std::size_t support_min, double& weight) {
  if (both.failing_true < support_min) return false;
  if (both.failing_observed - both.failing_true < support_min) return false;
  const double in_failing =
      static_cast<double>(both.failing_true) / static_cast<double>(both.failing_observed);
  const double in_successful = both.successful_observed == 0
                                   ? 0
                                   : static_cast<double>(both.successful_true) /
                                         static_cast<double>(both.successful_observed);
  weight = 1 - in_successful / in_failing;
  if (in_successful > kSuccessfulMax * in_failing) return false;
  return increase_interval(both, kZ95).low > 0 || chance_of_none(both) <= kRareChanceMax;
}

std::vector<Selected> select(const RunTable& table, const FeatureOptions& options) {
  std::vector<std::uint8_t> classes;
  for (const RunSummary& run : table.runs())
    classes.push_back(run.failing ? kFailingRun : kSuccessfulRun);
  const CandidateCounts counts(table, classes, 2, options.jobs, options.keep_going);
  std::vector<Selected> result;
  std::size_t universal = 0;
  counts.for_each([&](const Candidate& candidate) {
    Counts both;
    both.failing_true = counts.holds(kFailingRun, candidate);
    both.successful_true = counts.holds(kSuccessfulRun, candidate);
    both.failing_observed = counts.runs(kFailingRun);
    both.successful_observed = counts.runs(kSuccessfulRun);
    double weight = 0;
    if (is_telling(both, options.support_min, weight))
      result.push_back({candidate, both.successful_true, weight, false});
    if (is_universal(both) && universal < kUniversalMax) {
      result.push_back({candidate, both.successful_true, 1, true});
      ++universal;
    }
  });
  return result;
}

Digest digest_of(const RunSet& runs, std::string_view family) {
  DigestBuilder builder;
  builder.add(family);
  for (const std::uint64_t word : runs.words()) builder.add(word);
  return builder.finish();
}

/// What a predicate is about: the kinds of a pair, or a trait of a kind. Families differ in size by
/// orders of magnitude; each has one say.
std::string family_of(const PredicateSpace& space, const Candidate& candidate) {
  const BasePredicate base = space.describe(candidate.base);
  const std::vector<Kind>& kinds = space.schema().kinds;
  if (base.is_trait) return "trait of " + kinds[space.traits()[base.trait].kind].name;
  const KindPair& pair = space.pairs()[base.pair];
  return kinds[pair.left].name + " and " + kinds[pair.right].name;
}

/// All of one family have one say together, and all families the given weight.
void balance(std::span<Feature> list, double weight) {
  std::map<std::string, std::size_t> sizes;
  for (const Feature& feature : list) ++sizes[feature.family];
  for (Feature& feature : list) {
    feature.weight *=
        weight / static_cast<double>(sizes[feature.family]) / static_cast<double>(sizes.size());
  }
}

struct DigestHash {
  std::size_t operator()(const Digest& digest) const { return digest.low; }
};

/// Whether what the sign speaks of is how some failing runs fail first: a violation, or the level
/// of one. Other violations and conflicts follow from those and tell how far a run went on.
bool comes_first(const Sign& sign, std::span<const Feature> ways) {
  if (sign.of.empty() || ways.empty()) return true;
  return std::any_of(ways.begin(), ways.end(), [&](const Feature& way) {
    return sign.of == way.sign.of || way.sign.of.ends_with("/" + sign.of);
  });
}

std::string witness_of(const Sign& sign) {
  for (const std::string_view about : {kFirstConflict, kEvidence}) {
    if (sign.about.starts_with(about)) return std::string(about);
  }
  return sign.about.starts_with(kIntervention) ? sign.about : std::string(kWayOfFailing);
}

/// Signs that some, not all, failing runs show. How a run fails needs no other test; what is also
/// seen in successful runs is left out, as it is of predicates, except on what nodes decide: a bug
/// that lets them decide on too little does not always do harm.
void add_signs(const RunTable& table, const FeatureOptions& options, Features& features) {
  const std::size_t failing = features.failing.size();
  std::vector<RunSet> runs(table.signs().size(), RunSet(failing));
  std::vector<std::size_t> successful(table.signs().size());
  for (std::size_t i = 0; i < failing; ++i) {
    for (const std::uint32_t sign : table.runs()[features.failing[i]].signs) runs[sign].add(i);
  }
  for (const RunSummary& run : table.runs()) {
    if (run.failing) continue;
    for (const std::uint32_t sign : run.signs) ++successful[sign];
  }
  std::vector<Feature> every;
  std::vector<Feature> ways;
  for (std::size_t sign = 0; sign < runs.size(); ++sign) {
    Feature feature;
    feature.sign = table.signs()[sign];
    feature.runs = std::move(runs[sign]);
    feature.successful = successful[sign];
    feature.family = feature.sign.about;
    feature.witness = witness_of(feature.sign);
    const std::size_t holds = feature.runs.size();
    if (holds < options.support_min) continue;
    if (feature.is_way_of_failing()) {
      ways.push_back(std::move(feature));
    } else {
      every.push_back(std::move(feature));
    }
  }
  std::vector<Feature> symptoms;
  std::vector<Feature> first_conflicts;
  std::vector<Feature> evidence;
  std::vector<Feature> interventions;
  for (Feature& feature : every) {
    const bool counts = comes_first(feature.sign, ways);
    const std::size_t holds = feature.runs.size();
    const Counts both{holds, feature.successful, failing, table.runs().size() - failing};
    if (is_telling(both, options.support_min, feature.weight)) {
      if (!counts) continue;
      const bool is_conflict = feature.family.starts_with(kFirstConflict);
      const bool is_answer = feature.family.starts_with(kIntervention);
      (is_conflict ? first_conflicts
       : is_answer ? interventions
                   : symptoms)
          .push_back(std::move(feature));
    } else if (feature.family.starts_with(kEvidence) && increase_interval(both, kZ95).low > 0) {
      if (counts && failing - holds >= options.support_min) evidence.push_back(feature);
      features.mechanisms.push_back(std::move(feature));
    }
  }
  std::erase_if(ways, [&](const Feature& way) { return way.runs.size() == failing; });
  features.significant +=
      symptoms.size() + first_conflicts.size() + evidence.size() + interventions.size();
  for (std::vector<Feature>* voice :
       {&symptoms, &first_conflicts, &evidence, &ways, &interventions}) {
    balance(*voice, kWeight);
    features.list.insert(features.list.end(), voice->begin(), voice->end());
  }
}

}  // namespace

namespace {

/// In which part of each failing run predicates over pairs were first true.
void find_beginnings(const RunTable& table, const std::vector<std::size_t>& failing,
                     const KeepGoing& keep_going, std::vector<Feature>& list) {
  const PredicateSpace& space = table.space();
  const std::size_t parts = space.options().parts;
  if (parts < 2) return;
  std::vector<Feature*> known;
  for (Feature& feature : list) {
    if (space.describe(feature.candidate.base).is_trait) continue;
    feature.began.assign(failing.size(), static_cast<std::uint8_t>(parts - 1));
    known.push_back(&feature);
  }
  RunEvaluator evaluator(table);
  for (std::size_t i = 0; i < failing.size(); ++i) {
    stop_unless(keep_going);
    const RunSummary& run = table.runs()[failing[i]];
    const std::size_t nodes = run.profiles.size();
    RunSummary beginning;
    beginning.traits.assign(run.traits.size(), 0);
    for (std::size_t part = parts - 1; part-- > 0;) {
      const auto from = run.beginnings.begin() + static_cast<std::ptrdiff_t>(part * nodes);
      beginning.profiles.assign(from, from + static_cast<std::ptrdiff_t>(nodes));
      evaluator.evaluate(beginning);
      for (Feature* feature : known) {
        if (evaluator.is_true(feature->candidate))
          feature->began[i] = static_cast<std::uint8_t>(part);
      }
    }
  }
}

}  // namespace

Features collect_features(const RunTable& table, const FeatureOptions& options) {
  Features features;
  for (std::size_t run = 0; run < table.runs().size(); ++run) {
    if (table.runs()[run].failing) features.failing.push_back(run);
  }
  const std::vector<Selected> selected = select(table, options);
  for (const Selected& one : selected) features.significant += one.is_universal ? 0 : 1;
  std::vector<RunSet> sets(selected.size(), RunSet(features.failing.size()));
  RunEvaluator evaluator(table);
  for (std::size_t i = 0; i < features.failing.size(); ++i) {
    stop_unless(options.keep_going);
    evaluator.evaluate(table.runs()[features.failing[i]]);
    for (std::size_t k = 0; k < selected.size(); ++k) {
      if (evaluator.is_true(selected[k].candidate)) sets[k].add(i);
    }
  }
  // Of candidates of a family with the same failing runs the one that holds in the fewest
  // successful ones stays, and of equals the first, which asks for the least.
  std::unordered_map<Digest, std::size_t, DigestHash> known;
  for (std::size_t k = 0; k < selected.size(); ++k) {
    if (selected[k].is_universal) {
      features.universal.push_back(
          {selected[k].candidate, {}, sets[k], selected[k].successful, 1, 1, {}, {}, {}});
      continue;
    }
    std::string family = family_of(table.space(), selected[k].candidate);
    const auto [place, is_new] = known.emplace(digest_of(sets[k], family), features.list.size());
    if (is_new) {
      features.list.push_back({selected[k].candidate,
                               {},
                               sets[k],
                               selected[k].successful,
                               1,
                               selected[k].weight,
                               family,
                               family,
                               {}});
      continue;
    }
    Feature& other = features.list[place->second];
    ++other.equal;
    if (selected[k].successful >= other.successful) continue;
    other.candidate = selected[k].candidate;
    other.successful = selected[k].successful;
    other.weight = selected[k].weight;
  }
  if (features.list.size() > options.features_max) {
    // A sample that does not depend on the order of the space: by digest.
    std::vector<std::pair<Digest, std::size_t>> order;
    for (std::size_t i = 0; i < features.list.size(); ++i)
      order.emplace_back(digest_of(features.list[i].runs, features.list[i].family), i);
    std::sort(order.begin(), order.end());
    order.resize(options.features_max);
    std::vector<Feature> kept;
    for (const auto& [digest, index] : order) kept.push_back(std::move(features.list[index]));
    features.list = std::move(kept);
  }
  balance(std::span(features.list), kWeight);
  for (std::vector<Feature>* list : {&features.list, &features.universal})
    find_beginnings(table, features.failing, options.keep_going, *list);
  add_signs(table, options, features);
  return features;
}

}  // namespace dissensus::isolate
