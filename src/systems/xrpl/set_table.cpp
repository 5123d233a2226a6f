#include <algorithm>

#include "systems/xrpl/acquisition.h"

namespace dissensus::xrpl {

SetTable::Entry* SetTable::find_entry(const Digest& id) {
  for (Entry& entry : entries_) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

const TxSet* SetTable::find(const Digest& id) const {
  if (id.is_zero()) return &empty_;
  for (const Entry& entry : entries_) {
    if (entry.id == id) return entry.set;
  }
  return nullptr;
}

bool SetTable::has_failed(const Digest& id) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.id == id && entry.set == nullptr && entry.acquire.failed;
  });
}

const TxSet* SetTable::obtain(const Digest& id) {
  if (id.is_zero()) return &empty_;
  Entry* entry = find_entry(id);
  if (entry == nullptr) {
    entry = &entries_.emplace_back();
    entry->id = id;
    entry->round_seq = round_seq_;
    start(*entry);
    return nullptr;
  }
  entry->round_seq = round_seq_;
  if (entry->set == nullptr) {
    // stillNeed: neither version re-arms the timer or sends a request (12.1, B3).
    Acquire& acquire = entry->acquire;
    if (acquire.failed && parameters_.restart_acquisition) {
      acquire = {};
      start(*entry);
      return entry->set;
    }
    acquire.timeouts = std::min(acquire.timeouts, parameters_.set_acquire_normal_timeouts);
    if (parameters_.revive_acquisition) acquire.failed = false;
  }
  return entry->set;
}

bool SetTable::give(const TxSet& set) {
  if (set.id.is_zero()) return false;
  Entry* entry = find_entry(set.id);
  if (entry == nullptr) {
    entry = &entries_.emplace_back();
    entry->id = set.id;
  }
  entry->round_seq = round_seq_;
  if (entry->set != nullptr) return false;
  entry->set = &set;
  entry->acquire = {};
  return true;
}

void SetTable::new_round(std::uint32_t seq) {
  if (seq == round_seq_) return;
  round_seq_ = seq;
  const auto kept = static_cast<std::uint32_t>(parameters_.set_retention);
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.round_seq + kept < seq || entry.round_seq > seq + kept;
  });
}

void SetTable::start(Entry& entry) {
  entry.acquire.timer = ++timers_;
  add_peers(entry, static_cast<std::size_t>(parameters_.set_acquire_start_peers));
  host_.arm_set_timer(entry.acquire.timer, parameters_.set_acquire_tick_ms);
}

void SetTable::add_peers(Entry& entry, std::size_t count) {
  std::vector<NodeId>& peers = entry.acquire.peers;
  const std::size_t before = peers.size();
  choose_peers(host_.peer_ids(), host_.peer_table().sets, entry.id, count, host_.random(), peers);
  const std::vector<NodeId> added(peers.begin() + static_cast<std::ptrdiff_t>(before), peers.end());
  if (request(entry, added)) complete(entry);
}

bool SetTable::request(Entry& entry, std::span<const NodeId> peers) {
  Acquire& acquire = entry.acquire;
  if (acquire.tree != nullptr) {
    TxList missing;
    for (const TxIndex tx : acquire.tree->transactions) {
      if (!host_.knows_transaction(tx)) missing.push_back(tx);
    }
    if (missing.empty()) return true;
    if (acquire.wanted == nullptr || *acquire.wanted != missing) {
      acquire.wanted = host_.keep_list(std::move(missing));
    }
  }
  GetLedger message;
  message.item = ItemType::candidate;
  message.hash = entry.id;
  message.wanted = acquire.wanted;
  message.indirect = acquire.timeouts != 0;
  for (const NodeId peer : peers) host_.request(peer, message);
  return false;
}

void SetTable::complete(Entry& entry) {
  const TxSet& set = *entry.acquire.tree;
  entry.set = &set;
  entry.acquire = {};
  host_.set_acquired(set);
}

void SetTable::tick(std::uint32_t timer) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [timer](const Entry& entry) {
    return entry.set == nullptr && entry.acquire.timer == timer;
  });
  if (found == entries_.end()) return;
  Acquire& acquire = found->acquire;
  if (acquire.progress) {
    acquire.progress = false;
  } else {
    ++acquire.timeouts;
  }
  if (acquire.timeouts > parameters_.set_acquire_max_timeouts) {
    acquire.failed = true;
    acquire.timer = 0;
    host_.acquisition_failed(found->id, true);
    return;
  }
  host_.arm_set_timer(timer, parameters_.set_acquire_tick_ms);
  if (acquire.timeouts >= parameters_.set_acquire_normal_timeouts &&
      request(*found, acquire.peers)) {
    complete(*found);
    return;
  }
  add_peers(*found, static_cast<std::size_t>(parameters_.set_acquire_added_peers));
}

void SetTable::data(NodeId from, const LedgerData& message) {
  Entry* entry = find_entry(message.hash);
  if (entry == nullptr || entry->set != nullptr || entry->acquire.failed) return;
  if (message.tree != nullptr && message.tree->id == message.hash) {
    entry->acquire.tree = message.tree;
  }
  if (entry->acquire.tree == nullptr) return;
  const TxSet& tree = *entry->acquire.tree;
  if (message.leaves != nullptr) {
    for (const TxIndex tx : *message.leaves) {
      if (!tree.contains(tx) || host_.knows_transaction(tx)) continue;
      host_.learn_transaction(tx);
    }
    // Learning a transaction runs node code that may have touched the table.
    entry = find_entry(message.hash);
    if (entry == nullptr || entry->set != nullptr) return;
  }
  entry->acquire.progress = true;
  const NodeId peers[] = {from};
  if (request(*entry, peers)) complete(*entry);
}

}  // namespace dissensus::xrpl
