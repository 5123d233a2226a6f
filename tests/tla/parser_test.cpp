// The parser: every form of the language becomes the tree it means; mistakes are named where they
// are.
#include <gtest/gtest.h>

#include "tla/syntax/operators.h"
#include "tla/tree.h"

namespace dissensus::tla {
namespace {

// Precedence.

TEST(Precedence, TighterOperatorsGroupFirst) {
  EXPECT_EQ(tree_of("a => b /\\ c = d + e * f"), "(=> a (/\\ b (= c (+ d (* e f)))))");
  EXPECT_EQ(tree_of("x - 1 .. y + 1"), "(.. (- x 1) (+ y 1))");
  EXPECT_EQ(tree_of("1 :> 2 @@ 3 :> 4 @@ f"), "(@@ (@@ (:> 1 2) (:> 3 4)) f)");
  EXPECT_EQ(tree_of("SUBSET S \\cup T"), "(\\cup (SUBSET S) T)");
  EXPECT_EQ(tree_of("x \\in S \\cup T"), "(\\in x (\\cup S T))");
  EXPECT_EQ(tree_of("x \\in 1..n"), "(\\in x (.. 1 n))");
  EXPECT_EQ(tree_of("a + b - c"), "(+ a (- b c))");
  EXPECT_EQ(tree_of("a - b + c"), "(+ (- a b) c)");
}

TEST(Precedence, LeftAssociativeOperatorsChain) {
  EXPECT_EQ(tree_of("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(tree_of("a \\o b \\circ c"), "(\\circ (\\circ a b) c)");
  EXPECT_EQ(tree_of("a /\\ b \\land c"), "(/\\ a b c)");
  EXPECT_EQ(tree_of("a /\\ (b /\\ c)"), "(/\\ a (/\\ b c))");
  EXPECT_EQ(tree_of("(a /\\ b) /\\ c"), "(/\\ (/\\ a b) c)");
}

TEST(Precedence, ProductsAreFlatUnlessInParentheses) {
  EXPECT_EQ(tree_of("A \\X B \\times C"), "(\\X A B C)");
  EXPECT_EQ(tree_of("(A \\X B) \\X C"), "(\\X (\\X A B) C)");
}

TEST(Precedence, PrefixOperators) {
  EXPECT_EQ(tree_of("~a /\\ b"), "(/\\ (~ a) b)");
  EXPECT_EQ(tree_of("~a = b"), "(~ (= a b))");
  EXPECT_EQ(tree_of("-a * b"), "(-. (* a b))");
  EXPECT_EQ(tree_of("-a - b"), "(- (-. a) b)");
  EXPECT_EQ(tree_of("a - -b"), "(- a (-. b))");
  EXPECT_EQ(tree_of("-1..1"), "(.. (-. 1) 1)");
  EXPECT_EQ(tree_of("~[]<>P"), "(~ ([] (<> P)))");
  EXPECT_EQ(tree_of("DOMAIN f'"), "(DOMAIN (' f))");
  EXPECT_EQ(tree_of("UNION {a} \\ b"), "(\\ (UNION (set a)) b)");
  EXPECT_EQ(tree_of("a = ~b"), "(= a (~ b))");
  EXPECT_EQ(tree_of("ENABLED A /\\ B"), "(/\\ (ENABLED A) B)");
}

TEST(Precedence, PostfixOperators) {
  EXPECT_EQ(tree_of("x' = y'"), "(= (' x) (' y))");
  EXPECT_EQ(tree_of("r.a'"), "(' (field a r))");
  EXPECT_EQ(tree_of("f'[x].a"), "(field a (at (' f) x))");
  EXPECT_EQ(tree_of("f[x, y][z].a.b"), "(field b (field a (at (at f x y) z)))");
  EXPECT_EQ(tree_of("a^b'"), "(^ a (' b))");
  EXPECT_EQ(tree_of("R^+ \\cup R^*"), "(\\cup (^+ R) (^* R))");
}

TEST(Precedence, WhatCannotBeMixedNeedsParentheses) {
  EXPECT_EQ(tree_of("a \\/ b /\\ c"),
            "error 1:8: '/\\' cannot be mixed with the '\\/' at 1:3 that way: expected parentheses "
            "or bullets that are aligned");
  EXPECT_EQ(tree_of("a = b = c"),
            "error 1:7: '=' cannot be chained with the one at 1:3: expected parentheses");
  for (const char* text : {"a => b => c",     "a <=> b ~> c",   "S \\cup T \\cap U", "S \\ T \\ U",
                           "a % b % c",       "a + b % c",      "a / b * c",         "a ^ b ^ c",
                           "[]a = b",         "[]a'",           "UNCHANGED a'",      "a * -b",
                           "a ^ -b",          "SUBSET S \\X T", "a .. b .. c",       "a < b < c",
                           "a \\in S \\in T", "a ++ b + c",     "a -- b - c",        "a :> b :> c",
                           "a \\cdot b = c"}) {
    EXPECT_EQ(tree_of(text).substr(0, 5), "error") << text;
  }
}

TEST(Precedence, EveryOperatorIsKnownUnderAllItsSpellings) {
  EXPECT_EQ(canonical_operator("\\leq"), "<=");
  EXPECT_EQ(canonical_operator("=<"), "<=");
  EXPECT_EQ(canonical_operator("\\neg"), "~");
  EXPECT_EQ(canonical_operator("/="), "#");
  EXPECT_EQ(canonical_operator("\\union"), "\\cup");
  EXPECT_EQ(canonical_operator("\\times"), "\\X");
  EXPECT_EQ(canonical_operator("\\equiv"), "<=>");
  EXPECT_EQ(canonical_operator("nothing"), "nothing");
  for (const Operator& each : operators()) {
    EXPECT_EQ(find_operator(each.name, each.fix), &each) << each.name;
    EXPECT_LE(each.low, each.high) << each.name;
    const std::string name(each.name == "-." ? "-" : each.name);
    const std::string text = each.fix == Fix::infix    ? fmt::format("a {} b", name)
                             : each.fix == Fix::prefix ? fmt::format("{} a", name)
                                                       : fmt::format("a {}", name);
    EXPECT_NE(tree_of(text).substr(0, 5), "error") << text;
  }
}

// Junction lists.

TEST(JunctionList, ColumnsDecide) {
  EXPECT_EQ(tree_of("/\\ a\n"
                    "/\\ \\/ b\n"
                    "   \\/ c\n"
                    "/\\ d"),
            "(/\\ a (\\/ b c) d)");
  EXPECT_EQ(tree_of("\\/ /\\ a\n"
                    "   /\\ b\n"
                    "\\/ c /\\ d"),
            "(\\/ (/\\ a b) (/\\ c d))");
}

TEST(JunctionList, AnItemMayContinueOnLaterLinesToItsRight) {
  EXPECT_EQ(tree_of("/\\ a =\n"
                    "    b\n"
                    " + c\n"
                    "/\\ d"),
            "(/\\ (= a (+ b c)) d)");
}

TEST(JunctionList, AListEndsLeftOfItsBullets) {
  EXPECT_EQ(tree_of("    /\\ a\n"
                    "    /\\ b\n"
                    "=> c"),
            "(=> (/\\ a b) c)");
  EXPECT_EQ(tree_of("IF /\\ a\n"
                    "   /\\ b\n"
                    "THEN c ELSE d"),
            "(if (/\\ a b) c d)");
  EXPECT_EQ(tree_of("( /\\ a\n"
                    "  /\\ b )"),
            "(/\\ a b)");
  EXPECT_EQ(tree_of("CASE a -> /\\ x\n"
                    "          /\\ y\n"
                    "  [] b -> z"),
            "(case a (/\\ x y) b z)");
}

TEST(JunctionList, TheSameSymbolFurtherRightIsAnOperator) {
  EXPECT_EQ(tree_of("/\\ a /\\ b\n"
                    "/\\ c"),
            "(/\\ a b c)");
  EXPECT_EQ(tree_of("/\\ a\n"
                    "  /\\ b\n"
                    "/\\ c"),
            "(/\\ a b c)");
  EXPECT_EQ(tree_of("/\\ \\/ a\n"
                    "   \\/ b\n"
                    "  /\\ c"),
            "(/\\ (\\/ a b) c)");
}

TEST(JunctionList, TheOtherSymbolInTheSameColumnIsAnOperator) {
  EXPECT_EQ(tree_of("/\\ a\n"
                    "\\/ b"),
            "(\\/ (/\\ a) b)");
}

TEST(JunctionList, QuantifiersReachToTheEndOfTheirItem) {
  EXPECT_EQ(tree_of("/\\ \\E x \\in S :\n"
                    "     /\\ p\n"
                    "     /\\ q\n"
                    "/\\ r"),
            "(/\\ (\\E x:S (/\\ p q)) r)");
}

TEST(JunctionList, AnOperandOfAnOperatorMayBeAList) {
  EXPECT_EQ(tree_of("a => /\\ b\n"
                    "     /\\ c"),
            "(=> a (/\\ b c))");
  EXPECT_EQ(tree_of("~ /\\ a"), "(~ (/\\ a))");
}

TEST(JunctionList, TabsReachToTheNextMultipleOfEight) {
  EXPECT_EQ(tree_of("\t/\\ a\n        /\\ b"), "(/\\ a b)");
}

TEST(JunctionList, AMisplacedTokenIsReportedWithItsBullet) {
  EXPECT_EQ(tree_of("  /\\ f[a,\n  b]\n  /\\ c"),
            "error 2:3: expected an expression, found 'b'; it is not to the right of the bullet "
            "'/\\' at 1:3");
}

// Forms.

TEST(Forms, NamesCallsAndPaths) {
  EXPECT_EQ(tree_of("Op(a, b + 1)"), "(Op a (+ b 1))");
  EXPECT_EQ(tree_of("A!B(1)!C(2)"), "(A!B( 1 )!C 2)");
  EXPECT_EQ(tree_of("I!x"), "I!x");
  EXPECT_EQ(tree_of("I!+(a, b)"), "(I!+ a b)");
  EXPECT_EQ(tree_of("a I!+ b * c"), "(I!+ a (* b c))");
  EXPECT_EQ(tree_of("Thm!1!:"), "Thm!1!:");
  EXPECT_EQ(tree_of("+(1, 2)"), "(+ 1 2)");
  EXPECT_EQ(tree_of("TRUE"), "TRUE");
}

TEST(Forms, OperatorsAsArguments) {
  EXPECT_EQ(tree_of("Fold(+, 0, s)"), "(Fold (operator +) 0 s)");
  EXPECT_EQ(tree_of("Fold(\\cup, {}, s)"), "(Fold (operator \\cup) (set) s)");
  EXPECT_EQ(tree_of("F(/\\, x)"), "(F (operator /\\) x)");
  EXPECT_EQ(tree_of("F(x, -.)"), "(F x (operator -.))");
  EXPECT_EQ(tree_of("F( - )"), "(F (operator -))");
  EXPECT_EQ(tree_of("F(LAMBDA x, y : x + y, 1)"), "(F (lambda x y (+ x y)) 1)");
}

TEST(Forms, Literals) {
  EXPECT_EQ(tree_of("<<12, \\hFF, 1.5, \"a\\\"b\", -3>>"), "(tuple 12 255 1.5 'a\"b' (-. 3))");
}

TEST(Forms, Conditionals) {
  EXPECT_EQ(tree_of("IF a THEN b ELSE c + 1"), "(if a b (+ c 1))");
  EXPECT_EQ(tree_of("CASE a -> b [] c -> d [] OTHER -> e"), "(case a b c d e)");
  EXPECT_EQ(tree_of("CASE a -> CASE b -> c [] OTHER -> d [] e -> f"), "(case a (case b c d) e f)");
}

TEST(Forms, Let) {
  EXPECT_EQ(
      tree_of("LET a == 1\n    f[x \\in S] == x\n    g(x, h(_)) == h(x)\n    x ++ y == x\nIN a"),
      "(let (def a == 1) (def f [ x:S ] == x) (def g x h/1 == (h x)) (def ++ x y == x) a)");
  EXPECT_EQ(tree_of("LET RECURSIVE f(_)  f(x) == f(x) IN f(1)"),
            "(let (def recursive f x == (f x)) (f 1))");
  EXPECT_EQ(tree_of("LET I == INSTANCE M WITH a <- 1, + <- F INSTANCE N IN I!x"),
            "(let (def I instance M a<-1 +<-F) (def  instance N) I!x)");
  EXPECT_EQ(tree_of("LET RECURSIVE f(_) IN 1"),
            "error 1:20: f is RECURSIVE: expected its definition before IN");
}

TEST(Forms, Quantifiers) {
  EXPECT_EQ(tree_of("\\A x, y \\in S, <<a, b>> \\in T : p"), "(\\A x,y:S <a,b>:T p)");
  EXPECT_EQ(tree_of("\\E x : p /\\ q"), "(\\E x (/\\ p q))");
  EXPECT_EQ(tree_of("\\EE x, y : p"), "(\\EE x,y p)");
  EXPECT_EQ(tree_of("\\AA x : p"), "(\\AA x p)");
  EXPECT_EQ(tree_of("CHOOSE x \\in S : p"), "(choose x:S p)");
  EXPECT_EQ(tree_of("CHOOSE x : p"), "(choose x p)");
  EXPECT_EQ(tree_of("CHOOSE <<x, y>> \\in S : p"), "(choose <x,y>:S p)");
}

TEST(Forms, Sets) {
  EXPECT_EQ(tree_of("{}"), "(set)");
  EXPECT_EQ(tree_of("{a, b \\in c}"), "(set a (\\in b c))");
  EXPECT_EQ(tree_of("{x \\in S : p}"), "(filter x:S p)");
  EXPECT_EQ(tree_of("{<<x, y>> \\in S : p}"), "(filter <x,y>:S p)");
  EXPECT_EQ(tree_of("{x \\in S : y \\in T}"), "(filter x:S (\\in y T))");
  EXPECT_EQ(tree_of("{(x \\in S) : y \\in T}"), "(map y:T (\\in x S))");
  EXPECT_EQ(tree_of("{x + y : x \\in S, y \\in T}"), "(map x:S y:T (+ x y))");
}

TEST(Forms, FunctionsAndRecords) {
  EXPECT_EQ(tree_of("[x \\in S |-> e]"), "(function x:S e)");
  EXPECT_EQ(tree_of("[x, y \\in S, <<a, b>> \\in T |-> e]"), "(function x,y:S <a,b>:T e)");
  EXPECT_EQ(tree_of("[<<a, b>> \\in T, x \\in S |-> e]"), "(function <a,b>:T x:S e)");
  EXPECT_EQ(tree_of("[S -> T]"), "(functions S T)");
  EXPECT_EQ(tree_of("[a |-> 1, b |-> 2]"), "(record a=1 b=2)");
  EXPECT_EQ(tree_of("[a : S, b : T]"), "(records a=S b=T)");
  EXPECT_EQ(tree_of("r.NEW"), "(field NEW r)");
}

TEST(Forms, Except) {
  EXPECT_EQ(tree_of("[f EXCEPT ![a, b].c[d] = @ + 1, !.x = 2]"),
            "(except f (![ a b ].c[ d ] (+ @ 1)) (!.x 2))");
  EXPECT_EQ(tree_of("@ + 1"), "error 1:1: '@' has a meaning only in an update of EXCEPT");
}

TEST(Forms, ActionsAndFairness) {
  EXPECT_EQ(tree_of("[A]_v"), "(box A v)");
  EXPECT_EQ(tree_of("[A /\\ B]_<<a, b>>"), "(box (/\\ A B) (tuple a b))");
  EXPECT_EQ(tree_of("<<A>>_v"), "(angle A v)");
  EXPECT_EQ(tree_of("[x \\in S]_v"), "(box (\\in x S) v)");
  EXPECT_EQ(tree_of("Init /\\ [][Next]_vars /\\ WF_vars(Next)"),
            "(/\\ Init ([] (box Next vars)) (WF vars Next))");
  EXPECT_EQ(tree_of("SF_<<a, b>>(A /\\ B)"), "(SF (tuple a b) (/\\ A B))");
  EXPECT_EQ(tree_of("WF_(I!v)(A)"), "(WF I!v A)");
  EXPECT_EQ(tree_of("WF_I!v(A(1))"), "(WF I!v (A 1))");
}

TEST(Forms, LabelsAreLeftOut) {
  EXPECT_EQ(tree_of("a /\\ lab:: b"), "(/\\ a b)");
  EXPECT_EQ(tree_of("\\A x \\in S : lab(x):: p"), "(\\A x:S p)");
}

// Modules.

std::unique_ptr<Module> module_of(const std::string& text) {
  return parse_module(source_of(text));
}

std::string error_of(const std::string& text) {
  try {
    module_of(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "none";
}

TEST(ModuleText, UnitsComeInTheirOrder) {
  const auto module = module_of(
      "---- MODULE M ----\n"
      "EXTENDS Naturals, TLC\n"
      "CONSTANTS N, Op(_, _), _ \\prec _, -. _\n"
      "VARIABLE x, y\n"
      "ASSUME Positive == N > 0\n"
      "ASSUMPTION TRUE\n"
      "RECURSIVE Sum(_)\n"
      "Sum(s) == s\n"
      "LOCAL a ++ b == a\n"
      "a ^# == a\n"
      "-. a == a\n"
      "f[i \\in 1..N, <<j, k>> \\in S] == i\n"
      "I(p) == INSTANCE K WITH c <- p, d <- N\n"
      "LOCAL INSTANCE L\n"
      "---- MODULE Inner ----\n"
      "z == 1\n"
      "====\n"
      "====\n");
  EXPECT_EQ(module->name, "M");
  ASSERT_EQ(module->extends.size(), 2U);
  EXPECT_EQ(module->extends[1].name, "TLC");
  EXPECT_EQ(module->extends[1].at.to_string(), "test.tla:2:19");
  ASSERT_EQ(module->units.size(), 13U);
  EXPECT_EQ(tree(module->units[0].declared), " N Op/2 \\prec/2 -./1");
  EXPECT_EQ(module->units[1].type, ModuleUnit::Type::variables);
  EXPECT_EQ(tree(module->units[1].declared), " x y");
  EXPECT_EQ(module->units[2].name, "Positive");
  EXPECT_EQ(tree(*module->units[2].assumption), "(> N 0)");
  EXPECT_EQ(module->units[4].type, ModuleUnit::Type::recursive);
  EXPECT_EQ(tree(*module->units[5].definition), "(def recursive Sum s == s)");
  EXPECT_EQ(tree(*module->units[6].definition), "(local ++ a b == a)");
  EXPECT_EQ(tree(*module->units[7].definition), "(def ^# a == a)");
  EXPECT_EQ(tree(*module->units[8].definition), "(def -. a == a)");
  EXPECT_EQ(tree(*module->units[9].definition), "(def f [ i:(.. 1 N) <j,k>:S ] == i)");
  EXPECT_EQ(tree(*module->units[10].definition), "(def I p instance K c<-p d<-N)");
  EXPECT_TRUE(module->units[11].is_local);
  EXPECT_EQ(module->units[12].submodule->name, "Inner");
}

TEST(ModuleText, TheoremsAndProofsLeaveOneNoticeEach) {
  const auto module = module_of(
      "---- MODULE M ----\n"
      "AXIOM A == TRUE\n"
      "THEOREM T == Spec => []Inv\n"
      "<1>1. Init => Inv\n"
      "  BY DEF Init, Inv\n"
      "<1>2. ASSUME Inv, NEW x \\in S, [Next]_vars PROVE Inv'\n"
      "  <2>1. CASE UNCHANGED vars\n"
      "    BY <1>1, <2>1 DEF vars\n"
      "  <2>2. DEFINE P(y) == y = x\n"
      "              Q == P(x)\n"
      "  <2>a HAVE Q\n"
      "  <2> TAKE y \\in S, z \\in T\n"
      "  <2> WITNESS 1 \\in Nat, 2\n"
      "  <2>3. PICK z \\in S : P(z)\n"
      "    OBVIOUS\n"
      "  <2>4. SUFFICES ASSUME NEW CONSTANT c PROVE Q\n"
      "    PROOF OMITTED\n"
      "  <2>5. P(1) /\\ Q\n"
      "    <3> USE <2>1 DEF P\n"
      "    <3> HIDE DEF Q\n"
      "    <3> QED BY PTL\n"
      "  <2>. QED BY <2>1, <2>5\n"
      "<1>3. QED\n"
      "  BY <1>1, <1>2, PTL DEF Spec\n"
      "LEMMA x = x OBVIOUS\n"
      "COROLLARY C == ASSUME NEW n PROVE n = n\n"
      "PROPOSITION <<a>>_b\n"
      "USE DEF P\n"
      "After == 1\n"
      "====\n");
  // The statements of named ones can be used.
  ASSERT_EQ(module->units.size(), 3U);
  EXPECT_EQ(tree(*module->units[0].definition), "(def A == TRUE)");
  EXPECT_EQ(tree(*module->units[1].definition), "(def T == (=> Spec ([] Inv)))");
  EXPECT_TRUE(module->units[1].definition->is_theorem);
  EXPECT_EQ(tree(*module->units[2].definition), "(def After == 1)");
  ASSERT_EQ(module->notices.size(), 5U);
  EXPECT_EQ(module->notices[1].message, "THEOREM T and its proof are not checked");
  EXPECT_EQ(module->notices[2].message, "LEMMA and its proof are not checked");
  EXPECT_EQ(module->notices[3].message, "COROLLARY C is not checked");
}

TEST(ModuleText, AProofThatCannotBeReadDoesNotHideWhatFollows) {
  const auto module = module_of(
      "---- MODULE M ----\n"
      "THEOREM T == a\n"
      "<1>1. b c d PROOF (\n"
      "Next == x' = 1\n"
      "====\n");
  ASSERT_EQ(module->units.size(), 2U);
  EXPECT_EQ(module->units[1].definition->name, "Next");
  ASSERT_EQ(module->notices.size(), 1U);
  EXPECT_NE(module->notices[0].message.find("could not be read: test.tla:3:9"), std::string::npos)
      << module->notices[0].message;
}

TEST(ModuleText, LocationsCoverTheText) {
  const auto module = module_of(
      "---- MODULE M ----\n"
      "Next == /\\ x = 1\n"
      "        /\\ (y\n"
      "             + 2) = z\n"
      "====\n");
  const Definition& next = *module->units[0].definition;
  EXPECT_EQ(next.at.to_string(), "test.tla:2:1");
  EXPECT_EQ(next.body->at.excerpt(), "/\\ x = 1 /\\ (y + 2) = z");
  EXPECT_EQ(next.body->operands[1]->at.to_string(), "test.tla:3:12");
  EXPECT_EQ(next.body->operands[1]->at.excerpt(), "(y + 2) = z");
}

// Mistakes.

TEST(Mistakes, AreNamedWithPlaceAndExpectation) {
  EXPECT_EQ(error_of("---- MODULE M ----\nx = 1\n====\n"),
            "test.tla:2:3: expected '==' after the name of a definition, found '='");
  EXPECT_EQ(error_of("---- MODULE M ----\nx == 1\n"),
            "test.tla:3:1: module M is not ended: expected a line ====");
  EXPECT_EQ(error_of("x == 1"),
            "test.tla:1:1: expected a module that begins with ---- MODULE Name ----, found none");
  EXPECT_EQ(error_of("---- MODULE M ----\nx == (1 + 2\ny == 3\n====\n"),
            "test.tla:3:1: expected ')' to close the '(' at 2:6, found 'y'");
  EXPECT_EQ(
      error_of("---- MODULE M ----\nx == [a |-> 1\n====\n"),
      "test.tla:3:1: expected ']' to close the '[' at 2:6, found ====, the end of the module");
  EXPECT_EQ(error_of("---- MODULE M ----\nx == IF a THEN b\n====\n"),
            "test.tla:3:1: expected 'ELSE' after the THEN of the IF at 2:6, found ====, the end of "
            "the module");
  EXPECT_EQ(error_of("---- MODULE M ----\nx == 1 +\n====\n"),
            "test.tla:3:1: expected an expression, found ====, the end of the module");
  EXPECT_EQ(error_of("---- MODULE M ----\nVARIABLE x y\n====\n"),
            "test.tla:2:12: expected an operator that continues the expression, a definition (Name "
            "== ...), a declaration or the ==== that ends the module, found 'y'");
  EXPECT_EQ(error_of("---- MODULE M ----\nx == 1\nEXTENDS Naturals\n====\n"),
            "test.tla:3:1: EXTENDS must come first in a module: expected one EXTENDS with all "
            "names");
}

TEST(Mistakes, CommonOnesGetAHint) {
  EXPECT_EQ(tree_of("IF a == b THEN c ELSE d"),
            "error 1:6: expected 'THEN' after the condition of IF, found '=='; equality is written "
            "'='");
  EXPECT_EQ(tree_of("(a != b)"),
            "error 1:4: expected ')' to close the '(' at 1:1, found '!'; inequality is written '#' "
            "or '/='");
  EXPECT_EQ(tree_of("(\ta b)"),
            "error 1:5: expected ')' to close the '(' at 1:1, found 'b'; a tab counts up to the "
            "next multiple of 8 columns");
  EXPECT_EQ(tree_of("a b"), "error 1:3: expected the end of the expression, found 'b'");
  EXPECT_EQ(tree_of(""), "error 1:1: expected an expression, found the end of the text");
}

TEST(Mistakes, DepthIsLimited) {
  EXPECT_NE(tree_of(std::string(5000, '(') + "1").find("nested too deeply"), std::string::npos);
  EXPECT_NE(tree_of(std::string(500, '(') + "1" + std::string(500, ')')), "");
  EXPECT_EQ(tree_of(std::string(500, '(') + "1" + std::string(500, ')')), "1");
  std::string chain = "1";
  for (int i = 0; i < 1000; ++i) chain += " + 1";
  EXPECT_EQ(tree_of(chain).substr(0, 5), "(+ (+");
  for (int i = 0; i < 5000; ++i) chain += " + 1";
  EXPECT_NE(tree_of(chain).find("too deep"), std::string::npos);
  // A list is not deep, however long.
  std::string list = "1";
  for (int i = 0; i < 20000; ++i) list += " /\\ 1";
  EXPECT_EQ(tree_of(list).substr(0, 6), "(/\\ 1 ");
}

}  // namespace
}  // namespace dissensus::tla
