// signalfd: a counter that is ready while a signal waits; what is read from it, the kernel has
// taken from the thread's queue as sigwait would.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "host/calls.h"
#include "host/image.h"

namespace dissensus::host {

namespace {

constexpr std::uint64_t kUnblockable = 1ULL << (SIGKILL - 1) | 1ULL << (SIGSTOP - 1);

Outcome make(Supervisor& supervisor, Thread& thread, std::uint64_t mask, std::uint64_t flags) {
  auto reader = std::make_shared<SignalReader>();
  reader->mask = mask;
  // SFD_NONBLOCK and SFD_CLOEXEC are, like those of timerfd, the flags of open.
  const long fd = make_counter(supervisor, thread, flags, reader, reader->counter);
  if (fd < 0) return finished(fd);
  supervisor.add_signal_reader(*thread.process, std::move(reader));
  supervisor.refresh_signal_readers(*thread.process, &thread);
  return finished(fd);
}

Outcome signalfd_call(Supervisor& supervisor, Thread& thread) {
  const auto mask = read_value<std::uint64_t>(thread.tid, thread.arguments[1]);
  constexpr std::uint64_t kFlags = SFD_NONBLOCK | SFD_CLOEXEC;
  const std::uint64_t flags = thread.call == SYS_signalfd4 ? thread.arguments[3] : 0;
  if (!mask) return answer(-EFAULT);
  if (thread.arguments[2] != sizeof *mask || (flags & ~kFlags) != 0) {
    return answer(-EINVAL);
  }
  const int fd = descriptor_argument(thread, 0);
  if (fd == -1) return make(supervisor, thread, *mask & ~kUnblockable, flags);
  const Descriptor descriptor = supervisor.descriptor(thread, fd);
  if (!descriptor.handle) return answer(-EBADF);
  if (descriptor.special == nullptr || descriptor.special->kind != Special::Kind::signals) {
    return answer(-EINVAL);
  }
  std::static_pointer_cast<SignalReader>(descriptor.special)->mask = *mask & ~kUnblockable;
  supervisor.refresh_signal_readers(*thread.process, &thread);
  return answer(fd);
}

signalfd_siginfo to_record(const siginfo_t& info) {
  signalfd_siginfo record{};
  record.ssi_signo = static_cast<std::uint32_t>(info.si_signo);
  record.ssi_errno = info.si_errno;
  record.ssi_code = info.si_code;
  if (info.si_code == SI_TIMER) {
    record.ssi_tid = static_cast<std::uint32_t>(info.si_timerid);
    record.ssi_overrun = static_cast<std::uint32_t>(info.si_overrun);
  } else if (info.si_signo == SIGCHLD && info.si_code > 0) {
    record.ssi_pid = static_cast<std::uint32_t>(info.si_pid);
    record.ssi_uid = info.si_uid;
    record.ssi_status = info.si_status;
    return record;
  } else {
    record.ssi_pid = static_cast<std::uint32_t>(info.si_pid);
    record.ssi_uid = info.si_uid;
    if (info.si_code >= 0 && info.si_code != SI_QUEUE) return record;
  }
  record.ssi_int = info.si_value.sival_int;
  record.ssi_ptr = reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr);
  return record;
}

}  // namespace

bool took_signal(Process& process, const siginfo_t& info) {
  if (info.si_code != SI_TIMER) return true;
  const auto timer = process.timers.find(info.si_timerid);
  if (timer == process.timers.end()) return false;
  timer->second.is_pending = false;
  return true;
}

/// The program's buffer holds, in turn, what sigtimedwait needs, what it says, and the record.
Outcome read_signals(Supervisor& supervisor, Thread& thread, const SignalReader& reader) {
  const std::uint64_t buffer = thread.arguments[1];
  const std::size_t room = thread.arguments[2] / sizeof(signalfd_siginfo);
  static_assert(sizeof(signalfd_siginfo) == sizeof(siginfo_t));
  std::size_t count = 0;
  for (bool is_first = true; count < room; is_first = false) {
    const std::uint64_t at = buffer + count * sizeof(signalfd_siginfo);
    write_value(thread.tid, at, reader.mask);
    write_value(thread.tid, at + sizeof reader.mask, timespec{});
    long result = 0;
    if (is_first) {
      supervisor.replace_call(thread, SYS_rt_sigtimedwait, {at, at, at + sizeof reader.mask, 8});
      result = supervisor.finish_call(thread);
    } else {
      result = inject_call(thread.tid, SYS_rt_sigtimedwait, at, at, at + sizeof reader.mask, 8);
    }
    const auto info = read_value<siginfo_t>(thread.tid, at);
    if (result <= 0 || !info) break;
    if (!took_signal(*thread.process, *info)) continue;
    write_value(thread.tid, at, to_record(*info));
    ++count;
  }
  const long result = count == 0 ? -EAGAIN : static_cast<long>(count * sizeof(signalfd_siginfo));
  supervisor.set_result(thread, result);
  supervisor.refresh_signal_readers(*thread.process, &thread);
  return finished(result);
}

std::span<const CallEntry> signalfd_calls() {
  static constexpr CallEntry kCalls[] = {{SYS_signalfd, signalfd_call},
                                         {SYS_signalfd4, signalfd_call}};
  return kCalls;
}

}  // namespace dissensus::host
