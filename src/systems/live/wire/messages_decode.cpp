// Frames to messages.
#include <limits>

#include <fmt/format.h>

#include "peer.pb.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live {

namespace {
[[noreturn]] void refuse(FrameType type, std::string_view what) {
  throw WireError(fmt::format("{}: {}", frame_type_text(type), what));
}

template <class Parsed>
Parsed parse(const Frame& frame) {
  Parsed parsed;
  const ByteView payload = frame.payload();
  const bool fits = payload.size() <= std::numeric_limits<int>::max();
  // The partial form, since the strict one writes to standard error.
  if (!fits || !parsed.ParsePartialFromArray(payload.data(), static_cast<int>(payload.size()))) {
    refuse(frame.type, "payload is not of this type");
  }
  if (!parsed.IsInitialized()) refuse(frame.type, "a required field is missing");
  return parsed;
}

Bytes bytes_of(const std::string& content) {
  return {content.begin(), content.end()};
}

std::vector<Bytes> list_of(const google::protobuf::RepeatedPtrField<std::string>& contents) {
  std::vector<Bytes> result;
  result.reserve(static_cast<std::size_t>(contents.size()));
  for (const std::string& content : contents) result.push_back(bytes_of(content));
  return result;
}

Hash256 hash_of(const std::string& content, FrameType type, std::string_view name) {
  const auto hash = Hash256::from_bytes(view_of(content));
  if (!hash) refuse(type, fmt::format("{} has {} bytes, expected 32", name, content.size()));
  return *hash;
}

PublicKey key_of(const std::string& content, FrameType type, std::string_view name) {
  const auto key = PublicKey::from_bytes(view_of(content));
  if (!key) refuse(type, fmt::format("{} has {} bytes, expected 33", name, content.size()));
  return *key;
}

template <class Value>
std::optional<Value> only_if(bool present, Value value) {
  return present ? std::optional<Value>(std::move(value)) : std::nullopt;
}

std::optional<Bytes> bytes_if(bool present, const std::string& content) {
  return present ? std::optional<Bytes>(bytes_of(content)) : std::nullopt;
}

std::optional<Hash256> hash_if(bool present, const std::string& content, FrameType type,
                               std::string_view name) {
  return present ? std::optional<Hash256>(hash_of(content, type, name)) : std::nullopt;
}

Proposal decode_proposal(const Frame& frame) {
  const auto in = parse<peer::ProposeSet>(frame);
  Proposal out;
  out.propose_seq = in.propose_seq();
  out.transaction_set = hash_of(in.transaction_set(), frame.type, "currentTxHash");
  out.node_key = key_of(in.node_key(), frame.type, "nodePubKey");
  out.close_time = in.close_time();
  out.signature = bytes_of(in.signature());
  out.previous_ledger = hash_of(in.previous_ledger(), frame.type, "previousledger");
  out.checked_signature = only_if(in.has_checked_signature(), in.checked_signature());
  out.added_transactions = list_of(in.added_transactions());
  out.removed_transactions = list_of(in.removed_transactions());
  out.hops = only_if(in.has_hops(), in.hops());
  out.unknown_fields = in.unknown_fields();
  return out;
}

StatusChange decode_status(const Frame& frame) {
  const auto in = parse<peer::StatusChange>(frame);
  StatusChange out;
  out.status = only_if(in.has_status(), static_cast<NodeStatus>(in.status()));
  out.event = only_if(in.has_event(), static_cast<NodeEvent>(in.event()));
  out.ledger_seq = only_if(in.has_ledger_seq(), in.ledger_seq());
  out.ledger_hash = hash_if(in.has_ledger_hash(), in.ledger_hash(), frame.type, "ledgerHash");
  out.previous_hash =
      hash_if(in.has_previous_hash(), in.previous_hash(), frame.type, "ledgerHashPrevious");
  out.network_time = only_if(in.has_network_time(), in.network_time());
  out.first_seq = only_if(in.has_first_seq(), in.first_seq());
  out.last_seq = only_if(in.has_last_seq(), in.last_seq());
  out.unknown_fields = in.unknown_fields();
  return out;
}

ValidationMessage decode_validation(const Frame& frame) {
  const auto in = parse<peer::Validation>(frame);
  ValidationMessage out;
  out.validation = bytes_of(in.validation());
  out.checked_signature = only_if(in.has_checked_signature(), in.checked_signature());
  out.hops = only_if(in.has_hops(), in.hops());
  out.unknown_fields = in.unknown_fields();
  return out;
}

TransactionMessage transaction_of(const peer::Transaction& in) {
  TransactionMessage out;
  out.raw = bytes_of(in.raw());
  out.status = static_cast<TransactionStatus>(in.status());
  out.receive_timestamp = only_if(in.has_receive_timestamp(), in.receive_timestamp());
  out.deferred = only_if(in.has_deferred(), in.deferred());
  out.unknown_fields = in.unknown_fields();
  return out;
}

Transactions decode_transactions(const Frame& frame) {
  const auto in = parse<peer::Transactions>(frame);
  Transactions out;
  for (const auto& entry : in.list()) out.list.push_back(transaction_of(entry));
  out.unknown_fields = in.unknown_fields();
  return out;
}

HaveTransactions decode_have_transactions(const Frame& frame) {
  const auto in = parse<peer::HaveTransactions>(frame);
  HaveTransactions out;
  for (const std::string& hash : in.hashes()) {
    out.hashes.push_back(hash_of(hash, frame.type, "a hash"));
  }
  out.unknown_fields = in.unknown_fields();
  return out;
}

HaveSet decode_have_set(const Frame& frame) {
  const auto in = parse<peer::HaveTransactionSet>(frame);
  HaveSet out;
  out.status = static_cast<SetStatus>(in.status());
  out.hash = hash_of(in.hash(), frame.type, "hash");
  out.unknown_fields = in.unknown_fields();
  return out;
}

GetLedger decode_get_ledger(const Frame& frame) {
  const auto in = parse<peer::GetLedger>(frame);
  GetLedger out;
  out.item = static_cast<LedgerItem>(in.item());
  out.kind = only_if(in.has_kind(), static_cast<LedgerKind>(in.kind()));
  out.hash = hash_if(in.has_hash(), in.hash(), frame.type, "ledgerHash");
  out.ledger_seq = only_if(in.has_ledger_seq(), in.ledger_seq());
  out.node_ids = list_of(in.node_ids());
  out.request_cookie = only_if(in.has_request_cookie(), in.request_cookie());
  out.query_type = only_if(in.has_query_type(), static_cast<QueryType>(in.query_type()));
  out.query_depth = only_if(in.has_query_depth(), in.query_depth());
  out.unknown_fields = in.unknown_fields();
  return out;
}

LedgerData decode_ledger_data(const Frame& frame) {
  const auto in = parse<peer::LedgerData>(frame);
  LedgerData out;
  out.hash = hash_of(in.hash(), frame.type, "ledgerHash");
  out.ledger_seq = in.ledger_seq();
  out.item = static_cast<LedgerItem>(in.item());
  for (const auto& node : in.nodes()) {
    out.nodes.push_back(LedgerNode{.data = bytes_of(node.data()),
                                   .id = bytes_if(node.has_id(), node.id()),
                                   .unknown_fields = node.unknown_fields()});
  }
  out.request_cookie = only_if(in.has_request_cookie(), in.request_cookie());
  out.error = only_if(in.has_error(), static_cast<ReplyError>(in.error()));
  out.unknown_fields = in.unknown_fields();
  return out;
}

Ping decode_ping(const Frame& frame) {
  const auto in = parse<peer::Ping>(frame);
  Ping out;
  out.pong = in.type() == peer::PING_PONG;
  out.seq = only_if(in.has_seq(), in.seq());
  out.ping_time = only_if(in.has_ping_time(), in.ping_time());
  out.net_time = only_if(in.has_net_time(), in.net_time());
  out.unknown_fields = in.unknown_fields();
  return out;
}

Squelch decode_squelch(const Frame& frame) {
  const auto in = parse<peer::Squelch>(frame);
  Squelch out;
  out.squelch = in.squelch();
  out.validator = key_of(in.validator(), frame.type, "validatorPubKey");
  out.duration_seconds = only_if(in.has_duration(), in.duration());
  out.unknown_fields = in.unknown_fields();
  return out;
}

Manifests decode_manifests(const Frame& frame) {
  const auto in = parse<peer::Manifests>(frame);
  Manifests out;
  for (const auto& entry : in.list()) out.list.push_back(bytes_of(entry.object()));
  out.history = only_if(in.has_history(), in.history());
  out.unknown_fields = in.unknown_fields();
  return out;
}

Endpoints decode_endpoints(const Frame& frame) {
  const auto in = parse<peer::Endpoints>(frame);
  Endpoints out;
  out.version = in.version();
  for (const auto& entry : in.list()) {
    out.list.push_back(Endpoint{.address = entry.address(),
                                .hops = entry.hops(),
                                .unknown_fields = entry.unknown_fields()});
  }
  out.unknown_fields = in.unknown_fields();
  return out;
}

GetObjects decode_get_objects(const Frame& frame) {
  const auto in = parse<peer::GetObjectByHash>(frame);
  GetObjects out;
  out.object_type = static_cast<ObjectType>(in.type());
  out.query = in.query();
  out.seq = only_if(in.has_seq(), in.seq());
  out.ledger_hash = hash_if(in.has_ledger_hash(), in.ledger_hash(), frame.type, "ledgerHash");
  out.fat = only_if(in.has_fat(), in.fat());
  for (const auto& entry : in.objects()) {
    IndexedObject object;
    object.hash = hash_if(entry.has_hash(), entry.hash(), frame.type, "an object's hash");
    object.node_id = bytes_if(entry.has_node_id(), entry.node_id());
    object.index = bytes_if(entry.has_index(), entry.index());
    object.data = bytes_if(entry.has_data(), entry.data());
    object.ledger_seq = only_if(entry.has_ledger_seq(), entry.ledger_seq());
    object.unknown_fields = entry.unknown_fields();
    out.objects.push_back(std::move(object));
  }
  out.unknown_fields = in.unknown_fields();
  return out;
}

ValidatorList decode_validator_list(const Frame& frame) {
  const auto in = parse<peer::ValidatorList>(frame);
  ValidatorList out;
  out.manifest = bytes_of(in.manifest());
  out.blob = bytes_of(in.blob());
  out.signature = bytes_of(in.signature());
  out.version = in.version();
  out.unknown_fields = in.unknown_fields();
  return out;
}
}  // namespace

WireMessage decode(const Frame& frame) {
  if (frame.bytes.size() < kFrameHeaderBytes) refuse(frame.type, "frame without header");
  switch (frame.type) {
    case FrameType::propose_ledger:
      return decode_proposal(frame);
    case FrameType::status_change:
      return decode_status(frame);
    case FrameType::validation:
      return decode_validation(frame);
    case FrameType::transaction:
      return transaction_of(parse<peer::Transaction>(frame));
    case FrameType::have_set:
      return decode_have_set(frame);
    case FrameType::get_ledger:
      return decode_get_ledger(frame);
    case FrameType::ledger_data:
      return decode_ledger_data(frame);
    case FrameType::ping:
      return decode_ping(frame);
    case FrameType::squelch:
      return decode_squelch(frame);
    case FrameType::manifests:
      return decode_manifests(frame);
    case FrameType::endpoints:
      return decode_endpoints(frame);
    case FrameType::get_objects:
      return decode_get_objects(frame);
    case FrameType::validator_list:
      return decode_validator_list(frame);
    case FrameType::have_transactions:
      return decode_have_transactions(frame);
    case FrameType::transactions:
      return decode_transactions(frame);
    default:
      return OtherMessage{frame.type};
  }
}

}  // namespace dissensus::live
