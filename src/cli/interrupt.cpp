#include "cli/interrupt.h"

#include <csignal>

namespace dissensus::cli {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

bool is_interrupted() {
  return interrupted != 0;
}

}  // namespace dissensus::cli
