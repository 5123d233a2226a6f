#include "hunt/crew.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/bytes.h"
#include "hunt/batch.h"
#include "hunt/ordered_pool.h"
#include "hunt/queue.h"

namespace dissensus::hunt {

namespace {

class Threads final : public Crew {
 public:
  Threads(const EvaluationPlan& plan, std::size_t jobs)
      : pool_(jobs,
              [&plan](EvaluationWorker& worker, Item& item) { evaluate(plan, worker, item); }) {}
  std::size_t under_way() const override { return pool_.under_way(); }
  void submit(std::unique_ptr<Item> item) override { pool_.submit(std::move(item)); }
  std::unique_ptr<Item> take_oldest() override { return pool_.take_oldest(); }
  void withdraw() override { pool_.withdraw(); }

 private:
  OrderedPool<EvaluationWorker, Item, std::function<void(EvaluationWorker&, Item&)>> pool_;
};

class Fleet final : public Crew {
 public:
  Fleet(const EvaluationPlan& plan, WorkQueue& queue, std::int64_t hunt, std::size_t window,
        std::function<bool()> keep_waiting)
      : plan_(plan),
        queue_(queue),
        hunt_(hunt),
        // Enough batches for many workers to have one while others are under way.
        most_(std::max<std::size_t>(1, window / 16)),
        keep_waiting_(std::move(keep_waiting)) {
    queue_.clear(hunt_);
  }

  std::size_t under_way() const override { return slots_.size(); }

  void submit(std::unique_ptr<Item> item) override {
    Slot slot;
    const bool is_local = item->is_known || item->candidate.scheduler != nullptr;
    if (is_local) {
      evaluate(plan_, worker_, *item);
      slot.done = true;
    } else {
      prepare(plan_, *item);
      buffer_.push_back({item->record.number, item->record.seed, item->record.schedule});
    }
    slot.item = std::move(item);
    slots_.push_back(std::move(slot));
    if (buffer_.size() >= batch_size()) flush();
  }

  std::unique_ptr<Item> take_oldest() override {
    for (auto pause = kShortest; !slots_.front().done;) {
      // Only what must not wait: the rest is sent when there is enough for a batch.
      if (!buffer_.empty() && buffer_.front().number == slots_.front().item->record.number) flush();
      if (collect()) {
        pause = kShortest;
        continue;
      }
      if (!keep_waiting_()) return nullptr;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongest);
    }
    std::unique_ptr<Item> item = std::move(slots_.front().item);
    slots_.pop_front();
    return item;
  }

  /// What others work on is theirs: the store asks for it again when the hunt goes on.
  void withdraw() override {
    buffer_.clear();
    slots_.clear();
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    std::unique_ptr<Item> item;
    bool done = false;
  };
  static constexpr std::chrono::milliseconds kShortest{2};
  static constexpr std::chrono::milliseconds kLongest{100};
  static constexpr double kBatchSeconds = 1;

  std::size_t batch_size() const {
    if (seconds_per_item_ <= 0) return std::min<std::size_t>(most_, 4);
    const double fitting = kBatchSeconds / seconds_per_item_;
    return fitting >= static_cast<double>(most_)
               ? most_
               : std::max<std::size_t>(1, static_cast<std::size_t>(fitting));
  }

  void flush() {
    const std::size_t size = batch_size();
    for (std::size_t at = 0; at < buffer_.size(); at += size) {
      const std::size_t end = std::min(at + size, buffer_.size());
      queue_.put(hunt_,
                 to_bytes(std::vector<Order>(buffer_.begin() + static_cast<std::ptrdiff_t>(at),
                                             buffer_.begin() + static_cast<std::ptrdiff_t>(end))));
    }
    buffer_.clear();
  }

  /// True: there was something.
  bool collect() {
    const std::vector<DoneBatch> batches = queue_.done(hunt_);
    for (const DoneBatch& batch : batches) {
      const DoneWork work = from_bytes<DoneWork>(
          batch.results, fmt::format("{}: batch {}", plan_.store, batch.batch));
      if (!work.deliveries.empty()) {
        const double now = work.seconds / static_cast<double>(work.deliveries.size());
        seconds_per_item_ = seconds_per_item_ <= 0 ? now : 0.8 * seconds_per_item_ + 0.2 * now;
      }
      for (const Delivery& delivery : work.deliveries) accept(delivery);
      queue_.remove(batch.batch);
    }
    return !batches.empty();
  }

  void accept(const Delivery& delivery) {
    const std::uint64_t first = slots_.front().item->record.number;
    const std::uint64_t number = delivery.facts.number;
    // Known already: a batch that was done twice.
    if (number < first || number - first >= slots_.size()) return;
    Slot& slot = slots_[number - first];
    if (slot.done) return;
    ItemRecord& record = slot.item->record;
    if (delivery.facts.objectives.size() != plan_.parts.objectives.size()) {
      throw InputError(fmt::format("{}: item {} has {} objectives, expected {}", plan_.store,
                                   number, delivery.facts.objectives.size(),
                                   plan_.parts.objectives.size()));
    }
    static_cast<RunFacts&>(record) = delivery.facts;
    slot.item->all_states = delivery.states;
    slot.item->is_remote = true;
    slot.done = true;
  }

  const EvaluationPlan& plan_;
  WorkQueue& queue_;
  std::int64_t hunt_;
  std::size_t most_;
  std::function<bool()> keep_waiting_;
  EvaluationWorker worker_;
  std::deque<Slot> slots_;
  std::vector<Order> buffer_;
  double seconds_per_item_ = 0;
};

}  // namespace

std::unique_ptr<Crew> make_threads(const EvaluationPlan& plan, std::size_t jobs) {
  return std::make_unique<Threads>(plan, jobs);
}

std::unique_ptr<Crew> make_fleet(const EvaluationPlan& plan, WorkQueue& queue, std::int64_t hunt,
                                 std::size_t window, std::function<bool()> keep_waiting) {
  return std::make_unique<Fleet>(plan, queue, hunt, window, std::move(keep_waiting));
}

}  // namespace dissensus::hunt
