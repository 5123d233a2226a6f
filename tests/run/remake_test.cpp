// A run that is made again is the recorded one, or it is said what is different, where and why.
#include "run/remake.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dissensus/random.h"

#include "core/file.h"
#include "run/recording.h"
#include "run/run_folder.h"
#include "run/schedule_space.h"
#include "systems/built_in/built_in.h"

namespace dissensus::run {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const SystemRegistry& systems() {
  static const SystemRegistry registry = built_in_systems();
  return registry;
}

/// Answers `init` and decides; with the number of its line, or by chance.
constexpr const char* kNode = R"(
import json, os, sys
def value():
    return VALUE
for line in sys.stdin:
    message = json.loads(line)
    body = message.get("body", {})
    if body.get("type") == "init":
        print(json.dumps({"src": message["dest"], "dest": message["src"], "body":
              {"type": "init_ok", "in_reply_to": body["msg_id"]}}))
        print(json.dumps({"type": "decide", "instance": 1, "value": value()}))
    print(json.dumps({"type": "done"}), flush=True)
)";

constexpr const char* kProcessScenario = R"(
format = "dissensus-scenario/1"
name = "relative"
[system]
kind = "process"
command = ["/usr/bin/python3", "pb.py"]
nodes = 2
learn = 0
[oracle]
validity = false
[limits]
virtual_time = "1s"
)";

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

class RemakeTest : public testing::Test {
 protected:
  RemakeTest() : before_(fs::current_path()) {
    std::string pattern = (fs::temp_directory_path() / "dissensus-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    folder_ = pattern;
    fs::create_directories(folder_ / "here");
    fs::create_directories(folder_ / "there");
    fs::current_path(folder_ / "here");
  }
  ~RemakeTest() override {
    fs::current_path(before_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Two nodes that decide this Python expression, recorded in here/run.
  std::string record_programs(const std::string& value) {
    write_program(value);
    write_file("scenario.toml", kProcessScenario);
    Recipe recipe;
    recipe.scenario = load_scenario("scenario.toml", systems());
    recipe.seed = 1;
    const std::string run = (folder_ / "here" / "run").string();
    fs::create_directories(run);
    record_run(run, recipe);
    return run;
  }
  static void write_program(const std::string& value) {
    std::string program = kNode;
    program.replace(program.find("VALUE"), 5, value);
    write_file("pb.py", program);
  }
  static Remake replay(const std::string& run) {
    return make_again(read_recipe(run, systems()), with_everything(), recorded_at(run));
  }

  fs::path before_;
  fs::path folder_;
};

/// A failing run of the tutorial's bug, in `folder`.
Recipe record_failing(const std::string& folder) {
  Recipe recipe;
  recipe.scenario =
      load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml", systems());
  Runner runner;
  for (recipe.seed = 1;; ++recipe.seed) {
    Random random(recipe.seed, "schedule");
    recipe.schedule = random_schedule(recipe.scenario, random);
    const RunResult result = runner.run(recipe.scenario, recipe.schedule, recipe.seed);
    if (result.verdict.outcome != oracle::Outcome::fail) continue;
    fs::create_directories(folder);
    record_run(folder, recipe);
    return read_recipe(folder, systems());
  }
}

TEST_F(RemakeTest, TheSameRunIsTheSame) {
  record_failing("run");
  EXPECT_THAT(replay("run").difference, IsEmpty());
  EXPECT_THAT(replay("run/trace.jsonl.gz").difference, IsEmpty());
}

TEST_F(RemakeTest, AFixedBugIsRecordedFailNowPass) {
  record_failing("run");
  std::string text = read_file("run/scenario.toml", 1 << 20);
  text.replace(text.find("values = [1, 1, 0]"), 18, "values = [1, 1, 0]\nfixed = true");
  write_file("run/scenario.toml", text);
  const Remake remake = replay("run");
  EXPECT_EQ(remake.result.verdict.outcome, oracle::Outcome::pass);
  EXPECT_THAT(
      remake.difference,
      AllOf(HasSubstr("run: the replay differs: recorded fail "
                      "(agreement/decided-differently/outcome) with hash "),
            HasSubstr(", now pass with hash "), HasSubstr("they part at event "),
            HasSubstr("scenario.toml is not what was recorded"), Not(HasSubstr("schedule.json"))));
  EXPECT_THAT(message_of([] {
                make_same(read_recipe("run", systems()), with_everything(), recorded_at("run"));
              }),
              HasSubstr("the replay differs"));
}

TEST_F(RemakeTest, ABugThatCameIsRecordedPassNowFail) {
  const std::string run = record_programs("1");
  write_program("int(message[\"dest\"][1:])");
  const Remake remake = replay(run);
  EXPECT_EQ(remake.result.verdict.outcome, oracle::Outcome::fail);
  EXPECT_THAT(remake.difference,
              AllOf(HasSubstr("recorded pass with hash"),
                    HasSubstr("now fail (agreement/decided-differently/value)"),
                    HasSubstr("then n0 decides value 1 = 1, now n0 decides value 1 = 0"),
                    HasSubstr("pb.py has changed since")));
}

TEST_F(RemakeTest, AHashThatSomebodyChangedIsNamed) {
  record_failing("run");
  std::string text = read_file("run/run.json", 1 << 20);
  text.replace(text.find("\"hash\": \"") + 9, 16, "0123456789abcdef");
  write_file("run/run.json", text);
  EXPECT_THAT(message_of([] { replay("run"); }), HasSubstr("run/run.json: hash: expected \""));
}

TEST_F(RemakeTest, ARunThatChanceDecidesIsNotDeterministic) {
  const std::string run = record_programs("int.from_bytes(os.urandom(4), 'big')");
  try {
    replay(run);
    FAIL() << "no chance was noticed";
  } catch (const NotDeterministic& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("not deterministic: recorded with hash"),
                                    HasSubstr("they part at event "), HasSubstr("n0 decides")));
  }
}

// Wherever the run is made again from, its program is the one beside which it was recorded.
TEST_F(RemakeTest, RelativePathsBeginWhereTheRunWasRecorded) {
  const std::string run = record_programs("1");
  EXPECT_THAT(replay(run).difference, IsEmpty());
  fs::current_path(folder_ / "there");
  EXPECT_THAT(replay(run).difference, IsEmpty());
  // Moved to another machine: the files are where one is now.
  fs::rename(folder_ / "here" / "pb.py", "pb.py");
  EXPECT_THAT(replay(run).difference, IsEmpty());
  fs::remove("pb.py");
  EXPECT_THAT(message_of([&] { replay(run); }),
              AllOf(HasSubstr("run.json: files: no 'pb.py' in "),
                    HasSubstr("where this run was recorded"), Not(HasSubstr("\n"))));
}

// A run whose folder does not say where its files were: what the program says is not hidden.
TEST_F(RemakeTest, WhatAProgramSaysWhenItEndsIsNamed) {
  const std::string run = record_programs("1");
  fs::current_path(folder_ / "there");
  const Remake remake = replay(run + "/trace.jsonl.gz");
  EXPECT_THAT(remake.difference,
              AllOf(HasSubstr("recorded pass"), HasSubstr("now fail (invariant/exit)"),
                    HasSubstr("can't open file"), HasSubstr("pb.py")));
}

}  // namespace
}  // namespace dissensus::run
