// Sockets: which are ours, and what their names and options are.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "host/calls.h"
#include "host/renewal.h"
#include "host/socket_address.h"

namespace dissensus::host {

std::optional<Endpoint> read_target(const Thread& thread, const InternetSocket& socket,
                                    std::uint64_t address, std::uint64_t length) {
  auto target = read_address(thread, address, length);
  if (target && target->ip == 0) {
    const bool is_four =
        address_family(thread, address, length) == AF_INET || socket.has_mapped_address();
    target->ip = is_four ? INADDR_LOOPBACK : kLoopback6;
  }
  return target;
}

int address_family(const Thread& thread, std::uint64_t address, std::uint64_t length) {
  if (length < sizeof(sa_family_t)) return 0;
  return read_value<sa_family_t>(thread.tid, address).value_or(0);
}

std::optional<Endpoint> read_address(const Thread& thread, std::uint64_t address,
                                     std::uint64_t length) {
  const int family = address_family(thread, address, length);
  if (family == AF_INET && length >= sizeof(sockaddr_in)) {
    const auto value = read_value<sockaddr_in>(thread.tid, address);
    if (value) {
      const std::uint32_t ip = ntohl(value->sin_addr.s_addr);
      return Endpoint{ip == kLoopback6 ? kNowhere : ip, ntohs(value->sin_port)};
    }
  }
  if (family == AF_INET6 && length >= sizeof(sockaddr_in6) - 4) {
    sockaddr_in6 value{};
    if (!read_memory(thread.tid, address, &value, sizeof value - 4)) return std::nullopt;
    std::uint32_t last = 0;
    std::memcpy(&last, value.sin6_addr.s6_addr + 12, sizeof last);
    const in6_addr& address6 = value.sin6_addr;
    const std::uint32_t ip = IN6_IS_ADDR_LOOPBACK(&address6)      ? kLoopback6
                             : IN6_IS_ADDR_UNSPECIFIED(&address6) ? 0
                             : IN6_IS_ADDR_V4MAPPED(&address6)    ? ntohl(last)
                                                                  : kNowhere;
    return Endpoint{ip, ntohs(value.sin6_port)};
  }
  return std::nullopt;
}

int address_error(const Thread& thread, const InternetSocket& socket, std::uint64_t address,
                  std::uint64_t length, Use use) {
  constexpr std::uint64_t kShortest6 = 24;
  const int family = address_family(thread, address, length);
  if (socket.family == AF_INET) {
    if (length < sizeof(sockaddr_in)) return EINVAL;
    const bool is_right = family == AF_INET || (family == AF_UNSPEC && use != Use::connect);
    return is_right ? 0 : EAFNOSUPPORT;
  }
  if (family == AF_INET && use != Use::bind && socket.kind == Special::Kind::datagram) {
    const bool is_closed = socket.options.is_on(IPPROTO_IPV6, IPV6_V6ONLY);
    if (length < sizeof(sockaddr_in)) return EINVAL;
    return !is_closed ? 0 : use == Use::send ? ENETUNREACH : EAFNOSUPPORT;
  }
  if (length < kShortest6) return EINVAL;
  if (family != AF_INET6) return use == Use::send ? EINVAL : EAFNOSUPPORT;
  return 0;
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
    if (endpoint.ip == kLoopback6) {
      value.sin6_addr = in6addr_loopback;
    } else if (endpoint.ip != 0) {
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

std::shared_ptr<InternetSocket> internet_of(const Descriptor& descriptor) {
  if (auto stream = stream_of(descriptor)) return stream;
  return datagram_of(descriptor);
}

Outcome socket_call(Supervisor& supervisor, Thread& thread) {
  const int family = static_cast<int>(thread.arguments[0]);
  const auto type = thread.arguments[1];
  const int kind = static_cast<int>(type & 0xf);
  if (family == AF_UNIX || family == AF_NETLINK) return native();
  if (family != AF_INET && family != AF_INET6) return answer(-EAFNOSUPPORT);
  if (kind == SOCK_RAW) return answer(-EPERM);
  if (kind != SOCK_STREAM && kind != SOCK_DGRAM) return answer(-ESOCKTNOSUPPORT);
  int protocol = descriptor_argument(thread, 2);
  if (protocol == 0) protocol = kind == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
  const bool is_known = kind == SOCK_STREAM
                            ? protocol == IPPROTO_TCP
                            : protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE;
  if (!is_known) return answer(-EPROTONOSUPPORT);
  supervisor.replace_call(thread, SYS_socket, {AF_UNIX, type, 0, 0, 0, 0});
  const long fd = supervisor.finish_call(thread);
  supervisor.set_result(thread, fd);
  if (fd < 0) return finished(fd);
  const Descriptor descriptor = supervisor.descriptor(thread, static_cast<int>(fd));
  if (kind == SOCK_STREAM) {
    auto socket = std::make_shared<StreamSocket>();
    socket->family = family;
    socket->protocol = protocol;
    socket->machine = thread.process->machine;
    supervisor.add_special(descriptor.handle, socket);
  } else {
    auto socket = std::make_shared<DatagramSocket>();
    socket->family = family;
    socket->protocol = protocol;
    socket->machine = thread.process->machine;
    if (!supervisor.network().pair_up(descriptor.handle.get(), *socket)) {
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
  const InternetSocket& socket = stream != nullptr ? static_cast<InternetSocket&>(*stream)
                                                   : static_cast<InternetSocket&>(*datagram);
  const int error =
      address_error(thread, socket, thread.arguments[1], thread.arguments[2], Use::bind);
  if (error != 0) return answer(-error);
  const auto local = read_address(thread, thread.arguments[1], thread.arguments[2]);
  if (!local) return answer(-EINVAL);
  return answer(stream != nullptr ? supervisor.network().bind(stream, *local)
                                  : supervisor.network().bind(*datagram, *local));
}

/// To whoever listens it means nothing that the socket was shut down before.
Outcome listen_anew(Supervisor& supervisor, Thread& thread,
                    const std::shared_ptr<StreamSocket>& former) {
  const int fd = descriptor_argument(thread, 0);
  long result = renew(supervisor, thread, fd, former);
  if (result == 0) {
    const Descriptor fresh = supervisor.descriptor(thread, fd);
    result = supervisor.network().listen(stream_of(fresh), fresh.handle.get());
  }
  supervisor.set_result(thread, result);
  return finished(result);
}

Outcome listen_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const auto stream = stream_of(descriptor);
  if (stream == nullptr) return native();
  const bool is_shut = stream->is_shut_for_reading || stream->is_shut_for_writing;
  const bool can_listen =
      stream->state == StreamSocket::State::fresh || stream->state == StreamSocket::State::bound;
  if (is_shut && can_listen) return listen_anew(supervisor, thread, stream);
  return answer(supervisor.network().listen(stream, descriptor.handle.get()));
}

/// With this result of the thread's call, the socket is as it was before it connected.
Outcome start_anew(Supervisor& supervisor, Thread& thread,
                   const std::shared_ptr<StreamSocket>& socket, long result) {
  const long error = renew(supervisor, thread, descriptor_argument(thread, 0), socket);
  supervisor.set_result(thread, error != 0 ? error : result);
  return finished(error != 0 ? error : result);
}

/// A connection that was asked for has failed, and the program is told by connect.
Outcome tell_failure(Supervisor& supervisor, Thread& thread,
                     const std::shared_ptr<StreamSocket>& socket) {
  const int error = socket->error != 0 ? std::exchange(socket->error, 0) : ECONNABORTED;
  return start_anew(supervisor, thread, socket, -error);
}

Outcome wait_for_connection(Supervisor& supervisor, Thread& thread, Descriptor descriptor,
                            const std::shared_ptr<StreamSocket>& socket) {
  if (socket->state == StreamSocket::State::connected) return answer(0);
  if (socket->state == StreamSocket::State::failed) {
    return tell_failure(supervisor, thread, socket);
  }
  if (thread.timed_out) return answer(-EINPROGRESS);
  HostTime deadline = thread.deadline;
  if (!thread.is_retry && socket->send_timeout.count() != 0) {
    deadline = supervisor.now() + socket->send_timeout;
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
    supervisor.network().give_port(*datagram);
    const int error =
        address_error(thread, *datagram, thread.arguments[1], thread.arguments[2], Use::connect);
    if (error != 0) return answer(-error);
    const auto peer = read_target(thread, *datagram, thread.arguments[1], thread.arguments[2]);
    return answer(peer ? supervisor.network().connect(*datagram, *peer) : -EINVAL);
  }
  const auto stream = stream_of(descriptor);
  if (stream == nullptr) return connect_locally(supervisor, thread, descriptor);
  if (thread.is_retry) {
    return wait_for_connection(supervisor, thread, std::move(descriptor), stream);
  }
  if (thread.arguments[2] < sizeof(sa_family_t)) return answer(-EINVAL);
  if (address_family(thread, thread.arguments[1], thread.arguments[2]) == AF_UNSPEC) {
    return start_anew(supervisor, thread, stream, 0);
  }
  switch (stream->state) {
    case StreamSocket::State::connected:
      return answer(-EISCONN);
    case StreamSocket::State::connecting:
      return answer(-EALREADY);
    case StreamSocket::State::listening:
      return answer(-EISCONN);
    case StreamSocket::State::failed:
      if (stream->is_spoilt) return answer(-EINVAL);
      return tell_failure(supervisor, thread, stream);
    case StreamSocket::State::fresh:
    case StreamSocket::State::bound:
      break;
  }
  const int error =
      address_error(thread, *stream, thread.arguments[1], thread.arguments[2], Use::connect);
  if (error != 0) return answer(-error);
  const auto to = read_target(thread, *stream, thread.arguments[1], thread.arguments[2]);
  if (!to) return answer(-EAFNOSUPPORT);
  const bool is_nonblocking = descriptor.is_nonblocking;
  const long result = supervisor.network().connect(stream, std::move(descriptor.handle), *to,
                                                   thread.process->program);
  if (result != 0) return answer(result);
  if (is_nonblocking) return answer(-EINPROGRESS);
  return wait_for_connection(supervisor, thread,
                             supervisor.descriptor(thread, descriptor_argument(thread, 0)), stream);
}

Outcome accept_call(Supervisor& supervisor, Thread& thread) {
  Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  if (!descriptor.handle) return native();
  pollfd state{descriptor.handle.get(), POLLIN, 0};
  const bool is_ready = poll(&state, 1, 0) != 0;
  const auto listener = stream_of(descriptor);
  if (listener != nullptr && listener->state != StreamSocket::State::listening) {
    return answer(-EINVAL);
  }
  if (datagram_of(descriptor) != nullptr) return answer(-EOPNOTSUPP);
  if (!is_ready && !descriptor.is_nonblocking) {
    if (thread.timed_out) return answer(-EAGAIN);
    HostTime deadline = thread.deadline;
    if (!thread.is_retry && listener != nullptr && listener->receive_timeout.count() != 0) {
      deadline = supervisor.now() + listener->receive_timeout;
    }
    std::vector<Interest> interests;
    interests.push_back({std::move(descriptor.handle), POLLIN});
    return supervisor.wait_for(thread, Waiting::For::handles, deadline, std::move(interests));
  }
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

/// Linux knows what is not connected; the kernel's end of ours always is, or never was.
Outcome shutdown_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const int how = descriptor_argument(thread, 1);
  const auto socket = internet_of(descriptor);
  if (socket == nullptr || how < SHUT_RD || how > SHUT_RDWR) return native();
  const auto stream = stream_of(descriptor);
  if (stream != nullptr && stream->state == StreamSocket::State::listening) {
    return how == SHUT_WR ? answer(0) : start_anew(supervisor, thread, stream, 0);
  }
  socket->is_shut_for_reading = socket->is_shut_for_reading || how != SHUT_WR;
  socket->is_shut_for_writing = socket->is_shut_for_writing || how != SHUT_RD;
  if (stream != nullptr && stream->state == StreamSocket::State::failed) stream->is_spoilt = true;
  const bool is_connected = stream != nullptr ? stream->state == StreamSocket::State::connected ||
                                                    stream->state == StreamSocket::State::connecting
                                              : datagram_of(descriptor)->peer.has_value();
  if (is_connected) return native();
  shutdown(descriptor.handle.get(), how);  // all the same
  return answer(-ENOTCONN);
}

Outcome name_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const bool is_peer = thread.call == SYS_getpeername;
  if (const auto stream = stream_of(descriptor)) {
    const bool has_peer = stream->state == StreamSocket::State::connected && !stream->is_reset;
    if (is_peer && !has_peer) return answer(-ENOTCONN);
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

Outcome unknown_option(Supervisor& supervisor, const Thread& thread) {
  supervisor.note(fmt::format("{} uses option {} of level {} of a socket, which is refused",
                              supervisor.program(thread.process->program).plan.name,
                              static_cast<int>(thread.arguments[2]),
                              static_cast<int>(thread.arguments[1])));
  return answer(-ENOPROTOOPT);
}

bool is_timeout(int level, int option) {
  return level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
}

Outcome set_timeout(Thread& thread, InternetSocket& socket, int option) {
  if (static_cast<std::uint32_t>(thread.arguments[4]) < sizeof(timeval)) return answer(-EINVAL);
  const auto limit = read_value<timeval>(thread.tid, thread.arguments[3]);
  if (!limit) return answer(-EFAULT);
  if (limit->tv_usec < 0 || limit->tv_usec >= 1'000'000) return answer(-EDOM);
  (option == SO_RCVTIMEO ? socket.receive_timeout : socket.send_timeout) =
      limit->tv_sec < 0 ? HostTime(0) : to_duration({limit->tv_sec, limit->tv_usec * 1000});
  return answer(0);
}

Outcome setsockopt_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const auto socket = internet_of(descriptor);
  if (socket == nullptr) return descriptor.special == nullptr ? native() : answer(-ENOTSOCK);
  const int level = static_cast<int>(thread.arguments[1]);
  const int option = static_cast<int>(thread.arguments[2]);
  const auto length = static_cast<std::uint32_t>(thread.arguments[4]);
  if (is_timeout(level, option)) return set_timeout(thread, *socket, option);
  if (level == SOL_SOCKET && option == SO_LINGER) {
    if (length < sizeof(linger)) return answer(-EINVAL);
    const auto wanted = read_value<linger>(thread.tid, thread.arguments[3]);
    if (!wanted) return answer(-EFAULT);
    if (const auto stream = stream_of(descriptor)) {
      stream->linger = wanted->l_onoff != 0 ? std::optional<int>(wanted->l_linger) : std::nullopt;
    }
    return answer(0);
  }
  if (level == IPPROTO_TCP && option == TCP_CONGESTION && stream_of(descriptor) != nullptr) {
    return answer(0);  // there is nothing to be congested
  }
  const bool is_multicast =
      level == IPPROTO_IP && (option == IP_ADD_MEMBERSHIP || option == IP_MULTICAST_IF);
  if (is_multicast || (level == IPPROTO_IPV6 && option == IPV6_JOIN_GROUP)) {
    supervisor.note("a program wants multicast, which this network does not have");
    return answer(option == IP_MULTICAST_IF ? -EADDRNOTAVAIL : -ENODEV);
  }
  // Options of level IP may be a byte.
  std::int32_t value = 0;
  if (length < sizeof value && (level != IPPROTO_IP || length == 0)) return answer(-EINVAL);
  const std::size_t bytes = length < sizeof value ? 1 : sizeof value;
  if (!read_memory(thread.tid, thread.arguments[3], &value, bytes)) return answer(-EFAULT);
  const bool is_too_late =
      level == IPPROTO_IPV6 && option == IPV6_V6ONLY && socket->local.port != 0;
  if (is_too_late && socket->family == AF_INET6) return answer(-EINVAL);
  const long result = socket->options.set(socket->type(), level, option, value);
  const auto stream = stream_of(descriptor);
  if (stream != nullptr && level == SOL_SOCKET && option == SO_SNDBUF && result == 0) {
    setsockopt(descriptor.handle.get(), SOL_SOCKET, SO_SNDBUF, &value, sizeof value);
  }
  if (stream != nullptr && result == 0) supervisor.network().fit_buffers(*stream);
  return result == -ENOPROTOOPT ? unknown_option(supervisor, thread) : answer(result);
}

/// What is asked for by number; nothing: it is not known.
std::optional<int> option_of(const Descriptor& descriptor, InternetSocket& socket, int level,
                             int option) {
  const auto stream = stream_of(descriptor);
  if (level != SOL_SOCKET) return socket.options.get(socket.type(), level, option);
  switch (option) {
    case SO_ERROR: {
      int error = 0;  // the kernel knows of connections that were reset
      socklen_t size = sizeof error;
      getsockopt(descriptor.handle.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (stream != nullptr && stream->error != 0) return std::exchange(stream->error, 0);
      if (const auto datagram = datagram_of(descriptor); datagram != nullptr) {
        return std::exchange(datagram->error, 0);
      }
      return error;
    }
    case SO_TYPE:
      return stream != nullptr ? SOCK_STREAM : SOCK_DGRAM;
    case SO_DOMAIN:
      return socket.family;
    case SO_PROTOCOL:
      return socket.protocol;
    case SO_ACCEPTCONN:
      return stream != nullptr && stream->state == StreamSocket::State::listening ? 1 : 0;
    default:
      return socket.options.get(socket.type(), level, option);
  }
}

/// As many bytes as there is room for.
Outcome give_option(Thread& thread, const void* value, std::size_t size) {
  const auto room = read_value<socklen_t>(thread.tid, thread.arguments[4]);
  if (!room) return answer(-EFAULT);
  if (static_cast<int>(*room) < 0) return answer(-EINVAL);
  const auto given = static_cast<socklen_t>(std::min<std::size_t>(*room, size));
  if (!write_memory(thread.tid, thread.arguments[3], value, given)) return answer(-EFAULT);
  write_value(thread.tid, thread.arguments[4], given);
  return answer(0);
}

Outcome getsockopt_call(Supervisor& supervisor, Thread& thread) {
  const Descriptor descriptor = supervisor.descriptor(thread, descriptor_argument(thread, 0));
  const auto socket = internet_of(descriptor);
  if (socket == nullptr) return descriptor.special == nullptr ? native() : answer(-ENOTSOCK);
  const int level = static_cast<int>(thread.arguments[1]);
  const int option = static_cast<int>(thread.arguments[2]);
  const auto stream = stream_of(descriptor);
  if (is_timeout(level, option)) {
    const timespec limit =
        to_timespec(option == SO_RCVTIMEO ? socket->receive_timeout : socket->send_timeout);
    const timeval value{limit.tv_sec, limit.tv_nsec / 1000};
    return give_option(thread, &value, sizeof value);
  }
  if (level == SOL_SOCKET && option == SO_LINGER) {
    const bool is_on = stream != nullptr && stream->linger.has_value();
    const linger value{is_on ? 1 : 0, is_on ? *stream->linger : 0};
    return give_option(thread, &value, sizeof value);
  }
  if (stream != nullptr && level == IPPROTO_TCP && option == TCP_CONGESTION) {
    constexpr std::array<char, 16> kName{"cubic"};
    return give_option(thread, kName.data(), kName.size());
  }
  if (stream != nullptr && level == IPPROTO_TCP && option == TCP_INFO) {
    tcp_info info{};
    info.tcpi_state = stream->state == StreamSocket::State::connected    ? TCP_ESTABLISHED
                      : stream->state == StreamSocket::State::listening  ? TCP_LISTEN
                      : stream->state == StreamSocket::State::connecting ? TCP_SYN_SENT
                                                                         : TCP_CLOSE;
    return give_option(thread, &info, sizeof info);
  }
  const auto value = option_of(descriptor, *socket, level, option);
  if (value) return give_option(thread, &*value, sizeof *value);
  // IPv4 has a word of its own for what belongs to other protocols.
  const bool is_foreign = socket->family == AF_INET &&
                          (level == IPPROTO_IPV6 || (level == IPPROTO_TCP && stream == nullptr));
  return is_foreign ? answer(-EOPNOTSUPP) : unknown_option(supervisor, thread);
}

constexpr CallEntry kSocketCalls[] = {
    {SYS_socket, socket_call},         {SYS_bind, bind_call},
    {SYS_listen, listen_call},         {SYS_connect, connect_call},
    {SYS_shutdown, shutdown_call},     {SYS_accept, accept_call},
    {SYS_accept4, accept_call},        {SYS_getsockname, name_call},
    {SYS_getpeername, name_call},      {SYS_setsockopt, setsockopt_call},
    {SYS_getsockopt, getsockopt_call},
};

}  // namespace

std::span<const CallEntry> socket_calls() {
  return kSocketCalls;
}

}  // namespace dissensus::host
