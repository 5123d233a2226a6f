#include "isolate/features.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "dissensus/digest.h"

#include "isolate/candidate_counts.h"
#include "isolate/run_evaluator.h"
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
/// How a run fails, where that is known, weighs as much as all predicates together.
constexpr double kSymptomShare = 1;

struct Selected {
  Candidate candidate;
  std::size_t successful = 0;
  double weight = 0;
};

/// Candidates that some, not all, failing runs have, and that are likelier in failing runs.
std::vector<Selected> select(const RunTable& table, const FeatureOptions& options) {
  std::vector<std::uint8_t> classes;
  for (const RunSummary& run : table.runs())
    classes.push_back(run.failing ? kFailingRun : kSuccessfulRun);
  const CandidateCounts counts(table, classes, 2, options.jobs);
  const auto failing = static_cast<double>(counts.runs(kFailingRun));
  const auto successful = static_cast<double>(counts.runs(kSuccessfulRun));
  std::vector<Selected> result;
  counts.for_each([&](const Candidate& candidate) {
    Counts both;
    both.failing_true = counts.holds(kFailingRun, candidate);
    both.successful_true = counts.holds(kSuccessfulRun, candidate);
    both.failing_observed = counts.runs(kFailingRun);
    both.successful_observed = counts.runs(kSuccessfulRun);
    if (both.failing_true < options.support_min) return;
    if (both.failing_observed - both.failing_true < options.support_min) return;
    const double in_failing = static_cast<double>(both.failing_true) / failing;
    const double in_successful =
        successful > 0 ? static_cast<double>(both.successful_true) / successful : 0;
    if (in_successful > kSuccessfulMax * in_failing) return;
    if (!(increase_interval(both, kZ95).low > 0)) return;
    result.push_back({candidate, both.successful_true, 1 - in_successful / in_failing});
  });
  return result;
}

Digest digest_of(const RunSet& runs) {
  DigestBuilder builder;
  for (const std::uint64_t word : runs.words()) builder.add(word);
  return builder.finish();
}

/// What a predicate is about: a pair of kinds, or a trait. Families differ in size by orders of
/// magnitude; each has one say.
std::size_t family_of(const PredicateSpace& space, const Candidate& candidate) {
  const BasePredicate base = space.describe(candidate.base);
  return base.is_trait ? space.pairs().size() + base.trait : base.pair;
}

void balance(const PredicateSpace& space, std::vector<Feature>& list) {
  std::map<std::size_t, std::size_t> sizes;
  for (const Feature& feature : list) ++sizes[family_of(space, feature.candidate)];
  for (Feature& feature : list)
    feature.weight /= static_cast<double>(sizes[family_of(space, feature.candidate)]);
}

struct DigestHash {
  std::size_t operator()(const Digest& digest) const { return digest.low; }
};

void add_symptoms(const RunTable& table, const FeatureOptions& options, Features& features) {
  std::map<std::string, RunSet> symptoms;
  for (std::size_t i = 0; i < features.failing.size(); ++i) {
    const std::string& symptom = table.runs()[features.failing[i]].symptom;
    if (symptom.empty()) continue;
    symptoms.try_emplace(symptom, features.failing.size()).first->second.add(i);
  }
  if (symptoms.size() < 2) return;
  double total = 0;
  for (const Feature& feature : features.list) total += feature.weight;
  if (total == 0) total = 1;
  const double weight = total * kSymptomShare / static_cast<double>(symptoms.size());
  for (auto& [symptom, runs] : symptoms) {
    if (runs.size() < options.support_min) continue;
    features.list.push_back({{}, symptom, std::move(runs), 0, 1, weight});
  }
}

}  // namespace

Features collect_features(const RunTable& table, const FeatureOptions& options) {
  Features features;
  for (std::size_t run = 0; run < table.runs().size(); ++run) {
    if (table.runs()[run].failing) features.failing.push_back(run);
  }
  const std::vector<Selected> selected = select(table, options);
  features.significant = selected.size();
  std::vector<RunSet> sets(selected.size(), RunSet(features.failing.size()));
  RunEvaluator evaluator(table);
  for (std::size_t i = 0; i < features.failing.size(); ++i) {
    evaluator.evaluate(table.runs()[features.failing[i]]);
    for (std::size_t k = 0; k < selected.size(); ++k) {
      if (evaluator.is_true(selected[k].candidate)) sets[k].add(i);
    }
  }
  // Of candidates with the same failing runs the one that holds in the fewest successful ones
  // stays, and of equals the first, which asks for the least.
  std::unordered_map<Digest, std::size_t, DigestHash> known;
  for (std::size_t k = 0; k < selected.size(); ++k) {
    const auto [place, is_new] = known.emplace(digest_of(sets[k]), features.list.size());
    if (is_new) {
      features.list.push_back(
          {selected[k].candidate, "", sets[k], selected[k].successful, 1, selected[k].weight});
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
      order.emplace_back(digest_of(features.list[i].runs), i);
    std::sort(order.begin(), order.end());
    order.resize(options.features_max);
    std::vector<Feature> kept;
    for (const auto& [digest, index] : order) kept.push_back(std::move(features.list[index]));
    features.list = std::move(kept);
  }
  balance(table.space(), features.list);
  add_symptoms(table, options, features);
  return features;
}

}  // namespace dissensus::isolate
