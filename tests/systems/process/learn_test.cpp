// Kinds of messages that nobody declared: they are learned when a scenario is read, and then work
// as declared ones do.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "faults/mutation.h"
#include "run/recording.h"
#include "systems/process/message.h"
#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The Raft of the examples without a word about its messages.
run::Scenario undeclared_raft(const std::string& more = {}) {
  std::string text = read_file(source("scenarios/process/raft.toml"), 1 << 20);
  for (std::size_t at; (at = text.find("[[system.message]]")) != std::string::npos;) {
    const std::size_t next = text.find("\n[", at + 1);
    text.erase(at, next + 1 - at);
  }
  const std::string nodes = "nodes = 3\n";
  text.insert(text.find(nodes) + nodes.size(), more);
  const std::string folder = "examples/nodes";
  text.replace(text.find(folder), folder.size(), source(folder));
  return run::parse_scenario(text, "raft.toml", registry());
}

std::vector<std::string> kind_names(const run::Scenario& scenario) {
  std::vector<std::string> names;
  for (const KindDescription& kind : scenario.system_description().kinds)
    names.push_back(kind.name);
  return names;
}

std::map<std::string, SemanticType> fields_of(const SystemDescription& description,
                                              const std::string& kind) {
  std::map<std::string, SemanticType> fields;
  const std::size_t payload = description.kinds.at(description.find_kind(kind)).payload;
  for (const FieldDescription& field : description.payloads[payload].fields) {
    fields[field.name] = field.type;
  }
  return fields;
}

TEST(LearnedKinds, AreThoseThatProgramsSend) {
  const run::Scenario scenario = undeclared_raft();
  const std::vector<std::string> names = kind_names(scenario);
  for (const char* name : {"request_vote", "vote", "append", "append_reply"}) {
    EXPECT_THAT(names, Contains(name));
  }
  const SystemDescription& description = scenario.system_description();
  auto append = fields_of(description, "append");
  EXPECT_EQ(append["term"], SemanticType::round);
  EXPECT_EQ(append["previous"], SemanticType::sequence);
  EXPECT_EQ(append["previous_term"], SemanticType::round);
  EXPECT_EQ(append["commit"], SemanticType::sequence);
  EXPECT_EQ(append["entries"], SemanticType::value);
  EXPECT_EQ(fields_of(description, "vote")["granted"], SemanticType::boolean);
}

TEST(LearnedKinds, AreTheSameEachTime) {
  const run::Scenario first = undeclared_raft();
  const run::Scenario second = undeclared_raft();
  EXPECT_EQ(kind_names(first), kind_names(second));
  run::Runner runner;
  const run::RunResult result = run_random(runner, first, 5);
  EXPECT_EQ(result.hash, run_random(runner, second, 5).hash);
}

TEST(LearnedKinds, LeaveRunsAsTheyAre) {
  // What is called differently has another hash, but the same happens.
  const run::Scenario learned = undeclared_raft();
  const run::Scenario not_learned = undeclared_raft("learn = 0\n");
  EXPECT_THAT(kind_names(not_learned), Not(Contains("append")));
  run::Runner runner;
  const run::RunResult a = run_random(runner, learned, 5);
  const run::RunResult b = run_random(runner, not_learned, 5);
  EXPECT_EQ(a.events, b.events);
  EXPECT_GT(a.sent[learned.system_description().find_kind("append")], 20u);
  EXPECT_EQ(a.sent[kOther], 0u);
}

TEST(LearnedKinds, AreAddressedBySchedules) {
  const run::Scenario scenario = undeclared_raft();
  const std::size_t nodes = scenario.nodes();
  // Votes get nowhere before the faults are over: nobody leads, and nothing is appended.
  const std::string text = fmt::format(
      R"({{"format":"dissensus-schedule/1","system":"process","nodes":{},
           "delays_ms":{{"vote":{{"*>*":60000}}}}}})",
      nodes);
  run::Runner runner;
  const run::RunResult result = runner.run(
      scenario, faults::parse_schedule(text, "test", scenario.system_description(), nodes), 1);
  const MessageKind append = scenario.system_description().find_kind("append");
  EXPECT_GT(result.sent[scenario.system_description().find_kind("vote")], 0u);
  EXPECT_LT(3 * result.sent[append], runner.run(scenario, {}, 1).sent[append]);
}

TEST(LearnedKinds, AreNamedInTraces) {
  const run::Scenario scenario = undeclared_raft();
  run::Runner runner;
  run::RunOptions options = run::with_everything();
  const run::RunResult result = run_random(runner, scenario, 1, options);
  const MessageKind append = scenario.system_description().find_kind("append");
  const auto is_append = [append](const trace::Record& record) {
    return record.type == EventType::send && record.kind == append && record.fields.size() > 3;
  };
  EXPECT_GT(std::count_if(result.records.begin(), result.records.end(), is_append), 20);
}

TEST(LearnedKinds, ATypePerMessageIsNoKind) {
  const std::string many = python(R"(
import json, sys
count = 0
def say(line):
    print(json.dumps(line), flush=True)
for text in sys.stdin:
    line = json.loads(text)
    body = line.get("body", {})
    if body.get("type") == "init":
        name = body["node_id"]
        say({"src": name, "dest": line["src"], "body": {"type": "init_ok", "in_reply_to": 1}})
    elif body.get("type") == "echo":
        for i in range(10):
            count += 1
            say({"src": name, "dest": "n1" if name == "n0" else "n0", "body": {"type": f"gossip{count}"}})
        say({"src": name, "dest": line["src"], "body": {"type": "echo_ok", "echo": body["echo"], "in_reply_to": body["msg_id"]}})
    say({"type": "done"})
)");
  const run::Scenario scenario = echo_scenario(many);
  EXPECT_LE(scenario.system_description().kinds.size(), 4u + 32u);
}

/// A liar of small scope changes a field by what it means, and the program still gets a value of
/// the sort that it expects.
TEST(Fields, AreChangedByWhatTheyMean) {
  const run::Scenario scenario = echo_scenario("[\"/bin/true\"]", R"(
learn = 0
[[system.message]]
type = "state"
fields = [{ name = "leader", type = "node" }, { name = "members", type = "node_set" }, { name = "term", type = "round" },
  { name = "granted", type = "boolean" }, { name = "entries", type = "value" }, { name = "load", type = "number" },
  { name = "digest", type = "hash" }]
)");
  const SystemDescription& description = scenario.system_description();
  const auto make = [&description](const char* body) {
    ProcessMessage message;
    message.message_kind = description.find_kind("state");
    message.body = std::make_shared<std::string>(nlohmann::json::parse(body).dump());
    return message;
  };
  MessagePool pool;
  faults::SeenValues seen(description);
  seen.note(pool.make(
      make(R"({"type":"state","leader":"n0","members":[],"entries":["b"],"digest":"bb"})"),
      description));
  const Message message =
      pool.make(make(R"({"type":"state","leader":"n1","members":["n0","n1"],"term":4,"granted":true,
               "entries":["a",1],"load":0.5,"digest":"aa"})"),
                description);
  const auto changed = [&](std::string_view field) {
    for (std::uint64_t seed = 0;; ++seed) {
      const faults::Mutation mutation = faults::mutate(
          message, {faults::MutationScope::small, seed, field, 2}, seen, description, pool);
      if (!mutation.message) continue;  // it drew what was there
      return nlohmann::json::parse(
          *mutation.message.get<ProcessMessage>()->body)[std::string(field)];
    }
  };
  EXPECT_EQ(changed("leader"), "n0");
  EXPECT_THAT(changed("members").dump(), ::testing::AnyOf(R"(["n0"])", R"(["n1"])"));
  EXPECT_THAT(changed("term").get<int>(), ::testing::AnyOf(3, 5));
  EXPECT_EQ(changed("granted"), false);
  EXPECT_EQ(changed("entries").dump(), R"(["b"])") << "what somebody has seen";
  EXPECT_TRUE(changed("load").is_number_float());
  EXPECT_EQ(changed("digest"), "bb");
}

TEST(Fields, ThatNobodyHasSeenAnotherValueOfKeepTheirSort) {
  const run::Scenario scenario = echo_scenario("[\"/bin/true\"]", R"(
learn = 0
[[system.message]]
type = "append"
fields = [{ name = "entries", type = "value" }]
)");
  const SystemDescription& description = scenario.system_description();
  ProcessMessage append;
  append.message_kind = description.find_kind("append");
  append.body = std::make_shared<std::string>(R"({"entries":[1,2],"type":"append"})");
  MessagePool pool;
  const faults::SeenValues seen(description);
  const faults::Mutation mutation =
      faults::mutate(pool.make(append, description),
                     {faults::MutationScope::small, 1, "entries", 2}, seen, description, pool);
  ASSERT_TRUE(mutation.message);
  EXPECT_EQ(*mutation.message.get<ProcessMessage>()->body, R"({"entries":[1],"type":"append"})");
}

}  // namespace
}  // namespace dissensus::process
