// `dissensus stats`: each test as text and as JSON, and refusals with exit code 2 and their place.
#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class Stats : public testing::Test {
 protected:
  /// The JSON object that a successful command prints.
  json result_of(std::vector<std::string> words) {
    words.insert(words.begin(), "stats");
    words.push_back("--json");
    const CommandResult result = folder_.run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  std::string text_of(std::vector<std::string> words) {
    words.insert(words.begin(), "stats");
    const CommandResult result = folder_.run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  /// The one line with which a command is refused.
  std::string refusal_of(std::vector<std::string> words) {
    words.insert(words.begin(), "stats");
    const CommandResult result = folder_.run(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }

  WorkFolder folder_;
  std::string first_ = folder_.write("first.csv", "0.80\n0.83\n1.89\n1.04\n1.45\n1.38\n1.91\n");
  std::string second_ = folder_.write("second.csv", "name,seconds\na,1.15\nb,0.88\nc,0.90\n");
  std::string times_ = folder_.write("times.csv",
                                     "search,time,event\nga,9,1\nga,13,1\nga,13,0\n"
                                     "random,5,1\nrandom,8,1\nrandom,30,0\n");
};

TEST_F(Stats, FisherOfTheThesis) {
  const json result = result_of({"fisher", "64", "26", "11", "79"});
  EXPECT_NEAR(result["p_value"].get<double>(), 3.412e-16, 5e-20);
  EXPECT_NEAR(result["odds_ratio"].get<double>(), 17.313, 5e-4);
  EXPECT_NEAR(result["as_printed_by_r"]["odds_ratio"].get<double>(), 17.312717661546319, 1e-6);
  const std::string text = text_of({"fisher", "64", "26", "11", "79"});
  EXPECT_THAT(text, HasSubstr("p-value       3.412e-16\n"));
  EXPECT_THAT(text, HasSubstr("odds ratio    17.3127 "));
}

TEST_F(Stats, InfiniteAndUndefinedNumbersAreValidJson) {
  EXPECT_EQ(result_of({"fisher", "5", "0", "0", "5"})["odds_ratio"], "Infinity");
  EXPECT_EQ(result_of({"fisher", "30", "0", "30", "0"})["odds_ratio"], nullptr);
}

TEST_F(Stats, TheAlternativeMatters) {
  const double greater =
      result_of({"fisher", "8", "2", "1", "5", "--alternative", "greater"})["p_value"];
  EXPECT_NEAR(greater, 0.02447552447552448, 1e-12);
}

TEST_F(Stats, WilcoxonAndA12) {
  folder_.write("other.csv", "1.15\n0.88\n0.90\n");
  const json result = result_of({"wilcoxon", first_, "other.csv"});
  EXPECT_EQ(result["w"], 14);
  EXPECT_EQ(result["method"], "exact");
  EXPECT_NEAR(result["a12"].get<double>(), 14.0 / 21, 1e-12);
  EXPECT_EQ(result["magnitude"], "medium");
  EXPECT_EQ(result_of({"a12", first_, "other.csv"})["a12"], result["a12"]);
  EXPECT_EQ(result_of({"wilcoxon", first_, "other.csv", "--method", "normal"})["method"], "normal");
  EXPECT_THAT(text_of({"a12", first_, "other.csv"}), HasSubstr("0.6667 (medium)"));
}

TEST_F(Stats, AFileMayHaveTheNameOfATest) {
  folder_.write("holm", "1\n2\n");
  EXPECT_EQ(result_of({"a12", "holm", "holm"})["a12"], 0.5);
}

TEST_F(Stats, Shapiro) {
  const json result = result_of({"shapiro", second_, "--column", "seconds"});
  EXPECT_EQ(result["samples"][0]["size"], 3);
  EXPECT_GT(result["w"].get<double>(), 0.75);
}

TEST_F(Stats, Survival) {
  const json result = result_of({"survival", times_, "--group", "search"});
  ASSERT_EQ(result["groups"].size(), 2u);
  EXPECT_EQ(result["groups"][0]["group"], "ga");
  EXPECT_EQ(result["groups"][0]["median"], 13);
  EXPECT_EQ(result["groups"][1]["events"], 2);
  EXPECT_EQ(result["groups"][1]["curve"].size(), 3u);
  EXPECT_EQ(result["log_rank"]["degrees_of_freedom"], 1);
  EXPECT_EQ(result_of({"survival", times_})["log_rank"], nullptr);
  EXPECT_THAT(text_of({"survival", times_, "--group", "search"}), HasSubstr("log-rank"));
}

TEST_F(Stats, HolmMarksWhatStaysSignificant) {
  const json result = result_of({"holm", "0.009", "0.119", "0.04"});
  EXPECT_NEAR(result["adjusted"][0].get<double>(), 0.027, 1e-12);
  EXPECT_EQ(result["significant"], json::array({true, false, false}));
}

TEST_F(Stats, BootstrapRepeatsItself) {
  const std::string once = text_of({"bootstrap", first_, "--resamples", "200", "--seed", "4"});
  EXPECT_EQ(once, text_of({"bootstrap", first_, "--resamples", "200", "--seed", "4"}));
  EXPECT_THAT(once, HasSubstr("(95 %, bca)"));
  EXPECT_EQ(result_of({"bootstrap", first_, "--method", "percentile"})["method"], "percentile");
}

TEST_F(Stats, StandardInputIsRead) {
  // The program's standard input is empty here: the message names it.
  EXPECT_THAT(refusal_of({"shapiro", "-"}), HasSubstr("standard input: no numbers in it"));
}

TEST_F(Stats, QuietPrintsNothing) {
  EXPECT_THAT(text_of({"fisher", "1", "2", "3", "4", "--quiet"}), IsEmpty());
}

TEST_F(Stats, RefusesBadWords) {
  EXPECT_THAT(refusal_of({}), HasSubstr("expected a test (fisher, wilcoxon"));
  EXPECT_THAT(refusal_of({"fischer", "1"}), HasSubstr("did you mean 'fisher'?"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3"}), HasSubstr("second-no"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3", "x"}), HasSubstr("found 'x'"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3", "99999999999999999999"}),
              HasSubstr("expected a count from 0 to"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3", "4", "5"}), HasSubstr("unexpected '5'"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3", "4", "--altenative", "less"}),
              HasSubstr("did you mean '--alternative'?"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3", "4", "--alternative", "more"}),
              HasSubstr("--alternative"));
  EXPECT_THAT(refusal_of({"fisher", "1", "2", "3", "4", "--confidence", "95"}),
              HasSubstr("--confidence: expected a number between 0 and 1, found 95"));
  EXPECT_THAT(refusal_of({"holm", "0.1", "1.5"}), HasSubstr("between 0 and 1, found 1.5"));
  EXPECT_THAT(refusal_of({"holm", "nan"}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(refusal_of({"bootstrap", first_, "--resamples", "0"}), HasSubstr("--resamples"));
}

TEST_F(Stats, RefusesBadFilesWithTheirPlace) {
  EXPECT_THAT(refusal_of({"shapiro", "absent.csv"}), HasSubstr("absent.csv: cannot be opened"));
  folder_.write("bad.csv", "1\n2\nthree\n");
  EXPECT_THAT(refusal_of({"a12", first_, "bad.csv"}),
              HasSubstr("bad.csv:3: column 1: expected a number, found 'three'"));
  EXPECT_THAT(refusal_of({"a12", first_, second_}), HasSubstr("name one with --column"));
  EXPECT_THAT(refusal_of({"a12", "-", "-"}), HasSubstr("standard input can be read once only"));
  folder_.write("equal.csv", "4\n4\n4\n");
  EXPECT_THAT(refusal_of({"shapiro", "equal.csv"}), HasSubstr("expected numbers that differ"));
  folder_.write("two.csv", "4\n5\n");
  EXPECT_THAT(refusal_of({"shapiro", "two.csv"}), HasSubstr("two.csv: expected 3 to 5000 numbers"));
  EXPECT_THAT(refusal_of({"wilcoxon", "equal.csv", "two.csv", "--method", "exact"}),
              HasSubstr("--method: exact needs"));
  EXPECT_THAT(refusal_of({"survival", times_, "--time", "tme"}), HasSubstr("did you mean 'time'?"));
}

}  // namespace
}  // namespace dissensus::cli_test
