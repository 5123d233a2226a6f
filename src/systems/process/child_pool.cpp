#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "systems/process/child.h"

namespace dissensus::process {

/// Programs end with the thread that started them (that is how the kernel counts parents), and
/// runs come from threads that end. So one thread, which lives as long as the pool, starts all.
struct ChildPool::State {
  explicit State(Launch what) : launch(std::move(what)) {}

  Launch launch;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<Child>> idle;
  std::size_t wanted = 0;
  std::vector<std::unique_ptr<Child>> fresh;
  std::vector<std::exception_ptr> failed;
  bool is_over = false;
  std::thread starter;

  void start_programs() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return is_over || wanted > 0; });
      if (is_over) return;
      --wanted;
      lock.unlock();
      std::unique_ptr<Child> child;
      std::exception_ptr error;
      try {
        child = std::make_unique<Child>(launch);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (child) {
        fresh.push_back(std::move(child));
      } else {
        failed.push_back(error);
      }
      changed.notify_all();
    }
  }
};

ChildPool::ChildPool(Launch launch) : state_(std::make_unique<State>(std::move(launch))) {}

ChildPool::~ChildPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
  }
  state_->changed.notify_all();
  if (state_->starter.joinable()) state_->starter.join();
}

std::unique_ptr<Child> ChildPool::take() {
  std::unique_lock lock(state_->mutex);
  if (!state_->idle.empty()) {
    std::unique_ptr<Child> child = std::move(state_->idle.back());
    state_->idle.pop_back();
    return child;
  }
  if (!state_->starter.joinable()) {
    state_->starter = std::thread([state = state_.get()] { state->start_programs(); });
  }
  ++state_->wanted;
  state_->changed.notify_all();
  state_->changed.wait(lock, [this] { return !state_->fresh.empty() || !state_->failed.empty(); });
  if (state_->fresh.empty()) {
    const std::exception_ptr error = state_->failed.back();
    state_->failed.pop_back();
    std::rethrow_exception(error);
  }
  std::unique_ptr<Child> child = std::move(state_->fresh.back());
  state_->fresh.pop_back();
  return child;
}

void ChildPool::give(std::unique_ptr<Child> child) {
  if (!child || !child->can_reset || child->trouble() != Trouble::none) return;
  const std::lock_guard lock(state_->mutex);
  state_->idle.push_back(std::move(child));
}

}  // namespace dissensus::process
