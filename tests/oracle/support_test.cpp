// support(level, message): a decision must stand in the newest positions that had reached the node.
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/oracle.h"

namespace dissensus::oracle {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Position {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t value = 0;
  std::uint64_t round = 0;
  std::uint64_t sequence = 0;
  std::uint64_t author = 0;
};
struct Note {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t round = 0;
};

SystemDescription describe() {
  SystemDescription description;
  description.message<Position>("Position")
      .field("value", SemanticType::value, &Position::value)
      .field("round", SemanticType::round, &Position::round)
      .field("sequence", SemanticType::sequence, &Position::sequence)
      .field("author", SemanticType::node, &Position::author)
      .author("author");
  description.message<Note>("Note").field("round", SemanticType::round, &Note::round);
  description.levels = {{.name = "outcome", .final = false, .validity = false},
                        {.name = "other", .final = false, .validity = false}};
  return description;
}

Expression parse(const std::string& text, const SystemDescription& description) {
  return Expression::parse(text, description,
                           Options::from_toml("check = \"x\"", "rules.toml").at("check"), 5);
}

/// Five nodes, an oracle with one rule, and events by hand.
class Network {
 public:
  explicit Network(const std::string& check) : description_(describe()) {
    config_.agreement = config_.validity = config_.integrity = false;
    config_.rules.push_back(
        {"supported", "validity", Rule::When::always, parse(check, description_)});
    oracle_.emplace(config_, description_, 5);
  }
  /// `to` receives a position of `author`, whoever passed it on.
  Network& deliver(NodeId to, Position position) {
    const Message message = pool_.make(position, description_);
    Event event = make(EventType::deliver, to);
    event.peer = 4;
    event.message = &message;
    oracle_->on_event(event);
    return *this;
  }
  Network& decide(NodeId node, std::uint64_t round, std::uint64_t value, Level level = 0) {
    Event event = make(EventType::decide, node);
    event.detail = level;
    event.number = round;
    event.value = value;
    oracle_->on_event(event);
    return *this;
  }
  Network& restart(NodeId node) {
    oracle_->on_event(make(EventType::restart, node));
    return *this;
  }
  Network& wait(Duration time) {
    now_ += time;
    return *this;
  }
  bool violated() const { return oracle_->violated(); }
  Oracle& oracle() { return *oracle_; }

 private:
  Event make(EventType type, NodeId node) {
    Event event;
    event.id = ++id_;
    event.time = now_;
    event.type = type;
    event.node = node;
    return event;
  }
  SystemDescription description_;
  OracleConfig config_;
  MessagePool pool_;
  std::optional<Oracle> oracle_;
  Time now_{};
  EventId id_ = 0;
};

constexpr const char* kEighty = "support(outcome, Position) >= 80";

/// Positions of nodes 1 to 4 for `value` at node 0.
void all_hold(Network& network, std::uint64_t value, std::uint64_t round = 1) {
  for (std::uint64_t author = 1; author < 5; ++author)
    network.deliver(0, {value, round, 0, author});
}

TEST(Support, CountsTheNewestPositionOfEachAuthorAndTheNodesOwn) {
  Network network(kEighty);
  all_hold(network, 7);
  network.deliver(0, {8, 1, 1, 1}).decide(0, 1, 7);
  EXPECT_FALSE(network.violated()) << "4 of 5";
  network.deliver(0, {8, 1, 1, 2}).decide(0, 1, 7);
  EXPECT_TRUE(network.violated()) << "3 of 5";
}

// What a server without the sequence check gets wrong: bug B1.
TEST(Support, APositionThatArrivesLateDoesNotReplaceANewerOne) {
  Network network(kEighty);
  all_hold(network, 7);
  for (const std::uint64_t author : {1u, 2u}) {
    network.deliver(0, {8, 1, 2, author});
    network.deliver(0, {7, 1, 1, author});
  }
  network.decide(0, 1, 7);
  EXPECT_TRUE(network.violated());
}

TEST(Support, LooksAtItsLevelAndRoundAndNodeAlone) {
  Network network(kEighty);
  all_hold(network, 8, 2);
  for (std::uint64_t author = 0; author < 4; ++author) network.deliver(4, {8, 1, 0, author});
  network.decide(0, 1, 7).decide(0, 2, 7, 1).decide(1, 2, 7);
  EXPECT_FALSE(network.violated());
  network.decide(0, 2, 7);
  EXPECT_TRUE(network.violated());
}

TEST(Support, WhoLeftOrIsSilentForLongCountsForTheNode) {
  const std::string limits = "support(outcome, Position, fresh = 19, left = 255) >= 80";
  Network left(limits);
  all_hold(left, 8);
  for (std::uint64_t author = 1; author < 5; ++author) left.deliver(0, {8, 1, 255, author});
  EXPECT_FALSE(left.decide(0, 1, 7).violated());
  Network silent(limits);
  all_hold(silent, 8);
  EXPECT_FALSE(silent.wait(19s).decide(0, 1, 7).violated());
  Network fresh(limits);
  all_hold(fresh, 8);
  EXPECT_TRUE(fresh.wait(18s).decide(0, 1, 7).violated());
}

TEST(Support, OfGivenNodesByGivenNodes) {
  Network network("support(outcome, Position, [0, 1], [0, 1, 2]) >= 60");
  for (const std::uint64_t author : {3u, 4u}) network.deliver(0, {8, 1, 0, author});
  network.deliver(0, {7, 1, 0, 1}).deliver(0, {7, 1, 0, 2}).decide(0, 1, 7);
  EXPECT_FALSE(network.violated()) << "3 and 4 are not listened to";
  all_hold(network, 8, 2);
  for (const std::uint64_t author : {0u, 1u}) network.deliver(2, {8, 2, 0, author});
  EXPECT_FALSE(network.decide(2, 2, 7).violated()) << "2 is not judged";
  EXPECT_TRUE(network.decide(0, 2, 7).violated());
}

TEST(Support, IgnoresItsOwnEchoWhatItForgotAndLiars) {
  Network network(kEighty);
  network.deliver(0, {8, 1, 9, 0}).decide(0, 1, 7);
  EXPECT_FALSE(network.violated());
  all_hold(network, 8, 2);
  network.restart(0).decide(0, 2, 7);
  EXPECT_FALSE(network.violated());
  all_hold(network, 8, 3);
  network.oracle().mark_faulty(0);
  EXPECT_FALSE(network.decide(0, 3, 7).violated());
}

std::string error_of(const std::string& check) {
  try {
    parse(check, describe());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Support, SaysWhatIsWrongWithARule) {
  EXPECT_THAT(error_of("support(outcome, Positon) >= 80"),
              HasSubstr("unknown message 'Positon', did you mean 'Position'?"));
  EXPECT_THAT(error_of("support(outcome, Note) >= 80"),
              HasSubstr("Note has no field of type value, expected one"));
  EXPECT_THAT(error_of("support(outcom, Position) >= 80"), HasSubstr("unknown level 'outcom'"));
  EXPECT_THAT(error_of("support(outcome, Position, fresh = x) >= 80"),
              HasSubstr("expected a number"));
  EXPECT_THAT(error_of("support(outcome, Position, [0], [9]) >= 80"),
              HasSubstr("expected a node, 0 to 4"));
}

}  // namespace
}  // namespace dissensus::oracle
