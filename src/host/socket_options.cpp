#include "host/socket_options.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/socket.h>

namespace dissensus::host {

namespace {

/// What a value becomes when it is set.
enum class Form : std::uint8_t {
  flag,    ///< 0 or 1
  number,  ///< within bounds
  buffer,  ///< doubled, as Linux does
  fixed,   ///< can only be asked for
};
enum class For : std::uint8_t { all, streams, datagrams };

struct Row {
  int level;
  int option;
  For sockets;
  Form form;
  int initial;
  int min = 0;
  int max = INT32_MAX;
};

constexpr int kIpv6 = IPPROTO_IPV6;
constexpr int kBufferMax = 212'992;

/// None of these changes what our network does, but for the addresses that a socket takes, how it
/// ends (SO_LINGER) and what is told with a datagram.
constexpr Row kRows[] = {
    {SOL_SOCKET, SO_REUSEADDR, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_REUSEPORT, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_KEEPALIVE, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_BROADCAST, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_OOBINLINE, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_DONTROUTE, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_NO_CHECK, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_RXQ_OVFL, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_ZEROCOPY, For::all, Form::flag, 0},
    {SOL_SOCKET, SO_PRIORITY, For::all, Form::number, 0, 0, 6},
    {SOL_SOCKET, SO_RCVLOWAT, For::all, Form::number, 1},
    {SOL_SOCKET, SO_SNDLOWAT, For::all, Form::fixed, 1},
    {SOL_SOCKET, SO_SNDBUF, For::all, Form::buffer, kBufferMax, 2304},
    {SOL_SOCKET, SO_RCVBUF, For::all, Form::buffer, kBufferMax, 1152},
    {SOL_SOCKET, SO_BUSY_POLL, For::all, Form::number, 0, 0, 0},
    {SOL_SOCKET, SO_INCOMING_CPU, For::all, Form::number, 0},
    {IPPROTO_TCP, TCP_NODELAY, For::streams, Form::flag, 0},
    {IPPROTO_TCP, TCP_CORK, For::streams, Form::flag, 0},
    {IPPROTO_TCP, TCP_QUICKACK, For::streams, Form::flag, 1},
    {IPPROTO_TCP, TCP_MAXSEG, For::streams, Form::number, 1448, 88, 32767},
    {IPPROTO_TCP, TCP_KEEPIDLE, For::streams, Form::number, 7200, 1, 32767},
    {IPPROTO_TCP, TCP_KEEPINTVL, For::streams, Form::number, 75, 1, 32767},
    {IPPROTO_TCP, TCP_KEEPCNT, For::streams, Form::number, 9, 1, 127},
    {IPPROTO_TCP, TCP_SYNCNT, For::streams, Form::number, 6, 1, 127},
    {IPPROTO_TCP, TCP_LINGER2, For::streams, Form::number, 60, INT32_MIN},
    {IPPROTO_TCP, TCP_DEFER_ACCEPT, For::streams, Form::number, 0},
    {IPPROTO_TCP, TCP_WINDOW_CLAMP, For::streams, Form::number, 0},
    {IPPROTO_TCP, TCP_USER_TIMEOUT, For::streams, Form::number, 0},
    {IPPROTO_TCP, TCP_FASTOPEN, For::streams, Form::number, 0},
    {IPPROTO_TCP, TCP_NOTSENT_LOWAT, For::streams, Form::number, 0},
    {IPPROTO_IP, IP_TOS, For::all, Form::number, 0, 0, 255},
    {IPPROTO_IP, IP_TTL, For::all, Form::number, 64, 1, 255},
    {IPPROTO_IP, IP_MULTICAST_TTL, For::datagrams, Form::number, 1, -1, 255},
    {IPPROTO_IP, IP_MULTICAST_LOOP, For::datagrams, Form::flag, 1},
    {IPPROTO_IP, IP_MULTICAST_ALL, For::datagrams, Form::flag, 1},
    {IPPROTO_IP, IP_PKTINFO, For::all, Form::flag, 0},
    {IPPROTO_IP, IP_RECVTOS, For::all, Form::flag, 0},
    {IPPROTO_IP, IP_RECVTTL, For::all, Form::flag, 0},
    {IPPROTO_IP, IP_RECVERR, For::all, Form::flag, 0},
    {IPPROTO_IP, IP_FREEBIND, For::all, Form::flag, 0},
    {IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, For::all, Form::flag, 0},
    {IPPROTO_IP, IP_MTU_DISCOVER, For::all, Form::number, 1, 0, 5},
    {kIpv6, IPV6_V6ONLY, For::all, Form::flag, 0},
    {kIpv6, IPV6_UNICAST_HOPS, For::all, Form::number, 64, -1, 255},
    {kIpv6, IPV6_MULTICAST_HOPS, For::all, Form::number, 1, -1, 255},
    {kIpv6, IPV6_MULTICAST_LOOP, For::all, Form::flag, 1},
    {kIpv6, IPV6_MULTICAST_IF, For::all, Form::number, 0},
    {kIpv6, IPV6_TCLASS, For::all, Form::number, 0, -1, 255},
    {kIpv6, IPV6_RECVPKTINFO, For::all, Form::flag, 0},
    {kIpv6, IPV6_RECVHOPLIMIT, For::all, Form::flag, 0},
    {kIpv6, IPV6_RECVTCLASS, For::all, Form::flag, 0},
    {kIpv6, IPV6_RECVERR, For::all, Form::flag, 0},
    {kIpv6, IPV6_DONTFRAG, For::all, Form::flag, 0},
    {kIpv6, IPV6_MTU_DISCOVER, For::all, Form::number, 1, 0, 5},
    {IPPROTO_UDP, UDP_CORK, For::datagrams, Form::flag, 0},
    {IPPROTO_UDPLITE, 10, For::datagrams, Form::number, 0},  // UDPLITE_SEND_CSCOV
    {IPPROTO_UDPLITE, 11, For::datagrams, Form::number, 0},  // UDPLITE_RECV_CSCOV
};

const Row* row_of(const SocketKind& kind, int level, int option) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& candidate) {
    return candidate.level == level && candidate.option == option;
  });
  if (row == std::end(kRows)) return nullptr;
  if (row->sockets == For::streams && !kind.is_stream) return nullptr;
  if (row->sockets == For::datagrams && kind.is_stream) return nullptr;
  if (level == kIpv6 && kind.family != AF_INET6) return nullptr;
  return row;
}

}  // namespace

long SocketOptions::set(const SocketKind& kind, int level, int option, int value) {
  const Row* row = row_of(kind, level, option);
  if (row == nullptr || row->form == Form::fixed) return -ENOPROTOOPT;
  switch (row->form) {
    case Form::flag:
      value = value != 0 ? 1 : 0;
      break;
    case Form::buffer:
      value = std::max(std::min(value < 0 ? kBufferMax : value, kBufferMax), row->min) * 2;
      break;
    case Form::number:
    case Form::fixed:
      if (value < row->min || value > row->max) {
        return option == SO_PRIORITY && level == SOL_SOCKET ? -EPERM : -EINVAL;
      }
      break;
  }
  values_[{level, option}] = value;
  return 0;
}

std::optional<int> SocketOptions::get(const SocketKind& kind, int level, int option) const {
  const Row* row = row_of(kind, level, option);
  if (row == nullptr) return std::nullopt;
  const auto found = values_.find({level, option});
  if (found == values_.end()) return row->initial;
  // "The default" is told as what it is.
  const bool is_default = found->second == -1 && row->min == -1;
  return is_default ? row->initial : found->second;
}

std::optional<int> SocketOptions::asked(int level, int option) const {
  const auto found = values_.find({level, option});
  return found == values_.end() ? std::nullopt : std::optional<int>(found->second);
}

bool SocketOptions::is_on(int level, int option) const {
  const auto found = values_.find({level, option});
  return found != values_.end() && found->second != 0;
}

}  // namespace dissensus::host
