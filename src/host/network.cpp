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

/// Bytes of one direction that may be under way before the sender has to wait, as in a TCP window.
constexpr std::size_t kWindow = 4u << 20;
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

bool endpoint_less(const std::pair<MachineId, Endpoint>& a,
                   const std::pair<MachineId, Endpoint>& b) {
  return std::tie(a.first, a.second.port, a.second.ip) <
         std::tie(b.first, b.second.port, b.second.ip);
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  return fmt::format("{}.{}.{}.{}:{}", endpoint.ip >> 24, endpoint.ip >> 16 & 255,
                     endpoint.ip >> 8 & 255, endpoint.ip & 255, endpoint.port);
}

std::uint32_t address_of(MachineId machine) {
  const auto number = static_cast<std::uint32_t>(machine) + 10;
  return 0x7f000000U | (number / 250) << 8 | number % 250;
}

Network::Network(Supervisor& supervisor) : supervisor_(supervisor), listeners_(endpoint_less) {
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
  if (ip == 0 || ip == kLoopback) return asking;
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

std::shared_ptr<StreamSocket> Network::find_listener(MachineId machine, std::uint16_t port,
                                                     bool from_machine_itself) const {
  for (const std::uint32_t ip : {address_of(machine), 0U, kLoopback}) {
    if (ip == kLoopback && !from_machine_itself) break;
    const auto found = listeners_.find({machine, {ip, port}});
    if (found == listeners_.end()) continue;
    if (auto listener = found->second.lock()) return listener;
  }
  return nullptr;
}

bool Network::is_listening(MachineId machine, std::uint16_t port) const {
  return find_listener(machine, port, false) != nullptr;
}

void Network::forget_closed_sockets(MachineId machine) {
  const auto is_here = [machine](const auto& weak) {
    const auto socket = weak.lock();
    return socket == nullptr || socket->machine == machine;
  };
  const bool has_any =
      std::any_of(datagrams_.begin(), datagrams_.end(), is_here) ||
      std::any_of(listeners_.begin(), listeners_.end(),
                  [machine](const auto& entry) { return entry.first.first == machine; });
  if (!has_any) return;
  const std::set<std::uint64_t> open = supervisor_.open_sockets(machine);
  const auto is_closed = [&](const auto& weak) {
    const auto socket = weak.lock();
    return socket == nullptr || (socket->machine == machine && !open.contains(socket->inode));
  };
  std::erase_if(listeners_, [&](const auto& entry) {
    return entry.first.first == machine && is_closed(entry.second);
  });
  std::erase_if(datagrams_, is_closed);
}

long Network::bind(StreamSocket& socket, Endpoint local) {
  if (socket.state != StreamSocket::State::fresh) return -EINVAL;
  if (local.ip != 0 && machine_of(local.ip, socket.machine) != socket.machine) {
    return -EADDRNOTAVAIL;
  }
  if (local.port != 0 && find_listener(socket.machine, local.port, true) != nullptr) {
    forget_closed_sockets(socket.machine);
    if (find_listener(socket.machine, local.port, true) != nullptr) return -EADDRINUSE;
  }
  socket.local = local;
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
  socket.state = StreamSocket::State::bound;
  return 0;
}

long Network::listen(const std::shared_ptr<StreamSocket>& shared, int program) {
  StreamSocket& socket = *shared;
  if (socket.state == StreamSocket::State::listening) return 0;
  if (socket.state == StreamSocket::State::fresh) bind(socket, {0, 0});
  if (socket.state != StreamSocket::State::bound) return -EINVAL;
  socket.listen_path = fmt::format("l{}", names_++);
  if (!bind_to(program, path(socket.listen_path)) || ::listen(program, 4096) != 0) return -errno;
  socket.state = StreamSocket::State::listening;
  listeners_[{socket.machine, socket.local}] = shared;
  return 0;
}

long Network::connect(const std::shared_ptr<StreamSocket>& shared, Handle program,
                      const Endpoint& to, ProgramId id) {
  StreamSocket& socket = *shared;
  const MachineId target = machine_of(to.ip, socket.machine);
  if (target == UINT16_MAX) return -ENETUNREACH;
  auto link = std::make_unique<Link>();
  link->info.id = static_cast<ConnectionId>(links_.size());
  link->info.program = id;
  link->info.from_machine = socket.machine;
  link->info.to_machine = target;
  link->is_local = target == socket.machine;
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
  if (socket.local.ip == 0) {
    socket.local.ip = to.ip == kLoopback || to.ip == 0 ? kLoopback : address_of(socket.machine);
  }
  link->info.from = socket.local;
  link->info.to = {to.ip == 0 ? kLoopback : to.ip, to.port};
  socket.peer = link->info.to;
  if (!connect_to(program.get(), path("hub"))) return -errno;
  Handle end(accept4(hub_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!end) return -errno;
  // Until there is an answer the program must not be able to write: its buffer is made small and
  // filled.
  set_buffer(program.get(), 1);
  while (::send(program.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) ++link->filler;
  link->program = std::move(program);
  link->connector = shared;
  link->ends[index(Side::connector)] = std::move(end);
  socket.state = StreamSocket::State::connecting;
  socket.connection = link->info.id;
  links_.push_back(std::move(link));
  Link& made = *links_.back();
  if (made.is_local) {
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
  const auto listener = find_listener(link.info.to_machine, link.info.to.port, link.is_local);
  if (listener == nullptr) return false;
  Handle end(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!connect_to(end.get(), path(listener->listen_path))) {
    // The program has closed it, or does not take any more.
    if (errno == ECONNREFUSED) listeners_.erase({listener->machine, listener->local});
    return false;
  }
  set_buffer(end.get(), 1 << 20);
  link.ends[index(Side::acceptor)] = std::move(end);
  listener->arrived.push_back(id);
  watch(link, Side::acceptor, true);
  return true;
}

void Network::answer(ConnectionId id, bool accepted) {
  Link& link = *links_.at(id);
  Handle& end = link.ends[index(Side::connector)];
  const auto socket = link.connector.lock();
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
  set_buffer(end.get(), 1 << 20);
  set_buffer(link.program.get(), 1 << 20);
  link.program = Handle();
  socket->state = StreamSocket::State::connected;
  watch(link, Side::connector, true);
}

void Network::give_up(ConnectionId id) {
  fail(*links_.at(id), ETIMEDOUT);
}

/// Closing our end with bytes unread makes an error of the program's, which it then asks us about.
void Network::fail(Link& link, int error) {
  if (const auto socket = link.connector.lock()) {
    socket->state = StreamSocket::State::failed;
    socket->error = error;
  }
  link.ends[index(Side::connector)] = Handle();
  link.program = Handle();
}

std::unique_ptr<StreamSocket> Network::accepted(StreamSocket& listener) {
  if (listener.arrived.empty()) return nullptr;
  const Connection& info = links_.at(listener.arrived.front())->info;
  listener.arrived.pop_front();
  auto socket = std::make_unique<StreamSocket>();
  socket->family = listener.family;
  socket->machine = listener.machine;
  socket->state = StreamSocket::State::connected;
  socket->connection = info.id;
  socket->local = info.to;
  socket->peer = info.from;
  return socket;
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
  while (direction.under_way + bytes.size() < kWindow) {
    const ssize_t got = recv(end.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got > 0) {
      bytes.append(piece.data(), static_cast<std::size_t>(got));
      continue;
    }
    is_end = got == 0 || errno != EAGAIN;
    break;
  }
  const bool was_stalled = link.is_stalled[index(side)];
  link.is_stalled[index(side)] = direction.under_way + bytes.size() >= kWindow && !is_end;
  if (link.is_stalled[index(side)] != was_stalled && !is_end) {
    watch(link, side, !link.is_stalled[index(side)]);
  }
  if (!bytes.empty()) tell_bytes(link, side, std::move(bytes));
  if (is_end) {
    pollfd state{end.get(), POLLIN | POLLRDHUP, 0};
    poll(&state, 1, 0);
    const bool is_gone = (state.revents & POLLHUP) != 0;
    epoll_ctl(ready_.get(), EPOLL_CTL_DEL, end.get(), nullptr);
    if (is_gone) end = Handle();
    direction.has_ended = true;
    tell_end(link, side, is_gone);
  }
  return true;
}

void Network::tell_bytes(Link& link, Side from, std::string bytes) {
  const std::uint64_t hash =
      mix64(std::uint64_t{link.info.id} * 2 + index(from), 1) ^ digest_of_text(bytes).low;
  supervisor_.record_message(link.info.program, hash);
  // The owner takes everything at once.
  if (link.info.from_machine != kOwnerMachine)
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
  Direction& direction = link.directions[index(other(to))];
  if (link.info.from_machine == kOwnerMachine) {
    supervisor_.record_message(kOwnerProgram, mix64(id, 4) ^ digest_of_text(bytes).low);
  }
  direction.backlog.emplace_back(bytes);
  flush(link, to);
}

void Network::deliver_end(ConnectionId id, Side to, bool gone) {
  Link& link = *links_.at(id);
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
    if (link.is_stalled[index(sender)] && direction.under_way < kWindow / 2) {
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
      for (const std::string& lost : direction.backlog) arrived(lost.size());
      direction.backlog.clear();
      break;
    }
    arrived(static_cast<std::size_t>(sent));
    bytes.erase(0, static_cast<std::size_t>(sent));
    if (bytes.empty()) direction.backlog.pop_front();
  }
  if (!direction.end_arrived || !end) return;
  if (direction.end_gone) {
    take_from(link, to);  // what it wrote before it could know
    epoll_ctl(ready_.get(), EPOLL_CTL_DEL, end.get(), nullptr);
    end = Handle();
  } else {
    shutdown(end.get(), SHUT_WR);
  }
}

// ---- datagrams

bool Network::pair_up(int program, Handle& end) {
  end = Handle(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const std::string ours = path(fmt::format("s{}", names_));
  const std::string theirs = path(fmt::format("p{}", names_++));
  const bool is_paired = end && bind_to(end.get(), ours) && bind_to(program, theirs) &&
                         connect_to(end.get(), theirs) && connect_to(program, ours);
  unlink(ours.c_str());
  unlink(theirs.c_str());
  return is_paired;
}

void Network::add(const std::shared_ptr<DatagramSocket>& socket) {
  std::erase_if(datagrams_, [](const auto& weak) { return weak.expired(); });
  datagrams_.push_back(socket);
}

bool Network::is_taken(const DatagramSocket& socket, const Endpoint& local) const {
  return local.port != 0 &&
         std::any_of(datagrams_.begin(), datagrams_.end(), [&](const auto& weak) {
           const auto known = weak.lock();
           return known != nullptr && known.get() != &socket && known->machine == socket.machine &&
                  known->local.port == local.port && known->local.ip == local.ip;
         });
}

long Network::bind(DatagramSocket& socket, const Endpoint& local) {
  if (is_taken(socket, local)) {
    forget_closed_sockets(socket.machine);
    if (is_taken(socket, local)) return -EADDRINUSE;
  }
  socket.local = local;
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
  return 0;
}

long Network::connect(DatagramSocket& socket, const Endpoint& peer) {
  const MachineId target = machine_of(peer.ip, socket.machine);
  if (target == UINT16_MAX) return -ENETUNREACH;
  disconnect(socket);
  socket.peer = peer;
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
  if (socket.local.ip == 0) {
    const bool is_loopback = peer.ip == 0 || peer.ip == kLoopback;
    socket.local.ip = is_loopback ? kLoopback : address_of(socket.machine);
    socket.has_route_address = true;
  }
  return 0;
}

void Network::disconnect(DatagramSocket& socket) {
  socket.peer.reset();
  if (std::exchange(socket.has_route_address, false)) socket.local.ip = 0;
}

long Network::send(DatagramSocket& socket, const Endpoint& to, std::string bytes) {
  const MachineId target = machine_of(to.ip, socket.machine);
  if (target == UINT16_MAX) return -ENETUNREACH;
  if (bytes.size() > 65507) return -EMSGSIZE;
  if (socket.local.port == 0) socket.local.port = free_port(socket.machine);
  Datagram datagram;
  datagram.from = socket.local;
  if (datagram.from.ip == 0) {
    datagram.from.ip =
        target == socket.machine && to.ip == kLoopback ? kLoopback : address_of(socket.machine);
  }
  datagram.to = {to.ip == 0 ? kLoopback : to.ip, to.port};
  datagram.from_machine = socket.machine;
  datagram.to_machine = target;
  const auto size = static_cast<long>(bytes.size());
  supervisor_.record_message(socket.machine,
                             mix64(to.port, datagram.from.port) ^ digest_of_text(bytes).low);
  datagram.bytes = std::move(bytes);
  if (target == socket.machine) {
    supervisor_.at(supervisor_.now() + kLocalDelay,
                   [this, moved = std::move(datagram)] { deliver(moved); });
  } else {
    supervisor_.listener().on_datagram(std::move(datagram));
  }
  return size;
}

void Network::deliver(const Datagram& datagram) {
  for (const auto& weak : datagrams_) {
    const auto socket = weak.lock();
    if (socket == nullptr || socket->machine != datagram.to_machine ||
        socket->local.port != datagram.to.port ||
        (socket->local.ip != 0 && socket->local.ip != datagram.to.ip)) {
      continue;
    }
    if (socket->peer && socket->peer->port != datagram.from.port) continue;
    if (socket->backlog.size() < 256) socket->backlog.emplace_back(datagram.from, datagram.bytes);
    if (flush(*socket)) return;
  }
}

bool Network::flush(DatagramSocket& socket) {
  while (!socket.backlog.empty()) {
    const auto& [from, bytes] = socket.backlog.front();
    if (::send(socket.end.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno == EAGAIN) return true;
      socket.backlog.clear();
      return false;
    }
    socket.sources.push_back(from);
    socket.backlog.pop_front();
  }
  return true;
}

}  // namespace dissensus::host
