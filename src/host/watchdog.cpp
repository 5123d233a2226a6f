#include "host/watchdog.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/sandbox.h"
#include "host/tracee.h"

namespace dissensus::host {

Watchdog::Watchdog(const Settings& settings) : settings_(settings), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void Watchdog::set_processes(std::vector<pid_t> pids) {
  const std::lock_guard lock(mutex_);
  pids_ = std::move(pids);
}

std::uint64_t Watchdog::resident_bytes() {
  std::uint64_t pages = 0;
  for (const pid_t pid : pids_) {
    const Handle file(
        open(("/proc/" + std::to_string(pid) + "/statm").c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 128> text{};
    unsigned long size = 0;
    unsigned long resident = 0;
    unsigned long shared = 0;
    if (file && read(file.get(), text.data(), text.size() - 1) > 0 &&
        std::sscanf(text.data(), "%lu %lu %lu", &size, &resident, &shared) == 3) {
      pages += resident - shared;
    }
  }
  return pages * 4096;
}

void Watchdog::reap_killed_threads() {
  for (const pid_t pid : pids_) {
    std::error_code error;
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const pid_t tid = std::atoi(entry.path().filename().c_str());
      if (tid != pid) waitpid(tid, nullptr, __WALL | WNOHANG);
    }
  }
}

namespace {

/// What a thread has computed so far; 0 where that cannot be known. On a busy machine real time
/// says little about it.
std::chrono::nanoseconds computed(std::uint64_t running) {
  const std::string path = "/proc/" + std::to_string(running >> 32) + "/task/" +
                           std::to_string(running & 0xffffffff) + "/schedstat";
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  unsigned long long time = 0;
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0 ||
      std::sscanf(text.data(), "%llu", &time) != 1) {
    return {};
  }
  return std::chrono::nanoseconds(time);
}

/// In a call that waits. Whoever runs, or waits for memory, is not.
bool is_asleep(std::uint64_t running) {
  const std::string path = "/proc/" + std::to_string(running >> 32) + "/task/" +
                           std::to_string(running & 0xffffffff) + "/stat";
  const Handle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  if (!file || read(file.get(), text.data(), text.size() - 1) <= 0) return false;
  const char* const state = std::strrchr(text.data(), ')');
  return state != nullptr && state[1] == ' ' && state[2] == 'S';
}

/// A thread that neither computes nor makes a call that we see, in real time.
constexpr int kPatience = 15;
/// For which a running thread may sleep: calls that wait are not left to the kernel.
constexpr auto kSleepMax = std::chrono::seconds(2);
/// After which a supervisor that the end of the time did not bring back stands for good.
constexpr auto kGrace = std::chrono::milliseconds(500);

}  // namespace

void Watchdog::set_deadline(Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  settings_.deadline = deadline;
}

void Watchdog::stop(std::uint64_t running) {
  if (running == 0) return;
  syscall(SYS_tgkill, static_cast<pid_t>(running >> 32), static_cast<pid_t>(running & 0xffffffff),
          SIGSTOP);
}

void Watchdog::look_at_time(Clock::time_point now, std::uint64_t running) {
  if (!is_at_work_ || now < settings_.deadline) return;
  over_time_ = true;
  if (now < settings_.deadline + kGrace) {
    stop(running);
  } else if (!has_ended_all_) {
    has_ended_all_ = true;
    ::kill(settings_.keeper, SIGKILL);
  }
}

void Watchdog::watch() {
  std::uint64_t last_turn = 0;
  auto since = Clock::now();
  auto awake = since;
  std::chrono::nanoseconds before{};
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, std::chrono::milliseconds(50), [this] { return is_ending_; })) {
    const std::uint64_t running = running_.load();
    const std::uint64_t turn = turn_.load();
    const auto now = Clock::now();
    look_at_time(now, running);
    if (turn != last_turn || running == 0) {
      last_turn = turn;
      since = awake = now;
      before = computed(running);
    } else if (!is_asleep(running)) {
      awake = now;
    }
    if (now - awake > kSleepMax && !stuck_) {
      stuck_ = true;
      stop(running);
    }
    const std::chrono::nanoseconds spent = computed(running);
    const bool has_computed = spent.count() == 0 || spent - before > settings_.stop_time;
    if (now - since > settings_.stop_time &&
        (has_computed || now - since > kPatience * settings_.stop_time)) {
      since = now;
      before = spent;
      fired_ = true;
      stop(running);
    }
    if (has_process_ended(settings_.keeper)) reap_killed_threads();
    if (!over_memory_ && resident_bytes() > settings_.memory_bytes) {
      over_memory_ = true;
      ::kill(settings_.keeper, SIGKILL);
    }
  }
}

}  // namespace dissensus::host
