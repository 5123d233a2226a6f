// The nodes of one run: programs of a host, and the outside that the world waits for. The world's
// time is the programs' time: waiting means running them.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/holdable.h"
#include "dissensus/machines.h"
#include "dissensus/outside.h"
#include "dissensus/system.h"

#include "host/host.h"
#include "systems/server/client_events.h"
#include "systems/server/framing.h"
#include "systems/server/protocols/protocol.h"
#include "systems/server/segment.h"
#include "systems/server/settings.h"

namespace dissensus::server {

/// Something that a stand-in is to tell the world.
struct News {
  Time time{};
  NodeId node = kNoNode;
  // One of these:
  std::optional<Segment> segment;
  NodeId to = kNoNode;  ///< of the segment
  std::string line;     ///< that a program wrote
  std::optional<host::Exit> exit;
  bool is_ready = false;
  bool has_spun = false;                    ///< for another second
  std::optional<host::ConnectionId> reset;  ///< whose other end is gone
  bool of_client = false;
};

class ServerCluster final : public Cluster,
                            public Outside,
                            public Holdable,
                            public Machines,
                            public host::HostListener {
 public:
  /// Prepares the nodes' folders. `settings` outlives this. Throws OutsideError.
  ServerCluster(const Settings& settings, std::uint64_t seed);
  ~ServerCluster() override;

  std::unique_ptr<Node> make_node(NodeId id) override;
  Outside* outside() override { return this; }

  void begin() override;
  Happening wait(Time until) override;
  void crashed(NodeId node) override;
  void paused(NodeId node, bool is_paused) override;
  void disk_slowed(NodeId node, Duration extra) override;
  std::string trouble() const override { return trouble_; }
  std::vector<Attachment> attachments() override;
  std::optional<Death> death() const override { return death_; }
  std::string unjudged() const override;
  std::vector<Remark> remarks() override;

  std::string held() const override { return host::to_text(host_->processes()); }
  std::string held_threads() const override { return host::to_text(host_->threads()); }
  std::vector<std::string> write_cores(const std::string& folder) const override {
    return host_->write_cores(folder);
  }
  void excuse(std::chrono::nanoseconds real_time) override { host_->excuse(real_time); }

  // For the stand-ins.

  const Settings& settings() const { return settings_; }
  ClientEvents& client_events() { return client_events_; }
  /// Whether a node's server was ready, spoke to somebody, took a connection, or wrote a line that
  /// a pattern knows.
  bool has_begun(NodeId node) const { return has_begun_[node]; }
  void note_begun(NodeId node) { has_begun_[node] = true; }
  /// Something that was to be judged did not come; the first is told (unjudged).
  void miss(std::string what);
  News take_news(NodeId node);
  void start_server(NodeId node);
  void start_client(NodeId node, const ClientRequest& request);
  /// The server alone, and not what else runs on its machine.
  void set_paused(NodeId node, bool is_paused);
  /// Keeps what is under way, so that it can be sent again.
  void sent(const Segment& segment, NodeId from);
  /// What has to be sent again, and after what time to ask the next time; nothing: all arrived.
  std::vector<std::pair<NodeId, Segment>> unanswered(std::uint64_t flow);
  Duration patience(std::uint64_t flow);
  bool wants_timer(std::uint64_t flow);
  /// Takes a segment that arrived; returns what has to be sent in answer.
  std::vector<std::pair<NodeId, Segment>> arrived(NodeId node, const Segment& segment);
  void end_connection(host::ConnectionId connection, NodeId survivor);
  static std::uint64_t flow_of(const Segment& segment) {
    return std::uint64_t{segment.connection} * 2 + (segment.to_acceptor ? 0 : 1);
  }

 private:
  /// One direction of a connection.
  struct Flow {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    std::uint32_t next = 0;     ///< number of the next segment
    std::uint32_t arrived = 0;  ///< number of the next one to arrive
    std::map<std::uint32_t, Segment> early;
    std::deque<Segment> under_way;
    Duration patience{};
    Duration waited{};  ///< for what is under way
    bool has_timer = false;
    bool is_dead = false;
    std::unique_ptr<Framer> framer;
  };

  /// What one side wrote, line by line.
  void tell_line(host::ProgramId program, std::string line);
  /// Bytes that one side wrote, in parts that travel as wholes.
  void tell_parts(host::ConnectionId connection, bool to_acceptor, std::string_view bytes);
  void tell_part(host::ConnectionId connection, bool to_acceptor, protocols::Part part);
  std::string rest_of(host::ConnectionId connection, bool to_acceptor);

  void on_connect(const host::Connection& connection) override;
  void on_bytes(const host::Connection& connection, host::Side from, std::string bytes) override;
  void on_end(const host::Connection& connection, host::Side from, bool gone) override;
  void on_datagram(host::Datagram datagram) override;
  void on_output(host::ProgramId program, host::Stream stream, std::string_view bytes) override;
  void on_exit(host::ProgramId program, const host::Exit& exit) override;
  void on_spin(host::ProgramId program) override;

  Flow& flow(std::uint64_t number);
  Segment next_segment(host::ConnectionId connection, bool to_acceptor, Piece piece,
                       MessageKind kind, std::string bytes = {});
  void tell(News news);
  void tell_segment(Segment segment);
  void carry_out(NodeId node, const Segment& segment,
                 std::vector<std::pair<NodeId, Segment>>& answers);
  MessageKind kind_of(const std::string& bytes) const;
  void resume_programs();
  void run_preparation(NodeId node, const std::vector<std::string>& command);
  void look_for_ready();
  host::ProgramId start(NodeId node, const std::string& name,
                        const std::vector<std::string>& command, const std::string& input);
  Time world_time() const;

  const Settings& settings_;
  std::unique_ptr<host::Host> host_;
  host::HostTime origin_{};
  std::string trouble_;
  std::optional<Death> death_;  ///< the first
  struct Running {
    NodeId node = kNoNode;
    bool is_client = false;
    bool is_preparation = false;
    bool may_fail = false;             ///< of a client
    std::array<std::string, 2> lines;  ///< of its output and its errors, not yet complete
    std::optional<host::Exit> exit;
  };
  std::vector<Running> programs_;  ///< by ProgramId
  std::vector<std::optional<host::ProgramId>> servers_;
  std::vector<bool> is_down_;
  std::vector<bool> is_ready_;
  bool was_ready_ = false;  ///< some server was
  std::vector<bool> has_begun_;
  std::vector<NodeId> resumed_;  ///< whose pause is over: first arrives what came meanwhile
  std::vector<std::string> logs_;
  std::deque<News> news_;
  std::vector<Flow> flows_;
  std::vector<std::unique_ptr<protocols::ConnectionReader>> readers_;  ///< by ConnectionId
  ClientEvents client_events_;
  std::string missed_;  ///< the first
  std::size_t missed_count_ = 0;
};

}  // namespace dissensus::server
