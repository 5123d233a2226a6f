// TLC's configuration files: every keyword, values, and mistakes with their place.
#include "tla/syntax/config.h"

#include <gtest/gtest.h>

#include "tla/tree.h"

namespace dissensus::tla {
namespace {

std::string shown(const ConfigValue& value) {
  switch (value.type) {
    case ConfigValue::Type::text:
      return fmt::format("'{}'", value.text);
    case ConfigValue::Type::set:
      break;
    default:
      return value.text;
  }
  std::string result = "{";
  for (const ConfigValue& each : value.elements) result += fmt::format(" {}", shown(each));
  return fmt::format("{} }}", result);
}

std::string shown(const std::vector<ConfigName>& names) {
  std::string result;
  for (const ConfigName& each : names) {
    if (!result.empty()) result += ' ';
    result += each.name;
  }
  return result;
}

std::string error_of(const std::string& text) {
  try {
    parse_config(source_of(text, "M.cfg"));
  } catch (const SpecError& error) {
    return error.what();
  }
  return "none";
}

TEST(ConfigText, EveryKeywordIsRead) {
  const Config config =
      parse_config(source_of("\\* a comment\n"
                             "SPECIFICATION Spec (* another *)\n"
                             "INVARIANTS TypeOK Inv\n"
                             "INVARIANT More\n"
                             "PROPERTY Live PROPERTIES Live2\n"
                             "CONSTRAINT C CONSTRAINTS C2 C3\n"
                             "ACTION_CONSTRAINT AC ACTION_CONSTRAINTS AC2\n"
                             "VIEW v SYMMETRY Perms POSTCONDITION Post ALIAS Al\n"
                             "CHECK_DEADLOCK FALSE\n"
                             "_PERIODIC Often\n"));
  EXPECT_EQ(config.specification->name, "Spec");
  EXPECT_EQ(config.specification->at.line, 2U);
  EXPECT_EQ(shown(config.invariants), "TypeOK Inv More");
  EXPECT_EQ(shown(config.properties), "Live Live2");
  EXPECT_EQ(shown(config.constraints), "C C2 C3");
  EXPECT_EQ(shown(config.action_constraints), "AC AC2");
  EXPECT_EQ(config.view->name, "v");
  EXPECT_EQ(shown(config.symmetries), "Perms");
  EXPECT_EQ(config.postcondition->name, "Post");
  EXPECT_EQ(config.alias->name, "Al");
  EXPECT_EQ(config.check_deadlock, false);
  EXPECT_FALSE(config.init || config.next);
  ASSERT_EQ(config.notices.size(), 1U);
  EXPECT_EQ(config.notices[0].message, "_PERIODIC has no effect here");
}

TEST(ConfigText, ConstantsAreAssignedOrReplaced) {
  const Config config =
      parse_config(source_of("INIT Init NEXT I!Next\n"
                             "CONSTANTS\n"
                             "  N = 3  M=-7 H = \\hFF\n"
                             "  Names = {\"a\", b, {TRUE, 1}, {}}\n"
                             "  Op(1, x) = 5\n"
                             "  K = [Mod] k1\n"
                             "  Nat <- Small\n"
                             "  Seq <- [Sequences] BoundedSeq\n"
                             "  \\prec <- Less\n"
                             "CONSTANT a = a\n"));
  EXPECT_EQ(config.init->name, "Init");
  EXPECT_EQ(config.next->name, "I!Next");
  ASSERT_EQ(config.assignments.size(), 7U);
  EXPECT_EQ(shown(config.assignments[0].value), "3");
  EXPECT_EQ(shown(config.assignments[1].value), "-7");
  EXPECT_EQ(shown(config.assignments[2].value), "255");
  EXPECT_EQ(shown(config.assignments[3].value), "{ 'a' b { TRUE 1 } { } }");
  EXPECT_EQ(config.assignments[3].value.elements[2].elements[0].type, ConfigValue::Type::boolean);
  ASSERT_EQ(config.assignments[4].arguments.size(), 2U);
  EXPECT_EQ(shown(config.assignments[4].arguments[1]), "x");
  EXPECT_EQ(config.assignments[5].module, "Mod");
  EXPECT_EQ(config.assignments[6].value.type, ConfigValue::Type::name);
  ASSERT_EQ(config.replacements.size(), 3U);
  EXPECT_EQ(config.replacements[1].module, "Sequences");
  EXPECT_EQ(config.replacements[1].definition.name, "BoundedSeq");
  EXPECT_EQ(config.replacements[2].name.name, "\\prec");
}

TEST(ConfigText, AnEmptyFileIsAConfiguration) {
  EXPECT_FALSE(parse_config(source_of("\\* nothing\n")).specification);
}

TEST(ConfigText, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(error_of("INVARIENT Inv"),
            "M.cfg:1:1: expected a keyword such as CONSTANT, SPECIFICATION or INVARIANT, found "
            "'INVARIENT', did you mean 'INVARIANT'?");
  EXPECT_EQ(error_of("INIT Init\nINIT Again"),
            "M.cfg:2:1: expected INIT once, found it here and at line 1");
  EXPECT_EQ(error_of("CONSTANT N 3"), "M.cfg:1:12: expected '=' or '<-' after N, found '3'");
  EXPECT_EQ(error_of("CONSTANT N ="),
            "M.cfg:1:13: expected a value: a number, a string, TRUE, FALSE, a name or a set of "
            "these, found the end of the file");
  EXPECT_EQ(error_of("CONSTANT N = {1, 2\nINIT I"),
            "M.cfg:2:1: expected ',' or '}' to close the '{' at 1:14, found 'INIT'");
  EXPECT_EQ(error_of("INVARIANTS A, B"),
            "M.cfg:1:13: expected names without commas between them, found ','");
  EXPECT_EQ(error_of("CHECK_DEADLOCK no"),
            "M.cfg:1:16: expected TRUE or FALSE after CHECK_DEADLOCK, found 'no'");
  EXPECT_EQ(error_of("SPECIFICATION"),
            "M.cfg:1:14: expected a name after SPECIFICATION, found the end of the file");
  EXPECT_NE(error_of("CONSTANT N = " + std::string(5000, '{')).find("nested sets"),
            std::string::npos);
}

}  // namespace
}  // namespace dissensus::tla
