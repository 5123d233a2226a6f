// The fully validated chain as one node sees it (consensus.md 11.6 and 11.7).
#pragma once

#include <algorithm>
#include <cstdint>

#include "systems/xrpl/ledger.h"
#include "systems/xrpl/parameters.h"

namespace dissensus::xrpl {

/// Validations needed for a ledger to be fully validated, in single precision as in 11.6.
inline std::size_t validation_quorum(const Parameters& parameters, std::size_t unl) {
  const auto share_up = [unl](double share) {
    const float product = static_cast<float>(share) * static_cast<float>(unl);
    const auto whole = static_cast<std::size_t>(product);
    return whole + (static_cast<float>(whole) < product ? 1u : 0u);
  };
  return std::max<std::size_t>(
      1, std::max(share_up(parameters.quorum), share_up(parameters.quorum_floor)));
}

struct ValidatedChain {
  const Ledger* valid = nullptr;  ///< last fully validated ledger
  /// lastValidPair: the last (hash, seq) that validations with quorum named.
  Digest pair_id;
  std::uint32_t pair_seq = 0;
  std::uint32_t building_seq = 0;  ///< not 0 while a round is establishing or building

  std::uint32_t valid_seq() const { return valid == nullptr ? 0 : valid->seq; }

  bool can_be_current(const Ledger& ledger, NetTime now) const {
    constexpr NetTime kMaxAge = 300;
    constexpr std::uint32_t kEarlySeq = 10;
    if (ledger.seq < valid_seq()) return false;
    if (valid != nullptr || ledger.seq > kEarlySeq) {
      const NetTime age = now - ledger.parent_close_time;
      if (age > kMaxAge || age < -kMaxAge) return false;
    }
    if (valid == nullptr) return true;
    const NetTime elapsed = std::max<NetTime>(0, now - valid->parent_close_time);
    return NetTime{ledger.seq} <= NetTime{valid->seq} + kEarlySeq + elapsed / 2;
  }

  bool is_compatible(const Ledger& ledger) const {
    return agrees_with_valid(ledger) && agrees_with_pair(ledger);
  }

 private:
  bool agrees_with_valid(const Ledger& ledger) const {
    if (valid == nullptr) return true;
    const Ledger& older = ledger.seq < valid->seq ? ledger : *valid;
    const Ledger& newer = ledger.seq < valid->seq ? *valid : ledger;
    const Ledger* ancestor = ancestor_at(newer, older.seq);
    return ancestor == nullptr || ancestor == &older;
  }
  bool agrees_with_pair(const Ledger& ledger) const {
    if (pair_seq == 0 || ledger.seq < pair_seq) return true;
    const Ledger* ancestor = ancestor_at(ledger, pair_seq);
    return ancestor == nullptr || ancestor->id == pair_id;
  }
};

}  // namespace dissensus::xrpl
