// Tasks on several threads whose results come back in the order of submission.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace dissensus::hunt {

/// Calls work(worker, task) for each task on `jobs` threads, the calling one included, each with a
/// Worker of its own. Only the owner's thread may call the members.
template <class Worker, class Task, class Work>
class OrderedPool {
 public:
  OrderedPool(std::size_t jobs, Work work) : work_(std::move(work)) {
    for (std::size_t i = 1; i < jobs; ++i) threads_.emplace_back([this] { run_thread(); });
  }
  /// Waits for the tasks that have been begun; the others are forgotten.
  ~OrderedPool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    submitted_.notify_all();
  }
  OrderedPool(const OrderedPool&) = delete;
  OrderedPool& operator=(const OrderedPool&) = delete;

  std::size_t under_way() const { return slots_.size(); }

  void submit(std::unique_ptr<Task> task) {
    const std::lock_guard lock(mutex_);
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->task = std::move(task);
    if (idle_ > 0) submitted_.notify_one();
  }

  /// Forgets the tasks that nobody has begun.
  void withdraw() {
    const std::lock_guard lock(mutex_);
    slots_.resize(next_);
  }

  /// The oldest task, done; there must be one. Works on tasks itself rather than waiting. An
  /// exception of the task's work is thrown here.
  std::unique_ptr<Task> take_oldest() {
    std::unique_lock lock(mutex_);
    while (!slots_.front()->done) {
      if (next_ < slots_.size()) {
        run_next(own_worker_, lock);
      } else {
        oldest_done_.wait(lock);
      }
    }
    const std::unique_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    --next_;
    lock.unlock();
    if (slot->error) std::rethrow_exception(slot->error);
    return std::move(slot->task);
  }

 private:
  struct Slot {
    std::unique_ptr<Task> task;
    std::exception_ptr error;
    bool done = false;
  };

  /// Unlocks while it works.
  void run_next(Worker& worker, std::unique_lock<std::mutex>& lock) {
    Slot& slot = *slots_[next_++];
    lock.unlock();
    std::exception_ptr error;
    try {
      work_(worker, *slot.task);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    slot.error = error;
    slot.done = true;
    if (&slot == slots_.front().get()) oldest_done_.notify_one();
  }

  void run_thread() {
    Worker worker;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (next_ < slots_.size()) {
        run_next(worker, lock);
      } else {
        ++idle_;
        submitted_.wait(lock);
        --idle_;
      }
    }
  }

  Work work_;
  Worker own_worker_;
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable oldest_done_;
  std::deque<std::unique_ptr<Slot>> slots_;  ///< in the order of submission
  std::size_t next_ = 0;                     ///< the first slot that nobody has begun
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  ///< last: joined before the rest goes
};

}  // namespace dissensus::hunt
