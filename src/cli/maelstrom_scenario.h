// A test as Maelstrom's command line asks for it, as a scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dissensus::cli {

/// Options by Maelstrom's names; those without a value are left to the scenario's defaults.
struct MaelstromTest {
  std::string workload = "lin-kv";
  std::string bin;
  std::vector<std::string> arguments;  ///< of the program
  std::size_t nodes = 5;
  std::string concurrency = "1n";  ///< clients: a number, or so many per node ("4n")
  double seconds = 60;
  double rate = 5;  ///< questions per second, of all clients
  double latency_ms = 0;
  std::string latency_distribution = "constant";
  std::vector<std::string> nemesis;  ///< "partition"
  double nemesis_seconds = 10;       ///< between its steps
  std::string topology = "grid";
  std::string availability;  ///< share of questions that must succeed, or "total"; empty: any
  std::string consistency = "strict-serializable";
  std::optional<std::uint64_t> keys;
  std::size_t operations = 4;  ///< of a transaction, at most
  // Ours.
  std::string delay = "100ms";       ///< by which searches delay messages, at most
  std::vector<std::string> visible;  ///< that programs see, beside the folder of theirs
};

/// Maelstrom's workloads.
const std::vector<std::string>& maelstrom_workloads();

/// The text of a scenario; throws InputError with the name of the option.
std::string scenario_of(const MaelstromTest& test);

}  // namespace dissensus::cli
