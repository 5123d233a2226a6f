// Sockets: which are ours, and what their names and options are.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "host/calls.h"
#include "host/socket_address.h"

namespace dissensus::host {

int address_family(const Thread& thread, std::uint64_t address, std::uint64_t length) {
  if (length < sizeof(sa_family_t)) return 0;
  return read_value<sa_family_t>(thread.tid, address).value_or(0);
}

std::optional<Endpoint> read_address(const Thread& thread, std::uint64_t address,
                                     std::uint64_t length) {
  const int family = address_family(thread, address, length);
  if (family == AF_INET && length >= sizeof(sockaddr_in)) {
    const auto value = read_value<sockaddr_in>(thread.tid, address);
    if (value) return Endpoint{ntohl(value->sin_addr.s_addr), ntohs(value->sin_port)};
  }
  if (family == AF_INET6 && length >= sizeof(sockaddr_in6) - 4) {
    sockaddr_in6 value{};
    if (!read_memory(thread.tid, address, &value, sizeof value - 4)) return std::nullopt;
    std::uint32_t last = 0;
    std::memcpy(&last, value.sin6_addr.s6_addr + 12, sizeof last);
    const bool is_loopback = IN6_IS_ADDR_LOOPBACK(&value.sin6_addr) != 0;
    return Endpoint{is_loopback ? INADDR_LOOPBACK : ntohl(last), ntohs(value.sin6_port)};
  }
  return std::nullopt;
}

void write_address(const Thread& thread, const Endpoint& endpoint, int family,
                   std::uint64_t address, std::uint64_t length) {
  if (address == 0 || length == 0) return;
  const auto room = read_value<socklen_t>(thread.tid, length).value_or(0);
  socklen_t size = 0;
  if (family == AF_INET) {
    sockaddr_in value{};
    value.sin_family = AF_INET;
    value.sin_port = htons(endpoint.port);
    value.sin_addr.s_addr = htonl(endpoint.ip);
    size = sizeof value;
    write_memory(thread.tid, address, &value, std::min(size, room));
  } else {
    sockaddr_in6 value{};
    value.sin6_family = AF_INET6;
    value.sin6_port = htons(endpoint.port);
    if (endpoint.ip != 0) {
      const std::uint32_t ip = htonl(endpoint.ip);
      value.sin6_addr.s6_addr[10] = value.sin6_addr.s6_addr[11] = 0xff;
      std::memcpy(value.sin6_addr.s6_addr + 12, &ip, sizeof ip);
    }
    size = sizeof value;
    write_memory(thread.tid, address, &value, std::min(size, room));
  }
  write_value(thread.tid, length, size);
}

namespace {

std::shared_ptr<StreamSocket> stream_of(const Descriptor& descriptor) {
  if (descriptor.special == nullptr || descriptor.special->kind != Special::Kind::stream) {
    return nullptr;
  }
  return std::static_pointer_cast<StreamSocket>(descriptor.special);
}

std::shared_ptr<DatagramSocket> datagram_of(const Descriptor& descriptor) {
  if (descriptor.special == nullptr || descriptor.special->kind != Special::Kind::datagram) {
    return nullptr;
  }
  return std::static_pointer_cast<DatagramSocket>(descriptor.special);
}

Outcome socket_call(Supervisor& supervisor, Thread& thread) {
  const int family = static_cast<int>(thread.arguments[0]);
  const auto type = thread.arguments[1];
  const int kind = static_cast<int>(type & 0xf);
  if (family == AF_UNIX || family == AF_NETLINK) return native();
  if (family != AF_INET && family != AF_INET6) return answer(-EAFNOSUPPORT);
  if (kind != SOCK_STREAM && kind != SOCK_DGRAM) return answer(-EPERM);
  supervisor.replace_call(thread, SYS_socket, {AF_UNIX, type, 0, 0, 0, 0});
  const long fd = supervisor.finish_call(thread);
  supervisor.set_result(thread, fd);
  if (fd < 0) return finished(fd);
  const Descriptor descriptor = supervisor.descriptor(thread, static_cast<int>(fd));
  if (kind == SOCK_STREAM) {
    auto socket = std::make_shared<StreamSocket>();
    socket->family = family;
    socket->machine = thread.process->machine;
    supervisor.add_special(descriptor.handle, socket);
  } else {
    auto socket = std::make_shared<DatagramSocket>();
    socket->family = family;
    socket->machine = thread.process->machine;
    if (!supervisor.network().pair_up(descriptor.handle.get(), socket->end)) {
      supervisor.doubt("a datagram socket could not be made");
    }
    supervisor.network().add(socket);
    supervisor.add_special(descriptor.handle, socket);
  }
  return finished(fd);
}

Outcome bind_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const auto stream = stream_of(descriptor);
  const auto datagram = datagram_of(descriptor);
  if (stream == nullptr && datagram == nullptr) return native();
  const auto local = read_address(thread, thread.arguments[1], thread.arguments[2]);
  if (!local) return answer(-EINVAL);
  return answer(stream != nullptr ? supervisor.network().bind(*stream, *local)
                                  : supervisor.network().bind(*datagram, *local));
}

Outcome listen_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const auto stream = stream_of(descriptor);
  if (stream == nullptr) return native();
  return answer(supervisor.network().listen(stream, descriptor.handle.get()));
}

Outcome wait_for_connection(Supervisor& supervisor, Thread& thread, Descriptor descriptor,
                            const StreamSocket& socket) {
  if (socket.state == StreamSocket::State::connected) return answer(0);
  if (socket.state == StreamSocket::State::failed) return answer(-socket.error);
  if (thread.timed_out) return answer(-EINPROGRESS);
  HostTime deadline = thread.deadline;
  if (!thread.is_retry && socket.send_timeout.count() != 0) {
    deadline = supervisor.now() + socket.send_timeout;
  }
  std::vector<Interest> interests;
  interests.push_back({std::move(descriptor.handle), POLLOUT});
  return supervisor.wait_for(thread, Waiting::For::handles, deadline, std::move(interests));
}

/// To a program of the same machine, which may have a queue that is full.
Outcome connect_locally(Supervisor& supervisor, Thread& thread, const Descriptor& descriptor) {
  if (!descriptor.handle || descriptor.is_nonblocking) return native();
  const int fd = descriptor.handle.get();
  // The flag belongs to all copies of the descriptor, but nobody else is running.
  fcntl(fd, F_SETFL, descriptor.flags | O_NONBLOCK);
  const long result = supervisor.finish_call(thread);
  fcntl(fd, F_SETFL, descriptor.flags);
  if (result == -EAGAIN) return supervisor.wait_in_front(thread, kNever);
  return finished(result);
}

Outcome connect_call(Supervisor& supervisor, Thread& thread) {
  Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (const auto datagram = datagram_of(descriptor)) {
    if (address_family(thread, thread.arguments[1], thread.arguments[2]) == AF_UNSPEC) {
      supervisor.network().disconnect(*datagram);
      return answer(0);
    }
    const auto peer = read_address(thread, thread.arguments[1], thread.arguments[2]);
    return answer(peer ? supervisor.network().connect(*datagram, *peer) : -EINVAL);
  }
  const auto stream = stream_of(descriptor);
  if (stream == nullptr) return connect_locally(supervisor, thread, descriptor);
  if (thread.is_retry) {
    return wait_for_connection(supervisor, thread, std::move(descriptor), *stream);
  }
  switch (stream->state) {
    case StreamSocket::State::connected:
      return answer(-EISCONN);
    case StreamSocket::State::connecting:
      return answer(-EALREADY);
    case StreamSocket::State::listening:
      return answer(-EOPNOTSUPP);
    case StreamSocket::State::failed:
      return answer(-(stream->error != 0 ? stream->error : ECONNABORTED));
    case StreamSocket::State::fresh:
    case StreamSocket::State::bound:
      break;
  }
  const auto to = read_address(thread, thread.arguments[1], thread.arguments[2]);
  if (!to) return answer(-EAFNOSUPPORT);
  const bool is_nonblocking = descriptor.is_nonblocking;
  const long result = supervisor.network().connect(stream, std::move(descriptor.handle), *to,
                                                   thread.process->program);
  if (result != 0) return answer(result);
  if (is_nonblocking) return answer(-EINPROGRESS);
  return wait_for_connection(
      supervisor, thread, supervisor.descriptor(thread, descriptor_argument(thread, 0)), *stream);
}

Outcome accept_call(Supervisor& supervisor, Thread& thread) {
  Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!descriptor.handle) return native();
  pollfd state{descriptor.handle.get(), POLLIN, 0};
  const bool is_ready = poll(&state, 1, 0) != 0;
  if (!is_ready && !descriptor.is_nonblocking) {
    std::vector<Interest> interests;
    interests.push_back({std::move(descriptor.handle), POLLIN});
    return supervisor.wait_for(thread, Waiting::For::handles, kNever, std::move(interests));
  }
  const auto listener = stream_of(descriptor);
  if (listener == nullptr || !is_ready) return native();
  auto arguments = thread.arguments;
  arguments[1] = arguments[2] = 0;
  supervisor.replace_call(thread, thread.call, arguments);
  const long fd = supervisor.finish_call(thread);
  supervisor.set_result(thread, fd);
  if (fd < 0) return finished(fd);
  std::shared_ptr<StreamSocket> socket = supervisor.network().accepted(*listener);
  if (socket == nullptr) return finished(fd);
  write_address(thread, socket->peer, socket->family, thread.arguments[1], thread.arguments[2]);
  supervisor.add_special(supervisor.descriptor(thread, static_cast<int>(fd)).handle, socket);
  return finished(fd);
}

Outcome name_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const bool is_peer = thread.call == SYS_getpeername;
  if (const auto stream = stream_of(descriptor)) {
    if (is_peer && stream->state != StreamSocket::State::connected) return answer(-ENOTCONN);
    write_address(thread, is_peer ? stream->peer : stream->local, stream->family,
                  thread.arguments[1], thread.arguments[2]);
    return answer(0);
  }
  if (const auto datagram = datagram_of(descriptor)) {
    if (is_peer && !datagram->peer) return answer(-ENOTCONN);
    write_address(thread, is_peer ? *datagram->peer : datagram->local, datagram->family,
                  thread.arguments[1], thread.arguments[2]);
    return answer(0);
  }
  return native();
}

Outcome setsockopt_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (descriptor.special == nullptr) return native();
  const int level = static_cast<int>(thread.arguments[1]);
  const int option = static_cast<int>(thread.arguments[2]);
  const auto stream = stream_of(descriptor);
  if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) {
    const auto limit = read_value<timeval>(thread.tid, thread.arguments[3]);
    if (!limit) return answer(-EFAULT);
    const HostTime value = to_duration({limit->tv_sec, limit->tv_usec * 1000});
    if (stream != nullptr) {
      (option == SO_RCVTIMEO ? stream->receive_timeout : stream->send_timeout) = value;
    } else if (value.count() != 0) {
      supervisor.note("a time limit on a datagram socket is not kept");
    }
  }
  return answer(0);  // buffers, delays, keep-alive: our network has none of them
}

Outcome getsockopt_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (descriptor.special == nullptr) return native();
  const int level = static_cast<int>(thread.arguments[1]);
  const int option = static_cast<int>(thread.arguments[2]);
  const auto room = read_value<socklen_t>(thread.tid, thread.arguments[4]);
  if (!room) return answer(-EFAULT);
  const auto stream = stream_of(descriptor);
  const int family = stream != nullptr                    ? stream->family
                     : datagram_of(descriptor) != nullptr ? datagram_of(descriptor)->family
                                                          : AF_UNIX;
  int value = 0;
  if (level == SOL_SOCKET) {
    switch (option) {
      case SO_ERROR:
        if (stream != nullptr) value = std::exchange(stream->error, 0);
        break;
      case SO_TYPE:
        value = stream != nullptr ? SOCK_STREAM : SOCK_DGRAM;
        break;
      case SO_DOMAIN:
        value = family;
        break;
      case SO_PROTOCOL:
        value = stream != nullptr ? IPPROTO_TCP : IPPROTO_UDP;
        break;
      case SO_ACCEPTCONN:
        value = stream != nullptr && stream->state == StreamSocket::State::listening ? 1 : 0;
        break;
      case SO_SNDBUF:
      case SO_RCVBUF:
        value = 212'992;
        break;
      default:
        break;
    }
  } else if (level == IPPROTO_TCP && option == TCP_MAXSEG) {
    value = 1448;
  }
  std::vector<unsigned char> bytes(std::min<socklen_t>(*room, 256));
  std::memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof value));
  write_memory(thread.tid, thread.arguments[3], bytes.data(), bytes.size());
  const bool is_number = level == SOL_SOCKET || bytes.size() <= sizeof value;
  write_value(thread.tid, thread.arguments[4],
              is_number ? std::min<socklen_t>(*room, sizeof value) : *room);
  return answer(0);
}

constexpr CallEntry kSocketCalls[] = {
    {SYS_socket, socket_call},         {SYS_bind, bind_call},
    {SYS_listen, listen_call},         {SYS_connect, connect_call},
    {SYS_accept, accept_call},         {SYS_accept4, accept_call},
    {SYS_getsockname, name_call},      {SYS_getpeername, name_call},
    {SYS_setsockopt, setsockopt_call}, {SYS_getsockopt, getsockopt_call},
};

}  // namespace

std::span<const CallEntry> socket_calls() {
  return kSocketCalls;
}

}  // namespace dissensus::host
