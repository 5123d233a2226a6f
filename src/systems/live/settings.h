// What a live run needs to know beyond the scenario: from the command line, or from
// [system.servers].
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace dissensus::live {

/// From whoever runs scenarios; the same for all of them.
struct LiveSettings {
  std::string rippled;       ///< the server's binary; empty: the scenario's, or `rippled` on PATH
  std::size_t networks = 0;  ///< side by side, at most; 0: as many as the machine bears
  std::string folder = "runs/servers";  ///< configurations and logs of servers
  /// Asked all the time; true ends waits and runs early. May be empty.
  std::function<bool()> is_interrupted;
  /// Lines for people: servers start, a network is restarted. May be empty.
  std::function<void(std::string_view line)> say;
};

/// From the scenario.
struct ServerSettings {
  std::string rippled;
  std::vector<std::string> binaries;          ///< per node; empty: the same for all
  std::vector<std::string> restart_binaries;  ///< per node, of servers that are started again
  /// Free text of configuration, per node; empty: none.
  std::vector<std::string> configurations;
  std::string log_level = "info";
  bool is_virtual = false;                                  ///< clock = "virtual"
  host::ThreadOrder order = host::ThreadOrder::first_come;  ///< in virtual time
  std::vector<std::string> environment;                     ///< "NAME=value", for the servers
  std::chrono::milliseconds start_limit{150'000};           ///< until all servers propose
  std::chrono::milliseconds recovery_limit{
      60'000};  ///< after a run; beyond it servers are restarted
  std::chrono::milliseconds pause_max{
      3'000};  ///< random wait before a run, so that it begins anywhere in a round
};

}  // namespace dissensus::live
