// Logs of running nodes: any order that causality allows may be the model's, nothing else is a
// refusal, and what was read is forgotten.
#include "conform/follow.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/token_ring.h"

namespace dissensus::conform {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using Result = FollowReport::Result;

/// A lock that one node at a time holds.
constexpr std::string_view kLock = R"text(
---- MODULE Model ----
EXTENDS Integers
VARIABLES holder, turns
Init == holder = -1 /\ turns = 0
Acquire(n) == holder = -1 /\ holder' = n /\ turns' = (turns + 1) % 8
Release(n) == holder = n /\ holder' = -1 /\ UNCHANGED turns
Lose == holder # -1 /\ holder' = -1 /\ UNCHANGED turns
Next == (\E n \in 0..1 : Acquire(n) \/ Release(n)) \/ Lose
====
)text";

constexpr std::string_view kLockMapping = R"text(
format = "dissensus-mapping/1"
spec = "Model.tla"
[[step]]
name = "acquire"
[[step]]
name = "release"
[[event]]
name = "acquire"
is = "Acquire(node)"
[[event]]
name = "release"
is = "Release(node)"
[[view]]
name = "turns"
model = "turns"
implementation = "state.turns"
)text";

class FollowTest : public testing::Test {
 protected:
  FollowTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("dissensus-follow-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~FollowTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name) << text;
  }

  void given(std::string_view model, const std::string& mapping, const FollowOptions& options = {},
             std::size_t logs = 2) {
    write("Model.tla", model);
    write("mapping.toml", mapping);
    mapping_ = load_mapping((folder_ / "mapping.toml").string());
    std::vector<std::string> names;
    for (std::size_t log = 0; log < logs; ++log) names.push_back("node-" + std::to_string(log));
    follower_ = std::make_unique<Follower>(mapping_, Variant{}, SystemRegistry{}, names, options);
  }
  void given_lock(const FollowOptions& options = {}, const std::string& more = "") {
    given(kLock, more + std::string(kLockMapping), options);
  }

  void see(std::size_t node, const std::string& rest) {
    follower_->add(node, "{\"node\": " + std::to_string(node) + ", " + rest + "}");
  }
  FollowReport finish() {
    follower_->end(0);
    follower_->end(1);
    follower_->advance();
    return follower_->report();
  }

  std::filesystem::path folder_;
  Mapping mapping_;
  std::unique_ptr<Follower> follower_;
};

// Node 1's clock is behind: it seems to acquire while node 0 holds the lock.
TEST_F(FollowTest, CausalityAdmitsWhatAnOrderByTimeWouldRefuse) {
  const auto see_all = [&] {
    see(0, R"("at": 1.0, "step": "acquire")");
    see(1, R"("at": 1.5, "step": "acquire", "receives": ["free"])");
    see(0, R"("at": 2.0, "step": "release", "sends": ["free"])");
    see(1, R"("at": 2.5, "step": "release")");
  };
  given_lock();
  see_all();
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::conforms);
  EXPECT_EQ(report.steps, 4u);
  EXPECT_EQ(report.waiting, 0u);
  EXPECT_THAT(report.not_covered, IsEmpty());

  FollowOptions by_time;
  by_time.skew_seconds = 0;
  given_lock(by_time);
  see_all();
  // Now a message is received before it is sent.
  EXPECT_THROW(finish(), InputError);
}

TEST_F(FollowTest, TimesOrderWhatIsFurtherApartThanClocksAre) {
  const auto see_all = [&] {
    see(0, R"("at": 1.0, "step": "acquire")");
    see(1, R"("at": 1.5, "step": "acquire")");
    see(1, R"("at": 1.6, "step": "release")");
    see(0, R"("at": 2.0, "step": "release")");
  };
  FollowOptions options;
  options.skew_seconds = 1.0;
  given_lock(options);
  see_all();
  EXPECT_EQ(finish().result, Result::conforms) << "node 1 may have been first";

  options.skew_seconds = 0.1;
  given_lock(options);
  see_all();
  EXPECT_EQ(finish().result, Result::violation);
}

// Arrival alternates between the nodes, so that the only orders of the model are far from it.
TEST_F(FollowTest, EveryOrderOfConcurrentStepsIsTried) {
  given_lock();
  for (int turn = 0; turn < 3; ++turn) {
    see(0, R"("step": "acquire")");
    see(1, R"("step": "acquire")");
    see(1, R"("step": "release")");
    see(0, R"("step": "release")");
  }
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::conforms);
  EXPECT_GT(report.most_readings, 1u);
}

// What a node logs about itself may say which order it was: turns are counted.
TEST_F(FollowTest, ViewsChooseAmongTheOrders) {
  given_lock();
  see(0, R"("step": "acquire", "state": {"turns": 2})");
  see(1, R"("step": "acquire", "state": {"turns": 1})");
  see(1, R"("step": "release")");
  see(0, R"("step": "release")");
  EXPECT_EQ(finish().result, Result::conforms);

  given_lock();
  see(0, R"("step": "acquire", "state": {"turns": 2})");
  see(0, R"("step": "release")");
  see(1, R"("step": "acquire", "state": {"turns": 2})");
  const FollowReport report = finish();
  ASSERT_EQ(report.result, Result::violation);
  ASSERT_FALSE(report.refusal->violation.differences.empty());
  EXPECT_EQ(report.refusal->violation.differences.front().view, "turns");
}

TEST_F(FollowTest, ARefusalNamesLineGuardAndState) {
  given_lock();
  see(0, R"("step": "acquire", "sends": [1])");
  see(1, R"("receives": [1])");
  see(1, R"("step": "acquire")");
  const FollowReport report = finish();
  ASSERT_EQ(report.result, Result::violation);
  ASSERT_TRUE(report.refusal);
  EXPECT_EQ(report.refusal->log, "node-1");
  EXPECT_EQ(report.refusal->line, 2u);
  EXPECT_EQ(report.refusal->node, 1u);
  EXPECT_THAT(report.refusal->text, HasSubstr("acquire"));
  ASSERT_FALSE(report.refusal->violation.guards.empty());
  EXPECT_EQ(report.refusal->violation.guards.front().text, "holder = -1");
  EXPECT_THAT(report.refusal->state, Contains(testing::Pair("holder", "0")));
}

// Nobody waits for the end of the logs: the others' next lines are there, and come later.
TEST_F(FollowTest, ARefusalIsToldWhileTheNodesRun) {
  given_lock();
  see(0, R"("step": "acquire", "sends": [1])");
  see(1, R"("step": "acquire", "receives": [1], "sends": [2])");
  EXPECT_TRUE(follower_->advance()) << "node 0 may release before it";
  see(0, R"("step": "release", "receives": [2])");
  EXPECT_FALSE(follower_->advance());
  EXPECT_EQ(follower_->report().result, Result::violation);
}

// With a lag, silence says enough.
TEST_F(FollowTest, WhoeverIsSilentForLongIsNotWaitedFor) {
  given_lock();
  follower_->add(0, R"({"node": 0, "step": "acquire"})", 10.0);
  follower_->add(1, R"({"node": 1, "step": "acquire"})", 10.1);
  EXPECT_TRUE(follower_->advance(11.0));
  EXPECT_FALSE(follower_->advance(16.0));
  EXPECT_EQ(follower_->report().result, Result::violation);

  FollowOptions patient;
  patient.lag_seconds = 0;
  given_lock(patient);
  follower_->add(0, R"({"node": 0, "step": "acquire"})", 10.0);
  follower_->add(1, R"({"node": 1, "step": "acquire"})", 10.1);
  EXPECT_TRUE(follower_->advance(1000.0));
  const FollowReport report = follower_->report();
  EXPECT_EQ(report.result, Result::conforms) << "as far as it could be read";
  EXPECT_EQ(report.waiting, 2u);
}

TEST_F(FollowTest, HiddenStepsAreConsideredBeforeEveryLine) {
  const std::string hidden = "\n[[hidden]]\naction = \"Lose\"\n";
  const auto see_all = [&] {
    see(0, R"("step": "acquire", "sends": [1])");
    see(1, R"("step": "acquire", "receives": [1])");
  };
  given(kLock, std::string(kLockMapping) + hidden);
  see_all();
  EXPECT_EQ(finish().result, Result::conforms);
  given_lock();
  see_all();
  EXPECT_EQ(finish().result, Result::violation);
}

// Six orders of three independent steps: with one kept a refusal proves nothing.
TEST_F(FollowTest, ALimitMakesARefusalUnknown) {
  const auto see_all = [&] {
    see(0, R"("step": "acquire")");
    see(1, R"("step": "acquire")");
    see(1, R"("step": "release")");
    see(0, R"("step": "release")");
    see(0, R"("step": "release")");
  };
  FollowOptions narrow;
  narrow.limits.states = 1;
  given_lock(narrow);
  see_all();
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::unknown);
  EXPECT_TRUE(report.refusal);
  EXPECT_THAT(report.not_covered, Contains(HasSubstr("more than 1 ways")));
  given_lock();
  see_all();
  EXPECT_EQ(finish().result, Result::violation);
}

TEST_F(FollowTest, AHiddenStepLimitMakesARefusalUnknown) {
  const std::string hidden = "\n[[hidden]]\naction = \"Lose\"\nmost = 3\n";
  FollowOptions narrow;
  narrow.limits.hidden = 1;
  given(kLock, std::string(kLockMapping) + hidden, narrow);
  see(0, R"("step": "acquire", "sends": [1])");
  see(1, R"("step": "release", "receives": [1])");
  EXPECT_EQ(finish().result, Result::unknown);
}

TEST_F(FollowTest, LogsWithoutAStepAreUnknown) {
  given_lock();
  see(0, R"("sends": [1])");
  see(1, R"("receives": [1])");
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::unknown);
  EXPECT_THAT(report.not_covered, Contains("no log has a step"));
}

TEST_F(FollowTest, AReceiveWithoutASendOrdersNothing) {
  given_lock();
  see(0, R"("step": "acquire", "receives": ["from outside"])");
  see(0, R"("step": "release")");
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::conforms);
  EXPECT_EQ(report.lone_receives, 1u);
  EXPECT_THAT(report.not_covered, Contains(HasSubstr("1 receives whose send is in no log")));
}

// The log of node 0 ends too early: nobody knows what it did before it sent the message.
TEST_F(FollowTest, ARefusalIsUnknownWhereLinesAreMissing) {
  given_lock();
  see(0, R"("step": "acquire", "sends": [1])");
  see(1, R"("step": "acquire", "receives": [1, 2])");
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::unknown);
  EXPECT_TRUE(report.refusal);
}

TEST_F(FollowTest, ACircleOfMessagesIsBadInput) {
  given_lock();
  see(0, R"("step": "acquire", "receives": ["b"], "sends": ["a"])");
  see(1, R"("step": "acquire", "receives": ["a"], "sends": ["b"])");
  EXPECT_THROW(finish(), InputError);
}

// A counter per node: steps commute, and are said to.
constexpr std::string_view kCounters = R"text(
---- MODULE Model ----
EXTENDS Integers
VARIABLES count, total
Init == count = [n \in 0..1 |-> 0] /\ total = 0
Step(n) == count' = [count EXCEPT ![n] = (@ + 1) % 5] /\ total' = (total + n + 1) % 7
Next == \E n \in 0..1 : Step(n)
====
)text";
constexpr std::string_view kCounterMapping = R"text(
format = "dissensus-mapping/1"
spec = "Model.tla"
stable = true
[[step]]
name = "step"
[[event]]
name = "step"
is = "Step(node)"
[[view]]
name = "count"
model = "count[node]"
implementation = "state.count"
)text";

TEST_F(FollowTest, StableStepsAreReadInOneOrder) {
  given(kCounters, std::string(kCounterMapping));
  for (int turn = 1; turn <= 100; ++turn) {
    for (const std::size_t node : {0u, 1u}) {
      see(node, R"("step": "step", "state": {"count": )" + std::to_string(turn % 5) + "}");
    }
  }
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::conforms);
  EXPECT_EQ(report.most_readings, 1u);
  EXPECT_GT(report.checked_pairs, 10u);
}

TEST_F(FollowTest, StepsThatAreSaidToBeStableAndAreNotRefuseNothing) {
  given_lock({}, "stable = true\n");
  see(0, R"("step": "acquire")");
  see(1, R"("step": "acquire")");
  see(0, R"("step": "release")");
  see(1, R"("step": "acquire")");
  const FollowReport report = finish();
  EXPECT_EQ(report.result, Result::unknown);
  EXPECT_THAT(report.not_covered, Contains(HasSubstr("calls stable")));
}

// Two nodes hand the lock to each other, for long; every line has a value that no other has.
TEST_F(FollowTest, MemoryDoesNotGrowWithTheLogs) {
  const int turns = 5'000;
  const auto most_bytes_with = [&](std::size_t collect_bytes) {
    FollowOptions options;
    options.messages_most = 100;
    options.collect_bytes = collect_bytes;
    given_lock(options);
    std::size_t most_bytes = 0;
    for (int turn = 0; turn < turns; ++turn) {
      const std::size_t node = static_cast<std::size_t>(turn % 2);
      const std::string number = std::to_string(turn);
      see(node, R"("step": "acquire", "state": {"turns": )" + std::to_string((turn + 1) % 8) +
                    R"(, "stamp": "turn )" + number + "\"}" +
                    (turn == 0 ? "" : ", \"receives\": [" + std::to_string(turn - 1) + "]"));
      see(node, R"("step": "release", "sends": [)" + number + "]");
      EXPECT_TRUE(follower_->advance());
      most_bytes = std::max(most_bytes, follower_->store_bytes());
      EXPECT_LE(follower_->messages_known(), 110u);
      EXPECT_LE(follower_->report().waiting, 10u);
    }
    const FollowReport report = finish();
    EXPECT_EQ(report.result, Result::conforms);
    EXPECT_EQ(report.steps, 2u * turns);
    return most_bytes;
  };
  const std::size_t little = std::size_t{64} << 10;
  const std::size_t collected = most_bytes_with(little);
  const std::size_t kept = most_bytes_with(std::size_t{1} << 30);
  EXPECT_GT(kept, collected + 4 * little) << "the control: values that nobody frees";
}

TEST_F(FollowTest, MistakesInLinesAreNamed) {
  const auto message = [&](const std::string& line) -> std::string {
    given_lock();
    try {
      follower_->add(0, line);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("{"), HasSubstr("node-0:1: column"));
  EXPECT_THAT(message("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(message(R"({"step": "acquire"})"), HasSubstr("node: expected"));
  EXPECT_THAT(message(R"({"node": 0, "step": "aquire"})"), HasSubstr("acquire"));
  EXPECT_THAT(message(R"({"node": 0, "stp": "acquire"})"), HasSubstr("stp: unknown key"));
  EXPECT_THAT(message(R"({"node": 0, "step": "acquire", "args": {"x": 1}})"),
              HasSubstr("takes no x"));
  EXPECT_THAT(message(R"({"format": "dissensus-node-log/2"})"), HasSubstr("format: expected"));
  EXPECT_EQ(message(R"({"node": 0, "_why": "because", "step": "acquire"})"), "");
}

TEST_F(FollowTest, ANodeHasOneLog) {
  given_lock();
  follower_->add(0, R"({"node": 0, "step": "acquire"})");
  EXPECT_THROW(follower_->add(1, R"({"node": 0, "step": "release"})"), InputError);
}

}  // namespace
}  // namespace dissensus::conform
