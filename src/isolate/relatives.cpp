#include "isolate/relatives.h"

#include <algorithm>

#include "isolate/candidate_counts.h"

namespace dissensus::isolate {
namespace {

/// Shares of runs in common from which on two predicates are similar.
constexpr double kSimilar = 0.9;

constexpr std::uint8_t kInside = 0;
constexpr std::uint8_t kOutsideFailing = 1;
constexpr std::uint8_t kOutsideSuccessful = 2;
constexpr std::uint8_t kInsideSuccessful = 3;

struct Near {
  Relative relative;
  double similarity = 0;
};

}  // namespace

void fill_relatives(const RunTable& table, const IsolationOptions& options, Finding& finding) {
  std::vector<std::uint8_t> classes;
  for (const RunSummary& run : table.runs())
    classes.push_back(run.failing ? kOutsideFailing : kOutsideSuccessful);
  for (const std::size_t run : finding.failing) classes[run] = kInside;
  for (const std::size_t run : finding.successful) classes[run] = kInsideSuccessful;
  const CandidateCounts counts(table, classes, 4, options.jobs, options.keep_going);
  const std::size_t own = finding.failing.size() + finding.successful.size();

  std::vector<Near> near;
  counts.for_each([&](const Candidate& candidate) {
    if (candidate == finding.candidate) return;
    Near found;
    found.relative.candidate = candidate;
    const std::size_t inside =
        counts.holds(kInside, candidate) + counts.holds(kInsideSuccessful, candidate);
    const std::size_t outside =
        counts.holds(kOutsideFailing, candidate) + counts.holds(kOutsideSuccessful, candidate);
    found.similarity = static_cast<double>(inside) / static_cast<double>(own + outside);
    if (found.similarity < kSimilar) return;
    using enum Relative::Type;
    const bool covers = inside == own;
    found.relative.type =
        covers ? (outside == 0 ? equivalent : weaker) : (outside == 0 ? stronger : similar);
    found.relative.failing =
        counts.holds(kInside, candidate) + counts.holds(kOutsideFailing, candidate);
    found.relative.successful =
        counts.holds(kInsideSuccessful, candidate) + counts.holds(kOutsideSuccessful, candidate);
    if (found.relative.type == equivalent) ++finding.equivalent;
    near.push_back(found);
  });
  std::stable_sort(near.begin(), near.end(),
                   [](const Near& a, const Near& b) { return a.similarity > b.similarity; });
  // Of relatives with equal runs one is enough.
  std::vector<Relative>& shown = finding.relatives;
  for (const Near& found : near) {
    if (shown.size() == kRelativesShown) break;
    const bool repeated = std::any_of(shown.begin(), shown.end(), [&](const Relative& other) {
      return other.type == found.relative.type && other.failing == found.relative.failing &&
             other.successful == found.relative.successful;
    });
    if (!repeated) shown.push_back(found.relative);
  }
}

}  // namespace dissensus::isolate
