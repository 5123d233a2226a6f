// Moving bytes between descriptors without the program's memory: sendfile, splice, tee,
// copy_file_range.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <poll.h>
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

/// What goes to standard output is ours to keep: no pipe of the kernel's takes it.
Outcome send_to_output(Supervisor& supervisor, Thread& thread, const Descriptor& from,
                       const OutputPipe& to) {
  constexpr std::size_t kPieceMax = 1 << 20;
  std::string bytes(std::min<std::size_t>(thread.arguments[3], kPieceMax), '\0');
  const std::uint64_t place = thread.arguments[2];
  std::int64_t offset = 0;
  if (place != 0 && !read_memory(thread.tid, place, &offset, sizeof offset)) {
    return answer(-EFAULT);
  }
  const ssize_t got = place != 0 ? pread(from.handle.get(), bytes.data(), bytes.size(), offset)
                                 : read(from.handle.get(), bytes.data(), bytes.size());
  if (got < 0) return answer(-errno);
  bytes.resize(static_cast<std::size_t>(got));
  if (place != 0) write_value(thread.tid, place, offset + got);
  supervisor.write_output(to.program, to.stream, bytes, thread);
  return answer(got);
}

Outcome sendfile_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor to = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const Descriptor from = supervisor.descriptor(thread, descriptor_argument(thread, 1));
  if (!from.handle || !to.handle) return native();
  if (!from.is_file) return native();  // refused by the kernel
  if (is_watched(supervisor, to) || is_kind(to, Special::Kind::datagram) || is_counter(to)) {
    return answer(-EINVAL);
  }
  if (is_kind(to, Special::Kind::output)) {
    return send_to_output(supervisor, thread, from, static_cast<const OutputPipe&>(*to.special));
  }
  return move(supervisor, thread, from, to, 0, 0);
}

/// vmsplice apart: it lends pages of the program, which may change them afterwards.
Outcome splice_call(Supervisor& supervisor, Thread& thread) {
  const bool is_tee = thread.call == SYS_tee;
  const Descriptor from = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const Descriptor to = supervisor.descriptor(thread, descriptor_argument(thread, is_tee ? 1 : 2));
  if (!from.handle || !to.handle || (!is_pipe(from) && !is_pipe(to))) return native();
  const bool is_closed_way =
      (from.flags & O_ACCMODE) == O_WRONLY || (to.flags & O_ACCMODE) == O_RDONLY;
  if (is_closed_way) return native();  // refused by the kernel
  if (is_watched(supervisor, to) || is_kind(to, Special::Kind::output) ||
      is_kind(to, Special::Kind::datagram) || is_kind(from, Special::Kind::datagram)) {
    return answer(-EINVAL);
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
