// Runs programs for tests: a network with one latency, everything that was heard, in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/host.h"

namespace dissensus::host {

/// Delivers after `latency`; partitions drop nothing, they hold back until healed.
class TestNetwork : public HostListener {
 public:
  explicit TestNetwork(const Plan& plan, HostTime latency = std::chrono::milliseconds(1));

  Host& host() { return host_; }
  /// Runs until then, delivering on the way. False: trouble.
  bool run_until(HostTime until);
  /// `action` at this time.
  void at(HostTime time, std::function<void()> action);
  /// This machine hears nobody and is heard by nobody.
  void cut_off(MachineId machine) { cut_.insert(machine); }
  void heal();

  const std::string& output(ProgramId program) { return outputs_[program]; }
  const std::map<ProgramId, Exit>& exits() const { return exits_; }
  std::uint64_t bytes_carried() const { return bytes_; }

  void on_connect(const Connection& connection) override;
  void on_bytes(const Connection& connection, Side from, std::string bytes) override;
  void on_end(const Connection& connection, Side from, bool gone) override;
  void on_datagram(Datagram datagram) override;
  void on_output(ProgramId program, Stream stream, std::string_view bytes) override;
  void on_exit(ProgramId program, const Exit& exit) override;

 private:
  void send(MachineId from, MachineId to, std::function<void()> arrival);

  HostTime latency_;
  std::multimap<HostTime, std::function<void()>> agenda_;
  std::vector<std::function<void()>> held_;
  std::set<MachineId> cut_;
  std::map<ProgramId, std::string> outputs_;
  std::map<ProgramId, Exit> exits_;
  std::uint64_t bytes_ = 0;
  Host host_;
};

}  // namespace dissensus::host
