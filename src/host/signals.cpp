// Signals: who is interrupted by them, timers that send them, and instructions that fault.
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "host/supervisor.h"

namespace dissensus::host {

namespace {

constexpr std::uint64_t bit(int signal) {
  return 1ULL << (signal - 1);
}
/// Without a handler these do nothing, or are for shells.
constexpr std::uint64_t kHarmless = bit(SIGCHLD) | bit(SIGURG) | bit(SIGWINCH) | bit(SIGCONT) |
                                    bit(SIGSTOP) | bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU);

}  // namespace

void Supervisor::look_for_signals(Process& process) {
  if (process.is_dead) return;
  process.may_have_signals = true;
  std::uint64_t taken = 0;  // signals for the process that a thread will take
  for (Thread* thread : process.threads) {
    const Waiting::For what = thread->waiting.what;
    if (thread->is_queued || what == Waiting::For::nothing ||
        what == Waiting::For::child_runs_own) {
      continue;
    }
    const auto masks = read_signal_masks(thread->tid);
    if (!masks) continue;
    const std::uint64_t open =
        ~(thread->waiting.has_signal_mask ? thread->waiting.signal_mask : masks->blocked);
    const std::uint64_t matters =
        thread->waiting.takes_any_signal ? ~0ULL : masks->caught | ~(masks->ignored | kHarmless);
    const std::uint64_t shared = masks->shared_pending & ~taken & open & matters;
    if ((shared | (masks->pending & open & matters)) == 0) continue;
    taken |= shared;
    thread->interrupted = true;
    make_runnable(*thread);
  }
}

/// The thread's call ends because of a signal, which the kernel delivers next. Where the kernel
/// would do the right thing by itself, it does: with a signal pending, no call waits.
bool Supervisor::interrupt(Thread& thread) {
  futex_leave(thread);
  bool is_native = thread.waiting.has_signal_mask;
  switch (thread.call) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep: {
      const std::size_t at = thread.call == SYS_nanosleep ? 1 : 3;
      const bool is_absolute = thread.call == SYS_clock_nanosleep && thread.arguments[1] != 0;
      const std::int64_t rest = (thread.deadline - now_).count();
      const timespec left{rest / 1'000'000'000, rest % 1'000'000'000};
      if (thread.arguments[at] != 0 && !is_absolute) {
        write_value(thread.tid, thread.arguments[at], left);
      }
      break;
    }
    case SYS_select:
    case SYS_poll:
    case SYS_epoll_wait:
    case SYS_fsync:
    case SYS_fdatasync:
      break;
    default:
      is_native = true;
  }
  was_idle_ = false;
  return apply(thread, is_native ? native() : answer(-EINTR));
}

void Supervisor::send_signal_to_self(Thread& thread, int number) {
  syscall(SYS_tgkill, thread.process->pid, thread.tid, number);
}

bool Supervisor::on_signal(Thread& thread, int number, int& signal) {
  if (number == SIGSTOP && watchdog_.take_fired()) {
    on_preempted(thread);
    return false;
  }
  if (number == SIGSEGV || number == SIGILL) {
    const auto clock = static_cast<std::uint64_t>(steady().count());
    const Instructions::Kind kind =
        instructions_.carry_out(thread.process->number, thread.tid, number, clock,
                                thread.process->random, thread.registers);
    if (kind != Instructions::Kind::none) {
      record(thread, kInstructionEntry, thread.registers.rip);
      if (kind == Instructions::Kind::clock) {
        if (!clock_read(thread, 0).ends_turn) return true;
      } else if (kind != Instructions::Kind::spin) {
        return true;
      }
      ++thread.idle_turns;
      thread.is_queued = true;
      yielded_.push_back(&thread);
      return false;
    }
  }
  if (number == SIGSTOP || number == SIGTSTP) {
    doubt(fmt::format("{} is stopped by a signal, which has no effect here", name_of(thread)));
    return true;
  }
  siginfo_t info{};
  ptrace(PTRACE_GETSIGINFO, thread.tid, nullptr, &info);
  if (info.si_code == SI_TIMER) {
    const auto timer = thread.process->timers.find(info.si_timerid);
    if (timer != thread.process->timers.end()) timer->second.is_pending = false;
  }
  record(thread, kSignalEntry, static_cast<std::uint64_t>(number));
  signal = number;
  return true;
}

/// Only here does real time decide something; such a run is never called repeatable.
void Supervisor::on_preempted(Thread& thread) {
  const Registers registers = read_registers(thread.tid);
  const SpinSite site =
      instructions_.stop_spinning(thread.process->number, thread.tid, registers.rip);
  if (site.file.empty()) {
    doubt(fmt::format("{} computed for {} ms without a call and was stopped", name_of(thread),
                      plan_.limits.stop_time.count()));
  } else {
    doubt(fmt::format("{} waits in a loop in {}; repeat the run with this spin site",
                      name_of(thread), site.file));
    found_sites_.push_back(site);
  }
  ++thread.idle_turns;
  thread.is_queued = true;
  yielded_.push_back(&thread);
}

// ---- timers that send signals

void Supervisor::arm_timer(Process& process, int id) {
  SignalTimer& timer = process.timers.at(id);
  ++timer.generation;
  if (timer.next == kNever) return;
  at(timer.next, [this, &process, id, generation = timer.generation] {
    const auto found = process.timers.find(id);
    if (process.is_dead || found == process.timers.end() ||
        found->second.generation != generation) {
      return;
    }
    SignalTimer& due = found->second;
    send_timer_signal(process, due);
    due.next = due.interval.count() != 0 ? now_ + due.interval : kNever;
    arm_timer(process, id);
  });
}

void Supervisor::send_timer_signal(Process& process, SignalTimer& timer) {
  if (timer.is_silent) return;
  if (timer.is_pending) {
    ++timer.overrun;
    return;
  }
  if (!timer.is_posix) {
    ::kill(process.pid, timer.signal);
  } else {
    timer.is_pending = true;
    timer.overrun = 0;
    siginfo_t info{};
    info.si_signo = timer.signal;
    info.si_code = SI_TIMER;
    info.si_timerid = timer.number;
    info.si_value.sival_ptr = reinterpret_cast<void*>(timer.value);
    if (timer.tid != 0) {
      syscall(SYS_rt_tgsigqueueinfo, process.pid, timer.tid, timer.signal, &info);
    } else {
      syscall(SYS_rt_sigqueueinfo, process.pid, timer.signal, &info);
    }
  }
  look_for_signals(process);
}

}  // namespace dissensus::host
