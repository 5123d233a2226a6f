#include "systems/live/watch.h"

#include <utility>

#include "systems/live/wire/messages.h"

namespace dissensus::live {

namespace {
template <class Item>
void keep(std::deque<Item>& items, Item item, std::size_t most) {
  items.push_back(std::move(item));
  if (items.size() > most) items.pop_front();
}
}  // namespace

Watch::Watch(std::vector<PublicKey> validators)
    : validators_(std::move(validators)), nodes_(validators_.size()) {}

void Watch::on_frame(NodeId from, const Frame& frame) {
  State& state = nodes_[from];
  if (frame.type == FrameType::status_change) {
    const auto status = std::get<StatusChange>(decode(frame));
    if (status.event != NodeEvent::accepted_ledger || !status.ledger_hash || !status.ledger_seq ||
        !status.previous_hash) {
      return;
    }
    // The same message goes to every peer.
    if (!state.built.empty() && state.built.back().ledger == *status.ledger_hash) return;
    keep(state.built, {*status.ledger_hash, *status.previous_hash, *status.ledger_seq}, kKept);
  } else if (frame.type == FrameType::propose_ledger) {
    const auto proposal = std::get<Proposal>(decode(frame));
    if (proposal.node_key != validators_[from]) return;  // passed on for another
    if (proposal.propose_seq == kBowOutSequence) return;
    const Proposed last = state.proposed.empty() ? Proposed{} : state.proposed.back();
    if (last.position == proposal.transaction_set && last.previous == proposal.previous_ledger) {
      return;
    }
    keep(state.proposed, {proposal.transaction_set, proposal.previous_ledger}, kKept);
  }
}

}  // namespace dissensus::live
