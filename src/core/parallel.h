// Many independent pieces of work on several threads, with results consumed in order: the outcome
// does not depend on the number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dissensus {

/// Computes work(worker, index) for index = 0, 1, 2... below `count` on `jobs` threads, each with a
/// worker of its own from make_worker(), and calls consume(index, result) on this thread in the
/// order of the indices. consume returns false to stop: later results are thrown away. An
/// exception from work reaches the caller when its turn comes.
template <class MakeWorker, class Work, class Consume>
void for_each_in_order(std::size_t count, std::size_t jobs, const MakeWorker& make_worker,
                       const Work& work, const Consume& consume) {
  if (jobs <= 1) {
    auto worker = make_worker();
    for (std::size_t index = 0; index < count; ++index) {
      if (!consume(index, work(*worker, index))) return;
    }
    return;
  }

  using Result = decltype(work(*make_worker(), std::size_t{}));
  struct Outcome {
    std::vector<Result> result;  // one or none
    std::exception_ptr error;
  };
  std::mutex mutex;
  std::condition_variable progress;  // a result is ready, or the window has moved, or all stop
  std::map<std::size_t, Outcome> ready;
  std::size_t next = 0;
  std::size_t consumed = 0;
  bool stopping = false;
  // Workers stay at most so far ahead of the consumer: memory is bounded.
  const std::size_t window = jobs * 64;

  const auto run_worker = [&] {
    auto worker = make_worker();
    std::unique_lock lock(mutex);
    for (;;) {
      progress.wait(lock, [&] { return stopping || next >= count || next < consumed + window; });
      if (stopping || next >= count) return;
      const std::size_t index = next++;
      lock.unlock();
      Outcome outcome;
      try {
        outcome.result.push_back(work(*worker, index));
      } catch (...) {
        outcome.error = std::current_exception();
      }
      lock.lock();
      ready.emplace(index, std::move(outcome));
      progress.notify_all();
    }
  };

  std::vector<std::jthread> threads;
  const auto stop = [&] {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    progress.notify_all();
  };
  for (std::size_t i = 0; i < jobs; ++i) threads.emplace_back(run_worker);
  try {
    for (std::size_t index = 0; index < count; ++index) {
      std::unique_lock lock(mutex);
      progress.wait(lock, [&] { return ready.contains(index); });
      Outcome outcome = std::move(ready.extract(index).mapped());
      consumed = index + 1;
      lock.unlock();
      progress.notify_all();
      if (outcome.error) std::rethrow_exception(outcome.error);
      if (!consume(index, std::move(outcome.result.front()))) break;
    }
  } catch (...) {
    stop();
    throw;
  }
  stop();
}

}  // namespace dissensus
