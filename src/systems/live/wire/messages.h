// What frames say (xrpl/peer-protocol.md 6): plain values, decoded from and encoded to frames.
//
// A frame that is not changed is forwarded as it came; encoding is for what was changed or made
// here. Fields that this file does not know are kept as bytes and written again at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/frame.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

/// Seconds between 1970 and the ledger's own epoch, 2000-01-01.
inline constexpr std::int64_t kNetworkEpochSeconds = 946684800;

/// `propose_seq` of a node that leaves the round.
inline constexpr std::uint32_t kBowOutSequence = 0xFFFFFFFF;

struct Proposal {
  static constexpr FrameType kType = FrameType::propose_ledger;
  std::uint32_t propose_seq = 0;
  Hash256 transaction_set{};  ///< the position: currentTxHash
  PublicKey node_key{};       ///< of the validator
  std::uint32_t close_time = 0;
  Bytes signature{};
  Hash256 previous_ledger{};
  std::optional<bool> checked_signature{};
  std::vector<Bytes> added_transactions{};
  std::vector<Bytes> removed_transactions{};
  std::optional<std::uint32_t> hops{};
  std::string unknown_fields{};
  friend bool operator==(const Proposal&, const Proposal&) = default;
};

enum class NodeStatus : std::uint8_t {
  connecting = 1,
  connected = 2,
  monitoring = 3,
  validating = 4,
  shutting = 5,
};
enum class NodeEvent : std::uint8_t {
  closing_ledger = 1,
  accepted_ledger = 2,
  switched_ledger = 3,
  lost_sync = 4,
};

struct StatusChange {
  static constexpr FrameType kType = FrameType::status_change;
  std::optional<NodeStatus> status{};
  std::optional<NodeEvent> event{};
  std::optional<std::uint32_t> ledger_seq{};
  std::optional<Hash256> ledger_hash{};
  std::optional<Hash256> previous_hash{};
  std::optional<std::uint64_t> network_time{};
  std::optional<std::uint32_t> first_seq{};
  std::optional<std::uint32_t> last_seq{};
  std::string unknown_fields{};
  friend bool operator==(const StatusChange&, const StatusChange&) = default;
};

/// The content is a serialized object: validation.h reads it.
struct ValidationMessage {
  static constexpr FrameType kType = FrameType::validation;
  Bytes validation{};
  std::optional<bool> checked_signature{};
  std::optional<std::uint32_t> hops{};
  std::string unknown_fields{};
  friend bool operator==(const ValidationMessage&, const ValidationMessage&) = default;
};

enum class TransactionStatus : std::uint8_t {
  fresh = 1,
  current = 2,
  committed = 3,
  rejected_conflict = 4,
  rejected_invalid = 5,
  rejected_funds = 6,
  held_sequence = 7,
  held_ledger = 8,
};

/// The content is a signed transaction: payment.h reads it.
struct TransactionMessage {
  static constexpr FrameType kType = FrameType::transaction;
  Bytes raw{};
  TransactionStatus status = TransactionStatus::current;
  std::optional<std::uint64_t> receive_timestamp{};
  std::optional<bool> deferred{};
  std::string unknown_fields{};
  friend bool operator==(const TransactionMessage&, const TransactionMessage&) = default;
};

enum class SetStatus : std::uint8_t { have = 1, can_get = 2, need = 3 };

struct HaveSet {
  static constexpr FrameType kType = FrameType::have_set;
  SetStatus status = SetStatus::have;
  Hash256 hash{};
  std::string unknown_fields{};
  friend bool operator==(const HaveSet&, const HaveSet&) = default;
};

enum class LedgerItem : std::uint8_t {
  base = 0,
  transaction_node = 1,
  state_node = 2,
  candidate_set = 3,
};
enum class LedgerKind : std::uint8_t { accepted = 0, current = 1, closed = 2 };

enum class QueryType : std::uint8_t { indirect = 0 };  ///< may be asked of others in turn

struct GetLedger {
  static constexpr FrameType kType = FrameType::get_ledger;
  LedgerItem item = LedgerItem::base;
  std::optional<LedgerKind> kind{};
  std::optional<Hash256> hash{};  ///< of the ledger, or of the candidate set
  std::optional<std::uint32_t> ledger_seq{};
  std::vector<Bytes> node_ids{};  ///< path prefix of 32 bytes and depth
  std::optional<std::uint64_t> request_cookie{};
  std::optional<QueryType> query_type{};
  std::optional<std::uint32_t> query_depth{};
  std::string unknown_fields{};
  friend bool operator==(const GetLedger&, const GetLedger&) = default;
};

struct LedgerNode {
  Bytes data{};
  std::optional<Bytes> id{};  ///< none for base data
  std::string unknown_fields{};
  friend bool operator==(const LedgerNode&, const LedgerNode&) = default;
};
enum class ReplyError : std::uint8_t { no_ledger = 1, no_node = 2, bad_request = 3 };

struct LedgerData {
  static constexpr FrameType kType = FrameType::ledger_data;
  Hash256 hash{};
  std::uint32_t ledger_seq = 0;
  LedgerItem item = LedgerItem::base;
  std::vector<LedgerNode> nodes{};
  std::optional<std::uint32_t> request_cookie{};
  std::optional<ReplyError> error{};
  std::string unknown_fields{};
  friend bool operator==(const LedgerData&, const LedgerData&) = default;
};

struct Ping {
  static constexpr FrameType kType = FrameType::ping;
  bool pong = false;
  std::optional<std::uint32_t> seq{};
  std::optional<std::uint64_t> ping_time{};
  std::optional<std::uint64_t> net_time{};
  std::string unknown_fields{};
  friend bool operator==(const Ping&, const Ping&) = default;
};

struct Squelch {
  static constexpr FrameType kType = FrameType::squelch;
  bool squelch = false;
  PublicKey validator{};
  std::optional<std::uint32_t> duration_seconds{};
  std::string unknown_fields{};
  friend bool operator==(const Squelch&, const Squelch&) = default;
};

struct Manifests {
  static constexpr FrameType kType = FrameType::manifests;
  std::vector<Bytes> list{};  ///< serialized objects
  std::optional<bool> history{};
  std::string unknown_fields{};
  friend bool operator==(const Manifests&, const Manifests&) = default;
};

struct Endpoint {
  std::string address{};
  std::uint32_t hops = 0;
  std::string unknown_fields{};
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
struct Endpoints {
  static constexpr FrameType kType = FrameType::endpoints;
  std::uint32_t version = 2;
  std::vector<Endpoint> list{};
  std::string unknown_fields{};
  friend bool operator==(const Endpoints&, const Endpoints&) = default;
};

enum class ObjectType : std::uint8_t {
  unknown = 0,
  ledger = 1,
  transaction = 2,
  transaction_node = 3,
  state_node = 4,
  content = 5,
  fetch_pack = 6,
  transactions = 7,
};

struct IndexedObject {
  std::optional<Hash256> hash{};
  std::optional<Bytes> node_id{};
  std::optional<Bytes> index{};
  std::optional<Bytes> data{};
  std::optional<std::uint32_t> ledger_seq{};
  std::string unknown_fields{};
  friend bool operator==(const IndexedObject&, const IndexedObject&) = default;
};
struct GetObjects {
  static constexpr FrameType kType = FrameType::get_objects;
  ObjectType object_type = ObjectType::unknown;
  bool query = true;  ///< false: a reply
  std::optional<std::uint32_t> seq{};
  std::optional<Hash256> ledger_hash{};
  std::optional<bool> fat{};
  std::vector<IndexedObject> objects{};
  std::string unknown_fields{};
  friend bool operator==(const GetObjects&, const GetObjects&) = default;
};

struct ValidatorList {
  static constexpr FrameType kType = FrameType::validator_list;
  Bytes manifest{};
  Bytes blob{};
  Bytes signature{};
  std::uint32_t version = 1;
  std::string unknown_fields{};
  friend bool operator==(const ValidatorList&, const ValidatorList&) = default;
};

struct HaveTransactions {
  static constexpr FrameType kType = FrameType::have_transactions;
  std::vector<Hash256> hashes{};
  std::string unknown_fields{};
  friend bool operator==(const HaveTransactions&, const HaveTransactions&) = default;
};

struct Transactions {
  static constexpr FrameType kType = FrameType::transactions;
  std::vector<TransactionMessage> list{};
  std::string unknown_fields{};
  friend bool operator==(const Transactions&, const Transactions&) = default;
};

/// A type that nothing here reads.
struct OtherMessage {
  FrameType type{};
  friend bool operator==(const OtherMessage&, const OtherMessage&) = default;
};

using WireMessage =
    std::variant<OtherMessage, Proposal, StatusChange, ValidationMessage, TransactionMessage,
                 HaveSet, GetLedger, LedgerData, Ping, Squelch, Manifests, Endpoints, GetObjects,
                 ValidatorList, HaveTransactions, Transactions>;

/// Throws WireError if the payload is not of its type, a required field is missing, or a hash or
/// key has the wrong size. Contents of validations and transactions are not looked at.
WireMessage decode(const Frame& frame);

Frame encode(const Proposal& message);
Frame encode(const StatusChange& message);
Frame encode(const ValidationMessage& message);
Frame encode(const TransactionMessage& message);
Frame encode(const HaveSet& message);
Frame encode(const GetLedger& message);
Frame encode(const LedgerData& message);
Frame encode(const Ping& message);
Frame encode(const Squelch& message);
Frame encode(const Manifests& message);
Frame encode(const Endpoints& message);
Frame encode(const GetObjects& message);
Frame encode(const ValidatorList& message);
Frame encode(const HaveTransactions& message);
Frame encode(const Transactions& message);

/// xrpl/peer-protocol.md 7.3
Hash256 signing_digest(const Proposal& proposal);
/// Signs, as the owner of these keys.
void sign(Proposal& proposal, const KeyPair& keys);
bool verify(const Proposal& proposal);

/// By which servers recognise a message that they have already seen, whoever relays it.
Hash256 suppression_id(const Proposal& proposal);
Hash256 suppression_id(const ValidationMessage& message);
Hash256 suppression_id(const TransactionMessage& message);

}  // namespace dissensus::live
