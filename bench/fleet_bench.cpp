// How many workers one PostgreSQL keeps busy: workers that only pretend to run.
//   bench_fleet URL [seconds] [batches|islands]
// Each worker leases a batch, sleeps for as long as the runs of it would take, and hands in results
// of the size that thesis.toml's have. A coordinator puts batches and collects them. A line per
// number of workers: runs per second, and the share of time that workers waited for the store.
// Islands take a turn of two seconds, send sums and the two failing runs of it, every twentieth
// time also a run with new states (what thesis.toml gives after some 100,000 runs), and hear the
// news.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/bytes.h"
#include "hunt/batch.h"
#include "hunt/queue.h"
#include "hunt/shipment.h"
#include "hunt/store.h"

namespace {

using namespace dissensus;
using namespace dissensus::hunt;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 1500;  // a second of a worker that makes 1,500 runs a second

class Stubborn final : public Patience {
 public:
  bool wait(const std::string&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return true;
  }
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string orders() {
  std::vector<Order> orders(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) orders[i] = {i, i * 977, std::string(500, 's')};
  return to_bytes(orders);
}

std::string results() {
  DoneWork work;
  work.seconds = 1;
  work.deliveries.resize(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) {
    work.deliveries[i].facts.number = i;
    work.deliveries[i].facts.hash = i * 0x9E3779B97F4A7C15;
    work.deliveries[i].facts.objectives = {1.5};
    work.deliveries[i].states.assign(20, i);
  }
  return to_bytes(work);
}

void measure(const std::string& url, std::size_t workers, double seconds) {
  Stubborn patience;
  Store store(url, &patience);
  store.begin({0, "pretended", "", "{}", "bench"});
  const std::int64_t hunt = store.hunt();
  const std::string items = orders();
  const std::string answer = results();
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> waited_us{0};
  std::atomic<std::uint64_t> idle{0};
  // All are connected before anything is measured: to connect is not what a worker does all day.
  std::barrier connected(static_cast<std::ptrdiff_t>(workers) + 1);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      WorkQueue queue(url, patience);
      const std::string owner = fmt::format("pretender {}", i);
      connected.arrive_and_wait();
      // Not all at once.
      std::this_thread::sleep_for(std::chrono::milliseconds(1000 * i / workers));
      while (!stop) {
        const Clock::time_point before = Clock::now();
        const std::optional<Lease> lease = queue.lease(hunt, owner, 30);
        double waited = seconds_since(before);
        if (!lease) {
          ++idle;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          waited_us += static_cast<std::uint64_t>(seconds_since(before) * 1e6);
          continue;
        }
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const Clock::time_point ran = Clock::now();
        queue.complete(*lease, answer);
        waited += seconds_since(ran);
        waited_us += static_cast<std::uint64_t>(waited * 1e6);
        ++batches;
      }
    });
  }
  WorkQueue queue(url, patience);
  for (std::size_t i = 0; i < 2 * workers; ++i) queue.put(hunt, items);
  connected.arrive_and_wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const std::uint64_t batches_before = batches;
  const std::uint64_t waited_before = waited_us;
  const Clock::time_point start = Clock::now();
  std::uint64_t decoded = 0;
  while (seconds_since(start) < seconds) {
    const std::vector<DoneBatch> done = queue.done(hunt);
    for (const DoneBatch& batch : done) {
      decoded += from_bytes<DoneWork>(batch.results, "bench").deliveries.size();
      queue.remove(batch.batch);
      queue.put(hunt, items);
    }
    if (done.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const double elapsed = seconds_since(start);
  const double rate = static_cast<double>(batches - batches_before) / elapsed;
  const double share = static_cast<double>(waited_us - waited_before) / 1e6 /
                       (elapsed * static_cast<double>(workers));
  stop = true;
  threads.clear();
  queue.clear(hunt);
  double load = 0;
  getloadavg(&load, 1);
  fmt::print(
      "{:>5} workers: {:>7.1f} batches/s, {:>9.0f} runs/s, workers waited {:>5.1f} % of the time, "
      "{} times one found no batch (load of the machine {:.1f})\n",
      workers, rate, rate * kBatch, 100 * share, idle.load(), load);
  std::fflush(stdout);
}

std::string island_cargo(Shipment& shipment) {
  for (int i = 0; i < 10; ++i) shipment.sums[{"member", fmt::format("origin {}", i)}].runs = 300;
  shipment.failures["termination/no-progress/ledger"] = 150;
  shipment.items.resize(2);
  for (ItemRecord& item : shipment.items) {
    item.outcome = oracle::Outcome::fail;
    item.signature = "termination/no-progress/ledger";
    item.schedule.assign(500, 's');
    item.new_states.assign(3, 7);
  }
  return to_bytes(shipment);
}

void measure_islands(const std::string& url, std::size_t workers, double seconds) {
  constexpr double kTurn = 2;
  Stubborn patience;
  Store store(url, &patience);
  HuntRecord record{0, "pretended", "", "{}", "bench"};
  record.islands = true;
  store.begin(record);
  const std::int64_t hunt = store.hunt();
  Shipment sent;
  const std::string cargo = island_cargo(sent);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> turns{0};
  std::atomic<std::uint64_t> waited_us{0};
  std::barrier connected(static_cast<std::ptrdiff_t>(workers) + 1);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      WorkQueue queue(url, patience);
      const std::int64_t island = queue.found_island(hunt, fmt::format("pretender {}", i));
      std::uint64_t heard = 0;
      connected.arrive_and_wait();
      std::this_thread::sleep_for(std::chrono::duration<double>(kTurn * static_cast<double>(i) /
                                                                static_cast<double>(workers)));
      for (std::uint64_t turn = 1; !stop; ++turn) {
        std::this_thread::sleep_for(std::chrono::duration<double>(kTurn));
        const Clock::time_point ran = Clock::now();
        queue.ship(hunt, island, turn, cargo);
        const std::vector<ItemRecord> news = queue.items_from(hunt, heard);
        if (!news.empty()) heard = news.back().number + 1;
        waited_us += static_cast<std::uint64_t>(seconds_since(ran) * 1e6);
        ++turns;
      }
    });
  }
  connected.arrive_and_wait();
  WorkQueue queue(url, patience);
  std::uint64_t arrived = 0;
  std::uint64_t kept = 0;
  std::uint64_t turns_before = 0;
  std::uint64_t waited_before = 0;
  Clock::time_point start = Clock::now();
  for (bool is_warm = false; !is_warm || seconds_since(start) < seconds;) {
    if (!is_warm && seconds_since(start) >= 2 * kTurn) {
      is_warm = true;
      turns_before = turns;
      waited_before = waited_us;
      start = Clock::now();
    }
    const std::vector<ArrivedShipment> shipments = queue.shipments(hunt);
    for (const ArrivedShipment& shipment : shipments) {
      const Shipment received = from_bytes<Shipment>(shipment.cargo, "bench");
      Arrival arrival{shipment.id, arrived * 3000, received, {}};
      if (arrived++ % 20 == 0) {
        arrival.items.push_back(received.items.front());
        arrival.items.front().number = kept++;
      }
      store.add(arrival);
    }
    if (shipments.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const double elapsed = seconds_since(start);
  const double rate = static_cast<double>(turns - turns_before) / elapsed;
  const double share = static_cast<double>(waited_us - waited_before) / 1e6 /
                       (elapsed * static_cast<double>(workers));
  const std::size_t behind = queue.shipments(hunt).size();
  stop = true;
  threads.clear();
  store.finish();
  double load = 0;
  getloadavg(&load, 1);
  fmt::print(
      "{:>5} islands: {:>7.1f} turns/s, workers waited {:>5.1f} % of the time, {} shipments wait "
      "for "
      "the coordinator (load of the machine {:.1f})\n",
      workers, rate, 100 * share, behind == 16 ? std::string("16 or more") : std::to_string(behind),
      load);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_fleet: expected the URL of a store\n");
    return 2;
  }
  const double seconds = argc > 2 ? std::atof(argv[2]) : 10;
  const bool islands = argc > 3 && std::string_view(argv[3]) == "islands";
  for (const std::size_t workers : {1, 8, 50, 100, 200, 500}) {
    islands ? measure_islands(argv[1], workers, seconds) : measure(argv[1], workers, seconds);
  }
  return 0;
}
