#include "hunt/work.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "hunt/batch.h"
#include "hunt/evaluator.h"
#include "hunt/parts.h"
#include "hunt/queue.h"
#include "hunt/schedule_codec.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "trace/trace.h"

namespace dissensus::hunt {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Who we are, so that a person can find us: machine, process, thread.
std::string owner_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}:{}", host, getpid());
}

/// A hunt as far as its runs need it.
struct KnownHunt {
  KnownHunt(const HuntRecord& record, const std::string& store, const Registry& registry)
      : options(options_of(record, store)),
        scenario(run::parse_scenario(record.scenario, record.scenario_name, registry.systems)),
        parts(make_parts(scenario, registry, options)),
        plan{scenario,        parts, options.seed,
             options.repeats, store, make_evidence(scenario, 0, std::string())} {}

  HuntOptions options;
  run::Scenario scenario;
  HuntParts parts;
  EvaluationPlan plan;
};

/// What the threads of a worker share.
class Worker {
 public:
  Worker(const WorkOptions& options, const Registry& registry, Patience& patience,
         const std::function<bool()>& should_stop, const WorkNotice& notice, WorkProgress& progress)
      : options_(options),
        registry_(registry),
        patience_(patience),
        should_stop_(should_stop),
        notice_(notice),
        progress_(progress) {}

  void run() {
    std::vector<std::jthread> slots;
    const std::jthread heart([this] { guarded([this] { beat(); }); });
    for (std::size_t i = 0; i < options_.jobs; ++i) {
      slots.emplace_back([this] { guarded([this] { run_slot(); }); });
    }
    for (std::jthread& slot : slots) slot.join();
    end();
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  template <class Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      ended_ = true;
      wake_.notify_all();
    }
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wake_.notify_all();
  }

  /// False: it is over.
  bool pause(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, time, [this] { return ended_; });
    return !ended_ && !should_stop_();
  }

  bool is_over() {
    const std::lock_guard lock(mutex_);
    return ended_ || should_stop_();
  }

  /// Says that we are alive for all batches that we have.
  void beat() {
    WorkQueue queue(options_.store, patience_);
    const std::chrono::milliseconds interval(static_cast<int>(options_.lease_seconds * 1000 / 3));
    // Until the slots have ended, also after somebody wants to stop: what they have is ours.
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval, [this] { return ended_; })) {
      lock.unlock();
      queue.renew(owner_, options_.lease_seconds);
      lock.lock();
    }
  }

  void run_slot() {
    WorkQueue queue(options_.store, patience_);
    std::map<std::int64_t, EvaluationWorker> workers;
    Clock::time_point idle_since = Clock::now();
    while (!is_over()) {
      if (work_once(queue, workers)) {
        idle_since = Clock::now();
        continue;
      }
      if (options_.idle_seconds >= 0 && seconds_since(idle_since) >= options_.idle_seconds) return;
      constexpr std::chrono::milliseconds kIdle{50};
      pause(kIdle);
    }
  }

  /// False: there was nothing to do.
  bool work_once(WorkQueue& queue, std::map<std::int64_t, EvaluationWorker>& workers) {
    for (const HuntRecord& record : queue.open_hunts()) {
      if (options_.hunt != 0 && record.id != options_.hunt) continue;
      const KnownHunt* const hunt = find(record);
      if (hunt == nullptr) continue;
      const std::optional<Lease> lease = queue.lease(record.id, owner_, options_.lease_seconds);
      if (!lease) continue;
      deliver(queue, *lease, run_batch(*hunt, *lease, workers[record.id]));
      return true;
    }
    return false;
  }

  /// Null: not for us.
  const KnownHunt* find(const HuntRecord& record) {
    const std::lock_guard lock(hunts_mutex_);
    const auto [place, is_new] = hunts_.try_emplace(record.id);
    if (!is_new) return place->second.get();
    if (!options_.any_build && record.program != run::program_version()) {
      notice_(fmt::format("hunt {} ({}) is left to others: it was made by {}, this is {}",
                          record.id, record.scenario_name, record.program, run::program_version()));
      return nullptr;
    }
    try {
      auto hunt =
          std::make_unique<KnownHunt>(record, sql::without_password(options_.store), registry_);
      if (!hunt->scenario.system->traits().repeatable) {
        notice_(fmt::format("hunt {} ({}) is left to others: its runs do not repeat", record.id,
                            record.scenario_name));
        return nullptr;
      }
      place->second = std::move(hunt);
    } catch (const InputError& error) {
      // A plugin, a program or a system that is not here.
      notice_(fmt::format("hunt {} ({}) is left to others: {}", record.id, record.scenario_name,
                          error.what()));
    }
    return place->second.get();
  }

  DoneWork run_batch(const KnownHunt& hunt, const Lease& lease, EvaluationWorker& worker) {
    const Clock::time_point start = Clock::now();
    const std::string name = fmt::format("{}: batch {}", hunt.plan.store, lease.batch);
    DoneWork work;
    for (Order& order : decode_orders(lease.items, name)) {
      Item item;
      item.record.number = order.number;
      item.record.seed = order.seed;
      item.schedule = decode_schedule(order.schedule, name, hunt.scenario.system_description(),
                                      hunt.scenario.nodes());
      run_prepared(hunt.plan, worker, item);
      work.deliveries.push_back({std::move(item.record), std::move(item.all_states)});
      ++progress_.runs;
    }
    work.seconds = seconds_since(start);
    return work;
  }

  void deliver(WorkQueue& queue, const Lease& lease, const DoneWork& work) {
    ++progress_.batches;
    if (queue.complete(lease, encode_work(work))) return;
    // Somebody else was faster, after our lease had run out: their runs must be ours.
    ++progress_.wasted;
    const std::string other = queue.results_of(lease.batch);
    std::map<std::uint64_t, std::string> hashes;
    if (!other.empty()) {
      for (const Delivery& delivery : decode_work(other, "a batch").deliveries) {
        hashes[delivery.record.number] = trace::to_hex(delivery.record.hash);
      }
    }
    for (const Delivery& delivery : work.deliveries) {
      const std::uint64_t number = delivery.record.number;
      const std::string ours = trace::to_hex(delivery.record.hash);
      const std::optional<std::string> theirs =
          hashes.contains(number) ? hashes[number] : queue.hash_of(lease.hunt, number);
      if (!theirs || *theirs == ours) continue;
      ++progress_.mismatches;
      queue.report_mismatch(lease.hunt, number, ours, *theirs, owner_);
      notice_(
          fmt::format("NOT DETERMINISTIC: run {} of hunt {} has the hash {} here and {} elsewhere",
                      number, lease.hunt, ours, *theirs));
    }
  }

  const WorkOptions& options_;
  const Registry& registry_;
  Patience& patience_;
  const std::function<bool()>& should_stop_;
  const WorkNotice& notice_;
  WorkProgress& progress_;
  const std::string owner_ = owner_name();
  std::mutex hunts_mutex_;
  std::map<std::int64_t, std::unique_ptr<KnownHunt>> hunts_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::exception_ptr error_;
};

}  // namespace

void work(const WorkOptions& options, const Registry& registry, Patience& patience,
          const std::function<bool()>& should_stop, const WorkNotice& notice,
          WorkProgress& progress) {
  // One clear line where there is no store.
  keep_trying(&patience, [&] { StoreReader reader(options.store); });
  Worker worker(options, registry, patience, should_stop, notice, progress);
  worker.run();
  worker.rethrow();
}

}  // namespace dissensus::hunt
