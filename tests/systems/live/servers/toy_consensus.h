// The consensus of the stand-in server: rounds of proposals and validations in the real messages,
// with rules simple enough to be read at a glance. A round is open for a while, then positions are
// proposed; a position that 80 % of the trusted share becomes a ledger; a ledger that 80 % validate
// is validated. Who is behind asks for a ledger that 80 % have validated and switches to it; who is
// stuck follows the ledger that most have validated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "systems/live/servers/toy_ledger.h"
#include "systems/live/wire/frame.h"
#include "systems/live/wire/keys.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live::toy {

using LinkNumber = std::uint64_t;
inline constexpr LinkNumber kNoLink = 0;

/// How the consensus reaches the world.
struct Outside {
  std::function<void(const Frame&, LinkNumber except)> broadcast;
  std::function<void(LinkNumber, const Frame&)> send;
  std::function<void(const nlohmann::json&)> emit;  ///< a stream message
  std::function<std::size_t()> links;
};

class Consensus {
 public:
  Consensus(KeyPair validator, std::set<PublicKey> trusted, bool proposes, Outside outside);

  void tick();
  /// Throws WireError for what breaks the protocol.
  void receive(LinkNumber link, const Frame& frame);
  /// The preliminary result.
  std::string submit(const Bytes& blob);

  std::string server_state() const;
  std::size_t quorum() const { return quorum_ != 0 ? quorum_ : (trusted_.size() * 4 + 4) / 5; }
  /// Another one than 80 % of the trusted.
  void set_quorum(std::size_t quorum) { quorum_ = quorum; }
  const Ledger& closed() const { return ledgers_.at(closed_); }
  const Ledger* validated() const;
  /// Nothing if it is not kept (any more).
  const Ledger* ledger(std::uint32_t sequence) const;
  /// The closed ledger with everything that waits applied.
  Accounts open_accounts() const;

 private:
  void handle(LinkNumber link, const Frame& frame, const Proposal& proposal);
  void handle(LinkNumber link, const Frame& frame, const ValidationMessage& message);
  void handle(LinkNumber link, const Frame& frame, const TransactionMessage& message);
  void handle(LinkNumber link, const Frame& frame, const StatusChange& status);
  void handle(LinkNumber link, const Frame& frame, const HaveSet& have);
  void handle(LinkNumber link, const Frame& frame, const GetLedger& request);
  void handle(LinkNumber link, const Frame& frame, const LedgerData& data);
  void handle(LinkNumber link, const Frame& frame, const Ping& ping);
  template <typename Other>
  void handle(LinkNumber, const Frame&, const Other&) {}

  bool first_time(const Hash256& id);
  void enter(const char* phase);
  void close_ledger();
  void propose(const Hash256& set);
  void establish();
  void follow_plurality();
  void accept(const Hash256& set);
  void validate(const Ledger& ledger);
  void adopt(Ledger ledger, NodeEvent event);
  void count_validation(const PublicKey& key, const Hash256& hash, std::uint32_t sequence);
  void catch_up();
  void publish(const Hash256& hash);
  void tell_status(NodeEvent event);
  void prune();

  KeyPair validator_;
  std::set<PublicKey> trusted_;
  std::size_t quorum_ = 0;  ///< 0: 80 %
  bool proposes_;
  Outside outside_;

  std::map<Hash256, Ledger> ledgers_;
  Hash256 closed_;
  Hash256 validated_{};
  TransactionSet waiting_;  // for a ledger
  std::map<Hash256, TransactionSet> sets_;
  std::map<Hash256, std::map<PublicKey, Proposal>> proposals_;  // by previous ledger
  struct Votes {
    std::uint32_t sequence = 0;
    std::set<PublicKey> keys;
  };
  std::map<Hash256, Votes> validations_;  // by ledger
  std::set<Hash256> seen_;

  bool establishing_ = false;
  unsigned ticks_ = 0;  // in this phase
  Hash256 position_{};
  std::uint32_t propose_seq_ = 0;
};

}  // namespace dissensus::live::toy
