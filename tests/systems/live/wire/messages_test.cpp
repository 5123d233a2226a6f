// Messages: what is encoded decodes to the same, what is not of its type is refused, and the
// proposal's vectors of xrpl/peer-protocol.md 7.3.
#include "systems/live/wire/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/wire/content.h"

namespace dissensus::live {
namespace {

using ::testing::HasSubstr;

Hash256 hash(std::string_view digits) {
  return *Hash256::from_text(digits);
}

template <class Message>
Message decoded(const Frame& frame) {
  return std::get<Message>(decode(frame));
}

std::string refusal(FrameType type, std::string_view payload_hex) {
  try {
    decode(make_frame(type, *from_hex(payload_hex)));
  } catch (const WireError& error) {
    return error.what();
  }
  return "no error";
}

/// Field 100, a number that no message here has: protobuf tag (100 << 3 | 0), then the number.
std::string random_unknown(Random& random) {
  return random.chance(0.5) ? std::string("\xA0\x06\x2A") : std::string();
}

Proposal random_proposal(Random& random) {
  Proposal proposal{.propose_seq = random32(random),
                    .transaction_set = random_hash(random),
                    .close_time = random32(random),
                    .previous_ledger = random_hash(random),
                    .checked_signature = sometimes(random, [&] { return random.chance(0.5); }),
                    .added_transactions = random_list(random, 32),
                    .removed_transactions = random_list(random, 32),
                    .hops = sometimes(random, [&] { return random32(random); }),
                    .unknown_fields = random_unknown(random)};
  sign(proposal, random_keys(random));
  return proposal;
}

StatusChange random_status(Random& random) {
  return {.status = sometimes(random, [&] { return random_enum<NodeStatus>(random, 1, 5); }),
          .event = sometimes(random, [&] { return random_enum<NodeEvent>(random, 1, 4); }),
          .ledger_seq = sometimes(random, [&] { return random32(random); }),
          .ledger_hash = sometimes(random, [&] { return random_hash(random); }),
          .previous_hash = sometimes(random, [&] { return random_hash(random); }),
          .network_time = sometimes(random, [&] { return random.next(); }),
          .first_seq = sometimes(random, [&] { return random32(random); }),
          .last_seq = sometimes(random, [&] { return random32(random); }),
          .unknown_fields = random_unknown(random)};
}

TransactionMessage random_transaction(Random& random) {
  return {.raw = random_bytes(random, random.below(300)),
          .status = random_enum<TransactionStatus>(random, 1, 8),
          .receive_timestamp = sometimes(random, [&] { return random.next(); }),
          .deferred = sometimes(random, [&] { return random.chance(0.5); }),
          .unknown_fields = random_unknown(random)};
}

GetLedger random_get_ledger(Random& random) {
  return {.item = random_enum<LedgerItem>(random, 0, 3),
          .kind = sometimes(random, [&] { return random_enum<LedgerKind>(random, 0, 2); }),
          .hash = sometimes(random, [&] { return random_hash(random); }),
          .ledger_seq = sometimes(random, [&] { return random32(random); }),
          .node_ids = random_list(random, 33),
          .request_cookie = sometimes(random, [&] { return random.next(); }),
          .query_type = sometimes(random, [&] { return QueryType::indirect; }),
          .query_depth = sometimes(random, [&] { return random32(random); }),
          .unknown_fields = random_unknown(random)};
}

LedgerData random_ledger_data(Random& random) {
  LedgerData data{.hash = random_hash(random),
                  .ledger_seq = random32(random),
                  .item = random_enum<LedgerItem>(random, 0, 3),
                  .request_cookie = sometimes(random, [&] { return random32(random); }),
                  .error = sometimes(random, [&] { return random_enum<ReplyError>(random, 1, 3); }),
                  .unknown_fields = random_unknown(random)};
  for (std::uint64_t count = random.below(5); count > 0; --count) {
    data.nodes.push_back({.data = random_bytes(random, random.below(600)),
                          .id = sometimes(random, [&] { return random_bytes(random, 33); }),
                          .unknown_fields = random_unknown(random)});
  }
  return data;
}

GetObjects random_get_objects(Random& random) {
  GetObjects objects{.object_type = random_enum<ObjectType>(random, 0, 7),
                     .query = random.chance(0.5),
                     .seq = sometimes(random, [&] { return random32(random); }),
                     .ledger_hash = sometimes(random, [&] { return random_hash(random); }),
                     .fat = sometimes(random, [&] { return random.chance(0.5); }),
                     .unknown_fields = random_unknown(random)};
  for (std::uint64_t count = random.below(4); count > 0; --count) {
    objects.objects.push_back(
        {.hash = sometimes(random, [&] { return random_hash(random); }),
         .node_id = sometimes(random, [&] { return random_bytes(random, 33); }),
         .index = sometimes(random, [&] { return random_bytes(random, 5); }),
         .data = sometimes(random, [&] { return random_bytes(random, 50); }),
         .ledger_seq = sometimes(random, [&] { return random32(random); }),
         .unknown_fields = random_unknown(random)});
  }
  return objects;
}

template <class Message>
void expect_round_trip(const Message& message) {
  const Frame frame = encode(message);
  EXPECT_EQ(frame.type, Message::kType);
  EXPECT_EQ(decoded<Message>(frame), message);
  EXPECT_EQ(encode(decoded<Message>(frame)), frame);
}

TEST(Messages, OfConsensusRoundTrip) {
  Random random(1, "messages");
  for (int i = 0; i < 100; ++i) {
    expect_round_trip(random_proposal(random));
    expect_round_trip(random_status(random));
    expect_round_trip(ValidationMessage{
        .validation = random_bytes(random, random.below(400)),
        .checked_signature = sometimes(random, [&] { return random.chance(0.5); }),
        .hops = sometimes(random, [&] { return random32(random); }),
        .unknown_fields = random_unknown(random)});
    expect_round_trip(random_transaction(random));
    expect_round_trip(HaveSet{.status = random_enum<SetStatus>(random, 1, 3),
                              .hash = random_hash(random),
                              .unknown_fields = random_unknown(random)});
    expect_round_trip(random_get_ledger(random));
    expect_round_trip(random_ledger_data(random));
  }
}

TEST(Messages, OfTheLinkRoundTrip) {
  Random random(2, "messages");
  for (int i = 0; i < 50; ++i) {
    expect_round_trip(Ping{.pong = random.chance(0.5),
                           .seq = sometimes(random, [&] { return random32(random); }),
                           .ping_time = sometimes(random, [&] { return random.next(); }),
                           .net_time = sometimes(random, [&] { return random.next(); }),
                           .unknown_fields = random_unknown(random)});
    expect_round_trip(
        Squelch{.squelch = random.chance(0.5),
                .validator = random_keys(random).public_key,
                .duration_seconds = sometimes(random, [&] { return random32(random); }),
                .unknown_fields = random_unknown(random)});
    expect_round_trip(Manifests{.list = random_list(random, 100),
                                .history = sometimes(random, [&] { return random.chance(0.5); }),
                                .unknown_fields = random_unknown(random)});
    expect_round_trip(
        Endpoints{.version = 2,
                  .list = {{.address = "127.0.0.1:51235", .hops = random32(random)},
                           {.address = "[::1]:1", .unknown_fields = random_unknown(random)}},
                  .unknown_fields = random_unknown(random)});
    expect_round_trip(random_get_objects(random));
    expect_round_trip(ValidatorList{.manifest = random_bytes(random, 60),
                                    .blob = random_bytes(random, 500),
                                    .signature = random_bytes(random, 70),
                                    .version = random32(random),
                                    .unknown_fields = random_unknown(random)});
    expect_round_trip(HaveTransactions{.hashes = {random_hash(random), random_hash(random)},
                                       .unknown_fields = random_unknown(random)});
    expect_round_trip(Transactions{.list = {random_transaction(random), random_transaction(random)},
                                   .unknown_fields = random_unknown(random)});
  }
}

// Written by hand from the field table, so that a wrong number in the .proto file is seen.
template <class Message>
Message from_parts(std::initializer_list<std::string> parts) {
  return decoded<Message>(make_frame(Message::kType, *from_hex(joined(parts))));
}

const std::string kHashDigits(64, 'A');
const std::string kOtherDigits(64, 'B');
const std::string kKeyDigits(66, '2');

TEST(Messages, ProposalsHaveTheFieldNumbersOfTheTable) {
  const auto proposal =
      from_parts<Proposal>({"0807", "1220" + kHashDigits, "1A21" + kKeyDigits, "2009", "2A0101",
                            "3220" + kOtherDigits, "3801", "520103", "5A0104", "6005"});
  EXPECT_EQ(proposal, (Proposal{.propose_seq = 7,
                                .transaction_set = hash(kHashDigits),
                                .node_key = *PublicKey::from_bytes(*from_hex(kKeyDigits)),
                                .close_time = 9,
                                .signature = {1},
                                .previous_ledger = hash(kOtherDigits),
                                .checked_signature = true,
                                .added_transactions = {{3}},
                                .removed_transactions = {{4}},
                                .hops = 5}));
}

TEST(Messages, StatusChangesHaveTheFieldNumbersOfTheTable) {
  const auto status = from_parts<StatusChange>({"0805", "1002", "1803", "2220" + kHashDigits,
                                                "2A20" + kOtherDigits, "3004", "3805", "4006"});
  EXPECT_EQ(status, (StatusChange{.status = NodeStatus::shutting,
                                  .event = NodeEvent::accepted_ledger,
                                  .ledger_seq = 3,
                                  .ledger_hash = hash(kHashDigits),
                                  .previous_hash = hash(kOtherDigits),
                                  .network_time = 4,
                                  .first_seq = 5,
                                  .last_seq = 6}));
}

TEST(Messages, LedgerRequestsAndRepliesHaveTheFieldNumbersOfTheTable) {
  const auto request = from_parts<GetLedger>(
      {"0803", "1002", "1A20" + kHashDigits, "2004", "2A0107", "3006", "3800", "4008"});
  EXPECT_EQ(request, (GetLedger{.item = LedgerItem::candidate_set,
                                .kind = LedgerKind::closed,
                                .hash = hash(kHashDigits),
                                .ledger_seq = 4,
                                .node_ids = {{7}},
                                .request_cookie = 6,
                                .query_type = QueryType::indirect,
                                .query_depth = 8}));
  const auto reply = from_parts<LedgerData>(
      {"0A20" + kHashDigits, "1002", "1803", "22060A0101120102", "2805", "3002"});
  EXPECT_EQ(reply, (LedgerData{.hash = hash(kHashDigits),
                               .ledger_seq = 2,
                               .item = LedgerItem::candidate_set,
                               .nodes = {{.data = {1}, .id = Bytes{2}}},
                               .request_cookie = 5,
                               .error = ReplyError::no_node}));
}

TEST(Messages, SmallOnesHaveTheFieldNumbersOfTheTable) {
  EXPECT_EQ(from_parts<TransactionMessage>({"0A0109", "1002", "1803", "2001"}),
            (TransactionMessage{.raw = {9},
                                .status = TransactionStatus::current,
                                .receive_timestamp = 3,
                                .deferred = true}));
  EXPECT_EQ(from_parts<Ping>({"0801", "1002", "1803", "2004"}),
            (Ping{.pong = true, .seq = 2, .ping_time = 3, .net_time = 4}));
  EXPECT_EQ(from_parts<HaveSet>({"0801", "1220" + kHashDigits}),
            (HaveSet{.status = SetStatus::have, .hash = hash(kHashDigits)}));
  EXPECT_EQ(from_parts<Squelch>({"0801", "1221" + kKeyDigits, "1803"}),
            (Squelch{.squelch = true,
                     .validator = *PublicKey::from_bytes(*from_hex(kKeyDigits)),
                     .duration_seconds = 3}));
  EXPECT_EQ(from_parts<ValidationMessage>({"0A0109", "1001", "1803"}),
            (ValidationMessage{.validation = {9}, .checked_signature = true, .hops = 3}));
  EXPECT_EQ(from_parts<Manifests>({"0A030A0109", "1001"}),
            (Manifests{.list = {{9}}, .history = true}));
  EXPECT_EQ(from_parts<Endpoints>({"0802", "1A050A01611003"}),
            (Endpoints{.version = 2, .list = {{.address = "a", .hops = 3}}}));
  EXPECT_EQ(from_parts<ValidatorList>({"0A0101", "120102", "1A0103", "2004"}),
            (ValidatorList{.manifest = {1}, .blob = {2}, .signature = {3}, .version = 4}));
  EXPECT_EQ(from_parts<HaveTransactions>({"0A20" + kHashDigits}),
            (HaveTransactions{.hashes = {hash(kHashDigits)}}));
  EXPECT_EQ(from_parts<Transactions>({"0A050A01091001"}),
            (Transactions{.list = {{.raw = {9}, .status = TransactionStatus::fresh}}}));
  const auto objects = from_parts<GetObjects>({"0806", "1001", "1803", "2220" + kHashDigits, "2801",
                                               "320B120102", "1A0103", "220104", "2805"});
  EXPECT_EQ(objects,
            (GetObjects{
                .object_type = ObjectType::fetch_pack,
                .query = true,
                .seq = 3,
                .ledger_hash = hash(kHashDigits),
                .fat = true,
                .objects = {
                    {.node_id = Bytes{2}, .index = Bytes{3}, .data = Bytes{4}, .ledger_seq = 5}}}));
}

TEST(Messages, OfOtherTypesAreLeftAlone) {
  const Frame frame = make_frame(FrameType::get_peer_shard_info, Bytes{0xFF, 0xFF});
  EXPECT_EQ(decode(frame), WireMessage(OtherMessage{FrameType::get_peer_shard_info}));
  EXPECT_EQ(decode(make_frame(FrameType{999}, {})), WireMessage(OtherMessage{FrameType{999}}));
}

TEST(Messages, WithoutRequiredFieldsAreRefused) {
  for (const FrameType type :
       {FrameType::propose_ledger, FrameType::validation, FrameType::transaction,
        FrameType::have_set, FrameType::get_ledger, FrameType::ledger_data, FrameType::ping,
        FrameType::squelch, FrameType::endpoints, FrameType::get_objects,
        FrameType::validator_list}) {
    EXPECT_EQ(refusal(type, ""), frame_type_text(type) + ": a required field is missing");
  }
  EXPECT_EQ(refusal(FrameType::status_change, ""), "no error");
  // A status that does not exist counts as none.
  EXPECT_THAT(refusal(FrameType::have_set, "08091220" + std::string(64, '0')),
              HasSubstr("required field is missing"));
}

TEST(Messages, WithHashesOrKeysOfWrongSizeAreRefused) {
  const std::string hash32(64, '0');
  EXPECT_THAT(refusal(FrameType::have_set, "0801121F" + hash32.substr(2)),
              HasSubstr("hash has 31 bytes, expected 32"));
  EXPECT_THAT(refusal(FrameType::status_change, "2200"),
              HasSubstr("ledgerHash has 0 bytes, expected 32"));
  EXPECT_THAT(refusal(FrameType::get_ledger, "08001A2100" + hash32), HasSubstr("33 bytes"));
  EXPECT_THAT(refusal(FrameType::squelch, "08011220" + hash32),
              HasSubstr("validatorPubKey has 32 bytes, expected 33"));
  EXPECT_THAT(refusal(FrameType::propose_ledger, "08071220" + hash32 + "1A2000" + hash32.substr(2) +
                                                     "20092A01013220" + hash32),
              HasSubstr("nodePubKey has 32 bytes, expected 33"));
}

TEST(Messages, CutShortAreRefusedOrAtLeastDifferent) {
  Random random(3, "messages");
  const Proposal proposal = random_proposal(random);
  const Frame whole = encode(proposal);
  for (std::size_t size = 0; size < whole.payload().size(); ++size) {
    const Frame cut = make_frame(whole.type, whole.payload().first(size));
    try {
      EXPECT_NE(decoded<Proposal>(cut), proposal);
    } catch (const WireError& error) {
      EXPECT_THAT(error.what(), HasSubstr("propose_ledger: "));
    }
  }
}

// xrpl/peer-protocol.md 7.3
TEST(Proposal, SignatureAndIdsAreTheKnownOnes) {
  Proposal proposal;
  proposal.propose_seq = 0;
  proposal.close_time = 740266360;
  proposal.previous_ledger =
      hash("1C07C13BAF656AC8D3478B377847AE3FAED8CA1511C1C44CC4412D8866F26B67");
  proposal.transaction_set =
      hash("FE0E71183243245E3619EFCBE073F2D7EEDE9B0F0BF1A1B2B7D9F1E22B4A5C2A");
  EXPECT_EQ(signing_digest(proposal).text(),
            "3EBCDA62D1AB29C932620F7B1E59326DEB094B83E2162349D53207F144D4C36F");
  sign(proposal, node_keys(*Seed::parse("ssb8XB2fkdgNh2oy3P3KMos5mNKU3")));
  EXPECT_EQ(to_hex(proposal.signature),
            "304402207CB3204613E52A821E4AC68B91E3B19ECCD93DB63E94284EEF5232AB0C27FB0E02200EF4AB0C47"
            "DB6A6340BEC555E3E243A8F4BCB1A43DD13870E2C421FEE986CA27");
  EXPECT_EQ(suppression_id(proposal).text(),
            "0E28A42CECE1DCFC6C2582023B4E175A7952F3983A4860A9FE1758CCD47C8EBF");
  EXPECT_TRUE(verify(proposal));
}

TEST(Proposal, SignatureCoversEveryFieldThatConsensusReads) {
  Random random(4, "messages");
  const Proposal proposal = random_proposal(random);
  ASSERT_TRUE(verify(proposal));
  std::vector<Proposal> changed(5, proposal);
  changed[0].propose_seq ^= 1;
  changed[1].close_time ^= 1;
  changed[2].previous_ledger[31] ^= 1;
  changed[3].transaction_set[0] ^= 1;
  changed[4].node_key = random_keys(random).public_key;
  for (Proposal& other : changed) {
    EXPECT_FALSE(verify(other));
    EXPECT_NE(suppression_id(other), suppression_id(proposal));
    sign(other, random_keys(random));
    EXPECT_TRUE(verify(other));
  }
}

TEST(Proposal, OfAnySignatureLengthHasAnId) {
  Proposal proposal;
  proposal.signature = Bytes(1000, 1);
  const Hash256 id = suppression_id(proposal);
  proposal.signature.push_back(1);
  EXPECT_NE(suppression_id(proposal), id);
  EXPECT_FALSE(verify(proposal));
}

}  // namespace
}  // namespace dissensus::live
