// Random faults of the environment, as a scenario's [schedule.faults] asks for: partitions in
// several shapes, crashes, pauses, clocks, unreliable links, disks. Nobody lies.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// Who is cut off from whom.
enum class PartitionShape : std::uint8_t { halves, majority, alone, bridge, ring, one_way };
inline constexpr std::size_t kPartitionShapes = 6;

/// Which faults are drawn. Numbers are the most per plan.
struct EnvironmentSpace {
  std::uint32_t partitions = 0;
  std::uint32_t crashes = 0;
  std::uint32_t pauses = 0;
  std::uint32_t clocks = 0;
  std::uint32_t links = 0;
  std::uint32_t disks = 0;
  std::vector<PartitionShape> shapes;
  std::vector<DiskFault::Trouble> troubles;
  Duration scale = std::chrono::seconds(1);     ///< of the system's own timers
  Duration horizon = std::chrono::seconds(10);  ///< no fault begins or lasts beyond this
  std::vector<std::uint32_t> anchors;           ///< phases that faults may wait for
  double anchored = 0.5;                        ///< share of the faults that do
  std::uint32_t nth_max = 8;                    ///< how often such a phase is waited for, at most
  std::uint32_t victims_max = 0;                ///< nodes that crash or pause together, at most

  std::uint32_t total() const { return partitions + crashes + pauses + clocks + links + disks; }
  bool empty() const { return total() == 0; }
};

/// Reads [schedule.faults]; throws InputError.
EnvironmentSpace read_environment_space(const Options& options,
                                        const SystemDescription& description, std::size_t nodes);

Fault random_fault(const EnvironmentSpace& space, std::size_t nodes, Random& random);
/// A neighbour of a fault of the space: it begins or ends at another moment, waits for another one,
/// or hits others.
Fault varied_fault(const Fault& fault, const EnvironmentSpace& space, std::size_t nodes,
                   Random& random);

/// A number of faults that have nothing to do with each other.
std::vector<Fault> random_environment(const EnvironmentSpace& space, std::size_t nodes,
                                      Random& random);
/// Faults in the order of a story. Chains: each time that a phase is entered, whoever entered it is
/// cut off or goes down with some others, for about as long as the next one takes. Relays: the
/// same, but one trouble ends as the next begins, so that nobody is kept away for long. Waves: by
/// the clock, trouble and calm take turns. Else as above.
enum class Story : std::uint8_t { independent, chain, waves, relay };
inline constexpr std::size_t kStories = 4;
std::vector<Fault> random_story(const EnvironmentSpace& space, std::size_t nodes, Story story,
                                Random& random);

/// The faults, in their order, that the space admits beside those before them.
std::vector<Fault> admitted(const std::vector<Fault>& plan, const EnvironmentSpace& space);

}  // namespace dissensus::faults
