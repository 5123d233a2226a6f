#include "systems/live/wire/payment.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "systems/live/wire/hash.h"
#include "systems/live/wire/serialized_object.h"

namespace dissensus::live {

namespace {
constexpr std::uint64_t kDropsMax = 100'000'000'000'000'000;  // all XRP there is
constexpr std::uint64_t kPositiveBit = 0x4000000000000000;
constexpr std::uint64_t kDropsMask = 0x3FFFFFFFFFFFFFFF;
constexpr std::uint32_t kCanonicalFlag = 0x80000000;
constexpr std::uint16_t kPaymentType = 0;

constexpr std::array<std::pair<std::uint16_t, std::string_view>, 25> kTypeNames{{
    {0, "Payment"},
    {1, "EscrowCreate"},
    {2, "EscrowFinish"},
    {3, "AccountSet"},
    {4, "EscrowCancel"},
    {5, "SetRegularKey"},
    {7, "OfferCreate"},
    {8, "OfferCancel"},
    {10, "TicketCreate"},
    {12, "SignerListSet"},
    {13, "PaymentChannelCreate"},
    {14, "PaymentChannelFund"},
    {15, "PaymentChannelClaim"},
    {16, "CheckCreate"},
    {17, "CheckCash"},
    {18, "CheckCancel"},
    {19, "DepositPreauth"},
    {20, "TrustSet"},
    {21, "AccountDelete"},
    {25, "NFTokenMint"},
    {26, "NFTokenBurn"},
    {27, "NFTokenCreateOffer"},
    {100, "EnableAmendment"},
    {101, "SetFee"},
    {102, "UNLModify"},
}};

std::string type_name(std::uint16_t type) {
  const auto found = std::find_if(kTypeNames.begin(), kTypeNames.end(),
                                  [&](const auto& entry) { return entry.first == type; });
  return found == kTypeNames.end() ? fmt::format("type {}", type) : std::string(found->second);
}

void set_drops(SerializedObject& object, FieldId id, std::uint64_t drops, std::string_view name) {
  if (drops > kDropsMax) {
    throw WireError(
        fmt::format("payment: {} of {} drops, at most {} exist", name, drops, kDropsMax));
  }
  object.set_number(id, kPositiveBit | drops);
}

/// Nothing for amounts that are not in XRP.
std::optional<std::uint64_t> drops_in(const SerializedObject& object, FieldId id) {
  const auto amount = object.number64(id);
  return amount ? std::optional(*amount & kDropsMask) : std::nullopt;
}

std::optional<std::string> account_in(const SerializedObject& object, FieldId id) {
  const Bytes* content = object.find(id);
  AccountId account{};
  if (content == nullptr || content->size() != account.size()) return std::nullopt;
  std::copy(content->begin(), content->end(), account.begin());
  return account_text(account);
}

Hash256 signing_digest(const SerializedObject& object) {
  return prefixed_hash(HashPrefix::transaction_sign,
                       object.serialize_without(field::kTransactionSignature));
}
}  // namespace

SignedTransaction sign_payment(const Payment& payment) {
  const auto destination = parse_account(payment.destination);
  if (!destination) throw WireError("payment: the destination is no address");
  SerializedObject object;
  object.set_number(field::kTransactionType, kPaymentType);
  if (payment.network_id) object.set_number(field::kNetworkId, *payment.network_id);
  object.set_number(field::kFlags, kCanonicalFlag);
  object.set_number(field::kSequence, payment.sequence);
  if (payment.destination_tag) object.set_number(field::kDestinationTag, *payment.destination_tag);
  if (payment.last_ledger != 0) {
    object.set_number(field::kLastLedgerSequence, payment.last_ledger);
  }
  set_drops(object, field::kAmount, payment.drops, "an amount");
  set_drops(object, field::kFee, payment.fee, "a fee");
  object.set(field::kSigningPublicKey, payment.keys.public_key.bytes);
  object.set(field::kAccount, payment.keys.public_key.account_id());
  object.set(field::kDestination, *destination);
  object.set(field::kTransactionSignature, sign(payment.keys, signing_digest(object)));
  SignedTransaction result{object.serialize(), {}};
  result.id = transaction_id(result.blob);
  return result;
}

Hash256 transaction_id(ByteView blob) {
  return prefixed_hash(HashPrefix::transaction_id, blob);
}

ParsedTransaction parse_transaction(ByteView blob) {
  const SerializedObject object = SerializedObject::parse_prefix(blob);
  ParsedTransaction result;
  result.id = transaction_id(blob);
  result.type = object.number16(field::kTransactionType);
  if (result.type) result.type_name = type_name(*result.type);
  result.account = account_in(object, field::kAccount);
  result.destination = account_in(object, field::kDestination);
  result.flags = object.number32(field::kFlags);
  result.sequence = object.number32(field::kSequence);
  result.ticket_sequence = object.number32(field::kTicketSequence);
  result.last_ledger = object.number32(field::kLastLedgerSequence);
  result.network_id = object.number32(field::kNetworkId);
  result.destination_tag = object.number32(field::kDestinationTag);
  result.drops = drops_in(object, field::kAmount);
  result.fee = drops_in(object, field::kFee);
  if (const Bytes* key = object.find(field::kSigningPublicKey)) {
    result.signing_key = PublicKey::from_bytes(*key);
  }
  return result;
}

bool verify_transaction(ByteView blob) {
  const SerializedObject object = SerializedObject::parse_prefix(blob);
  const Bytes* key = object.find(field::kSigningPublicKey);
  const Bytes* signature = object.find(field::kTransactionSignature);
  if (key == nullptr || signature == nullptr) return false;
  const auto public_key = PublicKey::from_bytes(*key);
  return public_key && verify(*public_key, signing_digest(object), *signature);
}

}  // namespace dissensus::live
