// The machine: randomness, processors, limits. All machines look alike.
#include <algorithm>
#include <cerrno>
#include <string>

#include <asm/prctl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

#include "host/calls.h"

namespace dissensus::host {

namespace {

Outcome getrandom_call(Supervisor&, Thread& thread) {
  std::string bytes(std::min<std::uint64_t>(thread.arguments[1], 1 << 20), '\0');
  for (char& byte : bytes) byte = static_cast<char>(thread.process->random.next());
  if (!write_memory(thread.tid, thread.arguments[0], bytes.data(), bytes.size())) {
    return answer(-EFAULT);
  }
  return answer(static_cast<long>(bytes.size()));
}

/// 0: the caller.
bool is_there(Supervisor& supervisor, const Thread& thread) {
  const auto number = static_cast<pid_t>(thread.arguments[0]);
  if (number == 1) return true;  // whose child the first program is
  const Thread* other = number == 0 ? &thread : supervisor.thread_of_inner(number);
  return other != nullptr && other->process->machine == thread.process->machine;
}

Outcome affinity_call(Supervisor& supervisor, Thread& thread) {
  std::uint64_t mask = 1;
  const bool is_get = thread.call == SYS_sched_getaffinity;
  if (is_get && (thread.arguments[1] < sizeof mask || thread.arguments[1] % sizeof mask != 0)) {
    return answer(-EINVAL);
  }
  if (!is_there(supervisor, thread)) return answer(-ESRCH);
  if (is_get) {
    return answer(write_value(thread.tid, thread.arguments[2], mask)
                      ? static_cast<long>(sizeof mask)
                      : -EFAULT);
  }
  mask = 0;
  const std::size_t bytes = std::min<std::size_t>(sizeof mask, thread.arguments[1]);
  if (!read_memory(thread.tid, thread.arguments[2], &mask, bytes)) return answer(-EFAULT);
  return answer((mask & 1) != 0 ? 0 : -EINVAL);
}

Outcome getcpu_call(Supervisor&, Thread& thread) {
  for (const std::size_t at : {0u, 1u}) {
    if (thread.arguments[at] != 0) write_value(thread.tid, thread.arguments[at], std::uint32_t{0});
  }
  return answer(0);
}

Outcome sysinfo_call(Supervisor& supervisor, Thread& thread) {
  struct sysinfo info {};
  info.uptime =
      std::chrono::duration_cast<std::chrono::seconds>(supervisor.steady(thread.process->machine))
          .count();
  info.totalram = 8ULL << 30;
  info.freeram = 6ULL << 30;
  info.procs = 64;
  info.mem_unit = 1;
  write_value(thread.tid, thread.arguments[0], info);
  return answer(0);
}

constexpr int kBatch = 3;
constexpr int kIdle = 5;

/// The highest and lowest priority of a class.
Outcome priority_range_call(Supervisor&, Thread& thread) {
  const int policy = descriptor_argument(thread, 0);
  const bool is_max = thread.call == SYS_sched_get_priority_max;
  if (policy == SCHED_FIFO || policy == SCHED_RR) return answer(is_max ? 99 : 1);
  constexpr int kDeadline = 6;
  const bool is_known =
      policy == SCHED_OTHER || policy == kBatch || policy == kIdle || policy == kDeadline;
  return answer(is_known ? 0 : -EINVAL);
}

/// One processor and no priorities: what a program without privileges may ask for is remembered.
Outcome scheduler_call(Supervisor& supervisor, Thread& thread) {
  if (static_cast<pid_t>(thread.arguments[0]) < 0) return answer(-EINVAL);
  const bool is_set = thread.call == SYS_sched_setscheduler || thread.call == SYS_sched_setparam;
  const std::size_t parameters_at = thread.call == SYS_sched_setscheduler ? 2 : 1;
  std::optional<sched_param> wanted;
  if (is_set) {
    if (thread.arguments[parameters_at] == 0) return answer(-EINVAL);
    wanted = read_value<sched_param>(thread.tid, thread.arguments[parameters_at]);
    if (!wanted) return answer(-EFAULT);
  }
  if (!is_there(supervisor, thread)) return answer(-ESRCH);
  Process& process = *thread.process;
  switch (thread.call) {
    case SYS_sched_getscheduler:
      return answer(process.schedule);
    case SYS_sched_getparam:
      if (thread.arguments[1] == 0) return answer(-EINVAL);
      return answer(write_value(thread.tid, thread.arguments[1], sched_param{}) ? 0 : -EFAULT);
    case SYS_sched_rr_get_interval:
      write_value(thread.tid, thread.arguments[1], timespec{0, 4'000'000});
      return answer(0);
    case SYS_sched_setscheduler: {
      const int policy = static_cast<int>(thread.arguments[1]);
      if (policy == SCHED_FIFO || policy == SCHED_RR) {
        return answer(wanted->sched_priority < 1 || wanted->sched_priority > 99 ? -EINVAL : -EPERM);
      }
      if (policy != SCHED_OTHER && policy != kBatch && policy != kIdle) return answer(-EINVAL);
      if (wanted->sched_priority != 0) return answer(-EINVAL);
      process.schedule = policy;
      return answer(0);
    }
    default:
      return answer(wanted->sched_priority == 0 ? 0 : -EINVAL);
  }
}

/// How nice a process is; nobody is the better for it.
Outcome priority_call(Supervisor& supervisor, Thread& thread) {
  const int which = descriptor_argument(thread, 0);
  const auto number = static_cast<pid_t>(thread.arguments[1]);
  if (which < PRIO_PROCESS || which > PRIO_USER) return answer(-EINVAL);
  Process* process = thread.process;
  if (which == PRIO_PROCESS && number != 0) {
    const Thread* other = supervisor.thread_of_inner(number);
    process = other == nullptr ? supervisor.process_of_inner(number) : other->process;
    if (process == nullptr || process->machine != thread.process->machine) return answer(-ESRCH);
  }
  if (thread.call == SYS_getpriority) return answer(20 - process->nice);
  const int wanted = std::clamp(static_cast<int>(thread.arguments[2]), -20, 19);
  if (wanted < process->nice) return answer(-EACCES);
  process->nice = wanted;
  return answer(0);
}

/// Classes of input and output, too, are remembered by nobody.
Outcome ignored_call(Supervisor&, Thread&) {
  return answer(0);
}

/// Only to who it is: there is no privilege, and nobody else to be.
Outcome identity_call(Supervisor& supervisor, Thread& thread) {
  const bool is_single = thread.call == SYS_setuid || thread.call == SYS_setgid;
  if (is_single && static_cast<std::uint32_t>(thread.arguments[0]) == UINT32_MAX) {
    return answer(-EINVAL);
  }
  const long result = supervisor.finish_call(thread);
  if (result != -EINVAL) return finished(result);
  supervisor.set_result(thread, -EPERM);  // somebody who does not exist in this namespace
  return finished(-EPERM);
}

Outcome setgroups_call(Supervisor&, Thread&) {
  return answer(-EPERM);
}

Outcome prctl_call(Supervisor& supervisor, Thread& thread) {
  switch (static_cast<int>(thread.arguments[0])) {
    case PR_SET_NAME:
    case PR_GET_NAME:
    case PR_GET_DUMPABLE:
    case PR_SET_NO_NEW_PRIVS:
    case PR_GET_NO_NEW_PRIVS:
    case PR_CAPBSET_READ:
    case PR_GET_KEEPCAPS:
    case PR_SET_KEEPCAPS:
    case PR_GET_SECUREBITS:
    case PR_CAP_AMBIENT:
    case PR_SET_VMA:
    case PR_SET_THP_DISABLE:
    case PR_GET_THP_DISABLE:
    case PR_SET_CHILD_SUBREAPER:
    case PR_GET_CHILD_SUBREAPER:
    case PR_GET_PDEATHSIG:
    case PR_SET_PTRACER:
      return native();
    case PR_SET_PDEATHSIG:
      if (thread.arguments[1] >= 1 && thread.arguments[1] <= 64) {
        thread.process->told_signals |= 1ULL << (thread.arguments[1] - 1);
      }
      return native();
    case PR_SET_TIMERSLACK:
    case PR_SET_DUMPABLE:
    case PR_SET_TSC:
      return answer(0);
    case PR_GET_TIMERSLACK:
      return answer(50'000);
    case PR_SET_SECCOMP:
    case PR_SET_MM:
      return answer(-EPERM);
    default:
      supervisor.doubt("a program uses a prctl that nobody has thought about");
      return native();
  }
}

/// Limits can be lowered, except on descriptors and cores, where nothing depends on us.
Outcome limit_call(Supervisor&, Thread&) {
  return native();
}

Outcome mincore_call(Supervisor&, Thread& thread) {
  const std::string all((thread.arguments[1] + 4095) / 4096, '\1');
  write_memory(thread.tid, thread.arguments[2], all.data(),
               std::min<std::size_t>(all.size(), 1 << 20));
  return answer(0);
}

constexpr CallEntry kMachineCalls[] = {
    {SYS_getrandom, getrandom_call},
    {SYS_sched_getaffinity, affinity_call},
    {SYS_sched_setaffinity, affinity_call},
    {SYS_getcpu, getcpu_call},
    {SYS_sysinfo, sysinfo_call},
    {SYS_sched_setparam, scheduler_call},
    {SYS_sched_getparam, scheduler_call},
    {SYS_sched_setscheduler, scheduler_call},
    {SYS_sched_getscheduler, scheduler_call},
    {SYS_sched_get_priority_max, priority_range_call},
    {SYS_sched_get_priority_min, priority_range_call},
    {SYS_sched_rr_get_interval, scheduler_call},
    {SYS_sched_setattr, ignored_call},
    {SYS_getpriority, priority_call},
    {SYS_setpriority, priority_call},
    {SYS_ioprio_set, ignored_call},
    {SYS_ioprio_get, ignored_call},
    {SYS_setuid, identity_call},
    {SYS_setgid, identity_call},
    {SYS_setreuid, identity_call},
    {SYS_setregid, identity_call},
    {SYS_setresuid, identity_call},
    {SYS_setresgid, identity_call},
    {SYS_setgroups, setgroups_call},
    {SYS_prctl, prctl_call},
    {SYS_prlimit64, limit_call},
    {SYS_setrlimit, limit_call},
    {SYS_mincore, mincore_call},
};

}  // namespace

std::span<const CallEntry> machine_calls() {
  return kMachineCalls;
}

}  // namespace dissensus::host
