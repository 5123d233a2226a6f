// Servers in virtual time: the surroundings of everything that talks to them, and the place where
// they run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/host.h"
#include "systems/live/loop/surroundings.h"
#include "systems/live/servers/place.h"

namespace dissensus::live {

/// One thread. Connections and processes that it made must not outlive it.
class VirtualServers final : public Surroundings, public ServerPlace, private host::HostListener {
 public:
  struct Plan {
    std::uint64_t seed = 0;  ///< of all that servers and we draw
    host::ThreadOrder order = host::ThreadOrder::first_come;
    std::chrono::nanoseconds sleep_min{0};
  };

  /// Why programs cannot be run in virtual time here, in one line; empty: they can.
  static std::string obstacle();

  /// Puts the io_context into virtual time; it outlives this.
  VirtualServers(boost::asio::io_context& io, const Plan& plan);
  ~VirtualServers() override;

  /// Why the servers cannot go on, in one line for people; empty while they can.
  std::string trouble() const { return host_ ? host_->trouble() : std::string(); }
  /// Once servers were started.
  host::Report report() const { return host_->report(); }
  bool has_started() const { return host_ != nullptr; }
  std::vector<host::ThreadView> threads() const;
  /// The calendars of all servers go ahead by this much; timers and our own time do not.
  void push_calendars(std::chrono::seconds by);
  /// Null before servers were started.
  host::Host* host() const { return host_.get(); }

  LoopTime now() const override;
  bool advance(LoopTime until) override;
  std::unique_ptr<VirtualConnection> make_connection() override;
  std::uint64_t seed() const override { return plan_.seed; }

  std::vector<std::string> addresses(std::size_t nodes) override;
  std::string seen_folder(const std::string& folder) const override;
  void prepared(const std::vector<std::string>& programs,
                const std::vector<std::string>& folders) override;
  std::unique_ptr<ServerProcess> start(NodeId node, const Command& command) override;
  std::string file_of(NodeId node, const std::string& folder,
                      const std::string& name) const override;
  bool has_disk() const override { return false; }

 private:
  class Connection;
  class HostedProcess;

  /// Of the random bytes of the program that is started next.
  std::uint64_t next_stream();

  void on_connect(const host::Connection& connection) override;
  void on_bytes(const host::Connection& connection, host::Side from, std::string bytes) override;
  void on_end(const host::Connection& connection, host::Side from, bool gone) override;
  void on_datagram(host::Datagram) override {}
  void on_output(host::ProgramId program, host::Stream stream, std::string_view bytes) override;
  void on_exit(host::ProgramId program, const host::Exit& exit) override;

  boost::asio::io_context& io_;
  Plan plan_;
  std::vector<std::string> folders_;
  std::unique_ptr<host::Host> host_;
  std::map<host::ConnectionId, Connection*> connections_;
  std::map<host::ProgramId, NodeId> nodes_;
  std::map<host::ProgramId, int> statuses_;  ///< of programs that have ended, until asked for
  std::size_t started_ = 0;
  std::chrono::seconds pushed_{0};
  std::uint16_t next_port_ = 50'000;
};

}  // namespace dissensus::live
