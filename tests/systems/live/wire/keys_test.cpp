// Keys, encodings and signatures against the vectors of xrpl/peer-protocol.md 4.4.
#include "systems/live/wire/keys.h"

#include <gtest/gtest.h>

#include "systems/live/wire/base58.h"
#include "systems/live/wire/content.h"
#include "systems/live/wire/hash.h"

namespace dissensus::live {
namespace {

TEST(Hash, AnswersAreTheKnownOnes) {
  // python3 -c "import hashlib; print(hashlib.new(NAME, b'abc').hexdigest())"
  const ByteView abc = view_of("abc");
  EXPECT_EQ(to_hex(sha512_half(abc)),
            "DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A");
  EXPECT_EQ(to_hex(sha256(abc)),
            "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
  EXPECT_EQ(to_hex(ripemd160(abc)), "8EB208F7E05D987A9B044A8E98C6B087F15A0BFC");
}

TEST(Hex, IsUpperCaseAndReadsBothCases) {
  EXPECT_EQ(to_hex(Bytes{0x00, 0xAB, 0xFF}), "00ABFF");
  EXPECT_EQ(from_hex("00abFF"), (Bytes{0x00, 0xAB, 0xFF}));
  EXPECT_EQ(from_hex(""), Bytes{});
  EXPECT_FALSE(from_hex("0"));
  EXPECT_FALSE(from_hex("0g"));
  EXPECT_FALSE(Hash256::from_text("00"));
}

TEST(Base64, IsStandardAndStrict) {
  EXPECT_EQ(encode_base64(view_of("")), "");
  EXPECT_EQ(encode_base64(view_of("f")), "Zg==");
  EXPECT_EQ(encode_base64(view_of("fo")), "Zm8=");
  EXPECT_EQ(encode_base64(view_of("foobar")), "Zm9vYmFy");
  EXPECT_EQ(decode_base64(""), Bytes{});
  EXPECT_EQ(decode_base64("Zm8="), (Bytes{'f', 'o'}));
  for (const char* bad :
       {"Zg=", "Zg", "====", "Z===", "Zg==Zg==", "Zh==", " Zg=", "Zg= ", "Z.8="}) {
    EXPECT_FALSE(decode_base64(bad)) << bad;
  }
}

TEST(Base64, RoundTrips) {
  Random random(1, "base64");
  for (int i = 0; i < 200; ++i) {
    const Bytes bytes = random_bytes(random, random.below(100));
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base58, RoundTripsAndRefusesAnyChangedCharacter) {
  Random random(1, "base58");
  for (int i = 0; i < 100; ++i) {
    Bytes bytes = random_bytes(random, random.below(40));
    if (!bytes.empty() && random.chance(0.3)) bytes.front() = 0;
    const auto type = static_cast<std::uint8_t>(random.below(256));
    std::string text = encode_base58(type, bytes);
    ASSERT_EQ(decode_base58(type, text), bytes) << text;
    EXPECT_FALSE(decode_base58(static_cast<std::uint8_t>(type + 1), text));
    char& changed = text[random.below(text.size())];
    changed = changed == 'r' ? 'p' : 'r';
    EXPECT_FALSE(decode_base58(type, text));
  }
}

TEST(Base58, LeadingZerosAreLettersOfTheirOwn) {
  EXPECT_EQ(account_text(AccountId{}),
            "rrrrrrrrrrrrrrrrrrrrrhoLvTp");  // the well-known zero account
  EXPECT_EQ(parse_account("rrrrrrrrrrrrrrrrrrrrrhoLvTp"), AccountId{});
}

TEST(Base58, RefusesWhatItCannotHold) {
  EXPECT_FALSE(decode_base58(kSeedType, ""));
  EXPECT_FALSE(decode_base58(kSeedType, "0OIl"));
  EXPECT_FALSE(decode_base58(kSeedType, std::string(100'000, 'z')));
  EXPECT_FALSE(Seed::parse("n9MakBGxmMS9a82iYMthur2exAQvcuXXyXhsgjk9EMXSHhSgZDS3"));
  EXPECT_FALSE(PublicKey::parse_node("ssb8XB2fkdgNh2oy3P3KMos5mNKU3"));
}

TEST(Keys, NodeKeysFollowFromTheSeed) {
  const auto seed = Seed::parse("ssb8XB2fkdgNh2oy3P3KMos5mNKU3");
  ASSERT_TRUE(seed);
  EXPECT_EQ(to_hex(seed->bytes), "40F3DF965C561DC4BB2F39B29CE48B05");
  EXPECT_EQ(seed->text(), "ssb8XB2fkdgNh2oy3P3KMos5mNKU3");
  const KeyPair keys = node_keys(*seed);
  EXPECT_EQ(to_hex(keys.secret),
            "A8329BAA037C5E0B7A7D2D90CE3C9BF4B715BDC95B921756985942F1759983D2");
  EXPECT_EQ(to_hex(keys.public_key.bytes),
            "03509CB5C34CF97EAC47646DDC254C17C1BABB81CA52241E0E6ED40E1F355B6B94");
  EXPECT_EQ(keys.public_key.node_text(), "n9MakBGxmMS9a82iYMthur2exAQvcuXXyXhsgjk9EMXSHhSgZDS3");
  EXPECT_EQ(PublicKey::parse_node(keys.public_key.node_text()), keys.public_key);
}

TEST(Keys, AccountKeysFollowFromThePassphrase) {
  const Seed seed = Seed::from_passphrase("masterpassphrase");
  EXPECT_EQ(seed.text(), "snoPBrXtMeMyMHUVTgbuqAfg1SUTb");
  EXPECT_EQ(to_hex(seed.bytes), "DEDCE9CE67B451D852FD4E846FCDE31C");
  const KeyPair keys = account_keys(seed);
  EXPECT_EQ(to_hex(keys.secret),
            "1ACAAEDECE405B2A958212629E16F2EB46B153EEE94CDD350FDEFF52795525B7");
  EXPECT_EQ(to_hex(keys.public_key.bytes),
            "0330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD020");
  EXPECT_EQ(keys.public_key.account_address(), "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh");
  EXPECT_EQ(parse_account("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"), keys.public_key.account_id());
}

TEST(Signatures, VerifyExactlyForTheirKeyAndDigest) {
  Random random(1, "signatures");
  for (int i = 0; i < 20; ++i) {
    const KeyPair keys = random_keys(random);
    Hash256 digest = random_hash(random);
    const Bytes der = sign(keys, digest);
    EXPECT_EQ(der, sign(keys, digest));
    EXPECT_TRUE(verify(keys.public_key, digest, der, SignatureForm::canonical));
    EXPECT_FALSE(verify(random_keys(random).public_key, digest, der));
    Bytes changed = der;
    changed[random.below(changed.size())] ^= 1;
    EXPECT_FALSE(verify(keys.public_key, digest, changed));
    digest[random.below(32)] ^= 0x10;
    EXPECT_FALSE(verify(keys.public_key, digest, der));
  }
}

/// The other signature of the same digest: S replaced by order - S, in strict DER.
Bytes with_high_s(const Bytes& der) {
  const Bytes order = *from_hex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141");
  const std::size_t r_size = der[3];
  Bytes s(der.begin() + 6 + static_cast<std::ptrdiff_t>(r_size), der.end());
  s.insert(s.begin(), 32 - s.size(), 0);
  int borrow = 0;
  for (std::size_t i = 32; i-- > 0;) {
    const int difference = order[i] - s[i] - borrow;
    borrow = difference < 0 ? 1 : 0;
    s[i] = static_cast<std::uint8_t>(difference + borrow * 256);
  }
  s.insert(s.begin(), 0);  // the top bit is set
  Bytes out{0x30, static_cast<std::uint8_t>(4 + r_size + s.size())};
  append(out, ByteView(der).subspan(2, 2 + r_size));
  out.push_back(0x02);
  out.push_back(static_cast<std::uint8_t>(s.size()));
  append(out, s);
  return out;
}

TEST(Signatures, HighSIsStrictButNotCanonical) {
  Random random(2, "signatures");
  const KeyPair keys = random_keys(random);
  const Hash256 digest = random_hash(random);
  const Bytes high = with_high_s(sign(keys, digest));
  EXPECT_TRUE(verify(keys.public_key, digest, high, SignatureForm::strict));
  EXPECT_FALSE(verify(keys.public_key, digest, high, SignatureForm::canonical));
}

TEST(Signatures, MalformedOnesAreRefused) {
  Random random(3, "signatures");
  const KeyPair keys = random_keys(random);
  const Hash256 digest = random_hash(random);
  const Bytes der = sign(keys, digest);
  for (std::size_t size = 0; size < der.size(); ++size) {
    EXPECT_FALSE(verify(keys.public_key, digest, ByteView(der).first(size)));
  }
  Bytes longer = der;
  longer.push_back(0);
  EXPECT_FALSE(verify(keys.public_key, digest, longer));
  EXPECT_FALSE(verify(keys.public_key, digest, Bytes(100, 0x30)));
  PublicKey edwards = keys.public_key;
  edwards.bytes[0] = 0xED;
  EXPECT_FALSE(verify(edwards, digest, der));
  EXPECT_FALSE(verify(PublicKey{}, digest, der));
}

}  // namespace
}  // namespace dissensus::live
