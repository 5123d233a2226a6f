// Behaviour stays: runs of the shipped scenarios have the trace hashes that were recorded before. A
// change that is meant to alter a system says so by new lines in recorded_hashes.txt.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/built_in/built_in.h"
#include "trace/trace.h"

namespace dissensus::run {
namespace {

struct RecordedRun {
  std::string scenario, schedule, hash, outcome;
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
};

std::vector<RecordedRun> recorded_runs() {
  std::ifstream file(DISSENSUS_SOURCE_DIR "/tests/run/recorded_hashes.txt");
  std::vector<RecordedRun> runs;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    RecordedRun run;
    std::istringstream words(line);
    words >> run.scenario >> run.schedule >> run.seed >> run.hash >> run.events >> run.outcome;
    EXPECT_TRUE(words) << line;
    runs.push_back(run);
  }
  return runs;
}

faults::Schedule schedule_of(const RecordedRun& recorded, const Scenario& scenario) {
  if (recorded.schedule == "none") return {};
  if (recorded.schedule != "random")
    return load_schedule(std::string(DISSENSUS_SOURCE_DIR "/") + recorded.schedule, scenario);
  Random random(recorded.seed, "schedule");
  return random_schedule(scenario, random);
}

TEST(RecordedHashes, ShippedScenariosRunAsTheyDid) {
  const std::vector<RecordedRun> runs = recorded_runs();
  ASSERT_GT(runs.size(), 100U);
  Runner runner;
  for (const RecordedRun& recorded : runs) {
    const Scenario scenario = load_scenario(
        std::string(DISSENSUS_SOURCE_DIR "/") + recorded.scenario, built_in_systems());
    const RunResult result = runner.run(scenario, schedule_of(recorded, scenario), recorded.seed);
    const std::string place =
        recorded.scenario + " " + recorded.schedule + " " + std::to_string(recorded.seed);
    EXPECT_EQ(trace::to_hex(result.hash), recorded.hash) << place;
    EXPECT_EQ(result.events, recorded.events) << place;
    EXPECT_EQ(oracle::to_string(result.verdict.outcome), recorded.outcome) << place;
  }
}

}  // namespace
}  // namespace dissensus::run
