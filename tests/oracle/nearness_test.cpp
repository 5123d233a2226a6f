// How near a run came to breaking a rule, and how far along its waypoints it got.
#include "oracle/nearness.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dissensus::oracle {
namespace {

SystemDescription two_observables() {
  SystemDescription description;
  description.name = "test";
  description.observables = {"a", "b"};
  description.levels = {{.name = "outcome"}};
  return description;
}

Expression parse(const std::string& text, const SystemDescription& description) {
  const Options options = Options::from_toml("check = '" + text + "'", "test");
  return Expression::parse(text, description, options.at("check"), 3);
}

/// Of an expression when node 0 has a = value and the others a = 0.
Expression::Distance distance(const std::string& text, std::int64_t value) {
  const SystemDescription description = two_observables();
  const std::vector<NodeId> nodes{0, 1, 2};
  return parse(text, description)
      .distance(
          nodes,
          [&](const Quantity& quantity, NodeId node) {
            return node == 0 && quantity.index == 0 ? value : std::int64_t{0};
          },
          [](const auto&) { return std::int64_t{0}; });
}

void expect_distance(const std::string& text, std::int64_t value, double to_true, double to_false) {
  const Expression::Distance found = distance(text, value);
  EXPECT_EQ(found.to_true, to_true) << text << " of " << value;
  EXPECT_EQ(found.to_false, to_false) << text << " of " << value;
}

TEST(BranchDistance, CountsHowMuchAComparisonLacks) {
  expect_distance("max(a) <= 5", 2, 0, 4);
  expect_distance("max(a) <= 5", 5, 0, 1);
  expect_distance("max(a) <= 5", 7, 2, 0);
  expect_distance("max(a) < 5", 4, 0, 1);
  expect_distance("max(a) < 5", 5, 1, 0);
  expect_distance("max(a) >= 80", 100, 0, 21);
  expect_distance("max(a) >= 80", 79, 1, 0);
  expect_distance("max(a) > 3", 3, 1, 0);
  expect_distance("max(a) == 4", 1, 3, 0);
  expect_distance("max(a) == 4", 4, 0, 1);
  expect_distance("max(a) != 4", 4, 1, 0);
  expect_distance("max(a) != 4", 1, 0, 3);
}

TEST(BranchDistance, AddsUpWhatMustHoldTogetherAndTakesTheNearestOfWhatMayHoldAlone) {
  expect_distance("max(a) >= 4 and min(a) >= 3", 1, 6, 0);
  expect_distance("max(a) >= 4 and min(a) >= 0", 6, 0, 1);
  expect_distance("max(a) >= 4 or max(b) >= 1", 1, 1, 0);
  expect_distance("max(a) >= 4 or max(b) >= 0", 5, 0, 3);
  expect_distance("not max(a) <= 5", 2, 4, 0);
}

TEST(BranchDistance, OneOfTheTwoIsAlwaysZero) {
  for (const char* text :
       {"max(a) <= 5", "max(a) == 3 or min(a) != 0", "not (max(a) > 2 and sum(a) < 9)", "max(a)"}) {
    for (std::int64_t value = -3; value < 12; ++value) {
      const Expression::Distance found = distance(text, value);
      EXPECT_EQ(std::min(found.to_true, found.to_false), 0) << text << " of " << value;
      EXPECT_GT(std::max(found.to_true, found.to_false), 0) << text << " of " << value;
    }
  }
}

class NearnessTest : public testing::Test {
 protected:
  void observe(NodeId node, std::uint8_t observable, std::int64_t value) {
    Event event;
    event.set(EventType::observe, observable, node, kNoNode);
    event.number = static_cast<std::uint64_t>(value);
    nearness_.on_event(event);
  }
  SystemDescription description_ = two_observables();
  std::vector<Rule> rules_{
      {"bounded", "rule", Rule::When::always, parse("max(a) <= 9", description_)},
      {"last", "rule", Rule::When::end, parse("min(b) >= 1", description_)}};
  std::vector<Waypoint> waypoints_{{"first", parse("max(a) >= 2", description_)},
                                   {"second", parse("count(b) >= 2", description_)},
                                   {"third", parse("max(a) >= 1", description_)}};
  Nearness nearness_{rules_, waypoints_, description_, 3};
};

TEST_F(NearnessTest, KeepsTheNearestOfTheRun) {
  observe(1, 0, 7);
  observe(1, 0, 0);
  nearness_.finish();
  EXPECT_EQ(nearness_.margins()[0], 1.0 / 4);
  EXPECT_EQ(nearness_.margins()[1], 1);  // broken at the end
  nearness_.reset({});
  nearness_.finish();
  EXPECT_EQ(nearness_.margins()[0], 0);
}

TEST_F(NearnessTest, LeavesOutLiars) {
  nearness_.reset({1});
  observe(1, 0, 50);
  EXPECT_EQ(nearness_.margins()[0], 1.0 / 11);
  EXPECT_EQ(nearness_.reached(), 0u);
}

TEST_F(NearnessTest, ReachesWaypointsInTheirOrder) {
  observe(0, 1, 1);
  observe(1, 1, 1);
  EXPECT_EQ(nearness_.reached(), 0u);  // the second one holds; it is not its turn
  observe(2, 0, 2);
  EXPECT_EQ(nearness_.reached(), 3u);
  nearness_.reset({});
  observe(2, 0, 2);
  EXPECT_EQ(nearness_.reached(), 1u);
}

}  // namespace
}  // namespace dissensus::oracle
