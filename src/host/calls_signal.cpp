// Sending signals and waiting for them.
#include <cerrno>
#include <csignal>

#include <sys/syscall.h>
#include <unistd.h>

#include "host/calls.h"

namespace dissensus::host {

namespace {

/// After `sender` sent a signal to a process: it may have ended, or a thread of it is interrupted.
void follow_up(Supervisor& supervisor, const Process& sender, Process& target, int number) {
  if (&sender != &target) target.told_signals |= 1ULL << (number - 1);
  if (number == SIGKILL) {
    supervisor.kill_process(target);
  } else {
    supervisor.look_for_signals(target);
  }
}

/// To all of a group, or to all: only those of the same machine.
Outcome send_to_many(Supervisor& supervisor, Thread& thread, pid_t target, int number) {
  Process& self = *thread.process;
  const pid_t group = target == 0 ? getpgid(self.pid) : -1;
  std::vector<Process*> targets;
  for (const auto& process : supervisor.processes()) {
    if (process->is_dead || process->machine != self.machine) continue;
    bool is_meant = process.get() != &self;  // all: but not oneself
    if (target == 0) is_meant = getpgid(process->pid) == group;
    if (target < -1) {
      const Process* leader = supervisor.process_of_inner(-target);
      is_meant = leader != nullptr && getpgid(process->pid) == getpgid(leader->pid);
    }
    if (is_meant) targets.push_back(process.get());
  }
  if (targets.empty()) return answer(-ESRCH);
  bool is_self = false;
  for (Process* process : targets) {
    if (number == 0) continue;
    ::kill(process->pid, number);
    if (process == &self) {
      is_self = true;
    } else {
      follow_up(supervisor, self, *process, number);
    }
  }
  if (is_self && number == SIGKILL) {
    supervisor.kill_process(self);
    return gone();
  }
  if (is_self) supervisor.look_for_signals(self);
  return answer(0);
}

Outcome kill_call(Supervisor& supervisor, Thread& thread) {
  const auto target = static_cast<pid_t>(thread.arguments[0]);
  const int number = static_cast<int>(thread.arguments[1]);
  if (number < 0 || number > 64) return answer(-EINVAL);
  if (target <= 0) return send_to_many(supervisor, thread, target, number);
  Process* process = supervisor.process_of_inner(target);
  if (process == nullptr) return native();  // nobody, or one that ended and is not yet waited for
  if (process->machine != thread.process->machine) return answer(-ESRCH);
  if (process == thread.process && number == SIGKILL) {
    supervisor.kill_process(*process);
    return gone();
  }
  const long result = supervisor.finish_call(thread);
  if (result == 0 && number != 0) follow_up(supervisor, *thread.process, *process, number);
  return finished(result);
}

Outcome send_to_thread(Supervisor& supervisor, Thread& thread) {
  const bool has_group = thread.call == SYS_tgkill || thread.call == SYS_rt_tgsigqueueinfo;
  const auto target = static_cast<pid_t>(thread.arguments[has_group ? 1 : 0]);
  const int number = static_cast<int>(thread.arguments[has_group ? 2 : 1]);
  Thread* const other =
      thread.call == SYS_rt_sigqueueinfo ? nullptr : supervisor.thread_of_inner(target);
  Process* const process = other != nullptr ? other->process : supervisor.process_of_inner(target);
  if (process == nullptr || process->machine != thread.process->machine) return answer(-ESRCH);
  if (process == thread.process && number == SIGKILL) {
    supervisor.kill_process(*process);
    return gone();
  }
  const long result = supervisor.finish_call(thread);
  if (result == 0 && number != 0) follow_up(supervisor, *thread.process, *process, number);
  return finished(result);
}

/// Waits until a signal is there; the kernel then does the rest without waiting.
Outcome pause_call(Supervisor& supervisor, Thread& thread) {
  return supervisor.wait_for(thread, Waiting::For::signal, kNever);
}

bool has_pending(const Thread& thread, std::uint64_t mask) {
  const auto masks = read_signal_masks(thread.tid);
  return masks && ((masks->pending | masks->shared_pending) & mask) != 0;
}

Outcome sigsuspend_call(Supervisor& supervisor, Thread& thread) {
  const auto mask = read_value<std::uint64_t>(thread.tid, thread.arguments[0]);
  if (!mask) return answer(-EFAULT);
  if (has_pending(thread, ~*mask)) return native();
  thread.waiting.signal_mask = *mask;
  thread.waiting.has_signal_mask = true;
  return supervisor.wait_for(thread, Waiting::For::signal, kNever);
}

Outcome sigtimedwait_call(Supervisor& supervisor, Thread& thread) {
  if (thread.timed_out) return answer(-EAGAIN);
  const auto set = read_value<std::uint64_t>(thread.tid, thread.arguments[0]);
  if (!set) return answer(-EFAULT);
  if (has_pending(thread, *set)) {
    const long result = supervisor.finish_call(thread);
    const auto info = read_value<siginfo_t>(thread.tid, thread.arguments[1]);
    if (result <= 0 || thread.arguments[1] == 0 || !info || took_signal(*thread.process, *info)) {
      return finished(result);
    }
    supervisor.set_result(thread, -EAGAIN);
    return finished(-EAGAIN);
  }
  HostTime deadline = kNever;
  if (thread.arguments[2] != 0) {
    const auto limit = read_value<timespec>(thread.tid, thread.arguments[2]);
    if (!limit) return answer(-EFAULT);
    deadline = after(supervisor.now(), to_duration(*limit));
    if (deadline <= supervisor.now()) return supervisor.idle(thread, -EAGAIN);
  }
  thread.waiting.signal_mask = ~*set;
  thread.waiting.has_signal_mask = true;
  thread.waiting.takes_any_signal = true;
  return supervisor.wait_for(thread, Waiting::For::signal, deadline);
}

Outcome pidfd_send_signal_call(Supervisor& supervisor, Thread& thread) {
  const Handle handle = Supervisor::copy_of(thread, descriptor_argument(thread, 0));
  const int number = static_cast<int>(thread.arguments[1]);
  Process* const process = handle ? supervisor.process_of_handle(handle) : nullptr;
  if (process == thread.process && number == SIGKILL) {
    supervisor.kill_process(*process);
    return gone();
  }
  const long result = supervisor.finish_call(thread);
  if (result == 0 && number != 0 && process != nullptr) {
    follow_up(supervisor, *thread.process, *process, number);
  }
  return finished(result);
}

/// Only of processes of the same machine.
Outcome pidfd_open_call(Supervisor& supervisor, Thread& thread) {
  const Process* process = supervisor.process_of_inner(static_cast<pid_t>(thread.arguments[0]));
  if (process != nullptr && process->machine != thread.process->machine) return answer(-ESRCH);
  return native();
}

constexpr CallEntry kSignalCalls[] = {
    {SYS_pidfd_open, pidfd_open_call},
    {SYS_pidfd_send_signal, pidfd_send_signal_call},
    {SYS_kill, kill_call},
    {SYS_tkill, send_to_thread},
    {SYS_tgkill, send_to_thread},
    {SYS_rt_sigqueueinfo, send_to_thread},
    {SYS_rt_tgsigqueueinfo, send_to_thread},
    {SYS_pause, pause_call},
    {SYS_rt_sigsuspend, sigsuspend_call},
    {SYS_rt_sigtimedwait, sigtimedwait_call},
};

}  // namespace

std::span<const CallEntry> signal_calls() {
  return kSignalCalls;
}

}  // namespace dissensus::host
