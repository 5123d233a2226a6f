#include "cli/interrupt.h"

#include <csignal>

#include "run/worker_process.h"

namespace dissensus::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
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
