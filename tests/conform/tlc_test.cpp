// How TLC is run and understood, with a program in Java's place that says what TLC would.
#include "conform/tlc.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/external_tlc.h"
#include "conform/pairing.h"
#include "conform/token_ring.h"
#include "run/runner.h"

namespace dissensus::conform {
namespace {

using testing::HasSubstr;

TEST(TlcOutput, ResultsAndCountsAreUnderstood) {
  const TlcAnswer ok = parse_tlc_output(
      "Model checking completed. No error has been found.\n"
      "1,234 states generated, 288 distinct states found, 0 states left on queue.\n"
      "The depth of the complete state graph search is 11.\n");
  EXPECT_EQ(ok.result, "ok");
  EXPECT_EQ(ok.generated, 1234u);
  EXPECT_EQ(ok.distinct, 288u);
  EXPECT_EQ(ok.depth, 11u);
  EXPECT_EQ(parse_tlc_output("Error: Deadlock reached.\n").result, "deadlock");
  EXPECT_EQ(parse_tlc_output("Error: Assumption line 3 is false.\n").result, "assumption");
  const TlcAnswer violation = parse_tlc_output("Error: Invariant Safe is violated.\nmore\n");
  EXPECT_EQ(violation.result, "violation");
  EXPECT_EQ(violation.message, "Error: Invariant Safe is violated.");
  EXPECT_EQ(parse_tlc_output("could not find or load main class\n").result, "error");
}

class TlcTest : public testing::Test {
 protected:
  /// A program that notes its words, fills the folder for states, and prints `text`.
  std::string java(const std::string& text) const {
    files_.write("java",
                 "#!/bin/sh\necho \"$@\" > \"$(dirname \"$0\")/words\"\n"
                 "while [ \"$1\" != -metadir ]; do shift; done\ntouch \"$2/states\"\n"
                 "echo \"$2\" > \"$(dirname \"$0\")/folder\"\ncat <<'END'\n" +
                     text + "\nEND\n");
    std::filesystem::permissions(files_.path("java"), std::filesystem::perms::owner_all);
    return files_.path("java");
  }
  std::string noted(const std::string& name) const {
    std::ifstream file(files_.path(name));
    std::string line;
    std::getline(file, line);
    return line;
  }

  test::RingFiles files_;
};

TEST_F(TlcTest, IsAskedWithOneWorkerAndLeavesNothingBehind) {
  TlcQuestion question;
  question.java = java("Model checking completed. No error has been found.");
  question.jar = "one.jar:two.jar";
  question.spec = files_.path("Ring.tla");
  question.config = files_.path("Ring.cfg");
  question.ignore_deadlock = true;
  EXPECT_EQ(ask_tlc(question).result, "ok");
  EXPECT_THAT(noted("words"), HasSubstr("-cp one.jar:two.jar tlc2.TLC -workers 1 "));
  EXPECT_THAT(noted("words"),
              HasSubstr(" -deadlock -config " + question.config + " " + question.spec));
  ASSERT_THAT(noted("folder"), HasSubstr("dissensus-tlc-"));
  EXPECT_FALSE(std::filesystem::exists(noted("folder")));
}

TEST_F(TlcTest, WhatCannotBeRunIsRefused) {
  TlcQuestion question;
  question.spec = files_.path("Ring.tla");
  question.jar = files_.path("none.jar");
  EXPECT_THROW(ask_tlc(question), InputError);
  question.jar = "one.jar:two.jar";
  question.java = files_.path("none");
  EXPECT_THROW(ask_tlc(question), InputError);
}

// Judging a trace goes the same way.
TEST_F(TlcTest, VerdictsOnATraceAreRead) {
  const Mapping mapping = load_mapping(files_.mapping());
  Pairing pairing(mapping, {}, {3}, test::ring_registry());
  TraceRecorder recorder(pairing.mapping(), 1'000);
  run::RunOptions run_options;
  run_options.sinks = {&recorder};
  run::Runner().run(pairing.scenario(), {}, 1, run_options);
  const auto judge = [&](const std::string& said) {
    TlcOptions options;
    options.java = java(said);
    options.jar = "one.jar:two.jar";
    return judge_with_tlc(pairing.mapping(), files_.path("Ring.tla"), recorder.trace(), options);
  };
  const TlcVerdict admitted = judge("Error: Invariant TraceIsNotOver is violated.");
  EXPECT_TRUE(admitted.is_admitted);
  EXPECT_EQ(admitted.refused, 0u);
  const TlcVerdict refused = judge(
      "Model checking completed. No error has been found.\n"
      "The depth of the complete state graph search is 4.");
  EXPECT_FALSE(refused.is_admitted);
  EXPECT_EQ(refused.refused, 4u);
  EXPECT_THROW(judge("Error: Parsing failed"), InputError);
}

}  // namespace
}  // namespace dissensus::conform
