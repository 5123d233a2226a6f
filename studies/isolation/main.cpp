// Isolation judged on labelled campaigns: docs/results/isolation.md, "Several causes".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "campaigns.h"
#include "frequencies.h"
#include "isolate/branches.h"
#include "isolate/data_set.h"
#include "isolate/rand_index.h"
#include "methods.h"
#include "systems/process/system.h"
#include "systems/simulated/simulated.h"

namespace dissensus::study {
namespace {

using isolate::Mode;
using isolate::Run;

constexpr std::uint64_t kHeldOutSeeds = 1'000'000;

struct Part {
  isolate::Schema schema;
  std::vector<Run> runs;
  std::size_t made = 0;
};

/// What campaigns are made of.
const SystemRegistry& systems_of_campaigns() {
  static const SystemRegistry kSystems = [] {
    SystemRegistry systems = simulated_systems();
    systems.add(process::process_entry());
    return systems;
  }();
  return kSystems;
}

Part make_part(const CampaignPlan& plan, std::uint64_t first_seed) {
  LabelledRuns source(plan, first_seed, systems_of_campaigns());
  Part part;
  part.schema = source.schema();
  for (Run run; source.next(run);) part.runs.push_back(run);
  part.made = source.runs_made();
  return part;
}

/// The cause of a run, where it has exactly one.
std::optional<std::size_t> cause_of(const Run& run) {
  if (!run.failing || run.labels == 0 || (run.labels & (run.labels - 1)) != 0) return std::nullopt;
  return static_cast<std::size_t>(std::countr_zero(run.labels));
}

double rand_index(const std::vector<Run>& runs, const std::vector<std::size_t>& clusters) {
  std::vector<std::size_t> left;
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto cause = cause_of(runs[i]);
    if (!cause) continue;
    left.push_back(*cause);
    right.push_back(clusters[i]);
  }
  return isolate::adjusted_rand_index(left, right);
}

/// Of each cause: the F1 of the cluster that finds it best among the failing runs.
std::vector<double> scores_of(const Part& part, const std::vector<std::size_t>& clusters) {
  std::vector<double> result;
  for (std::size_t label = 0; label < part.schema.labels.size(); ++label) {
    std::map<std::size_t, isolate::Scores> by_cluster;
    std::size_t with_label = 0;
    for (std::size_t i = 0; i < part.runs.size(); ++i) {
      const auto cause = cause_of(part.runs[i]);
      if (!cause) continue;
      isolate::Scores& scores = by_cluster[clusters[i]];
      (*cause == label ? scores.true_positive : scores.false_positive) += 1;
      with_label += *cause == label ? 1 : 0;
    }
    double best = 0;
    for (auto& [cluster, scores] : by_cluster) {
      scores.false_negative = with_label - scores.true_positive;
      best = std::max(best, scores.f1());
    }
    result.push_back(with_label == 0 ? -1 : best);
  }
  return result;
}

std::string row(std::string_view method, const Clusters& clusters, const Part& training,
                const Part& held_out) {
  std::string scores;
  for (const double score : scores_of(held_out, clusters.of_held_out))
    scores += score < 0 ? " –" : fmt::format(" {:.0f}", 100 * score);
  return fmt::format("| | {} | {} | {:.2f} | {:.2f} |{} | {} |\n", method, clusters.count,
                     rand_index(training.runs, clusters.of_training),
                     rand_index(held_out.runs, clusters.of_held_out), scores, clusters.predicates);
}

std::string counts_of(const Part& part) {
  std::string text;
  for (std::size_t label = 0; label < part.schema.labels.size(); ++label) {
    std::size_t count = 0;
    for (const Run& run : part.runs) count += cause_of(run) == label ? 1 : 0;
    text += fmt::format("{}{} {}", label == 0 ? "" : ", ", part.schema.labels[label], count);
  }
  std::size_t several = 0;
  for (const Run& run : part.runs) several += run.failing && !cause_of(run) ? 1 : 0;
  return text + (several > 0 ? fmt::format(", several or none {}", several) : "");
}

struct Options {
  std::vector<std::string> only;
  bool verbose = false;
  bool asks = false;         ///< the simulator: with --frequencies
  bool frequencies = false;  ///< causes that do not occur alike, and nothing else
  std::vector<std::uint64_t> seeds;
  bool swapped = false;  ///< methods see the part that they are otherwise judged on
  isolate::CauseOptions causes;
};

/// Both parts with every method.
void judge(const std::string& name, std::string_view role, const Part& training,
           const Part& held_out, const Options& options) {
  fmt::print("| **{}** ({}) | {} of {} runs kept fail, {} made; {} | | | | | |\n", name, role,
             std::count_if(training.runs.begin(), training.runs.end(),
                           [](const Run& run) { return run.failing; }),
             training.runs.size(), training.made, counts_of(training));
  const auto with_space = [&](Mode mode, const auto& use) {
    const isolate::PredicateSpace space(training.schema,
                                        isolate::space_options(mode, training.schema));
    StoredRuns first(training.schema, training.runs);
    StoredRuns second(training.schema, held_out.runs);
    const isolate::RunTable left = isolate::read_runs(first, space, 1);
    const isolate::RunTable right = isolate::read_runs(second, space, 1);
    use(left, right);
  };
  const auto show = [&](std::string_view method, const Clusters& clusters) {
    fmt::print("{}", row(method, clusters, training, held_out));
    if (options.verbose) fmt::print(stderr, "{}: {}\n{}", name, method, clusters.text);
    std::fflush(stdout);
  };
  with_space(Mode::improved, [&](const auto& left, const auto& right) {
    show("causes", by_causes(left, right, options.causes));
    show("elimination", by_elimination(left, right, Mode::improved));
    show("decision tree", by_tree(left, right));
    std::vector<std::optional<std::size_t>> causes;
    for (const Run& run : training.runs) causes.push_back(cause_of(run));
    show("shown the labels", by_labels(left, right, causes));
  });
  with_space(Mode::paper, [&](const auto& left, const auto& right) {
    show("paper", by_elimination(left, right, Mode::paper));
  });
}

/// The published data set: runs of real servers, every other one in the second part. Runs with two
/// of its labels are left out, as everywhere.
void judge_data_set(const std::string& folder, const Options& options) {
  isolate::DataSetSource source(folder);
  Part parts[2];
  for (Part& part : parts) part.schema = source.schema();
  std::size_t index = 0;
  for (Run run; source.next(run); ++index) parts[index % 2].runs.push_back(run);
  for (Part& part : parts) part.made = part.runs.size();
  judge(folder, "published", parts[0], parts[1], options);
  const isolate::BranchData branches = isolate::read_branches(folder);
  for (const auto& [name, mode] : {std::pair{"branches, reference", isolate::BranchMode::reference},
                                   std::pair{"branches, Liblit", isolate::BranchMode::liblit}}) {
    const auto findings = isolate::isolate_branches(branches, mode);
    std::map<std::string, std::size_t> cluster_of;
    for (std::size_t finding = 0; finding < findings.size(); ++finding) {
      for (const std::size_t run : findings[finding].cluster)
        cluster_of.emplace(branches.runs[run].name, finding);
    }
    Clusters clusters;
    const auto assign = [&](const Part& part, std::vector<std::size_t>& list) {
      for (const Run& run : part.runs) {
        const auto found = cluster_of.find(run.name);
        list.push_back(found == cluster_of.end() ? findings.size() : found->second);
      }
    };
    assign(parts[0], clusters.of_training);
    assign(parts[1], clusters.of_held_out);
    clusters.count = findings.size();
    clusters.predicates = findings.size();
    fmt::print("{}", row(name, clusters, parts[0], parts[1]));
  }
}

int study(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--verbose") {
      options.verbose = true;
    } else if (argument == "--swapped") {
      options.swapped = true;
    } else if (argument == "--frequencies") {
      options.frequencies = true;
    } else if (argument == "--ask") {
      options.asks = true;
    } else if (argument.starts_with("--seed=")) {
      options.seeds.push_back(std::stoull(argument.substr(7)));
    } else {
      options.only.push_back(argument);
    }
  }
  if (options.frequencies) {
    FrequencyOptions frequencies;
    frequencies.only = options.only;
    frequencies.verbose = options.verbose;
    frequencies.asks = options.asks;
    if (!options.seeds.empty()) frequencies.seeds = options.seeds;
    judge_frequencies(frequencies, systems_of_campaigns());
    return 0;
  }
  fmt::print(
      "| campaign | method | clusters | ARI | ARI, held-out seeds | F1 per cause, held-out seeds | "
      "predicates |\n|---|---|---|---|---|---|---|\n");
  for (const CampaignPlan& plan : campaign_plans()) {
    if (!options.only.empty() &&
        std::find(options.only.begin(), options.only.end(), plan.name) == options.only.end()) {
      continue;
    }
    const std::uint64_t first = options.swapped ? kHeldOutSeeds : 1;
    const std::uint64_t second = options.swapped ? 1 : kHeldOutSeeds;
    judge(plan.name, plan.is_held_out ? "held out" : "development", make_part(plan, first),
          make_part(plan, second), options);
  }
  for (const std::string& name : options.only) {
    if (isolate::is_data_set(name)) judge_data_set(name, options);
  }
  return 0;
}

}  // namespace
}  // namespace dissensus::study

int main(int argc, char** argv) {
  try {
    return dissensus::study::study(argc, argv);
  } catch (const dissensus::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
