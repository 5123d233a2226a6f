#include "trace/trace.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "dissensus/node.h"

namespace dissensus::trace {
namespace {

struct Ping {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t value;
  std::int64_t offset;
};
struct Pong {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t value;
};

SystemDescription ping_pong() {
  SystemDescription description;
  description.name = "ping-pong";
  description.message<Ping>("Ping")
      .field("value", SemanticType::value, &Ping::value)
      .field("offset", SemanticType::time, &Ping::offset);
  description.message<Pong>("Pong").field("value", SemanticType::value, &Pong::value);
  description.levels = {{.name = "built", .scope_bits = 12}, {.name = "final"}};
  description.phases = {"open"};
  description.observables = {"load"};
  return description;
}

class TraceHashTest : public testing::Test {
 protected:
  Event base() {
    Event event;
    event.id = 5;
    event.cause = 4;
    event.time = time_of_microseconds(1000);
    event.type = EventType::duplicate;  // of the types that may carry everything
    event.node = 1;
    event.peer = 2;
    event.number = 3;
    event.detail = 1;
    event.value = Digest{7, 8};
    event.message = &ping_;
    return event;
  }
  static std::uint64_t hash_of(const Event& event) {
    TraceHash hash;
    hash.add(event);
    return hash.value();
  }

  SystemDescription description_ = ping_pong();
  MessagePool pool_;
  Message ping_ = pool_.make(Ping{1, 2}, description_);
  Message other_ping_ = pool_.make(Ping{2, 2}, description_);
  Message pong_ = pool_.make(Pong{1}, description_);
};

// Everything that a run could do differently must show in its hash.
TEST_F(TraceHashTest, EachFieldOfAnEventChangesTheHash) {
  const std::vector<std::function<void(Event&)>> changes{
      [](Event& event) { event.time += Duration{1}; },
      [](Event& event) { event.type = EventType::drop; },
      [](Event& event) { event.node = 2; },
      [](Event& event) { event.peer = 1; },
      [](Event& event) { event.detail = 2; },
      [](Event& event) { event.number = 4; },
      [](Event& event) { event.value.high = 6; },
      [](Event& event) { event.value.low = 6; },
      [this](Event& event) { event.message = &other_ping_; },
      [this](Event& event) { event.message = &pong_; },
      [](Event& event) { event.message = nullptr; },
      [](Event& event) { std::swap(event.node, event.peer); },
      [](Event& event) { std::swap(event.value.high, event.value.low); },
  };
  const Event start = base();
  std::set<std::uint64_t> hashes{hash_of(start)};
  for (const auto& change : changes) {
    Event event = start;
    change(event);
    hashes.insert(hash_of(event));
  }
  EXPECT_EQ(hashes.size(), changes.size() + 1);
}

// Sends and deliveries have a shorter way into the hash.
TEST_F(TraceHashTest, EachFieldOfAMessageEventChangesTheHash) {
  const std::vector<std::function<void(Event&)>> changes{
      [](Event& event) { event.time += Duration{1}; },
      [](Event& event) { event.type = EventType::deliver; },
      [](Event& event) { event.node = 2; },
      [](Event& event) { event.peer = 1; },
      [this](Event& event) { event.message = &other_ping_; },
      [this](Event& event) { event.message = &pong_; },
      [](Event& event) { std::swap(event.node, event.peer); },
  };
  Event start = base();
  start.type = EventType::send;
  std::set<std::uint64_t> hashes{hash_of(start)};
  for (const auto& change : changes) {
    Event event = start;
    change(event);
    hashes.insert(hash_of(event));
  }
  EXPECT_EQ(hashes.size(), changes.size() + 1);
}

// Ids and causes follow from the order of events; hashing them would add nothing.
TEST_F(TraceHashTest, IdAndCauseDoNotChangeTheHash) {
  Event event = base();
  event.id = 50;
  event.cause = 40;
  EXPECT_EQ(hash_of(event), hash_of(base()));
}

// Logging may be switched on to look at a run without making it another run.
TEST_F(TraceHashTest, LogEventsDoNotChangeTheHash) {
  TraceHash silent;
  TraceHash chatty;
  Event log;
  log.type = EventType::log;
  log.text = "hello";
  silent.add(base());
  chatty.add(log);
  chatty.add(base());
  chatty.add(log);
  EXPECT_EQ(silent.value(), chatty.value());
}

TEST_F(TraceHashTest, TheOrderAndNumberOfEventsMatter) {
  Event second = base();
  second.number = 9;
  TraceHash forward;
  forward.add(base());
  forward.add(second);
  TraceHash backward;
  backward.add(second);
  backward.add(base());
  TraceHash longer = forward;
  longer.add(second);
  EXPECT_NE(forward.value(), backward.value());
  EXPECT_NE(forward.value(), longer.value());
}

// Hashes of neighbouring events must not collide.
TEST_F(TraceHashTest, SmallDifferencesDoNotCollide) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t number = 0; number < 200; ++number) {
    for (std::int64_t time = 0; time < 50; ++time) {
      for (NodeId node = 0; node < 10; ++node) {
        Event event = base();
        event.number = number;
        event.time = time_of_microseconds(time);
        event.node = node;
        hashes.insert(hash_of(event));
      }
    }
  }
  EXPECT_EQ(hashes.size(), 200u * 50u * 10u);
}

TEST_F(TraceHashTest, SmallDifferencesOfMessageEventsDoNotCollide) {
  std::set<std::uint64_t> hashes;
  for (const Message* message : {&ping_, &other_ping_, &pong_}) {
    for (std::int64_t time = 0; time < 300; ++time) {
      for (NodeId node = 0; node < 10; ++node) {
        for (NodeId peer = 0; peer < 10; ++peer) {
          Event event;
          event.set(EventType::deliver, 0, node, peer);
          event.time = time_of_microseconds(time);
          event.message = message;
          hashes.insert(hash_of(event));
        }
      }
    }
  }
  EXPECT_EQ(hashes.size(), 3u * 300u * 10u * 10u);
}

// The hash is compared across machines and builds, so its definition may not drift unnoticed.
TEST_F(TraceHashTest, HasAFixedDefinition) {
  Event event;
  event.time = time_of_microseconds(12);
  event.node = 3;
  EXPECT_EQ(to_hex(hash_of(event)), "5093b4000acf5181");
}

// Sends carry the fields of the message; numbers are unsigned unless negative.
TEST_F(TraceHashTest, SendRecordsCarryCanonicalFields) {
  Event event = base();
  event.type = EventType::send;
  const Message negative = pool_.make(Ping{1, -2}, description_);
  const Record positive_record = to_record(event, description_);
  event.message = &negative;
  const Record negative_record = to_record(event, description_);
  EXPECT_EQ(positive_record.kind, 0);
  EXPECT_EQ(positive_record.content, ping_.digest());
  EXPECT_EQ(positive_record.fields, (std::vector<FieldValue>{std::uint64_t{1}, std::uint64_t{2}}));
  EXPECT_EQ(negative_record.fields[1], FieldValue(std::int64_t{-2}));
}

TEST_F(TraceHashTest, OnlySendAndMutateRecordsCarryFields) {
  for (std::size_t index = 0; index < kEventTypes; ++index) {
    Event event = base();
    event.type = static_cast<EventType>(index);
    const Record record = to_record(event, description_);
    const bool expected = event.type == EventType::send || event.type == EventType::mutate;
    EXPECT_EQ(!record.fields.empty(), expected) << to_string(event.type);
    EXPECT_EQ(record.content, ping_.digest());
  }
}

class Transfer final : public Request {
 public:
  std::vector<std::pair<std::string, FieldValue>> fields() const override {
    return {{"from", std::string("alice")}, {"amount", std::int64_t{5}}};
  }
};

TEST_F(TraceHashTest, SubmissionsCarryTheirRequestAndPartitionsTheirText) {
  const Transfer transfer;
  Event submit = base();
  submit.message = nullptr;
  submit.request = &transfer;
  Event partition;
  partition.type = EventType::partition;
  partition.text = "{0} | {1}";
  const Record submitted = to_record(submit, description_);
  ASSERT_EQ(submitted.request.size(), 2u);
  EXPECT_EQ(submitted.request[1].second, FieldValue(std::uint64_t{5}));
  EXPECT_EQ(submitted.kind, kNoKind);
  EXPECT_EQ(to_record(partition, description_).text, "{0} | {1}");
}

TEST(Describe, FillsTheNamesOfAHeader) {
  Header header;
  header.kinds = {"stale"};
  describe(ping_pong(), 4, header);
  EXPECT_EQ(header.system, "ping-pong");
  EXPECT_EQ(header.nodes, 4u);
  EXPECT_EQ(header.kinds, (std::vector<std::string>{"Ping", "Pong"}));
  ASSERT_EQ(header.kind_fields.size(), 2u);
  EXPECT_EQ(header.kind_fields[0][1].name, "offset");
  EXPECT_EQ(header.kind_fields[0][1].type, SemanticType::time);
  EXPECT_EQ(header.levels, (std::vector<std::string>{"built", "final"}));
  EXPECT_EQ(header.level_scope_bits, (std::vector<std::uint8_t>{12, 0}));
  EXPECT_EQ(header.phases, std::vector<std::string>{"open"});
  EXPECT_EQ(header.observables, std::vector<std::string>{"load"});
}

TEST(DetailNames, AreReadBack) {
  for (const Detail detail : {Detail::hash, Detail::decisions, Detail::everything}) {
    Detail parsed = Detail::hash;
    EXPECT_TRUE(parse_detail(to_string(detail), parsed));
    EXPECT_EQ(parsed, detail);
  }
  Detail unchanged = Detail::decisions;
  EXPECT_FALSE(parse_detail("all", unchanged));
  EXPECT_EQ(unchanged, Detail::decisions);
}

}  // namespace
}  // namespace dissensus::trace
