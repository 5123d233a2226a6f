#include "run/scenario.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "core/limits.h"
#include "core/toml_text.h"
#include "run/runner.h"
#include "run/scenario_file.h"
#include "systems/built_in/built_in.h"

namespace dissensus::run {
namespace {

namespace fs = std::filesystem;
const std::string kSource = DISSENSUS_SOURCE_DIR;

std::string error_of(const std::string& text) {
  try {
    parse_scenario(text, "s.toml", built_in_systems());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kHead =
    "format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"majority\"\nvalues = [1, "
    "1, 0]\n";

// The complete example of docs/formats/scenario.md is what the reader accepts.
TEST(Scenario, DocumentedExampleIsValid) {
  const std::string page = read_file(kSource + "/docs/formats/scenario.md", kScenarioBytesMax);
  const std::size_t begin = page.find("```toml\n") + 8;
  const std::size_t end = page.find("```", begin);
  const Scenario scenario =
      parse_scenario(page.substr(begin, end - begin), "scenario.md", built_in_systems());
  EXPECT_EQ(scenario.nodes(), 3u);
  EXPECT_EQ(scenario.plan.models.size(), 2u);
  EXPECT_EQ(scenario.plan.skew[1].offset, Duration(-20'000));
  EXPECT_EQ(scenario.plan.start[2], Time{} + Duration(10'000));
  EXPECT_EQ(scenario.oracle.rules.size(), 1u);
  EXPECT_EQ(scenario.plan.limits.events, 100'000u);
  EXPECT_FALSE(scenario.stop_on_violation);
  EXPECT_TRUE(scenario.metrics.has(MetricGroup::latency));
  EXPECT_FALSE(scenario.metrics.has(MetricGroup::bytes));
}

TEST(Scenario, EveryShippedScenarioIsValidAndHasItsOwnName) {
  std::size_t count = 0;
  std::set<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(kSource + "/scenarios")) {
    if (file.path().extension() != ".toml") continue;
    const Scenario scenario = load_scenario(file.path().string(), built_in_systems());
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_FALSE(scenario.description.empty()) << file.path();
    ++count;
  }
  EXPECT_GE(count, 1u);
}

TEST(Scenario, MistakesAreNamed) {
  EXPECT_EQ(error_of(""), "s.toml:1: format: missing, expected format = \"dissensus-scenario/1\"");
  EXPECT_EQ(error_of("format = \"dissensus-scenario/9\""),
            "s.toml:1: format: expected \"dissensus-scenario/1\", found \"dissensus-scenario/9\"");
  EXPECT_EQ(error_of("format = \"dissensus-scenario/1\"\nname = \"a/b\""),
            "s.toml:2: name: expected 1 to 80 letters, digits, '-' or '.', since folders are named "
            "after it");
  EXPECT_EQ(error_of(kHead + "valuess = 1\n"), "s.toml:6: system.valuess: unknown key");
  EXPECT_EQ(error_of(kHead + "[netwrk]\nloss = 0.1\n"),
            "s.toml:6: netwrk: unknown key, did you mean 'network'?");
  EXPECT_EQ(error_of(kHead + "[network]\nloss = 1.5\n"),
            "s.toml:7: network.loss: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(error_of(kHead + "[network]\nlatency = { uniform = [\"5ms\", \"1ms\"] }\n"),
            "s.toml:7: network.latency.uniform: expected [minimum, maximum]");
  EXPECT_EQ(error_of(kHead + "[[network.link]]\nfrom = 3\n"),
            "s.toml:7: network.link[0].from: expected an integer from 0 to 2, found 3");
  EXPECT_EQ(error_of(kHead + "[clocks]\noffset = [\"1s\"]\n"),
            "s.toml:7: clocks.offset: expected one value per node (3), found 1");
  EXPECT_EQ(error_of(kHead + "[schedule]\nkinds = [\"Comit\"]\n"),
            "s.toml:7: schedule.kinds[0]: no such message kind 'Comit', did you mean 'Commit'? "
            "(known: Proposal, Commit)");
  EXPECT_EQ(error_of(kHead + "[oracle.termination]\nlevel = \"ledger\"\nbound = \"1s\"\n"),
            "s.toml:7: oracle.termination.level: no such decision level 'ledger' (known: outcome)");
  EXPECT_EQ(error_of(kHead + "[limits]\nevents = -1\n"),
            "s.toml:7: limits.events: expected an integer from 1 to 4000000000, found -1");
  EXPECT_EQ(error_of(kHead + "[phases]\nheal = \"1s\"\n"),
            "s.toml:6: phases.faults: missing, but it is required");
  EXPECT_EQ(error_of(kHead + "[[workload]]\nat = \"1s\"\nnode = 0\n"),
            "s.toml:6: workload[0]: system majority takes no workload");
  EXPECT_NE(
      error_of("format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"majorty\"\n")
          .find("no such system 'majorty', did you mean 'majority'?"),
      std::string::npos);
}

// A scenario of real servers and its twin have the same messages, so that schedules fit both.
TEST(Scenario, AVariantSaysWhatIsDifferentFromItsBase) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("scenario-base-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  write("base.toml", kHead + "[limits]\nevents = 500\n");
  const std::string variant = write(
      "variant.toml", "base = \"base.toml\"\nname = \"y\"\n[system]\nvalues = [1, 1, 1, 0, 0]\n");
  const Scenario scenario = load_scenario(variant, built_in_systems());
  EXPECT_EQ(scenario.name, "y");
  EXPECT_EQ(scenario.nodes(), 5u);
  EXPECT_EQ(scenario.plan.limits.events, 500u);
  // What is kept of a run needs no other file.
  EXPECT_EQ(parse_scenario(scenario.text, "kept", built_in_systems()).nodes(), 5u);
  const auto error_in = [](const std::string& path) -> std::string {
    try {
      load_scenario(path, built_in_systems());
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string third = write("third.toml", "base = \"variant.toml\"\n");
  EXPECT_EQ(error_in(third), third + ":1: base: expected a scenario that has no base itself");
  const std::string header = write("header.toml", "base = \"base.toml\"\n[[workload]]\n");
  EXPECT_EQ(error_in(header), header + ":2: workload: expected key = [...], found a header");
  fs::remove_all(folder);
}

TEST(Scenario, RequestsNameMachinesOfClients) {
  const auto servers = [](const std::string& more) {
    return "format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"server\"\nnodes = "
           "3\nclients = 2\ncommand = [\"/bin/true\"]\n[[workload]]\nat = \"1s\"\ncommand = "
           "[\"/bin/true\"]\n" +
           more;
  };
  const Scenario scenario = parse_scenario(servers("client = 1\n"), "s.toml", built_in_systems());
  EXPECT_EQ(scenario.plan.submissions.at(0).node, 4u);
  EXPECT_EQ(error_of(servers("client = 2\n")),
            "s.toml:11: workload[0].client: expected an integer from 0 to 1, found 2");
  EXPECT_EQ(error_of(servers("client = 1\nnode = 1\n")),
            "s.toml:11: workload[0].client: expected node or client, not both");
  EXPECT_EQ(error_of(kHead + "[[workload]]\nat = \"1s\"\nclient = 0\n"),
            "s.toml:8: workload[0].client: this system has no machines for clients");
}

TEST(Scenario, RealServersHaveASimulatedTwin) {
  const std::string text = R"(format = "dissensus-scenario/1"
name = "live"

[system]
kind = "rippled"   # real ones
nodes = 4
servers = { log_level = "debug" }

[network]
latency = "3ms"

[limits]
virtual_time = "1min"
)";
  const Scenario live = parse_scenario(text, "live.toml", built_in_systems());
  EXPECT_TRUE(live.system->traits().outside);
  EXPECT_TRUE(live.system->traits().repeatable);
  const Scenario twin = simulated_twin(live, built_in_systems());
  EXPECT_FALSE(twin.system->traits().outside);
  EXPECT_TRUE(twin.system->traits().repeatable);
  EXPECT_EQ(twin.system_description().name, "xrpl");
  EXPECT_EQ(twin.plan.models.front().latency.a, std::chrono::milliseconds(3));
  const auto& kinds = live.system_description().kinds;
  ASSERT_EQ(kinds.size(), twin.system_description().kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(kinds[i].name, twin.system_description().kinds[i].name);
    EXPECT_EQ(kinds[i].step, twin.system_description().kinds[i].step);
    const auto& fields = live.system_description().payloads[kinds[i].payload].fields;
    const auto& others =
        twin.system_description().payloads[twin.system_description().kinds[i].payload].fields;
    ASSERT_EQ(fields.size(), others.size()) << kinds[i].name;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      EXPECT_EQ(fields[field].name, others[field].name) << kinds[i].name;
      EXPECT_EQ(fields[field].small_scope, others[field].small_scope) << fields[field].name;
    }
  }
  ASSERT_EQ(live.system_description().levels.size(), twin.system_description().levels.size());
}

TEST(Scenario, TheServersTableGoesWithTheServers) {
  const std::string text = R"(format = "dissensus-scenario/1"
name = "live"
[system]
kind = "rippled"
[system.servers]
log_level = "debug"
start_limit = "1min"
[schedule]
type = "delay"
)";
  const Scenario twin =
      simulated_twin(parse_scenario(text, "live.toml", built_in_systems()), built_in_systems());
  EXPECT_EQ(twin.space.type, ScheduleSpace::Type::delay);
  std::string loud = text;
  loud.replace(loud.find("debug"), 5, "loud");
  EXPECT_EQ(error_of(loud),
            "s.toml:6: system.servers.log_level: expected one of trace, debug, info, warning, "
            "error, found 'loud'");
}

// Requests and answers that are 3 s late each come after 5.25 s, when a node has given up: with B3
// for good. Who begins anew, or takes what still comes, has a network that goes on.
TEST(Scenario, TheStrictRuleOfB3IsBrokenByTheBug) {
  TomlText text(read_scenario(kSource + "/scenarios/xrpl/b3-dead.toml"), "b3-dead");
  Runner runner;
  std::vector<std::size_t> failing;
  for (const std::string bugs : {"[]", "[\"B3-fixed\"]", "[\"B3-cured\"]"}) {
    text.set("system.bugs", bugs);
    const Scenario scenario = parse_scenario(text.text(), "b3-dead", built_in_systems());
    const faults::GeneSpace genes = scenario.genes();
    faults::DelaySchedule delays;
    delays.delay_ms.assign(genes.size(), 0);
    for (std::size_t gene = 0; gene < genes.size(); ++gene) {
      const std::string& kind = scenario.system_description().kinds[genes.gene(gene).kind].name;
      if (kind == "GetLedger" || kind == "LedgerData") delays.delay_ms[gene] = 3'000;
    }
    faults::Schedule schedule;
    schedule.scheduler = delays;
    failing.push_back(0);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const RunResult result = runner.run(scenario, schedule, seed);
      EXPECT_NE(result.verdict.outcome, oracle::Outcome::unknown);
      if (result.verdict.outcome != oracle::Outcome::fail) continue;
      EXPECT_EQ(result.verdict.violations.front().signature(), "termination/dead/built");
      ++failing.back();
    }
  }
  EXPECT_GT(failing[0], 0u);
  EXPECT_EQ(failing[1], 0u);
  EXPECT_EQ(failing[2], 0u);
}

}  // namespace
}  // namespace dissensus::run
