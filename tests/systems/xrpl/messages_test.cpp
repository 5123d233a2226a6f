// Message kinds, fields and identities.
#include "systems/xrpl/messages.h"

#include <gtest/gtest.h>

#include "dissensus/message.h"

namespace dissensus::xrpl {
namespace {

SystemDescription described(KindScheme scheme) {
  SystemDescription description;
  describe_messages(description, scheme);
  return description;
}

// Thesis Table 3.1: thirteen kinds in its order; a proposal beyond 5 counts as the first.
TEST(Messages, ThirteenKinds) {
  const SystemDescription description = described(KindScheme::thirteen);
  const std::vector<std::string> expected{
      "ProposeSet0",        "ProposeSet1",      "ProposeSet2",  "ProposeSet3", "ProposeSet4",
      "ProposeSet5",        "ProposeSetBowOut", "StatusChange", "Validation",  "Transaction",
      "HaveTransactionSet", "GetLedger",        "LedgerData"};
  ASSERT_EQ(description.kinds.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(description.kinds[i].name, expected[i]);
  }
  ProposeSet proposal;
  for (std::uint32_t seq = 0; seq <= 5; ++seq) {
    proposal.propose_seq = seq;
    EXPECT_EQ(proposal.kind(), seq);
  }
  proposal.propose_seq = 6;
  EXPECT_EQ(proposal.kind(), 0);
  proposal.propose_seq = kBowOut;
  EXPECT_EQ(description.kinds[proposal.kind()].name, "ProposeSetBowOut");
}

template <class T>
void expect_kind(const SystemDescription& description, KindScheme scheme, const char* name) {
  T message;
  message.scheme = scheme;
  EXPECT_EQ(description.kinds[message.kind()].name, name);
  EXPECT_EQ(description.payloads[description.kinds[message.kind()].payload].name, name);
}

TEST(Messages, KindsNameTheirPayloadInBothSchemes) {
  for (const KindScheme scheme : {KindScheme::thirteen, KindScheme::seven}) {
    const SystemDescription description = described(scheme);
    EXPECT_EQ(description.payloads.size(), 7u);
    expect_kind<StatusChange>(description, scheme, "StatusChange");
    expect_kind<Validation>(description, scheme, "Validation");
    expect_kind<TransactionMessage>(description, scheme, "Transaction");
    expect_kind<HaveTransactionSet>(description, scheme, "HaveTransactionSet");
    expect_kind<GetLedger>(description, scheme, "GetLedger");
    expect_kind<LedgerData>(description, scheme, "LedgerData");
  }
  EXPECT_EQ(described(KindScheme::seven).kinds.size(), 7u);
}

// A changed field of a signed message is a new signature: the dense identity is dropped, kind and
// digest follow the content.
TEST(Messages, MutationGivesANewIdentity) {
  const SystemDescription description = described(KindScheme::thirteen);
  MessagePool pool;
  ProposeSet proposal;
  proposal.position = digest_of_text("set");
  proposal.number = 17;
  const Message original = pool.make(proposal, description);
  std::size_t field = 0;
  const auto& fields = description.payloads[0].fields;
  while (fields[field].name != "propose_seq") ++field;
  const Message changed = pool.with_field(original, description, field, std::uint64_t{2});
  EXPECT_EQ(changed.get<ProposeSet>()->propose_seq, 2u);
  EXPECT_EQ(changed.get<ProposeSet>()->number, 0u);
  EXPECT_EQ(changed.kind(), 2);
  EXPECT_NE(changed.digest(), original.digest());
  EXPECT_EQ(original.get<ProposeSet>()->number, 17u);
}

TEST(Messages, EveryFieldCanBeRead) {
  const SystemDescription description = described(KindScheme::thirteen);
  Transaction transaction;
  transaction.id = digest_of_text("tx");
  TransactionMessage message;
  message.transaction = &transaction;
  const PayloadDescription& payload =
      description.payloads[description.kinds[message.kind()].payload];
  ASSERT_EQ(payload.name, "Transaction");
  EXPECT_EQ(std::get<Digest>(payload.getters[0](&message)), transaction.id);
  EXPECT_FALSE(payload.setters[0]) << "nobody can sign for the client";
}

// Equal content, equal digest; the dense number is not content.
TEST(Messages, DigestsAreContent) {
  Validation a;
  a.ledger = digest_of_text("ledger");
  Validation b = a;
  b.number = 3;
  EXPECT_EQ(a.digest(), b.digest());
  b.full = true;
  EXPECT_NE(a.digest(), b.digest());
}

}  // namespace
}  // namespace dissensus::xrpl
