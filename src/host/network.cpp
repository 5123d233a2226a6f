#include "host/network.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dissensus/digest.h"

#include "core/assert.h"
#include "host/supervisor.h"

namespace dissensus::host {

namespace {

/// Where a program does not ask for less.
constexpr std::size_t kWindow = 4u << 20;
constexpr int kBuffer = 1 << 20;
/// Between programs of one machine.
constexpr HostTime kLocalDelay = std::chrono::microseconds(20);
constexpr std::uint32_t kLoopback = 0x7f000001;

constexpr std::size_t index(Side side) {
  return static_cast<std::size_t>(side);
}
constexpr Side other(Side side) {
  return side == Side::connector ? Side::acceptor : Side::connector;
}

sockaddr_un local_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  DISSENSUS_ASSERT(path.size() < sizeof address.sun_path, "Network : a short path");
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

bool bind_to(int fd, const std::string& path) {
  const sockaddr_un address = local_address(path);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool connect_to(int fd, const std::string& path) {
  const sockaddr_un address = local_address(path);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

void set_buffer(int fd, int bytes) {
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

/// Of the addresses of both families, which ones a socket has.
bool has_ipv6(const InternetSocket& socket) {
  return socket.family == AF_INET6 && (socket.local.ip == 0 || socket.local.ip == kLoopback6);
}
bool has_ipv4(const InternetSocket& socket) {
  if (socket.family != AF_INET6) return true;
  if (socket.local.ip == kLoopback6) return false;
  return socket.local.ip != 0 || !socket.options.is_on(IPPROTO_IPV6, IPV6_V6ONLY);
}

bool may_share(const InternetSocket& a, const InternetSocket& b, int option) {
  return a.options.is_on(SOL_SOCKET, option) && b.options.is_on(SOL_SOCKET, option);
}

}  // namespace

bool InternetSocket::takes(std::uint32_t ip) const {
  const bool is_family = ip == kLoopback6 ? has_ipv6(*this) : has_ipv4(*this);
  return is_family && (local.ip == 0 || local.ip == ip);
}

bool InternetSocket::has_mapped_address() const {
  return family == AF_INET6 && local.ip != 0 && local.ip != kLoopback6;
}

int InternetSocket::unreachable(std::uint32_t ip) const {
  if (ip == kLoopback6) return has_mapped_address() ? EAFNOSUPPORT : 0;
  const bool is_closed = family == AF_INET6 && options.is_on(IPPROTO_IPV6, IPV6_V6ONLY);
  return is_closed ? ENETUNREACH : 0;
}

bool InternetSocket::overlaps(const InternetSocket& other) const {
  const bool is_meeting =
      (has_ipv4(*this) && has_ipv4(other)) || (has_ipv6(*this) && has_ipv6(other));
  return machine == other.machine && local.port == other.local.port && is_meeting &&
         (local.ip == other.local.ip || local.ip == 0 || other.local.ip == 0);
}

std::string to_string(const Endpoint& endpoint) {
  return fmt::format("{}.{}.{}.{}:{}", endpoint.ip >> 24, endpoint.ip >> 16 & 255,
                     endpoint.ip >> 8 & 255, endpoint.ip & 255, endpoint.port);
}

std::uint32_t address_of(MachineId machine) {
  const auto number = static_cast<std::uint32_t>(machine) + 10;
  return 0x7f000000U | (number / 250) << 8 | number % 250;
}

Network::Network(Supervisor& supervisor) : supervisor_(supervisor) {
  hub_ = Handle(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ready_ = Handle(epoll_create1(EPOLL_CLOEXEC));
  if (!hub_ || !ready_ || !bind_to(hub_.get(), path("hub")) || ::listen(hub_.get(), 64) != 0) {
    throw OutsideError(fmt::format("no network for the programs: {}", std::strerror(errno)));
  }
}

Network::~Network() = default;

std::string Network::path(const std::string& name) const {
  return supervisor_.sandbox().root() + "/net/" + name;
}

MachineId Network::machine_of(std::uint32_t ip, MachineId asking) const {
  if (ip == 0 || ip == kLoopback || ip == kLoopback6) return asking;
  for (std::size_t i = 0; i < supervisor_.plan().machines.size(); ++i) {
    if (address_of(static_cast<MachineId>(i)) == ip) return static_cast<MachineId>(i);
  }
  return UINT16_MAX;
}

std::uint16_t Network::free_port(MachineId machine) {
  std::uint16_t& next = ports_.try_emplace(machine, std::uint16_t{40000}).first->second;
  if (next >= 60000) next = 40000;
  return next++;
}

// ---- stream sockets

std::shared_ptr<StreamSocket> Network::find_listener(MachineId machine, const Endpoint& to,
                                                     const Endpoint& from) const {
  std::vector<std::shared_ptr<StreamSocket>> found;
  for (const auto& weak : bound_) {
    auto socket = weak.lock();
    if (socket == nullptr || socket->machine != machine || socket->local.port != to.port ||
        socket->state != StreamSocket::State::listening || !socket->takes(to.ip)) {
      continue;
    }
    // Who asked for this address comes before those who take any.
    const bool is_closer = !found.empty() && found.front()->local.ip == 0 && socket->local.ip != 0;
    const bool is_farther = !found.empty() && found.front()->local.ip != 0 && socket->local.ip == 0;
    if (is_closer) found.clear();
    if (!is_farther) found.push_back(std::move(socket));
  }
  // Several share the port (SO_REUSEPORT): the same caller is always sent to the same one.
  return found.empty() ? nullptr : found[mix64(from.ip, from.port) % found.size()];
}

bool Network::is_listening(MachineId machine, std::uint16_t port) const {
  return find_listener(machine, {address_of(machine), port}, {}) != nullptr;
}

void Network::forget_closed_sockets(MachineId machine) {
  const auto is_here = [machine](const auto& weak) {
    const auto socket = weak.lock();
    return socket == nullptr || socket->machine == machine;
  };
  const bool has_any = std::any_of(datagrams_.begin(), datagrams_.end(), is_here) ||
                       std::any_of(bound_.begin(), bound_.end(), is_here);
  if (!has_any) return;
  const std::set<std::uint64_t> open = supervisor_.open_sockets(machine);
  const auto is_closed = [&](const auto& weak) {
    const auto socket = weak.lock();
    return socket == nullptr || (socket->machine == machine && !open.contains(socket->inode));
  };
  std::erase_if(bound_, is_closed);
  std::erase_if(datagrams_, is_closed);
}

bool Network::is_taken(const StreamSocket& socket) const {
  const bool is_listening = socket.state == StreamSocket::State::listening;
  return std::any_of(bound_.begin(), bound_.end(), [&](const auto& weak) {
    const auto known = weak.lock();
    if (known == nullptr || known.get() == &socket || !known->overlaps(socket)) return false;
    if (may_share(*known, socket, SO_REUSEPORT)) return false;
    const bool is_known_listening = known->state == StreamSocket::State::listening;
    if (is_listening) return is_known_listening;
    return is_known_listening || !may_share(*known, socket, SO_REUSEADDR);
  });
}

/// What the program asked for stays; what it was given may go. An address of IPv6 is no address of
/// IPv4, whatever was said before.
void Network::note_binding(InternetSocket& socket, const Endpoint& asked) {
  socket.has_own_port = asked.port != 0;
  socket.has_own_address = asked.ip != 0;
  if (socket.family == AF_INET6 && asked.ip == kLoopback6) {
    socket.options.set(socket.type(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  }
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
}

long Network::bind(const std::shared_ptr<StreamSocket>& shared, Endpoint local) {
  StreamSocket& socket = *shared;
  const bool is_unbound = socket.local.port == 0 && (socket.state == StreamSocket::State::fresh ||
                                                     socket.state == StreamSocket::State::failed);
  if (!is_unbound) return -EINVAL;
  if (local.ip != 0 && machine_of(local.ip, socket.machine) != socket.machine) {
    return -EADDRNOTAVAIL;
  }
  const Endpoint before = std::exchange(socket.local, local);
  if (local.port != 0 && is_taken(socket)) {
    forget_closed_sockets(socket.machine);
    if (is_taken(socket)) {
      socket.local = before;
      return -EADDRINUSE;
    }
  }
  note_binding(socket, local);
  if (socket.state == StreamSocket::State::fresh) socket.state = StreamSocket::State::bound;
  std::erase_if(bound_, [](const auto& weak) { return weak.expired(); });
  bound_.push_back(shared);
  return 0;
}

long Network::listen(const std::shared_ptr<StreamSocket>& shared, int program) {
  StreamSocket& socket = *shared;
  if (socket.state == StreamSocket::State::listening) return 0;
  if (socket.state == StreamSocket::State::fresh) bind(shared, {0, 0});
  if (socket.state != StreamSocket::State::bound) return -EINVAL;
  socket.state = StreamSocket::State::listening;
  if (is_taken(socket)) forget_closed_sockets(socket.machine);
  if (is_taken(socket)) {
    socket.state = StreamSocket::State::bound;
    return -EADDRINUSE;
  }
  socket.listen_path = fmt::format("l{}", names_++);
  if (!bind_to(program, path(socket.listen_path)) || ::listen(program, 4096) != 0) return -errno;
  return 0;
}

long Network::connect(const std::shared_ptr<StreamSocket>& shared, Handle program,
                      const Endpoint& to, ProgramId id) {
  StreamSocket& socket = *shared;
  const MachineId target = machine_of(to.ip, socket.machine);
  if (target == UINT16_MAX) return -ENETUNREACH;
  if (const int error = socket.unreachable(to.ip); error != 0) return -error;
  auto link = std::make_unique<Link>();
  link->info.id = static_cast<ConnectionId>(links_.size());
  link->info.program = id;
  link->info.from_machine = socket.machine;
  link->info.to_machine = target;
  link->is_local = target == socket.machine;
  link->info.to = to;
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
  if (socket.local.ip == 0) {
    socket.local.ip = link->info.to.ip == kLoopback || link->info.to.ip == kLoopback6
                          ? link->info.to.ip
                          : address_of(socket.machine);
  }
  link->info.from = socket.local;
  socket.peer = link->info.to;
  if (!connect_to(program.get(), path("hub"))) return -errno;
  Handle end(accept4(hub_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!end) return -errno;
  // Until there is an answer the program must not be able to write: its buffer is made small and
  // filled.
  set_buffer(program.get(), 1);
  while (::send(program.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) ++link->filler;
  link->program = std::move(program);
  link->sockets[index(Side::connector)] = shared;
  link->ends[index(Side::connector)] = std::move(end);
  socket.state = StreamSocket::State::connecting;
  socket.connection = link->info.id;
  links_.push_back(std::move(link));
  Link& made = *links_.back();
  if (made.is_local && (socket.is_shut_for_reading || socket.is_shut_for_writing)) {
    answer(made.info.id, knock(made.info.id));  // it shows as ready from the beginning
  } else if (made.is_local) {
    supervisor_.at(supervisor_.now() + kLocalDelay, [this, number = made.info.id] {
      const bool is_accepted = knock(number);
      answer(number, is_accepted);
    });
  } else {
    supervisor_.record_message(id, mix64(made.info.to.ip, made.info.to.port));
    supervisor_.listener().on_connect(made.info);
  }
  return 0;
}

std::optional<ConnectionId> Network::dial(const Endpoint& from, MachineId machine,
                                          std::uint16_t port) {
  if (!is_listening(machine, port)) return std::nullopt;
  auto link = std::make_unique<Link>();
  link->info.id = static_cast<ConnectionId>(links_.size());
  link->info.program = kOwnerProgram;
  link->info.from_machine = kOwnerMachine;
  link->info.to_machine = machine;
  link->info.from = from;
  link->info.to = {address_of(machine), port};
  links_.push_back(std::move(link));
  const ConnectionId id = links_.back()->info.id;
  if (!knock(id)) return std::nullopt;
  return id;
}

bool Network::knock(ConnectionId id) {
  Link& link = *links_.at(id);
  const auto listener = find_listener(link.info.to_machine, link.info.to, link.info.from);
  if (listener == nullptr) {
    link.is_own = link.is_local && link.info.to.ip == link.info.from.ip &&
                  link.info.to.port == link.info.from.port;
    return link.is_own;
  }
  Handle end(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!connect_to(end.get(), path(listener->listen_path))) {
    // The program has closed it, or does not take any more.
    if (errno == ECONNREFUSED) {
      std::erase_if(bound_, [&](const auto& weak) { return weak.lock() == listener; });
    }
    return false;
  }
  set_buffer(end.get(), listener->options.asked(SOL_SOCKET, SO_RCVBUF).value_or(kBuffer));
  link.ends[index(Side::acceptor)] = std::move(end);
  listener->arrived.push_back(id);
  watch(link, Side::acceptor, true);
  return true;
}

void Network::answer(ConnectionId id, bool accepted) {
  Link& link = *links_.at(id);
  Handle& end = link.ends[index(Side::connector)];
  const auto socket = link.sockets[index(Side::connector)].lock();
  if (socket == nullptr || !end) return;
  if (!accepted) {
    fail(link, ECONNREFUSED);
    return;
  }
  std::array<char, 8192> filler{};
  while (link.filler > 0) {
    const ssize_t got = recv(end.get(), filler.data(), std::min(filler.size(), link.filler), 0);
    if (got <= 0) break;
    link.filler -= static_cast<std::size_t>(got);
  }
  set_buffer(link.program.get(), socket->options.asked(SOL_SOCKET, SO_SNDBUF).value_or(kBuffer));
  fit_buffers(link, Side::connector);
  link.program = Handle();
  socket->state = StreamSocket::State::connected;
  watch(link, Side::connector, true);
}

void Network::give_up(ConnectionId id) {
  fail(*links_.at(id), ETIMEDOUT);
}

/// Closing our end with bytes unread makes an error of the program's, which it then asks us about.
void Network::fail(Link& link, int error) {
  if (const auto socket = link.sockets[index(Side::connector)].lock()) {
    socket->state = StreamSocket::State::failed;
    socket->error = error;
    socket->is_shut_for_reading = socket->is_shut_for_writing = true;
    if (!socket->has_own_port) socket->local.port = 0;
  }
  link.ends[index(Side::connector)] = Handle();
  link.program = Handle();
}

std::shared_ptr<StreamSocket> Network::accepted(StreamSocket& listener) {
  if (listener.arrived.empty()) return nullptr;
  Link& link = *links_.at(listener.arrived.front());
  const Connection& info = link.info;
  listener.arrived.pop_front();
  link.is_accepted = true;
  auto socket = listener.made_alike();
  link.sockets[index(Side::acceptor)] = socket;
  socket->state = StreamSocket::State::connected;
  socket->connection = info.id;
  socket->local = info.to;
  socket->peer = info.from;
  fit_buffers(link, Side::acceptor);
  return socket;
}

std::size_t Network::window_of(const Link& link, Side side) {
  const auto socket = link.sockets[index(side)].lock();
  const auto asked =
      socket == nullptr ? std::nullopt : socket->options.asked(SOL_SOCKET, SO_SNDBUF);
  return asked ? static_cast<std::size_t>(*asked) : kWindow;
}

/// What has arrived and was not read is in our end's buffer.
void Network::fit_buffers(Link& link, Side side) {
  const auto socket = link.sockets[index(side)].lock();
  const Handle& end = link.ends[index(side)];
  if (socket == nullptr || !end) return;
  set_buffer(end.get(), socket->options.asked(SOL_SOCKET, SO_RCVBUF).value_or(kBuffer));
}

void Network::fit_buffers(const StreamSocket& socket) {
  if (socket.state != StreamSocket::State::connected) return;
  Link& link = *links_.at(socket.connection);
  for (const Side side : {Side::connector, Side::acceptor}) {
    if (link.sockets[index(side)].lock().get() == &socket) fit_buffers(link, side);
  }
}

// ---- bytes

void Network::watch(Link& link, Side side, bool is_on) {
  epoll_event event{};
  event.events = is_on ? EPOLLIN | EPOLLRDHUP : 0;
  event.data.u64 = std::uint64_t{link.info.id} * 2 + index(side);
  const int fd = link.ends[index(side)].get();
  if (epoll_ctl(ready_.get(), EPOLL_CTL_MOD, fd, &event) != 0) {
    epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &event);
  }
}

bool Network::drain() {
  bool any = false;
  std::array<epoll_event, 128> events{};
  const int count = epoll_wait(ready_.get(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<std::uint64_t> ready;
  for (int i = 0; i < count; ++i) {
    // A copy: the kernel's structure is packed, and a reference into it would be misaligned.
    const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
    ready.push_back(number);
  }
  std::sort(ready.begin(), ready.end());
  for (const std::uint64_t number : ready) {
    any = take_from(*links_[number / 2], static_cast<Side>(number % 2)) || any;
  }
  const std::vector<std::size_t> backlogged = std::move(backlogged_);
  backlogged_.clear();
  for (const std::size_t number : backlogged) {
    flush(*links_[number], Side::connector);
    flush(*links_[number], Side::acceptor);
  }
  for (const auto& weak : datagrams_) {
    if (const auto socket = weak.lock(); socket != nullptr && !socket->backlog.empty()) {
      flush(*socket);
    }
  }
  return any;
}

bool Network::take_from(Link& link, Side side) {
  Handle& end = link.ends[index(side)];
  Direction& direction = link.directions[index(side)];
  if (!end || direction.has_ended) return false;
  std::string bytes;
  std::array<char, 65536> piece;
  bool is_end = false;
  bool is_reset = false;
  const std::size_t window = window_of(link, side);
  while (direction.under_way + bytes.size() < window) {
    const std::size_t room = window - direction.under_way - bytes.size();
    const ssize_t got = recv(end.get(), piece.data(), std::min(room, piece.size()), MSG_DONTWAIT);
    if (got > 0) {
      bytes.append(piece.data(), static_cast<std::size_t>(got));
      continue;
    }
    is_end = got == 0 || errno != EAGAIN;
    is_reset = got < 0 && errno == ECONNRESET;  // closed with something unread
    break;
  }
  const bool has_news = !bytes.empty() || is_end;
  // The other side has closed: this is taken, as by Linux, and reaches nobody.
  if (!bytes.empty() && link.directions[index(other(side))].end_gone) {
    supervisor_.record_message(link.info.program, digest_of_text(bytes).low);
    direction.under_way += bytes.size();  // until the sender learns of it
    bytes.clear();
    bounce(link, side);
  }
  const bool was_stalled = link.is_stalled[index(side)];
  link.is_stalled[index(side)] = direction.under_way + bytes.size() >= window && !is_end;
  if (link.is_stalled[index(side)] != was_stalled && !is_end) {
    watch(link, side, !link.is_stalled[index(side)]);
  }
  if (!bytes.empty()) tell_bytes(link, side, std::move(bytes));
  if (is_end) {
    pollfd state{end.get(), POLLIN | POLLRDHUP, 0};
    poll(&state, 1, 0);
    const bool is_gone = (state.revents & POLLHUP) != 0;
    const auto socket = link.sockets[index(side)].lock();
    const bool has_no_patience = socket != nullptr && socket->linger == 0;
    const bool is_refused = side == Side::acceptor && !link.is_accepted;  // with its listener
    direction.is_reset = is_reset || (is_gone && (has_no_patience || is_refused));
    epoll_ctl(ready_.get(), EPOLL_CTL_DEL, end.get(), nullptr);
    if (is_gone) end = Handle();
    direction.has_ended = true;
    tell_end(link, side, is_gone);
  }
  return has_news;
}

void Network::tell_bytes(Link& link, Side from, std::string bytes) {
  const std::uint64_t hash =
      mix64(std::uint64_t{link.info.id} * 2 + index(from), 1) ^ digest_of_text(bytes).low;
  supervisor_.record_message(link.info.program, hash);
  // The owner takes everything at once.
  if (link.info.from_machine != kOwnerMachine && !link.is_own)
    link.directions[index(from)].under_way += bytes.size();
  if (link.is_local) {
    supervisor_.at(supervisor_.now() + kLocalDelay,
                   [this, id = link.info.id, from, moved = std::move(bytes)] {
                     deliver(id, other(from), moved);
                   });
  } else {
    supervisor_.listener().on_bytes(link.info, from, std::move(bytes));
  }
}

void Network::tell_end(Link& link, Side from, bool is_gone) {
  supervisor_.record_message(link.info.program,
                             mix64(std::uint64_t{link.info.id} * 2 + index(from), is_gone ? 3 : 2));
  if (link.is_local) {
    supervisor_.at(supervisor_.now() + kLocalDelay, [this, id = link.info.id, from, is_gone] {
      deliver_end(id, other(from), is_gone);
    });
  } else {
    supervisor_.listener().on_end(link.info, from, is_gone);
  }
}

void Network::deliver(ConnectionId id, Side to, std::string_view bytes) {
  Link& link = *links_.at(id);
  if (link.is_own) to = Side::connector;
  Direction& direction = link.directions[index(other(to))];
  if (link.info.from_machine == kOwnerMachine) {
    supervisor_.record_message(kOwnerProgram, mix64(id, 4) ^ digest_of_text(bytes).low);
  }
  direction.backlog.emplace_back(bytes);
  flush(link, to);
}

void Network::deliver_end(ConnectionId id, Side to, bool gone) {
  Link& link = *links_.at(id);
  if (link.is_own) to = Side::connector;
  Direction& direction = link.directions[index(other(to))];
  direction.end_arrived = true;
  direction.end_gone = direction.end_gone || gone;
  flush(link, to);
}

/// Writes what has arrived into the program's buffer, as far as there is room.
void Network::flush(Link& link, Side to) {
  Direction& direction = link.directions[index(other(to))];
  Handle& end = link.ends[index(to)];
  const auto arrived = [&](std::size_t bytes) {
    direction.under_way -= std::min(bytes, direction.under_way);
    const Side sender = other(to);
    if (link.is_stalled[index(sender)] && direction.under_way < window_of(link, sender) / 2) {
      link.is_stalled[index(sender)] = false;
      if (link.ends[index(sender)]) watch(link, sender, true);
    }
  };
  while (!direction.backlog.empty()) {
    std::string& bytes = direction.backlog.front();
    const ssize_t sent =
        end ? ::send(end.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) : -1;
    if (sent < 0 && end && errno == EAGAIN) {
      backlogged_.push_back(link.info.id);
      return;
    }
    if (sent < 0) {  // nobody is there any more
      bounce(link, other(to));
      direction.backlog.clear();
      break;
    }
    arrived(static_cast<std::size_t>(sent));
    bytes.erase(0, static_cast<std::size_t>(sent));
    if (bytes.empty()) direction.backlog.pop_front();
  }
  if (!direction.end_arrived || !end) return;
  if (direction.end_gone && direction.is_reset) {
    reset(link, to);
  } else {
    shutdown(end.get(), SHUT_WR);
  }
}

void Network::bounce(Link& link, Side side) {
  if (!link.ends[index(side)]) return;
  supervisor_.at(supervisor_.now() + kLocalDelay,
                 [this, id = link.info.id, side] { reset(*links_.at(id), side); });
}

/// The program finds that the connection is gone. Where it had been told of the end before, reading
/// goes on to find the end; otherwise it fails once (ECONNRESET), as the kernel lets it if our end
/// is closed with bytes unread.
void Network::reset(Link& link, Side side) {
  Handle& end = link.ends[index(side)];
  if (!end) return;
  const Direction& direction = link.directions[index(other(side))];
  const bool knows_end = direction.end_arrived && !direction.is_reset;
  if (knows_end) {
    std::array<char, 4096> lost{};
    while (recv(end.get(), lost.data(), lost.size(), MSG_DONTWAIT) > 0) {
    }
  } else if (const auto socket = link.sockets[index(side)].lock()) {
    const Handle program = supervisor_.find_descriptor(socket->machine, socket->inode);
    if (program) ::send(program.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    socket->is_reset = true;
  }
  epoll_ctl(ready_.get(), EPOLL_CTL_DEL, end.get(), nullptr);
  end = Handle();
  link.directions[index(side)].has_ended = true;
}

// ---- datagrams

bool Network::pair_up(int program, DatagramSocket& socket) {
  Handle& end = socket.end;
  end = Handle(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const std::string ours = path(fmt::format("s{}", names_));
  socket.program_path = path(fmt::format("p{}", names_++));
  const bool is_paired = end && bind_to(end.get(), ours) && bind_to(program, socket.program_path) &&
                         connect_to(end.get(), socket.program_path) && connect_to(program, ours);
  unlink(ours.c_str());
  return is_paired;
}

void Network::add(const std::shared_ptr<DatagramSocket>& socket) {
  std::erase_if(datagrams_, [](const auto& weak) { return weak.expired(); });
  datagrams_.push_back(socket);
}

bool Network::is_taken(const DatagramSocket& socket) const {
  return std::any_of(datagrams_.begin(), datagrams_.end(), [&](const auto& weak) {
    const auto known = weak.lock();
    return known != nullptr && known.get() != &socket && known->local.port != 0 &&
           known->overlaps(socket) && !may_share(*known, socket, SO_REUSEADDR) &&
           !may_share(*known, socket, SO_REUSEPORT);
  });
}

long Network::bind(DatagramSocket& socket, const Endpoint& local) {
  if (socket.local.port != 0) return -EINVAL;
  if (local.ip != 0 && machine_of(local.ip, socket.machine) != socket.machine) {
    return -EADDRNOTAVAIL;
  }
  const Endpoint before = std::exchange(socket.local, local);
  if (local.port != 0 && is_taken(socket)) {
    forget_closed_sockets(socket.machine);
    if (is_taken(socket)) {
      socket.local = before;
      return -EADDRINUSE;
    }
  }
  note_binding(socket, local);
  return 0;
}

long Network::connect(DatagramSocket& socket, const Endpoint& peer) {
  const MachineId target = machine_of(peer.ip, socket.machine);
  if (target == UINT16_MAX) return -ENETUNREACH;
  if (const int error = socket.unreachable(peer.ip); error != 0) return -error;
  give_port(socket);
  socket.peer = peer;
  if (!socket.has_own_address) {
    const bool is_loopback = peer.ip == kLoopback || peer.ip == kLoopback6;
    socket.local.ip = is_loopback ? peer.ip : address_of(socket.machine);
  }
  return 0;
}

void Network::give_port(DatagramSocket& socket) {
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
}

void Network::disconnect(DatagramSocket& socket) {
  socket.peer.reset();
  if (!socket.has_own_port) socket.local.port = 0;
  if (!socket.has_own_address) socket.local.ip = 0;
}

long Network::send(DatagramSocket& socket, const Endpoint& to, std::string bytes, std::uint8_t hops,
                   std::uint8_t traffic_class) {
  if (to.port == 0) return -EINVAL;
  const MachineId target = machine_of(to.ip, socket.machine);
  if (target == UINT16_MAX) return -ENETUNREACH;
  if (const int error = socket.unreachable(to.ip); error != 0) return -error;
  if (bytes.size() > 65507) return -EMSGSIZE;
  give_port(socket);
  Datagram datagram;
  datagram.to = to;
  datagram.from = socket.local;
  if (datagram.from.ip == 0) {
    const bool is_loopback = datagram.to.ip == kLoopback || datagram.to.ip == kLoopback6;
    datagram.from.ip = is_loopback ? datagram.to.ip : address_of(socket.machine);
  }
  datagram.from_machine = socket.machine;
  datagram.to_machine = target;
  datagram.hops = hops;
  datagram.traffic_class = traffic_class;
  const auto size = static_cast<long>(bytes.size());
  supervisor_.record_message(socket.machine,
                             mix64(to.port, datagram.from.port) ^ digest_of_text(bytes).low);
  datagram.bytes = std::move(bytes);
  if (target == socket.machine && !has_taker(datagram)) {
    refuse(datagram);
  } else if (target == socket.machine) {
    supervisor_.at(supervisor_.now() + kLocalDelay,
                   [this, moved = std::move(datagram)] { deliver(moved); });
  } else {
    supervisor_.listener().on_datagram(std::move(datagram));
  }
  return size;
}

namespace {

bool takes(const DatagramSocket& socket, const Datagram& datagram) {
  if (socket.machine != datagram.to_machine || socket.local.port != datagram.to.port ||
      !socket.takes(datagram.to.ip)) {
    return false;
  }
  return !socket.peer || (socket.peer->port == datagram.from.port &&
                          (socket.peer->ip == 0 || socket.peer->ip == datagram.from.ip));
}

}  // namespace

bool Network::has_taker(const Datagram& datagram) const {
  return std::any_of(datagrams_.begin(), datagrams_.end(), [&](const auto& weak) {
    const auto socket = weak.lock();
    return socket != nullptr && takes(*socket, datagram);
  });
}

void Network::deliver(const Datagram& datagram) {
  for (const auto& weak : datagrams_) {
    const auto socket = weak.lock();
    if (socket == nullptr || !takes(*socket, datagram)) continue;
    if (socket->backlog.size() < 256) {
      socket->backlog.emplace_back(
          Arrival{datagram.from, datagram.to, datagram.hops, datagram.traffic_class},
          datagram.bytes);
    }
    if (flush(*socket)) return;
  }
  refuse(datagram);
}

/// Nobody is there: a sender that is connected to that address learns of it, at once. The kernel
/// makes an error of the program's when our end leaves it with something unread.
void Network::refuse(const Datagram& datagram) {
  for (const auto& weak : datagrams_) {
    const auto socket = weak.lock();
    if (socket == nullptr || socket->machine != datagram.from_machine || !socket->peer ||
        socket->local.port != datagram.from.port || socket->peer->port != datagram.to.port ||
        socket->peer->ip != datagram.to.ip) {
      continue;
    }
    socket->error = ECONNREFUSED;
    const Handle program = supervisor_.find_descriptor(socket->machine, socket->inode);
    if (program) ::send(program.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    ::connect(socket->end.get(), &nobody, sizeof nobody);
    connect_to(socket->end.get(), socket->program_path);
    return;
  }
}

bool Network::flush(DatagramSocket& socket) {
  while (!socket.backlog.empty()) {
    const auto& [arrival, bytes] = socket.backlog.front();
    if (::send(socket.end.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno == EAGAIN) return true;
      socket.backlog.clear();
      return false;
    }
    socket.arrived.push_back(arrival);
    socket.backlog.pop_front();
  }
  return true;
}

}  // namespace dissensus::host
