// The [system] table of kind = "process" (docs/formats/process.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/ids.h"
#include "dissensus/options.h"

#include "host/host.h"
#include "systems/process/child.h"

namespace dissensus::process {

/// Whose time programs have.
enum class Clock : std::uint8_t {
  told,          ///< they speak the superset: the world waits for each to be done
  virtual_time,  ///< unmodified, with clocks and threads of their own, supervised
};

enum class ServiceKind : std::uint8_t { lin_kv, seq_kv, lww_kv, lin_tso };
std::string_view name_of(ServiceKind kind);

enum class WorkloadKind : std::uint8_t {
  echo,
  unique_ids,
  broadcast,
  g_set,
  g_counter,
  pn_counter,
  lin_kv,
  txn_list_append,
  txn_rw_register,
  kafka,
};

enum class Topology : std::uint8_t { grid, line, total };

struct WorkloadSettings {
  WorkloadKind kind = WorkloadKind::echo;
  std::size_t clients = 0;
  Duration interval = std::chrono::milliseconds(100);  ///< between two questions of a client
  Duration timeout = std::chrono::seconds(1);
  Duration until = std::chrono::seconds(5);  ///< no question is asked after this
  Duration final_at =
      std::chrono::seconds(8);  ///< when last reads begin, where the workload has some
  bool any_node = false;        ///< each question to any node, instead of one per client
  std::uint64_t keys = 3;
  double reads = 0.5;                ///< share of the questions
  double compare_and_set = 0.2;      ///< lin-kv: share of the writes
  std::uint64_t operations_max = 4;  ///< of a transaction
  Topology topology = Topology::grid;
};

/// A kind of message that the scenario declares.
struct DeclaredMessage {
  std::string type;
  std::vector<FieldDescription> fields;
};

struct Settings {
  Clock clock = Clock::told;
  std::size_t nodes = 0;
  Launch launch;
  ReadLimits limits;
  std::vector<ServiceKind> services;
  std::optional<WorkloadSettings> workload;
  std::vector<DeclaredMessage> messages;
  std::vector<DeclaredMessage> learned;
  std::uint64_t learn = 0;  ///< in how many runs other kinds of messages are learned
  std::vector<LevelDescription> levels;
  std::vector<std::string> phases;
  std::vector<std::uint32_t> anchors;
  std::vector<std::string> observables;
  std::vector<StepDescription> steps;
  std::vector<InvariantDescription> invariants;  ///< of the program, behind kProgramInvariants
  Duration time_scale{};
  host::Plan host;                ///< of virtual time
  std::vector<std::string> keep;  ///< patterns of files of nodes; in virtual time

  std::size_t clients() const { return workload ? workload->clients : 0; }
  std::size_t total() const { return nodes + clients() + services.size(); }
};

Settings read_settings(const Options& options);

/// Who is who: "n0" to programs, "c0" to clients, services by their names.
std::string node_name(const Settings& settings, NodeId id);
/// kNoNode where nobody has this name.
NodeId node_named(const Settings& settings, std::string_view name);

/// What every system of this kind has: how programs misbehave. Numbers of invariants.
inline constexpr std::uint32_t kProgramInvariants = 5;
std::vector<InvariantDescription> program_invariants();
inline std::uint32_t invariant_of(Trouble trouble) {
  return static_cast<std::uint32_t>(trouble) - 1;
}

}  // namespace dissensus::process
