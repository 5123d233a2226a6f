// One disputed transaction and the votes on it (consensus.md 8 and 15.3).
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/ids.h"

#include "systems/xrpl/parameters.h"
#include "systems/xrpl/transaction.h"

namespace dissensus::xrpl {

/// Stages of the avalanche; from 2.5.0 on each dispute is in one of them.
enum class AvalancheState : std::uint8_t { init, mid, late, stuck };

/// The needed percentage and state for this much convergence, without memory of earlier ticks.
struct Avalanche {
  AvalancheState state;
  std::int64_t percent;
};
Avalanche avalanche_at(const Parameters& parameters, std::int64_t converge_percent);

class Dispute {
 public:
  Dispute(TxIndex tx, bool our_vote, std::size_t nodes) : votes_(nodes), tx_(tx), ours_(our_vote) {}

  TxIndex tx() const { return tx_; }
  bool our_vote() const { return ours_; }
  std::size_t yes() const { return yes_; }
  std::size_t no() const { return no_; }

  /// Records a peer's vote; true when it is new or changed.
  bool set_vote(NodeId peer, bool yes);
  void withdraw(NodeId peer);

  /// 8.3; true when our vote changed.
  bool update_vote(const Parameters& parameters, std::int64_t converge_percent, bool proposing);

  /// 15.3: nothing will change on this one any more. `peers_unchanged` counts establish ticks.
  bool is_stalled(const Parameters& parameters, bool proposing, std::int64_t peers_unchanged) const;

 private:
  enum class Vote : std::uint8_t { none, yes, no };
  std::int64_t threshold(const Parameters& parameters, std::int64_t converge_percent);

  std::vector<Vote> votes_;
  std::size_t yes_ = 0;
  std::size_t no_ = 0;
  std::int64_t rounds_in_state_ = 0;
  std::int64_t rounds_with_vote_ = 0;
  TxIndex tx_;
  AvalancheState state_ = AvalancheState::init;
  bool ours_;
};

}  // namespace dissensus::xrpl
