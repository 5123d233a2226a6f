// The standard modules, in our own words.
//
// An operator that the engine computes (native*.cpp) and that has no shorter definition is written
// as CHOOSE v : TRUE, "some value": it gives the name and the number of arguments.
#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

constexpr std::string_view kNaturals = R"(---- MODULE Naturals ----
Nat == CHOOSE v : TRUE
a + b == CHOOSE v : TRUE
a - b == CHOOSE v : TRUE
a * b == CHOOSE v : TRUE
a ^ b == CHOOSE v : TRUE
a \div b == CHOOSE v : TRUE
a % b == CHOOSE v : TRUE
a .. b == CHOOSE v : TRUE
a < b == CHOOSE v : TRUE
a <= b == CHOOSE v : TRUE
a > b == CHOOSE v : TRUE
a >= b == CHOOSE v : TRUE
====
)";

constexpr std::string_view kIntegers = R"(---- MODULE Integers ----
EXTENDS Naturals
Int == CHOOSE v : TRUE
-. a == CHOOSE v : TRUE
====
)";

constexpr std::string_view kReals = R"(---- MODULE Reals ----
(* Only whole numbers can be computed: Real is Int, and dividing real numbers is refused. *)
EXTENDS Integers
Real == CHOOSE v : TRUE
a / b == CHOOSE v : TRUE
Infinity == CHOOSE v : TRUE
====
)";

constexpr std::string_view kSequences = R"(---- MODULE Sequences ----
LOCAL INSTANCE Naturals
Seq(S) == CHOOSE v : TRUE
Len(s) == CHOOSE v : TRUE
s \o t == CHOOSE v : TRUE
Append(s, e) == CHOOSE v : TRUE
Head(s) == CHOOSE v : TRUE
Tail(s) == CHOOSE v : TRUE
SubSeq(s, m, n) == CHOOSE v : TRUE
SelectSeq(s, Test(_)) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kFiniteSets = R"(---- MODULE FiniteSets ----
IsFiniteSet(S) == CHOOSE v : TRUE
Cardinality(S) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kBags = R"(---- MODULE Bags ----
EXTENDS TLC
LOCAL INSTANCE Naturals
IsABag(B) == CHOOSE v : TRUE
BagToSet(B) == CHOOSE v : TRUE
SetToBag(S) == CHOOSE v : TRUE
BagIn(e, B) == e \in DOMAIN B
EmptyBag == <<>>
CopiesIn(e, B) == IF e \in DOMAIN B THEN B[e] ELSE 0
A (+) B == CHOOSE v : TRUE
A (-) B == CHOOSE v : TRUE
A \sqsubseteq B == \A e \in DOMAIN A : A[e] <= CopiesIn(e, B)
BagUnion(S) ==
  LET RECURSIVE Join(_)
      Join(T) == IF T = {} THEN EmptyBag
                 ELSE LET b == CHOOSE b \in T : TRUE IN b (+) Join(T \ {b})
  IN  Join(S)
SubBag(B) == CHOOSE v : TRUE
BagOfAll(F(_), B) == CHOOSE v : TRUE
BagCardinality(B) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kTlc = R"(---- MODULE TLC ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
Print(out, val) == val
PrintT(out) == TRUE
Assert(val, out) == val
JavaTime == 0
TLCGet(i) == CHOOSE v : TRUE
TLCSet(i, v) == TRUE
d :> e == [x \in {d} |-> e]
f @@ g == [x \in DOMAIN f \cup DOMAIN g |-> IF x \in DOMAIN f THEN f[x] ELSE g[x]]
Permutations(S) == {f \in [S -> S] : {f[x] : x \in S} = S}
SortSeq(s, Op(_, _)) == CHOOSE v : TRUE
RandomElement(S) == CHOOSE v : TRUE
Any == CHOOSE v : TRUE
ToString(v) == CHOOSE w : TRUE
TLCEval(v) == v
====
)";

constexpr std::string_view kTlcExt = R"(---- MODULE TLCExt ----
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
AssertEq(a, b) == \/ a = b
                  \/ /\ PrintT(<<"AssertEq: the values differ", a, b>>)
                     /\ FALSE
AssertError(err, exp) == CHOOSE v : TRUE
TLCGetOrDefault(key, defaultVal) == CHOOSE v : TRUE
TLCGetAndSet(key, Op(_, _), val, defaultVal) == CHOOSE v : TRUE
Trace == CHOOSE v : TRUE
CounterExample == CHOOSE v : TRUE
ToTrace(CE) ==
  LET at(i) == (CHOOSE s \in CE.state : s[1] = i)[2]
      indexes == {s[1] : s \in CE.state}
  IN  [i \in indexes |-> at(i)]
TLCModelValue(str) == CHOOSE v : TRUE
TLCDefer(expression) == TRUE
TLCNoOp(val) == val
PickSuccessor(exp) == TRUE
TLCCache(expression, closure) == expression
TLCFP(var) == CHOOSE v : TRUE
TLCEvalDefinition(definitionName) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kRandomization = R"(---- MODULE Randomization ----
RandomSubset(k, S) == CHOOSE v : TRUE
RandomSetOfSubsets(k, n, S) == CHOOSE v : TRUE
TestRandomSetOfSubsets(k, n, S) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kRealTime = R"(---- MODULE RealTime ----
(* For reading only: formulas over all real times cannot be executed. *)
EXTENDS Reals
VARIABLE now
(* The time for which act could happen and did not is at least low when it happens, never above
   high. *)
RTBound(act, vars, low, high) ==
  LET Waits == ~<<act>>_vars /\ (ENABLED <<act>>_vars)'
  IN  \EE waited :
        /\ waited = 0
        /\ [](waited <= high)
        /\ [][waited' = IF Waits THEN waited + now' - now ELSE 0]_<<now, waited, vars>>
        /\ [][~act \/ low <= waited]_vars
(* Time moves forward while vars rest, and passes every instant. *)
RTnow(vars) ==
  LET Beyond(instant) == instant < now' /\ now' \in Real /\ UNCHANGED vars
  IN  /\ now \in Real
      /\ \A instant \in Real : WF_now(Beyond(now) /\ Beyond(instant))
      /\ [][Beyond(now)]_now
====
)";

constexpr std::string_view kToolbox = R"(---- MODULE Toolbox ----
LOCAL INSTANCE TLC
_TETrace == CHOOSE v : TRUE
_TEPosition == TLCGet("level")
====
)";

constexpr std::string_view kTransitiveClosure = R"(---- MODULE TransitiveClosure ----
(* The smallest transitive relation around R, both as sets of pairs. *)
Warshall(R) == CHOOSE v : TRUE
====
)";

constexpr LibraryModule kStandardModules[] = {
    {"Naturals", kNaturals},
    {"Integers", kIntegers},
    {"Reals", kReals},
    {"Sequences", kSequences},
    {"FiniteSets", kFiniteSets},
    {"Bags", kBags},
    {"TLC", kTlc},
    {"TLCExt", kTlcExt},
    {"Randomization", kRandomization},
    {"RealTime", kRealTime},
    {"Toolbox", kToolbox},
    {"TransitiveClosure", kTransitiveClosure},
};

}  // namespace

std::span<const LibraryModule> standard_modules() {
  return kStandardModules;
}

}  // namespace dissensus::tla
