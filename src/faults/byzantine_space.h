// Random fault plans: ByzzFuzz and its relatives, as [schedule.faults.liars] of a
// scenario asks for, or [schedule.byzantine], its older name.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dissensus/description.h"
#include "dissensus/faults.h"
#include "dissensus/options.h"
#include "dissensus/random.h"

#include "faults/draw.h"

namespace dissensus::faults {

/// Which plans are drawn. All numbers are per plan.
struct ByzantineSpace {
  std::uint32_t process_faults = 0;  ///< c: rounds in which a liar's messages are changed
  std::uint32_t network_faults = 0;  ///< d: rounds with a partition
  std::uint32_t replays = 0;         ///< rounds in which a liar repeats an earlier message
  std::uint32_t silences = 0;        ///< rounds in which receivers miss a liar's messages
  std::uint32_t twins = 0;           ///< nodes that exist twice
  std::uint64_t first_round = 1;     ///< protocol rounds, both included
  std::uint64_t last_round = 10;
  MutationScope scope = MutationScope::small;
  NodeSet liars;                     ///< who may lie
  std::uint32_t liars_per_plan = 1;  ///< how many of them do
  std::vector<NodeSet> receivers;    ///< receivers are drawn from one of these; empty: from all
  double drop = 0;                   ///< naive baseline, for each liar
  double corrupt = 0;
  Duration skew_max{};                    ///< a liar's clock is off by at most this
  std::optional<Duration> twins_apart{};  ///< until when the sides of twins do not hear each other

  bool empty() const {
    return process_faults + network_faults + replays + silences + twins == 0 && drop == 0 &&
           corrupt == 0 && skew_max == Duration{};
  }
  /// How many faults of a kind a plan may hold, and how many in all.
  std::size_t most(const FaultKind& kind, std::size_t nodes) const;
  std::size_t plan_size_max(std::size_t nodes) const;
};

/// Throws InputError.
ByzantineSpace read_byzantine_space(const Options& options, const SystemDescription& description,
                                    std::size_t nodes);

/// Rounds are drawn with repetition, and what falls on the same round of the same kind of fault is
/// one fault, as in the public tool; so a plan may hold fewer faults than asked for.
std::vector<Fault> random_faults(const ByzantineSpace& space, std::size_t nodes, Random& random);
/// One fault of such a plan.
Fault random_fault(const ByzantineSpace& space, std::size_t nodes, Random& random);

/// The faults, in their order, that the space admits beside those before them: no more of a kind
/// and no more liars than a drawn plan would have. More liars than that would prove nothing.
std::vector<Fault> admitted(const std::vector<Fault>& plan, const ByzantineSpace& space,
                            std::size_t nodes);

}  // namespace dissensus::faults
