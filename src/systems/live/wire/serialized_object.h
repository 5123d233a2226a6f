// Objects in the ledger's own serialization (xrpl/peer-protocol.md 7.1): a list of fields, each
// with a type and a number, kept in the order and with the bytes in which they came.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"

namespace dissensus::live {

struct FieldId {
  std::uint8_t type = 0;
  std::uint8_t number = 0;
  friend constexpr auto operator<=>(const FieldId&, const FieldId&) = default;
};

namespace field {
inline constexpr FieldId kTransactionType{1, 2};
inline constexpr FieldId kNetworkId{2, 1};
inline constexpr FieldId kFlags{2, 2};
inline constexpr FieldId kSequence{2, 4};
inline constexpr FieldId kLedgerSequence{2, 6};
inline constexpr FieldId kCloseTime{2, 7};
inline constexpr FieldId kSigningTime{2, 9};
inline constexpr FieldId kDestinationTag{2, 14};
inline constexpr FieldId kLoadFee{2, 24};
inline constexpr FieldId kLastLedgerSequence{2, 27};
inline constexpr FieldId kReserveBase{2, 31};
inline constexpr FieldId kReserveIncrement{2, 32};
inline constexpr FieldId kTicketSequence{2, 41};
inline constexpr FieldId kBaseFee{3, 5};
inline constexpr FieldId kCookie{3, 10};
inline constexpr FieldId kServerVersion{3, 11};
inline constexpr FieldId kLedgerHash{5, 1};
inline constexpr FieldId kConsensusHash{5, 23};
inline constexpr FieldId kValidatedHash{5, 25};
inline constexpr FieldId kAmount{6, 1};
inline constexpr FieldId kFee{6, 8};
inline constexpr FieldId kSigningPublicKey{7, 3};
inline constexpr FieldId kTransactionSignature{7, 4};
inline constexpr FieldId kSignature{7, 6};
inline constexpr FieldId kAccount{8, 1};
inline constexpr FieldId kDestination{8, 3};
inline constexpr FieldId kAmendments{19, 3};
}  // namespace field

/// Content of variable length, after its length. Throws WireError above 918744 bytes.
void append_with_length(Bytes& out, ByteView content);

class SerializedObject {
 public:
  struct Field {
    FieldId id;
    Bytes content;  ///< without field header and length
  };

  /// Throws WireError if the bytes end early, a field header is not in its shortest form, a field
  /// comes twice, or its type is unknown (its length cannot be told then).
  static SerializedObject parse(ByteView bytes);
  /// As far as it can be read: what begins with a field of unknown type or bad bytes is `rest`.
  static SerializedObject parse_prefix(ByteView bytes);

  const std::vector<Field>& fields() const { return fields_; }
  ByteView rest() const { return rest_; }
  bool is_canonical() const;  ///< fields are in ascending order

  /// Nothing if there is no such field.
  const Bytes* find(FieldId id) const;
  /// Nothing if absent, or not of this many bytes.
  std::optional<std::uint16_t> number16(FieldId id) const;
  std::optional<std::uint32_t> number32(FieldId id) const;
  std::optional<std::uint64_t> number64(FieldId id) const;
  std::optional<Hash256> hash(FieldId id) const;

  /// Replaces the content at its place, or inserts the field where its order demands.
  void set(FieldId id, ByteView content);
  void set_number(FieldId id, std::uint16_t value);
  void set_number(FieldId id, std::uint32_t value);
  void set_number(FieldId id, std::uint64_t value);
  void remove(FieldId id);

  /// All fields as they stand, then the rest.
  Bytes serialize() const;
  /// In ascending order, without one field, then the rest: what a signature covers.
  Bytes serialize_without(FieldId left_out) const;

 private:
  std::vector<Field> fields_;
  Bytes rest_;
};

}  // namespace dissensus::live
