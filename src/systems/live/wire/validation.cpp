#include "systems/live/wire/validation.h"

#include <fmt/format.h>

#include "core/assert.h"
#include "systems/live/wire/hash.h"

namespace dissensus::live {

namespace {
constexpr std::size_t kKeyBytes = 33;

void require(bool present, std::string_view name) {
  if (!present) throw WireError(fmt::format("validation: required field {} is missing", name));
}
}  // namespace

ValidationObject ValidationObject::parse(ByteView bytes) {
  ValidationObject result;
  SerializedObject& object = result.object_;
  object = SerializedObject::parse(bytes);
  require(object.find(field::kFlags) != nullptr, "Flags");
  require(object.find(field::kLedgerSequence) != nullptr, "LedgerSequence");
  require(object.find(field::kSigningTime) != nullptr, "SigningTime");
  require(object.find(field::kLedgerHash) != nullptr, "LedgerHash");
  require(object.find(field::kSignature) != nullptr, "Signature");
  const Bytes* key = object.find(field::kSigningPublicKey);
  require(key != nullptr, "SigningPubKey");
  if (key->size() != kKeyBytes) {
    throw WireError(
        fmt::format("validation: SigningPubKey has {} bytes, expected {}", key->size(), kKeyBytes));
  }
  return result;
}

ValidationObject ValidationObject::make(std::uint32_t ledger_seq, std::uint32_t sign_time,
                                        const Hash256& ledger_hash, const Hash256& consensus_hash) {
  ValidationObject result;
  result.set_flags(kCanonicalFlag | kFullFlag);
  result.set_ledger_seq(ledger_seq);
  result.set_sign_time(sign_time);
  result.set_ledger_hash(ledger_hash);
  result.set_consensus_hash(consensus_hash);
  result.object_.set(field::kSigningPublicKey, PublicKey{}.bytes);
  return result;
}

std::uint32_t ValidationObject::flags() const {
  return object_.number32(field::kFlags).value_or(0);
}

void ValidationObject::set_flags(std::uint32_t flags) {
  object_.set_number(field::kFlags, flags);
}

void ValidationObject::set_full(bool full) {
  set_flags(full ? flags() | kFullFlag : flags() & ~kFullFlag);
}

std::uint32_t ValidationObject::ledger_seq() const {
  return object_.number32(field::kLedgerSequence).value_or(0);
}

void ValidationObject::set_ledger_seq(std::uint32_t seq) {
  object_.set_number(field::kLedgerSequence, seq);
}

std::uint32_t ValidationObject::sign_time() const {
  return object_.number32(field::kSigningTime).value_or(0);
}

void ValidationObject::set_sign_time(std::uint32_t seconds) {
  object_.set_number(field::kSigningTime, seconds);
}

Hash256 ValidationObject::ledger_hash() const {
  return object_.hash(field::kLedgerHash).value_or(Hash256{});
}

void ValidationObject::set_ledger_hash(const Hash256& hash) {
  object_.set(field::kLedgerHash, hash);
}

std::optional<Hash256> ValidationObject::consensus_hash() const {
  return object_.hash(field::kConsensusHash);
}

void ValidationObject::set_consensus_hash(const Hash256& hash) {
  object_.set(field::kConsensusHash, hash);
}

std::optional<Hash256> ValidationObject::validated_hash() const {
  return object_.hash(field::kValidatedHash);
}

void ValidationObject::set_validated_hash(const Hash256& hash) {
  object_.set(field::kValidatedHash, hash);
}

std::optional<std::uint64_t> ValidationObject::cookie() const {
  return object_.number64(field::kCookie);
}

void ValidationObject::set_cookie(std::uint64_t cookie) {
  object_.set_number(field::kCookie, cookie);
}

std::optional<std::uint32_t> ValidationObject::close_time() const {
  return object_.number32(field::kCloseTime);
}

std::optional<std::uint32_t> ValidationObject::load_fee() const {
  return object_.number32(field::kLoadFee);
}

std::optional<std::uint64_t> ValidationObject::server_version() const {
  return object_.number64(field::kServerVersion);
}

PublicKey ValidationObject::signing_key() const {
  const Bytes* key = object_.find(field::kSigningPublicKey);
  DISSENSUS_ASSERT(key != nullptr, "ValidationObject::signing_key : parse and make ensure a key");
  return PublicKey::from_bytes(*key).value_or(PublicKey{});
}

Bytes ValidationObject::signature() const {
  const Bytes* found = object_.find(field::kSignature);
  return found == nullptr ? Bytes{} : *found;
}

Hash256 ValidationObject::digest() const {
  return prefixed_hash(HashPrefix::validation, object_.serialize_without(field::kSignature));
}

void ValidationObject::sign(const KeyPair& keys) {
  object_.set(field::kSigningPublicKey, keys.public_key.bytes);
  object_.set(field::kSignature, live::sign(keys, digest()));
}

bool ValidationObject::verify() const {
  const bool canonical = (flags() & kCanonicalFlag) != 0;
  return live::verify(signing_key(), digest(), signature(),
                      canonical ? SignatureForm::canonical : SignatureForm::strict);
}

Hash256 ValidationObject::suppression_id() const {
  return sha512_half(serialise());
}

ValidationMessage with_validation(ValidationMessage message, const ValidationObject& object) {
  message.validation = object.serialise();
  return message;
}

}  // namespace dissensus::live
