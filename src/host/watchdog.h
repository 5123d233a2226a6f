// Looks after what takes real time: a thread that computes without end, one that sleeps in a call
// that was taken for one that cannot, the limit of the whole run, memory that runs out. What it
// does is never part of a repeatable run, and is always reported.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace dissensus::host {

class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;
  struct Settings {
    std::chrono::milliseconds stop_time{};
    std::uint64_t memory_bytes = 0;
    pid_t keeper = -1;  ///< ended when there is too little memory, or the supervisor is stuck
    Clock::time_point deadline{};
  };
  explicit Watchdog(const Settings& settings);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// This thread was just let go.
  void running(pid_t pid, pid_t tid) {
    running_.store(
        std::uint64_t{static_cast<std::uint32_t>(pid)} << 32 | static_cast<std::uint32_t>(tid),
        std::memory_order_relaxed);
    turn_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Nothing runs.
  void idle() { running_.store(0, std::memory_order_relaxed); }
  /// True once after it stopped the running thread.
  bool take_fired() { return fired_.exchange(false); }
  bool is_over_memory() const { return over_memory_.load(std::memory_order_relaxed); }
  /// The deadline has passed. The running thread was stopped; should that not bring the supervisor
  /// back, everything is ended.
  bool is_over_time() const { return over_time_.load(std::memory_order_relaxed); }
  /// The running thread sleeps in a call, and was stopped.
  bool is_stuck() const { return stuck_.load(std::memory_order_relaxed); }
  void set_deadline(Clock::time_point deadline);
  /// While the supervisor is at work, it may stand and wait for a program.
  void set_at_work(bool is_at_work) { is_at_work_.store(is_at_work, std::memory_order_relaxed); }
  void set_processes(std::vector<pid_t> pids);

 private:
  void watch();
  void look_at_time(Clock::time_point now, std::uint64_t running);
  void stop(std::uint64_t running);
  std::uint64_t resident_bytes();
  /// The sandbox has ended, and all threads with it. The first of a process is reported only when
  /// the others have been reaped, and the supervisor may be waiting for just that one.
  void reap_killed_threads();

  Settings settings_;
  std::atomic<std::uint64_t> running_{0};
  std::atomic<std::uint64_t> turn_{0};
  std::atomic<bool> fired_{false};
  std::atomic<bool> over_memory_{false};
  std::atomic<bool> over_time_{false};
  std::atomic<bool> stuck_{false};
  std::atomic<bool> is_at_work_{false};
  bool has_ended_all_ = false;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::vector<pid_t> pids_;
  std::thread thread_;
};

/// The supervisor is at work for as long as this lives.
class AtWork {
 public:
  explicit AtWork(Watchdog& watchdog) : watchdog_(watchdog) { watchdog_.set_at_work(true); }
  ~AtWork() { watchdog_.set_at_work(false); }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  Watchdog& watchdog_;
};

}  // namespace dissensus::host
