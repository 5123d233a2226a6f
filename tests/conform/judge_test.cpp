// The judge is never wrong about what the model admits: hidden steps wherever they are needed, and
// "unknown" where a limit was hit.
#include "conform/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/pairing.h"
#include "conform/token_ring.h"

namespace dissensus::conform {
namespace {

/// Steps of the ring's nodes stand for any two actions: take is First, pass is Second.
class JudgeTest : public testing::Test {
 protected:
  void given(const std::string& actions, const std::string& hidden,
             const JudgeOptions& options = {}) {
    files_.write("Ring.tla", "---- MODULE Ring ----\nEXTENDS Integers\nCONSTANTS N, Limit\n" +
                                 actions + "====\n");
    files_.write("mapping.toml",
                 "format = \"dissensus-mapping/1\"\nscenario = \"ring.toml\"\nspec = \"Ring.tla\"\n"
                 "config = \"Ring.cfg\"\n"
                 "[[event]]\nname = \"take\"\nis = \"First\"\n"
                 "[[event]]\nname = \"pass\"\nis = \"Second\"\n" +
                     hidden);
    mapping_ = load_mapping(files_.mapping());
    pairing_ = std::make_unique<Pairing>(mapping_, Variant{}, InputValues{}, test::ring_registry(),
                                         options);
    judge().start({});
  }
  Judge& judge() { return pairing_->judge(); }
  std::optional<Violation> see(std::uint32_t event) {
    return judge().observe({event, 0, {tla::Value::integer(0), tla::Value::integer(0)}, {}});
  }
  std::optional<Violation> see_first() { return see(0); }
  std::optional<Violation> see_second() { return see(1); }
  static std::string hidden(const std::string& action, int most) {
    return "[[hidden]]\naction = \"" + action + "\"\nmost = " + std::to_string(most) + "\n";
  }

  test::RingFiles files_;
  Mapping mapping_;
  std::unique_ptr<Pairing> pairing_;
};

// Once the door is shut nothing can be hidden any more: the step belongs before the first event,
// which fits without it as well.
TEST_F(JudgeTest, AHiddenStepMayBeNeededBeforeItsAbsenceShows) {
  const std::string spec =
      "VARIABLES x, door\nInit == x = 0 /\\ door = \"open\"\n"
      "Hide == door = \"open\" /\\ x' = 1 /\\ UNCHANGED door\n"
      "First == door' = \"shut\" /\\ UNCHANGED x\n"
      "Second == door = \"shut\" /\\ x = 1 /\\ UNCHANGED <<x, door>>\n"
      "Next == Hide \\/ First \\/ Second\n";
  given(spec, hidden("Hide", 1));
  EXPECT_FALSE(see_first());
  EXPECT_FALSE(see_second());
  EXPECT_FALSE(judge().is_unknown());
  EXPECT_FALSE(see_second()) << "it goes on from there";

  given(spec, "");
  EXPECT_FALSE(see_first());
  const auto violation = see_second();
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->type, Violation::Type::type_one);
  EXPECT_EQ(violation->guards.front().text, "x = 1");
}

// Both hidden actions lead from 0 to 1; whoever took Either cannot take it again to come to 2.
TEST_F(JudgeTest, StatesThatDifferInTheHiddenStepsThatAreLeftAreKept) {
  const std::string spec =
      "VARIABLE x\nInit == x = 0\n"
      "Either == x < 2 /\\ x' = x + 1\n"
      "Early == x = 0 /\\ x' = 1\n"
      "First == x = 2 /\\ x' = x\n"
      "Second == x = 3 /\\ x' = x\n"
      "Next == Either \\/ Early \\/ First \\/ Second\n";
  given(spec, hidden("Either", 1) + hidden("Early", 1));
  EXPECT_FALSE(see_first());
  // One of each is all that is allowed before an event, and 3 is out of reach.
  EXPECT_TRUE(see_second());
  EXPECT_FALSE(judge().is_unknown());
}

TEST_F(JudgeTest, MoreHiddenStepsThanTheLimitAreUnknownNotAViolation) {
  const std::string spec =
      "VARIABLE x\nInit == x = 0\n"
      "Tick == x' = x + 1\n"
      "First == x = 12 /\\ x' = x\n"
      "Second == FALSE /\\ x' = x\n"
      "Next == Tick \\/ First \\/ Second\n";
  given(spec, hidden("Tick", 16));
  EXPECT_FALSE(see_first());
  EXPECT_FALSE(judge().is_unknown());
  EXPECT_TRUE(see_second()) << "all hidden steps were tried";

  given(spec, hidden("Tick", 16), {.hidden_states_most = 5, .ignored_properties = {}});
  EXPECT_FALSE(see_first());
  EXPECT_TRUE(judge().is_unknown());
  EXPECT_FALSE(see_second()) << "nobody knows any more";
  judge().start({});
  EXPECT_FALSE(judge().is_unknown());
}

TEST_F(JudgeTest, MoreFittingStatesThanTheLimitAreUnknownNotAViolation) {
  const std::string spec =
      "VARIABLE x\nInit == x = 0\n"
      "First == x' \\in 1..100\n"
      "Second == x = 60 /\\ x' = x\n"
      "Next == First \\/ Second\n";
  given(spec, "");
  EXPECT_FALSE(see_first());
  EXPECT_FALSE(see_second());
  EXPECT_EQ(judge().frontier().size(), 1u);

  given(spec, "", {.frontier_most = 50, .ignored_properties = {}});
  EXPECT_FALSE(see_first());
  EXPECT_TRUE(judge().is_unknown());
  EXPECT_FALSE(see_second());
}

TEST_F(JudgeTest, MoreInitialStatesThanTheLimitAreUnknown) {
  const std::string spec =
      "VARIABLE x\nInit == x \\in 1..100\nFirst == x = 60 /\\ x' = x\n"
      "Second == First\nNext == First\n";
  given(spec, "", {.frontier_most = 50, .ignored_properties = {}});
  EXPECT_FALSE(see_first());
  EXPECT_TRUE(judge().is_unknown());
}

TEST_F(JudgeTest, AModelWithoutInitialStateIsBadInput) {
  EXPECT_THROW(given("VARIABLE x\nInit == x \\in {}\nFirst == x' = x\nSecond == First\n"
                     "Next == First\n",
                     ""),
               InputError);
}

}  // namespace
}  // namespace dissensus::conform
