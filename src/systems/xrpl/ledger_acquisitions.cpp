#include <algorithm>

#include "systems/xrpl/acquisition.h"

namespace dissensus::xrpl {

LedgerAcquisitions::Entry* LedgerAcquisitions::find(const Digest& id) {
  for (Entry& entry : entries_) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

void LedgerAcquisitions::erase(const Digest& id) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.id == id; });
}

void LedgerAcquisitions::acquire(const Digest& id, std::uint32_t seq) {
  if (const Entry* known = find(id); known != nullptr) {
    const Duration memory = std::chrono::milliseconds(parameters_.ledger_failure_memory_ms);
    if (!known->failed || host_.steady_now() < known->failed_at + memory) return;
    erase(id);
  }
  Entry& entry = entries_.emplace_back();
  entry.id = id;
  entry.seq = seq;
  entry.timer = ++timers_;
  add_peers(entry, static_cast<std::size_t>(parameters_.ledger_acquire_start_peers));
  host_.arm_ledger_timer(entry.timer, 0);
}

void LedgerAcquisitions::add_peers(Entry& entry, std::size_t count) {
  const std::size_t before = entry.peers.size();
  choose_peers(host_.peer_ids(), host_.peer_table().ledgers, entry.id, count, host_.random(),
               entry.peers);
  for (std::size_t i = before; i < entry.peers.size(); ++i) request(entry, entry.peers[i]);
}

void LedgerAcquisitions::request(const Entry& entry, NodeId peer) {
  GetLedger message;
  message.item = entry.stage;
  message.hash = entry.id;
  message.ledger_seq = entry.stage == ItemType::base ? 0 : entry.seq;
  message.indirect = entry.timeouts != 0;
  host_.request(peer, message);
}

void LedgerAcquisitions::tick(std::uint32_t timer) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [timer](const Entry& entry) {
    return entry.timer == timer && !entry.failed;
  });
  if (found == entries_.end()) return;
  Entry& entry = *found;
  if (host_.holds_ledger(entry.id)) {
    erase(Digest{entry.id});
    return;
  }
  if (entry.progress) {
    // What arrived was asked on for already.
    entry.progress = false;
    host_.arm_ledger_timer(entry.timer, parameters_.ledger_acquire_tick_ms);
    return;
  }
  ++entry.timeouts;
  if (entry.timeouts > parameters_.ledger_acquire_max_timeouts) {
    entry.failed = true;
    entry.failed_at = host_.steady_now();
    host_.acquisition_failed(entry.id, false);
    return;
  }
  for (const NodeId peer : entry.peers) request(entry, peer);
  add_peers(entry, static_cast<std::size_t>(parameters_.ledger_acquire_added_peers));
  host_.arm_ledger_timer(entry.timer, parameters_.ledger_acquire_tick_ms);
}

void LedgerAcquisitions::data(NodeId from, const LedgerData& message) {
  Entry* entry = find(message.hash);
  if (entry == nullptr || entry->failed || message.ledger == nullptr) return;
  if (message.ledger->id != message.hash || message.item != entry->stage) return;
  const Ledger& ledger = *message.ledger;
  if (host_.holds_ledger(entry->id)) {
    // Built here in the meantime: once the header is known, nothing of it is missing.
    erase(Digest{entry->id});
    return;
  }
  entry->progress = true;
  entry->seq = ledger.seq;
  if (entry->stage == ItemType::base) {
    entry->stage = ItemType::state;
    request(*entry, from);
    return;
  }
  if (entry->stage == ItemType::state && !ledger.applied.empty()) {
    entry->stage = ItemType::transactions;
    request(*entry, from);
    return;
  }
  erase(Digest{entry->id});
  host_.ledger_acquired(ledger);
}

}  // namespace dissensus::xrpl
