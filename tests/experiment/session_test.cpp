#include "experiment/session.h"

#include <algorithm>
#include <atomic>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/files.h"
#include "experiment/store.h"

namespace dissensus::experiment {
namespace {

using experiment_test::Folder;
using experiment_test::make_registry;
using experiment_test::read_text;
using experiment_test::replaced;
using experiment_test::small_experiment;
using testing::HasSubstr;
using testing::Not;

/// A search whose first candidate never comes.
class BrokenSearch final : public Search {
 public:
  std::optional<Candidate> ask() override { throw std::runtime_error("this search is broken"); }
  void tell(const Candidate&, const Evaluation&) override {}
};

Registry registry_with_broken_search() {
  Registry registry = make_registry();
  registry.searches.push_back(
      {"broken", "Throws", {}, [](const SearchContext&, const Options&) -> std::unique_ptr<Search> {
         return std::make_unique<BrokenSearch>();
       }});
  return registry;
}

SessionResult run(const Registry& registry, const std::string& file, const std::string& folder,
                  const SessionOptions& options) {
  const Experiment experiment = load_experiment(file, registry);
  StudySession session(registry, options);
  return session.run(experiment, folder);
}

TEST(StudySession, WritesAllOutputsWithThePaperBesideOurs) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string file = folder.write("small.toml", small_experiment());
  const SessionResult result = run(registry, file, folder.path("out"), {});
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(result.progress.done, 12u);

  const std::string csv = read_text(folder.path("out/results.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  EXPECT_THAT(csv, HasSubstr("slow,random,1,"));
  EXPECT_THAT(csv, HasSubstr("agreement/"));

  const std::string tables = read_text(folder.path("out/tables.md"));
  EXPECT_THAT(tables, HasSubstr("# A small one"));
  EXPECT_THAT(tables, HasSubstr("| slow | 3 of 3 | 2 of 3 (1.000) |"));
  EXPECT_THAT(tables, HasSubstr("| calm (control) | 0 of 3 |"));
  EXPECT_THAT(tables, HasSubstr("| 0.500 | 2.000 |"));  // the paper's Fisher test
  EXPECT_THAT(tables, HasSubstr("| 0.250 | 0.750 |"));  // and its Wilcoxon test
  EXPECT_THAT(tables, HasSubstr("log-rank p against random"));
  EXPECT_THAT(tables, HasSubstr("budget 40runs each, seed 7"));

  const std::string html = read_text(folder.path("out/report.html"));
  EXPECT_THAT(html, HasSubstr("data-series=\"evolving\""));
  EXPECT_THAT(html, HasSubstr("type=\"checkbox\" value=\"evolving\""));
  EXPECT_THAT(html, HasSubstr("<title>"));
  // Nothing from elsewhere; the name space of SVG is no address that is fetched.
  EXPECT_THAT(html, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(html, Not(HasSubstr("href=\"http")));
  for (const char* const figure : {"found", "time", "time-found", "survival"}) {
    const std::string svg = read_text(folder.path(std::string("out/") + figure + ".svg"));
    EXPECT_THAT(svg, HasSubstr("seed 7")) << figure;
    EXPECT_THAT(svg, HasSubstr("40runs")) << figure;
    EXPECT_EQ(result.written.png,
              std::filesystem::exists(folder.path(std::string("out/") + figure + ".png")));
  }
}

TEST(StudySession, AnyNumberOfJobsGivesTheSameTables) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string file = folder.write("small.toml", small_experiment());
  SessionOptions one;
  SessionOptions two;
  two.jobs = 2;
  run(registry, file, folder.path("one"), one);
  run(registry, file, folder.path("two"), two);
  for (const char* const name : {"/results.csv", "/tables.md", "/survival.svg", "/report.html"}) {
    EXPECT_EQ(read_text(folder.path("one") + name), read_text(folder.path("two") + name)) << name;
  }
}

/// Lines of results.csv without their repetition: seed, what was found, how soon.
std::vector<std::string> hunts_of(const std::string& path) {
  std::vector<std::string> hunts;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, std::regex("(.*?,.*?),[0-9]+,(.*)"))) {
      hunts.push_back(parts.str(1) + parts.str(2));
    }
  }
  std::sort(hunts.begin(), hunts.end());
  return hunts;
}

// Seeds are pooled: the hunts are those of two studies with one seed each.
TEST(StudySession, SeveralSeedsArePooled) {
  const Folder folder;
  const Registry registry = make_registry();
  std::vector<std::string> apart;
  for (const char* const seeds : {"seed = 7", "seed = 8", "seeds = [7, 8]"}) {
    run(registry, folder.write("small.toml", replaced(small_experiment(), "seed = 7", seeds)),
        folder.path("out"), {});
    const auto hunts = hunts_of(folder.path("out/results.csv"));
    if (std::string_view(seeds).starts_with("seed ")) {
      apart.insert(apart.end(), hunts.begin(), hunts.end());
      continue;
    }
    std::sort(apart.begin(), apart.end());
    EXPECT_EQ(hunts.size(), 24u);
    EXPECT_EQ(hunts, apart);
  }
  const std::string tables = read_text(folder.path("out/tables.md"));
  EXPECT_THAT(tables, HasSubstr("6 hunts per case and search, budget 40runs each, seeds 7, 8"));
  EXPECT_THAT(tables, HasSubstr("of 6 |"));
}

TEST(StudySession, ResumingGivesTheSameTables) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string file = folder.write("small.toml", small_experiment());
  run(registry, file, folder.path("whole"), {});

  std::atomic<bool> stop{false};
  SessionOptions interrupted;
  interrupted.on_progress = [&stop](const StudyProgress& progress) { stop = progress.done == 5; };
  interrupted.is_stopped = [&stop] { return stop.load(); };
  const SessionResult half = run(registry, file, folder.path("half"), interrupted);
  EXPECT_FALSE(half.complete);
  EXPECT_THAT(read_text(folder.path("half/tables.md")), HasSubstr("7 hunts were not run"));

  SessionOptions resumed;
  resumed.resume = true;
  const SessionResult rest = run(registry, file, folder.path("half"), resumed);
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(rest.progress.known, 5u);
  EXPECT_EQ(rest.progress.done, 7u);
  for (const char* const name : {"/results.csv", "/tables.md", "/survival.svg"}) {
    EXPECT_EQ(read_text(folder.path("whole") + name), read_text(folder.path("half") + name));
  }
}

TEST(StudySession, WithoutResumeEverythingIsRunAgain) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string file = folder.write("small.toml", small_experiment());
  run(registry, file, folder.path("out"), {});
  EXPECT_EQ(run(registry, file, folder.path("out"), {}).progress.done, 12u);
}

TEST(StudySession, AFailingConfigurationLeavesTheOthersAlone) {
  const Folder folder;
  const Registry registry = registry_with_broken_search();
  const std::string good = folder.write("small.toml", small_experiment());
  const std::string bad = folder.write(
      "broken.toml", small_experiment() + "\n[[search]]\nname = \"bad\"\nsearch = \"broken\"\n");
  const Experiment whole = load_experiment(good, registry);
  const Experiment broken = load_experiment(bad, registry);
  CellResults results;
  const StudyRunner runner;
  EXPECT_TRUE(run_cells(broken, registry, runner, results));
  const ArrangedResults arranged = arrange(broken, results);
  EXPECT_EQ(arranged.errors.size(), 6u);
  EXPECT_EQ(arranged.errors.front().second, "this search is broken");
  EXPECT_THAT(tables_markdown(arranged, {}), HasSubstr("bad, repetition 1"));

  // What the others found is what they find without it.
  CellResults alone;
  EXPECT_TRUE(run_cells(whole, registry, runner, alone));
  const ArrangedResults expected = arrange(whole, alone);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      ASSERT_EQ(arranged.at(i, j).size(), 3u);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(*arranged.at(i, j)[k], *expected.at(i, j)[k]);
      }
    }
  }
}

TEST(StudySession, FilesThatShareRunsRunThemOnce) {
  const Folder folder;
  const Registry registry = make_registry();
  const Experiment first =
      load_experiment(folder.write("small.toml", small_experiment()), registry);
  const Experiment second =
      load_experiment(folder.write("other.toml",
                                   "format = \"dissensus-experiment/1\"\nruns_of = \"small.toml\"\n"
                                   "title = \"T\"\ntables = [\"success\"]\n"),
                      registry);
  const SessionOptions options;
  StudySession session(registry, options);
  session.run(first, folder.path("a"));
  const SessionResult result = session.run(second, folder.path("b"));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.progress.done, 0u);
  EXPECT_EQ(ExperimentStore(folder.path("b/results.sqlite")).load().size(), 12u);
}

// Evolution: every evaluation is kept, through the store too, and the table counts them.
TEST(StudySession, EvolutionCountsDiscoveriesPerGeneration) {
  const Folder folder;
  const Registry registry = make_registry();
  std::string text = replaced(small_experiment(), "\"detection\"", "\"evolution\"");
  text =
      replaced(text, "tables = [\"success\", \"success-test\", \"time-test\", \"detection-time\"]",
               "tables = [\"evolution\"]\npopulation = 4\nlast_generations = 5\nmilestone = 2");
  text = replaced(text, "figures = [\"found\", \"time\", \"time-found\", \"survival\"]",
                  "figures = [\"trajectory\", \"pareto\"]\nrepeats = 2");
  text = replaced(text, "search = \"random\"\n\n[[search]]",
                  "search = \"random\"\nfitness = [\"time\", \"violations\"]\n\n[[search]]");
  text = replaced(text, "fitness = [\"time\"]", "fitness = [\"time\", \"violations\"]");
  text = text.substr(0, text.find("[published]"));
  const Experiment experiment = load_experiment(folder.write("e.toml", text), registry);
  const SessionOptions options;
  StudySession session(registry, options);
  ASSERT_TRUE(session.run(experiment, folder.path("out")).complete);
  const CellResults stored = ExperimentStore(folder.path("out/results.sqlite")).load();
  CellResults again;
  StudyRunner runner;
  ASSERT_TRUE(run_cells(experiment, registry, runner, again));
  EXPECT_EQ(stored, again);

  const ArrangedResults arranged = arrange(experiment, stored);
  const EvolutionSummary summary = summarize_evolution(arranged, 0, 0);
  ASSERT_EQ(summary.totals.size(), 3u);
  EXPECT_EQ(summary.objective.size(), 120u);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& points = arranged.at(0, 0)[k]->points;
    ASSERT_EQ(points.size(), 40u);
    double total = 0;
    double last = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!points[i].failed) continue;
      total += 1;
      if (i >= 20) last += 1;
    }
    EXPECT_GT(total, 0);
    EXPECT_EQ(summary.totals[k], total);
    EXPECT_EQ(summary.lasts[k], last);
    EXPECT_EQ(summary.cumulative[k].back(), total);
    EXPECT_EQ(summary.cumulative[k].size(), 10u);
  }
  const std::string evaluations = read_text(folder.path("out/evaluations.csv"));
  EXPECT_EQ(std::count(evaluations.begin(), evaluations.end(), '\n'), 1 + 12 * 40);
}

}  // namespace
}  // namespace dissensus::experiment
