// The hunts of a store as JSON (docs/formats/api.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "serve/campaign.h"

namespace dissensus::serve {

/// All hunts in short: what a list of them shows, and what is said again when it changes.
std::string hunts_json(const CampaignState& state);
/// One hunt: findings, yield by search and by origin, coverage and margins over its course. `hunt`
/// counts from 1, as in STORE#HUNT/RUN. Throws InputError where there is none.
std::string hunt_json(const CampaignState& state, std::size_t hunt);
/// Runs of a hunt that a filter leaves, in an order, a page of them. Keys of `query`: outcome,
/// signature, member, origin, stability, sort, order, from, count.
std::string items_json(const CampaignState& state, std::size_t hunt,
                       const std::map<std::string, std::string>& query);

/// Which hunt of which campaign.
struct HuntRef {
  const Campaign* campaign = nullptr;
  std::size_t hunt = 1;
};
/// Two hunts side by side, with the tests that say whether the difference may be chance.
std::string compare_hunts_json(const HuntRef& first, const HuntRef& second);

}  // namespace dissensus::serve
