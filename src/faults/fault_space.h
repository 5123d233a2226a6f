// Random faults, as a scenario's [schedule.faults] asks for: so many of each kind, in ranges that
// are those of their parts. Liars are a part of it with rules of its own (byzantine_space.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"

#include "faults/byzantine_space.h"

namespace dissensus::faults {

/// Which faults are drawn. Numbers are the most per plan.
struct FaultSpace {
  /// Kinds that are asked for by one key, such as partitions and cuts.
  struct Family {
    std::string key;
    std::vector<const FaultKind*> kinds;
    std::uint32_t most = 0;
  };
  /// Which words of some part are drawn (Setting in kinds.h).
  struct Words {
    std::string_view key;
    std::vector<std::size_t> admitted;
  };
  std::vector<Family> families;  ///< those that are asked for
  std::vector<Words> words;
  Duration scale = std::chrono::seconds(1);     ///< of the system's own timers
  Duration horizon = std::chrono::seconds(10);  ///< no fault begins or lasts beyond this
  std::vector<std::uint32_t> anchors;           ///< phases that faults may wait for
  double anchored = 0.5;                        ///< share of the faults that do
  std::uint32_t nth_max = 8;                    ///< how often such a phase is waited for, at most
  std::uint32_t victims_max = 0;                ///< nodes that crash or pause together, at most
  ByzantineSpace liars;

  /// Of faults of which nobody lies.
  std::uint32_t total() const;
  bool has_families() const { return !families.empty(); }
  bool empty() const { return families.empty() && liars.empty(); }
};

/// Reads [schedule.faults]; throws InputError. The first `exposed` of the nodes may be hit.
FaultSpace read_fault_space(const Options& options, const SystemDescription& description,
                            std::size_t nodes, std::size_t exposed);

/// Of the families.
Fault random_fault(const FaultSpace& space, std::size_t nodes, Random& random);
/// A neighbour of a fault of the space: it begins or ends at another moment, waits for another one,
/// or hits others.
Fault varied_fault(const Fault& fault, const FaultSpace& space, std::size_t nodes, Random& random);

/// What liars do, and a number of faults that have nothing to do with each other.
std::vector<Fault> random_plan(const FaultSpace& space, std::size_t nodes, std::size_t exposed,
                               Random& random);
/// Faults of the families in the order of a story. Chains: each time that a phase is entered,
/// whoever entered it is cut off or goes down with some others, for about as long as the next one
/// takes. Relays: the same, but one trouble ends as the next begins, so that nobody is kept away
/// for long. Waves: by the clock, trouble and calm take turns. Else as in random_plan.
enum class Story : std::uint8_t { independent, chain, waves, relay };
inline constexpr std::size_t kStories = 4;
std::vector<Fault> random_story(const FaultSpace& space, std::size_t nodes, Story story,
                                Random& random);

/// The faults, in their order, that the families of the space admit beside those before them.
std::vector<Fault> admitted(const std::vector<Fault>& plan, const FaultSpace& space);
/// The same for the whole space; everything where it is empty: a strategy of the user's own draws.
std::vector<Fault> admitted_plan(const std::vector<Fault>& plan, const FaultSpace& space,
                                 std::size_t nodes);

}  // namespace dissensus::faults
