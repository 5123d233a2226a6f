// Clocks and sleeps.
#include <cerrno>
#include <ctime>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>

#include "host/calls.h"

namespace dissensus::host {

/// Computation costs no time; a processor clock still has to move, or programs that wait for it
/// would wait for ever.
std::chrono::nanoseconds processor_time(const Process& process) {
  return std::chrono::microseconds(5) * static_cast<std::int64_t>(process.stops) + process.spun;
}

namespace {

Outcome clock_gettime_call(Supervisor& supervisor, Thread& thread) {
  const int clock = descriptor_argument(thread, 0);
  std::chrono::nanoseconds value;
  if (is_calendar_clock(clock)) {
    value = supervisor.calendar(thread.process->machine);
  } else if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0) {
    value = processor_time(*thread.process);
  } else if (clock <= CLOCK_TAI) {
    value = supervisor.steady(thread.process->machine);
  } else {
    return answer(-EINVAL);
  }
  if (!write_value(thread.tid, thread.arguments[1], to_timespec(value))) return answer(-EFAULT);
  return supervisor.clock_read(thread, 0);
}

Outcome gettimeofday_call(Supervisor& supervisor, Thread& thread) {
  const timespec now = to_timespec(supervisor.calendar(thread.process->machine));
  const timeval value{now.tv_sec, now.tv_nsec / 1000};
  const struct timezone zone {};
  if (thread.arguments[0] != 0) write_value(thread.tid, thread.arguments[0], value);
  if (thread.arguments[1] != 0) write_value(thread.tid, thread.arguments[1], zone);
  return supervisor.clock_read(thread, 0);
}

Outcome time_call(Supervisor& supervisor, Thread& thread) {
  const long seconds = to_timespec(supervisor.calendar(thread.process->machine)).tv_sec;
  if (thread.arguments[0] != 0) write_value(thread.tid, thread.arguments[0], seconds);
  return supervisor.clock_read(thread, seconds);
}

Outcome clock_getres_call(Supervisor&, Thread& thread) {
  const timespec resolution{0, 1};
  if (thread.arguments[1] != 0) write_value(thread.tid, thread.arguments[1], resolution);
  return answer(0);
}

Outcome times_call(Supervisor& supervisor, Thread& thread) {
  constexpr std::chrono::nanoseconds kTick = std::chrono::milliseconds(10);
  tms value{};
  value.tms_utime = processor_time(*thread.process) / kTick;
  if (thread.arguments[0] != 0) write_value(thread.tid, thread.arguments[0], value);
  return supervisor.clock_read(thread, supervisor.steady(thread.process->machine) / kTick);
}

Outcome getrusage_call(Supervisor& supervisor, Thread& thread) {
  rusage usage{};
  const timespec used = to_timespec(processor_time(*thread.process));
  usage.ru_utime = {used.tv_sec, used.tv_nsec / 1000};
  usage.ru_maxrss = 50'000;
  write_value(thread.tid, thread.arguments[1], usage);
  return supervisor.clock_read(thread, 0);
}

Outcome sleep_until(Supervisor& supervisor, Thread& thread, HostTime deadline) {
  if (thread.timed_out) return answer(0);
  if (deadline <= supervisor.now()) return supervisor.idle(thread, 0);
  return supervisor.wait_for(thread, Waiting::For::time, deadline);
}

Outcome nanosleep_call(Supervisor& supervisor, Thread& thread) {
  if (thread.is_retry) return sleep_until(supervisor, thread, thread.deadline);
  const auto delay = read_value<timespec>(thread.tid, thread.arguments[0]);
  if (!delay) return answer(-EFAULT);
  if (delay->tv_sec < 0 || delay->tv_nsec < 0 || delay->tv_nsec > 999'999'999) {
    return answer(-EINVAL);
  }
  const auto wanted = std::max(to_duration(*delay), supervisor.plan().sleep_min);
  return sleep_until(supervisor, thread, after(supervisor.now(), wanted));
}

Outcome clock_nanosleep_call(Supervisor& supervisor, Thread& thread) {
  if (thread.is_retry) return sleep_until(supervisor, thread, thread.deadline);
  const auto value = read_value<timespec>(thread.tid, thread.arguments[2]);
  if (!value) return answer(-EFAULT);
  const int clock = descriptor_argument(thread, 0);
  const bool is_absolute = (thread.arguments[1] & TIMER_ABSTIME) != 0;
  const HostTime deadline =
      is_absolute
          ? supervisor.time_of(thread.process->machine, is_calendar_clock(clock),
                               to_duration(*value))
          : after(supervisor.now(), std::max(to_duration(*value), supervisor.plan().sleep_min));
  return sleep_until(supervisor, thread, deadline);
}

Outcome sched_yield_call(Supervisor& supervisor, Thread& thread) {
  return supervisor.idle(thread, 0);
}

constexpr CallEntry kClockCalls[] = {
    {SYS_clock_gettime, clock_gettime_call},
    {SYS_gettimeofday, gettimeofday_call},
    {SYS_time, time_call},
    {SYS_clock_getres, clock_getres_call},
    {SYS_times, times_call},
    {SYS_getrusage, getrusage_call},
    {SYS_nanosleep, nanosleep_call},
    {SYS_clock_nanosleep, clock_nanosleep_call},
    {SYS_sched_yield, sched_yield_call},
};

}  // namespace

std::span<const CallEntry> clock_calls() {
  return kClockCalls;
}

}  // namespace dissensus::host
