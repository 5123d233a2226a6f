#include "run/runner.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "core/toml_text.h"
#include "run/client_history.h"
#include "run/run_folder.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"
#include "trace/trace_file.h"

namespace dissensus::run {
namespace {

const std::string kOvertaken = DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml";

/// Random schedules of a scenario whose run fails.
struct Failing {
  faults::Schedule schedule;
  std::uint64_t seed;
  RunResult result;
};
std::vector<Failing> failing_runs(const Scenario& scenario, std::size_t count) {
  std::vector<Failing> found;
  Runner runner;
  for (std::uint64_t seed = 1; found.size() < count && seed < 100'000; ++seed) {
    Random random(seed, "schedule");
    const faults::Schedule schedule = random_schedule(scenario, random);
    RunResult result = runner.run(scenario, schedule, seed);
    if (result.verdict.outcome == oracle::Outcome::fail)
      found.push_back({schedule, seed, std::move(result)});
  }
  return found;
}

TEST(Runner, WithoutReorderingTheTutorialSystemAgrees) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  Runner runner;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EXPECT_EQ(runner.run(scenario, {}, seed).verdict.outcome, oracle::Outcome::pass) << seed;
  }
}

TEST(Runner, RandomDelaysFindTheTutorialBug) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  const auto found = failing_runs(scenario, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].result.verdict.violations.at(0).property, "agreement");
}

// What was demanded of the end is not known where a violation came first.
TEST(Runner, AViolationLeavesWhatWasDemandedOfTheEndOpen) {
  const Scenario plain = load_scenario(kOvertaken, simulated_systems());
  const Scenario demanding = parse_scenario(plain.text + R"(
[[oracle.rule]]
name = "last"
when = "end"
check = "min(decided.outcome) > 9"
)",
                                            kOvertaken, simulated_systems());
  const auto outcome = [&](const faults::Schedule& schedule, std::uint64_t seed) {
    const oracle::PropertyVerdict last =
        Runner().run(demanding, schedule, seed).verdict.properties.back();
    EXPECT_EQ(last.property, "rule/last");
    return last.outcome;
  };
  const auto found = failing_runs(plain, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(outcome(found[0].schedule, found[0].seed), oracle::Outcome::unknown);
  EXPECT_EQ(outcome({}, 1), oracle::Outcome::fail);
}

// A limit that cuts a run leaves open what would have come, whatever holds where it is cut.
TEST(Runner, ARunThatALimitCutsIsUnknown) {
  const std::string text =
      load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/vsr/quiet.toml", simulated_systems()).text;
  const std::string rule = R"(
[[oracle.rule]]
name = "nothing-yet"
when = "end"
check = "max(committed) == 0"
)";
  const auto run = [&](const std::string& key, const std::string& value) {
    TomlText changed(text + rule, "vsr.toml");
    changed.set("limits." + key, value);
    const Scenario scenario = parse_scenario(changed.text(), "vsr.toml", simulated_systems());
    return Runner().run(scenario, {}, 1);
  };
  for (const auto& [key, value, ended_by] :
       {std::tuple{"events", "10", "event-limit"}, std::tuple{"queue", "1", "queue-limit"}}) {
    const RunResult result = run(key, value);
    EXPECT_EQ(result.ended_by, ended_by);
    EXPECT_EQ(result.verdict.cut_by, std::string("limits.") + key);
    EXPECT_EQ(result.verdict.outcome, oracle::Outcome::unknown);
    EXPECT_EQ(result.verdict.properties.back().outcome, oracle::Outcome::unknown)
        << "the rule holds, but not at an end";
  }
}

// The time that a scenario gives its runs is their end. An hour that nobody asked for is a limit.
TEST(Runner, TheTimeThatAScenarioNamesIsTheEnd) {
  const std::string endless = R"(format = "dissensus-scenario/1"
name = "endless"
[system]
kind = "vsr"
nodes = 3
heartbeat = "60s"
view_timeout = "10min"
client_every = "60s"
client_timeout = "60s"
)";
  const auto outcome = [&](const std::string& limits) {
    const Scenario scenario = parse_scenario(endless + limits, "endless.toml", simulated_systems());
    const RunResult result = Runner().run(scenario, {}, 1);
    EXPECT_EQ(result.ended_by, "time-limit");
    return std::pair{result.verdict.outcome, result.verdict.cut_by};
  };
  EXPECT_EQ(outcome("[limits]\nvirtual_time = \"1h\"\n"),
            std::pair(oracle::Outcome::pass, std::string()));
  EXPECT_EQ(outcome(""), std::pair(oracle::Outcome::unknown, std::string("limits.virtual_time")));
}

// What clients saw until a run was cut proves nothing about the rest.
TEST(Runner, AHistoryThatWasCutDoesNotPass) {
  HistoryDemand demand;
  demand.model = "lin-kv";
  oracle::Verdict whole;
  whole.outcome = oracle::Outcome::pass;
  oracle::Verdict cut = whole;
  cut.cut_by = "limits.events";
  HistoryCollector clients;
  for (const history::EventKind kind : {history::EventKind::invoke, history::EventKind::ok}) {
    Event event;
    event.type = EventType::operation;
    event.detail = static_cast<std::uint8_t>(kind);
    event.text = R"({"f":"write","value":[1,7]})";
    clients.on_event(event);
  }
  clients.judge(demand, "history", whole);
  clients.judge(demand, "history", cut);
  EXPECT_EQ(whole.properties.back().outcome, oracle::Outcome::pass);
  EXPECT_EQ(cut.properties.back().outcome, oracle::Outcome::unknown);
  EXPECT_EQ(cut.outcome, oracle::Outcome::unknown);
}

// The level of recording, metrics and logs do not change the run.
TEST(Runner, ObservingDoesNotChangeTheHash) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  for (const Failing& failing : failing_runs(scenario, 5)) {
    for (const trace::Detail detail :
         {trace::Detail::hash, trace::Detail::decisions, trace::Detail::everything}) {
      for (const bool more : {false, true}) {
        Runner runner;
        RunOptions options;
        options.detail = detail;
        options.metrics = more;
        const RunResult result = runner.run(scenario, failing.schedule, failing.seed, options);
        EXPECT_EQ(result.hash, failing.result.hash);
        EXPECT_EQ(result.metrics_json.empty(), !more);
      }
    }
  }
}

// Log events have numbers of their own, so event ids may shift, but the hash must not.
TEST(Runner, LoggingDoesNotChangeTheHash) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  Runner runner;
  RunOptions options;
  options.log = true;
  options.detail = trace::Detail::everything;
  const RunResult logged = runner.run(scenario, {}, 3, options);
  EXPECT_EQ(logged.hash, runner.run(scenario, {}, 3).hash);
}

// `replay --until` at every tenth event of 20 failing runs continues to the same end.
TEST(Runner, StoppingAndContinuingChangesNothing) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  const auto found = failing_runs(scenario, 20);
  ASSERT_EQ(found.size(), 20u);
  Runner runner;
  for (const Failing& failing : found) {
    for (EventId at = 1; at <= failing.result.events; at += 10) {
      RunOptions options;
      options.branch = Branch{at, std::nullopt, std::nullopt};
      const RunResult result = runner.run(scenario, failing.schedule, failing.seed, options);
      EXPECT_EQ(result.hash, failing.result.hash) << at;
      EXPECT_EQ(result.events, failing.result.events);
    }
  }
}

// Continuing under the same stateless schedule and the same seed state is also the same run; under
// another seed or schedule it is in general not.
TEST(Runner, ContinuingDifferentlyKeepsThePrefix) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  Runner runner;
  RunOptions options;
  options.detail = trace::Detail::everything;
  std::size_t changed = 0;
  for (const Failing& failing : failing_runs(scenario, 10)) {
    const RunResult original = runner.run(scenario, failing.schedule, failing.seed, options);
    RunOptions branched = options;
    branched.branch = Branch{6, faults::Schedule{}, 99};
    const RunResult result = runner.run(scenario, failing.schedule, failing.seed, branched);
    ASSERT_GE(result.records.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(result.records[i].time, original.records[i].time);
      EXPECT_EQ(result.records[i].type, original.records[i].type);
    }
    changed += result.hash != original.hash ? 1 : 0;

    branched.branch = Branch{6, failing.schedule, std::nullopt};
    EXPECT_EQ(runner.run(scenario, failing.schedule, failing.seed, branched).hash, original.hash);
  }
  EXPECT_GE(changed, 8u);
}

TEST(RunFolder, ReplaysFromTheFolderAndFromTheTraceAlone) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  const Failing failing = failing_runs(scenario, 1).at(0);
  Recipe recipe{scenario, failing.schedule, failing.seed, std::nullopt, ""};
  RunOptions options;
  options.detail = trace::Detail::everything;
  options.metrics = true;
  Runner runner;
  const std::string parent = testing::TempDir() + "dissensus_run_folder_test";
  const std::string folder = create_run_folder(parent, scenario.name);
  write_run_folder(folder, recipe, options,
                   runner.run(scenario, failing.schedule, failing.seed, options));
  finish_run_folder(folder);
  for (const std::string& path : {folder, folder + "/trace.jsonl.gz", parent + "/latest"}) {
    const Recipe read = read_recipe(path, simulated_systems());
    EXPECT_EQ(read.schedule, failing.schedule);
    EXPECT_EQ(read.seed, failing.seed);
    EXPECT_EQ(read.hash, trace::to_hex(failing.result.hash));
    EXPECT_EQ(runner.run(read.scenario, read.schedule, read.seed).hash, failing.result.hash);
  }
  const std::string second = create_run_folder(parent, scenario.name);
  EXPECT_NE(second, folder);
  std::filesystem::remove_all(parent);
}

TEST(Runner, TraceLimitCutsTheRecordAndSaysSo) {
  Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  scenario.plan.limits.trace_bytes = 1000;
  Runner runner;
  RunOptions options;
  options.detail = trace::Detail::everything;
  const RunResult result = runner.run(scenario, {}, 1, options);
  EXPECT_TRUE(result.records_cut);
  EXPECT_LT(result.records.size(), result.events);
  EXPECT_EQ(result.hash, runner.run(scenario, {}, 1).hash);
}

TEST(Metrics, CountMessagesAndDecisions) {
  const Scenario scenario = load_scenario(kOvertaken, simulated_systems());
  Runner runner;
  RunOptions options;
  options.metrics = true;
  const std::string json = runner.run(scenario, {}, 1, options).metrics_json;
  EXPECT_NE(json.find("\"Proposal\": {\n        \"sent\": 6"), std::string::npos) << json;
  EXPECT_NE(json.find("\"count\": 3"), std::string::npos) << json;
}

}  // namespace
}  // namespace dissensus::run
