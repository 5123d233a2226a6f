// The network of the programs. A stream socket of theirs is one end of a real local socket whose
// other end is ours, so that descriptors, readiness and ends of streams behave as ever; what comes
// out at our end travels as the owner says.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/model.h"

namespace dissensus::host {

class Supervisor;

class Network {
 public:
  explicit Network(Supervisor& supervisor);
  ~Network();

  /// Takes what programs have written; before time moves. True when something was taken.
  bool drain();

  // For the handlers of calls; results are as of the system call.

  long bind(const std::shared_ptr<StreamSocket>& shared, Endpoint local);
  long listen(const std::shared_ptr<StreamSocket>& shared, int program);
  /// Programs of this machine have ended, or want a port that is taken: whose is it still?
  void forget_closed_sockets(MachineId machine);
  /// `program` is our copy of the program's descriptor. 0: the request is under way.
  long connect(const std::shared_ptr<StreamSocket>& shared, Handle program, const Endpoint& to,
               ProgramId id);
  /// Its port was that of another, in whose place it comes.
  void keep_bound(const std::shared_ptr<StreamSocket>& socket) { bound_.push_back(socket); }
  /// It has sizes of buffers that its program asked for.
  void fit_buffers(const StreamSocket& socket);
  /// The connection that accept has just returned.
  std::shared_ptr<StreamSocket> accepted(StreamSocket& listener);
  std::uint16_t free_port(MachineId machine);
  /// Connects a fresh datagram socket of a program with one of ours.
  bool pair_up(int program, DatagramSocket& socket);
  long send(DatagramSocket& socket, const Endpoint& to, std::string bytes, std::uint8_t hops = 64,
            std::uint8_t traffic_class = 0);
  long bind(DatagramSocket& socket, const Endpoint& local);
  /// It then has the address from which its peer is reached, too, as programs may ask
  /// (getaddrinfo puts addresses into an order like that).
  long connect(DatagramSocket& socket, const Endpoint& peer);
  void disconnect(DatagramSocket& socket);
  /// As every attempt to send does.
  void give_port(DatagramSocket& socket);
  void add(const std::shared_ptr<DatagramSocket>& socket);
  /// False: the program has closed it.
  bool flush(DatagramSocket& socket);

  // For the owner.

  std::optional<ConnectionId> dial(const Endpoint& from, MachineId machine, std::uint16_t port);
  bool knock(ConnectionId id);
  void answer(ConnectionId id, bool accepted);
  void give_up(ConnectionId id);
  void deliver(ConnectionId id, Side to, std::string_view bytes);
  void deliver_end(ConnectionId id, Side to, bool gone);
  void deliver(const Datagram& datagram);
  bool is_listening(MachineId machine, std::uint16_t port) const;

 private:
  struct Direction {
    std::size_t under_way = 0;        ///< told to the owner, not yet delivered
    std::deque<std::string> backlog;  ///< arrived; the program's buffer is full
    bool has_ended = false;           ///< nothing more will come from the sender
    bool end_arrived = false;
    bool end_gone = false;
    bool is_reset = false;  ///< it ended with something unread, or without lingering
  };
  struct Link {
    Connection info;
    bool is_local = false;     ///< between programs of one machine
    bool is_accepted = false;  ///< a program has it, or had
    bool is_own = false;       ///< a socket has connected to itself, and reads what it writes
    std::array<Handle, 2> ends;
    std::array<Direction, 2> directions;  ///< by the side that sends
    std::size_t filler = 0;               ///< bytes that keep the connector from writing
    std::array<std::weak_ptr<StreamSocket>, 2> sockets;
    Handle program;  ///< our copy of the connector's descriptor, until there is an answer
    bool is_stalled[2] = {false, false};
  };

  void watch(Link& link, Side side, bool is_on);
  /// Bytes from this side that may be under way before it has to wait, as in a TCP window.
  static std::size_t window_of(const Link& link, Side side);
  static void fit_buffers(Link& link, Side side);
  bool take_from(Link& link, Side side);
  void tell_bytes(Link& link, Side from, std::string bytes);
  void tell_end(Link& link, Side from, bool is_gone);
  void flush(Link& link, Side to);
  /// What this side writes reaches nobody: it learns so a moment later.
  void bounce(Link& link, Side side);
  void reset(Link& link, Side side);
  void note_binding(InternetSocket& socket, const Endpoint& asked);
  bool is_taken(const DatagramSocket& socket) const;
  bool is_taken(const StreamSocket& socket) const;
  bool has_taker(const Datagram& datagram) const;
  void refuse(const Datagram& datagram);
  void fail(Link& link, int error);
  std::shared_ptr<StreamSocket> find_listener(MachineId machine, const Endpoint& to,
                                              const Endpoint& from) const;
  MachineId machine_of(std::uint32_t ip, MachineId asking) const;
  std::string path(const std::string& name) const;

  Supervisor& supervisor_;
  Handle hub_;
  Handle ready_;  ///< epoll of our ends
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::size_t> backlogged_;             ///< links with something in a backlog
  std::vector<std::weak_ptr<StreamSocket>> bound_;  ///< to a port, by their programs
  std::vector<std::weak_ptr<DatagramSocket>> datagrams_;
  std::map<MachineId, std::uint16_t> ports_;
  std::uint64_t names_ = 0;
};

}  // namespace dissensus::host
