// Servers of a cluster in virtual time, and the surroundings of everything that talks to them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/host.h"
#include "hosted/cluster.h"
#include "hosted/guest.h"
#include "systems/live/loop/surroundings.h"

namespace dissensus::live {

/// One thread. Connections that it made must not outlive it.
class VirtualServers final : public Surroundings, private hosted::Guest {
 public:
  struct Plan {
    std::uint64_t seed = 0;  ///< of all that servers and we draw
    host::ThreadOrder order = host::ThreadOrder::first_come;
  };
  /// Who has connections to servers, and what is to be kept of a run.
  struct Owner {
    std::function<void(NodeId node)> crashed;
    std::function<std::vector<Outside::Attachment>()> attachments;
  };

  /// Puts the io_context into virtual time; it outlives this.
  VirtualServers(boost::asio::io_context& io, const Plan& plan);
  ~VirtualServers() override;

  void set_owner(Owner owner) { owner_ = std::move(owner); }

  /// Where each of so many servers is.
  static std::vector<std::string> addresses(std::size_t nodes);
  /// Under which a server sees its folder.
  static constexpr const char* kFolder = "/node";
  /// Folders become the servers' own; start() of these programs may follow. Throws OutsideError.
  void prepare(const std::vector<std::string>& programs, const std::vector<std::string>& folders);
  void start(NodeId node, const hosted::Command& command,
             const std::vector<std::string>& environment);
  /// Once it was prepared.
  hosted::Cluster& cluster() { return *cluster_; }
  const hosted::Cluster& cluster() const { return *cluster_; }
  /// Why the servers cannot go on, in one line for people; empty while they can.
  std::string trouble() const { return cluster_ ? cluster_->host().trouble() : std::string(); }
  /// Where we find a server's folder.
  std::string folder(NodeId node) const { return cluster_->host().folder(node); }
  /// The calendars of all servers go ahead by this much; timers and our own time do not.
  void push_calendars(std::chrono::seconds by);

  LoopTime now() const override;
  bool advance(LoopTime until) override;
  std::unique_ptr<VirtualConnection> make_connection() override;
  std::uint64_t seed() const override { return plan_.seed; }

 private:
  class Connection;

  /// Of the random bytes of the program that is started next.
  std::uint64_t next_stream();

  void pass(host::HostTime until, const std::function<bool()>& stop) override;
  void on_connect(const host::Connection& connection) override;
  void on_bytes(host::ConnectionId connection, std::string bytes) override;
  void on_end(host::ConnectionId connection, bool gone) override;
  void crashed(NodeId node) override;
  std::vector<Outside::Attachment> attachments() override;

  boost::asio::io_context& io_;
  Plan plan_;
  hosted::Plan cluster_plan_;
  std::unique_ptr<hosted::Cluster> cluster_;
  Owner owner_;
  std::map<host::ConnectionId, Connection*> connections_;
  std::size_t started_ = 0;
  std::chrono::seconds pushed_{0};
  std::uint16_t next_port_ = 50'000;
};

}  // namespace dissensus::live
