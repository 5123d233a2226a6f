// Payments, foreign transactions, transaction sets and ledger headers: xrpl/peer-protocol.md 7.5
// and 7.6.
#include "systems/live/wire/payment.h"

#include <array>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/wire/content.h"
#include "systems/live/wire/hash.h"
#include "systems/live/wire/ledger.h"
#include "systems/live/wire/serialized_object.h"

namespace dissensus::live {
namespace {

Payment known_payment() {
  Payment payment;
  payment.keys = account_keys(Seed::from_passphrase("masterpassphrase"));
  payment.destination = "rE4DHSdcXafD7DkpJuFCAvc3CvsgXHjmEJ";
  payment.drops = 200'000'000;
  payment.fee = 10;
  payment.sequence = 1;
  return payment;
}

// xrpl/peer-protocol.md 7.6: a transaction of a real network.
TEST(Payment, IsTheKnownOne) {
  const SignedTransaction signed_payment = sign_payment(known_payment());
  EXPECT_EQ(signed_payment.id.text(),
            "C18F02A0BF38D7D3B50BFBACA51E340533D441C618EB10C6B60EF061D6B20650");
  EXPECT_EQ(signed_payment.blob.size(), 183U);
  EXPECT_TRUE(verify_transaction(signed_payment.blob));
}

TEST(Payment, ReadsBackAsItWasSigned) {
  Random random(1, "payment");
  for (int i = 0; i < 20; ++i) {
    Payment payment;
    payment.keys = random_keys(random);
    payment.destination = random_keys(random).public_key.account_address();
    payment.drops = random.below(100'000'000'000'000'001);
    payment.fee = random.below(1000);
    payment.sequence = random32(random);
    payment.last_ledger = random.chance(0.5) ? 1 + random32(random) / 2 : 0;
    payment.network_id = sometimes(random, [&] { return random32(random); });
    payment.destination_tag = sometimes(random, [&] { return random32(random); });
    const SignedTransaction signed_payment = sign_payment(payment);
    EXPECT_TRUE(SerializedObject::parse(signed_payment.blob).is_canonical());
    EXPECT_TRUE(verify_transaction(signed_payment.blob));

    const ParsedTransaction parsed = parse_transaction(signed_payment.blob);
    EXPECT_EQ(parsed.id, signed_payment.id);
    EXPECT_EQ(parsed.type, 0);
    EXPECT_EQ(parsed.type_name, "Payment");
    EXPECT_EQ(parsed.account, payment.keys.public_key.account_address());
    EXPECT_EQ(parsed.destination, payment.destination);
    EXPECT_EQ(parsed.drops, payment.drops);
    EXPECT_EQ(parsed.fee, payment.fee);
    EXPECT_EQ(parsed.sequence, payment.sequence);
    EXPECT_EQ(parsed.last_ledger.value_or(0), payment.last_ledger);
    EXPECT_EQ(parsed.network_id, payment.network_id);
    EXPECT_EQ(parsed.destination_tag, payment.destination_tag);
    EXPECT_EQ(parsed.signing_key, payment.keys.public_key);

    Bytes changed = signed_payment.blob;
    changed[random.below(changed.size())] ^= 0x04;
    EXPECT_FALSE(verify_transaction(changed));
    EXPECT_NE(transaction_id(changed), signed_payment.id);
  }
}

TEST(Payment, ToNowhereOrOfMoreThanThereIsCannotBeMade) {
  Payment payment = known_payment();
  payment.destination = "rE4DHSdcXafD7DkpJuFCAvc3CvsgXHjmEK";
  EXPECT_THROW(sign_payment(payment), WireError);
  payment = known_payment();
  payment.drops = 100'000'000'000'000'001;
  EXPECT_THROW(sign_payment(payment), WireError);
}

// A trust line with an issued amount, and a type from the future with a field of unknown length.
TEST(Transaction, OfAnotherTypeShowsWhatIsUnderstood) {
  const std::string account(40, '0');
  const auto trust = parse_transaction(*from_hex(joined({
      "120014",
      "2400000007",
      "63D4" + std::string(94, '1'),
      "68400000000000000C",
      "8114" + account,
  })));
  EXPECT_EQ(trust.type_name, "TrustSet");
  EXPECT_EQ(trust.account, "rrrrrrrrrrrrrrrrrrrrrhoLvTp");
  EXPECT_EQ(trust.sequence, 7U);
  EXPECT_EQ(trust.fee, 12U);
  EXPECT_FALSE(trust.drops);
  EXPECT_FALSE(trust.destination);

  const auto future =
      parse_transaction(*from_hex(joined({"1203E7", "8114" + account, "011BFFFF"})));
  EXPECT_EQ(future.type_name, "type 999");
  EXPECT_EQ(future.account, "rrrrrrrrrrrrrrrrrrrrrhoLvTp");
}

TEST(Transaction, ThatCannotBeReadHasAnIdAllTheSame) {
  Random random(2, "payment");
  for (int i = 0; i < 200; ++i) {
    const Bytes noise = random_bytes(random, random.below(200));
    EXPECT_EQ(parse_transaction(noise).id, transaction_id(noise));
    EXPECT_FALSE(verify_transaction(noise));
  }
}

// A type whose last field has no known length still verifies: what follows is signed as it stands.
TEST(Transaction, WithAnUnknownTailCanBeVerified) {
  const KeyPair keys = known_payment().keys;
  const Bytes tail = *from_hex("011BFFFF");
  SerializedObject object;
  object.set_number(field::kTransactionType, std::uint16_t{999});
  object.set(field::kSigningPublicKey, keys.public_key.bytes);
  Bytes covered = object.serialize();
  append(covered, tail);
  object.set(field::kTransactionSignature,
             sign(keys, prefixed_hash(HashPrefix::transaction_sign, covered)));
  Bytes blob = object.serialize();
  append(blob, tail);
  EXPECT_TRUE(verify_transaction(blob));
}

// xrpl/peer-protocol.md 7.5
TEST(TransactionSet, OfOneTransactionIsTheKnownOne) {
  const SignedTransaction one = sign_payment(known_payment());
  const std::string known = "FE0E71183243245E3619EFCBE073F2D7EEDE9B0F0BF1A1B2B7D9F1E22B4A5C2A";
  EXPECT_EQ(transaction_set_id(std::vector<Hash256>{one.id}).text(), known);
  EXPECT_EQ(transaction_set_id(std::vector<Bytes>{one.blob}).text(), known);
  EXPECT_TRUE(transaction_set_id(std::vector<Hash256>{}).is_zero());
}

// import hashlib; H=lambda b: hashlib.sha512(b).digest()[:32]; ids=[H(bytes([i])) for i in
// range(100)] def inner(s,d):
//   k=[[x for x in s if (x[d//2]>>(4 if d%2==0 else 0))&15==b] for b in range(16)]
//   return H(b'MIN\0'+b''.join(bytes(32) if not c else c[0] if len(c)==1 else inner(c,d+1) for c in
//   k))
// print(inner(ids,0).hex(), inner(ids[:2],0).hex())   # Python 3
TEST(TransactionSet, OfManyIsWhatAnotherProgramComputes) {
  std::vector<Hash256> ids;
  for (std::uint8_t i = 0; i < 100; ++i) ids.push_back(sha512_half(Bytes{i}));
  EXPECT_EQ(transaction_set_id(ids).text(),
            "3646743BA6B0E37B9D225CD389C65AAA9999C2D9150BB8C6727C3660E04B8249");
  EXPECT_EQ(transaction_set_id(std::vector<Hash256>{ids[1], ids[0]}).text(),
            "DF72F275C3625BDAF398F328CBA345D0E2823AFA43BA794FFDBD515D64E57DF1");
}

/// The tree as servers grow it: leaves are inserted one by one and pushed down when they meet.
class GrowingTree {
 public:
  void insert(const Hash256& leaf) { insert(root_, leaf, 0); }
  Hash256 hash() const { return hash(root_); }

 private:
  struct Inner;
  struct Branch {
    std::optional<Hash256> leaf;
    std::unique_ptr<Inner> inner;
  };
  struct Inner {
    std::array<Branch, 16> branches;
  };

  static void insert(Inner& node, const Hash256& leaf, std::size_t depth) {
    const std::string digits = leaf.text();
    const char digit = digits[depth];
    Branch& branch =
        node.branches[static_cast<std::size_t>(digit <= '9' ? digit - '0' : digit - 'A' + 10)];
    if (branch.leaf == leaf) return;
    if (!branch.inner && !branch.leaf) {
      branch.leaf = leaf;
      return;
    }
    if (branch.leaf) {
      branch.inner = std::make_unique<Inner>();
      insert(*branch.inner, *branch.leaf, depth + 1);
      branch.leaf.reset();
    }
    insert(*branch.inner, leaf, depth + 1);
  }

  static Hash256 hash(const Inner& node) {
    Bytes content = {'M', 'I', 'N', 0};
    for (const Branch& branch : node.branches) {
      append(content, branch.inner ? hash(*branch.inner) : branch.leaf.value_or(Hash256{}));
    }
    return sha512_half(content);
  }

  Inner root_;
};

TEST(TransactionSet, IsThatOfATreeThatGrowsLeafByLeaf) {
  Random random(3, "payment");
  for (int i = 0; i < 100; ++i) {
    std::vector<Hash256> ids;
    for (std::uint64_t count = 1 + random.below(30); count > 0; --count) {
      Hash256 id = random_hash(random);
      // Long common beginnings, up to all but the last digit; and repetitions.
      if (!ids.empty() && random.chance(0.4)) {
        const Hash256& other = ids[random.below(ids.size())];
        std::copy_n(other.begin(), random.below(33), id.begin());
      }
      ids.push_back(id);
    }
    GrowingTree tree;
    for (const Hash256& id : ids) tree.insert(id);
    EXPECT_EQ(transaction_set_id(ids), tree.hash());
  }
}

TEST(TransactionSet, OfLedgerDataAreItsTransactionNodes) {
  const SignedTransaction one = sign_payment(known_payment());
  LedgerNode leaf{.data = one.blob, .id = Bytes(33)};
  leaf.data.push_back(0);
  LedgerNode inner{.data = Bytes(33, 1), .id = Bytes(33)};
  inner.data.push_back(3);
  LedgerData data{.item = LedgerItem::candidate_set, .nodes = {inner, leaf, LedgerNode{}}};
  EXPECT_EQ(candidate_transactions(data), std::vector<Bytes>{one.blob});
  EXPECT_FALSE(ledger_header_of(data));
  data.item = LedgerItem::state_node;
  EXPECT_TRUE(candidate_transactions(data).empty());
}

Hash256 hash(std::string_view digits) {
  return *Hash256::from_text(digits);
}

// Both ledgers are public: the first of every new network, and the first of the main network's
// history. Checked with Python's hashlib over the same fields.
TEST(Ledger, HashesAreThoseOfPublicLedgers) {
  LedgerHeader genesis;
  genesis.sequence = 1;
  genesis.drops = 100'000'000'000'000'000;
  genesis.state_hash = hash("A21ED30C04C88046FC61DB9DC19375EEDBD365FD8C17286F27127DF804E9CAA6");
  genesis.close_resolution = 30;
  EXPECT_EQ(ledger_hash(genesis).text(),
            "AB868A6CFEEC779C2FF845C0AF00A642259986AF40C01976A7F842B6918936C7");

  LedgerHeader main;
  main.sequence = 32570;
  main.drops = 99'999'999'999'996'320;
  main.parent_hash = hash("60A01EBF11537D8394EA1235253293508BDA7131D5F8710EFE9413AA129653A2");
  main.state_hash = hash("3806AF8F22037DE598D30D38C8861FADF391171D26F7DE34ACFA038996EA6BEB");
  main.parent_close_time = 410325660;
  main.close_time = 410325670;
  main.close_resolution = 10;
  EXPECT_EQ(ledger_hash(main).text(),
            "4109C6F2045FC7EFF4CDE8F9905D19C28820D86304080FF886B299F0206E42B5");
}

TEST(Ledger, HeaderRoundTripsAndHasOneSize) {
  Random random(4, "payment");
  for (int i = 0; i < 20; ++i) {
    const Bytes bytes = random_bytes(random, kLedgerHeaderBytes);
    const LedgerHeader header = decode_ledger_header(bytes);
    EXPECT_EQ(encode_ledger_header(header), bytes);
    const LedgerData data{.item = LedgerItem::base, .nodes = {{.data = bytes}}};
    EXPECT_EQ(ledger_header_of(data), header);
  }
  EXPECT_THROW(decode_ledger_header(Bytes(117)), WireError);
  EXPECT_THROW(decode_ledger_header(Bytes(119)), WireError);
  EXPECT_FALSE(ledger_header_of(LedgerData{.item = LedgerItem::base}));
}

}  // namespace
}  // namespace dissensus::live
