// Closeness to an anomaly guides searches: it is 0 where nothing is in doubt, and grows with what
// is.
#include "history/closeness.h"

#include <gtest/gtest.h>

#include "history/reader.h"

namespace dissensus::history {
namespace {

/// Histories as JSON lines, with times in milliseconds.
double closeness_of(const std::string& model, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "{" + line + "}\n";
  // Milliseconds are short to read; files have nanoseconds.
  for (std::size_t at = 0; (at = text.find("\"ms\":", at)) != std::string::npos;) {
    text.replace(at, 5, "\"time\":");
    text.insert(text.find_first_of(",}", at), "000000");
  }
  const History history = parse_history("test", text, Format::json);
  return closeness(history, operations_of(history), model);
}

std::string event(int process, const char* type, const char* function, const std::string& value,
                  int ms) {
  return "\"process\":" + std::to_string(process) + ",\"type\":\"" + type + "\",\"f\":\"" +
         function + "\",\"value\":" + value + ",\"ms\":" + std::to_string(ms);
}

std::vector<std::string> read_during_write(int begin) {
  return {event(0, "invoke", "write", "[0,1]", 0),  event(0, "ok", "write", "[0,1]", 10),
          event(1, "invoke", "write", "[0,2]", 20), event(2, "invoke", "read", "[0,null]", begin),
          event(1, "ok", "write", "[0,2]", 120),    event(2, "ok", "read", "[0,1]", 130)};
}

TEST(Closeness, ReadsOfAnOldValueCountByHowFarTheNewOneWas) {
  const double early = closeness_of("lin-kv", read_during_write(30));
  const double late = closeness_of("lin-kv", read_during_write(110));
  EXPECT_DOUBLE_EQ(early, 0.5 * 0.1);
  EXPECT_DOUBLE_EQ(late, 0.5 * 0.9);
}

TEST(Closeness, WhatIsInNoDoubtIsFarFromAnAnomaly) {
  EXPECT_EQ(closeness_of(
                "lin-kv",
                {event(0, "invoke", "write", "[0,1]", 0), event(0, "ok", "write", "[0,1]", 10),
                 event(1, "invoke", "read", "[0,null]", 20), event(1, "ok", "read", "[0,1]", 30)}),
            0);
}

TEST(Closeness, UnansweredChangesThatTookEffectCountByHowLate) {
  const auto read_after = [](int ms) {
    return closeness_of(
        "lin-kv",
        {event(0, "invoke", "write", "[0,1]", 0), event(0, "info", "write", "[0,1]", 10),
         event(1, "invoke", "read", "[0,null]", ms - 5), event(1, "ok", "read", "[0,1]", ms)});
  };
  EXPECT_GT(read_after(100), 0);
  EXPECT_GT(read_after(3000), 2 * read_after(100));
  EXPECT_LT(read_after(1000000), 1);
}

TEST(Closeness, TransactionsBetweenTwoThatDoNotSeeEachOtherCount) {
  const auto three = [](int second) {
    return closeness_of("txn-list-append",
                        {event(0, "invoke", "txn", R"([["r","x",null]])", 0),
                         event(1, "invoke", "txn", R"([["append","x",1],["r","y",null]])", second),
                         event(2, "invoke", "txn", R"([["append","y",2]])", second + 1),
                         event(0, "ok", "txn", R"([["r","x",[]]])", second + 2),
                         event(1, "ok", "txn", R"([["append","x",1],["r","y",[]]])", second + 3),
                         event(2, "ok", "txn", R"([["append","y",2]])", second + 4)});
  };
  EXPECT_DOUBLE_EQ(three(10), 0.2);
  EXPECT_EQ(closeness_of("txn-list-append",
                         {event(0, "invoke", "txn", R"([["append","x",1]])", 0),
                          event(0, "ok", "txn", R"([["append","x",1]])", 10),
                          event(1, "invoke", "txn", R"([["r","x",null],["append","x",2]])", 20),
                          event(1, "ok", "txn", R"([["r","x",[1]],["append","x",2]])", 30)}),
            0);
}

TEST(Closeness, ElementsThatShowLateCount) {
  const auto shown_after = [](int ms) {
    return closeness_of(
        "broadcast",
        {event(0, "invoke", "broadcast", "1", 0), event(0, "ok", "broadcast", "1", 10),
         event(1, "invoke", "read", "null", ms), event(1, "ok", "read", "[]", ms + 5),
         event(1, "invoke", "read", "null", ms + 10), event(1, "ok", "read", "[1]", ms + 15)});
  };
  EXPECT_DOUBLE_EQ(shown_after(1010), 0.5);
  EXPECT_LT(shown_after(110), 0.1);
}

TEST(Closeness, SentMessagesThatArePolledLateCount) {
  const auto polled_after = [](int ms) {
    return closeness_of("kafka", {event(0, "invoke", "send", R"([["send","k",7]])", 0),
                                  event(0, "ok", "send", R"([["send","k",[0,7]]])", 10),
                                  event(1, "invoke", "poll", R"([["poll"]])", ms - 5),
                                  event(1, "ok", "poll", R"([["poll",{"k":[[0,7]]}]])", ms)});
  };
  EXPECT_DOUBLE_EQ(polled_after(1010), 0.5);
  EXPECT_LT(polled_after(50), 0.1);
}

TEST(Closeness, CountersThatLackWhatWasAddedCount) {
  const auto reads = [](const char* value) {
    return closeness_of(
        "g-counter", {event(0, "invoke", "add", "4", 0), event(0, "ok", "add", "4", 10),
                      event(1, "invoke", "read", "null", 20), event(1, "ok", "read", value, 30)});
  };
  EXPECT_EQ(reads("4"), 0);
  EXPECT_DOUBLE_EQ(reads("0"), 0.5);
}

TEST(Closeness, IsNothingWhereThereIsNoTimeAndNoIdea) {
  EXPECT_EQ(
      closeness_of("echo", {event(0, "invoke", "echo", "1", 0), event(0, "ok", "echo", "1", 9)}),
      0);
  const std::string text =
      "{\"process\":0,\"type\":\"invoke\",\"f\":\"read\",\"value\":[0,null]}\n"
      "{\"process\":0,\"type\":\"ok\",\"f\":\"read\",\"value\":[0,null]}\n";
  const History history = parse_history("test", text, Format::json);
  EXPECT_EQ(closeness(history, operations_of(history), "lin-kv"), 0);
}

}  // namespace
}  // namespace dissensus::history
