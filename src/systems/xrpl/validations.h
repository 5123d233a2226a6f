// The validation store of one node (consensus.md 11.1 to 11.5).
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "dissensus/ids.h"

#include "systems/xrpl/messages.h"
#include "systems/xrpl/parameters.h"
#include "systems/xrpl/preferred_branch.h"

namespace dissensus::xrpl {

enum class ValidationStatus : std::uint8_t { current, stale, bad_seq, multiple, conflicting };
std::string_view to_string(ValidationStatus status);

/// Votes of a laggard count (6.8).
struct LaggardCount {
  std::size_t laggards = 0;
  std::size_t offline = 0;
};

/// What the store needs of its node: which ledgers it holds, and a way to get more.
class LedgerSource {
 public:
  virtual ~LedgerSource() = default;
  /// The ledger if this node holds it, else null.
  virtual const Ledger* held_ledger(const Digest& id) = 0;
  /// As held_ledger, and starts to acquire it where it is not held.
  virtual const Ledger* obtain_ledger(const Digest& id, std::uint32_t seq) = 0;

  // Steps that a formal model knows (specs/xrpl).
  virtual void on_counted(const Validation& /*validation*/) {}
  /// The ledger that a validator now counts behind; null: none.
  virtual void on_tip(NodeId /*validator*/, const Ledger* /*ledger*/) {}
};

class Validations {
 public:
  /// `trusted` marks the validators whose votes count, the node itself included.
  Validations(const Parameters& parameters, LedgerSource& source, NodeId self,
              const std::vector<bool>& trusted);

  bool is_trusted(NodeId origin) const { return trusted_[origin]; }
  /// 11.2 step 1, with the node's closeTime().
  bool is_current(const Validation& validation, NetTime seen, NetTime now) const;

  /// Stores the validation of a trusted validator.
  ValidationStatus add(const Validation& validation, NetTime seen, NetTime now);

  /// True when this node may still issue a validation of `seq`; remembers that it did.
  bool may_issue(std::uint32_t seq, NetTime now);
  std::uint32_t largest_issued() const { return enforcers_[self_].largest; }

  /// Trusted full validations of a ledger; with a sequence, only those that name it.
  std::size_t count_full(const Digest& ledger) const;
  std::size_t count_full(const Digest& ledger, std::uint32_t seq) const;

  /// getPreferred (11.5): the id to work on and its sequence, given the ledger worked on now.
  struct Preferred {
    Digest id;
    std::uint32_t seq = 0;
    bool any = false;  ///< false: no validator has an opinion
  };
  Preferred preferred(const Ledger& current, NetTime now);
  /// With minSeq.
  Digest preferred_id(const Ledger& current, std::uint32_t min_seq, NetTime now);

  /// Trusted validators that have left `id` behind (11.4); `held` is the ledger worked on.
  std::size_t finished(const Ledger& held, const Digest& id, NetTime now);

  /// Trusted validators that lag behind `seq`, and those without a fresh validation (6.8).
  LaggardCount laggards(std::uint32_t seq, NetTime now) const;

  /// Ledgers with the number of current trusted full validations (10.6).
  struct CurrentVotes {
    Digest ledger;
    std::uint32_t seq = 0;
    std::size_t count = 0;
  };
  void current_votes(std::vector<CurrentVotes>& votes, NetTime now) const;

 private:
  struct Current {
    Digest ledger;
    NetTime sign_time = 0;
    NetTime seen = 0;
    const Ledger* tip = nullptr;  ///< contribution to the tips
    std::uint32_t seq = 0;
    bool present = false;
    bool full = false;
  };
  struct Enforcer {
    std::uint32_t largest = 0;
    NetTime last_success = 0;
  };
  /// One validator's entry of bySequence.
  struct SequenceEntry {
    Digest ledger;
    NetTime sign_time = 0;
    std::uint64_t cookie = 0;
    std::uint32_t seq = 0;
  };
  struct Ballot {
    std::uint32_t seq = 0;
    bool present = false;
    bool full = false;
  };
  struct LedgerVotes {
    Digest ledger;
    NetTime last_use = 0;
    std::size_t full = 0;         ///< ballots that are full, whatever their sequence
    std::vector<Ballot> ballots;  ///< by validator
  };
  struct Pending {
    Digest ledger;
    std::uint32_t seq = 0;
    std::vector<NodeId> nodes;
  };

  static constexpr std::size_t kSequencesKept = 16;
  /// Ledgers whose votes are kept; rippled keeps what was used in the last ten minutes.
  static constexpr std::size_t kLedgersKept = 64;

  bool enforce(Enforcer& enforcer, std::uint32_t seq, NetTime now) const;
  ValidationStatus rejected_status(const Validation& validation, const SequenceEntry& entry) const;
  SequenceEntry& sequence_entry(const Validation& validation);
  LedgerVotes& votes_of(const Digest& ledger, NetTime now);
  const LedgerVotes* find_votes(const Digest& ledger) const;
  void feed_tips(NodeId origin, const Validation& validation, const Digest& prior);
  void set_tip(NodeId origin, const Ledger* ledger);
  void retry_pending();
  void drop_pending(NodeId origin, const Digest& ledger);
  void expire(NetTime now);

  const Parameters& parameters_;
  LedgerSource& source_;
  NodeId self_;
  const std::vector<bool>& trusted_;
  std::vector<NodeId> trusted_nodes_;
  std::vector<Current> current_;
  std::vector<Enforcer> enforcers_;
  std::vector<SequenceEntry> by_sequence_;  ///< kSequencesKept per validator
  std::deque<LedgerVotes> by_ledger_;       ///< oldest first
  std::vector<Pending> pending_;
  Tips tips_;
  NetTime oldest_sign_time_ = 0;
};

}  // namespace dissensus::xrpl
