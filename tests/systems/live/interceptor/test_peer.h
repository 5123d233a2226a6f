// A peer port as a server has it, for tests: accepts TLS connections, answers the upgrade, checks
// that each record it gets holds exactly one frame, and does on request what no good server would
// do.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <thread>

#include "dissensus/ids.h"

#include "systems/live/interceptor/tls_socket.h"
#include "systems/live/wire/handshake.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live::test {

using Clock = std::chrono::steady_clock;

/// Made by hand: length and type, big-endian, and the payload.
inline Bytes frame_bytes(unsigned type, const Bytes& payload) {
  const std::size_t length = payload.size();
  Bytes bytes{static_cast<std::uint8_t>(length >> 24), static_cast<std::uint8_t>(length >> 16),
              static_cast<std::uint8_t>(length >> 8),  static_cast<std::uint8_t>(length),
              static_cast<std::uint8_t>(type >> 8),    static_cast<std::uint8_t>(type)};
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

/// What a peer knows when it is to answer an upgrade.
struct Upgrade {
  std::string request;  ///< its text
  Bytes own_finished;
  Bytes peer_finished;
  std::string source_address;
  std::string tls_version;
  Hash256 shared{};  ///< as the product computes it
};

/// How a peer treats one connection.
struct Behaviour {
  bool close_on_accept = false;  ///< before TLS
  bool silent = false;           ///< accepts and never says a word
  std::string instead_of_tls;    ///< bytes
  bool close_on_request = false;
  std::function<std::string(const Upgrade&)> answer;  ///< none: a correct one
  std::size_t answer_piece = 0;                       ///< bytes per record; 0: all in one
  bool close_after_answer = false;
  bool deaf = false;  ///< accepts the upgrade and reads nothing afterwards
  int tls_version_max = 0;
};

class TestPeer {
 public:
  using FrameSink = std::function<void(NodeId played, ByteView frame, Clock::time_point at)>;
  struct Setup {
    std::string address;
    std::uint16_t port = 0;  ///< 0: a free one
    KeyPair keys;
    std::map<PublicKey, NodeId> names;  ///< of those who may be played
    /// By number of the connection, 0, 1, 2...
    std::function<Behaviour(std::size_t)> behaviour = [](std::size_t) { return Behaviour{}; };
    FrameSink sink;  ///< none: kept, see inbox()
  };

  explicit TestPeer(Setup setup) : setup_(std::move(setup)), context_(server_context()) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address = socket_address(setup_.address, setup_.port);
    socklen_t bytes = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
        ::listen(listener_, 64) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
      throw std::runtime_error("cannot listen at " + setup_.address);
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept_all(); });
  }
  TestPeer(const TestPeer&) = delete;
  TestPeer& operator=(const TestPeer&) = delete;
  ~TestPeer() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close_all();
    for (Connection& connection : connections_) connection.thread.join();
    ::close(listener_);
  }

  const std::string& address() const { return setup_.address; }
  std::uint16_t port() const { return port_; }
  std::size_t accepted() const { return accepted_; }
  std::size_t refused_duplicates() const { return refused_duplicates_; }
  /// Records that did not hold exactly one frame (of a frame of several records: exactly a part).
  std::size_t bad_records() const { return bad_records_; }
  std::size_t frames() const { return frames_; }

  /// Number of upgraded connections.
  std::size_t open() const {
    const std::lock_guard alone(mutex_);
    return by_name_.size();
  }
  /// One record to the connection in which this node is played; false if there is none.
  bool send(NodeId played, ByteView record) {
    const std::shared_ptr<TlsSocket> socket = find(played);
    return socket && socket->write(record);
  }
  void close(NodeId played) {
    if (const std::shared_ptr<TlsSocket> socket = find(played)) socket->abort();
  }
  void close_all() {
    const std::lock_guard alone(mutex_);
    for (Connection& connection : connections_) connection.socket->abort();
  }
  std::vector<Bytes> inbox(NodeId played) const {
    const std::lock_guard alone(mutex_);
    const auto found = inboxes_.find(played);
    return found == inboxes_.end() ? std::vector<Bytes>{} : found->second;
  }
  std::vector<Upgrade> upgrades() const {
    const std::lock_guard alone(mutex_);
    return upgrades_;
  }

 private:
  struct Connection {
    std::shared_ptr<TlsSocket> socket;
    std::thread thread;
  };

  std::shared_ptr<TlsSocket> find(NodeId played) const {
    const std::lock_guard alone(mutex_);
    const auto found = by_name_.find(played);
    return found == by_name_.end() ? nullptr : found->second;
  }

  void accept_all() {
    while (!stopping_) {
      const int descriptor = ::accept(listener_, nullptr, nullptr);
      if (descriptor < 0) return;
      auto socket = std::make_shared<TlsSocket>(context_.get(), descriptor);
      const Behaviour behaviour = setup_.behaviour(accepted_);
      const std::lock_guard alone(mutex_);
      ++accepted_;
      connections_.push_back({socket, std::thread([this, socket, behaviour] {
                                serve(socket, behaviour);
                                socket->abort();
                              })});
    }
  }

  void serve(const std::shared_ptr<TlsSocket>& socket, const Behaviour& behaviour) {
    if (behaviour.close_on_accept) return;
    if (behaviour.silent) return idle(*socket);
    if (!behaviour.instead_of_tls.empty()) return socket->write_raw(behaviour.instead_of_tls);
    if (behaviour.tls_version_max) socket->limit_version(behaviour.tls_version_max);
    if (!socket->accept()) return;
    const std::optional<Upgrade> upgrade = read_upgrade(*socket);
    if (!upgrade || behaviour.close_on_request) return;
    const NodeId played = name_of(*upgrade);
    const bool usual = !behaviour.answer;
    if (usual && !enter(played, socket)) {
      socket->write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const std::string answer =
        usual ? upgrade_response({&setup_.keys, "test peer", {}}, upgrade->shared)
              : behaviour.answer(*upgrade);
    write_in_pieces(*socket, answer, behaviour.answer_piece);
    if (!usual) enter(played, socket);
    if (behaviour.deaf) idle(*socket);
    if (!behaviour.close_after_answer) read_frames(*socket, played);
    leave(played, socket);
  }

  static void idle(const TlsSocket& socket) {
    while (!socket.aborted()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  std::optional<Upgrade> read_upgrade(TlsSocket& socket) {
    Upgrade upgrade;
    upgrade.own_finished = socket.own_finished();
    upgrade.peer_finished = socket.peer_finished();
    upgrade.source_address = socket.remote_address();
    upgrade.tls_version = socket.version();
    upgrade.shared = shared_value(upgrade.own_finished, upgrade.peer_finished).value();
    Bytes buffer(65536);
    while (upgrade.request.find("\r\n\r\n") == std::string::npos) {
      const std::size_t bytes = socket.read(buffer);
      if (bytes == 0) return std::nullopt;
      upgrade.request.append(reinterpret_cast<const char*>(buffer.data()), bytes);
    }
    const std::lock_guard alone(mutex_);
    upgrades_.push_back(upgrade);
    return upgrade;
  }

  /// Of the key that the other end proves to own; kNoNode if it does not, or nobody has that key.
  NodeId name_of(const Upgrade& upgrade) const {
    try {
      const auto found = setup_.names.find(
          verify_identity(parse_upgrade(upgrade.request).value(), upgrade.shared));
      return found == setup_.names.end() ? kNoNode : found->second;
    } catch (const WireError&) {
      return kNoNode;
    }
  }

  bool enter(NodeId played, const std::shared_ptr<TlsSocket>& socket) {
    const std::lock_guard alone(mutex_);
    if (played == kNoNode) return false;
    const bool entered = by_name_.emplace(played, socket).second;
    if (!entered) ++refused_duplicates_;
    return entered;
  }
  void leave(NodeId played, const std::shared_ptr<TlsSocket>& socket) {
    const std::lock_guard alone(mutex_);
    const auto found = by_name_.find(played);
    if (found != by_name_.end() && found->second == socket) by_name_.erase(found);
  }

  static void write_in_pieces(TlsSocket& socket, const std::string& text, std::size_t piece) {
    if (piece == 0) piece = text.size();
    for (std::size_t i = 0; i < text.size(); i += piece) {
      if (!socket.write(text.substr(i, piece))) return;
    }
  }

  void read_frames(TlsSocket& socket, NodeId played) {
    Bytes buffer(65536);
    Bytes frame;  // begun, if it takes several records
    while (const std::size_t bytes = socket.read(buffer)) {
      const Clock::time_point at = Clock::now();
      frame.insert(frame.end(), buffer.begin(),
                   buffer.begin() + static_cast<std::ptrdiff_t>(bytes));
      const std::size_t whole = frame.size() < 6 ? 0 : frame_length(frame);
      if (frame.size() < whole && bytes == 16384) continue;
      if (frame.size() != whole) ++bad_records_;
      keep(played, frame, at);
      ++frames_;  // whoever sees the number sees the frame
      frame.clear();
    }
  }

  static std::size_t frame_length(const Bytes& frame) {
    return 6 + (std::size_t{frame[0]} << 24 | std::size_t{frame[1]} << 16 |
                std::size_t{frame[2]} << 8 | std::size_t{frame[3]});
  }

  void keep(NodeId played, const Bytes& frame, Clock::time_point at) {
    if (setup_.sink) return setup_.sink(played, frame, at);
    const std::lock_guard alone(mutex_);
    inboxes_[played].push_back(frame);
  }

  const Setup setup_;
  const Context context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> accepted_ = 0;
  std::atomic<std::size_t> refused_duplicates_ = 0;
  std::atomic<std::size_t> bad_records_ = 0;
  std::atomic<std::size_t> frames_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::list<Connection> connections_;
  std::map<NodeId, std::shared_ptr<TlsSocket>> by_name_;
  std::map<NodeId, std::vector<Bytes>> inboxes_;
  std::vector<Upgrade> upgrades_;
};

/// The dialling end of a session, for tests that go without an interceptor.
class TestClient {
 public:
  TestClient(const TestPeer& server, const std::string& source, const KeyPair& keys)
      : context_(client_context()) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in from = socket_address(source, 0);
    const sockaddr_in to = socket_address(server.address(), server.port());
    if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0 ||
        ::connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("cannot connect to " + server.address());
    }
    socket_ = std::make_unique<TlsSocket>(context_.get(), descriptor);
    if (!socket_->connect()) throw std::runtime_error("no TLS with " + server.address());
    const Hash256 shared = shared_value(socket_->own_finished(), socket_->peer_finished()).value();
    socket_->write(upgrade_request({&keys, "test client", {}}, shared));
    Bytes buffer(65536);
    const std::size_t bytes = socket_->read(buffer);
    answer_.assign(reinterpret_cast<const char*>(buffer.data()), bytes);
  }
  const std::string& answer() const { return answer_; }
  bool send(ByteView record) { return socket_->write(record); }

 private:
  Context context_;
  std::unique_ptr<TlsSocket> socket_;
  std::string answer_;
};

}  // namespace dissensus::live::test
