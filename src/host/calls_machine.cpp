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

Outcome getaffinity_call(Supervisor&, Thread& thread) {
  const std::uint64_t one = 1;
  if (thread.arguments[1] < sizeof one) return answer(-EINVAL);
  write_value(thread.tid, thread.arguments[2], one);
  return answer(sizeof one);
}

Outcome getcpu_call(Supervisor&, Thread& thread) {
  for (const std::size_t at : {0u, 1u}) {
    if (thread.arguments[at] != 0) write_value(thread.tid, thread.arguments[at], std::uint32_t{0});
  }
  return answer(0);
}

Outcome sysinfo_call(Supervisor& supervisor, Thread& thread) {
  struct sysinfo info {};
  info.uptime = std::chrono::duration_cast<std::chrono::seconds>(supervisor.steady()).count();
  info.totalram = 8ULL << 30;
  info.freeram = 6ULL << 30;
  info.procs = 64;
  info.mem_unit = 1;
  write_value(thread.tid, thread.arguments[0], info);
  return answer(0);
}

Outcome scheduler_call(Supervisor&, Thread& thread) {
  switch (thread.call) {
    case SYS_sched_getparam: {
      const sched_param parameters{};
      write_value(thread.tid, thread.arguments[1], parameters);
      return answer(0);
    }
    case SYS_sched_rr_get_interval:
      write_value(thread.tid, thread.arguments[1], timespec{0, 4'000'000});
      return answer(0);
    case SYS_getpriority:
      return answer(20);
    default:
      return answer(0);  // one processor, one class, no priorities
  }
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
    {SYS_sched_getaffinity, getaffinity_call},
    {SYS_sched_setaffinity, scheduler_call},
    {SYS_getcpu, getcpu_call},
    {SYS_sysinfo, sysinfo_call},
    {SYS_sched_setparam, scheduler_call},
    {SYS_sched_getparam, scheduler_call},
    {SYS_sched_setscheduler, scheduler_call},
    {SYS_sched_getscheduler, scheduler_call},
    {SYS_sched_get_priority_max, scheduler_call},
    {SYS_sched_get_priority_min, scheduler_call},
    {SYS_sched_rr_get_interval, scheduler_call},
    {SYS_sched_setattr, scheduler_call},
    {SYS_getpriority, scheduler_call},
    {SYS_setpriority, scheduler_call},
    {SYS_ioprio_set, scheduler_call},
    {SYS_ioprio_get, scheduler_call},
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
