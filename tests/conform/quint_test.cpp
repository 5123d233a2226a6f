// A Quint model runs as the TLA+ made from its JSON: state counts are derived by hand in the
// models' comments, and what cannot be translated is refused by name.
#include "conform/quint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "conform/token_ring.h"
#include "conform/workflow.h"
#include "core/file.h"
#include "tla/exploration/check.h"

namespace dissensus::conform {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string model(const std::string& name) {
  return std::string{DISSENSUS_SOURCE_DIR} + "/tests/conform/quint/" + name + ".qnt.json";
}

std::string text_of(const std::string& name) {
  return quint_to_tla(read_file(model(name), std::size_t{1} << 20), name, "");
}

tla::CheckResult checked(const std::string& name, const std::vector<std::string>& invariants) {
  tla::Config config;
  for (const std::string& invariant : invariants) config.invariants.push_back({invariant, {}});
  tla::SpecOptions options;
  if (name == "ledger") options.constants.emplace_back("LENGTH", "3");
  tla::CheckOptions check_options;
  check_options.deadlock = false;
  return tla::check(load_specification(model(name), config, options), check_options);
}

/// A module with one definition `it`, an init and a step, as JSON.
std::string with_definition(const std::string& expression,
                            const std::string& init = R"({"kind":"bool","value":true})") {
  return R"({"modules":[{"name":"m","declarations":[{"kind":"def","name":"it","qualifier":"val",)"
         R"("expr":)" +
         expression + R"(},{"kind":"def","name":"init","qualifier":"action","expr":)" + init +
         R"(},{"kind":"def","name":"step","qualifier":"action","expr":{"kind":"bool","value":true}}]}]})";
}

std::string error_of(const std::string& json, const std::string& main_module = "") {
  try {
    quint_to_tla(json, "m.json", main_module);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(QuintTest, TwoInstancesOfAModuleMakeAGrid) {
  const tla::CheckResult result = checked("counters", {"bounded"});
  EXPECT_EQ(result.outcome, tla::CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 12u);
  EXPECT_EQ(result.generated, 18u);  // 1 + 3 * 3 steps to the right + 4 * 2 upwards
  EXPECT_EQ(result.depth, 6u);
}

TEST(QuintTest, AFalseInvariantHasAShortestCounterexample) {
  const tla::CheckResult result = checked("counters", {"never_both_full"});
  EXPECT_EQ(result.outcome, tla::CheckOutcome::violation);
  EXPECT_EQ(result.property, "never_both_full");
  EXPECT_EQ(result.trace.steps().size(), 6u);
}

TEST(QuintTest, SumTypesMapsAndChoicesGiveTheDerivedStates) {
  const tla::CheckResult result = checked("mailbox", {"every_answer_has_a_client"});
  EXPECT_EQ(result.outcome, tla::CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 64u);
  EXPECT_EQ(result.generated, 145u);  // 1 + 3 clients * 16 states of the others * (1 + 2) steps
  EXPECT_EQ(result.depth, 7u);
  EXPECT_EQ(checked("mailbox", {"not_all_agree"}).property, "not_all_agree");
}

TEST(QuintTest, ListsRecordsFoldsAndConstantsGiveTheDerivedStates) {
  const tla::CheckResult result = checked("ledger", {"conserved", "indices_agree"});
  EXPECT_EQ(result.outcome, tla::CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 13u);
  EXPECT_EQ(result.generated, 13u);
  EXPECT_EQ(result.depth, 4u);
}

TEST(QuintTest, AConfigurationNeedNotNameInitAndNext) {
  const tla::Config config = tla::parse_config(std::make_shared<const tla::Source>(
      tla::Source{"mailbox.cfg", "INVARIANT not_all_agree\nCHECK_DEADLOCK FALSE\n"}));
  const tla::CheckResult result =
      tla::check(load_specification(model("mailbox"), config, {}), tla::CheckOptions{});
  EXPECT_EQ(result.property, "not_all_agree") << result.message;
}

TEST(QuintTest, BuiltinsHaveTheValuesThatQuintGives) {
  for (const char* invariant : {"arithmetic", "sets", "lists", "maps", "not_simulated"}) {
    const tla::CheckResult result = checked("ledger", {invariant});
    EXPECT_EQ(result.outcome, tla::CheckOutcome::ok) << invariant << ": " << result.message;
  }
}

TEST(QuintTest, ActionsKeepTheirNamesAndParameters) {
  const auto spec = load_specification(model("mailbox"), {}, {});
  const auto action = spec->find_action("reply");
  ASSERT_TRUE(action.has_value());
  EXPECT_TRUE(spec->actions()[*action].is_label);
  EXPECT_EQ(spec->actions()[*action].parameters, std::vector<std::string>{"client"});
  EXPECT_THAT(text_of("counters"), AllOf(HasSubstr("left_raise(by) =="), HasSubstr("Init ==")));
}

// The same ring as in TLA+: both workflows pass, and a fault is found with the guard's text.
TEST(QuintTest, AMappingMayNameAQuintModel) {
  const test::RingFiles files;
  files.write("ring.qnt.json", read_file(model("ring"), std::size_t{1} << 20));
  files.write("mapping.toml", test::mapping_with("Ring.tla", "ring.qnt.json"));
  const Mapping mapping = load_mapping(files.mapping());
  Conformance clean(mapping, {}, 1, test::ring_registry());
  EXPECT_FALSE(clean.workflow_one({1, 5}));
  EXPECT_FALSE(clean.workflow_two({10, 100}));
  EXPECT_GT(clean.counters().steps, 100u);
  const Variant doubles{{{"system.doubles", "true"}}, {}, {}};
  Conformance faulty(mapping, doubles, 1, test::ring_registry());
  const auto finding = faulty.workflow_one({1, 5});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, Violation::Type::type_one);
  ASSERT_FALSE(finding->violation.guards.empty());
  EXPECT_THAT(finding->violation.guards.front().text, HasSubstr("holder = 0"));
}

TEST(QuintTest, ARunIsLeftOutAndTheRestIsKept) {
  const std::string text = quint_to_tla(
      with_definition(R"({"kind":"app","opcode":"then","args":[{"kind":"name","name":"init"},)"
                      R"({"kind":"name","name":"step"}]})"),
      "m.json", "");
  EXPECT_THAT(text, HasSubstr("\\* left out: it: then has a meaning in runs and tests only"));
  EXPECT_THAT(text, HasSubstr("Next == TRUE"));
}

TEST(QuintTest, NamesThatTlaReservesAreChanged) {
  const std::string text = quint_to_tla(
      with_definition(R"({"kind":"let","opdef":{"kind":"def","name":"Len","qualifier":"pureval",)"
                      R"("expr":{"kind":"int","value":1}},"expr":{"kind":"app","opcode":"Rec",)"
                      R"("args":[{"kind":"str","value":"IN"},{"kind":"name","name":"Len"}]}})"),
      "m.json", "");
  EXPECT_THAT(text, AllOf(HasSubstr("LET Len_2 == 1 IN"), HasSubstr("<<\"IN\", Len_2>>"),
                          Not(HasSubstr("IN |->"))));
}

TEST(QuintTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(error_of("{\n\"modules\": ["), HasSubstr("m.json:2: expected JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("m.json: expected an object with modules"));
  EXPECT_THAT(error_of(R"({"modules":[],"errors":[{"explanation":"[QNT404] x"}]})"),
              HasSubstr("quint reported an error: [QNT404] x"));
  EXPECT_THAT(error_of(R"({"modules":[{"name":"m","declarations":[{"kind":"instance",)"
                       R"("protoName":"base"}]}]})"),
              HasSubstr("instance of base: expected one module without imports"));
  EXPECT_THAT(error_of(with_definition(R"({"kind":"app","opcode":7,"args":{}})")),
              HasSubstr("m.json: not what quint writes"));
  const std::string good = with_definition(R"({"kind":"int","value":1})");
  EXPECT_EQ(error_of(good), "none");
  EXPECT_EQ(error_of(good, "other"), "m.json: there is no module other");
  EXPECT_THAT(error_of(with_definition(R"({"kind":"int","value":1})",
                                       R"({"kind":"app","opcode":"oneOf","args":[]})")),
              HasSubstr("m.json: init: oneOf: expected only in nondet"));
  EXPECT_THAT(error_of(with_definition(R"({"kind":"int","value":1})",
                                       R"({"kind":"app","opcode":"iad","args":[]})")),
              HasSubstr("iad is neither defined nor an operator of Quint"));
}

TEST(QuintTest, AModelThatIsNotCompiledIsRefusedWithTheCommand) {
  try {
    load_specification("some/m.qnt", {}, {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("quint compile --target=json some/m.qnt > some/m.qnt.json"));
  }
}

TEST(QuintTest, DeepNestingEndsWithAMessage) {
  std::string deep = R"({"kind":"bool","value":true})";
  for (int i = 0; i < 5'000; ++i) deep = R"({"kind":"app","opcode":"not","args":[)" + deep + "]}";
  EXPECT_THAT(error_of(with_definition(R"({"kind":"int","value":1})", deep)),
              HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace dissensus::conform
