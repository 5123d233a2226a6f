#include "sim/event_queue.h"

#include <algorithm>
#include <queue>

#include <gtest/gtest.h>

#include "dissensus/random.h"

namespace dissensus::sim {
namespace {

// The queue gives what a sorted list by (time, order of pushing) gives, also when events are pushed
// for "now" while others of the same time are still waiting.
TEST(EventQueue, AgreesWithAReferenceOnRandomOperations) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    EventQueue queue;
    using Reference = std::pair<std::int64_t, std::uint32_t>;  // time, order
    std::priority_queue<Reference, std::vector<Reference>, std::greater<>> reference;
    std::uint32_t pushed = 0;
    for (int step = 0; step < 500; ++step) {
      if (queue.empty() || random.chance(0.55)) {
        const std::int64_t time =
            microseconds_of(queue.now()) + static_cast<std::int64_t>(random.below(6));
        queue.push(time_of_microseconds(time), pushed);
        reference.push({time, pushed++});
      } else {
        ASSERT_EQ(microseconds_of(queue.next_time()), reference.top().first);
        ASSERT_EQ(queue.pop(), reference.top().second);
        ASSERT_EQ(microseconds_of(queue.now()), reference.top().first);
        reference.pop();
      }
      ASSERT_EQ(queue.size(), reference.size());
    }
  }
}

TEST(EventQueueDeathTest, RefusesThePast) {
  EventQueue queue;
  queue.push(time_of_microseconds(10), 1);
  queue.pop();
  EXPECT_EXIT(queue.push(time_of_microseconds(9), 2), testing::ExitedWithCode(4),
              "no event in the past");
}

}  // namespace
}  // namespace dissensus::sim
