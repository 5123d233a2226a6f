#include "hunt/work.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/bytes.h"
#include "faults/schedule_bytes.h"
#include "hunt/batch.h"
#include "hunt/evaluator.h"
#include "hunt/island.h"
#include "hunt/known_hunt.h"
#include "hunt/parts.h"
#include "hunt/queue.h"
#include "hunt/schema.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "trace/trace.h"

namespace dissensus::hunt {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Who we are, so that a person can find us: machine and process; the rest tells apart those that
/// have both in common, as containers may.
std::string worker_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}:{}:{:08x}", host, getpid(), std::random_device()());
}

/// Throws InputError that names the first plugin that is needed and not here.
void check_plugins(const std::vector<std::string>& needed, const std::vector<std::string>& here) {
  const auto name_of = [](const std::string& identity) {
    return identity.substr(0, identity.rfind(' '));
  };
  for (const std::string& plugin : needed) {
    if (std::find(here.begin(), here.end(), plugin) != here.end()) continue;
    const auto other = std::find_if(here.begin(), here.end(), [&](const std::string& identity) {
      return name_of(identity) == name_of(plugin);
    });
    if (other == here.end()) {
      throw InputError(fmt::format("it needs the plugin {} (--plugin)", plugin));
    }
    throw InputError(fmt::format("it needs the plugin {}, here is {}", plugin, *other));
  }
}

/// What one thread has of its own.
struct WorkSlot {
  WorkSlot(std::string name, const std::string& store, Patience& patience)
      : owner(std::move(name)), queue(store, patience) {}
  void forget_closed(const std::vector<OpenHunt>& open) {
    const auto is_closed = [&open](const auto& entry) {
      return std::none_of(open.begin(), open.end(), [&entry](const OpenHunt& hunt) {
        return hunt.record.id == entry.first && !hunt.record.finished;
      });
    };
    std::erase_if(islands, is_closed);
  }

  std::string owner;
  WorkQueue queue;
  std::map<std::int64_t, EvaluationWorker> workers;         ///< by hunt
  std::map<std::int64_t, std::unique_ptr<Island>> islands;  ///< by hunt
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
      slots.emplace_back([this, i] { guarded([this, i] { run_slot(slot_name(i)); }); });
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

  /// Each has a batch of its own.
  std::string slot_name(std::size_t i) const { return fmt::format("{}:{}", name_, i); }

  /// Says that we are alive for all batches that we have.
  void beat() {
    WorkQueue queue(options_.store, patience_);
    const std::chrono::milliseconds interval(static_cast<int>(options_.lease_seconds * 1000 / 3));
    // Until the slots have ended, also after somebody wants to stop: what they have is ours.
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval, [this] { return ended_; })) {
      lock.unlock();
      for (std::size_t i = 0; i < options_.jobs; ++i) {
        queue.renew(slot_name(i), options_.lease_seconds);
      }
      lock.lock();
    }
  }

  void run_slot(const std::string& name) {
    WorkSlot slot(name, options_.store, patience_);
    Clock::time_point idle_since = Clock::now();
    while (!is_over()) {
      if (work_once(slot)) {
        idle_since = Clock::now();
        continue;
      }
      if (options_.idle_seconds >= 0 && seconds_since(idle_since) >= options_.idle_seconds) return;
      constexpr std::chrono::milliseconds kIdle{50};
      pause(kIdle);
    }
  }

  /// False: there was nothing to do.
  bool work_once(WorkSlot& slot) {
    const std::vector<OpenHunt> hunts = slot.queue.open_hunts();
    slot.forget_closed(hunts);
    for (const OpenHunt& open : hunts) {
      const HuntRecord& record = open.record;
      if (options_.hunt != 0 && record.id != options_.hunt) continue;
      const KnownHunt* const hunt = find(record);
      if (hunt == nullptr) continue;
      // A finding first: somebody waits for it.
      if (open.has_examinations && examine(slot, record.id, *hunt)) return true;
      if (record.finished) continue;
      if (record.islands) {
        run_island(slot, record);
        return true;
      }
      const std::optional<Lease> lease =
          slot.queue.lease(record.id, slot.owner, options_.lease_seconds);
      if (!lease) continue;
      deliver(slot, *lease, run_batch(*hunt, *lease, slot.workers[record.id]));
      return true;
    }
    return false;
  }

  /// A turn of this slot's own island of the hunt.
  void run_island(WorkSlot& slot, const HuntRecord& record) {
    std::unique_ptr<Island>& island = slot.islands[record.id];
    if (!island) {
      island = std::make_unique<Island>(record, slot.queue.found_island(record.id, slot.owner),
                                        sql::without_password(options_.store), registry_);
    }
    hear_news(slot.queue, record.id, *island);
    const Clock::time_point start = Clock::now();
    const Shipment shipment = island->run_turn([&] {
      ++progress_.runs;
      return seconds_since(start) < options_.turn_seconds && !is_over();
    });
    note_busy(start);
    slot.queue.ship(record.id, island->id(), island->turn(), to_bytes(shipment));
    island->end_turn();
    ++progress_.batches;
  }

  /// False: others do it, or have done it.
  bool examine(WorkSlot& slot, std::int64_t id, const KnownHunt& hunt) {
    const Clock::time_point start = Clock::now();
    if (!options_.examine ||
        !examine_next(slot.queue, id, hunt.scenario, {slot.owner, options_.lease_seconds, notice_},
                      options_.examine, [this] { return !is_over(); })) {
      return false;
    }
    ++progress_.examinations;
    note_busy(start);
    return true;
  }

  void note_busy(Clock::time_point start) {
    progress_.busy_us += static_cast<std::uint64_t>(seconds_since(start) * 1e6);
  }

  static void hear_news(WorkQueue& queue, std::int64_t hunt, Island& island) {
    for (;;) {
      const std::vector<ItemRecord> items = queue.items_from(hunt, island.news_from());
      for (const ItemRecord& item : items) island.hear(item);
      if (items.empty()) return;
    }
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
      check_plugins(options_of(record, sql::without_password(options_.store)).plugins,
                    options_.plugins);
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
    for (Order& order : from_bytes<std::vector<Order>>(lease.items, name)) {
      Item item;
      item.record.number = order.number;
      item.record.seed = order.seed;
      item.schedule = faults::decode_schedule(
          order.schedule, name, hunt.scenario.system_description(), hunt.scenario.nodes());
      run_prepared(hunt.plan, worker, item);
      work.deliveries.push_back({std::move(item.record), std::move(item.all_states)});
      ++progress_.runs;
    }
    work.seconds = seconds_since(start);
    note_busy(start);
    return work;
  }

  void deliver(WorkSlot& slot, const Lease& lease, const DoneWork& work) {
    ++progress_.batches;
    if (slot.queue.complete(lease, to_bytes(work))) return;
    // Somebody else was faster, after our lease had run out: their runs must be ours.
    ++progress_.wasted;
    const std::string other = slot.queue.results_of(lease.batch);
    std::map<std::uint64_t, std::string> hashes;
    if (!other.empty()) {
      for (const Delivery& delivery : from_bytes<DoneWork>(other, "a batch").deliveries) {
        hashes[delivery.facts.number] = trace::to_hex(delivery.facts.hash);
      }
    }
    for (const Delivery& delivery : work.deliveries) {
      const std::uint64_t number = delivery.facts.number;
      const std::string ours = trace::to_hex(delivery.facts.hash);
      const std::optional<std::string> theirs =
          hashes.contains(number) ? hashes[number] : slot.queue.hash_of(lease.hunt, number);
      if (!theirs || *theirs == ours) continue;
      ++progress_.mismatches;
      slot.queue.report_mismatch(lease.hunt, number, ours, *theirs, slot.owner);
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
  const std::string name_ = worker_name();
  std::mutex hunts_mutex_;
  std::map<std::int64_t, std::unique_ptr<KnownHunt>> hunts_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::exception_ptr error_;
};

run::Recipe recipe_of(WorkQueue& queue, const Examination& examination,
                      const run::Scenario& scenario) {
  const std::string name = fmt::format("item {} of hunt {}", examination.item, examination.hunt);
  const std::vector<ItemRecord> items = queue.items_from(examination.hunt, examination.item, 1);
  if (items.empty() || items.front().number != examination.item) {
    throw InputError(name + " is not in the store");
  }
  run::Recipe recipe;
  recipe.scenario = scenario;
  recipe.schedule = faults::decode_schedule(items.front().schedule, name,
                                            scenario.system_description(), scenario.nodes());
  recipe.seed = items.front().seed;
  recipe.hash = trace::to_hex(items.front().hash);
  return recipe;
}

}  // namespace

bool examine_next(WorkQueue& queue, std::int64_t hunt, const run::Scenario& scenario,
                  const Tenant& tenant, const Examiner& examine,
                  const std::function<bool()>& keep_going) {
  const std::optional<Examination> examination =
      queue.lease_examination(hunt, tenant.owner, tenant.lease_seconds);
  if (!examination) return false;
  ExaminationResult result;
  try {
    result = examine(recipe_of(queue, *examination, scenario), keep_going);
  } catch (const sql::ConnectionLost&) {
    throw;
  } catch (const InputError& error) {
    // It would fail for everyone: done, without a result.
    tenant.notice(fmt::format("a finding of hunt {} ({}) cannot be examined: {}", hunt,
                              examination->signature, error.what()));
  }
  if (keep_going()) {
    queue.complete_examination(examination->id, result);
  } else {
    // Half of it would be another result than that of others.
    queue.release_examination(examination->id);
  }
  return true;
}

void work(const WorkOptions& options, const Registry& registry, Patience& patience,
          const std::function<bool()>& should_stop, const WorkNotice& notice,
          WorkProgress& progress) {
  // One clear line where there is no store, or one that we cannot work for.
  keep_trying(&patience, [&] {
    const auto connection = sql::open(options.store, sql::Access::read);
    const std::int64_t version = version_of(*connection);
    check_version(*connection, version);
    if (version < kStoreVersion) {
      throw InputError(fmt::format(
          "{0}: a store of format version {1}, expected {2}; 'dissensus store create {0}' brings "
          "it there",
          connection->name(), version, kStoreVersion));
    }
  });
  Worker worker(options, registry, patience, should_stop, notice, progress);
  worker.run();
  worker.rethrow();
}

}  // namespace dissensus::hunt
