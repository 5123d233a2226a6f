// What a scenario says of its servers, in [system.servers].
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "host/host.h"

namespace dissensus::live {

/// From the scenario.
struct ServerSettings {
  std::string rippled;                        ///< empty: on PATH
  std::vector<std::string> binaries;          ///< per node; empty: the same for all
  std::vector<std::string> restart_binaries;  ///< per node, of servers that are started again
  /// Free text of configuration, per node; empty: none.
  std::vector<std::string> configurations;
  std::string log_level = "info";
  host::ThreadOrder order = host::ThreadOrder::first_come;
  std::vector<std::string> environment;            ///< "NAME=value", for the servers
  std::chrono::milliseconds start_limit{150'000};  ///< until all servers propose
  /// Between runs that share a start; beyond it servers are started anew.
  std::chrono::milliseconds recovery_limit{60'000};
  std::chrono::milliseconds pause_max{
      3'000};  ///< random wait before a run, so that it begins anywhere in a round
};

}  // namespace dissensus::live
