// Reading and writing: files, pipes, sockets.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "host/calls.h"
#include "host/socket_address.h"

namespace dissensus::host {

bool is_unconnected(const StreamSocket& socket) {
  return socket.state != StreamSocket::State::connecting &&
         socket.state != StreamSocket::State::connected;
}

long unconnected_read(StreamSocket& socket) {
  if (socket.state == StreamSocket::State::listening) return -ENOTCONN;
  if (socket.error != 0) return -std::exchange(socket.error, 0);
  return socket.is_shut_for_reading ? 0 : -ENOTCONN;
}

int take_error(const Descriptor& descriptor, DatagramSocket& socket) {
  if (socket.error == 0) return 0;
  int instead = 0;
  socklen_t size = sizeof instead;
  getsockopt(descriptor.handle.get(), SOL_SOCKET, SO_ERROR, &instead, &size);
  return std::exchange(socket.error, 0);
}

namespace {

/// Writes up to this size never wait where the kernel says that writing is possible.
constexpr std::size_t kSmallWrite = 4096;
constexpr std::size_t kBytesMax = 64u << 20;

template <class T>
std::shared_ptr<T> special_as(const Descriptor& descriptor) {
  return std::static_pointer_cast<T>(descriptor.special);
}

std::vector<iovec> read_vector(const Thread& thread, std::uint64_t address, std::uint64_t count) {
  std::vector<iovec> pieces(std::min<std::uint64_t>(count, 1024));
  if (!read_memory(thread.tid, address, pieces.data(), pieces.size() * sizeof(iovec))) return {};
  return pieces;
}

std::vector<iovec> pieces_of(const Thread& thread) {
  switch (thread.call) {
    case SYS_readv:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
      return read_vector(thread, thread.arguments[1], thread.arguments[2]);
    case SYS_recvmsg:
    case SYS_sendmsg: {
      const auto message = read_value<msghdr>(thread.tid, thread.arguments[1]);
      if (!message) return {};
      return read_vector(thread, reinterpret_cast<std::uint64_t>(message->msg_iov),
                         message->msg_iovlen);
    }
    default:
      return {{reinterpret_cast<void*>(thread.arguments[1]), thread.arguments[2]}};
  }
}

std::size_t total_of(const std::vector<iovec>& pieces) {
  std::size_t total = 0;
  for (const iovec& piece : pieces) total += piece.iov_len;
  return total;
}

/// What the program wants to write, from `skip` on.
std::optional<std::string> gather(const Thread& thread, const std::vector<iovec>& pieces,
                                  std::size_t skip = 0) {
  std::string bytes;
  for (const iovec& piece : pieces) {
    if (bytes.size() + piece.iov_len > kBytesMax) return std::nullopt;
    const std::size_t at = bytes.size();
    bytes.resize(at + piece.iov_len);
    if (!read_memory(thread.tid, reinterpret_cast<std::uint64_t>(piece.iov_base), bytes.data() + at,
                     piece.iov_len)) {
      return std::nullopt;
    }
  }
  bytes.erase(0, skip);
  return bytes;
}

void scatter(const Thread& thread, const std::vector<iovec>& pieces, std::string_view bytes) {
  for (const iovec& piece : pieces) {
    const std::size_t size = std::min(piece.iov_len, bytes.size());
    write_memory(thread.tid, reinterpret_cast<std::uint64_t>(piece.iov_base), bytes.data(), size);
    bytes.remove_prefix(size);
  }
}

int flags_of(const Thread& thread) {
  switch (thread.call) {
    case SYS_recvfrom:
    case SYS_sendto:
      return static_cast<int>(thread.arguments[3]);
    case SYS_recvmsg:
    case SYS_sendmsg:
      return static_cast<int>(thread.arguments[2]);
    case SYS_sendmmsg:
    case SYS_recvmmsg:
      return static_cast<int>(thread.arguments[3]);
    default:
      return 0;
  }
}

HostTime timeout_of(const Supervisor& supervisor, const Descriptor& descriptor, bool is_read) {
  if (!is_kind(descriptor, Special::Kind::stream) &&
      !is_kind(descriptor, Special::Kind::datagram)) {
    return kNever;
  }
  const auto socket = special_as<InternetSocket>(descriptor);
  const HostTime limit = is_read ? socket->receive_timeout : socket->send_timeout;
  return limit.count() == 0 ? kNever : supervisor.now() + limit;
}

Outcome wait_until(Supervisor& supervisor, Thread& thread, Descriptor descriptor, short events) {
  if (thread.timed_out)
    return answer(thread.progress != 0 ? static_cast<long>(thread.progress) : -EAGAIN);
  if (!thread.is_retry) {
    thread.deadline = timeout_of(supervisor, descriptor, (events & POLLIN) != 0);
  }
  std::vector<Interest> interests;
  interests.push_back({std::move(descriptor.handle), events});
  return supervisor.wait_for(thread, Waiting::For::handles, thread.deadline, std::move(interests));
}

bool is_ready(const Descriptor& descriptor, short events) {
  pollfd state{descriptor.handle.get(), events, 0};
  return poll(&state, 1, 0) != 0;
}

// ---- reading

Outcome give_random(Thread& thread, const std::vector<iovec>& pieces) {
  std::string bytes(std::min<std::size_t>(total_of(pieces), 1 << 20), '\0');
  for (char& byte : bytes) byte = static_cast<char>(thread.process->random.next());
  scatter(thread, pieces, bytes);
  return answer(static_cast<long>(bytes.size()));
}

// ---- what is told with a datagram, besides its sender

struct ControlMessage {
  int level = 0;
  int type = 0;
  std::string bytes;
};

template <class T>
ControlMessage control_message(int level, int type, const T& value) {
  return {level, type, std::string(reinterpret_cast<const char*>(&value), sizeof value)};
}

std::vector<ControlMessage> control_messages(const DatagramSocket& socket, const Arrival& arrival) {
  std::vector<ControlMessage> messages;
  const auto is_on = [&](int level, int option) { return socket.options.is_on(level, option); };
  const int hops = arrival.hops;
  const int traffic_class = arrival.traffic_class;
  if (socket.family == AF_INET) {
    if (is_on(IPPROTO_IP, IP_PKTINFO)) {
      in_pktinfo info{};
      info.ipi_ifindex = 1;
      info.ipi_spec_dst.s_addr = info.ipi_addr.s_addr = htonl(arrival.to.ip);
      messages.push_back(control_message(IPPROTO_IP, IP_PKTINFO, info));
    }
    if (is_on(IPPROTO_IP, IP_RECVTTL)) {
      messages.push_back(control_message(IPPROTO_IP, IP_TTL, hops));
    }
    if (is_on(IPPROTO_IP, IP_RECVTOS)) {
      messages.push_back(control_message(IPPROTO_IP, IP_TOS, arrival.traffic_class));
    }
    return messages;
  }
  if (is_on(IPPROTO_IPV6, IPV6_RECVPKTINFO)) {
    in6_pktinfo info{};
    info.ipi6_addr = in6addr_loopback;
    info.ipi6_ifindex = 1;
    messages.push_back(control_message(IPPROTO_IPV6, IPV6_PKTINFO, info));
  }
  if (is_on(IPPROTO_IPV6, IPV6_RECVHOPLIMIT)) {
    messages.push_back(control_message(IPPROTO_IPV6, IPV6_HOPLIMIT, hops));
  }
  if (is_on(IPPROTO_IPV6, IPV6_RECVTCLASS)) {
    messages.push_back(control_message(IPPROTO_IPV6, IPV6_TCLASS, traffic_class));
  }
  return messages;
}

/// Into the room that the program has for them, cut where it ends. False: something was cut.
bool write_control(const Thread& thread, const std::vector<ControlMessage>& messages,
                   std::uint64_t at, std::size_t room, std::size_t& used) {
  used = 0;
  for (const ControlMessage& message : messages) {
    if (room < sizeof(cmsghdr)) return false;
    cmsghdr header{};
    header.cmsg_len = std::min<std::size_t>(CMSG_LEN(message.bytes.size()), room);
    header.cmsg_level = message.level;
    header.cmsg_type = message.type;
    write_memory(thread.tid, at, &header, sizeof header);
    write_memory(thread.tid, at + sizeof header, message.bytes.data(),
                 header.cmsg_len - sizeof header);
    const bool is_cut = header.cmsg_len < CMSG_LEN(message.bytes.size());
    const std::size_t step = std::min<std::size_t>(CMSG_SPACE(message.bytes.size()), room);
    at += step;
    room -= step;
    used += step;
    if (is_cut) return false;
  }
  return true;
}

struct Told {
  std::uint8_t hops = 64;
  std::uint8_t traffic_class = 0;
};

/// What a sender asks for, by options or with this datagram.
Told told_with(const Thread& thread, const DatagramSocket& socket, const msghdr& message) {
  const bool is_four = socket.family == AF_INET;
  const int level = is_four ? IPPROTO_IP : IPPROTO_IPV6;
  const auto option = [&](int four, int six) {
    return socket.options.get(socket.type(), level, is_four ? four : six).value_or(0);
  };
  Told told{static_cast<std::uint8_t>(option(IP_TTL, IPV6_UNICAST_HOPS)),
            static_cast<std::uint8_t>(option(IP_TOS, IPV6_TCLASS))};
  const std::size_t size = std::min<std::size_t>(message.msg_controllen, 4096);
  const auto begin = reinterpret_cast<std::uint64_t>(message.msg_control);
  for (std::size_t at = 0; begin != 0 && at + sizeof(cmsghdr) + sizeof(int) <= size;) {
    cmsghdr header{};
    const auto value = read_value<int>(thread.tid, begin + at + sizeof header);
    if (!value || !read_memory(thread.tid, begin + at, &header, sizeof header)) break;
    if (header.cmsg_len < sizeof header) break;
    if (header.cmsg_level == level) {
      const int type = header.cmsg_type;
      if (type == (is_four ? IP_TTL : IPV6_HOPLIMIT)) told.hops = static_cast<std::uint8_t>(*value);
      if (type == (is_four ? IP_TOS : IPV6_TCLASS) && *value >= 0) {
        told.traffic_class = static_cast<std::uint8_t>(*value);
      }
    }
    at += CMSG_ALIGN(header.cmsg_len);
  }
  return told;
}

/// A message without the sender's name, which only we know.
long receive_message(Supervisor& supervisor, Thread& thread, const DatagramSocket& socket,
                     const Arrival& arrival) {
  const std::uint64_t at = thread.arguments[1];
  const auto message = read_value<msghdr>(thread.tid, at);
  if (!message) return supervisor.finish_call(thread);
  msghdr plain = *message;
  plain.msg_name = nullptr;
  plain.msg_namelen = 0;
  plain.msg_control = nullptr;
  plain.msg_controllen = 0;
  write_value(thread.tid, at, plain);
  const long result = supervisor.finish_call(thread);
  msghdr after_call = read_value<msghdr>(thread.tid, at).value_or(plain);
  after_call.msg_name = message->msg_name;
  after_call.msg_namelen = message->msg_namelen;
  after_call.msg_control = message->msg_control;
  after_call.msg_controllen = message->msg_controllen;
  if (result >= 0) {
    std::size_t used = 0;
    const bool is_whole =
        write_control(thread, control_messages(socket, arrival),
                      reinterpret_cast<std::uint64_t>(message->msg_control),
                      message->msg_control == nullptr ? 0 : message->msg_controllen, used);
    after_call.msg_controllen = used;
    if (!is_whole) after_call.msg_flags |= MSG_CTRUNC;
  }
  write_value(thread.tid, at, after_call);
  if (result >= 0) {
    write_address(thread, arrival.from, socket.family,
                  reinterpret_cast<std::uint64_t>(message->msg_name),
                  at + offsetof(msghdr, msg_namelen));
  }
  return result;
}

/// A datagram comes with the address of its sender, which only we know.
Outcome receive_datagram(Supervisor& supervisor, Thread& thread, const Descriptor& descriptor) {
  const auto socket = special_as<DatagramSocket>(descriptor);
  if (const int error = take_error(descriptor, *socket); error != 0) return answer(-error);
  const bool is_peek = (flags_of(thread) & MSG_PEEK) != 0;
  const Arrival arrival = socket->arrived.empty() ? Arrival() : socket->arrived.front();
  long result = 0;
  if (thread.call == SYS_recvfrom) {
    auto arguments = thread.arguments;
    arguments[4] = arguments[5] = 0;
    supervisor.replace_call(thread, SYS_recvfrom, arguments);
    result = supervisor.finish_call(thread);
    supervisor.set_result(thread, result);
    if (result >= 0) {
      write_address(thread, arrival.from, socket->family, thread.arguments[4], thread.arguments[5]);
    }
  } else if (thread.call == SYS_recvmsg) {
    result = receive_message(supervisor, thread, *socket, arrival);
  } else {
    result = supervisor.finish_call(thread);
  }
  if (result >= 0 && !is_peek && !socket->arrived.empty()) socket->arrived.pop_front();
  supervisor.network().flush(*socket);
  return finished(result);
}

/// All bytes or none, however often they have to be waited for.
Outcome receive_all(Supervisor& supervisor, Thread& thread, Descriptor descriptor,
                    const std::vector<iovec>& pieces) {
  const std::size_t wanted = total_of(pieces);
  std::string bytes(wanted - thread.progress, '\0');
  const ssize_t got = recv(descriptor.handle.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && errno != EAGAIN) return answer(-errno);
  if (got > 0) {
    write_memory(thread.tid, thread.arguments[1] + thread.progress, bytes.data(),
                 static_cast<std::size_t>(got));
    thread.progress += static_cast<std::size_t>(got);
  }
  if (got == 0 || thread.progress == wanted) return answer(static_cast<long>(thread.progress));
  return wait_until(supervisor, thread, std::move(descriptor), POLLIN);
}

/// With a stream there comes no sender's address.
void write_no_address(const Thread& thread) {
  const bool is_plain = thread.call == SYS_recvfrom;
  const auto message =
      is_plain ? std::nullopt : read_value<msghdr>(thread.tid, thread.arguments[1]);
  const bool has_room =
      is_plain ? thread.arguments[4] != 0 : message && message->msg_name != nullptr;
  if (!has_room) return;
  write_value(thread.tid,
              is_plain ? thread.arguments[5] : thread.arguments[1] + offsetof(msghdr, msg_namelen),
              socklen_t{0});
}

Outcome read_unconnected(Thread& thread, StreamSocket& socket) {
  const long result = unconnected_read(socket);
  const bool is_message = thread.call == SYS_recvfrom || thread.call == SYS_recvmsg;
  if (result == 0 && is_message) write_no_address(thread);
  return answer(result);
}

/// From a stream, by a program that asks who has sent it: the kernel would tell of our end.
Outcome receive_from_stream(Supervisor& supervisor, Thread& thread) {
  if (thread.call == SYS_recvfrom) {
    auto arguments = thread.arguments;
    arguments[4] = arguments[5] = 0;
    supervisor.replace_call(thread, SYS_recvfrom, arguments);
  }
  const long result = supervisor.finish_call(thread);
  supervisor.set_result(thread, result);
  if (result >= 0) write_no_address(thread);
  return finished(result);
}

Outcome read_call(Supervisor& supervisor, Thread& thread) {
  Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!descriptor.handle || descriptor.is_file) return native();
  if (descriptor.is_random) return give_random(thread, pieces_of(thread));
  if ((descriptor.flags & O_ACCMODE) == O_WRONLY) return native();  // the kernel says why not
  const bool is_plain = thread.call == SYS_read || thread.call == SYS_readv;
  if (is_plain && S_ISSOCK(descriptor.info.st_mode) && total_of(pieces_of(thread)) == 0) {
    return answer(0);
  }
  const bool may_wait = !descriptor.is_nonblocking && (flags_of(thread) & MSG_DONTWAIT) == 0;
  const bool is_timer = is_kind(descriptor, Special::Kind::timer);
  if (is_timer || is_kind(descriptor, Special::Kind::signals)) {
    if (!is_plain) return answer(-ENOTSOCK);
    const std::size_t least = is_timer ? sizeof(std::uint64_t) : 128;
    if (total_of(pieces_of(thread)) < least) return answer(-EINVAL);
  }
  if (is_kind(descriptor, Special::Kind::signals)) {
    if (thread.call != SYS_read) return answer(-EINVAL);
    supervisor.refresh_signal_readers(*thread.process, &thread);
    const auto signals = special_as<SignalReader>(descriptor);
    if (may_wait && !signals->is_ready) {
      return wait_until(supervisor, thread, std::move(descriptor), POLLIN);
    }
    return read_signals(supervisor, thread, *signals);
  }
  if (is_kind(descriptor, Special::Kind::stream)) {
    const auto socket = special_as<StreamSocket>(descriptor);
    if (is_unconnected(*socket)) return read_unconnected(thread, *socket);
  }
  if (may_wait && (flags_of(thread) & MSG_WAITALL) != 0 && thread.call == SYS_recvfrom) {
    return receive_all(supervisor, thread, std::move(descriptor), pieces_of(thread));
  }
  if (may_wait && !is_ready(descriptor, POLLIN)) {
    return wait_until(supervisor, thread, std::move(descriptor), POLLIN);
  }
  if (is_kind(descriptor, Special::Kind::datagram)) {
    return receive_datagram(supervisor, thread, descriptor);
  }
  const bool is_message = thread.call == SYS_recvfrom || thread.call == SYS_recvmsg;
  if (is_message && is_kind(descriptor, Special::Kind::stream)) {
    return receive_from_stream(supervisor, thread);
  }
  return native();
}

// ---- writing

Outcome fail_pipe(Supervisor& supervisor, Thread& thread) {
  if ((flags_of(thread) & MSG_NOSIGNAL) == 0) supervisor.send_signal_to_self(thread, SIGPIPE);
  return answer(-EPIPE);
}

/// A write that may have to wait in the middle is made by us, piece by piece.
Outcome write_in_pieces(Supervisor& supervisor, Thread& thread, Descriptor descriptor,
                        const std::vector<iovec>& pieces) {
  const auto bytes = gather(thread, pieces, thread.progress);
  if (!bytes) return answer(-EFAULT);
  const int fd = descriptor.handle.get();
  // A broken pipe would send its signal to us.
  pollfd state{fd, POLLOUT, 0};
  if (!S_ISSOCK(descriptor.info.st_mode) && poll(&state, 1, 0) == 1 &&
      (state.revents & POLLERR) != 0) {
    return fail_pipe(supervisor, thread);
  }
  // The flag belongs to all copies of the descriptor, but nobody else is running.
  fcntl(fd, F_SETFL, descriptor.flags | O_NONBLOCK);
  ssize_t written = 0;
  int error = 0;
  for (std::string_view rest = *bytes; !rest.empty();
       rest.remove_prefix(static_cast<std::size_t>(written))) {
    written = S_ISSOCK(descriptor.info.st_mode) ? send(fd, rest.data(), rest.size(), MSG_NOSIGNAL)
                                                : write(fd, rest.data(), rest.size());
    if (written < 0) {
      error = errno;
      break;
    }
    thread.progress += static_cast<std::size_t>(written);
  }
  fcntl(fd, F_SETFL, descriptor.flags);
  if (error == EPIPE) return fail_pipe(supervisor, thread);
  if (error != 0 && error != EAGAIN) return answer(-error);
  if (error == 0) return answer(static_cast<long>(thread.progress));
  return wait_until(supervisor, thread, std::move(descriptor), POLLOUT);
}

Outcome write_to_file(Supervisor& supervisor, Thread& thread, const Descriptor& descriptor) {
  if (!S_ISREG(descriptor.info.st_mode)) return native();
  Disk& disk = supervisor.disk();
  const bool is_synced = (descriptor.flags & (O_SYNC | O_DSYNC)) != 0;
  if (!thread.is_retry) {
    const std::size_t length = total_of(pieces_of(thread));
    thread.process->unsynced_bytes += length;
    HostTime cost = disk.model().write;
    if (is_synced) cost += disk.sync_cost(*thread.process);
    if (cost.count() != 0) {
      return supervisor.wait_for(thread, Waiting::For::time, supervisor.now() + cost);
    }
  }
  if (disk.model().keeps_unsynced && !is_synced) {
    const bool is_placed =
        thread.call == SYS_pwrite64 || thread.call == SYS_pwritev || thread.call == SYS_pwritev2;
    std::uint64_t offset = 0;
    if (is_placed) {
      offset = thread.arguments[3];
    } else if ((descriptor.flags & O_APPEND) != 0) {
      offset = static_cast<std::uint64_t>(descriptor.info.st_size);
    } else {
      offset = static_cast<std::uint64_t>(lseek(descriptor.handle.get(), 0, SEEK_CUR));
    }
    disk.before_write(thread.process->machine, descriptor, offset, total_of(pieces_of(thread)));
  }
  supervisor.touch(descriptor.info, thread.process->machine);
  return native();
}

/// Sends one datagram of a socket of ours. `name` is where the program put the address.
long send_datagram(Supervisor& supervisor, const Thread& thread, const Descriptor& descriptor,
                   const msghdr& message) {
  DatagramSocket& socket = *special_as<DatagramSocket>(descriptor);
  supervisor.network().give_port(socket);
  const auto name = reinterpret_cast<std::uint64_t>(message.msg_name);
  std::optional<Endpoint> to = socket.peer;
  if (name != 0) {
    const int error = address_error(thread, socket, name, message.msg_namelen, Use::send);
    if (error != 0) return -error;
    to = read_target(thread, socket, name, message.msg_namelen);
  }
  if (!to) return name != 0 ? -EINVAL : -EDESTADDRREQ;
  if (to->port == 0) return -EINVAL;
  if (const int error = take_error(descriptor, socket); error != 0) return -error;
  if (socket.is_shut_for_writing) return -EPIPE;
  auto bytes = gather(thread, read_vector(thread, reinterpret_cast<std::uint64_t>(message.msg_iov),
                                          message.msg_iovlen));
  if (!bytes) return -EFAULT;
  const Told told = told_with(thread, socket, message);
  return supervisor.network().send(socket, *to, std::move(*bytes), told.hops, told.traffic_class);
}

Outcome write_datagram(Supervisor& supervisor, Thread& thread, const Descriptor& descriptor) {
  if (thread.call == SYS_sendmsg) {
    const auto message = read_value<msghdr>(thread.tid, thread.arguments[1]);
    return answer(message ? send_datagram(supervisor, thread, descriptor, *message) : -EFAULT);
  }
  const auto socket = special_as<DatagramSocket>(descriptor);
  supervisor.network().give_port(*socket);
  std::optional<Endpoint> to = socket->peer;
  if (thread.call == SYS_sendto && thread.arguments[4] != 0) {
    const int error =
        address_error(thread, *socket, thread.arguments[4], thread.arguments[5], Use::send);
    if (error != 0) return answer(-error);
    to = read_target(thread, *socket, thread.arguments[4], thread.arguments[5]);
    if (!to) return answer(-EINVAL);
  }
  if (!to) return answer(-EDESTADDRREQ);
  if (to->port == 0) return answer(-EINVAL);
  if (const int error = take_error(descriptor, *socket); error != 0) return answer(-error);
  if (socket->is_shut_for_writing) return answer(-EPIPE);
  auto bytes = gather(thread, pieces_of(thread));
  if (!bytes) return answer(-EFAULT);
  const Told told = told_with(thread, *socket, {});
  return answer(
      supervisor.network().send(*socket, *to, std::move(*bytes), told.hops, told.traffic_class));
}

bool is_terminal(const Descriptor& descriptor) {
  if (!S_ISCHR(descriptor.info.st_mode)) return false;
  const unsigned number = major(descriptor.info.st_rdev);
  constexpr unsigned kTerminals = 5;
  constexpr unsigned kMasters = 128;
  constexpr unsigned kSlaves = 136;
  return number == kTerminals || (number >= kMasters && number < kSlaves + 8);
}

/// What is done to a terminal may send signals to those who use it.
Outcome terminal_call(Supervisor& supervisor, Thread& thread) {
  const long result = supervisor.finish_call(thread);
  for (const auto& process : supervisor.processes()) {
    if (process->machine == thread.process->machine) supervisor.look_for_signals(*process);
  }
  return finished(result);
}

Outcome write_call(Supervisor& supervisor, Thread& thread) {
  Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!descriptor.handle) return native();
  if (descriptor.is_random) return answer(static_cast<long>(total_of(pieces_of(thread))));
  if ((descriptor.flags & O_ACCMODE) == O_RDONLY) return native();  // the kernel says why not
  if (descriptor.is_file) return write_to_file(supervisor, thread, descriptor);
  if (is_kind(descriptor, Special::Kind::output)) {
    const auto bytes = gather(thread, pieces_of(thread));
    if (!bytes) return answer(-EFAULT);
    const auto pipe = special_as<OutputPipe>(descriptor);
    supervisor.write_output(pipe->program, pipe->stream, *bytes, thread);
    return answer(static_cast<long>(bytes->size()));
  }
  const bool is_placed =
      thread.call == SYS_pwrite64 || thread.call == SYS_pwritev || thread.call == SYS_pwritev2;
  if (is_placed) return native();  // refused by the kernel: here are no places
  if (is_kind(descriptor, Special::Kind::timer) || is_kind(descriptor, Special::Kind::signals)) {
    return native();  // refused by the kernel
  }
  if (is_kind(descriptor, Special::Kind::datagram)) {
    return write_datagram(supervisor, thread, descriptor);
  }
  if (is_kind(descriptor, Special::Kind::stream)) {
    const auto socket = special_as<StreamSocket>(descriptor);
    if (is_unconnected(*socket)) {
      if (socket->error != 0) return answer(-std::exchange(socket->error, 0));
      return fail_pipe(supervisor, thread);
    }
    const bool is_urgent = (flags_of(thread) & MSG_OOB) != 0;
    if (is_urgent) supervisor.note("urgent data of a program (MSG_OOB) was sent as other data");
    if (is_urgent || (thread.call == SYS_sendto && thread.arguments[4] != 0)) {
      auto arguments = thread.arguments;
      arguments[thread.call == SYS_sendto ? 3 : 2] &= ~static_cast<std::uint64_t>(MSG_OOB);
      if (thread.call == SYS_sendto) arguments[4] = arguments[5] = 0;  // says nothing here
      supervisor.replace_call(thread, thread.call, arguments);
    }
  }
  if (is_terminal(descriptor)) {
    if (descriptor.is_nonblocking || is_ready(descriptor, POLLOUT)) {
      return terminal_call(supervisor, thread);
    }
    return wait_until(supervisor, thread, std::move(descriptor), POLLOUT);
  }
  if (descriptor.is_nonblocking || (flags_of(thread) & MSG_DONTWAIT) != 0) return native();
  const std::vector<iovec> pieces = pieces_of(thread);
  if (total_of(pieces) > kSmallWrite || thread.progress != 0) {
    return write_in_pieces(supervisor, thread, std::move(descriptor), pieces);
  }
  if (!is_ready(descriptor, POLLOUT)) {
    return wait_until(supervisor, thread, std::move(descriptor), POLLOUT);
  }
  return native();
}

// ---- several messages at once

Outcome sendmmsg_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!is_kind(descriptor, Special::Kind::datagram)) return answer(-ENOSYS);
  const auto count = static_cast<std::uint32_t>(thread.arguments[2]);
  long sent = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = thread.arguments[1] + i * sizeof(mmsghdr);
    const auto message = read_value<mmsghdr>(thread.tid, at);
    if (!message) return answer(sent != 0 ? sent : -EFAULT);
    const long result = send_datagram(supervisor, thread, descriptor, message->msg_hdr);
    if (result < 0) return answer(sent != 0 ? sent : result);
    write_value(thread.tid, at + offsetof(mmsghdr, msg_len), static_cast<std::uint32_t>(result));
    ++sent;
  }
  return answer(sent);
}

/// One message at a time is what this call may do, too.
Outcome recvmmsg_call(Supervisor& supervisor, Thread& thread) {
  Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!descriptor.handle) return answer(-EBADF);
  const bool may_wait = !descriptor.is_nonblocking && (flags_of(thread) & MSG_DONTWAIT) == 0;
  if (!is_ready(descriptor, POLLIN)) {
    if (!may_wait) return answer(-EAGAIN);
    return wait_until(supervisor, thread, std::move(descriptor), POLLIN);
  }
  const auto message = read_value<mmsghdr>(thread.tid, thread.arguments[1]);
  if (!message) return answer(-EFAULT);
  if (is_kind(descriptor, Special::Kind::datagram)) {
    const int error = take_error(descriptor, *special_as<DatagramSocket>(descriptor));
    if (error != 0) return answer(-error);
  }
  const std::vector<iovec> pieces =
      read_vector(thread, reinterpret_cast<std::uint64_t>(message->msg_hdr.msg_iov),
                  message->msg_hdr.msg_iovlen);
  std::string bytes(std::min<std::size_t>(total_of(pieces), 65536), '\0');
  const ssize_t got = recv(descriptor.handle.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return answer(-errno);
  scatter(thread, pieces, std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  write_value(thread.tid, thread.arguments[1] + offsetof(mmsghdr, msg_len),
              static_cast<std::uint32_t>(got));
  if (is_kind(descriptor, Special::Kind::datagram)) {
    const auto socket = special_as<DatagramSocket>(descriptor);
    if (!socket->arrived.empty()) {
      write_address(thread, socket->arrived.front().from, socket->family,
                    reinterpret_cast<std::uint64_t>(message->msg_hdr.msg_name),
                    thread.arguments[1] + offsetof(msghdr, msg_namelen));
      socket->arrived.pop_front();
    }
    supervisor.network().flush(*socket);
  }
  return answer(1);
}

// ---- ioctl

Outcome ioctl_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!descriptor.handle) return answer(-EBADF);
  if (is_terminal(descriptor)) return terminal_call(supervisor, thread);
  switch (static_cast<std::uint32_t>(thread.arguments[1])) {
    case FIONBIO:
    case FIOCLEX:
    case FIONCLEX:
    case FIONREAD:
      return native();
    case TCGETS:
    case TIOCGWINSZ:
    case TIOCSWINSZ:
    case TIOCGPGRP:
    case TIOCSPGRP:
    case TIOCGSID:
    case TIOCSCTTY:
    case TIOCNOTTY:
    case TIOCSTI:
    case TCFLSH:
    case TCSBRK:
    case TCSBRKP:
    case TCXONC:
    case TIOCGPTN:
    case TIOCSPTLCK:
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
      return answer(-ENOTTY);
    case 0x8910:  // SIOCGIFNAME
    case 0x8933:  // SIOCGIFINDEX
      return native();
    case 0x8905:  // SIOCATMARK
    case 0x8912:  // SIOCGIFCONF
    case 0x8913:  // SIOCGIFFLAGS
    case 0x8915:  // SIOCGIFADDR
    case 0x8927:  // SIOCGIFHWADDR
    case 0x8946:  // SIOCETHTOOL
      return answer(-ENODEV);
    default:
      break;
  }
  if (descriptor.is_file) return answer(-ENOTTY);
  supervisor.doubt("a program makes an ioctl that nobody has thought about");
  return native();
}

constexpr CallEntry kDataCalls[] = {
    {SYS_read, read_call},         {SYS_readv, read_call},    {SYS_recvfrom, read_call},
    {SYS_recvmsg, read_call},      {SYS_write, write_call},   {SYS_writev, write_call},
    {SYS_pwrite64, write_call},    {SYS_pwritev, write_call}, {SYS_pwritev2, write_call},
    {SYS_sendto, write_call},      {SYS_sendmsg, write_call}, {SYS_sendmmsg, sendmmsg_call},
    {SYS_recvmmsg, recvmmsg_call}, {SYS_ioctl, ioctl_call},
};

}  // namespace

std::span<const CallEntry> data_calls() {
  return kDataCalls;
}

}  // namespace dissensus::host
