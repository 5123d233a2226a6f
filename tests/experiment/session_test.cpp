#include "experiment/session.h"

#include <algorithm>
#include <atomic>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/figures.h"
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
               "tables = [\"evolution\", \"approach\"]\npopulation = 4\nlast_generations = "
               "5\nmilestone = 2");
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
  EXPECT_THAT(evaluations,
              testing::StartsWith("case,search,repetition,seed,evaluation,generation,found,"
                                  "objective_1,objective_2,genes\n"));
  // The last column of a line is what was tried: a whole number per gene.
  const std::vector<float>& first = arranged.at(0, 0)[0]->points[0].genes;
  ASSERT_FALSE(first.empty());
  EXPECT_THAT(evaluations, HasSubstr(fmt::format(",{}\n", fmt::join(first, " "))));
  EXPECT_THAT(read_text(folder.path("out/tables.md")),
              HasSubstr("| case | search | first generation | last 5 | of these, failing ones |"));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// One dashed box where the paper's authors published times; in the second figure those of the runs
// that found something.
TEST(StudySession, PublishedTimesAreDrawnBesideOurs) {
  const Folder folder;
  const Registry registry = make_registry();
  std::string text = replaced(small_experiment(), "name = \"random\"\nsearch",
                              "name = \"random\"\npublished_as = \"rand\"\nsearch");
  text = replaced(text, "[published]\n", "[published]\nruns = \"runs.csv\"\n");
  text = replaced(text, "budget = \"40runs\"", "budget = \"1h-virtual\"");
  std::ofstream(folder.path("runs.csv"))
      << "Bug,Configuration,Id,Time,Found\nslow,rand,1,60,1\nslow,rand,2,0,0\n";
  const Experiment experiment = load_experiment(folder.write("e.toml", text), registry);
  CellResults results;
  for (const Cell& cell : cells_of(experiment)) {
    CellResult result;
    result.found = true;
    result.virtual_seconds = 120;
    results.emplace(cell.key, result);
  }
  const ArrangedResults arranged = arrange(experiment, results);
  const std::string all = make_figure(FigureKind::time, arranged, {}).svg;
  const std::string found = make_figure(FigureKind::time_found, arranged, {}).svg;
  EXPECT_EQ(count_of(all, "stroke-dasharray=\"3 2\""), 1u);
  EXPECT_EQ(count_of(found, "stroke-dasharray=\"3 2\""), 1u);
  // Dots: three hunts in each of four cells, and the published runs.
  EXPECT_EQ(count_of(all, "<circle"), 14u);
  EXPECT_EQ(count_of(found, "<circle"), 13u);
  EXPECT_THAT(all, HasSubstr("the published runs"));
}

// A table with three numbers of a curve gives four points of it.
TEST(StudySession, APublishedTrajectoryIsDrawnUnderOurs) {
  const Folder folder;
  const Registry registry = make_registry();
  std::string text = replaced(small_experiment(), "\"detection\"", "\"evolution\"");
  text =
      replaced(text, "tables = [\"success\", \"success-test\", \"time-test\", \"detection-time\"]",
               "tables = [\"evolution\"]\npopulation = 4\nlast_generations = 5\nmilestone = 2");
  text = replaced(text, "figures = [\"found\", \"time\", \"time-found\", \"survival\"]",
                  "figures = [\"trajectory\"]");
  text = replaced(text, "search = \"random\"\n\n[[search]]",
                  "search = \"random\"\nfitness = [\"time\"]\n\n[[search]]");
  text = text.substr(0, text.find("[published]"));
  const std::string published =
      "[published]\nevolution = [{ case = \"slow\", search = \"random\", total = 8, last = 4, "
      "milestone = 3, mean_objective = 1.5 }]\n";
  const auto lines_of = [&](const std::string& name, const std::string& more) {
    const Experiment experiment = load_experiment(folder.write(name, text + more), registry);
    return make_figure(FigureKind::trajectory, arrange(experiment, {}), {}).svg;
  };
  const std::string without = lines_of("a.toml", "");
  const std::string with = lines_of("b.toml", published);
  EXPECT_THAT(without, Not(HasSubstr("Dashed")));
  EXPECT_THAT(with, HasSubstr("Dashed: the paper, through what its table says of D2, L5"));
  EXPECT_GT(count_of(with, "<line"), count_of(without, "<line") + 20);
}

// A hunt whose schedules go straight to where others failed, and one that stays where it is.
TEST(StudySession, TheTableOfApproachesTellsWhoComesNearer) {
  const Folder folder;
  const Registry registry = make_registry();
  std::string text = replaced(small_experiment(), "\"detection\"", "\"evolution\"");
  text =
      replaced(text, "tables = [\"success\", \"success-test\", \"time-test\", \"detection-time\"]",
               "tables = [\"approach\"]\npopulation = 4\nlast_generations = 1");
  text = replaced(text, "figures = [\"found\", \"time\", \"time-found\", \"survival\"]", "");
  text = replaced(text, "search = \"random\"\n\n[[search]]",
                  "search = \"random\"\nfitness = [\"time\"]\n\n[[search]]");
  text = text.substr(0, text.find("[published]"));
  const Experiment experiment = load_experiment(folder.write("e.toml", text), registry);
  CellResults results;
  for (const Cell& cell : cells_of(experiment)) {
    CellResult result;
    for (int i = 0; i < 8; ++i) {
      // The failing place is 100, 100; the second search begins 80 away in each gene.
      const bool is_late = i >= 4;
      const float gene = cell.search == 0 ? 40.0F : (is_late ? 100.0F : 20.0F);
      const bool fails = cell.search == 1 && is_late;
      result.points.push_back({fails, {0.0}, {gene, gene}});
    }
    results.emplace(cell.key, result);
  }
  const std::string table = approach_table(arrange(experiment, results)).text;
  EXPECT_THAT(table, HasSubstr("| slow | random | 60 (0) | 60 (0) | - | 0 of 3 |"));
  EXPECT_THAT(table, HasSubstr("| slow | evolving | 80 (0) | 0 (0) | 0 (0) | 3 of 3 |"));
}

}  // namespace
}  // namespace dissensus::experiment
