// Seeds, secp256k1 keys of nodes, validators and accounts, and signatures (xrpl/peer-protocol.md
// 4).
//
// Secrets are wiped when their owner is destroyed and have no text form but the seed's, which
// configurations of servers need.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systems/live/wire/bytes.h"

namespace dissensus::live {

using AccountId = std::array<std::uint8_t, 20>;

std::string account_text(const AccountId& account);  ///< "r..."
std::optional<AccountId> parse_account(std::string_view text);

struct Seed {
  std::array<std::uint8_t, 16> bytes{};

  Seed() = default;
  explicit Seed(const std::array<std::uint8_t, 16>& content) : bytes(content) {}
  Seed(const Seed&) = default;
  Seed& operator=(const Seed&) = default;
  ~Seed();

  std::string text() const;  ///< "s...", as a server's configuration has it
  static std::optional<Seed> parse(std::string_view text);
  static Seed from_passphrase(std::string_view passphrase);
};

struct PublicKey {
  std::array<std::uint8_t, 33> bytes{};

  friend auto operator<=>(const PublicKey&, const PublicKey&) = default;
  std::string node_text() const;  ///< "n...", of a node or validator
  AccountId account_id() const;
  std::string account_address() const;  ///< "r..."

  static std::optional<PublicKey> from_bytes(ByteView bytes);         ///< exactly 33 bytes
  static std::optional<PublicKey> parse_node(std::string_view text);  ///< "n..."
};

/// secp256k1 only: the first byte of its public key is 02 or 03.
struct KeyPair {
  std::array<std::uint8_t, 32> secret{};
  PublicKey public_key;

  KeyPair() = default;
  KeyPair(const KeyPair&) = default;
  KeyPair& operator=(const KeyPair&) = default;
  ~KeyPair();
};

/// Of a node (`[node_seed]`) or validator (`[validation_seed]`).
KeyPair node_keys(const Seed& seed);
/// Of the account with this master seed: other keys than the node's of the same seed.
KeyPair account_keys(const Seed& seed);

/// DER; nonce by RFC 6979, low S.
Bytes sign(const KeyPair& keys, const Hash256& digest);

enum class SignatureForm : std::uint8_t {
  strict,     ///< strict DER; what servers demand of sessions and proposals
  canonical,  ///< and low S: demanded where an object has the flag "fully canonical"
};

/// False also for keys that are no point of the curve and for ed25519 keys.
bool verify(const PublicKey& key, const Hash256& digest, ByteView der,
            SignatureForm form = SignatureForm::strict);

}  // namespace dissensus::live
