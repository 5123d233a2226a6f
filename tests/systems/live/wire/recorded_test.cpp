// Frames of real servers: they decode, verify, hash to what they claim, and are written again as
// they came.
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "core/file.h"
#include "systems/live/wire/content.h"
#include "systems/live/wire/ledger.h"
#include "systems/live/wire/payment.h"
#include "systems/live/wire/validation.h"

namespace dissensus::live {
namespace {

class Recorded : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    constexpr std::size_t kBytesMax = 1 << 20;
    const std::string folder = DISSENSUS_SOURCE_DIR "/tests/systems/live/wire/data/";
    std::istringstream lines(
        read_file(folder + "rippled-" + GetParam() + "-frames.txt", kBytesMax));
    FrameReader reader;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      const auto bytes = from_hex(line);
      ASSERT_TRUE(bytes) << line;
      reader.feed(*bytes);
    }
    while (auto frame = reader.next()) frames_.push_back(std::move(*frame));
    ASSERT_EQ(reader.pending(), 0U);
  }

  template <class Message>
  std::vector<Message> all() const {
    std::vector<Message> found;
    for (const Frame& frame : frames_) {
      const WireMessage message = decode(frame);
      if (const auto* content = std::get_if<Message>(&message)) found.push_back(*content);
    }
    return found;
  }

  std::vector<Frame> frames_;
};

struct EncodeAgain {
  Frame frame;
  Frame operator()(const OtherMessage&) const { return frame; }
  template <class Message>
  Frame operator()(const Message& message) const {
    EXPECT_EQ(message.unknown_fields, "");
    return encode(message);
  }
};

TEST_P(Recorded, FramesAreWrittenAgainByteForByte) {
  std::map<FrameType, int> types;
  for (const Frame& frame : frames_) {
    ++types[frame.type];
    EXPECT_EQ(std::visit(EncodeAgain{frame}, decode(frame)), frame) << frame_type_text(frame.type);
  }
  for (const FrameType type :
       {FrameType::propose_ledger, FrameType::status_change, FrameType::validation,
        FrameType::transaction, FrameType::have_set, FrameType::ledger_data, FrameType::ping}) {
    EXPECT_GT(types[type], 0) << frame_type_text(type);
  }
}

TEST_P(Recorded, ProposalsVerify) {
  const auto proposals = all<Proposal>();
  ASSERT_FALSE(proposals.empty());
  for (const Proposal& proposal : proposals) EXPECT_TRUE(verify(proposal));
}

TEST_P(Recorded, ValidationsVerifyAndCanBeSignedByAnother) {
  Random random(1, "recorded");
  const KeyPair other = random_keys(random);
  const auto messages = all<ValidationMessage>();
  ASSERT_FALSE(messages.empty());
  for (const ValidationMessage& message : messages) {
    auto object = ValidationObject::parse(message);
    EXPECT_TRUE(object.verify());
    EXPECT_TRUE(object.object().is_canonical());
    EXPECT_TRUE(object.cookie());
    EXPECT_EQ(object.serialise(), message.validation);
    object.set_ledger_hash(random_hash(random));
    object.sign(other);
    EXPECT_TRUE(ValidationObject::parse(with_validation(message, object)).verify());
  }
}

TEST_P(Recorded, LedgerHeadersHashToTheLedgersTheyWereAskedFor) {
  std::size_t headers = 0;
  for (const LedgerData& data : all<LedgerData>()) {
    const auto header = ledger_header_of(data);
    if (!header) continue;
    EXPECT_EQ(ledger_hash(*header), data.hash);
    ++headers;
  }
  EXPECT_GE(headers, 2U);
}

TEST_P(Recorded, PaymentsVerifyAndMakeTheSetThatTheServerAnnounced) {
  std::vector<Bytes> blobs;
  for (const TransactionMessage& message : all<TransactionMessage>()) {
    EXPECT_TRUE(verify_transaction(message.raw));
    EXPECT_EQ(parse_transaction(message.raw).account, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh");
    blobs.push_back(message.raw);
  }
  ASSERT_EQ(blobs.size(), 2U);
  const auto sets = all<HaveSet>();
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(transaction_set_id(blobs), sets.front().hash);
}

INSTANTIATE_TEST_SUITE_P(Versions, Recorded, ::testing::Values("1.7.2", "2.4.0"),
                         [](const auto& version) {
                           return version.param[0] == '1' ? "Rippled1" : "Rippled2";
                         });

}  // namespace
}  // namespace dissensus::live
