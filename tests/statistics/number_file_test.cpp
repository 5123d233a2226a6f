// Numbers from files: what is accepted, and that everything else is refused with its place.
#include "statistics/number_file.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "statistics/survival_file.h"

namespace dissensus::statistics {
namespace {

using testing::ElementsAre;

NumberFile parsed(const std::string& text) {
  return NumberFile::parse(text, "f.csv");
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NumberFile, OneNumberPerLine) {
  EXPECT_THAT(parsed("1\n2.5\n-3e2\n").numbers(), ElementsAre(1, 2.5, -300));
  EXPECT_THAT(parsed("seconds\n1\n2").numbers(), ElementsAre(1, 2));
  EXPECT_THAT(parsed("\xEF\xBB\xBF# a comment\r\n\r\n 1 \r\n2\r\n").numbers(), ElementsAre(1, 2));
}

TEST(NumberFile, AColumnByName) {
  const NumberFile file = parsed("name,seconds\n\"a, \"\"b\"\"\",4\nc, 5\n");
  EXPECT_THAT(file.numbers("seconds"), ElementsAre(4, 5));
  EXPECT_EQ(file.text(0, 0), "a, \"b\"");
}

TEST(NumberFile, RefusesWithFileAndLine) {
  const auto numbers = [](const std::string& text, const std::string& column = {}) {
    return message_of([&] { parsed(text).numbers(column); });
  };
  EXPECT_EQ(numbers("1\nx\n"), "f.csv:2: column 1: expected a number, found 'x'");
  EXPECT_EQ(numbers("t\n1\n\n2,\n"), "f.csv:4: expected 1 columns as above, found 2");
  EXPECT_EQ(numbers("t\n1\n\n2s\n"), "f.csv:4: t: expected a number, found '2s'");
  EXPECT_EQ(numbers("1.5x\n2\n"), "f.csv:1: column 1: expected a number, found '1.5x'");
  EXPECT_EQ(numbers("NA\n2\n"), "f.csv:1: column 1: expected a number, found 'NA'");
  EXPECT_EQ(numbers("1\ninf\n"), "f.csv:2: column 1: expected a number, found 'inf'");
  EXPECT_EQ(numbers("1\n1e999\n"), "f.csv:2: column 1: expected a number, found '1e999'");
  EXPECT_EQ(numbers(""), "f.csv: no numbers in it");
  EXPECT_EQ(numbers("t\n"), "f.csv: no numbers in it");
  EXPECT_EQ(numbers("a,b\n1,2\n"), "f.csv: 2 columns, name one with --column (a, b)");
  EXPECT_EQ(numbers("1,2\n"), "f.csv: 2 columns without a header, expected one number per line");
  EXPECT_EQ(numbers("time,b\n1,2\n", "tine"),
            "f.csv: no column 'tine', did you mean 'time'? (columns: time, b)");
  EXPECT_EQ(numbers("1\n", "t"), "f.csv: column 't' cannot be found: the file has no header");
  EXPECT_THAT(numbers("a\n\"1\n"), testing::HasSubstr("f.csv:2: broken quotes"));
  EXPECT_THAT(numbers("a\n\"1\"2\n"), testing::HasSubstr("f.csv:2: broken quotes"));
}

TEST(SurvivalFile, GroupsInTheOrderOfTheFile) {
  const ObservationGroups groups =
      read_observations(parsed("group,time,event\nb,5,1\na,3,0\nb,7,true\n"));
  EXPECT_THAT(groups.names, ElementsAre("b", "a"));
  ASSERT_EQ(groups.observations[0].size(), 2u);
  EXPECT_TRUE(groups.observations[0][1].event);
  EXPECT_FALSE(groups.observations[1][0].event);
  EXPECT_EQ(groups.time_max, 7);
  EXPECT_THAT(read_observations(parsed("time,event\n1,0\n")).names, ElementsAre("all"));
}

TEST(SurvivalFile, RefusesWithFileLineAndColumn) {
  const auto read = [](const std::string& text, const SurvivalColumns& columns = {}) {
    return message_of([&] { read_observations(parsed(text), columns); });
  };
  EXPECT_EQ(read("time,event\n1,2\n"),
            "f.csv:2: event: expected 1 (seen) or 0 (censored), found '2'");
  EXPECT_EQ(read("time,event\n1,1\n-1,1\n"),
            "f.csv:3: time: expected a time of 0 or more, found '-1'");
  EXPECT_EQ(read("time,events\n1,1\n"),
            "f.csv: no column 'event', did you mean 'events'? (columns: time, events)");
  EXPECT_EQ(read("1,1\n"), "f.csv: column 'time' cannot be found: the file has no header");
  EXPECT_THAT(read("time,event\n1,1\n", {"time", "event", "search"}),
              testing::HasSubstr("no column 'search'"));
  std::string many = "time,event,group\n";
  for (std::size_t i = 0; i <= kGroupsMax; ++i) many += "1,1,g" + std::to_string(i) + "\n";
  EXPECT_EQ(read(many), "f.csv:102: group: expected at most 100 groups");
}

}  // namespace
}  // namespace dissensus::statistics
