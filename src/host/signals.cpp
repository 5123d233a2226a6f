// Signals: who is interrupted by them, timers that send them, and instructions that fault.
#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "host/calls.h"
#include "host/counter.h"

namespace dissensus::host {

namespace {

constexpr std::uint64_t bit(int signal) {
  return 1ULL << (signal - 1);
}
/// Without a handler these do nothing, or are for shells.
constexpr std::uint64_t kHarmless = bit(SIGCHLD) | bit(SIGURG) | bit(SIGWINCH) | bit(SIGCONT) |
                                    bit(SIGSTOP) | bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU);

/// The signals that end a wait of this thread.
std::uint64_t interrupting(const Thread& thread, const SignalMasks& masks) {
  const Waiting& waiting = thread.waiting;
  const std::uint64_t open = ~(waiting.has_signal_mask ? waiting.signal_mask : masks.blocked);
  return waiting.takes_any_signal ? open : open & (masks.caught | ~(masks.ignored | kHarmless));
}

}  // namespace

void Supervisor::look_for_signals(Process& process) {
  if (process.is_dead) return;
  refresh_signal_readers(process, nullptr);
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
    const std::uint64_t open = interrupting(*thread, *masks);
    const std::uint64_t shared = masks->shared_pending & ~taken & open;
    if ((shared | (masks->pending & open)) == 0) continue;
    taken |= shared;
    thread->interrupted = true;
    make_runnable(*thread);
  }
}

/// The thread's call ends because of a signal, which the kernel delivers next. Where the kernel
/// would do the right thing by itself, it does: with a signal pending, no call waits.
bool Supervisor::interrupt(Thread& thread) {
  if (thread.woken) return try_call(thread);
  const auto masks = read_signal_masks(thread.tid);
  const std::uint64_t pending = masks ? masks->pending | masks->shared_pending : 0;
  futex_leave(thread);
  // Another thread has taken it.
  if (masks && (pending & interrupting(thread, *masks)) == 0) return try_call(thread);
  if (thread.progress != 0) return apply(thread, answer(static_cast<long>(thread.progress)));
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
      write_time_left(thread, now_);
      break;
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

void Supervisor::add_signal_reader(Process& process, std::shared_ptr<SignalReader> reader) {
  has_signal_readers_ = true;
  process.signal_readers.push_back(std::move(reader));
}

void Supervisor::refresh_signal_readers(Process& process, const Thread* reader) {
  for (const auto& signals : process.signal_readers) {
    std::uint64_t pending = 0;
    for (const Thread* thread : process.threads) {
      const auto masks = read_signal_masks(thread->tid);
      if (!masks) continue;
      pending |= masks->shared_pending;
      if (reader == nullptr || reader == thread) pending |= masks->pending;
    }
    const bool is_ready = (pending & signals->mask) != 0;
    if (is_ready == signals->is_ready) continue;
    signals->is_ready = is_ready;
    if (is_ready) {
      set_counter(signals->counter.get(), 1);
    } else {
      take_counter(signals->counter.get());
    }
  }
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
  if (!took_signal(*thread.process, info)) return true;
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
    // Nobody knows when it would have stopped by itself: so much time passes, or others never run.
    computed_ = plan_.limits.stop_time;
    thread.process->spun += computed_;
    thread.idle_turns = kIdleTurnsMax;
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

void Supervisor::fire_processor_timers(Process& process) {
  const HostTime used = processor_time(process);
  process.processor_due = kNever;
  for (SignalTimer& timer : process.processor_timers) {
    if (timer.next <= used) {
      send_timer_signal(process, timer);
      timer.next = timer.interval.count() != 0 ? used + timer.interval : kNever;
    }
    process.processor_due = std::min(process.processor_due, timer.next);
  }
}

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

namespace {

bool is_pending(const Process& process, const SignalTimer& timer) {
  if (process.threads.empty()) return false;
  const pid_t tid = timer.tid != 0 ? timer.tid : process.threads.front()->tid;
  const auto masks = read_signal_masks(tid);
  return masks && ((timer.tid != 0 ? masks->pending : masks->shared_pending) & bit(timer.signal));
}

}  // namespace

void Supervisor::send_timer_signal(Process& process, SignalTimer& timer) {
  if (timer.is_silent) return;
  // It may have been taken without being delivered, by sigwait or a signalfd.
  if (timer.is_pending && !is_pending(process, timer)) timer.is_pending = false;
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
