#include "systems/live/wire/keys.h"

#include <algorithm>
#include <memory>

#include <openssl/crypto.h>
#include <secp256k1.h>

#include "core/assert.h"
#include "systems/live/wire/base58.h"
#include "systems/live/wire/hash.h"

namespace dissensus::live {

namespace {
constexpr std::size_t kSignatureBytesMin = 8;
constexpr std::size_t kSignatureBytesMax = 72;

/// Precomputed tables; never changed after they are made.
const secp256k1_context* curve() {
  struct Destroy {
    void operator()(secp256k1_context* context) const { secp256k1_context_destroy(context); }
  };
  static const std::unique_ptr<secp256k1_context, Destroy> context(
      // NOLINTNEXTLINE(misc-redundant-expression): two macros with a bit in common
      secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY));
  return context.get();
}

template <std::size_t N>
std::optional<std::array<std::uint8_t, N>> exactly(ByteView bytes) {
  std::array<std::uint8_t, N> result{};
  if (bytes.size() != N) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), result.begin());
  return result;
}

/// A byte string that is wiped.
struct SecretBytes {
  Bytes bytes;
  ~SecretBytes() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

PublicKey public_key_of(const std::array<std::uint8_t, 32>& secret) {
  secp256k1_pubkey point;
  const int made = secp256k1_ec_pubkey_create(curve(), &point, secret.data());
  DISSENSUS_ASSERT(made == 1, "public_key_of : the secret is a valid scalar");
  PublicKey key;
  std::size_t size = key.bytes.size();
  secp256k1_ec_pubkey_serialize(curve(), key.bytes.data(), &size, &point, SECP256K1_EC_COMPRESSED);
  return key;
}

/// The first hash of (start, counter) that is a scalar of the curve: all but 1 in 2^127 are.
void derive_scalar(ByteView start, std::array<std::uint8_t, 32>& scalar) {
  for (std::uint32_t counter = 0;; ++counter) {
    SecretBytes input;
    input.bytes.reserve(start.size() + sizeof(counter));
    append(input.bytes, start);
    append_number(input.bytes, counter);
    scalar = sha512_half(input.bytes);
    if (secp256k1_ec_seckey_verify(curve(), scalar.data()) == 1) return;
  }
}
}  // namespace

std::string account_text(const AccountId& account) {
  return encode_base58(kAccountIdType, account);
}

std::optional<AccountId> parse_account(std::string_view text) {
  const auto data = decode_base58(kAccountIdType, text);
  return data ? exactly<20>(*data) : std::nullopt;
}

Seed::~Seed() {
  OPENSSL_cleanse(bytes.data(), bytes.size());
}

std::string Seed::text() const {
  return encode_base58(kSeedType, bytes);
}

std::optional<Seed> Seed::parse(std::string_view text) {
  auto data = decode_base58(kSeedType, text);
  if (!data) return std::nullopt;
  const SecretBytes secret{std::move(*data)};
  const auto bytes = exactly<16>(secret.bytes);
  return bytes ? std::optional<Seed>(*bytes) : std::nullopt;
}

Seed Seed::from_passphrase(std::string_view passphrase) {
  const Hash256 hash = sha512_half(view_of(passphrase));
  Seed seed;
  std::copy_n(hash.begin(), seed.bytes.size(), seed.bytes.begin());
  return seed;
}

std::string PublicKey::node_text() const {
  return encode_base58(kNodePublicType, bytes);
}

AccountId PublicKey::account_id() const {
  return ripemd160(sha256(bytes));
}

std::string PublicKey::account_address() const {
  return account_text(account_id());
}

std::optional<PublicKey> PublicKey::from_bytes(ByteView bytes) {
  const auto content = exactly<33>(bytes);
  return content ? std::optional<PublicKey>(PublicKey{*content}) : std::nullopt;
}

std::optional<PublicKey> PublicKey::parse_node(std::string_view text) {
  const auto data = decode_base58(kNodePublicType, text);
  return data ? from_bytes(*data) : std::nullopt;
}

KeyPair::~KeyPair() {
  OPENSSL_cleanse(secret.data(), secret.size());
}

KeyPair node_keys(const Seed& seed) {
  KeyPair keys;
  derive_scalar(seed.bytes, keys.secret);
  keys.public_key = public_key_of(keys.secret);
  return keys;
}

KeyPair account_keys(const Seed& seed) {
  KeyPair keys = node_keys(seed);
  Bytes family(keys.public_key.bytes.begin(), keys.public_key.bytes.end());
  append_number(family, std::uint32_t{0});  // the family's first account
  std::array<std::uint8_t, 32> tweak{};
  derive_scalar(family, tweak);
  const int added = secp256k1_ec_seckey_tweak_add(curve(), keys.secret.data(), tweak.data());
  DISSENSUS_ASSERT(added == 1, "account_keys : the sum is a valid scalar");
  keys.public_key = public_key_of(keys.secret);
  return keys;
}

Bytes sign(const KeyPair& keys, const Hash256& digest) {
  secp256k1_ecdsa_signature signature;
  const int done = secp256k1_ecdsa_sign(curve(), &signature, digest.data(), keys.secret.data(),
                                        secp256k1_nonce_function_rfc6979, nullptr);
  DISSENSUS_ASSERT(done == 1, "sign : the key pair has a secret");
  Bytes der(kSignatureBytesMax);
  std::size_t size = der.size();
  secp256k1_ecdsa_signature_serialize_der(curve(), der.data(), &size, &signature);
  der.resize(size);
  return der;
}

bool verify(const PublicKey& key, const Hash256& digest, ByteView der, SignatureForm form) {
  if (der.size() < kSignatureBytesMin || der.size() > kSignatureBytesMax) return false;
  secp256k1_pubkey point;
  if (secp256k1_ec_pubkey_parse(curve(), &point, key.bytes.data(), key.bytes.size()) != 1) {
    return false;
  }
  secp256k1_ecdsa_signature signature;
  if (secp256k1_ecdsa_signature_parse_der(curve(), &signature, der.data(), der.size()) != 1) {
    return false;
  }
  // The library itself refuses high S.
  const bool was_high = secp256k1_ecdsa_signature_normalize(curve(), &signature, &signature) == 1;
  if (was_high && form == SignatureForm::canonical) return false;
  return secp256k1_ecdsa_verify(curve(), &signature, digest.data(), &point) == 1;
}

}  // namespace dissensus::live
