#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "experiment/experiment.h"
#include "experiment/files.h"

namespace dissensus::experiment {
namespace {

using experiment_test::Folder;
using experiment_test::make_registry;
using experiment_test::replaced;
using experiment_test::small_experiment;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::string& path) {
  const Registry registry = make_registry();
  try {
    load_experiment(path, registry);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ExperimentReader, ReadsEverything) {
  const Folder folder;
  const Registry registry = make_registry();
  const Experiment experiment =
      load_experiment(folder.write("small.toml", small_experiment()), registry);
  EXPECT_EQ(experiment.name, "small");
  EXPECT_EQ(experiment.title, "A small one");
  EXPECT_EQ(experiment.kind, ExperimentKind::detection);
  EXPECT_EQ(experiment.repetitions, 3u);
  EXPECT_EQ(experiment.budget.runs, 40u);
  EXPECT_THAT(experiment.seeds, ElementsAre(7u));
  EXPECT_EQ(experiment.baseline, 0u);
  ASSERT_EQ(experiment.cases.size(), 2u);
  EXPECT_TRUE(experiment.cases[1].control);
  ASSERT_EQ(experiment.searches.size(), 2u);
  EXPECT_EQ(experiment.searches[1].parameters, "mu = 2\n");
  EXPECT_EQ(experiment.tables.size(), 4u);
  EXPECT_EQ(experiment.figures.size(), 4u);
  ASSERT_EQ(experiment.published.time_test.size(), 1u);
  EXPECT_EQ(experiment.published.time_test[0].effect, 0.75);
  // The change of the second case reached its scenario, and only that.
  EXPECT_EQ(experiment.scenario_of(0, 1).space.max_delay, std::chrono::milliseconds(40));
  EXPECT_EQ(experiment.scenario_of(1, 0).space.max_delay, std::chrono::milliseconds(1));
}

TEST(ExperimentReader, ChangesOfASearchComeAfterThoseOfTheCase) {
  const Folder folder;
  const Registry registry = make_registry();
  const std::string text = replaced(small_experiment(), "search = \"mu+lambda\"",
                                    "search = \"mu+lambda\"\n"
                                    "set = ['schedule.type = \"priority\"']");
  const Experiment experiment = load_experiment(folder.write("e.toml", text), registry);
  EXPECT_EQ(experiment.scenario_of(1, 0).space.type, run::ScheduleSpace::Type::delay);
  EXPECT_EQ(experiment.scenario_of(1, 1).space.type, run::ScheduleSpace::Type::priority);
}

/// A mistake: what is replaced, by what, where it is reported, and what the message holds.
struct Mistake {
  std::string from;
  std::string to;
  int line;
  std::string key;
  std::string words;
};

TEST(ExperimentReader, EveryMistakeIsReportedWithFileLineAndKey) {
  const std::vector<Mistake> mistakes{
      {"experiment/1", "experiment/9", 1, "format", "dissensus-experiment/1"},
      {"\"detection\"", "\"detecton\"", 2, "kind", "detection"},
      {"title = \"A small one\"", "title = 3", 3, "title", "text"},
      {"repetitions = 3", "repetitions = 0", 5, "repetitions", "1"},
      {"\"40runs\"", "\"40rums\"", 6, "budget", "40rums"},
      {"seed = 7", "seeds = [7, 8, 7]", 7, "seeds", "7 is there twice"},
      {"seed = 7", "seeds = []", 7, "seeds", "at least one"},
      {"seed = 7", "seeds = [-1]", 7, "seeds", "0"},
      {"baseline = \"random\"", "seeds = [1]", 7, "seed", "either seed or seeds"},
      {"baseline = \"random\"", "baseline = \"randon\"", 8, "baseline", "did you mean 'random'"},
      {"\"success\",", "\"sucess\",", 9, "tables", "success"},
      {"\"success\",", "\"evolution\",", 9, "tables", "detection"},
      {"\"found\",", "\"trajectory\",", 10, "figures", "detection"},
      {"control = true", "contrl = true", 19, "contrl", "control"},
      {"1ms", "1lightyear", 21, "set", "1lightyear"},
      {"name = \"calm\"", "name = \"slow\"", 18, "name", "twice"},
      {"search = \"mu+lambda\"", "search = \"mu+lamda\"", 30, "search", "mu+lambda"},
      {"mu=2", "nu=2", 31, "parameters", "nu"},
      {"mu=2", "mu", 31, "parameters", "key=value"},
      {"[\"time\"]", "[\"tme\"]", 32, "fitness", "time"},
      {"of = 3 }", "of = 1 }", 35, "found", "1"},
      {"case = \"slow\", search", "case = \"fast\", search", 35, "case", "slow"},
      {"first = \"evolving\"", "first = \"random\"", 36, "second", "another search"},
      {"a12 = 0.75", "a13 = 0.75", 37, "a12", "missing"},
  };
  for (const Mistake& mistake : mistakes) {
    const Folder folder;
    const std::string path =
        folder.write("bad.toml", replaced(small_experiment(), mistake.from, mistake.to));
    const std::string error = error_of(path);
    EXPECT_THAT(error, AllOf(StartsWith(path + ":" + std::to_string(mistake.line) + ": "),
                             HasSubstr(mistake.key), HasSubstr(mistake.words)))
        << mistake.to;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(ExperimentReader, AMistakeInTheScenarioIsReportedThere) {
  const Folder folder;
  folder.write("scenario.toml", "format = \"dissensus-scenario/1\"\nname = 3\n");
  const std::string path =
      folder.write("e.toml", replaced(small_experiment(), "SCENARIO", "scenario.toml"));
  EXPECT_THAT(error_of(path), StartsWith(folder.path("scenario.toml") + ":2: name"));
}

TEST(ExperimentReader, RunsOfAnotherFileAreTakenOver) {
  const Folder folder;
  folder.write("small.toml", small_experiment());
  const Registry registry = make_registry();
  const std::string path =
      folder.write("other.toml",
                   "format = \"dissensus-experiment/1\"\nruns_of = \"small.toml\"\ntitle = \"T\"\n"
                   "tables = [\"success\"]\n");
  const Experiment experiment = load_experiment(path, registry);
  EXPECT_EQ(experiment.name, "other");
  EXPECT_EQ(experiment.cases.size(), 2u);
  EXPECT_EQ(experiment.repetitions, 3u);
  EXPECT_TRUE(experiment.published.success.empty());
  EXPECT_TRUE(experiment.figures.empty());
}

TEST(ExperimentReader, AReferringFileHasNoRunsOfItsOwn) {
  const Folder folder;
  folder.write("small.toml", small_experiment());
  const std::string start =
      "format = \"dissensus-experiment/1\"\nruns_of = \"small.toml\"\ntitle = \"T\"\n"
      "tables = [\"success\"]\n";
  EXPECT_THAT(error_of(folder.write("a.toml", start + "repetitions = 2\n")),
              HasSubstr(":5: repetitions"));
  folder.write("b.toml", start);
  EXPECT_THAT(error_of(folder.write("c.toml", replaced(start, "small.toml", "b.toml"))),
              HasSubstr(":2: runs_of"));
  EXPECT_THAT(error_of(folder.write("d.toml", replaced(start, "small.toml", "none.toml"))),
              HasSubstr(":2: runs_of"));
}

// The example of docs/formats/experiment.md is one.
TEST(ExperimentReader, ReadsTheExampleOfTheFormatPage) {
  const std::string page =
      experiment_test::read_text(std::string(DISSENSUS_SOURCE_DIR) + "/docs/formats/experiment.md");
  const std::size_t start = page.find("```toml\n") + 8;
  std::string text = page.substr(start, page.find("```", start) - start);
  const std::string scenario = "../scenarios/majority/overtaken-commit.toml";
  text = replaced(replaced(text, scenario, "SCENARIO"), scenario, "SCENARIO");
  const Folder folder;
  const Registry registry = make_registry();
  const Experiment experiment = load_experiment(folder.write("example.toml", text), registry);
  EXPECT_EQ(experiment.cases.size(), 2u);
  EXPECT_EQ(experiment.searches.size(), 2u);
}

// Every file of experiments/ can be run.
TEST(ExperimentReader, ReadsTheExperimentsOfTheRepository) {
  const Registry registry = make_registry();
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(DISSENSUS_SOURCE_DIR) + "/experiments")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(load_experiment(entry.path().string(), registry)) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 13u);
}

}  // namespace
}  // namespace dissensus::experiment
