// What one run knows of its network: who is who, full hashes behind digests, ledgers by hash.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "dissensus/digest.h"
#include "dissensus/ids.h"

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

/// The first half: enough to tell contents apart.
Digest to_digest(const Hash256& hash);

/// One thread. Servers number ledgers from their own start; runs number them from the scenario's
/// `ledger` on, so that goals and rounds mean the same in every run and in the simulator.
class RunBook {
 public:
  /// Validator keys by node.
  explicit RunBook(std::vector<KeyPair> validators) : validators_(std::move(validators)) {}

  /// kNoNode for a stranger.
  NodeId node_of(const PublicKey& validator) const;
  const KeyPair& validator(NodeId node) const { return validators_[node]; }

  /// The ledger `real` of the servers is the ledger `of_run` of the run.
  void align(std::uint32_t real, std::uint32_t of_run) {
    shift_ = std::int64_t{of_run} - std::int64_t{real};
  }
  /// 0 stays 0, the absence of a sequence.
  std::uint32_t to_run(std::uint32_t real) const { return shifted(real, shift_); }
  std::uint32_t to_real(std::uint32_t of_run) const { return shifted(of_run, -shift_); }

  /// Remembers the hash behind the digest that it returns.
  Digest note(const Hash256& hash);
  /// The hash that was noted; for a digest that nobody has seen, one that begins like it.
  Hash256 full(const Digest& digest) const;

  struct Ledger {
    std::uint32_t seq = 0;  ///< the servers' number
    Hash256 parent{};
  };
  void note_ledger(const Hash256& hash, const Ledger& ledger) { ledgers_[hash] = ledger; }
  const Ledger* ledger(const Hash256& hash) const;

  /// Frames that a fault of the schedule made. Their supposed author never gets them back: it would
  /// take them for the message of another server.
  void note_forged(const Digest& frame) { forged_.insert(frame); }
  bool is_forged(const Digest& frame) const { return forged_.contains(frame); }
  std::size_t forged_count() const { return forged_.size(); }

 private:
  static std::uint32_t shifted(std::uint32_t seq, std::int64_t shift);

  std::vector<KeyPair> validators_;
  std::int64_t shift_ = 0;
  std::map<Digest, Hash256> hashes_;
  std::map<Hash256, Ledger> ledgers_;
  std::set<Digest> forged_;
};

}  // namespace dissensus::live
