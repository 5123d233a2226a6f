// Close times (consensus.md 3.4 and 9).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "systems/xrpl/parameters.h"

namespace dissensus::xrpl {

/// 0 means "no agreement on a time" and stays 0.
constexpr NetTime round_close_time(NetTime time, NetTime resolution) {
  if (time == 0) return 0;
  const NetTime shifted = time + resolution / 2;
  return shifted - shifted % resolution;
}

constexpr NetTime effective_close_time(NetTime time, NetTime resolution, NetTime prior) {
  if (time == 0) return 0;
  return std::max(round_close_time(time, resolution), prior + 1);
}

inline constexpr std::array<std::uint8_t, 6> kResolutions{10, 20, 30, 60, 90, 120};

/// Resolution of the ledger with sequence `seq` whose parent has this resolution and agree flag.
constexpr std::uint8_t next_resolution(std::uint8_t parent, bool parent_agree, std::uint32_t seq) {
  for (std::size_t step = 0; step < kResolutions.size(); ++step) {
    if (kResolutions[step] != parent) continue;
    if (!parent_agree) return kResolutions[std::min(step + 1, kResolutions.size() - 1)];
    if (seq % 8 == 0) return kResolutions[step == 0 ? 0 : step - 1];
  }
  return parent;
}

/// How far closeOffset moves after a round in which the average close time was `offset` seconds
/// after our own (consensus.md 2).
constexpr std::int64_t next_close_offset(std::int64_t close_offset, std::int64_t offset) {
  if (offset > 1) return close_offset + (offset + 3) / 4;
  if (offset < -1) return close_offset + (offset - 3) / 4;
  return close_offset * 3 / 4;
}

}  // namespace dissensus::xrpl
