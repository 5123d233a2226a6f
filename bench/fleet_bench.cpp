// How many workers one PostgreSQL keeps busy: workers that only pretend to run.
//   bench_fleet URL [seconds]
// Each worker leases a batch, sleeps for as long as the runs of it would take, and hands in results
// of the size that thesis.toml's have. A coordinator puts batches and collects them. A line per
// number of workers: runs per second, and the share of time that workers waited for the store.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "hunt/batch.h"
#include "hunt/queue.h"
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
  return encode_orders(orders);
}

std::string results() {
  DoneWork work;
  work.seconds = 1;
  work.deliveries.resize(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) {
    work.deliveries[i].record.number = i;
    work.deliveries[i].record.hash = i * 0x9E3779B97F4A7C15;
    work.deliveries[i].record.objectives = {1.5};
    work.deliveries[i].states.assign(20, i);
  }
  return encode_work(work);
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
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&, i] {
      WorkQueue queue(url, patience);
      const std::string owner = fmt::format("pretender {}", i);
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
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const std::uint64_t batches_before = batches;
  const std::uint64_t waited_before = waited_us;
  const Clock::time_point start = Clock::now();
  std::uint64_t decoded = 0;
  while (seconds_since(start) < seconds) {
    const std::vector<DoneBatch> done = queue.done(hunt);
    for (const DoneBatch& batch : done) {
      decoded += decode_work(batch.results, "bench").deliveries.size();
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
  fmt::print(
      "{:>5} workers: {:>7.1f} batches/s, {:>9.0f} runs/s, workers waited {:>5.1f} % of the time, "
      "{} found no batch\n",
      workers, rate, rate * kBatch, 100 * share, idle.load());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_fleet: expected the URL of a store\n");
    return 2;
  }
  const double seconds = argc > 2 ? std::atof(argv[2]) : 10;
  for (const std::size_t workers : {1, 8, 50, 100, 200, 500}) measure(argv[1], workers, seconds);
  return 0;
}
