#include "dissensus/options.h"

#include <functional>

#include <gtest/gtest.h>

#include "core/suggestion.h"

namespace dissensus {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Options toml(std::string_view text) {
  return Options::from_toml(text, "f.toml");
}
Options json(std::string_view text) {
  return Options::from_json(text, "f.json");
}

// Every complaint is one line with file, line, key and expectation.
TEST(Options, ErrorsNamePlaceAndExpectation) {
  const Options options = toml("a = 1\nb = \"x\"\n[t]\nc = -3\nd = [1, true]\n");
  EXPECT_EQ(error_of([&] { options.at("b").integer(); }),
            "f.toml:2: b: expected an integer, found a text");
  EXPECT_EQ(error_of([&] { options.table("t").at("c").integer(0); }),
            "f.toml:4: t.c: expected an integer of at least 0, found -3");
  EXPECT_EQ(error_of([&] { options.at("a").integer(2, 5); }),
            "f.toml:1: a: expected an integer from 2 to 5, found 1");
  EXPECT_EQ(error_of([&] { options.table("t").at("d").list()[1].integer(); }),
            "f.toml:5: t.d[1]: expected an integer, found a boolean");
  EXPECT_EQ(error_of([&] { options.at("b").duration(); }),
            "f.toml:2: b: expected a duration such as \"250ms\" or \"2s\" (us, ms, s, min, h), "
            "found 'x'");
  EXPECT_EQ(error_of([&] { options.table("t").at("e"); }),
            "f.toml:3: t.e: missing, but it is required");
  EXPECT_EQ(error_of([&] { options.at("a").table(); }),
            "f.toml:1: a: expected a table, found an integer");
  EXPECT_EQ(error_of([&] { options.at("a").boolean(); }),
            "f.toml:1: a: expected true or false, found an integer");
}

TEST(Options, UnknownKeysAreErrorsWithASuggestion) {
  const Options options = toml("latencyy = 1\n[sub]\nok = 1\nodd = 2\n");
  options.integer("latency", 0);
  options.table("sub").integer("ok", 0);
  EXPECT_EQ(error_of([&] { options.finish(); }),
            "f.toml:1: latencyy: unknown key, did you mean 'latency'?");
  EXPECT_EQ(error_of([&] { options.table("sub").finish(); }), "f.toml:4: sub.odd: unknown key");
}

TEST(Options, MissingKeyNamesTheLikelyTypo) {
  EXPECT_EQ(error_of([] { toml("knid = 1\n").at("kind"); }),
            "f.toml:1: kind: missing, but it is required, did you mean 'knid'?");
}

TEST(Options, JsonValuesKnowTheirLines) {
  const Options options = json("{\n\"a\": 12\n,\n\"b\": {\"c\":\n [1,\n \"x\"]}}");
  EXPECT_EQ(error_of([&] { options.at("a").text(); }),
            "f.json:2: a: expected a text, found an integer");
  EXPECT_EQ(error_of([&] { options.at("b").table().at("c").list()[1].integer(); }),
            "f.json:6: b.c[1]: expected an integer, found a text");
}

TEST(Options, BrokenDocumentsAreRefusedInOneLine) {
  const std::string broken_json[] = {
      "", "{", "[1]", "{\"a\":}", "{\"a\":1,\"a\":2}", "{\"a\":1e999}", "\x01\x02\xff", "nul"};
  for (const std::string& text : broken_json) {
    const std::string error = error_of([&] { json(text); });
    EXPECT_EQ(error.substr(0, 6), "f.json") << text;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  const std::string broken_toml[] = {"a",
                                     "a = ",
                                     "a = 1\na = 2",
                                     "[t\n",
                                     "\x01\x02\xff",
                                     "a = 1979-05-27",
                                     "a = 99999999999999999999"};
  for (const std::string& text : broken_toml) {
    const std::string error = error_of([&] { toml(text); });
    EXPECT_EQ(error.substr(0, 7), "f.toml:") << text << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Options, DeepNestingIsRefusedWithoutRecursion) {
  const std::string deep_json = "{\"a\":" + std::string(1'000'000, '[');
  EXPECT_NE(error_of([&] { json(deep_json); }).find("nested too deeply"), std::string::npos);
  const std::string deep_toml = "a = " + std::string(100'000, '[');
  EXPECT_EQ(error_of([&] { toml(deep_toml); }).substr(0, 7), "f.toml:");
}

TEST(Options, OverflowingIntegersAreRefused) {
  EXPECT_EQ(error_of([] { json("{\"a\":99999999999999999999}").at("a").integer(); }),
            "f.json:1: a: expected an integer, found a number");
  EXPECT_EQ(error_of([] { json("{\"a\":18446744073709551615}").at("a").integer(); }),
            "f.json:1: a: number too large");
}

TEST(Options, NumbersMustBeFinite) {
  EXPECT_EQ(error_of([] { toml("a = nan").at("a").number(0, 1); }),
            "f.toml:1: a: expected a number from 0 to 1, found nan");
  EXPECT_EQ(toml("a = 1").at("a").number(0, 1), 1.0);
}

TEST(Options, ChoicesSuggest) {
  static constexpr std::string_view kWords[] = {"fifo", "any"};
  EXPECT_EQ(error_of([] { toml("a = \"fifoo\"").at("a").choice(kWords); }),
            "f.toml:1: a: expected one of fifo, any, found 'fifoo', did you mean 'fifo'?");
}

TEST(Durations, ParseAndPrintExactly) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_duration("250us"), Duration(250));
  EXPECT_EQ(parse_duration("20ms"), Duration(20ms));
  EXPECT_EQ(parse_duration("5.25s"), Duration(5250ms));
  EXPECT_EQ(parse_duration("2min"), Duration(2min));
  EXPECT_EQ(parse_duration("0.5h"), Duration(30min));
  for (const char* bad : {"", "5", "s", "-1s", "1.s", "1.5us", "1 s", "1e3s", "99999999999999h",
                          "0x1s", "1.0000000000s"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
  for (const std::int64_t count : {0L, 1L, 999L, 1000L, 1'500'000L, 3'600'000'000L}) {
    EXPECT_EQ(parse_duration(to_string(Duration(count))), Duration(count));
  }
}

TEST(Suggestion, FindsNearWordsOnly) {
  EXPECT_EQ(edit_distance("commit", "comit"), 1u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(suggestion("rnu", {"replay", "run"}), ", did you mean 'run'?");
  EXPECT_EQ(suggestion("zebra", {"replay", "run"}), "");
}

}  // namespace
}  // namespace dissensus
