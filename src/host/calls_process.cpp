// Threads and processes: making them, waiting for them, ending them.
#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "host/calls.h"

namespace dissensus::host {

namespace {

Outcome create_call(Supervisor& supervisor, Thread& thread) {
  if (supervisor.thread_count() >= supervisor.plan().limits.threads) {
    supervisor.note(fmt::format("{} wanted more than {} threads",
                                supervisor.program(thread.process->program).plan.name,
                                supervisor.plan().limits.threads));
    return supervisor.idle(thread, -EAGAIN);
  }
  if (thread.call == SYS_clone) {
    constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                          CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                          CLONE_NEWNET;
    if ((thread.arguments[0] & kNamespaces) != 0) return answer(-EPERM);
    if ((thread.arguments[0] & (CLONE_UNTRACED | CLONE_PTRACE)) != 0) return answer(-EINVAL);
  }
  return native();
}

Outcome execute_call(Supervisor&, Thread&) {
  return native();
}

Outcome exit_call(Supervisor& supervisor, Thread& thread) {
  return supervisor.end_thread(thread);
}

Outcome exit_group_call(Supervisor& supervisor, Thread& thread) {
  return supervisor.end_process(thread);
}

Outcome set_tid_address_call(Supervisor&, Thread& thread) {
  thread.clear_tid = thread.arguments[0];
  return native();
}

/// The call is made with the option not to wait; `is_none` says whether it found nobody.
template <class IsNone>
Outcome wait_for_child(Supervisor& supervisor, Thread& thread, std::size_t options_at,
                       const IsNone& is_none) {
  const std::uint64_t options = thread.arguments[options_at];
  auto arguments = thread.arguments;
  arguments[options_at] |= WNOHANG;
  supervisor.replace_call(thread, thread.call, arguments);
  const long result = supervisor.finish_call(thread);
  if ((options & WNOHANG) != 0 || !is_none(result)) {
    supervisor.set_result(thread, result);
    return finished(result);
  }
  return supervisor.wait_in_front(thread, kNever, Waiting::For::children);
}

Outcome wait4_call(Supervisor& supervisor, Thread& thread) {
  const Outcome outcome =
      wait_for_child(supervisor, thread, 2, [](long result) { return result == 0; });
  if (outcome.next == Outcome::Next::finished && outcome.value > 0 && thread.arguments[3] != 0) {
    const std::array<char, 144> nothing{};  // a rusage
    write_value(thread.tid, thread.arguments[3], nothing);
  }
  if (outcome.next == Outcome::Next::finished && outcome.value > 0) {
    supervisor.mark_reaped(static_cast<pid_t>(outcome.value));
  }
  return outcome;
}

Outcome waitid_call(Supervisor& supervisor, Thread& thread) {
  if (thread.arguments[2] != 0) {
    write_value(thread.tid, thread.arguments[2] + offsetof(siginfo_t, si_pid), pid_t{0});
  }
  const auto found = [&] {
    if (thread.arguments[2] == 0) return pid_t{1};
    return read_value<pid_t>(thread.tid, thread.arguments[2] + offsetof(siginfo_t, si_pid))
        .value_or(1);
  };
  const Outcome outcome = wait_for_child(supervisor, thread, 3,
                                         [&](long result) { return result == 0 && found() == 0; });
  if (outcome.next == Outcome::Next::finished && outcome.value == 0) {
    supervisor.mark_reaped(found());
  }
  return outcome;
}

constexpr CallEntry kProcessCalls[] = {
    {SYS_clone, create_call},          {SYS_fork, create_call},
    {SYS_vfork, create_call},          {SYS_execve, execute_call},
    {SYS_execveat, execute_call},      {SYS_exit, exit_call},
    {SYS_exit_group, exit_group_call}, {SYS_set_tid_address, set_tid_address_call},
    {SYS_wait4, wait4_call},           {SYS_waitid, waitid_call},
};

}  // namespace

std::span<const CallEntry> process_calls() {
  return kProcessCalls;
}

}  // namespace dissensus::host
