// poll, select and epoll. The kernel says what is ready; we say when to ask.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/calls.h"

namespace dissensus::host {

void write_time_left(const Thread& thread, HostTime now) {
  const bool is_poll = thread.call == SYS_ppoll;
  if (!is_poll && thread.call != SYS_select && thread.call != SYS_pselect6) return;
  const std::uint64_t address = thread.arguments[is_poll ? 2 : 4];
  if (address == 0) return;
  const auto before = read_value<timespec>(thread.tid, address);
  if (!before) return;
  const std::int64_t unit = thread.call == SYS_select ? 1000 : 1;
  const auto given = to_duration({before->tv_sec, before->tv_nsec * unit});
  const auto left = std::clamp(HostTime(thread.deadline - now), HostTime(0), given);
  const timespec value = to_timespec(left);
  write_value(thread.tid, address, timespec{value.tv_sec, value.tv_nsec / unit});
}

namespace {

/// Signals that may end the wait, if the call names them.
void take_signal_mask(Thread& thread, std::uint64_t address) {
  if (address == 0) return;
  if (const auto mask = read_value<std::uint64_t>(thread.tid, address)) {
    thread.waiting.signal_mask = *mask;
    thread.waiting.has_signal_mask = true;
  }
}

HostTime deadline_of_milliseconds(const Supervisor& supervisor, int milliseconds) {
  return milliseconds < 0 ? kNever : supervisor.now() + std::chrono::milliseconds(milliseconds);
}

HostTime deadline_at(const Supervisor& supervisor, const Thread& thread, std::uint64_t address) {
  if (address == 0) return kNever;
  const auto limit = read_value<timespec>(thread.tid, address);
  return limit ? after(supervisor.now(), to_duration(*limit)) : kNever;
}

/// Short waits are for runtimes that poll; the plan may make them longer, as with sleeps.
HostTime stretched(const Supervisor& supervisor, HostTime deadline) {
  if (deadline == kNever || deadline <= supervisor.now()) return deadline;
  return std::max(deadline, supervisor.now() + supervisor.plan().sleep_min);
}

/// Nothing is ready: wait, or say so.
Outcome wait_or_give_up(Supervisor& supervisor, Thread& thread, std::vector<Interest> interests) {
  if (thread.timed_out) return answer(0);
  if (thread.deadline <= supervisor.now()) return supervisor.expire(thread, 0);
  return supervisor.wait_for(thread, Waiting::For::handles, thread.deadline, std::move(interests));
}

struct Polled {
  std::vector<pollfd> entries;
  std::vector<Interest> interests;
  int ready = 0;
};

/// Asks the kernel about our copies of the program's descriptors.
Polled ask(const Thread& thread, std::vector<pollfd> entries) {
  Polled polled;
  std::vector<pollfd> copies;
  for (const pollfd& entry : entries) {
    Interest interest{Supervisor::copy_of(thread, entry.fd), entry.events};
    copies.push_back({interest.handle.get(), entry.events, 0});
    if (interest.handle) polled.interests.push_back(std::move(interest));
  }
  polled.ready = poll(copies.data(), copies.size(), 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].revents = copies[i].revents;
    if (entries[i].fd >= 0 && copies[i].fd < 0) {
      entries[i].revents = POLLNVAL;
      ++polled.ready;
    }
  }
  polled.entries = std::move(entries);
  return polled;
}

Outcome poll_call(Supervisor& supervisor, Thread& thread) {
  supervisor.refresh_signal_readers(*thread.process, &thread);
  const std::size_t count = thread.arguments[1];
  if (count > 65536) return answer(-EINVAL);
  if (!thread.is_retry) {
    if (thread.call == SYS_poll) {
      thread.deadline = deadline_of_milliseconds(supervisor, static_cast<int>(thread.arguments[2]));
    } else {
      thread.deadline = deadline_at(supervisor, thread, thread.arguments[2]);
      take_signal_mask(thread, thread.arguments[3]);
    }
    thread.deadline = stretched(supervisor, thread.deadline);
  }
  std::vector<pollfd> entries(count);
  if (!read_memory(thread.tid, thread.arguments[0], entries.data(), count * sizeof(pollfd))) {
    return answer(-EFAULT);
  }
  Polled polled = ask(thread, std::move(entries));
  if (polled.ready == 0) {
    const Outcome outcome = wait_or_give_up(supervisor, thread, std::move(polled.interests));
    if (outcome.next == Outcome::Next::blocked) return outcome;
    write_time_left(thread, supervisor.now());
    write_memory(thread.tid, thread.arguments[0], polled.entries.data(), count * sizeof(pollfd));
    return outcome;
  }
  write_time_left(thread, supervisor.now());
  write_memory(thread.tid, thread.arguments[0], polled.entries.data(), count * sizeof(pollfd));
  return answer(polled.ready);
}

constexpr short kReadable = POLLIN | POLLHUP | POLLERR;
constexpr short kWritable = POLLOUT | POLLERR;

Outcome select_call(Supervisor& supervisor, Thread& thread) {
  supervisor.refresh_signal_readers(*thread.process, &thread);
  const int count = static_cast<int>(thread.arguments[0]);
  if (count < 0 || count > FD_SETSIZE) return answer(-EINVAL);
  const std::size_t bytes = (static_cast<std::size_t>(count) + 63) / 64 * 8;
  const std::array<std::uint64_t, 3> addresses{thread.arguments[1], thread.arguments[2],
                                               thread.arguments[3]};
  std::array<fd_set, 3> sets{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (addresses[i] != 0 && !read_memory(thread.tid, addresses[i], &sets[i], bytes)) {
      return answer(-EFAULT);
    }
  }
  if (!thread.is_retry) {
    thread.deadline = deadline_at(supervisor, thread, thread.arguments[4]);
    if (thread.call == SYS_select && thread.arguments[4] != 0) {
      const auto limit = read_value<timeval>(thread.tid, thread.arguments[4]);
      if (!limit) return answer(-EFAULT);
      thread.deadline =
          after(supervisor.now(), to_duration({limit->tv_sec, limit->tv_usec * 1000}));
    }
    if (thread.call == SYS_pselect6 && thread.arguments[5] != 0) {
      if (const auto packed = read_value<std::uint64_t>(thread.tid, thread.arguments[5])) {
        take_signal_mask(thread, *packed);
      }
    }
    thread.deadline = stretched(supervisor, thread.deadline);
  }
  std::vector<pollfd> entries;
  for (int fd = 0; fd < count; ++fd) {
    const short events = static_cast<short>((FD_ISSET(fd, &sets[0]) ? POLLIN : 0) |
                                            (FD_ISSET(fd, &sets[1]) ? POLLOUT : 0) |
                                            (FD_ISSET(fd, &sets[2]) ? POLLPRI : 0));
    if (events != 0) entries.push_back({fd, events, 0});
  }
  Polled polled = ask(thread, std::move(entries));
  std::array<fd_set, 3> results{};
  int ready = 0;
  for (const pollfd& entry : polled.entries) {
    if ((entry.revents & POLLNVAL) != 0) return answer(-EBADF);
    if ((entry.events & POLLIN) != 0 && (entry.revents & kReadable) != 0) {
      FD_SET(entry.fd, &results[0]);
      ++ready;
    }
    if ((entry.events & POLLOUT) != 0 && (entry.revents & kWritable) != 0) {
      FD_SET(entry.fd, &results[1]);
      ++ready;
    }
    if ((entry.events & POLLPRI) != 0 && (entry.revents & POLLPRI) != 0) {
      FD_SET(entry.fd, &results[2]);
      ++ready;
    }
  }
  Outcome outcome = answer(ready);
  if (ready == 0) {
    outcome = wait_or_give_up(supervisor, thread, std::move(polled.interests));
    if (outcome.next == Outcome::Next::blocked) return outcome;
  }
  write_time_left(thread, supervisor.now());
  for (std::size_t i = 0; i < 3; ++i) {
    if (addresses[i] != 0) write_memory(thread.tid, addresses[i], &results[i], bytes);
  }
  return outcome;
}

Outcome epoll_call(Supervisor& supervisor, Thread& thread) {
  supervisor.refresh_signal_readers(*thread.process, &thread);
  const int count = static_cast<int>(thread.arguments[2]);
  if (count <= 0) return answer(-EINVAL);
  Handle handle = Supervisor::copy_of(thread, descriptor_argument(thread, 0));
  if (!handle) return answer(-EBADF);
  if (!thread.is_retry) {
    thread.deadline =
        thread.call == SYS_epoll_pwait2
            ? deadline_at(supervisor, thread, thread.arguments[3])
            : deadline_of_milliseconds(supervisor, static_cast<int>(thread.arguments[3]));
    if (thread.call != SYS_epoll_wait) take_signal_mask(thread, thread.arguments[4]);
    thread.deadline = stretched(supervisor, thread.deadline);
  }
  std::vector<epoll_event> events(static_cast<std::size_t>(std::min(count, 65536)));
  const int ready = epoll_wait(handle.get(), events.data(), static_cast<int>(events.size()), 0);
  if (ready < 0) return answer(-errno);
  if (ready == 0) {
    std::vector<Interest> interests;
    interests.push_back({std::move(handle), POLLIN});
    return wait_or_give_up(supervisor, thread, std::move(interests));
  }
  const std::size_t bytes = static_cast<std::size_t>(ready) * sizeof(epoll_event);
  if (!write_memory(thread.tid, thread.arguments[1], events.data(), bytes)) return answer(-EFAULT);
  RollingHash hash;
  hash.add(std::string_view(reinterpret_cast<const char*>(events.data()), bytes));
  supervisor.record(thread, static_cast<std::int32_t>(thread.call), hash.value());
  return answer(ready);
}

constexpr CallEntry kReadinessCalls[] = {
    {SYS_poll, poll_call},          {SYS_ppoll, poll_call},       {SYS_select, select_call},
    {SYS_pselect6, select_call},    {SYS_epoll_wait, epoll_call}, {SYS_epoll_pwait, epoll_call},
    {SYS_epoll_pwait2, epoll_call},
};

}  // namespace

std::span<const CallEntry> readiness_calls() {
  return kReadinessCalls;
}

}  // namespace dissensus::host
