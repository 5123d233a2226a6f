// Where two recordings part: at the first event that differs, log lines aside.
#include "trace/parting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dissensus::trace {
namespace {

using std::chrono::milliseconds;

Record event(EventId id, EventType type, NodeId node, std::uint64_t number = 0) {
  Record record;
  record.id = id;
  record.time = Time{} + milliseconds(id);
  record.type = type;
  record.node = node;
  record.number = number;
  return record;
}

Record line(EventId id, const std::string& text) {
  Record record = event(id, EventType::log, 0);
  record.text = text;
  return record;
}

TEST(Parting, LogLinesDoNotMatter) {
  const std::vector<Record> first{event(1, EventType::start, 0), line(1, "pid 7"),
                                  event(2, EventType::timer, 0, 3)};
  const std::vector<Record> second{line(1, "pid 8"), event(1, EventType::start, 0),
                                   event(2, EventType::timer, 0, 3), line(2, "bye")};
  EXPECT_FALSE(parting_of(first, second));
}

TEST(Parting, IsTheFirstEventThatDiffers) {
  const std::vector<Record> first{event(1, EventType::start, 0), line(1, "pid 7"),
                                  event(2, EventType::timer, 0, 3)};
  std::vector<Record> second{event(1, EventType::start, 0), event(2, EventType::crash, 1)};
  const auto parting = parting_of(first, second);
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->first, 2u);
  EXPECT_EQ(parting->second, 1u);
  EXPECT_EQ(to_text(*parting, Header{}, first, second),
            "event 2 at 2ms: then n0 timer 3, now n1 crashes");
  second.pop_back();
  EXPECT_EQ(to_text(*parting_of(first, second), Header{}, first, second),
            "event 2 at 2ms: then n0 timer 3, now the run is over");
}

TEST(Parting, OfEventsThatAreCalledTheSameSaysWhenTheyWere) {
  const std::vector<Record> first{event(2, EventType::start, 0)};
  std::vector<Record> second{event(2, EventType::start, 0)};
  second.front().time += milliseconds(5);
  EXPECT_EQ(to_text(*parting_of(first, second), Header{}, first, second),
            "event 2 at 2ms: then n0 starts at 2ms, now n0 starts at 7ms");
}

}  // namespace
}  // namespace dissensus::trace
