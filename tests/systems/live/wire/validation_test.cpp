// The validation object: the vector of xrpl/peer-protocol.md 7.2, changes that keep all the rest,
// and refusals.
#include "systems/live/wire/validation.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/wire/content.h"

namespace dissensus::live {
namespace {

using ::testing::HasSubstr;

const std::string kSignedPart =
    "2280000000"
    "2600000003"
    "292C1F9166"
    "511C07C13BAF656AC8D3478B377847AE3FAED8CA1511C1C44CC4412D8866F26B67"
    "50170000000000000000000000000000000000000000000000000000000000000000"
    "73210224638749C987804AB2405DD2C91E495D201C964F948E03B0E6B63976A8FB337B";
const std::string kSignaturePart =
    "76473045022100C9269B73895EE5BF7899DA5F08AD7D94458B89303EBB125B24F7F2FDD24775D402206A1CA0FDDCF9"
    "3DAAEFE0AEAEDD9C18B02EED44F0EE30C5F45AA6A6C7D8C6798F";

ValidationObject parse_hex(const std::string& digits) {
  return ValidationObject::parse(*from_hex(digits));
}

std::string refusal(const std::string& digits) {
  try {
    parse_hex(digits);
  } catch (const WireError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Validation, OfALiveServerIsReadAndVerified) {
  const Bytes bytes = *from_hex(kSignedPart + kSignaturePart);
  ASSERT_EQ(bytes.size(), 190U);
  const auto object = ValidationObject::parse(bytes);
  EXPECT_EQ(object.flags(), 0x80000000U);
  EXPECT_FALSE(object.full());
  EXPECT_EQ(object.ledger_seq(), 3U);
  EXPECT_EQ(object.sign_time(), 0x2C1F9166U);
  EXPECT_EQ(object.ledger_hash().text(),
            "1C07C13BAF656AC8D3478B377847AE3FAED8CA1511C1C44CC4412D8866F26B67");
  EXPECT_EQ(object.consensus_hash(), Hash256{});
  EXPECT_FALSE(object.cookie());
  EXPECT_FALSE(object.validated_hash());
  EXPECT_FALSE(object.load_fee());
  EXPECT_EQ(to_hex(object.signing_key().bytes),
            "0224638749C987804AB2405DD2C91E495D201C964F948E03B0E6B63976A8FB337B");
  EXPECT_EQ(object.digest().text(),
            "B80F6101F549DE5A3B2C51FAA8FFF32D95A789B9053061CABB885BC6F61313F3");
  EXPECT_TRUE(object.verify());
  EXPECT_EQ(object.serialise(), bytes);
  EXPECT_EQ(object.suppression_id().text(),
            "3D248318B5DD7C23314329516E9B3BA709E3B0F9B69DBE18FFFE144E08AA21BE");
  EXPECT_EQ(suppression_id(ValidationMessage{.validation = bytes}), object.suppression_id());
}

TEST(Validation, MadeHereVerifiesAndReadsBack) {
  Random random(1, "validation");
  for (int i = 0; i < 20; ++i) {
    auto made = ValidationObject::make(random32(random), random32(random), random_hash(random),
                                       random_hash(random));
    if (random.chance(0.5)) made.set_cookie(random.next());
    if (random.chance(0.5)) made.set_validated_hash(random_hash(random));
    EXPECT_TRUE(made.signature().empty());
    EXPECT_FALSE(made.verify());
    made.sign(random_keys(random));
    EXPECT_TRUE(made.full());
    EXPECT_TRUE(made.verify());
    EXPECT_TRUE(made.object().is_canonical());
    const auto read = ValidationObject::parse(made.serialise());
    EXPECT_EQ(read.serialise(), made.serialise());
    EXPECT_EQ(read.cookie(), made.cookie());
    EXPECT_EQ(read.validated_hash(), made.validated_hash());
    EXPECT_TRUE(read.verify());
  }
}

TEST(Validation, ChangedFieldsBreakTheSignatureUntilSignedAgain) {
  Random random(2, "validation");
  const KeyPair keys = random_keys(random);
  const std::vector<std::function<void(ValidationObject&)>> changes = {
      [](ValidationObject& v) { v.set_full(true); },
      [](ValidationObject& v) { v.set_ledger_seq(4); },
      [](ValidationObject& v) { v.set_sign_time(5); },
      [&](ValidationObject& v) { v.set_ledger_hash(random_hash(random)); },
      [&](ValidationObject& v) { v.set_consensus_hash(random_hash(random)); },
      [](ValidationObject& v) { v.set_cookie(77); },
  };
  for (const auto& change : changes) {
    auto object = parse_hex(kSignedPart + kSignaturePart);
    const Hash256 before = object.suppression_id();
    change(object);
    EXPECT_FALSE(object.verify());
    object.sign(keys);
    EXPECT_TRUE(object.verify());
    EXPECT_TRUE(object.object().is_canonical());
    EXPECT_EQ(object.signing_key(), keys.public_key);
    EXPECT_NE(object.suppression_id(), before);
  }
}

// Field 20 of type 2, field 99 of type 7 and a vector of hashes: unknown, unknown, after Signature.
TEST(Validation, UnknownFieldsAndThoseAfterTheSignatureStayInPlace) {
  const std::string unknown_number = "201400000007";
  const std::string unknown_bytes = "706303AABBCC";
  const std::string amendments = "031340" + std::string(128, '5');
  auto object = parse_hex(kSignedPart.substr(0, 30) + unknown_number + kSignedPart.substr(30) +
                          kSignaturePart + unknown_bytes + amendments);
  EXPECT_TRUE(object.object().is_canonical());
  object.set_full(true);
  object.set_cookie(0x1122334455667788);
  Random random(3, "validation");
  object.sign(random_keys(random));
  EXPECT_TRUE(object.verify());
  const std::string text = to_hex(object.serialise());
  EXPECT_THAT(text, HasSubstr("2280000001"));
  EXPECT_THAT(text, HasSubstr("292C1F9166" + unknown_number + "3A112233445566778851"));
  EXPECT_THAT(text, HasSubstr(to_hex(object.signature()) + unknown_bytes + amendments));
  EXPECT_TRUE(text.ends_with(amendments));
  EXPECT_TRUE(parse_hex(text).verify());
}

// Receivers sort before they hash: the order of the bytes does not reach the digest.
TEST(Validation, DigestIsOfSortedFields) {
  const std::string reordered = kSignedPart.substr(10, 10) + kSignedPart.substr(0, 10) +
                                kSignedPart.substr(20) + kSignaturePart;
  const auto object = parse_hex(reordered);
  EXPECT_FALSE(object.object().is_canonical());
  EXPECT_EQ(to_hex(object.serialise()), reordered);
  EXPECT_TRUE(object.verify());
}

TEST(Validation, WithoutARequiredFieldIsRefused) {
  const std::string whole = kSignedPart + kSignaturePart;
  EXPECT_THAT(refusal(whole.substr(10)), HasSubstr("field Flags is missing"));
  EXPECT_THAT(refusal(kSignedPart), HasSubstr("field Signature is missing"));
  EXPECT_THAT(refusal(""), HasSubstr("is missing"));
  std::string short_key = kSignedPart;
  short_key.replace(short_key.size() - 68, 2, "20");
  short_key.resize(short_key.size() - 2);
  EXPECT_THAT(refusal(short_key + kSignaturePart), HasSubstr("SigningPubKey has 32 bytes"));
}

TEST(Validation, EveryTruncationIsRefused) {
  const std::string whole = kSignedPart + kSignaturePart;
  for (std::size_t bytes = 0; bytes < whole.size() / 2; ++bytes) {
    EXPECT_NE(refusal(whole.substr(0, 2 * bytes)), "no error") << bytes;
  }
}

TEST(Validation, MessageKeepsItsOtherFields) {
  ValidationMessage message{.validation = *from_hex(kSignedPart + kSignaturePart),
                            .hops = 3,
                            .unknown_fields = "\x50\x01"};
  auto object = ValidationObject::parse(message);
  object.set_ledger_seq(9);
  const ValidationMessage changed = with_validation(message, object);
  EXPECT_EQ(changed.hops, 3U);
  EXPECT_EQ(changed.unknown_fields, message.unknown_fields);
  EXPECT_EQ(ValidationObject::parse(changed).ledger_seq(), 9U);
}

TEST(SerializedObject, FieldsOfEveryTypeAreKeptByteForByte) {
  const std::string hash20(40, 'D');
  const std::string object = joined({
      "120000",                       // 16 bits
      "2400000001",                   // 32 bits
      "201B00000002",                 // with a long number
      "3A0102030405060708",           // 64 bits
      "41" + std::string(32, 'A'),    // 128 bits
      "614000000000000001",           // drops
      "62D4" + std::string(94, '1'),  // an issued amount
      "6360" + std::string(64, '1'),  // a multi-purpose token
      "7300",                         // an empty key
      "8114" + hash20,                // an account
      "EA7C0141E1",                   // an object
      "F9EA7C0142E1EAE1F1",           // an array of two
      "00101007",                     // 8 bits, two long codes
      "011201" + hash20 + "30" + hash20 + hash20 + "FF10" + hash20 + "00",  // two paths
      "031320" + std::string(64, 'E'),                                      // hashes
  });
  const auto parsed = SerializedObject::parse(*from_hex(object));
  EXPECT_EQ(parsed.fields().size(), 15U);
  EXPECT_EQ(to_hex(parsed.serialize()), object);
  EXPECT_EQ(parsed.number32({2, 27}), 2U);
  EXPECT_EQ(parsed.find({15, 9})->size(), 8U);
  EXPECT_TRUE(parsed.rest().empty());
}

TEST(SerializedObject, LengthsOfAllThreeFormsRoundTrip) {
  for (const std::size_t size :
       {0U, 1U, 192U, 193U, 448U, 449U, 12480U, 12481U, 78016U, 78017U, 918744U}) {
    SerializedObject object;
    object.set(field::kSignature, Bytes(size, 0x5A));
    const Bytes bytes = object.serialize();
    EXPECT_EQ(bytes.size(), 1 + size + (size <= 192 ? 1U : size <= 12480 ? 2U : 3U));
    EXPECT_EQ(SerializedObject::parse(bytes).find(field::kSignature)->size(), size);
  }
  SerializedObject object;
  object.set(field::kSignature, Bytes(918745));
  EXPECT_THROW(object.serialize(), WireError);
}

TEST(SerializedObject, MalformedBytesAreRefusedAndReadUpToThere) {
  const std::string good = "120000";
  for (const std::string bad : {
           "24000000",      // cut short
           "20",            // cut within the header
           "200200000001",  // header not in its shortest form
           "000301",        // the same, of the type
           "120001",        // twice
           "D100",          // type without a known length
           "7805",          // length beyond the end
           "78FF",          // no length
           "E1",            // end without beginning
           "EA7C0141",      // object without end
           "F1",            // the same, of an array
           "011201",        // path cut short
       }) {
    const auto bytes = from_hex(good + bad);
    ASSERT_TRUE(bytes) << bad;
    EXPECT_THROW(SerializedObject::parse(*bytes), WireError) << bad;
    const auto prefix = SerializedObject::parse_prefix(*bytes);
    EXPECT_EQ(prefix.fields().size(), 1U) << bad;
    EXPECT_EQ(to_hex(prefix.rest()), bad);
    EXPECT_EQ(prefix.serialize(), *bytes);
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "EA";
  EXPECT_THROW(SerializedObject::parse(*from_hex(deep)), WireError);
}

TEST(SerializedObject, FieldsCanBeRemoved) {
  SerializedObject object;
  object.set_number(field::kFlags, std::uint32_t{1});
  object.set_number(field::kTransactionType, std::uint16_t{2});
  object.remove(field::kFlags);
  EXPECT_EQ(to_hex(object.serialize()), "120002");
  EXPECT_FALSE(object.number32(field::kFlags));
  EXPECT_FALSE(object.number32(field::kTransactionType));
}

}  // namespace
}  // namespace dissensus::live
