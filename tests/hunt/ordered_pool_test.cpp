#include "hunt/ordered_pool.h"

#include <atomic>
#include <functional>
#include <stdexcept>

#include <gtest/gtest.h>

namespace dissensus::hunt {
namespace {

struct Worker {
  int tasks = 0;
};
struct Task {
  std::size_t number = 0;
  std::size_t result = 0;
};
using Pool = OrderedPool<Worker, Task, std::function<void(Worker&, Task&)>>;

std::unique_ptr<Task> make_task(std::size_t number) {
  auto task = std::make_unique<Task>();
  task->number = number;
  return task;
}

// Tasks come back in the order of submission, each done once, whatever the number of threads.
TEST(OrderedPool, GivesResultsInOrder) {
  for (const std::size_t jobs : {1u, 2u, 5u}) {
    std::atomic<std::size_t> computed = 0;
    Pool pool(jobs, [&](Worker& worker, Task& task) {
      ++worker.tasks;
      ++computed;
      task.result = task.number * task.number;
    });
    std::size_t submitted = 0;
    for (std::size_t taken = 0; taken < 2000; ++taken) {
      while (submitted < 2000 && pool.under_way() < 16) pool.submit(make_task(submitted++));
      const std::unique_ptr<Task> task = pool.take_oldest();
      EXPECT_EQ(task->number, taken);
      EXPECT_EQ(task->result, taken * taken);
    }
    EXPECT_EQ(computed, 2000u);
    EXPECT_EQ(pool.under_way(), 0u);
  }
}

// One job works when a result is wanted, not before: nothing is computed in vain.
TEST(OrderedPool, OneJobIsLazy) {
  std::size_t computed = 0;
  Pool pool(1, [&](Worker&, Task&) { ++computed; });
  for (std::size_t i = 0; i < 10; ++i) pool.submit(make_task(i));
  EXPECT_EQ(computed, 0u);
  pool.take_oldest();
  EXPECT_EQ(computed, 1u);
}

TEST(OrderedPool, AnExceptionArrivesInItsTurn) {
  for (const std::size_t jobs : {1u, 3u}) {
    Pool pool(jobs, [](Worker&, Task& task) {
      if (task.number == 2) throw std::runtime_error("two");
    });
    for (std::size_t i = 0; i < 5; ++i) pool.submit(make_task(i));
    EXPECT_EQ(pool.take_oldest()->number, 0u);
    EXPECT_EQ(pool.take_oldest()->number, 1u);
    EXPECT_THROW(pool.take_oldest(), std::runtime_error);
    EXPECT_EQ(pool.take_oldest()->number, 3u);
  }
}

TEST(OrderedPool, CanBeLeftWithTasksUnderWay) {
  std::atomic<std::size_t> computed = 0;
  {
    Pool pool(4, [&](Worker&, Task&) { ++computed; });
    for (std::size_t i = 0; i < 100; ++i) pool.submit(make_task(i));
    pool.take_oldest();
  }
  EXPECT_GE(computed, 1u);
  EXPECT_LE(computed, 100u);
}

}  // namespace
}  // namespace dissensus::hunt
