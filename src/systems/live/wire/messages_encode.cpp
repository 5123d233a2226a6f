// Messages to frames.
#include "peer.pb.h"
#include "systems/live/wire/messages.h"

namespace dissensus::live {

namespace {
std::string text(ByteView bytes) {
  return std::string(text_of(bytes));
}

Frame frame_of(FrameType type, const google::protobuf::MessageLite& message) {
  std::string payload;
  message.SerializePartialToString(&payload);
  return make_frame(type, view_of(payload));
}

void fill(peer::Transaction& out, const TransactionMessage& in) {
  out.set_raw(text(in.raw));
  out.set_status(static_cast<peer::TransactionStatus>(in.status));
  if (in.receive_timestamp) out.set_receive_timestamp(*in.receive_timestamp);
  if (in.deferred) out.set_deferred(*in.deferred);
  *out.mutable_unknown_fields() = in.unknown_fields;
}

void fill(peer::IndexedObject& out, const IndexedObject& in) {
  if (in.hash) out.set_hash(text(*in.hash));
  if (in.node_id) out.set_node_id(text(*in.node_id));
  if (in.index) out.set_index(text(*in.index));
  if (in.data) out.set_data(text(*in.data));
  if (in.ledger_seq) out.set_ledger_seq(*in.ledger_seq);
  *out.mutable_unknown_fields() = in.unknown_fields;
}
}  // namespace

Frame encode(const Proposal& message) {
  peer::ProposeSet out;
  out.set_propose_seq(message.propose_seq);
  out.set_transaction_set(text(message.transaction_set));
  out.set_node_key(text(message.node_key.bytes));
  out.set_close_time(message.close_time);
  out.set_signature(text(message.signature));
  out.set_previous_ledger(text(message.previous_ledger));
  if (message.checked_signature) out.set_checked_signature(*message.checked_signature);
  for (const Bytes& id : message.added_transactions) out.add_added_transactions(text(id));
  for (const Bytes& id : message.removed_transactions) out.add_removed_transactions(text(id));
  if (message.hops) out.set_hops(*message.hops);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const StatusChange& message) {
  peer::StatusChange out;
  if (message.status) out.set_status(static_cast<peer::NodeStatus>(*message.status));
  if (message.event) out.set_event(static_cast<peer::NodeEvent>(*message.event));
  if (message.ledger_seq) out.set_ledger_seq(*message.ledger_seq);
  if (message.ledger_hash) out.set_ledger_hash(text(*message.ledger_hash));
  if (message.previous_hash) out.set_previous_hash(text(*message.previous_hash));
  if (message.network_time) out.set_network_time(*message.network_time);
  if (message.first_seq) out.set_first_seq(*message.first_seq);
  if (message.last_seq) out.set_last_seq(*message.last_seq);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const ValidationMessage& message) {
  peer::Validation out;
  out.set_validation(text(message.validation));
  if (message.checked_signature) out.set_checked_signature(*message.checked_signature);
  if (message.hops) out.set_hops(*message.hops);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const TransactionMessage& message) {
  peer::Transaction out;
  fill(out, message);
  return frame_of(message.kType, out);
}

Frame encode(const HaveSet& message) {
  peer::HaveTransactionSet out;
  out.set_status(static_cast<peer::SetStatus>(message.status));
  out.set_hash(text(message.hash));
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const GetLedger& message) {
  peer::GetLedger out;
  out.set_item(static_cast<peer::LedgerItem>(message.item));
  if (message.kind) out.set_kind(static_cast<peer::LedgerKind>(*message.kind));
  if (message.hash) out.set_hash(text(*message.hash));
  if (message.ledger_seq) out.set_ledger_seq(*message.ledger_seq);
  for (const Bytes& id : message.node_ids) out.add_node_ids(text(id));
  if (message.request_cookie) out.set_request_cookie(*message.request_cookie);
  if (message.query_type) out.set_query_type(static_cast<peer::QueryType>(*message.query_type));
  if (message.query_depth) out.set_query_depth(*message.query_depth);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const LedgerData& message) {
  peer::LedgerData out;
  out.set_hash(text(message.hash));
  out.set_ledger_seq(message.ledger_seq);
  out.set_item(static_cast<peer::LedgerItem>(message.item));
  for (const LedgerNode& node : message.nodes) {
    peer::LedgerNode& entry = *out.add_nodes();
    entry.set_data(text(node.data));
    if (node.id) entry.set_id(text(*node.id));
    *entry.mutable_unknown_fields() = node.unknown_fields;
  }
  if (message.request_cookie) out.set_request_cookie(*message.request_cookie);
  if (message.error) out.set_error(static_cast<peer::ReplyError>(*message.error));
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const Ping& message) {
  peer::Ping out;
  out.set_type(message.pong ? peer::PING_PONG : peer::PING_PING);
  if (message.seq) out.set_seq(*message.seq);
  if (message.ping_time) out.set_ping_time(*message.ping_time);
  if (message.net_time) out.set_net_time(*message.net_time);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const Squelch& message) {
  peer::Squelch out;
  out.set_squelch(message.squelch);
  out.set_validator(text(message.validator.bytes));
  if (message.duration_seconds) out.set_duration(*message.duration_seconds);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const Manifests& message) {
  peer::Manifests out;
  for (const Bytes& object : message.list) out.add_list()->set_object(text(object));
  if (message.history) out.set_history(*message.history);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const Endpoints& message) {
  peer::Endpoints out;
  out.set_version(message.version);
  for (const Endpoint& endpoint : message.list) {
    peer::Endpoint& entry = *out.add_list();
    entry.set_address(endpoint.address);
    entry.set_hops(endpoint.hops);
    *entry.mutable_unknown_fields() = endpoint.unknown_fields;
  }
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const GetObjects& message) {
  peer::GetObjectByHash out;
  out.set_type(static_cast<peer::ObjectType>(message.object_type));
  out.set_query(message.query);
  if (message.seq) out.set_seq(*message.seq);
  if (message.ledger_hash) out.set_ledger_hash(text(*message.ledger_hash));
  if (message.fat) out.set_fat(*message.fat);
  for (const IndexedObject& object : message.objects) fill(*out.add_objects(), object);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const ValidatorList& message) {
  peer::ValidatorList out;
  out.set_manifest(text(message.manifest));
  out.set_blob(text(message.blob));
  out.set_signature(text(message.signature));
  out.set_version(message.version);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const HaveTransactions& message) {
  peer::HaveTransactions out;
  for (const Hash256& hash : message.hashes) out.add_hashes(text(hash));
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

Frame encode(const Transactions& message) {
  peer::Transactions out;
  for (const TransactionMessage& entry : message.list) fill(*out.add_list(), entry);
  *out.mutable_unknown_fields() = message.unknown_fields;
  return frame_of(message.kType, out);
}

}  // namespace dissensus::live
