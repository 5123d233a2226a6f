// signalfd: a socket that is ready while a signal waits; what is read from it, the kernel has taken
// from the thread's queue as sigwait would.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "host/calls.h"
#include "host/image.h"

namespace dissensus::host {

namespace {

constexpr std::uint64_t kUnblockable = 1ULL << (SIGKILL - 1) | 1ULL << (SIGSTOP - 1);

Outcome make(Supervisor& supervisor, Thread& thread, std::uint64_t mask, std::uint64_t flags) {
  const std::uint64_t type = SOCK_DGRAM | ((flags & SFD_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0) |
                             ((flags & SFD_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0);
  supervisor.replace_call(thread, SYS_socket, {AF_UNIX, type, 0, 0, 0, 0});
  const long fd = supervisor.finish_call(thread);
  supervisor.set_result(thread, fd);
  if (fd < 0) return finished(fd);
  Descriptor descriptor = supervisor.descriptor(thread, static_cast<int>(fd));
  auto socket = std::make_shared<SignalSocket>();
  socket->mask = mask;
  if (!supervisor.network().pair_up_for_reading(descriptor.handle.get(), socket->end)) {
    supervisor.doubt("a signalfd could not be made");
  }
  supervisor.add_special(descriptor.handle, socket);
  socket->program = std::move(descriptor.handle);
  thread.process->signal_sockets.push_back(std::move(socket));
  supervisor.refresh_signal_sockets(*thread.process, &thread);
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
  std::static_pointer_cast<SignalSocket>(descriptor.special)->mask = *mask & ~kUnblockable;
  supervisor.refresh_signal_sockets(*thread.process, &thread);
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

void took_signal(Process& process, const siginfo_t& info) {
  if (info.si_code != SI_TIMER) return;
  const auto timer = process.timers.find(info.si_timerid);
  if (timer != process.timers.end()) timer->second.is_pending = false;
}

/// The program's buffer holds, in turn, what sigtimedwait needs, what it says, and the record.
Outcome read_signals(Supervisor& supervisor, Thread& thread, const SignalSocket& socket) {
  const std::uint64_t buffer = thread.arguments[1];
  const std::size_t room = thread.arguments[2] / sizeof(signalfd_siginfo);
  static_assert(sizeof(signalfd_siginfo) == sizeof(siginfo_t));
  std::size_t count = 0;
  for (; count < room; ++count) {
    const std::uint64_t at = buffer + count * sizeof(signalfd_siginfo);
    write_value(thread.tid, at, socket.mask);
    write_value(thread.tid, at + sizeof socket.mask, timespec{});
    long result = 0;
    if (count == 0) {
      supervisor.replace_call(thread, SYS_rt_sigtimedwait, {at, at, at + sizeof socket.mask, 8});
      result = supervisor.finish_call(thread);
    } else {
      result = inject_call(thread.tid, SYS_rt_sigtimedwait, at, at, at + sizeof socket.mask, 8);
    }
    const auto info = read_value<siginfo_t>(thread.tid, at);
    if (result <= 0 || !info) break;
    took_signal(*thread.process, *info);
    write_value(thread.tid, at, to_record(*info));
  }
  const long result = count == 0 ? -EAGAIN : static_cast<long>(count * sizeof(signalfd_siginfo));
  supervisor.set_result(thread, result);
  supervisor.refresh_signal_sockets(*thread.process, &thread);
  return finished(result);
}

std::span<const CallEntry> signalfd_calls() {
  static constexpr CallEntry kCalls[] = {{SYS_signalfd, signalfd_call},
                                         {SYS_signalfd4, signalfd_call}};
  return kCalls;
}

}  // namespace dissensus::host
