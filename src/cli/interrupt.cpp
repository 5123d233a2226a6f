#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

#include <time.h>

#include "run/worker_process.h"

namespace dissensus::cli {

namespace {

/// timeout(1) asks the program, and at once the whole group that it belongs to: that is one
/// request.
constexpr long kOneRequestMs = 500;

volatile std::sig_atomic_t interrupted = 0;
std::atomic<long> interrupted_ms{0};
static_assert(std::atomic<long>::is_always_lock_free);

void note_interrupt(int signal) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const long now_ms = time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  if (interrupted == 0) {
    interrupted = 1;
    interrupted_ms = now_ms;
  } else if (now_ms - interrupted_ms >= kOneRequestMs) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catch_interrupts() {
  run::give_up_runs_when(is_interrupted);
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

bool is_interrupted() {
  return interrupted != 0;
}

}  // namespace dissensus::cli
