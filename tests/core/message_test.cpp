#include "dissensus/message.h"

#include <gtest/gtest.h>

namespace dissensus {
namespace {

struct Plain {  // no padding: hashed by its bytes
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t value;
};
struct Padded {  // padding: hashed by its described fields
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t value;
  std::uint8_t flag;
};
struct Ballot {  // its kind depends on its content
  MessageKind kind() const { return round == 0 ? 2 : 3; }
  std::uint32_t wire_bytes() const { return 1000; }
  std::uint64_t round;
  std::vector<NodeId> voters;
};
struct Large {
  static constexpr MessageKind kind() { return 4; }
  std::array<std::uint64_t, 100> words{};
};

SystemDescription description() {
  SystemDescription result;
  result.message<Plain>("Plain").field("value", SemanticType::value, &Plain::value);
  result.message<Padded>("Padded")
      .field("value", SemanticType::value, &Padded::value)
      .field("flag", SemanticType::boolean, &Padded::flag);
  result.message<Ballot>("Ballot", {"FirstBallot", "LaterBallot"})
      .field("round", SemanticType::round, &Ballot::round)
      .field("voters", SemanticType::node_set, &Ballot::voters);
  result.message<Large>("Large").field("first", SemanticType::number,
                                       [](const Large& m) -> FieldValue { return m.words[0]; });
  return result;
}

TEST(Message, EqualContentHasEqualDigest) {
  const SystemDescription described = description();
  MessagePool pool;
  EXPECT_EQ(pool.make(Plain{5}, described).digest(), pool.make(Plain{5}, described).digest());
  EXPECT_NE(pool.make(Plain{5}, described).digest(), pool.make(Plain{6}, described).digest());
  EXPECT_EQ(pool.make(Padded{5, 1}, described).digest(),
            pool.make(Padded{5, 1}, described).digest());
  EXPECT_NE(pool.make(Padded{5, 1}, described).digest(),
            pool.make(Padded{5, 0}, described).digest());
  EXPECT_NE(pool.make(Ballot{1, {0, 1}}, described).digest(),
            pool.make(Ballot{1, {1, 0}}, described).digest());
}

TEST(Message, KnowsItsTypeKindAndSize) {
  const SystemDescription described = description();
  MessagePool pool;
  const Message ballot = pool.make(Ballot{3, {2}}, described);
  ASSERT_NE(ballot.get<Ballot>(), nullptr);
  EXPECT_EQ(ballot.get<Plain>(), nullptr);
  EXPECT_EQ(described.kinds[ballot.kind()].name, "LaterBallot");
  EXPECT_EQ(ballot.wire_bytes(), 1000u);
  EXPECT_EQ(ballot.get<Ballot>()->voters, NodeSet{2});
}

// The last handle frees the message, whatever its size class.
TEST(Message, PoolCountsAndRecycles) {
  const SystemDescription described = description();
  MessagePool pool;
  {
    Message first = pool.make(Ballot{1, {1, 2, 3}}, described);
    Message second = first;
    Message large = pool.make(Large{}, described);
    EXPECT_EQ(pool.live_messages(), 2u);
    first = Message();
    EXPECT_EQ(pool.live_messages(), 2u);
    second = std::move(large);
    EXPECT_EQ(pool.live_messages(), 1u);
  }
  EXPECT_EQ(pool.live_messages(), 0u);
}

// Mutation through the description: content, kind and digest change; the original does not.
TEST(Message, FieldReplacementMakesANewMessage) {
  const SystemDescription described = description();
  MessagePool pool;
  const Message original = pool.make(Ballot{0, {1}}, described);
  const Message changed = pool.with_field(original, described, 0, std::uint64_t{9});
  EXPECT_EQ(original.get<Ballot>()->round, 0u);
  EXPECT_EQ(changed.get<Ballot>()->round, 9u);
  EXPECT_EQ(changed.kind(), 3);
  EXPECT_EQ(changed.digest(), pool.make(Ballot{9, {1}}, described).digest());
}

TEST(Description, NamesInstancesWithScopes) {
  LevelDescription plain{.name = "ledger"};
  LevelDescription scoped{.name = "set", .scope_bits = 24};
  EXPECT_EQ(instance_name(plain, 7), "7");
  EXPECT_EQ(instance_name(scoped, (7u << 24) | 0xa3f), "7@000a3f");
}

}  // namespace
}  // namespace dissensus
