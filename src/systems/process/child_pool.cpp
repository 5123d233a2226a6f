#include <mutex>
#include <utility>

#include "systems/process/child.h"

namespace dissensus::process {

struct ChildPool::State {
  explicit State(Launch what) : launch(std::move(what)) {}

  const Launch launch;
  std::mutex mutex;
  std::vector<std::unique_ptr<Child>> idle;
};

ChildPool::ChildPool(Launch launch) : state_(std::make_unique<State>(std::move(launch))) {}

ChildPool::~ChildPool() = default;

std::unique_ptr<Child> ChildPool::take() {
  {
    const std::lock_guard lock(state_->mutex);
    while (!state_->idle.empty()) {
      std::unique_ptr<Child> child = std::move(state_->idle.back());
      state_->idle.pop_back();
      if (child->settle()) return child;  // else it ended where nobody needed it
    }
  }
  return std::make_unique<Child>(state_->launch);
}

void ChildPool::give(std::unique_ptr<Child> child) {
  if (!child || !child->can_reset || child->trouble() != Trouble::none) return;
  const std::lock_guard lock(state_->mutex);
  state_->idle.push_back(std::move(child));
}

}  // namespace dissensus::process
