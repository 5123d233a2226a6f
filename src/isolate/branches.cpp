#include "isolate/branches.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/json_view.h"
#include "isolate/data_set.h"
#include "isolate/run_table.h"

namespace dissensus::isolate {
namespace {

constexpr std::uint8_t kSeenFalse = 1;
constexpr std::uint8_t kSeenTrue = 2;
constexpr std::uint8_t kLastTrue = 4;

/// Compressed as in the public data set, or as dissensus-instrument's runtime writes it.
std::string branches_path(const std::string& folder) {
  std::error_code error;
  const std::string plain = folder + "/branches.jsonl";
  return std::filesystem::exists(plain, error) ? plain : plain + ".gz";
}

void read_observations(const JsonView& line, std::size_t sites, BranchRun& run) {
  const std::vector<std::uint32_t> items = line.items(line.at(0, "observed"), "observed");
  if (items.size() % 2 != 0)
    line.fail("observed", "an odd number, expected pairs of site and bits");
  for (std::size_t i = 0; i < items.size(); i += 2) {
    run.sites.push_back(
        static_cast<std::uint32_t>(line.natural(items[i], "observed: site", sites - 1)));
    run.bits.push_back(static_cast<std::uint8_t>(line.natural(items[i + 1], "observed: bits", 7)));
  }
}

bool holds(std::uint8_t bits, bool is_true, BranchMode mode) {
  if (mode == BranchMode::reference) return ((bits & kLastTrue) != 0) == is_true;
  return (bits & (is_true ? kSeenTrue : kSeenFalse)) != 0;
}

/// Index of "<site> is true" and, one more, "<site> is false".
std::size_t predicate_of(std::uint32_t site, bool is_true) {
  return site * std::size_t{2} + (is_true ? 0 : 1);
}

/// Counts over the runs that are left, and the order in which the predicates turned up.
struct Aggregation {
  std::vector<Counts> counts;
  std::vector<std::size_t> order;
};

Aggregation aggregate(const BranchData& data, const std::vector<bool>& left, BranchMode mode) {
  Aggregation result;
  result.counts.resize(data.sites.size() * 2);
  for (std::size_t index = 0; index < data.runs.size(); ++index) {
    if (!left[index]) continue;
    const BranchRun& run = data.runs[index];
    for (std::size_t i = 0; i < run.sites.size(); ++i) {
      for (const bool is_true : {true, false}) {
        const std::size_t predicate = predicate_of(run.sites[i], is_true);
        Counts& counts = result.counts[predicate];
        if (counts.failing_observed + counts.successful_observed == 0)
          result.order.push_back(predicate);
        const bool truth = holds(run.bits[i], is_true, mode);
        (run.failing ? counts.failing_observed : counts.successful_observed) += 1;
        (run.failing ? counts.failing_true : counts.successful_true) += truth ? 1 : 0;
      }
    }
  }
  return result;
}

std::optional<BranchFinding> choose(const BranchData& data, const std::vector<bool>& left,
                                    std::size_t failing, BranchMode mode) {
  const Aggregation aggregation = aggregate(data, left, mode);
  std::optional<BranchFinding> best;
  for (const std::size_t predicate : aggregation.order) {
    const Counts& counts = aggregation.counts[predicate];
    const double gain = increase(counts);
    if (!(gain > 0)) continue;
    if (mode == BranchMode::liblit && !(increase_interval(counts, kZ95).low > 0)) continue;
    const double score = importance(gain, counts.failing_true, failing);
    if (best && score <= best->importance) continue;
    best = BranchFinding{
        static_cast<std::uint32_t>(predicate / 2), predicate % 2 == 0, score, counts, {}, {}};
  }
  return best;
}

bool holds_in(const BranchRun& run, const BranchFinding& finding, BranchMode mode) {
  const auto found = std::find(run.sites.begin(), run.sites.end(), finding.site);
  if (found == run.sites.end()) return false;
  return holds(run.bits[static_cast<std::size_t>(found - run.sites.begin())], finding.is_true,
               mode);
}

void fill_scores(const BranchData& data, BranchFinding& finding) {
  finding.scores.resize(data.labels.size());
  for (std::size_t label = 0; label < data.labels.size(); ++label) {
    Scores& scores = finding.scores[label];
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
      const bool actual = (data.runs[run].labels >> label & 1) != 0;
      const bool predicted =
          std::binary_search(finding.cluster.begin(), finding.cluster.end(), run);
      scores.true_positive += predicted && actual ? 1 : 0;
      scores.false_positive += predicted && !actual ? 1 : 0;
      scores.false_negative += !predicted && actual ? 1 : 0;
    }
  }
}

}  // namespace

BranchData read_branches(const std::string& folder) {
  BranchData data;
  data.name = folder;
  std::map<std::string, DataSetRun, std::less<>> known;
  DataSetRuns read = read_data_set_runs(folder);
  data.labels = read.labels;
  for (DataSetRun& run : read.list) {
    const std::string name = run.name;
    known.emplace(name, std::move(run));
  }
  trace::LineSource lines(branches_path(folder));
  JsonTape tape;
  for (std::string_view text; lines.next(text);) {
    const Place place = lines.place();
    tape.parse(text, place);
    const JsonView line(tape, place);
    if (data.sites.empty()) {
      for (const std::uint32_t item : line.items(line.at(0, "sites"), "sites"))
        data.sites.emplace_back(line.text(item, "sites"));
      if (data.sites.empty()) line.fail("sites", "empty, expected at least one");
      continue;
    }
    BranchRun& run = data.runs.emplace_back();
    run.name = line.text(line.at(0, "run"), "run");
    const auto found = known.find(run.name);
    if (found == known.end())
      line.fail("run", fmt::format("'{}', expected a run of runs.jsonl", run.name));
    run.failing = found->second.failing;
    run.labels = found->second.labels;
    read_observations(line, data.sites.size(), run);
  }
  return data;
}

std::string branch_name(const BranchData& data, const BranchFinding& finding) {
  return fmt::format("{} is {}", data.sites[finding.site], finding.is_true);
}

std::vector<BranchFinding> isolate_branches(const BranchData& data, BranchMode mode) {
  std::vector<bool> left(data.runs.size(), true);
  std::size_t failing = 0;
  for (const BranchRun& run : data.runs) failing += run.failing ? 1 : 0;
  require_both_outcomes(data.name, data.runs.size(), failing);
  std::vector<BranchFinding> findings;
  while (failing > 0) {
    std::optional<BranchFinding> finding = choose(data, left, failing, mode);
    if (!finding) break;
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
      if (!left[run] || !holds_in(data.runs[run], *finding, mode)) continue;
      // Liblit et al. remove all runs in which the predicate holds, the reference failing ones.
      if (!data.runs[run].failing && mode == BranchMode::reference) continue;
      left[run] = false;
      if (data.runs[run].failing) finding->cluster.push_back(run);
    }
    failing -= finding->cluster.size();
    fill_scores(data, *finding);
    findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace dissensus::isolate
