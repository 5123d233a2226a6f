// The nodes of one run that are programs of a host, and the outside that the world waits for. The
// world's time is the programs' time: waiting means running them. What a program says, it says as
// its stand-in, a node of the world; what its stand-in receives, the program receives.
#pragma once

#include <any>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/outside.h"
#include "dissensus/system.h"

#include "host/host.h"
#include "hosted/connections.h"
#include "hosted/files.h"
#include "hosted/guest.h"
#include "hosted/plan.h"
#include "hosted/segment.h"

namespace dissensus::hosted {

/// Something that a stand-in is to tell the world.
struct News {
  Time time{};
  NodeId node = kNoNode;
  // One of these:
  std::optional<Segment> segment;
  NodeId to = kNoNode;              ///< of the segment
  std::optional<std::string> line;  ///< that a program wrote
  std::optional<host::Exit> exit;
  bool is_ready = false;
  bool has_spun = false;                    ///< for another second
  bool has_flooded = false;                 ///< a line is longer than the plan allows
  std::optional<host::ConnectionId> reset;  ///< whose other end is gone
  bool of_client = false;
  std::any of_guest;  ///< what it has to tell of the node
};

/// A program that comes when it is asked for.
struct Client {
  Command command;
  std::vector<std::string> environment;
  std::string input;
  bool may_fail = false;
};

class Cluster final : public dissensus::Cluster, public Outside, private host::HostListener {
 public:
  using StandIns = std::function<std::unique_ptr<Node>(Cluster& cluster, NodeId id)>;

  /// Prepares the nodes' folders. `plan` outlives this, and so does the guest, who then hears of
  /// all connections. Throws OutsideError.
  Cluster(const Plan& plan, std::uint64_t seed, StandIns stand_ins, Guest* guest = nullptr);
  ~Cluster() override;

  std::unique_ptr<Node> make_node(NodeId id) override { return stand_ins_(*this, id); }
  Outside* outside() override { return this; }

  /// Programs may have run for a while; what they said until now, nobody is told.
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

  Connections& connections() { return connections_; }
  /// Whether a node's program was ready, spoke to somebody, took a connection, or wrote a line that
  /// somebody understood.
  bool has_begun(NodeId node) const { return machines_[node].has_begun; }
  void note_begun(NodeId node) { machines_[node].has_begun = true; }
  /// Something that was to be judged did not come; the first is told (unjudged).
  void miss(std::string what);
  /// The news for which the world called Node::happened.
  News take_news(NodeId node);
  /// Starts the program of the plan, if there is one.
  void start_program(NodeId node);
  /// Another one instead.
  void start_program(NodeId node, host::Program program);
  void start_client(NodeId node, const Client& client);
  /// To the standard input of the program of a plan that speaks lines.
  void write(NodeId node, std::string_view line);
  /// Its stand-in has no more use for it.
  void end_program(NodeId node);
  /// The program alone, and not what else runs on its machine.
  void set_program_paused(NodeId node, bool is_paused);

  // For the guest.

  host::Host& host() { return *host_; }
  const host::Host& host() const { return *host_; }
  /// Its stand-in is to hear this from the guest.
  void tell(NodeId node, std::any of_guest);
  /// How the last program of the node ended by itself; none: it runs, or was ended.
  const std::optional<host::Exit>& exit_of(NodeId node) const { return machines_[node].exit; }
  /// What the programs of the node wrote, the first of it.
  const std::string& written(NodeId node) const { return machines_[node].log; }

 private:
  struct Machine {
    std::optional<host::ProgramId> program;
    bool is_down = false;
    bool is_ready = false;
    bool has_begun = false;
    std::string log;
    std::optional<host::Exit> exit{};  ///< of the last program
  };
  struct Running {
    NodeId node = kNoNode;
    bool is_client = false;
    bool is_preparation = false;
    bool may_fail = false;             ///< of a client
    std::array<std::string, 2> lines;  ///< of its output and its errors, not yet complete
    std::optional<host::Exit> exit;
  };

  void on_connect(const host::Connection& connection) override;
  void on_bytes(const host::Connection& connection, host::Side from, std::string bytes) override;
  void on_end(const host::Connection& connection, host::Side from, bool gone) override;
  void on_datagram(host::Datagram datagram) override;
  void on_output(host::ProgramId program, host::Stream stream, std::string_view bytes) override;
  void on_exit(host::ProgramId program, const host::Exit& exit) override;
  void on_spin(host::ProgramId program) override;

  void advance(host::HostTime until);
  void tell(News news);
  void tell(std::vector<Connections::Sending> sendings);
  void tell_line(host::ProgramId program, std::string line);
  void tell_flood(NodeId node);
  void forget_lost();
  void resume_programs();
  void prepare(NodeId node, const Command& command);
  void look_for_ready();
  void be_ready(Machine& machine);
  host::ProgramId start(NodeId node, host::Program program);
  template <class Action>
  void for_programs_of(NodeId node, Action action);
  Time world_time() const;
  std::vector<UsedFile> used_here(const std::vector<std::string>& paths) const;

  const Plan& plan_;
  StandIns stand_ins_;
  Guest* guest_;  ///< may be null
  std::vector<Machine> machines_;
  std::vector<Running> programs_;  ///< by ProgramId
  std::unique_ptr<host::Host> host_;
  Connections connections_;
  host::HostTime origin_{};
  std::deque<News> news_;
  std::vector<NodeId> resumed_;  ///< whose pause is over: first arrives what came meanwhile
  std::string trouble_;
  std::optional<Death> death_;  ///< the first
  bool was_ready_ = false;      ///< some program was
  std::string missed_;          ///< the first
  std::size_t missed_count_ = 0;
};

}  // namespace dissensus::hosted
