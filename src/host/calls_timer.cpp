// Timers: timerfd, setitimer and alarm, timer_create.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "host/calls.h"
#include "host/counter.h"

namespace dissensus::host {

long make_counter(Supervisor& supervisor, Thread& thread, std::uint64_t flags,
                  const std::shared_ptr<Special>& special, Handle& copy) {
  supervisor.replace_call(thread, SYS_timerfd_create, {CLOCK_MONOTONIC, flags, 0, 0, 0, 0});
  const long fd = supervisor.finish_call(thread);
  supervisor.set_result(thread, fd);
  if (fd < 0) return fd;
  copy = Supervisor::copy_of(thread, static_cast<int>(fd));
  // Whether counts can be set is found out now, not when the timer is due.
  const bool is_made = supervisor.add_counter(copy, special) && set_counter(copy.get(), 1);
  if (!is_made) supervisor.doubt("a timerfd or signalfd cannot be made on this kernel");
  take_counter(copy.get());
  return fd;
}

namespace {

constexpr int kRealTimer = -1;  ///< ITIMER_REAL among the timers of a process

// ---- timerfd

void arm(Supervisor& supervisor, const std::shared_ptr<Timer>& timer) {
  ++timer->generation;
  if (timer->next == kNever) return;
  supervisor.at(timer->next, [&supervisor, timer, generation = timer->generation] {
    if (timer->generation != generation || timer->owner->is_dead) return;
    const int counter = timer->counter.get();
    if (!set_counter(counter, take_counter(counter) + 1)) return;
    timer->next = timer->interval.count() != 0 ? supervisor.now() + timer->interval : kNever;
    arm(supervisor, timer);
  });
}

itimerspec remaining(HostTime now, HostTime next, HostTime interval) {
  itimerspec value{};
  value.it_interval = to_timespec(interval);
  if (next != kNever) {
    value.it_value = to_timespec(std::max(next - now, HostTime(1)));
  }
  return value;
}

void set(Supervisor& supervisor, const Process& process, const std::shared_ptr<Timer>& timer,
         std::uint64_t flags, std::chrono::nanoseconds value) {
  if (value.count() == 0) {
    timer->next = kNever;
  } else if ((flags & TFD_TIMER_ABSTIME) != 0) {
    timer->next = supervisor.time_of(process.machine, is_calendar_clock(timer->clock), value);
  } else {
    timer->next = after(supervisor.now(), value);
  }
  arm(supervisor, timer);
}

Outcome timerfd_create_call(Supervisor& supervisor, Thread& thread) {
  const int clock = descriptor_argument(thread, 0);
  constexpr std::array kClocks{CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME};
  if (clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM) return answer(-EPERM);
  if (std::find(kClocks.begin(), kClocks.end(), clock) == kClocks.end()) return answer(-EINVAL);
  auto timer = std::make_shared<Timer>();
  timer->clock = clock;
  timer->owner = thread.process;
  return finished(make_counter(supervisor, thread, thread.arguments[1], timer, timer->counter));
}

std::shared_ptr<Timer> timer_argument(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (descriptor.special == nullptr || descriptor.special->kind != Special::Kind::timer) {
    return nullptr;
  }
  return std::static_pointer_cast<Timer>(descriptor.special);
}

/// To the kernel, a signalfd of ours would be one.
Outcome no_timer(Supervisor& supervisor, const Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  return descriptor.special != nullptr ? answer(-EINVAL) : native();
}

Outcome timerfd_settime_call(Supervisor& supervisor, Thread& thread) {
  const auto timer = timer_argument(supervisor, thread);
  const auto wanted = read_value<itimerspec>(thread.tid, thread.arguments[2]);
  if (timer == nullptr) return no_timer(supervisor, thread);
  if (!wanted) return answer(-EFAULT);
  if (thread.arguments[3] != 0) {
    write_value(thread.tid, thread.arguments[3],
                remaining(supervisor.now(), timer->next, timer->interval));
  }
  take_counter(timer->counter.get());
  timer->interval = to_duration(wanted->it_interval);
  set(supervisor, *thread.process, timer, thread.arguments[1], to_duration(wanted->it_value));
  return answer(0);
}

Outcome timerfd_gettime_call(Supervisor& supervisor, Thread& thread) {
  const auto timer = timer_argument(supervisor, thread);
  if (timer == nullptr) return no_timer(supervisor, thread);
  write_value(thread.tid, thread.arguments[1],
              remaining(supervisor.now(), timer->next, timer->interval));
  return answer(0);
}

// ---- interval timers

itimerval to_itimerval(const itimerspec& value) {
  return {{value.it_interval.tv_sec, value.it_interval.tv_nsec / 1000},
          {value.it_value.tv_sec, value.it_value.tv_nsec / 1000}};
}

std::chrono::nanoseconds to_duration(const timeval& value) {
  return host::to_duration(timespec{value.tv_sec, value.tv_usec * 1000});
}

/// What is left of it.
itimerval interval_timer(const Supervisor& supervisor, const Thread& thread, int which) {
  const Process& process = *thread.process;
  if (which == ITIMER_REAL) {
    const auto timer = process.timers.find(kRealTimer);
    if (timer == process.timers.end()) return {};
    return to_itimerval(remaining(supervisor.now(), timer->second.next, timer->second.interval));
  }
  const SignalTimer& timer = process.processor_timers[which == ITIMER_PROF ? 1 : 0];
  return to_itimerval(remaining(processor_time(process), timer.next, timer.interval));
}

Outcome setitimer_call(Supervisor& supervisor, Thread& thread) {
  const int which = descriptor_argument(thread, 0);
  if (which < ITIMER_REAL || which > ITIMER_PROF) return answer(-EINVAL);
  itimerval wanted{};
  if (thread.arguments[1] != 0) {
    const auto read = read_value<itimerval>(thread.tid, thread.arguments[1]);
    if (!read) return answer(-EFAULT);
    wanted = *read;
  }
  for (const timeval& part : {wanted.it_value, wanted.it_interval}) {
    if (part.tv_sec < 0 || part.tv_usec < 0 || part.tv_usec >= 1'000'000) return answer(-EINVAL);
  }
  if (thread.arguments[2] != 0) {
    write_value(thread.tid, thread.arguments[2], interval_timer(supervisor, thread, which));
  }
  const auto value = to_duration(wanted.it_value);
  if (which != ITIMER_REAL) {
    Process& process = *thread.process;
    SignalTimer& timer = process.processor_timers[which == ITIMER_PROF ? 1 : 0];
    timer.signal = which == ITIMER_PROF ? SIGPROF : SIGVTALRM;
    timer.interval = to_duration(wanted.it_interval);
    timer.next = value.count() == 0 ? kNever : after(processor_time(process), value);
    process.processor_due =
        std::min(process.processor_timers[0].next, process.processor_timers[1].next);
    return answer(0);
  }
  SignalTimer& timer = thread.process->timers[kRealTimer];
  timer.signal = SIGALRM;
  timer.interval = to_duration(wanted.it_interval);
  timer.next = value.count() == 0 ? kNever : after(supervisor.now(), value);
  supervisor.arm_timer(*thread.process, kRealTimer);
  return answer(0);
}

Outcome getitimer_call(Supervisor& supervisor, Thread& thread) {
  const int which = descriptor_argument(thread, 0);
  if (which < ITIMER_REAL || which > ITIMER_PROF) return answer(-EINVAL);
  const itimerval value = interval_timer(supervisor, thread, which);
  if (!write_value(thread.tid, thread.arguments[1], value)) return answer(-EFAULT);
  return supervisor.clock_read(thread, 0);
}

Outcome alarm_call(Supervisor& supervisor, Thread& thread) {
  SignalTimer& timer = thread.process->timers[kRealTimer];
  const long left =
      timer.next == kNever ? 0 : remaining(supervisor.now(), timer.next, {}).it_value.tv_sec + 1;
  timer.signal = SIGALRM;
  timer.interval = {};
  const auto seconds = static_cast<std::uint32_t>(thread.arguments[0]);
  timer.next = seconds == 0 ? kNever : after(supervisor.now(), std::chrono::seconds(seconds));
  supervisor.arm_timer(*thread.process, kRealTimer);
  return answer(left);
}

// ---- timer_create

Outcome timer_create_call(Supervisor& supervisor, Thread& thread) {
  SignalTimer timer;
  timer.is_posix = true;
  timer.clock = descriptor_argument(thread, 0);
  timer.signal = SIGALRM;
  timer.number = thread.process->next_timer++;
  timer.value = static_cast<std::uint64_t>(timer.number);
  if (thread.arguments[1] != 0) {
    const auto event = read_value<sigevent>(thread.tid, thread.arguments[1]);
    if (!event) return answer(-EFAULT);
    timer.signal = event->sigev_signo;
    timer.value = reinterpret_cast<std::uint64_t>(event->sigev_value.sival_ptr);
    timer.is_silent = event->sigev_notify == SIGEV_NONE;
    if (event->sigev_notify == SIGEV_THREAD_ID) {
      const Thread* target = supervisor.thread_of_inner(event->_sigev_un._tid);
      if (target == nullptr) return answer(-EINVAL);
      timer.tid = target->tid;
    }
  }
  if (!write_value(thread.tid, thread.arguments[2], timer.number)) return answer(-EFAULT);
  thread.process->timers[timer.number] = timer;
  return answer(0);
}

SignalTimer* posix_timer(Thread& thread) {
  const auto timer = thread.process->timers.find(descriptor_argument(thread, 0));
  return timer == thread.process->timers.end() || !timer->second.is_posix ? nullptr
                                                                          : &timer->second;
}

Outcome timer_settime_call(Supervisor& supervisor, Thread& thread) {
  SignalTimer* timer = posix_timer(thread);
  if (timer == nullptr) return answer(-EINVAL);
  const auto wanted = read_value<itimerspec>(thread.tid, thread.arguments[2]);
  if (!wanted) return answer(-EFAULT);
  if (thread.arguments[3] != 0) {
    write_value(thread.tid, thread.arguments[3],
                remaining(supervisor.now(), timer->next, timer->interval));
  }
  timer->interval = host::to_duration(wanted->it_interval);
  const auto value = host::to_duration(wanted->it_value);
  if (value.count() == 0) {
    timer->next = kNever;
  } else if ((thread.arguments[1] & TIMER_ABSTIME) != 0) {
    timer->next =
        supervisor.time_of(thread.process->machine, is_calendar_clock(timer->clock), value);
  } else {
    timer->next = after(supervisor.now(), value);
  }
  supervisor.arm_timer(*thread.process, timer->number);
  return answer(0);
}

Outcome timer_gettime_call(Supervisor& supervisor, Thread& thread) {
  const SignalTimer* timer = posix_timer(thread);
  if (timer == nullptr) return answer(-EINVAL);
  write_value(thread.tid, thread.arguments[1],
              remaining(supervisor.now(), timer->next, timer->interval));
  return answer(0);
}

Outcome timer_getoverrun_call(Supervisor&, Thread& thread) {
  const SignalTimer* timer = posix_timer(thread);
  return answer(timer == nullptr ? -EINVAL : timer->overrun);
}

Outcome timer_delete_call(Supervisor&, Thread& thread) {
  const SignalTimer* timer = posix_timer(thread);
  if (timer == nullptr) return answer(-EINVAL);
  thread.process->timers.erase(timer->number);
  return answer(0);
}

constexpr CallEntry kTimerCalls[] = {
    {SYS_timerfd_create, timerfd_create_call},
    {SYS_timerfd_settime, timerfd_settime_call},
    {SYS_timerfd_gettime, timerfd_gettime_call},
    {SYS_setitimer, setitimer_call},
    {SYS_getitimer, getitimer_call},
    {SYS_alarm, alarm_call},
    {SYS_timer_create, timer_create_call},
    {SYS_timer_settime, timer_settime_call},
    {SYS_timer_gettime, timer_gettime_call},
    {SYS_timer_getoverrun, timer_getoverrun_call},
    {SYS_timer_delete, timer_delete_call},
};

}  // namespace

void set_timer(Supervisor& supervisor, const Process& process, std::uint64_t number,
               std::uint64_t flags, std::chrono::nanoseconds value) {
  const auto timer = std::static_pointer_cast<Timer>(supervisor.counter_of(number));
  if (timer == nullptr) return;
  timer->interval = HostTime(0);
  set(supervisor, process, timer, flags, value);
}

std::span<const CallEntry> timer_calls() {
  return kTimerCalls;
}

}  // namespace dissensus::host
