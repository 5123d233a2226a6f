// Framing: a byte stream gives the same frames however it is cut, and what is no frame is refused.
#include "systems/live/wire/frame.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systems/live/wire/content.h"

namespace dissensus::live {
namespace {

using ::testing::HasSubstr;

std::vector<Frame> random_frames(Random& random, std::size_t count) {
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = random.chance(0.1) ? 0 : random.below(random.chance(0.1) ? 5000 : 80);
    frames.push_back(
        make_frame(static_cast<FrameType>(random.below(65536)), random_bytes(random, size)));
  }
  return frames;
}

Bytes stream_of(const std::vector<Frame>& frames) {
  Bytes stream;
  for (const Frame& frame : frames) append(stream, frame.bytes);
  return stream;
}

/// Feeds pieces of the sizes that `piece` names and takes frames after each.
std::vector<Frame> read_all(ByteView stream, const std::function<std::size_t()>& piece) {
  FrameReader reader;
  std::vector<Frame> frames;
  while (!stream.empty()) {
    const std::size_t size = std::min(piece(), stream.size());
    reader.feed(stream.first(size));
    stream = stream.subspan(size);
    while (auto frame = reader.next()) frames.push_back(std::move(*frame));
  }
  EXPECT_EQ(reader.pending(), 0U);
  return frames;
}

std::string refusal(FrameReader& reader) {
  try {
    reader.next();
  } catch (const WireError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Frame, HeaderIsLengthAndType) {
  const Frame frame = make_frame(FrameType::validation, Bytes(300, 7));
  EXPECT_EQ(to_hex(ByteView(frame.bytes).first(8)), "0000012C00290707");
  EXPECT_EQ(frame.payload().size(), 300U);
}

TEST(Frame, TypesHaveNames) {
  EXPECT_EQ(frame_type_text(FrameType::propose_ledger), "propose_ledger");
  EXPECT_EQ(frame_type_text(FrameType{99}), "type 99");
}

TEST(FrameReader, GivesTheSameFramesHoweverTheStreamIsCut) {
  Random random(1, "frames");
  const auto frames = random_frames(random, 200);
  const Bytes stream = stream_of(frames);
  EXPECT_EQ(read_all(stream, [] { return 1; }), frames);
  EXPECT_EQ(read_all(stream, [&] { return stream.size(); }), frames);
  for (int i = 0; i < 30; ++i) {
    const std::size_t most = 1 + random.below(3000);
    EXPECT_EQ(read_all(stream, [&] { return random.below(most + 1); }), frames);
  }
}

TEST(FrameReader, WaitsForWhatIsMissing) {
  const Frame frame = make_frame(FrameType::ping, Bytes{1, 2, 3});
  FrameReader reader;
  for (const std::uint8_t byte : frame.bytes) {
    EXPECT_FALSE(reader.next());
    reader.feed(ByteView(&byte, 1));
  }
  EXPECT_EQ(reader.pending(), frame.bytes.size());
  EXPECT_EQ(reader.next(), frame);
  EXPECT_FALSE(reader.next());
}

TEST(FrameReader, RefusesCompressedFramesAtTheirFirstByte) {
  FrameReader reader;
  reader.feed(Bytes{0x90});
  EXPECT_THAT(refusal(reader), HasSubstr("compressed"));
}

TEST(FrameReader, RefusesEveryReservedBitAndStaysBroken) {
  for (int first = 4; first < 0x80; ++first) {
    FrameReader reader;
    reader.feed(Bytes{static_cast<std::uint8_t>(first)});
    EXPECT_THAT(refusal(reader), HasSubstr("first byte is 0x")) << first;
    reader.feed(make_frame(FrameType::ping, {}).bytes);
    EXPECT_THAT(refusal(reader), HasSubstr("first byte is 0x")) << first;
  }
}

TEST(FrameReader, FramesBeforeARefusedOneAreStillGiven) {
  const Frame good = make_frame(FrameType::ping, Bytes{8, 0});
  FrameReader reader;
  reader.feed(good.bytes);
  reader.feed(Bytes{0xFF});
  EXPECT_EQ(reader.next(), good);
  EXPECT_THAT(refusal(reader), HasSubstr("compressed"));
}

TEST(FrameReader, RefusesPayloadsAboveItsLimitBeforeTheyCome) {
  FrameReader reader(1000);
  reader.feed(make_frame(FrameType::ping, Bytes(1000)).bytes);
  EXPECT_TRUE(reader.next());
  reader.feed(ByteView(make_frame(FrameType::ledger_data, Bytes(1001)).bytes).first(6));
  EXPECT_EQ(refusal(reader), "frame: ledger_data with 1001 bytes, at most 1000 are accepted");
}

TEST(Frame, PayloadsThatNoHeaderCanAnnounceAreRefused) {
  EXPECT_THROW(make_frame(FrameType::ping, Bytes(kFramePayloadMax)), WireError);
  const Frame largest = make_frame(FrameType::ping, Bytes(kFramePayloadMax - 1));
  EXPECT_EQ(to_hex(ByteView(largest.bytes).first(6)), "03FFFFFF0003");
}

}  // namespace
}  // namespace dissensus::live
