// PlusCal: algorithms become the definitions that users of PlusCal know.
#include "tla/pluscal/pluscal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/exploration/check.h"
#include "tla/given.h"

namespace dissensus::tla {
namespace {

using pluscal::AlgorithmText;
using pluscal::Freshness;
using pluscal::Translation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

SourcePtr module_with(const std::string& algorithm, const std::string& behind = "====\n") {
  return std::make_shared<Source>(
      Source{"Test.tla", "---- MODULE Test ----\nEXTENDS Integers, Sequences, TLC\n(*\n" +
                             algorithm + "\n*)\n" + behind});
}

std::string translated(const std::string& algorithm, const std::vector<std::string>& options = {}) {
  const auto found = AlgorithmText::find(module_with(algorithm));
  std::string text;
  for (const auto& line : found->translate(pluscal::parse_options(options)).lines) {
    text += line.text + '\n';
  }
  return text;
}

std::string refused(const std::string& algorithm) {
  try {
    translated(algorithm);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

/// The module checked with what the translation in memory says.
CheckResult checked(const std::string& algorithm, const std::string& config) {
  SpecOptions options;
  options.modules.emplace_back("Test", module_with(algorithm)->text);
  CheckOptions settings;
  settings.workers = 1;
  return check(Spec::load("Test.tla", given::config(config), options), settings);
}

const std::string kTwoProcesses = R"(--algorithm Two {
  variables x = 0; y \in {1, 2};
  fair process (p \in 1..2)
    variable mine = x;
  { a: x := x + mine;
    b: await x > 0 \/ y = 1;
       mine := 3; }
})";

// Layout, names and comments as they stand in files of others: a file can go back and forth.
TEST(PlusCal, TranslatesProcessesAsUsersKnowIt) {
  EXPECT_EQ(translated(kTwoProcesses), R"(VARIABLES pc, x, y, mine

vars == << pc, x, y, mine >>

ProcSet == (1..2)

Init == (* Global variables *)
        /\ x = 0
        /\ y \in {1, 2}
        (* Process p *)
        /\ mine = [self \in 1..2 |-> x]
        /\ pc = [self \in ProcSet |-> "a"]

a(self) == /\ pc[self] = "a"
           /\ x' = x + mine[self]
           /\ pc' = [pc EXCEPT ![self] = "b"]
           /\ UNCHANGED << y, mine >>

b(self) == /\ pc[self] = "b"
           /\ x > 0 \/ y = 1
           /\ mine' = [mine EXCEPT ![self] = 3]
           /\ pc' = [pc EXCEPT ![self] = "Done"]
           /\ UNCHANGED << x, y >>

p(self) == a(self) \/ b(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in 1..2: p(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in 1..2 : WF_vars(p(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

)");
}

TEST(PlusCal, BothSyntaxesSayTheSame) {
  const std::string braces =
      "--algorithm A { variables x = 0; macro add(v, by) { v := v + by }\n"
      "{ l: while (x < 3) { if (x = 1) { add(x, 2) } else either { x := 1 } or { skip; x := 2 };\n"
      "                     m: with (d \\in {1}; e = d) { assert e = d; } };\n"
      "  print x } }";
  const std::string words =
      "--algorithm A variables x = 0; macro add(v, by) begin v := v + by end macro;\n"
      "begin l: while x < 3 do if x = 1 then add(x, 2) else either x := 1 or skip; x := 2 end "
      "either; end if;\n"
      "                     m: with d \\in {1}, e = d do assert e = d; end with; end while;\n"
      "  print x; end algorithm";
  const std::string in_braces = translated(braces);
  // The places of assertions differ.
  const auto without_places = [](std::string text) {
    const std::size_t at = text.find("\"Failure");
    return text.erase(at, text.find('"', at + 1) - at);
  };
  EXPECT_EQ(without_places(in_braces), without_places(translated(words)));
  EXPECT_THAT(in_braces, HasSubstr("THEN /\\ x' = x + 2\n"));
  EXPECT_THAT(in_braces, HasSubstr("\\E d \\in {1}:\n          LET e == d IN\n"));
}

TEST(PlusCal, ProceduresHaveAStack) {
  const std::string text = translated(
      "--algorithm F variable r = 1;\n"
      "procedure fact(n = 0) variable k = 7;\n"
      "begin f: if n > 1 then r := r * n; call fact(n - 1); return; else g: return; end if;\n"
      "end procedure;\n"
      "begin a: call fact(4); b: assert r = 24; end algorithm");
  EXPECT_THAT(text, HasSubstr("stack' = << [ procedure |->  \"fact\",\n"));
  EXPECT_THAT(text, HasSubstr("/\\ pc' = Head(stack).pc\n"));
  const CheckResult result = checked(
      "--algorithm F variable r = 1;\n"
      "procedure fact(n = 0) variable k = 7;\n"
      "begin f: if n > 1 then r := r * n; call fact(n - 1); return; else g: return; end if;\n"
      "end procedure;\n"
      "begin a: call fact(4); b: assert r = 24; end algorithm",
      "SPECIFICATION Spec\nPROPERTY Termination");
  EXPECT_EQ(result.outcome, CheckOutcome::violation) << "no fairness: it may stop";
  EXPECT_EQ(result.distinct, 8u);
}

TEST(PlusCal, AMultipleAssignmentIsOneExceptOfOldValues) {
  EXPECT_THAT(translated("--algorithm S variable f = [i \\in 1..2 |-> i]; x = 1;\n"
                         "begin a: f[1] := f[2] || f[2] := f[1] || x := x + 1; assert x = 2;\n"
                         "end algorithm"),
              HasSubstr("     /\\ /\\ f' = [f EXCEPT ![1] = f[2],\n"
                        "                          ![2] = f[1]]\n"
                        "        /\\ x' = x + 1\n"
                        "     /\\ Assert(x' = 2, "));
}

TEST(PlusCal, LabelsAndVariablesWithOneNameAreRenamed) {
  const auto found = AlgorithmText::find(
      module_with("--algorithm N process p = 1 variable v = 1; begin a: v := 2; end process;\n"
                  "process q \\in {2} variable v = 1; begin a: v := 3; b: goto a; end process;\n"
                  "end algorithm"));
  const Translation translation = found->translate();
  EXPECT_THAT(translation.remarks,
              ElementsAre("Label a of process p at line 4 col 54 changed to a_",
                          "Process variable v of process p at line 4 col 38 changed to v_"));
  std::string text;
  for (const auto& line : translation.lines) text += line.text + '\n';
  EXPECT_THAT(text, HasSubstr("a_ == /\\ pc[1] = \"a_\"\n      /\\ v_' = 2\n"));
  EXPECT_THAT(text, HasSubstr("pc' = [pc EXCEPT ![self] = \"a\"]"));
}

TEST(PlusCal, OneEndlessLoopNeedsNoPc) {
  const std::string text = translated(
      "--algorithm L { variable x = 0; process (p \\in {1, 2}) { l: while (TRUE) { x := 1 - x } } "
      "}");
  EXPECT_THAT(text, Not(HasSubstr("pc")));
  EXPECT_THAT(text, HasSubstr("p(self) == x' = 1 - x\n"));
}

TEST(PlusCal, FairnessOfAlgorithmsProcessesAndLabels) {
  const std::string body =
      "variable x = 0; process p \\in {1} begin a: x := 1; b:- x := 2; c:+ x := 3; end process; "
      "end algorithm";
  EXPECT_THAT(translated("--algorithm A " + body), HasSubstr("Spec == Init /\\ [][Next]_vars\n"));
  EXPECT_THAT(translated("--fair algorithm A " + body), HasSubstr("/\\ WF_vars(Next)\n"));
  EXPECT_THAT(translated("--algorithm A " + body, {"-wf"}),
              HasSubstr("\\A self \\in {1} : WF_vars((pc[self] # \"b\") /\\ p(self)) /\\ "
                        "SF_vars(c(self))"));
  EXPECT_THAT(translated("--algorithm A " + body, {"-sf"}),
              HasSubstr("SF_vars((pc[self] # \"b\") /\\ p(self))"));
  EXPECT_THAT(translated("--algorithm A " + body + " (* PlusCal options (-wfNext) *)"),
              HasSubstr("/\\ WF_vars(Next)\n"));
  EXPECT_THROW(pluscal::parse_options({"-wf", "-sf"}), InputError);
  EXPECT_THROW(pluscal::parse_options({"-speed"}), InputError);
}

// In the lines of the algorithm, each in one line.
TEST(PlusCal, ErrorsSayWhereAndWhatIsExpected) {
  const auto in = [](const std::string& statements) {
    return refused("--algorithm A variables x = 0, y = 0;\nprocess p = 1\nbegin l: skip;\n" +
                   statements + "\nend process;\nend algorithm");
  };
  EXPECT_EQ(in("x := 1;"), "");
  EXPECT_EQ(in("x = 1;"), "Test.tla:7:3: expected ':=', found '='");
  EXPECT_EQ(in("x := 1; x := 2;"), "Test.tla:7:9: a label is missing here");
  EXPECT_EQ(in("while x > 0 do skip; end while;"), "Test.tla:7:1: a label is missing here");
  EXPECT_EQ(in("if x = 1 then goto l; end if;\ny := 1;"), "Test.tla:8:1: a label is missing here");
  EXPECT_EQ(in("with i \\in {1} do m: skip; end with;"), "Test.tla:7:22: a label inside of with");
  EXPECT_EQ(in("goto nowhere;"), "Test.tla:7:1: there is no label nowhere here");
  EXPECT_EQ(in("call q(1);"), "Test.tla:7:1: there is no procedure q");
  EXPECT_EQ(in("m(1);"), "Test.tla:7:1: there is no macro m");
  EXPECT_EQ(in("return;"), "Test.tla:7:1: return outside of a procedure");
  EXPECT_EQ(in("z := 1;"), "Test.tla:7:1: z is no variable");
  EXPECT_EQ(in("l: skip;"), "Test.tla:7:4: l is declared a second time");
  EXPECT_EQ(in("x := (1;"), "Test.tla:7:8: an expression with an open bracket ends at ';'");
  EXPECT_EQ(in("if x = 1 skip; end if;"), "Test.tla:7:10: expected 'then', found 'skip'");
  EXPECT_EQ(in("x := 1 end process"), "Test.tla:8:5: expected 'algorithm', found 'process'");
  EXPECT_THAT(refused("--algorithm A begin skip; end"), HasSubstr("expected 'algorithm', found"));
}

TEST(PlusCal, MissingLabelsAreAddedWhereNoneWasWrittenOrOnDemand) {
  const std::string text =
      translated("--algorithm A variable x = 0; begin x := 1; x := 2; end algorithm");
  EXPECT_THAT(text, HasSubstr("Lbl_1 == /\\ pc = \"Lbl_1\""));
  EXPECT_THAT(text, HasSubstr("Lbl_2 == /\\ pc = \"Lbl_2\""));
  const std::string half = "--algorithm A variable x = 0; begin a: x := 1; x := 2; end algorithm";
  EXPECT_THAT(refused(half), HasSubstr("a label is missing"));
  EXPECT_THAT(translated(half, {"-label", "-labelRoot", "s"}), HasSubstr("s1 == "));
}

// The sums are those that other translators write for the same text.
TEST(PlusCal, ChecksumsTellAChangedAlgorithmAndAChangedTranslation) {
  const auto original = AlgorithmText::find(module_with(kTwoProcesses));
  const Translation translation = original->translate();
  EXPECT_EQ(original->freshness(translation), Freshness::untranslated);
  const std::string file = original->file_with(translation);
  EXPECT_THAT(file, HasSubstr("\n*)\n\\* BEGIN TRANSLATION (chksum(pcal) = \"" +
                              translation.algorithm_checksum + "\" /\\ chksum(tla) = \"" +
                              translation.text_checksum + "\")\nVARIABLES pc"));
  const auto again = [](const std::string& text) {
    const auto found = AlgorithmText::find(std::make_shared<Source>(Source{"Test.tla", text}));
    return std::pair{found->freshness(found->translate()), found->file_with(found->translate())};
  };
  EXPECT_EQ(again(file).first, Freshness::fresh);
  EXPECT_EQ(again(file).second, file);
  const auto changed = [&](std::string from, const std::string& to, std::size_t after = 0) {
    std::string text = file;
    return text.replace(text.find(from, after), from.size(), to);
  };
  EXPECT_EQ(again(changed("mine := 3", "mine := 4")).first, Freshness::algorithm_changed);
  EXPECT_EQ(again(changed("mine := 3", "mine :=   3 (* three *)")).first, Freshness::fresh);
  EXPECT_EQ(again(changed("= 3]", "= 4]")).first, Freshness::text_changed);
  // Without sums the steps are compared.
  const std::size_t sums = file.find(" (chksum");
  std::string bare = file;
  bare.erase(sums, file.find('\n', sums) - sums);
  EXPECT_EQ(again(bare).first, Freshness::fresh);
  bare.replace(bare.find("mine := 3"), 9, "mine := 4");
  EXPECT_EQ(again(bare).first, Freshness::algorithm_changed);
}

TEST(PlusCal, AModuleWithoutTranslationIsTranslatedInMemory) {
  SpecOptions options;
  options.modules.emplace_back("Test", module_with(kTwoProcesses, "Small == x < 4\n====\n")->text);
  const auto spec = Spec::load(
      "Test.tla", given::config("SPECIFICATION Spec\nINVARIANT Small\nPROPERTY Termination"),
      options);
  ASSERT_THAT(spec->notices(), SizeIs(1));
  EXPECT_THAT(spec->notices().front().message, HasSubstr("translated in memory"));
  CheckOptions settings;
  settings.workers = 1;
  const CheckResult result = check(spec, settings);
  EXPECT_EQ(result.outcome, CheckOutcome::deadlock);  // with y = 2 both wait at b
  // A step has its label's name, and its place in the algorithm.
  EXPECT_EQ(spec->actions()[*spec->find_action("b")].at.to_string(), "Test.tla:9:8");
}

// What follows a translation in memory keeps its own lines in messages.
TEST(PlusCal, PlacesBehindATranslationInMemoryAreThoseOfTheFile) {
  SpecOptions options;
  options.modules.emplace_back("Test", module_with(kTwoProcesses, "\nSmall == x < \n====\n")->text);
  try {
    Spec::load("Test.tla", given::config("SPECIFICATION Spec"), options);
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Test.tla:15:1: "));
  }
}

TEST(PlusCal, AStaleTranslationIsWarnedOf) {
  const auto original = AlgorithmText::find(module_with(kTwoProcesses));
  std::string file = original->file_with(original->translate());
  file.replace(file.find("mine := 3"), 9, "mine := 4");
  SpecOptions options;
  options.modules.emplace_back("Test", file);
  const auto spec = Spec::load("Test.tla", given::config("SPECIFICATION Spec"), options);
  ASSERT_THAT(spec->notices(), SizeIs(1));
  EXPECT_THAT(spec->notices().front().message, HasSubstr("changed since it was translated"));
}

TEST(PlusCal, ProseBehindTheAlgorithmIsNoPartOfIt) {
  EXPECT_THAT(translated("--algorithm A variable x = 0; begin a: x := 1; end algorithm\n"
                         "It doesn't \"end here. (* 100 % *) ` ~ ok"),
              HasSubstr("a == /\\ pc = \"a\""));
  EXPECT_THAT(refused("--algorithm A variable x = 0; begin a: x := `; end algorithm"),
              HasSubstr("Test.tla:4:45: a token that is none: `"));
}

// A list stays a list when names in it get longer.
TEST(PlusCal, BulletedListsStayAligned) {
  EXPECT_THAT(translated("--algorithm A { process (p \\in 1..2) variable mine = 0; {\n"
                         "a: await mine = 0 /\\ \\/ mine > 1\n"
                         "                     \\/ mine < 2;\n"
                         "} }"),
              HasSubstr("           /\\ mine[self] = 0 /\\ \\/ mine[self] > 1\n"
                        "                                \\/ mine[self] < 2\n"));
}

}  // namespace
}  // namespace dissensus::tla
