// What kinds of faults there are, and what each of them needs of the nodes. One table: readers of
// schedules and scenarios, random plans and the documents go by it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dissensus/description.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// A kind of fault, or a way to ask for one that needs more than the others: a row of the table.
struct FaultKind {
  std::string_view name;     ///< in a schedule: its type, and what of it
  std::string_view key;      ///< that asks for it, below the fault
  Offers needs;              ///< of the nodes; none: possible everywhere
  std::string_view instead;  ///< what is possible where they do not offer that
};
std::span<const FaultKind> fault_kinds();

bool is_possible(const FaultKind& kind, const Offers& offers);

/// What the nodes of a system offer: what those of their kind do, as far as the system's own
/// description bears it out.
Offers offers_of(const SystemDescription& description);

/// Why a fault cannot be carried out.
struct Obstacle {
  std::string_view key;  ///< of the fault, that asks for it
  std::string text;      ///< what is expected in its place, for people
};
/// Nothing: it can be.
std::optional<Obstacle> obstacle_to(const Fault& fault, const SystemDescription& description);
/// The same for a row of the table, by its name.
std::optional<Obstacle> obstacle_to_kind(std::string_view name,
                                         const SystemDescription& description);

/// The table by kinds of nodes, as Markdown (docs/results/verdicts.md).
std::string kinds_table();

}  // namespace dissensus::faults
