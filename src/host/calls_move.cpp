// Moving bytes between descriptors without the program's memory: sendfile, splice, tee,
// copy_file_range.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/calls.h"

namespace dissensus::host {

namespace {

bool is_pipe(const Descriptor& descriptor) {
  return S_ISFIFO(descriptor.info.st_mode);
}

/// What a loss of power takes is known of write and its like only.
bool is_watched(Supervisor& supervisor, const Descriptor& to) {
  return S_ISREG(to.info.st_mode) && supervisor.disk().model().keeps_unsynced;
}

/// The kernel does it without waiting; it is asked again when it would have waited.
Outcome move(Supervisor& supervisor, Thread& thread, const Descriptor& from, const Descriptor& to,
             std::size_t flags_at, std::uint64_t no_wait) {
  const bool may_wait =
      flags_at == 0 ? !to.is_nonblocking : (thread.arguments[flags_at] & no_wait) == 0;
  if (!may_wait) {
    const long result = supervisor.finish_call(thread);
    if (result > 0) supervisor.touch(to.info, thread.process->machine);
    return finished(result);
  }
  // The flags belong to all copies of the descriptors, but nobody else is running.
  for (const Descriptor* side : {&from, &to}) {
    if (!side->is_file) fcntl(side->handle.get(), F_SETFL, side->flags | O_NONBLOCK);
  }
  auto arguments = thread.arguments;
  if (flags_at != 0) arguments[flags_at] |= no_wait;
  supervisor.replace_call(thread, thread.call, arguments);
  const long result = supervisor.finish_call(thread);
  for (const Descriptor* side : {&from, &to}) {
    if (!side->is_file) fcntl(side->handle.get(), F_SETFL, side->flags);
  }
  if (result == -EAGAIN) return supervisor.wait_in_front(thread, kNever);
  supervisor.set_result(thread, result);
  if (result > 0) supervisor.touch(to.info, thread.process->machine);
  return finished(result);
}

constexpr std::size_t kPieceMax = 64 << 10;  // what the kernel moves at once, through a pipe

/// No socket or pipe of the kernel's takes what goes there: it is ours to bring on.
bool is_ours(const Descriptor& to) {
  if (is_kind(to, Special::Kind::output) || is_kind(to, Special::Kind::datagram)) return true;
  return is_kind(to, Special::Kind::stream) &&
         is_unconnected(static_cast<const StreamSocket&>(*to.special));
}

/// What it answers to any byte; 0: it takes some.
long refusal(Supervisor& supervisor, Thread& thread, const Descriptor& to) {
  if (is_kind(to, Special::Kind::output)) return 0;
  if (is_kind(to, Special::Kind::stream)) {
    auto& socket = static_cast<StreamSocket&>(*to.special);
    if (socket.error != 0) return -std::exchange(socket.error, 0);
    supervisor.send_signal_to_self(thread, SIGPIPE);
    return -EPIPE;
  }
  auto& socket = static_cast<DatagramSocket&>(*to.special);
  supervisor.network().give_port(socket);
  if (!socket.peer) return -EDESTADDRREQ;
  if (const int error = take_error(to, socket); error != 0) return -error;
  return socket.is_shut_for_writing ? -EPIPE : 0;
}

void bring(Supervisor& supervisor, Thread& thread, const Descriptor& to, std::string bytes) {
  if (is_kind(to, Special::Kind::output)) {
    const auto& pipe = static_cast<const OutputPipe&>(*to.special);
    supervisor.write_output(pipe.program, pipe.stream, bytes, thread);
    return;
  }
  auto& socket = static_cast<DatagramSocket&>(*to.special);
  supervisor.network().send(socket, *socket.peer, std::move(bytes));
}

Outcome bring_file(Supervisor& supervisor, Thread& thread, const Descriptor& from,
                   const Descriptor& to) {
  std::string bytes(std::min<std::size_t>(thread.arguments[3], kPieceMax), '\0');
  const std::uint64_t place = thread.arguments[2];
  std::int64_t offset = lseek(from.handle.get(), 0, SEEK_CUR);
  if (place != 0 && !read_memory(thread.tid, place, &offset, sizeof offset)) {
    return answer(-EFAULT);
  }
  const ssize_t got = pread(from.handle.get(), bytes.data(), bytes.size(), offset);
  if (got <= 0) return answer(got == 0 ? 0 : -errno);
  if (const long error = refusal(supervisor, thread, to); error != 0) return answer(error);
  bytes.resize(static_cast<std::size_t>(got));
  if (place != 0) {
    write_value(thread.tid, place, offset + got);
  } else {
    lseek(from.handle.get(), offset + got, SEEK_SET);
  }
  bring(supervisor, thread, to, std::move(bytes));
  return answer(got);
}

/// Whether splice may wait.
bool may_wait(const Thread& thread, const Descriptor& pipe) {
  return (thread.arguments[5] & SPLICE_F_NONBLOCK) == 0 && !pipe.is_nonblocking;
}

Outcome wait_for_pipe(Supervisor& supervisor, Thread& thread, Descriptor pipe, short events) {
  if (!may_wait(thread, pipe)) return answer(-EAGAIN);
  std::vector<Interest> interests;
  interests.push_back({std::move(pipe.handle), events});
  return supervisor.wait_for(thread, Waiting::For::handles, kNever, std::move(interests));
}

Outcome bring_pipe(Supervisor& supervisor, Thread& thread, Descriptor from, const Descriptor& to) {
  int waiting = 0;
  ioctl(from.handle.get(), FIONREAD, &waiting);
  if (waiting == 0) {
    pollfd state{from.handle.get(), POLLIN, 0};
    const bool is_end = poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
    return is_end ? answer(0) : wait_for_pipe(supervisor, thread, std::move(from), POLLIN);
  }
  if (const long error = refusal(supervisor, thread, to); error != 0) return answer(error);
  std::string bytes(std::min({static_cast<std::size_t>(waiting), kPieceMax,
                              static_cast<std::size_t>(thread.arguments[4])}),
                    '\0');
  const ssize_t got = read(from.handle.get(), bytes.data(), bytes.size());
  if (got < 0) return answer(-errno);
  bytes.resize(static_cast<std::size_t>(got));
  bring(supervisor, thread, to, std::move(bytes));
  return answer(got);
}

/// From a socket that the kernel does not know as what it is; one datagram becomes bytes of a pipe.
Outcome take_from_socket(Supervisor& supervisor, Thread& thread, Descriptor from, Descriptor to) {
  pollfd room{to.handle.get(), POLLOUT, 0};
  poll(&room, 1, 0);
  if ((room.revents & POLLERR) != 0) {
    supervisor.send_signal_to_self(thread, SIGPIPE);
    return answer(-EPIPE);
  }
  if (room.revents == 0) return wait_for_pipe(supervisor, thread, std::move(to), POLLOUT);
  if (is_kind(from, Special::Kind::stream)) {
    return answer(unconnected_read(static_cast<StreamSocket&>(*from.special)));
  }
  auto& socket = static_cast<DatagramSocket&>(*from.special);
  if (const int error = take_error(from, socket); error != 0) return answer(-error);
  std::string bytes(std::min<std::size_t>(thread.arguments[4], kPieceMax), '\0');
  const ssize_t got = recv(from.handle.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return wait_for_pipe(supervisor, thread, std::move(from), POLLIN);
  if (!socket.arrived.empty()) socket.arrived.pop_front();
  supervisor.network().flush(socket);
  return answer(write(to.handle.get(), bytes.data(), static_cast<std::size_t>(got)));
}

Outcome sendfile_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor to = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const Descriptor from = supervisor.descriptor(thread, descriptor_argument(thread, 1));
  if (!from.handle || !to.handle) return native();
  if (!from.is_file) return native();  // refused by the kernel
  if (is_watched(supervisor, to)) return answer(-EINVAL);
  const bool is_refused = (from.flags & O_ACCMODE) == O_WRONLY || S_ISDIR(from.info.st_mode);
  if (is_ours(to) && !is_refused) return bring_file(supervisor, thread, from, to);
  return move(supervisor, thread, from, to, 0, 0);
}

/// vmsplice apart: it lends pages of the program, which may change them afterwards.
Outcome splice_call(Supervisor& supervisor, Thread& thread) {
  const bool is_tee = thread.call == SYS_tee;
  Descriptor from = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  Descriptor to = supervisor.descriptor(thread, descriptor_argument(thread, is_tee ? 1 : 2));
  if (!from.handle || !to.handle || (!is_pipe(from) && !is_pipe(to))) return native();
  const bool is_closed_way =
      (from.flags & O_ACCMODE) == O_WRONLY || (to.flags & O_ACCMODE) == O_RDONLY;
  if (is_closed_way) return native();  // refused by the kernel
  if (is_watched(supervisor, to)) return answer(-EINVAL);
  const bool is_placed = thread.arguments[1] != 0 || thread.arguments[3] != 0;
  if (!is_tee && !is_placed) {
    if (is_pipe(from) && is_ours(to)) {
      return bring_pipe(supervisor, thread, std::move(from), to);
    }
    if (!is_kind(from, Special::Kind::output) && is_ours(from)) {
      return take_from_socket(supervisor, thread, std::move(from), std::move(to));
    }
  }
  return move(supervisor, thread, from, to, is_tee ? 3 : 5, SPLICE_F_NONBLOCK);
}

Outcome copy_file_range_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor to = supervisor.descriptor(thread, descriptor_argument(thread, 2));
  if (to.handle && is_watched(supervisor, to)) return answer(-EXDEV);
  const long result = supervisor.finish_call(thread);
  if (result > 0) supervisor.touch(to.info, thread.process->machine);
  return finished(result);
}

}  // namespace

std::span<const CallEntry> move_calls() {
  static constexpr CallEntry kCalls[] = {{SYS_sendfile, sendfile_call},
                                         {SYS_splice, splice_call},
                                         {SYS_tee, splice_call},
                                         {SYS_copy_file_range, copy_file_range_call}};
  return kCalls;
}

}  // namespace dissensus::host
