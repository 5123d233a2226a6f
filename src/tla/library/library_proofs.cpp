// Modules that proofs use. Theorems are left out: they are not evaluated. The names that a proof
// cites are defined, so that specifications which extend these modules can be loaded.
#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

constexpr std::string_view kTlaps = R"(---- MODULE TLAPS ----
SimpleArithmetic == TRUE
SMT == TRUE
SMTT(X) == TRUE
CVC3 == TRUE
CVC3T(X) == TRUE
CVC4 == TRUE
CVC4T(X) == TRUE
CVC5 == TRUE
CVC5T(X) == TRUE
Yices == TRUE
YicesT(X) == TRUE
veriT == TRUE
veriTT(X) == TRUE
Z3 == TRUE
Z3T(X) == TRUE
Spass == TRUE
SpassT(X) == TRUE
LS4 == TRUE
LS4T(X) == TRUE
PTL == TRUE
PropositionalTemporalLogic == TRUE
Zenon == TRUE
ZenonT(X) == TRUE
SlowZenon == TRUE
SlowerZenon == TRUE
VerySlowZenon == TRUE
SlowestZenon == TRUE
Isa == TRUE
IsaT(X) == TRUE
IsaM(X) == TRUE
IsaMT(X, Y) == TRUE
Auto == TRUE
AutoT(X) == TRUE
Force == TRUE
ForceT(X) == TRUE
Blast == TRUE
SimplifyAndSolve == TRUE
Simplification == TRUE
AllProvers == TRUE
AllProversT(X) == TRUE
AllSMT == TRUE
AllSMTT(X) == TRUE
AllIsa == TRUE
AllIsaT(X) == TRUE
SetExtensionality == TRUE
NoSetContainsEverything == TRUE
IsaWithSetExtensionality == TRUE
ExpandENABLED == TRUE
ExpandCdot == TRUE
AutoUSE == TRUE
Lambdify == TRUE
ENABLEDaxioms == TRUE
ENABLEDrewrites == TRUE
ENABLEDrules == TRUE
LevelComparison == TRUE
Trivial == TRUE
====
)";

constexpr std::string_view kNaturalsInduction = R"(---- MODULE NaturalsInduction ----
EXTENDS Integers
NatInductiveDefHypothesis(f, start, Step(_, _)) == CHOOSE v : TRUE
NatInductiveDefConclusion(f, start, Step(_, _)) ==
  DOMAIN f = Nat /\ f[0] = start /\ \A k \in Nat : f[k + 1] = Step(f[k], k + 1)
FiniteNatInductiveDefHypothesis(f, start, Step(_, _), low, high) == CHOOSE v : TRUE
FiniteNatInductiveDefConclusion(f, start, Step(_, _), low, high) ==
  /\ DOMAIN f = low..high
  /\ low <= high => f[low] = start
  /\ \A k \in low..(high - 1) : f[k + 1] = Step(f[k], k + 1)
====
)";

constexpr std::string_view kWellFoundedInduction = R"(---- MODULE WellFoundedInduction ----
EXTENDS NaturalsInduction
IsTransitivelyClosedOn(R, S) ==
  \A <<a, b>> \in S \X S : <<a, b>> \in R => \A c \in S : <<b, c>> \notin R \/ <<a, c>> \in R
IsWellFoundedOn(R, S) ==
  \A T \in SUBSET S : T = {} \/ \E x \in T : \A y \in T : <<y, x>> \notin R
SetLessThan(bound, R, S) == {p[1] : p \in {q \in S \X {bound} : q \in R}}
(* Those that speak about every function there is cannot be executed. *)
WFDefOn(R, S, Step(_, _)) == CHOOSE v : TRUE
OpDefinesFcn(f, S, Step(_, _)) == CHOOSE v : TRUE
WFInductiveDefines(f, S, Step(_, _)) == DOMAIN f = S /\ \A x \in S : f[x] = Step(f, x)
WFInductiveUnique(S, Step(_, _)) == CHOOSE v : TRUE
OpToRel(_\prec_, S) == {<<low, high>> \in S \X S : low \prec high}
Nat2 == Nat \X Nat
StrictSubsetOrdering(S) ==
  {<<inner, outer>> \in (SUBSET S) \X (SUBSET S) : inner \ outer = {} /\ outer \ inner # {}}
PreImage(f(_), S, R) == {<<low, high>> \in S \X S : <<f(low), f(high)>> \in R}
LexPairOrdering(R1, R2, S1, S2) ==
  {<<low, high>> \in (S1 \X S2) \X (S1 \X S2) :
     <<low[1], high[1]>> \in R1 \/ (low[1] = high[1] /\ <<low[2], high[2]>> \in R2)}
LexProductOrdering(R, S, n) ==
  {<<low, high>> \in [1..n -> S] \X [1..n -> S] :
     \E at \in 1..n : <<low[at], high[at]>> \in R /\ ~\E i \in 1..(at - 1) : low[i] # high[i]}
FiniteSubsetsOf(S) == {T \in SUBSET S : TRUE}
====
)";

constexpr std::string_view kFiniteSetTheorems = R"(---- MODULE FiniteSetTheorems ----
EXTENDS FiniteSets, Integers, Sequences
====
)";
constexpr std::string_view kSequenceTheorems = R"(---- MODULE SequenceTheorems ----
EXTENDS Sequences, Integers
====
)";
constexpr std::string_view kSequencesExtTheorems = R"(---- MODULE SequencesExtTheorems ----
EXTENDS SequencesExt
====
)";
constexpr std::string_view kFunctionTheorems = R"(---- MODULE FunctionTheorems ----
EXTENDS Functions, Integers
====
)";
constexpr std::string_view kFiniteSetsExtTheorems = R"(---- MODULE FiniteSetsExtTheorems ----
EXTENDS FiniteSetsExt
====
)";
constexpr std::string_view kBagsTheorems = R"(---- MODULE BagsTheorems ----
EXTENDS Bags
====
)";
constexpr std::string_view kGraphTheorems = R"(---- MODULE GraphTheorems ----
EXTENDS Graphs
====
)";

constexpr LibraryModule kProofModules[] = {
    {"TLAPS", kTlaps},
    {"NaturalsInduction", kNaturalsInduction},
    {"WellFoundedInduction", kWellFoundedInduction},
    {"FiniteSetTheorems", kFiniteSetTheorems},
    {"SequenceTheorems", kSequenceTheorems},
    {"SequencesExtTheorems", kSequencesExtTheorems},
    {"FunctionTheorems", kFunctionTheorems},
    {"FiniteSetsExtTheorems", kFiniteSetsExtTheorems},
    {"BagsTheorems", kBagsTheorems},
    {"GraphTheorems", kGraphTheorems},
};

}  // namespace

std::span<const LibraryModule> proof_modules() {
  return kProofModules;
}

}  // namespace dissensus::tla
