// Tokens: what is one word and what is two, and where each stands.
#include "tla/syntax/lexer.h"

#include <gtest/gtest.h>

#include "tla/tree.h"

namespace dissensus::tla {
namespace {

std::string spellings(const std::string& text) {
  const SourcePtr source = source_of(text);
  std::string result;
  for (const Token& token : tokens_of_expression(*source).tokens) {
    if (token.type == TokenType::end) break;
    if (!result.empty()) result += ' ';
    result += token.spelling;
  }
  return result;
}

std::string error_of(const std::string& text) {
  const SourcePtr source = source_of(text);
  try {
    tokens_of_expression(*source);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "none";
}

TEST(Lexer, TakesTheLongestSymbol) {
  EXPECT_EQ(spellings("a<=>b"), "a <=> b");
  EXPECT_EQ(spellings("x|->y"), "x |-> y");
  EXPECT_EQ(spellings("a-+->b"), "a -+-> b");
  EXPECT_EQ(spellings("1..2...3"), "1 .. 2 ... 3");
  EXPECT_EQ(spellings("a::=b::c:>d"), "a ::= b :: c :> d");
  EXPECT_EQ(spellings("f@@g@"), "f @@ g @");
  EXPECT_EQ(spellings("(+)(-)(\\X)(x)"), "(+) (-) (\\X) ( x )");
}

TEST(Lexer, SplitsWhereTwoSymbolsTouch) {
  EXPECT_EQ(spellings("x=<<1>>"), "x = << 1 >>");
  EXPECT_EQ(spellings("x=<1"), "x =< 1");
  EXPECT_EQ(spellings("[][N]_v"), "[] [ N ]_ v");
  EXPECT_EQ(spellings("<><<A>>_<<a>>"), "<> << A >>_ << a >>");
  EXPECT_EQ(spellings("I!!!(a)"), "I ! !! ( a )");
  EXPECT_EQ(spellings("a!b"), "a ! b");
}

TEST(Lexer, WeakAndStrongFairnessAreWordsOfTheirOwn) {
  EXPECT_EQ(spellings("WF_vars(N)"), "WF_ vars ( N )");
  EXPECT_EQ(spellings("SF_<<a>>(N)"), "SF_ << a >> ( N )");
}

TEST(Lexer, NamesMayBeginWithDigits) {
  const SourcePtr source = source_of("2PC 12 _x 1a_ a.b 1.5 1.x");
  const Tokens tokens = tokens_of_expression(*source);
  EXPECT_EQ(tokens.tokens[0].type, TokenType::name);
  EXPECT_EQ(tokens.tokens[1].type, TokenType::number);
  EXPECT_EQ(tokens.tokens[2].type, TokenType::name);
  EXPECT_EQ(tokens.tokens[3].type, TokenType::name);
  EXPECT_EQ(spellings("a.b 1.5 1.x"), "a . b 1.5 1 . x");
}

TEST(Lexer, BackslashWordsAreOperatorsOrSetDifference) {
  EXPECT_EQ(spellings("S\\T"), "S \\ T");
  EXPECT_EQ(spellings("x\\in S\\cup{y}"), "x \\in S \\cup { y }");
  EXPECT_EQ(spellings("a\\/b/\\c"), "a \\/ b /\\ c");
  EXPECT_EQ(spellings("s\\o t \\o17"), "s \\o t \\o17");
}

TEST(Lexer, NumbersInOtherBasesBecomeDecimal) {
  EXPECT_EQ(decimal_digits("\\b101"), "5");
  EXPECT_EQ(decimal_digits("\\O17"), "15");
  EXPECT_EQ(decimal_digits("\\hFf"), "255");
  EXPECT_EQ(decimal_digits("\\hFFFFFFFFFFFFFFFFF"), "295147905179352825855");
  EXPECT_EQ(decimal_digits("007"), "7");
  EXPECT_EQ(decimal_digits("0.5"), "0.5");
}

TEST(Lexer, CommentsAreSkippedAndMayBeNested) {
  EXPECT_EQ(spellings("a (* b (* c *) d *) e \\* f\ng"), "a e g");
  EXPECT_EQ(spellings("a \\* the end"), "a");
  EXPECT_EQ(error_of("a\n  (* b (* c *)"),
            "test.tla:2:3: this comment (* is not ended: expected *)");
}

TEST(Lexer, StringsKeepTheirEscapes) {
  EXPECT_EQ(string_content(R"("a\"b\\c\n\t")"), "a\"b\\c\n\t");
  EXPECT_EQ(spellings(R"("(* no comment" x)"), R"("(* no comment" x)");
  EXPECT_EQ(error_of("x = \"abc\ny"),
            "test.tla:1:5: this string is not ended: expected \" on the same line");
  EXPECT_EQ(error_of(R"("a\qb")"),
            R"(test.tla:1:1: a backslash in a string: expected \", \\, \n, \t, \r or \f)");
}

TEST(Lexer, UnicodeSpellingsMeanTheSame) {
  EXPECT_EQ(tree_of("∀ x ∈ ℕ : x ≤ 3 ∧ x ≠ 1"), tree_of("\\A x \\in Nat : x <= 3 /\\ x # 1"));
  EXPECT_EQ(tree_of("⟨a, b⟩ ∘ c"), tree_of("<<a, b>> \\o c"));
  EXPECT_EQ(tree_of("[x ∈ S ↦ ¬x]"), tree_of("[x \\in S |-> ~x]"));
  EXPECT_EQ(tree_of("□(P ⇒ ◇Q)"), tree_of("[](P => <>Q)"));
}

TEST(Lexer, ColumnsCountBytesAndIndentsCountCharactersAndTabs) {
  const SourcePtr source = source_of("∈ a\n\tb  c");
  const Tokens tokens = tokens_of_expression(*source);
  EXPECT_EQ(tokens.tokens[1].column, 5U);
  EXPECT_EQ(tokens.tokens[1].indent, 3U);
  EXPECT_EQ(tokens.tokens[2].column, 2U);
  EXPECT_EQ(tokens.tokens[2].indent, 9U);
  EXPECT_EQ(tokens.tokens[3].indent, 12U);
  EXPECT_EQ(tokens.tokens[3].line, 2U);
}

TEST(Lexer, CharactersWithoutMeaningAreNamed) {
  EXPECT_EQ(error_of("a\n ` b"), "test.tla:2:2: '`' has no meaning in TLA+");
  EXPECT_EQ(error_of("a \x01"),
            "test.tla:1:3: a character that has no meaning in TLA+ (byte 0x01)");
}

TEST(Lexer, TextAroundTheModuleIsIgnored) {
  const SourcePtr source = source_of("It's `text`. ----\n ---- MODULE M ----\n====\nIt's more");
  const Tokens tokens = tokens_of_module(*source);
  ASSERT_EQ(tokens.tokens.size(), 6U);
  EXPECT_EQ(tokens.tokens[2].text, "M");
  EXPECT_EQ(tokens.tokens[4].type, TokenType::module_end);
}

// What it means is said by pluscal/, which has seen the whole file.
TEST(Lexer, APlusCalAlgorithmIsAComment) {
  const SourcePtr source = source_of("(* --algorithm a { } *) 1");
  const Tokens tokens = tokens_of_expression(*source);
  EXPECT_TRUE(tokens.notices.empty());
  EXPECT_EQ(tokens.tokens.size(), 2U);
}

TEST(Source, LinesAndExcerptsCanBeShown) {
  const SourcePtr source = source_of("one\r\ntwo  three\n\n  four");
  EXPECT_EQ(source->line(1), "one");
  EXPECT_EQ(source->line(4), "  four");
  EXPECT_EQ(source->line(5), "");
  EXPECT_EQ((Location{source.get(), 2, 1, 4, 6}).excerpt(), "two three four");
  EXPECT_EQ((Location{source.get(), 2, 1, 4, 6}).excerpt(8), "two t...");
  EXPECT_EQ(Location{}.excerpt(), "");
  EXPECT_EQ(Location{}.to_string(), "");
}

}  // namespace
}  // namespace dissensus::tla
