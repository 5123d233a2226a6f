// An experiment: configurations x cases x repetitions, and the tables and figures to be made of
// their results. Read from a TOML file (docs/formats/experiment.md) and checked completely before
// anything runs; constant afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/plugin.h"

#include "discotest/harness.h"
#include "experiment/representation.h"
#include "hunt/budget.h"
#include "run/scenario.h"
#include "statistics/survival.h"

namespace dissensus::experiment {

inline constexpr std::string_view kExperimentFormat = "dissensus-experiment/1";

enum class ExperimentKind : std::uint8_t {
  detection,       ///< hunts to the first finding: how often, how soon
  evolution,       ///< hunts of fixed length: what every evaluation brought
  representation,  ///< locality, redundancy and scaling of an encoding (representation.h)
};
std::string_view to_string(ExperimentKind kind);

/// What is tested: a scenario, and what counts as a finding in it.
struct ExperimentCase {
  std::string name;
  std::string scenario;              ///< path of the file
  std::vector<std::string> set;      ///< changes to it, as lines of TOML
  std::vector<std::string> finding;  ///< signatures, or beginnings of them; empty: any violation
  bool control = false;              ///< without the bug: shown, but not compared or summed
};

/// Who tests.
struct ExperimentSearch {
  std::string name;
  std::string search;
  std::string parameters;  ///< as TOML
  std::vector<std::string> fitness;
  std::string novelty;           ///< as on the command line of a hunt; empty: its default
  std::vector<std::string> set;  ///< changes to the scenario, after those of the case
  std::string group;             ///< for the table of groups
  std::string published_as;      ///< its name in the file of published runs
  std::string paper_name;        ///< its name in the paper's tables; empty: as ours
  /// Test cases as DiscoTest's program makes them; none: a run of the scenario each.
  std::optional<discotest::HarnessOptions> harness;
};

enum class TableKind : std::uint8_t {
  success,         ///< found, of so many
  groups,          ///< contingency table of groups of searches
  success_test,    ///< Fisher's exact test and odds ratios
  detection_time,  ///< medians with intervals, log-rank test
  time_test,       ///< Wilcoxon and A12 over successful hunts
  published_runs,  ///< cell by cell beside the runs that were published: Fisher and log-rank
  mix,             ///< share of each type of message, of hunts with a harness
  evolution,       ///< totals, last generations, n-th discovery, mean fitness
  approach,        ///< distance to schedules that failed in other hunts, early and late
  sample,
  locality,
  noise,
  scaling,
};
enum class FigureKind : std::uint8_t {
  found,       ///< bars: found or not
  time,        ///< boxes, hunts without finding at their budget
  time_found,  ///< boxes, successful hunts
  survival,
  published_survival,  ///< beside the runs that were published
  trajectory,          ///< discoveries over generations
  pareto,              ///< the two objectives of the evaluations, and their fronts
  distances,
};
std::string_view to_string(TableKind table);
std::string_view to_string(FigureKind figure);

// What a paper printed, to be put beside ours.
struct PublishedSuccess {
  std::size_t test_case = 0;
  std::size_t search = 0;
  std::uint64_t found = 0;
  std::uint64_t of = 0;
};
struct PublishedTest {
  std::size_t test_case = 0;
  std::size_t first = 0;
  std::size_t second = 0;
  double p = 1;
  double effect = 1;  ///< odds ratio or A12
};
struct PublishedGroup {
  std::string group;
  std::uint64_t found = 0;
  std::uint64_t not_found = 0;
};
struct PublishedEvolution {
  std::size_t test_case = 0;
  std::size_t search = 0;
  double total = 0;
  double last = 0;
  std::optional<double> milestone;  ///< generation; none: never reached
  double mean_objective = 0;
};
/// The single runs of one cell, where a paper's authors published these.
struct PublishedRuns {
  std::size_t test_case = 0;
  std::size_t search = 0;
  std::vector<statistics::Observation> runs;
};
struct Published {
  std::vector<PublishedSuccess> success;
  std::vector<PublishedTest> success_test;
  std::vector<PublishedTest> time_test;
  std::vector<PublishedGroup> groups;
  std::vector<PublishedEvolution> evolution;
  std::vector<PublishedRuns> runs;
};

/// A comparison that a page shows comes from so many seeds at least: a single one has misled us.
inline constexpr std::size_t kSeedsOfAPage = 3;

/// "seed 1", "seeds 1, 2, 3".
std::string seed_words(std::span<const std::uint64_t> seeds);

/// One row of the representation study.
struct RepresentationRow {
  std::string paper_name;  ///< its column in the paper's table; empty: it has none
  RepresentationOptions options;
  std::shared_ptr<const run::Scenario> scenario;
};

struct Experiment {
  std::string name;  ///< of the file, without .toml
  std::string path;
  std::string title;
  std::string source;  ///< which table or figure of which paper
  std::string notes;   ///< for the reader of the tables
  ExperimentKind kind = ExperimentKind::detection;
  std::vector<ExperimentCase> cases;
  std::vector<ExperimentSearch> searches;
  std::optional<std::size_t> baseline;  ///< the search that others are compared with
  std::size_t repetitions = 1;          ///< with each seed
  std::string budget_text;
  hunt::Budget budget;
  std::size_t repeats = 1;  ///< runs per evaluation
  /// All different; what they bring is pooled.
  std::vector<std::uint64_t> seeds{1};
  // Evolution.
  std::size_t population = 10;  ///< evaluations per generation
  std::size_t last_generations = 20;
  std::size_t milestone = 5;  ///< which discovery is timed
  /// Of virtual time of each hunt of which a fingerprint is made (pages.h): little where there are
  /// many cells.
  Duration fingerprint_time = std::chrono::seconds(900);
  std::vector<TableKind> tables;
  std::vector<FigureKind> figures;
  Published published;
  std::vector<RepresentationRow> rows;
  /// By case, then search; parsed, so that no mistake is found late.
  std::vector<std::shared_ptr<const run::Scenario>> scenarios;

  const run::Scenario& scenario_of(std::size_t test_case, std::size_t search) const {
    return *scenarios[test_case * searches.size() + search];
  }
  /// Hunts of a case and search, with all seeds.
  std::size_t hunts() const { return repetitions * seeds.size(); }
  /// What is asked for in virtual time, in seconds; infinite where another budget counts.
  double budget_seconds() const;
};

/// The runs of a file of comma-separated values with the columns Bug, Configuration, Id, Time and
/// Found, sorted into the cells of the experiment (ExperimentSearch::published_as); those without
/// finding are censored at `budget_seconds`. Throws InputError.
std::vector<PublishedRuns> read_published_runs(const std::string& path, double budget_seconds,
                                               const Experiment& experiment);

/// Throws InputError: "file:line: key: what was wrong, what was expected".
Experiment load_experiment(const std::string& path, const Registry& registry);

}  // namespace dissensus::experiment
