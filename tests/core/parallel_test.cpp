#include "core/parallel.h"

#include <atomic>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

namespace dissensus {
namespace {

const auto kMakeWorker = [] { return std::make_unique<int>(0); };

// Results arrive in order and once each, whatever the number of threads.
TEST(ForEachInOrder, ConsumesInOrder) {
  for (const std::size_t jobs : {1u, 2u, 5u}) {
    std::vector<std::size_t> seen;
    for_each_in_order(
        1000, jobs, kMakeWorker, [](int&, std::size_t index) { return index * index; },
        [&](std::size_t index, std::size_t result) {
          EXPECT_EQ(result, index * index);
          seen.push_back(index);
          return true;
        });
    ASSERT_EQ(seen.size(), 1000u);
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(ForEachInOrder, StopsWhenTheConsumerHasEnough) {
  for (const std::size_t jobs : {1u, 3u}) {
    std::atomic<std::size_t> computed = 0;
    std::size_t consumed = 0;
    for_each_in_order(
        1'000'000, jobs, kMakeWorker, [&](int&, std::size_t index) { return ++computed, index; },
        [&](std::size_t, std::size_t) { return ++consumed < 10; });
    EXPECT_EQ(consumed, 10u);
    EXPECT_LT(computed, 10 + jobs * 64 + jobs + 1) << "workers run only a window ahead";
  }
}

TEST(ForEachInOrder, AnExceptionArrivesInItsTurn) {
  for (const std::size_t jobs : {1u, 2u}) {
    std::size_t consumed = 0;
    EXPECT_THROW(for_each_in_order(
                     100, jobs, kMakeWorker,
                     [](int&, std::size_t index) {
                       if (index == 42) throw std::runtime_error("forty-two");
                       return index;
                     },
                     [&](std::size_t, std::size_t) { return ++consumed, true; }),
                 std::runtime_error);
    EXPECT_EQ(consumed, 42u);
  }
}

TEST(ForEachInOrder, NothingToDoIsFine) {
  for_each_in_order(
      0, 4, kMakeWorker, [](int&, std::size_t index) { return index; },
      [](std::size_t, std::size_t) {
        ADD_FAILURE();
        return true;
      });
}

}  // namespace
}  // namespace dissensus
