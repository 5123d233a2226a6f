// What view changes may say and what follows from them, as pure functions (OSDI '99, section 4.4).
#pragma once

#include <span>
#include <vector>

#include "systems/pbft/messages.h"
#include "systems/pbft/settings.h"

namespace dissensus::pbft {

bool is_valid(const ViewChange& change, const Settings& settings);

/// What a new view begins with.
struct Start {
  StableCheckpoint stable;          ///< the newest one of the view changes: min-s
  std::uint64_t last = 0;           ///< the highest number in use: max-s
  std::vector<Proposal> proposals;  ///< O: one for each number in between
};
Start start_of(std::span<const ViewChange> changes, const Settings& settings);

/// A quorum of different replicas wants this view, and the proposals follow from what they say.
bool is_valid(const NewView& new_view, const Settings& settings);

}  // namespace dissensus::pbft
