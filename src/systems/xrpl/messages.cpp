#include "systems/xrpl/messages.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dissensus::xrpl {

MessageKind proposal_kind(std::uint32_t propose_seq, KindScheme scheme) {
  if (scheme == KindScheme::seven) return 0;
  if (propose_seq == kBowOut) return static_cast<MessageKind>(Kind::propose_set_bow_out);
  return propose_seq > static_cast<std::uint32_t>(Kind::propose_set_5)
             ? MessageKind{0}
             : static_cast<MessageKind>(propose_seq);
}

std::vector<std::string> proposal_kind_names(KindScheme scheme) {
  if (scheme == KindScheme::seven) return {"ProposeSet"};
  return {"ProposeSet0", "ProposeSet1", "ProposeSet2",     "ProposeSet3",
          "ProposeSet4", "ProposeSet5", "ProposeSetBowOut"};
}

MessageKind ProposeSet::kind() const {
  return proposal_kind(propose_seq, scheme);
}

Digest ProposeSet::digest() const {
  return DigestBuilder{}
      .add((std::uint64_t{origin} << 32) | propose_seq)
      .add(position)
      .add(previous_ledger)
      .add(close_time)
      .finish();
}

Digest StatusChange::digest() const {
  return DigestBuilder{}
      .add((std::uint64_t{ledger_seq} << 8) | static_cast<std::uint64_t>(event))
      .add(ledger)
      .add(previous)
      .add(network_time)
      .add((std::uint64_t{first_seq} << 32) | last_seq)
      .finish();
}

Digest Validation::digest() const {
  return DigestBuilder{}
      .add((std::uint64_t{origin} << 33) | (std::uint64_t{ledger_seq} << 1) | full)
      .add(ledger)
      .add(consensus_set)
      .add(sign_time)
      .add(cookie)
      .finish();
}

Digest TransactionMessage::digest() const {
  return DigestBuilder{}
      .add(transaction->id)
      .add((static_cast<std::uint64_t>(status) << 1) | deferred)
      .finish();
}

Digest HaveTransactionSet::digest() const {
  return DigestBuilder{}.add(set).finish();
}

Digest GetLedger::digest() const {
  DigestBuilder builder;
  builder.add(hash).add((std::uint64_t{ledger_seq} << 32) | (std::uint64_t{cookie} << 8) |
                        (static_cast<std::uint64_t>(item) << 1) | indirect);
  if (wanted != nullptr) {
    for (const TxIndex tx : *wanted) builder.add(tx);
  }
  return builder.finish();
}

Digest LedgerData::digest() const {
  // Content with the right hash adds nothing to the hash; only a forged reply pays for more.
  DigestBuilder builder;
  builder.add(hash).add((std::uint64_t{ledger_seq} << 32) | (std::uint64_t{cookie} << 8) |
                        (tree != nullptr ? 64u : 0u) | (ledger != nullptr ? 32u : 0u) |
                        static_cast<std::uint64_t>(item));
  if (tree != nullptr && tree->id != hash) builder.add(tree->id);
  if (ledger != nullptr && ledger->id != hash) builder.add(ledger->id);
  if (leaves != nullptr) {
    for (const TxIndex tx : *leaves) builder.add(tx);
  }
  return builder.finish();
}

std::uint32_t LedgerData::wire_bytes() const {
  constexpr std::uint32_t kHead = 60;
  constexpr std::uint32_t kInnerNode = 550;
  constexpr std::uint32_t kLeaf = 220;
  if (ledger != nullptr) return kHead + 3 * kInnerNode;
  return kHead + (tree == nullptr ? 0 : kInnerNode) +
         (leaves == nullptr ? 0 : kLeaf * static_cast<std::uint32_t>(leaves->size()));
}

namespace {

/// A field of a flooded message: a change is a new signature, hence a new identity.
template <class T, class Member>
void signed_field(PayloadBuilder<T>& payload, std::string name, SemanticType type,
                  Member T::*member) {
  payload.field(
      std::move(name), type, std::function<FieldValue(const T&)>([member](const T& message) {
        return internal::to_field_value(message.*member);
      }),
      std::function<void(T&, const FieldValue&)>([member](T& message, const FieldValue& value) {
        internal::from_field_value(message.*member, value);
        message.number = 0;
      }));
}

/// A field that can be read only: nobody but the client can sign another transaction.
template <class T, class Getter>
void read_only(PayloadBuilder<T>& payload, std::string name, SemanticType type, Getter getter) {
  payload.field(std::move(name), type, std::function<FieldValue(const T&)>(getter));
}

void describe_proposals(SystemDescription& description, KindScheme scheme) {
  auto payload = description.message<ProposeSet>("ProposeSet", proposal_kind_names(scheme));
  signed_field(payload, "origin", SemanticType::node, &ProposeSet::origin);
  signed_field(payload, "propose_seq", SemanticType::sequence, &ProposeSet::propose_seq);
  signed_field(payload, "position", SemanticType::value, &ProposeSet::position);
  signed_field(payload, "previous_ledger", SemanticType::hash, &ProposeSet::previous_ledger);
  signed_field(payload, "close_time", SemanticType::time, &ProposeSet::close_time);
  payload.author("origin").small_scope({"propose_seq", "position"});
}

void describe_validations(SystemDescription& description) {
  auto payload = description.message<Validation>("Validation");
  signed_field(payload, "origin", SemanticType::node, &Validation::origin);
  signed_field(payload, "ledger_seq", SemanticType::sequence, &Validation::ledger_seq);
  signed_field(payload, "ledger", SemanticType::value, &Validation::ledger);
  signed_field(payload, "consensus_set", SemanticType::hash, &Validation::consensus_set);
  signed_field(payload, "sign_time", SemanticType::time, &Validation::sign_time);
  signed_field(payload, "full", SemanticType::boolean, &Validation::full);
  signed_field(payload, "cookie", SemanticType::number, &Validation::cookie);
  payload.author("origin").small_scope({"ledger_seq", "ledger", "consensus_set"});
}

void describe_transactions(SystemDescription& description) {
  using T = TransactionMessage;
  auto payload = description.message<T>("Transaction");
  read_only(payload, "transaction", SemanticType::hash,
            [](const T& message) -> FieldValue { return message.transaction->id; });
  read_only(payload, "account", SemanticType::hash,
            [](const T& message) -> FieldValue { return message.transaction->payment.from; });
  read_only(payload, "destination", SemanticType::hash,
            [](const T& message) -> FieldValue { return message.transaction->payment.to; });
  read_only(payload, "sequence", SemanticType::sequence, [](const T& message) -> FieldValue {
    return std::uint64_t{message.transaction->payment.sequence};
  });
  read_only(payload, "amount", SemanticType::amount, [](const T& message) -> FieldValue {
    return std::uint64_t{message.transaction->payment.amount};
  });
  payload.field("status", SemanticType::flags, &T::status);
  payload.field("deferred", SemanticType::boolean, &T::deferred);
}

void describe_acquisition(SystemDescription& description) {
  description.message<HaveTransactionSet>("HaveTransactionSet")
      .field("set", SemanticType::value, &HaveTransactionSet::set);
  auto request = description.message<GetLedger>("GetLedger");
  request.field("item", SemanticType::number, &GetLedger::item)
      .field("hash", SemanticType::hash, &GetLedger::hash)
      .field("ledger_seq", SemanticType::sequence, &GetLedger::ledger_seq)
      .field("cookie", SemanticType::node, &GetLedger::cookie)
      .field("indirect", SemanticType::boolean, &GetLedger::indirect);
  read_only(request, "wanted", SemanticType::number, [](const GetLedger& message) -> FieldValue {
    return std::uint64_t{message.wanted == nullptr ? 0 : message.wanted->size()};
  });
  auto reply = description.message<LedgerData>("LedgerData");
  reply.field("item", SemanticType::number, &LedgerData::item)
      .field("hash", SemanticType::hash, &LedgerData::hash)
      .field("ledger_seq", SemanticType::sequence, &LedgerData::ledger_seq)
      .field("cookie", SemanticType::node, &LedgerData::cookie);
  read_only(reply, "leaves", SemanticType::number, [](const LedgerData& message) -> FieldValue {
    return std::uint64_t{message.leaves == nullptr ? 0 : message.leaves->size()};
  });
}

}  // namespace

void describe_messages(SystemDescription& description, KindScheme scheme) {
  describe_proposals(description, scheme);
  description.message<StatusChange>("StatusChange")
      .field("event", SemanticType::number, &StatusChange::event)
      .field("ledger_seq", SemanticType::sequence, &StatusChange::ledger_seq)
      .field("ledger", SemanticType::hash, &StatusChange::ledger)
      .field("previous", SemanticType::hash, &StatusChange::previous)
      .field("network_time", SemanticType::time, &StatusChange::network_time)
      .field("first_seq", SemanticType::sequence, &StatusChange::first_seq)
      .field("last_seq", SemanticType::sequence, &StatusChange::last_seq);
  describe_validations(description);
  describe_transactions(description);
  describe_acquisition(description);
  describe_kind_steps(description, scheme);
}

void describe_kind_steps(SystemDescription& description, KindScheme scheme) {
  // ByzzFuzz counts two communication-closed rounds per ledger: proposals, then validations.
  description.round_steps = 2;
  const MessageKind validation = kind_number(Kind::validation, scheme);
  for (std::size_t kind = 0; kind < description.kinds.size(); ++kind) {
    const bool is_proposal =
        description.payloads[description.kinds[kind].payload].name == "ProposeSet";
    description.kinds[kind].step =
        is_proposal ? std::uint8_t{0} : (kind == validation ? std::uint8_t{1} : kNoStep);
  }
}

}  // namespace dissensus::xrpl
