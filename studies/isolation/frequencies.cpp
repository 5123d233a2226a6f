#include "frequencies.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "campaigns.h"
#include "generated_logs.h"
#include "isolate/rand_index.h"
#include "methods.h"

namespace dissensus::study {
namespace {

/// 60 / 30 / 10 / 2, one and a half times, so that the rarest has three failing runs.
const std::vector<std::size_t> kFailing{90, 45, 15, 3};
constexpr std::size_t kSuccessful = 400;
/// Campaigns of one seed are apart from those of the next.
constexpr std::uint64_t kSeedStep = 10'000'000;

struct Judged {
  double rand_index = 0;
  std::size_t truth = 0;
  std::size_t rarest = 0;  ///< failing runs of the rarest cause
  isolate::Scores scores;  ///< of the cluster that finds the rarest cause best
  std::size_t count = 0;
  std::string doubt;

  bool is_found() const { return scores.precision() > 0.5 && scores.recall() > 0.5; }
};

Judged judge(const isolate::RunTable& table, const isolate::Separation& separation) {
  std::vector<std::size_t> cluster_of(table.runs().size(), separation.causes.size());
  for (std::size_t cause = 0; cause < separation.causes.size(); ++cause) {
    for (const std::size_t run : separation.causes[cause].runs) cluster_of[run] = cause;
  }
  Judged judged;
  std::vector<std::size_t> truth;
  std::vector<std::size_t> found;
  std::map<std::uint64_t, std::size_t> sizes;
  for (std::size_t run = 0; run < cluster_of.size(); ++run) {
    if (!table.runs()[run].failing) continue;
    ++sizes[table.runs()[run].labels];
    truth.push_back(table.runs()[run].labels);
    found.push_back(cluster_of[run]);
  }
  judged.rand_index = isolate::adjusted_rand_index(truth, found);
  judged.truth = sizes.size();
  const auto rarest = std::min_element(
      sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  judged.rarest = rarest->second;
  for (std::size_t cause = 0; cause < separation.causes.size(); ++cause) {
    isolate::Scores scores;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const bool is_rarest = truth[i] == rarest->first;
      if (found[i] == cause) ++(is_rarest ? scores.true_positive : scores.false_positive);
    }
    scores.false_negative = rarest->second - scores.true_positive;
    if (cause == 0 || scores.f1() > judged.scores.f1()) judged.scores = scores;
  }
  judged.count = separation.causes.size();
  judged.doubt = separation.doubt;
  return judged;
}

class Table {
 public:
  void add(const std::string& family, std::uint64_t seed, const Judged& judged) {
    const bool is_wrong = judged.count != judged.truth;
    fmt::print("| {} | {} | {:.2f} | {} of {} | {} | {} | {:.0f} | {:.0f} |\n", family, seed,
               judged.rand_index, judged.count, judged.truth, judged.doubt.empty() ? "no" : "yes",
               judged.rarest, 100 * judged.scores.precision(), 100 * judged.scores.recall());
    std::fflush(stdout);
    ++rows_;
    sum_ += judged.rand_index;
    good_ += judged.rand_index >= 0.9 ? 1 : 0;
    wrong_ += is_wrong ? 1 : 0;
    silent_ += is_wrong && judged.doubt.empty() ? 1 : 0;
    needless_ += !is_wrong && !judged.doubt.empty() ? 1 : 0;
    askable_ += judged.rarest >= 3 ? 1 : 0;
    found_ += judged.rarest >= 3 && judged.is_found() ? 1 : 0;
  }
  void finish() const {
    fmt::print(
        "\n{} of {} with an ARI of 0.9 or more, {:.2f} on average; number of causes wrong in {}, "
        "{} "
        "of these without a doubt; a doubt where it is right in {}; rarest cause found in {} of "
        "{}\n",
        good_, rows_, rows_ == 0 ? 0 : sum_ / static_cast<double>(rows_), wrong_, silent_,
        needless_, found_, askable_);
  }

 private:
  std::size_t rows_ = 0;
  double sum_ = 0;
  std::size_t good_ = 0;
  std::size_t wrong_ = 0;
  std::size_t silent_ = 0;
  std::size_t needless_ = 0;
  std::size_t askable_ = 0;
  std::size_t found_ = 0;
};

}  // namespace

void judge_frequencies(const FrequencyOptions& options, const SystemRegistry& systems) {
  fmt::print(
      "| family | seed | ARI | causes | doubt | runs of the rarest | its precision | its recall |\n"
      "|---|---|---|---|---|---|---|---|\n");
  Table table;
  std::size_t asked = 0;
  const auto look = [&](const std::string& name, std::uint64_t seed, isolate::RunSource& source) {
    const isolate::PredicateSpace space(
        source.schema(), isolate::space_options(isolate::Mode::improved, source.schema()));
    const isolate::RunTable runs = isolate::read_runs(source, space, 1);
    const isolate::Separation separation = isolate::separate(runs, options.causes);
    table.add(name, seed, judge(runs, separation));
    if (options.verbose) fmt::print(stderr, "{} {}\n{}", name, seed, describe(runs, separation));
  };
  const auto is_asked = [&](const std::string& name) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };
  for (const CampaignPlan& plan : unequal_plans(kFailing, kSuccessful)) {
    if (!is_asked(plan.name)) continue;
    for (const std::uint64_t seed : options.seeds) {
      LabelledRuns source(plan, seed * kSeedStep, systems);
      if (options.asks) source.ask();
      look(plan.name, seed, source);
      asked += source.runs_asked();
    }
  }
  for (const GeneratedFamily& family : generated_families()) {
    if (!is_asked(family.name)) continue;
    for (const std::uint64_t seed : options.seeds) {
      GeneratedLogs source(family, seed, kFailing, kSuccessful);
      look(family.name, seed, source);
    }
  }
  table.finish();
  if (options.asks) fmt::print("{} runs were made to ask\n", asked);
}

}  // namespace dissensus::study
