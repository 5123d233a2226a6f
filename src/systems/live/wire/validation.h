// The signed object inside a validation message (xrpl/peer-protocol.md 7.2).
//
// Keeps every field it does not know. Changing a field leaves the signature as it was: `sign`
// again, or a receiver refuses it.
#pragma once

#include <cstdint>
#include <optional>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/keys.h"
#include "systems/live/wire/messages.h"
#include "systems/live/wire/serialized_object.h"

namespace dissensus::live {

class ValidationObject {
 public:
  static constexpr std::uint32_t kFullFlag = 1;
  static constexpr std::uint32_t kCanonicalFlag = 0x80000000;

  /// Throws WireError if it is no serialized object, a required field is missing or of the wrong
  /// size.
  static ValidationObject parse(ByteView bytes);
  static ValidationObject parse(const ValidationMessage& message) {
    return parse(message.validation);
  }
  /// A full, not yet signed validation; signed, it is one that servers accept.
  static ValidationObject make(std::uint32_t ledger_seq, std::uint32_t sign_time,
                               const Hash256& ledger_hash, const Hash256& consensus_hash);

  std::uint32_t flags() const;
  void set_flags(std::uint32_t flags);
  bool full() const { return (flags() & kFullFlag) != 0; }
  void set_full(bool full);

  std::uint32_t ledger_seq() const;
  void set_ledger_seq(std::uint32_t seq);
  std::uint32_t sign_time() const;  ///< seconds of the network's epoch
  void set_sign_time(std::uint32_t seconds);
  Hash256 ledger_hash() const;
  void set_ledger_hash(const Hash256& hash);

  std::optional<Hash256> consensus_hash() const;  ///< the transaction set
  void set_consensus_hash(const Hash256& hash);
  std::optional<Hash256> validated_hash() const;
  void set_validated_hash(const Hash256& hash);
  std::optional<std::uint64_t> cookie() const;
  void set_cookie(std::uint64_t cookie);
  std::optional<std::uint32_t> close_time() const;
  std::optional<std::uint32_t> load_fee() const;
  std::optional<std::uint64_t> server_version() const;

  PublicKey signing_key() const;
  Bytes signature() const;  ///< empty before the first `sign`

  Hash256 digest() const;
  /// Signs, as the owner of these keys.
  void sign(const KeyPair& keys);
  /// As servers check it: low S is demanded where the canonical flag is set.
  bool verify() const;

  Bytes serialise() const { return object_.serialize(); }
  Hash256 suppression_id() const;
  const SerializedObject& object() const { return object_; }
  SerializedObject& object() { return object_; }

 private:
  SerializedObject object_;
};

/// The message with another content; its other fields stay.
ValidationMessage with_validation(ValidationMessage message, const ValidationObject& object);

}  // namespace dissensus::live
