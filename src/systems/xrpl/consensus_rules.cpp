// The decisions of a round as functions of numbers (consensus.md 6.3, 6.7, 6.8).
#include <algorithm>

#include "systems/xrpl/consensus.h"

namespace dissensus::xrpl {
namespace {

constexpr std::int64_t kTenMinutesMs = 600'000;

bool reached(const Parameters& parameters, std::int64_t agree, std::int64_t total, bool count_self,
             std::int64_t round_ms, bool stalled) {
  if (total == 0) return !parameters.lone_node_waits || round_ms > parameters.max_consensus_ms;
  if (stalled) return true;
  if (count_self) {
    ++agree;
    ++total;
  }
  return agree * 100 / total >= parameters.min_consensus_percent;
}

bool expired(const Parameters& parameters, const ConsensusCounts& counts) {
  if (!parameters.avalanche_states) return false;
  const std::int64_t limit =
      std::clamp(counts.previous_round_ms * parameters.abandon_factor, parameters.max_consensus_ms,
                 std::max(parameters.max_consensus_ms, parameters.abandon_consensus_ms));
  return counts.round_ms > limit;
}

}  // namespace

ConsensusState check_consensus(const Parameters& parameters, const ConsensusCounts& counts) {
  if (counts.round_ms <= parameters.min_consensus_ms) return ConsensusState::no;
  if (counts.proposers < counts.previous_proposers * 3 / 4 &&
      counts.round_ms < counts.previous_round_ms + parameters.min_consensus_ms) {
    return ConsensusState::no;
  }
  if (reached(parameters, counts.agree, counts.proposers, counts.proposing, counts.round_ms,
              counts.stalled)) {
    return ConsensusState::yes;
  }
  if (reached(parameters, counts.finished, counts.proposers, false, counts.round_ms, false)) {
    return ConsensusState::moved_on;
  }
  return expired(parameters, counts) ? ConsensusState::expired : ConsensusState::no;
}

bool should_close(const Parameters& parameters, const CloseInputs& inputs) {
  if (inputs.previous_round_ms < -1000 || inputs.previous_round_ms > kTenMinutesMs ||
      inputs.since_close_ms > kTenMinutesMs) {
    return true;
  }
  if (inputs.closed + inputs.validated > inputs.previous_proposers / 2) return true;
  if (!inputs.any_transactions) return inputs.since_close_ms >= inputs.idle_ms;
  if (inputs.open_ms < parameters.min_close_ms) return false;
  return inputs.open_ms >= inputs.previous_round_ms / 2;
}

bool should_pause(const Parameters& parameters, const PauseInputs& inputs) {
  const std::uint32_t ahead = inputs.working_seq - std::min(inputs.valid_seq, inputs.working_seq);
  if (ahead == 0 || inputs.laggards == 0 || inputs.trusted == 0 || !inputs.is_validator ||
      !inputs.have_validated || inputs.round_ms > parameters.max_consensus_ms) {
    return false;
  }
  constexpr std::uint32_t kPhases = 5;
  const std::uint32_t phase = (ahead - 1) % kPhases;
  if (phase == 0) return inputs.laggards + inputs.offline + inputs.quorum > inputs.trusted;
  if (phase == kPhases - 1) return true;
  const auto total = static_cast<float>(inputs.trusted);
  const float quorum_ratio = static_cast<float>(inputs.quorum) / total;
  const float allowed = 1.0f - quorum_ratio;
  const float phase_factor = static_cast<float>(phase) / static_cast<float>(kPhases - 1);
  const std::size_t missing = std::min(inputs.trusted, inputs.laggards + inputs.offline);
  const float non_laggards = static_cast<float>(inputs.trusted - missing) / total;
  return non_laggards < quorum_ratio + allowed * phase_factor;
}

}  // namespace dissensus::xrpl
