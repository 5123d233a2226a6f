// Getting transaction sets and ledgers from peers (consensus.md 12).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/random.h"
#include "dissensus/time.h"

#include "systems/xrpl/messages.h"
#include "systems/xrpl/parameters.h"
#include "systems/xrpl/peers.h"

namespace dissensus::xrpl {

/// What acquisition needs of its node.
class AcquisitionHost {
 public:
  virtual ~AcquisitionHost() = default;
  virtual std::span<const NodeId> peer_ids() const = 0;
  virtual Random& random() = 0;
  virtual const PeerTable& peer_table() const = 0;
  virtual Time steady_now() const = 0;
  virtual void request(NodeId to, const GetLedger& message) = 0;
  /// Calls SetTable::tick or LedgerAcquisitions::tick with `id` after `delay_ms`.
  virtual void arm_set_timer(std::uint32_t id, std::int64_t delay_ms) = 0;
  virtual void arm_ledger_timer(std::uint32_t id, std::int64_t delay_ms) = 0;

  virtual bool knows_transaction(TxIndex tx) const = 0;
  /// A transaction was learnt from a set: it is also processed as if it had been relayed.
  virtual void learn_transaction(TxIndex tx) = 0;
  virtual const TxList* keep_list(TxList list) = 0;
  virtual void set_acquired(const TxSet& set) = 0;
  virtual bool holds_ledger(const Digest& id) const = 0;
  virtual void ledger_acquired(const Ledger& ledger) = 0;
  virtual void acquisition_failed(const Digest& id, bool is_set) = 0;
};

/// The table of transaction sets (12.1).
class SetTable {
 public:
  SetTable(const Parameters& parameters, AcquisitionHost& host, const TxSet& empty)
      : parameters_(parameters), host_(host), empty_(empty) {}

  /// getSet with acquire = true: the set or null.
  const TxSet* obtain(const Digest& id);
  /// A set made here; true when it was not in the table complete.
  bool give(const TxSet& set);
  /// The set if it is complete, for answering requests.
  const TxSet* find(const Digest& id) const;
  void new_round(std::uint32_t seq);
  void tick(std::uint32_t timer);
  void data(NodeId from, const LedgerData& message);
  bool has_failed(const Digest& id) const;

 private:
  struct Acquire {
    std::vector<NodeId> peers;
    std::int64_t timeouts = 0;
    const TxSet* tree = nullptr;  ///< known once the root has arrived
    const TxList* wanted = nullptr;
    std::uint32_t timer = 0;
    bool progress = false;
    bool failed = false;
  };
  struct Entry {
    Digest id;
    const TxSet* set = nullptr;
    Acquire acquire;
    std::uint32_t round_seq = 0;
  };

  Entry* find_entry(const Digest& id);
  void start(Entry& entry);
  void add_peers(Entry& entry, std::size_t count);
  /// Requests what is missing from these peers; true when nothing is missing any more.
  bool request(Entry& entry, std::span<const NodeId> peers);
  void complete(Entry& entry);

  const Parameters& parameters_;
  AcquisitionHost& host_;
  const TxSet& empty_;
  std::vector<Entry> entries_;
  std::uint32_t round_seq_ = 0;
  std::uint32_t timers_ = 0;
};

/// Ledgers under way (12.2): header, then state, then transactions.
class LedgerAcquisitions {
 public:
  LedgerAcquisitions(const Parameters& parameters, AcquisitionHost& host)
      : parameters_(parameters), host_(host) {}

  /// Starts unless it is under way or failed a short while ago.
  void acquire(const Digest& id, std::uint32_t seq);
  void tick(std::uint32_t timer);
  void data(NodeId from, const LedgerData& message);

 private:
  struct Entry {
    Digest id;
    std::vector<NodeId> peers;
    std::int64_t timeouts = 0;
    Time failed_at{};
    std::uint32_t seq = 0;
    std::uint32_t timer = 0;
    ItemType stage = ItemType::base;
    bool progress = false;
    bool failed = false;
  };

  Entry* find(const Digest& id);
  void erase(const Digest& id);
  void add_peers(Entry& entry, std::size_t count);
  void request(const Entry& entry, NodeId peer);

  const Parameters& parameters_;
  AcquisitionHost& host_;
  std::vector<Entry> entries_;
  std::uint32_t timers_ = 0;
};

}  // namespace dissensus::xrpl
