// Programs as nodes: what they are told, what they may ask for, and that runs repeat.
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// What nodes logged and decided, a line each.
std::vector<std::string> reports_of(const run::RunResult& result) {
  std::vector<std::string> lines;
  for (const trace::Record& record : result.records) {
    if (record.type == EventType::log) lines.push_back(record.text);
    if (record.type == EventType::decide) {
      lines.push_back(
          fmt::format("{} decides {} {}", record.node, record.number, to_string(record.value)));
    }
  }
  return lines;
}

run::RunResult run_recorded(const run::Scenario& scenario, const std::string& faults = "[]") {
  run::Runner runner;
  run::RunOptions options;
  options.detail = trace::Detail::everything;
  options.log = true;
  const std::string schedule = fmt::format(
      R"({{"format":"dissensus-schedule/1","system":"process","nodes":{},"faults":{}}})",
      scenario.nodes(), faults);
  return runner.run(
      scenario,
      faults::parse_schedule(schedule, "test", scenario.system_description(), scenario.nodes()), 1,
      options);
}

/// A node of the helper library: the class body of one, in Python.
std::string node(const std::string& body) {
  return python("import sys\nsys.path.insert(0, \"" + source("examples/nodes/python") +
                "\")\nfrom node import Node\nclass Test(Node):\n" + body + "\nTest.run()\n");
}

TEST(Programs, KeepTimeByTheWorld) {
  const run::RunResult result = run_recorded(echo_scenario(node(R"(
    def start(self):
        self.set_timer("tick", 250000)
        self.set_timer("never", 100000)
        self.cancel_timer("never")
        self.set_timer("moved", 100000)
        self.set_timer("moved", 300000)
    def timer_tick(self):
        self.log(f"{self.name} tick at {self.now}")
    def timer_never(self):
        self.log("cancelled")
    def timer_moved(self):
        self.log(f"{self.name} moved to {self.now}")
    def on_echo(self, source, body):
        self.reply(source, body, {"type": "echo_ok", "echo": body["echo"]})
)")));
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass);
  const std::vector<std::string> lines = reports_of(result);
  EXPECT_THAT(lines, Contains("n0 tick at 250000"));
  EXPECT_THAT(lines, Contains("n1 tick at 250000"));
  EXPECT_THAT(lines, Contains("n0 moved to 300000").Times(1));
  EXPECT_THAT(lines, Not(Contains("cancelled")));
  EXPECT_THAT(lines, Not(Contains("n0 moved to 100000")));
}

TEST(Programs, FindWhatTheyStoredAfterACrashAndNothingElse) {
  const run::RunResult result =
      run_recorded(echo_scenario(node(R"(
    lives = 0
    def start(self):
        Test.lives += 1
        self.own = 0
        self.store("lives", self.stored.get("lives", 0) + 1)
        self.log(f"{self.name} lives {self.stored['lives']} of {sorted(self.stored)}")
    def on_echo(self, source, body):
        self.own += 1
        self.store("gone", 1)
        self.store("gone", None)
        self.reply(source, body, {"type": "echo_ok", "echo": body["echo"]})
)")),
                   R"([{"type":"crash","node":0,"at":"500ms","restart_after":"100ms"}])");
  const std::vector<std::string> lines = reports_of(result);
  EXPECT_THAT(lines, Contains("n0 lives 1 of ['lives']"));
  EXPECT_THAT(lines, Contains("n0 lives 2 of ['lives']"));
  EXPECT_THAT(lines, Contains("n1 lives 1 of ['lives']").Times(1));
}

TEST(Programs, AnswerEachOtherThemselvesAndServices) {
  const run::RunResult result =
      run_recorded(echo_scenario(node(R"(
    def start(self):
        if self.name != "n0":
            return
        self.send("n0", {"type": "note", "text": "to myself"})
        self.call("n1", {"type": "ask"}, lambda body: self.log(f"answer {body['text']}"))
        self.call("lin-tso", {"type": "ts"}, self.got("ts"))
        self.call("lin-tso", {"type": "ts"}, self.got("ts"))
        for store in ("lin-kv", "seq-kv", "lww-kv"):
            self.call(store, {"type": "read", "key": "k"}, self.got(store))
            self.call(store, {"type": "write", "key": "k", "value": 3}, self.got(store))
            self.call(store, {"type": "cas", "key": "new", "from": 0, "to": 4}, self.got(store))
        self.call("lin-kv", {"type": "cas", "key": "k", "from": 3, "to": 4}, self.got("cas"))
        self.call("lin-kv", {"type": "cas", "key": "k", "from": 3, "to": 5}, self.got("cas"))
        self.call("lin-kv", {"type": "read", "key": "k"}, self.got("then"))
        self.call("lin-kv", {"type": "ts"}, self.got("odd"))
        new = {"type": "cas", "key": "new", "from": 0, "to": 4, "create_if_not_exists": True}
        self.call("lin-kv", new, self.got("made"))
    def got(self, what):
        return lambda body: self.log(
            f"{what} {body['type']} {body.get('ts', body.get('value', body.get('code')))}")
    def on_note(self, source, body):
        self.log(f"note from {source}: {body['text']}")
    def on_ask(self, source, body):
        self.reply(source, body, {"type": "ask_ok", "text": "from n1"})
    def on_echo(self, source, body):
        self.reply(source, body, {"type": "echo_ok", "echo": body["echo"]})
)"),
                                 "services = [\"lin-kv\", \"seq-kv\", \"lww-kv\", \"lin-tso\"]\n"));
  const std::vector<std::string> lines = reports_of(result);
  for (const char* expected :
       {"note from n0: to myself", "answer from n1", "ts ts_ok 0", "ts ts_ok 1", "lin-kv error 20",
        "lin-kv write_ok None", "seq-kv error 20", "seq-kv write_ok None", "lww-kv error 20",
        "lww-kv write_ok None", "cas cas_ok None", "cas error 22", "then read_ok 4", "odd error 10",
        "made cas_ok None"}) {
    EXPECT_THAT(lines, Contains(expected));
  }
}

/// Clients and services are not what is tested.
TEST(Programs, ArePartitionedAndTheirClientsAreNot) {
  const run::Scenario scenario = echo_scenario(node(R"(
    def start(self):
        self.call(self.others()[0], {"type": "hello"}, lambda body: self.log("heard"))
    def on_hello(self, source, body):
        self.reply(source, body, {"type": "hello_ok"})
    def on_echo(self, source, body):
        self.reply(source, body, {"type": "echo_ok", "echo": body["echo"]})
)"));
  EXPECT_THAT(reports_of(run_recorded(scenario)), Contains("heard").Times(2));
  for (const char* cut :
       {R"([{"type":"partition","groups":[[0]],"from":"0s","until":"2s"}])",
        R"([{"type":"cut","shape":"one-way","nodes":[0],"from":"0s","until":"2s"}])"}) {
    const run::RunResult result = run_recorded(scenario, cut);
    EXPECT_THAT(reports_of(result), Not(Contains("heard"))) << cut;
    std::size_t answered = 0;
    std::size_t lost = 0;
    for (const trace::Record& record : result.records) {
      if (record.type != EventType::operation) continue;
      answered += record.detail == static_cast<unsigned>(history::EventKind::ok) ? 1 : 0;
      lost += record.detail > static_cast<unsigned>(history::EventKind::ok) ? 1 : 0;
    }
    EXPECT_GT(answered, 10u) << cut;
    EXPECT_EQ(lost, 0u) << cut;
  }
}

TEST(Programs, ReportToTheOracle) {
  const run::RunResult result = run_recorded(echo_scenario(node(R"(
    def start(self):
        self.propose(1, 7 if self.name == "n0" else 8)
        self.decide(1, 7 if self.name == "n0" else 8)
)")));
  EXPECT_EQ(first_signature(result), "agreement/decided-differently/value");
}

TEST(Programs, MayDeclareInvariantsPhasesAndObservables) {
  const run::RunResult result = run_recorded(echo_scenario(node(R"(
    def start(self):
        self.phase("busy")
        self.observe("load", 3)
        self.round(2)
        self._report("broken", invariant="too-busy", number=3)
)"),
                                                           R"(phases = ["idle", "busy"]
observables = ["load"]
[[system.invariant]]
name = "too-busy"
text = "more work than can be done"
)"));
  ASSERT_FALSE(result.verdict.violations.empty());
  EXPECT_EQ(result.verdict.violations.front().rule, "too-busy");
  EXPECT_THAT(result.verdict.violations.front().text, HasSubstr("more work than can be done"));
}

TEST(Programs, AreUsedAgainForTheNextRun) {
  const run::Scenario scenario = echo_scenario(node(R"(
    count = 0
    def start(self):
        Test.count += 1
        self.decide(Test.count, 1)
    def on_echo(self, source, body):
        self.reply(source, body, {"type": "echo_ok", "echo": body["echo"]})
)"),
                                               "learn = 0\n");
  run::Runner runner;
  run::RunOptions options;
  options.detail = trace::Detail::everything;
  runner.run(scenario, {}, 1, options);
  const run::RunResult second = runner.run(scenario, {}, 1, options);
  // The class remembers: the program is the same one.
  EXPECT_THAT(reports_of(second), Contains("0 decides 2 1"));
}

TEST(Programs, HistoriesAreJudgedAndNamed) {
  const run::Scenario scenario =
      run::load_scenario(source("scenarios/process/echo-broken.toml"), registry());
  run::Runner runner;
  run::RunOptions options;
  options.detail = trace::Detail::everything;
  const run::RunResult result = runner.run(scenario, {}, 1, options);
  ASSERT_EQ(result.verdict.outcome, oracle::Outcome::fail);
  const oracle::Violation& violation = result.verdict.violations.front();
  EXPECT_EQ(violation.property, "history");
  EXPECT_THAT(violation.text, HasSubstr("PLEASE ECHO"));
  EXPECT_GT(violation.event, 0u);
  ASSERT_FALSE(violation.nodes.empty());
  EXPECT_GE(violation.nodes.front(), 3);  // a client
}

struct BadScenario {
  const char* system;
  const char* expected;
};

TEST(Programs, MistakesInScenariosAreSaidInOneLine) {
  const std::vector<BadScenario> cases{
      {"nodes = 2", "system.command"},
      {"command = []\nnodes = 2", "expected a program and its arguments"},
      {"command = [\"x\"]", "system.nodes"},
      {"command = [\"x\"]\nnodes = 2\nservices = [\"big-kv\"]", "big-kv"},
      {"command = [\"x\"]\nnodes = 2\nanchors = [\"leader\"]", "expected some of the phases"},
      {"command = [\"x\"]\nnodes = 2\nspeed = 1", "speed"},
      {"command = [\"x\"]\nnodes = 2\n[system.workload]\nkind = \"lin-kw\"", "lin-kw"},
      {"command = [\"x\"]\nnodes = 2\n[[system.message]]\ntype = \"a\"\nfields = [{name = \"b\", "
       "type = \"colour\"}]",
       "colour"},
  };
  for (const BadScenario& bad : cases) {
    const std::string text = std::string(
                                 "format = \"dissensus-scenario/1\"\nname = \"test\"\n[system]\n"
                                 "kind = \"process\"\n") +
                             bad.system + "\n";
    try {
      run::parse_scenario(text, "test.toml", registry());
      ADD_FAILURE() << bad.system;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.expected));
      EXPECT_THAT(error.what(), ::testing::StartsWith("test.toml:"));
    }
  }
}

// ---- the same node in several languages

run::Scenario key_value(const std::string& command) {
  std::string text = R"(
format = "dissensus-scenario/1"
name = "test"
[system]
kind = "process"
command = )" + command +
                     R"(
nodes = 3
time_scale = "500ms"
[[system.message]]
type = "copy"
[system.workload]
kind = "lin-kv"
interval = "100ms"
until = "3s"
[network]
latency = { uniform = ["1ms", "10ms"] }
[schedule.faults]
partitions = 2
crashes = 2
links = 1
until = "2s"
[oracle]
agreement = true
validity = false
[oracle.history]
model = "lin-kv"
[limits]
virtual_time = "4s"
)";
  return run::parse_scenario(text, "test.toml", registry());
}

std::map<std::string, std::string> languages(const std::string& argument) {
  const std::string tail = argument.empty() ? "]" : ", \"" + argument + "\"]";
  std::map<std::string, std::string> commands{
      {"Python", "[\"/usr/bin/python3\", \"" + source("examples/nodes/python/kv.py") + "\"" + tail},
      {"C++", std::string("[\"") + NODE_KV + "\"" + tail}};
  if (std::filesystem::exists("/usr/bin/node")) {
    commands.emplace("JavaScript", "[\"/usr/bin/node\", \"" +
                                       source("examples/nodes/javascript/kv.js") + "\"" + tail);
  } else {
    fmt::print("JavaScript is left out: there is no /usr/bin/node (scripts/setup test)\n");
  }
  return commands;
}

/// The same node, whatever its language, gives the same run: messages, times, histories.
TEST(Languages, OneNodeHasOneHash) {
  std::map<std::uint64_t, std::map<std::string, std::uint64_t>> hashes;
  for (const auto& [language, command] : languages("")) {
    const run::Scenario scenario = key_value(command);
    run::Runner runner;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const run::RunResult result = run_random(runner, scenario, seed);
      EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
          << language << " seed " << seed << " " << first_signature(result);
      hashes[seed][language] = result.hash;
    }
  }
  for (const auto& [seed, by_language] : hashes) {
    for (const auto& [language, hash] : by_language) {
      EXPECT_EQ(hash, by_language.at("Python")) << language << " seed " << seed;
    }
  }
}

TEST(Languages, TheBugIsFoundInEach) {
  for (const auto& [language, command] : languages("--local")) {
    const run::Scenario scenario = key_value(command);
    run::Runner runner;
    std::string found;
    for (std::uint64_t seed = 1; seed <= 20 && found.empty(); ++seed) {
      found = first_signature(run_random(runner, scenario, seed));
    }
    EXPECT_EQ(found, "history/not-linearizable") << language;
  }
}

}  // namespace
}  // namespace dissensus::process
