#include "history/reader.h"

#include <gtest/gtest.h>

#include "dissensus/options.h"

namespace dissensus::history {
namespace {

std::string lines_of(const History& history) {
  std::string text;
  for (const Event& event : history.events()) text += to_json_line(event) + "\n";
  return text;
}

std::string error_of(const std::string& text, Format format = Format::guess) {
  try {
    const History history = parse_history("h", text, format);
    operations_of(history);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Reader, ReadsMapsOnePerLine) {
  const History history = parse_history(
      "h",
      "{:type :invoke, :f :read, :value [1 nil], :process 0, :time 10, :index 0}\n"
      "; a comment, and a record of a newer Jepsen\n"
      "#jepsen.history.Op{:index 1, :time 25, :type :ok, :process 0, :f :read, :value [1 -3]}\n");
  EXPECT_EQ(lines_of(history),
            "{\"process\":0,\"type\":\"invoke\",\"f\":\"read\",\"value\":[1,null],\"time\":10}\n"
            "{\"process\":0,\"type\":\"ok\",\"f\":\"read\",\"value\":[1,-3],\"time\":25}\n");
  EXPECT_EQ(history.events()[0].line, 1u);
  EXPECT_EQ(history.events()[1].line, 3u);
}

TEST(Reader, ReadsOneVectorOfMaps) {
  const History history =
      parse_history("h",
                    "[{:type :invoke, :f :add, :value 1, :process 0}\n"
                    " {:type :info, :f :add, :value 1, :process 0, :error :timeout}]\n");
  ASSERT_EQ(history.events().size(), 2u);
  EXPECT_EQ(history.events()[1].kind, EventKind::info);
  EXPECT_EQ(history.events()[1].error.text(), "timeout");
}

TEST(Reader, LeavesOutTheNemesis) {
  const History history = parse_history("h",
                                        "{:type :info, :f :start, :process :nemesis, :value nil}\n"
                                        "{:type :invoke, :f :read, :process 1, :value nil}\n");
  EXPECT_EQ(history.events().size(), 1u);
}

TEST(Reader, ReadsLogLinesOfOldAndNewLoggers) {
  const History history = parse_history(
      "h",
      "INFO  jepsen.core - nothing to see\n"
      "INFO  jepsen.util - 0\t:invoke\t:cas\t[3 0]\n"
      "INFO  jepsen.util - 0\t:fail\t:cas\t[3 0]\n"
      "2018-01-01 10:00:00,000{GMT} INFO  [jepsen worker 4] jepsen.util: 4 :invoke :read nil\n"
      "INFO [2024-05-05 10:00:00,000] jepsen worker 4 - jepsen.util 4 :info :read nil :timeout\n"
      "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n"
      "INFO  jepsen.util - Everything looks good!\n");
  EXPECT_EQ(
      lines_of(history),
      "{\"process\":0,\"type\":\"invoke\",\"f\":\"cas\",\"value\":[3,0]}\n"
      "{\"process\":0,\"type\":\"fail\",\"f\":\"cas\",\"value\":[3,0]}\n"
      "{\"process\":4,\"type\":\"invoke\",\"f\":\"read\",\"value\":null}\n"
      "{\"process\":4,\"type\":\"info\",\"f\":\"read\",\"value\":null,\"error\":\"timeout\"}\n");
  EXPECT_EQ(history.events()[3].line, 5u);
}

TEST(Reader, ReadsJsonLinesAndArrays) {
  const std::string line =
      "{\"process\": 3, \"type\": \"ok\", \"f\": \"read\", \"value\": {\"b\": [1.5, true], "
      "\"a\": \"\\u00e9\\n\"}, \"time\": 7, \"final\": true, \"ignored\": {\"x\": []}}";
  const History one = parse_history("h", line + "\n");
  const History array = parse_history("h", "[" + line + ",\n" + line + "]");
  ASSERT_EQ(one.events().size(), 1u);
  ASSERT_EQ(array.events().size(), 2u);
  EXPECT_EQ(array.events()[1].line, 2u);
  const Event& event = one.events()[0];
  EXPECT_EQ(event.process, 3);
  EXPECT_TRUE(event.is_final);
  EXPECT_EQ(event.value.find("a").text(), "\xC3\xA9\n");
  EXPECT_EQ(to_json(event.value), "{\"a\":\"\xC3\xA9\\n\",\"b\":[1.5,true]}");
  const History again = parse_history("h", lines_of(one));
  EXPECT_EQ(lines_of(again), lines_of(one));
}

TEST(Reader, AKeyOfItsOwnBecomesPartOfTheValue) {
  const History history =
      parse_history("h", "{:process 0, :type :invoke, :f :put, :key \"k\", :value \"v\"}\n");
  EXPECT_EQ(to_string(history.events()[0].value), "[\"k\" \"v\"]");
}

TEST(Reader, UnderstandsAllOfEdn) {
  const History history = parse_history(
      "h",
      "{:process 0 :type :invoke :f :x :value [nil true #{3 1 2 1} (1 2) {:b 1 :a 2} \\a \"q\\\"\" "
      "sym #inst \"2020\" #_ignored 12N 1.5M 3/4 99999999999999999999 ##Inf ^:meta 5]}");
  EXPECT_EQ(to_string(history.events()[0].value, 1000),
            "[nil true #{1 2 3} [1 2] {a 2 b 1} \"a\" \"q\"\" sym \"2020\" 12 1.5 3/4 "
            "99999999999999999999 inf 5]");
}

TEST(Reader, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(error_of("{:process 0, :type :invoke, :f :read\n :value [1 2}\n"),
            "h:2: expected a value, found '}'");
  EXPECT_EQ(error_of("{:process 0, :type :invoke, :f :read"),
            "h:1: expected '}', found the end of the text");
  EXPECT_EQ(error_of("\n{:type :invoke, :f :read}\n"),
            "h:2: process: missing, expected the number of a client");
  EXPECT_EQ(error_of("{:process 0, :type :begin, :f :read}"),
            "h:1: type: expected invoke, ok, fail or info, found 'begin'");
  EXPECT_EQ(error_of("{:process 0, :type :ok}"),
            "h:1: f: missing, expected the name of an operation");
  EXPECT_EQ(error_of("{:process 0, :type :ok, :f :read, :time -1}"),
            "h:1: time: expected nanoseconds since the start, a whole number from 0");
  EXPECT_EQ(error_of("{\"process\": 0 \"type\": \"ok\"}"),
            "h:1: expected ',' or '}', found '\"type\": \"ok\"}'");
  EXPECT_EQ(error_of("{\"process\": nil}"), "h:1: expected a JSON value, found 'nil}'");
  EXPECT_EQ(error_of("{\"process\": \"a\nb\"}"),
            "h:1: expected '\"' before the end of the line, found the end of the line");
  EXPECT_EQ(error_of("{:process 1x}"), "h:1: expected a number, found '1x}'");
  EXPECT_EQ(error_of("hello\n"),
            "h:1: expected log lines such as 'INFO jepsen.util - 0 :invoke :write 3', found none");
  EXPECT_EQ(error_of("{:a " + std::string(200, '[') + "}"),
            "h:1: expected at most 64 levels of nesting, found '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['");
  EXPECT_EQ(error_of("[{:process 0, :type :invoke, :f :read}] 5"),
            "h:1: expected the end of the file after the list of events, found '5'");
}

TEST(Reader, RefusesAnswersWithoutQuestions) {
  const std::string invoke = "INFO jepsen.util - 0 :invoke :read nil\n";
  const std::string ok = "INFO jepsen.util - 0 :ok :read 1\n";
  EXPECT_EQ(error_of(ok), "h:1: process 0 is told ok for a read that it did not invoke");
  EXPECT_EQ(error_of(invoke + invoke),
            "h:2: process 0 invokes read before it was told how its read went");
  EXPECT_EQ(error_of(invoke + "INFO jepsen.util - 0 :ok :write 1\n"),
            "h:2: process 0 is told how its write went, expected its read");
}

TEST(Values, HaveATotalOrderAndHashesThatAgreeWithIt) {
  History history;
  std::vector<Value> values{Value{},
                            Value::boolean(false),
                            Value::integer(-1),
                            Value::integer(1),
                            Value::number(1.0),
                            history.text("1"),
                            history.word("1"),
                            history.list({}),
                            history.list({Value::integer(1)}),
                            history.list({Value::integer(1), Value{}}),
                            history.set(std::vector<Value>{}),
                            history.map(std::vector<Value>{history.text("a"), Value{}})};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_EQ(values[i] == values[j], i == j) << i << " " << j;
      EXPECT_EQ(Value::compare(values[i], values[j]), -Value::compare(values[j], values[i]));
      if (i != j) {
        EXPECT_NE(values[i].hash(), values[j].hash());
      }
    }
  }
  const Value one = history.set(std::vector<Value>{Value::integer(2), Value::integer(1)});
  const Value other =
      history.set(std::vector<Value>{Value::integer(1), Value::integer(2), Value::integer(1)});
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.hash(), other.hash());
}

}  // namespace
}  // namespace dissensus::history
