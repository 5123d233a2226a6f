// The community's modules, in our own words. CHOOSE v : TRUE: see library_standard.cpp.
#include "tla/library/native_call.h"

namespace dissensus::tla {
namespace {

constexpr std::string_view kFolds = R"(---- MODULE Folds ----
(* op(f(x1), op(f(x2), ... base)) where x1 = choose(S), x2 = choose(S \ {x1}) and so on. *)
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kFunctions = R"(---- MODULE Functions ----
EXTENDS Integers, Folds
Restrict(f, S) == CHOOSE v : TRUE
RestrictDomain(f, Keep(_)) == [k \in {d \in DOMAIN f : Keep(d)} |-> f[k]]
RestrictValues(f, Keep(_)) == [k \in {d \in DOMAIN f : Keep(f[d])} |-> f[k]]
IsRestriction(narrow, wide) ==
  DOMAIN narrow \subseteq DOMAIN wide /\ \A x \in DOMAIN narrow : wide[x] = narrow[x]
Range(f) == CHOOSE v : TRUE
Pointwise(f, g, Join(_, _)) == LET At(k) == Join(f[k], g[k]) IN [k \in DOMAIN f |-> At(k)]
Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : (\E r \in S : f[r] = t) => f[s] = t]
AntiFunction(f) == [t \in Range(f) |-> CHOOSE s \in DOMAIN f : f[s] = t]
IsInjective(f) == CHOOSE v : TRUE
Injection(S, T) == {f \in [S -> T] : \A a \in S : \A b \in S \ {a} : f[a] # f[b]}
Surjection(S, T) == {f \in [S -> T] : Range(f) = T}
Bijection(S, T) == {f \in [S -> T] : IsInjective(f) /\ Range(f) = T}
ExistsInjection(S, T) == \E f \in [S -> T] : IsInjective(f)
ExistsSurjection(S, T) == \E f \in [S -> T] : Range(f) = T
ExistsBijection(S, T) == \E f \in [S -> T] : IsInjective(f) /\ Range(f) = T
(* Folds go through the arguments in their order; the value so far is the second operand. *)
FoldFunctionOnSet(op(_, _), base, fun, indices) == CHOOSE v : TRUE
FoldFunction(op(_, _), base, fun) == CHOOSE v : TRUE
SumFunctionOnSet(fun, indices) == CHOOSE v : TRUE
SumFunction(fun) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kFiniteSetsExt = R"(---- MODULE FiniteSetsExt ----
EXTENDS Integers, FiniteSets, Folds, Functions
FoldSet(op(_, _), base, set) == CHOOSE v : TRUE
ReduceSet(op(_, _), set, acc) == CHOOSE v : TRUE
SumSet(set) == CHOOSE v : TRUE
ProductSet(set) == CHOOSE v : TRUE
MapThenSumSet(op(_), set) == CHOOSE v : TRUE
FlattenSet(sets) == UNION sets
SymDiff(A, B) == (A \cup B) \ (A \cap B)
Quantify(S, P(_)) == CHOOSE v : TRUE
kSubset(k, S) == CHOOSE v : TRUE
Max(S) == CHOOSE v : TRUE
Min(S) == CHOOSE v : TRUE
Choices(Sets) == {Range(f) : f \in {g \in [Sets -> UNION Sets] : \A T \in Sets : g[T] \in T}}
ChooseUnique(S, P(_)) == CHOOSE x \in S : {y \in S : P(y)} = {x}
====
)";

constexpr std::string_view kSequencesExt = R"(---- MODULE SequencesExt ----
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC
ToSet(s) == CHOOSE v : TRUE
ToBag(s) == CHOOSE v : TRUE
SetToSeq(S) == CHOOSE v : TRUE
SetToSeqs(S) == CHOOSE v : TRUE
SetToSortSeq(S, op(_, _)) == CHOOSE v : TRUE
SetToAllKPermutations(S) ==
  UNION {UNION {SetToSeqs(T) : T \in kSubset(k, S)} : k \in 0..Cardinality(S)}
TupleOf(set, n) == CHOOSE v : TRUE
SeqOf(set, n) == CHOOSE v : TRUE
BoundedSeq(S, n) == CHOOSE v : TRUE
Contains(s, e) == CHOOSE v : TRUE
IsSorted(s, op(_, _)) == \A i \in 1..Len(s) : \A j \in (i + 1)..Len(s) : op(s[i], s[j])
Reverse(s) == CHOOSE v : TRUE
Remove(s, e) == CHOOSE v : TRUE
ReplaceAll(s, old, new) == CHOOSE v : TRUE
SelectInSeq(seq, Test(_)) == CHOOSE v : TRUE
SelectInSubSeq(seq, from, to, Test(_)) == CHOOSE v : TRUE
SelectLastInSeq(seq, Test(_)) == CHOOSE v : TRUE
SelectLastInSubSeq(seq, from, to, Test(_)) == CHOOSE v : TRUE
(* s with middle in the place of the count elements from i on. *)
LOCAL Splice(s, i, count, middle) ==
  LET rest == i + count
  IN  SubSeq(s, 1, i - 1) \o middle \o SubSeq(s, rest, Len(s))
InsertAt(s, i, e) == Splice(s, i, 0, <<e>>)
ReplaceAt(s, i, e) == [k \in DOMAIN s |-> IF k = i THEN e ELSE s[k]]
RemoveAt(s, i) == Splice(s, i, 1, <<>>)
RemoveFirst(s, e) == CHOOSE v : TRUE
RemoveFirstMatch(s, Test(_)) == CHOOSE v : TRUE
Cons(elt, seq) == CHOOSE v : TRUE
Snoc(e, s) == s \o <<e>>
Front(s) == CHOOSE v : TRUE
Last(s) == CHOOSE v : TRUE
IsPrefix(s, t) == CHOOSE v : TRUE
IsStrictPrefix(s, t) == CHOOSE v : TRUE
IsSuffix(s, t) == Len(s) <= Len(t) /\ SubSeq(t, Len(t) - Len(s) + 1, Len(t)) = s
IsStrictSuffix(s, t) == Len(s) < Len(t) /\ IsSuffix(s, t)
Prefixes(s) == CHOOSE v : TRUE
LongestCommonPrefix(S) == CHOOSE v : TRUE
CommonPrefixes(S) == Prefixes(LongestCommonPrefix(S))
Suffixes(s) == {SubSeq(s, dropped + 1, Len(s)) : dropped \in 0..Len(s)}
SeqMod(a, b) == ((a - 1) % b) + 1
FoldSeq(op(_, _), base, seq) == CHOOSE v : TRUE
FoldLeft(op(_, _), base, seq) == CHOOSE v : TRUE
FoldRight(op(_, _), seq, base) == CHOOSE v : TRUE
FoldLeftDomain(op(_, _), base, seq) == CHOOSE v : TRUE
FoldRightDomain(op(_, _), seq, base) == CHOOSE v : TRUE
FlattenSeq(seqs) == CHOOSE v : TRUE
Zip(s, t) == CHOOSE v : TRUE
Interleave(s, t) ==
  CASE Len(s) # Len(t) -> Assert(FALSE, "Interleave: sequences of different length")
    [] Len(s) = 0 -> <<<<>>, <<>>>>
    [] OTHER -> [i \in 1..(2 * Len(s)) |->
                   IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]
SubSeqs(s) == {<<>>} \cup UNION {{SubSeq(s, i, j) : j \in i..Len(s)} : i \in 1..Len(s)}
AllSubSeqs(s) == CHOOSE v : TRUE
IndexFirstSubSeq(s, t) ==
  CHOOSE i \in 1..(Len(t) - Len(s) + 1) :
    /\ SubSeq(t, i, i + Len(s) - 1) = s
    /\ \A j \in 1..(i - 1) : SubSeq(t, j, j + Len(s) - 1) # s
ReplaceSubSeqAt(i, r, s, t) == Splice(t, i, Len(s), r)
ReplaceFirstSubSeq(r, s, t) == CHOOSE v : TRUE
ReplaceAllSubSeqs(r, s, t) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kBagsExt = R"(---- MODULE BagsExt ----
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds
BagAdd(B, x) == CHOOSE v : TRUE
BagRemove(B, x) == CHOOSE v : TRUE
BagRemoveAll(B, x) == CHOOSE v : TRUE
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
  LET Copies(x) == LET RECURSIVE Times(_)
                       Times(n) == op(IF n = 1 THEN base ELSE Times(n - 1), f(x))
                   IN  Times(B[x])
  IN  MapThenFoldSet(op, base, Copies, choose, DOMAIN B)
FoldBag(op(_, _), base, B) == CHOOSE v : TRUE
LOCAL Combined(op(_, _), base, share(_), B) ==
  LET Some(S) == CHOOSE x \in S : TRUE
  IN  MapThenFoldSet(op, base, share, Some, DOMAIN B)
SumBag(B) == Combined(LAMBDA a, b : a + b, 0, LAMBDA x : x * B[x], B)
ProductBag(B) == Combined(LAMBDA a, b : a * b, 1, LAMBDA x : x ^ B[x], B)
====
)";

constexpr std::string_view kRelation = R"(---- MODULE Relation ----
(* A relation over S is a function from pairs to BOOLEAN, or an operator of two arguments. *)
EXTENDS Naturals, FiniteSets
LOCAL INSTANCE TransitiveClosure
LOCAL Table(op(_, _), S) == [p \in S \X S |-> op(p[1], p[2])]
IsReflexive(R, S) == ~\E a \in S : ~R[a, a]
IsReflexiveUnder(op(_, _), S) == IsReflexive(Table(op, S), S)
IsIrreflexive(R, S) == ~\E a \in S : R[a, a]
IsIrreflexiveUnder(op(_, _), S) == IsIrreflexive(Table(op, S), S)
IsSymmetric(R, S) == \A x \in S, y \in S : R[x, y] => R[y, x]
IsSymmetricUnder(op(_, _), S) == IsSymmetric(Table(op, S), S)
IsAntiSymmetric(R, S) == \A x \in S, y \in S : x = y \/ ~R[x, y] \/ ~R[y, x]
IsAntiSymmetricUnder(op(_, _), S) == IsAntiSymmetric(Table(op, S), S)
IsAsymmetric(R, S) == \A x \in S, y \in S : R[x, y] => ~R[y, x]
IsAsymmetricUnder(op(_, _), S) == IsAsymmetric(Table(op, S), S)
IsTransitive(R, S) == \A x \in S, y \in S : R[x, y] => \A z \in S : R[y, z] => R[x, z]
IsTransitiveUnder(op(_, _), S) == IsTransitive(Table(op, S), S)
IsStrictlyPartiallyOrdered(R, S) == IsAsymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) == IsStrictlyPartiallyOrdered(Table(op, S), S)
IsPartiallyOrdered(R, S) ==
  \A a \in S :
    /\ R[a, a]
    /\ \A b \in S \ {a} : R[a, b] => (~R[b, a] /\ \A c \in S : R[b, c] => R[a, c])
IsPartiallyOrderedUnder(op(_, _), S) == IsPartiallyOrdered(Table(op, S), S)
IsStrictlyTotallyOrdered(R, S) ==
  IsStrictlyPartiallyOrdered(R, S) /\ \A a \in S : \A b \in S \ {a} : R[a, b] # R[b, a]
IsStrictlyTotallyOrderedUnder(op(_, _), S) == IsStrictlyTotallyOrdered(Table(op, S), S)
IsTotallyOrdered(R, S) ==
  IsPartiallyOrdered(R, S) /\ ~\E a \in S : \E b \in S : ~R[a, b] /\ ~R[b, a]
IsTotallyOrderedUnder(op(_, _), S) == IsTotallyOrdered(Table(op, S), S)
TransitiveClosure(R, S) ==
  LET closed == Warshall({p \in S \X S : R[p[1], p[2]]})
  IN  [p \in S \X S |-> p \in closed]
ReflexiveTransitiveClosure(R, S) ==
  LET closed == Warshall({p \in S \X S : R[p[1], p[2]]})
  IN  [p \in S \X S |-> p[1] = p[2] \/ p \in closed]
IsConnected(R, S) ==
  ReflexiveTransitiveClosure(R, S) = [p \in S \X S |-> TRUE]
====
)";

constexpr std::string_view kGraphs = R"(---- MODULE Graphs ----
(* A graph is [node |-> S, edge |-> a set of pairs of S]. *)
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation
LOCAL INSTANCE TransitiveClosure
IsDirectedGraph(G) ==
  DOMAIN G = {"edge", "node"} /\ \A e \in G.edge : e \in G.node \X G.node
DirectedSubgraph(G) ==
  UNION {{[node |-> N, edge |-> E] : E \in SUBSET (G.edge \cap (N \X N))} : N \in SUBSET G.node}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ Transpose(G).edge = G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : H.edge = Transpose(H).edge}
Path(G) ==
  {p \in Seq(G.node) : ~(p = <<>> \/ \E i \in 2..Len(p) : <<p[i - 1], p[i]>> \notin G.edge)}
AllSuccessors(G, from) == {n \in G.node : \E m \in from : <<m, n>> \in G.edge}
AllPredecessors(G, to) == {n \in G.node : \E m \in to : <<n, m>> \in G.edge}
Successors(G, n) == AllSuccessors(G, {n})
Predecessors(G, n) == AllPredecessors(G, {n})
SimplePath(G) ==
  LET Next(p) == {Append(p, m) : m \in Successors(G, p[Len(p)]) \ {p[i] : i \in 1..Len(p)}}
      RECURSIVE From(_)
      From(P) == IF P = {} THEN {} ELSE P \cup From(UNION {Next(p) : p \in P})
  IN  From({<<n>> : n \in G.node})
AreConnectedIn(m, n, G) ==
  m \in G.node /\ n \in G.node /\ (m = n \/ <<m, n>> \in Warshall(G.edge))
ConnectionsIn(G) ==
  LET closed == Warshall(G.edge)
  IN  [p \in G.node \X G.node |-> p[1] = p[2] \/ p \in closed]
IsStronglyConnected(G) ==
  LET closed == Warshall(G.edge)
  IN  \A p \in G.node \X G.node : p[1] = p[2] \/ p \in closed
IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ r \in G.node
  /\ \A n \in G.node : Cardinality(Successors(G, n)) = IF n = r THEN 0 ELSE 1
  /\ \A n \in G.node : AreConnectedIn(n, r, G)
GraphUnion(G, H) ==
  LET Both(part) == UNION {G[part], H[part]}
  IN  [node |-> Both("node"), edge |-> Both("edge")]
IsBipartiteWithPartitions(G, U, V) ==
  /\ U \cap V = {}
  /\ G.node \subseteq U \cup V
  /\ G.edge \subseteq (U \X V) \cup (V \X U)
HasCycle(G) == \E e \in Warshall(G.edge) : e[1] = e[2]
IsDag(G) == IsDirectedGraph(G) /\ \A e \in Warshall(G.edge) : e[1] # e[2]
Ancestors(G, n) == LET closed == Warshall(G.edge) IN {m \in G.node : <<m, n>> \in closed}
Descendants(G, n) == LET closed == Warshall(G.edge) IN {m \in G.node : <<n, m>> \in closed}
InDegree(G, n) == Cardinality({m \in G.node : <<m, n>> \in G.edge})
OutDegree(G, n) == Cardinality({m \in G.node : <<n, m>> \in G.edge})
Roots(G) == G.node \ AllSuccessors(G, G.node)
Leaves(G) == G.node \ AllPredecessors(G, G.node)
EmptyGraph == [edge |-> {}, node |-> {}]
Graphs(nodes) == [edge : SUBSET (nodes \X nodes), node : {nodes}]
====
)";

constexpr std::string_view kUndirectedGraphs = R"(---- MODULE UndirectedGraphs ----
(* A graph is [node |-> S, edge |-> a set of sets of one or two elements of S]. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE TransitiveClosure
LOCAL Neighbours(G, n) == {m \in G.node : {m, n} \in G.edge}
LOCAL Closed(G) == Warshall({p \in G.node \X G.node : {p[1], p[2]} \in G.edge})
LOCAL Edges(S) == {{p[1], p[2]} : p \in S \X S}
IsUndirectedGraph(G) ==
  G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq Edges(G.node)
IsLoopFreeUndirectedGraph(G) ==
  IsUndirectedGraph(G) /\ \A n \in G.node : {n} \notin G.edge
UndirectedSubgraph(G) ==
  UNION {{[node |-> N, edge |-> E] : E \in SUBSET (G.edge \cap Edges(N))} : N \in SUBSET G.node}
Path(G) ==
  {p \in Seq(G.node) : ~(p = <<>> \/ \E i \in 2..Len(p) : {p[i - 1], p[i]} \notin G.edge)}
SimplePath(G) ==
  LET Next(p) == {Append(p, m) : m \in Neighbours(G, p[Len(p)]) \ {p[i] : i \in 1..Len(p)}}
      RECURSIVE From(_)
      From(P) == IF P = {} THEN {} ELSE P \cup From(UNION {Next(p) : p \in P})
  IN  From({<<n>> : n \in G.node})
AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ (m = n \/ <<m, n>> \in Closed(G))
ConnectedComponents(G) ==
  LET closed == Closed(G)
  IN  {{m \in G.node : m = n \/ <<n, m>> \in closed} : n \in G.node}
IsStronglyConnected(G) ==
  LET closed == Closed(G)
  IN  G.node # {} /\ \A m \in G.node : \A n \in G.node \ {m} : <<m, n>> \in closed
UndirectedGraphs(S) == [node : {S}, edge : SUBSET Edges(S)]
====
)";

constexpr std::string_view kBitwise = R"(---- MODULE Bitwise ----
LOCAL INSTANCE Integers
x & y == CHOOSE v : TRUE
x | y == CHOOSE v : TRUE
x ^^ y == CHOOSE v : TRUE
Not(a) == CHOOSE v : TRUE
shiftR(n, pos) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kCombinatorics = R"(---- MODULE Combinatorics ----
EXTENDS Naturals
factorial[n \in Nat] == IF n <= 1 THEN 1 ELSE factorial[n - 1] * n
choose(n, k) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kVectorClocks = R"(---- MODULE VectorClocks ----
EXTENDS Naturals, Sequences, Functions
(* A clock that does not know a node yet counts 0 for it. *)
LOCAL At(c, n) == IF n \in DOMAIN c THEN c[n] ELSE 0
LOCAL Precedes(c, d) ==
  LET nodes == DOMAIN c \cup DOMAIN d
  IN  /\ \A n \in nodes : At(c, n) <= At(d, n)
      /\ \E n \in nodes : At(c, n) < At(d, n)
LOCAL Unrelated(c, d) ==
  LET nodes == DOMAIN c \cup DOMAIN d
  IN  (\E n \in nodes : At(c, n) < At(d, n)) /\ (\E n \in nodes : At(c, n) > At(d, n))
IsCausalOrder(log, clock(_)) ==
  \A i \in 1..Len(log) : \A j \in 1..(i - 1) :
    Precedes(clock(log[j]), clock(log[i])) \/ Unrelated(clock(log[j]), clock(log[i]))
CausalOrder(log, clock(_), node(_), domain(_)) ==
  LET RECURSIVE Sorted(_, _)
      Sorted(rest, done) ==
        IF rest = {} THEN done
        ELSE LET next == CHOOSE i \in rest :
                           \A j \in rest : ~Precedes(clock(log[j]), clock(log[i]))
             IN  Sorted(rest \ {next}, Append(done, log[next]))
  IN  Sorted(1..Len(log), <<>>)
====
)";

constexpr std::string_view kJson = R"(---- MODULE Json ----
ToJson(value) == CHOOSE v : TRUE
ToJsonArray(value) == CHOOSE v : TRUE
ToJsonObject(value) == CHOOSE v : TRUE
JsonSerialize(absoluteFilename, value) == TRUE
JsonDeserialize(absoluteFilename) == CHOOSE v : TRUE
ndJsonSerialize(absoluteFilename, value) == TRUE
ndJsonDeserialize(absoluteFilename) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kIoUtils = R"(---- MODULE IOUtils ----
IOSerialize(val, absoluteFilename, compress) == TRUE
IODeserialize(absoluteFilename, compressed) == CHOOSE v : TRUE
Serialize(value, dest, options) == CHOOSE v : TRUE
Deserialize(src, options) == CHOOSE v : TRUE
IOExec(command) == CHOOSE v : TRUE
IOEnvExec(env, command) == CHOOSE v : TRUE
IOExecTemplate(commandTemplate, parameters) == CHOOSE v : TRUE
IOEnvExecTemplate(env, commandTemplate, parameters) == CHOOSE v : TRUE
IOEnv == CHOOSE v : TRUE
atoi(str) == CHOOSE v : TRUE
zeroPadN(n, width) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kCsv = R"(---- MODULE CSV ----
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
CSVWrite(template, val, file) == TRUE
CSVWriteRecord(record, delim, headers, file) ==
  LET RECURSIVE Line(_)
      Line(i) == IF i > Len(headers) THEN ""
                 ELSE (IF i = 1 THEN "" ELSE delim) \o ToString(record[headers[i]]) \o Line(i + 1)
  IN  CSVWrite("%s", <<Line(1)>>, file)
CSVRead(columns, delimiter, file) == CHOOSE v : TRUE
CSVRecords(file) == CHOOSE v : TRUE
====
)";

constexpr std::string_view kDyadicRationals = R"(---- MODULE DyadicRationals ----
(* Fractions whose denominator is a power of two, in lowest terms: [num |-> n, den |-> d]. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC
LOCAL INSTANCE Sequences
LOCAL Lowest(num, den) ==
  LET RECURSIVE Halve(_, _)
      Halve(n, d) == IF n % 2 = 0 /\ d % 2 = 0 THEN Halve(n \div 2, d \div 2)
                     ELSE [num |-> n, den |-> d]
  IN  Halve(num, den)
IsDyadicRational(r) ==
  LET RECURSIVE IsPowerOfTwo(_)
      IsPowerOfTwo(n) == n = 1 \/ (n > 1 /\ n % 2 = 0 /\ IsPowerOfTwo(n \div 2))
  IN  IsPowerOfTwo(r.den)
Zero == [num |-> 0, den |-> 1]
One == [num |-> 1, den |-> 1]
Add(p, q) ==
  IF p.num = 0 THEN q
  ELSE IF p.den >= q.den THEN Lowest(p.num + q.num * (p.den \div q.den), p.den)
  ELSE Lowest(q.num + p.num * (q.den \div p.den), q.den)
Half(p) == Lowest(p.num, p.den * 2)
PrettyPrint(p) == IF p.den = 1 \/ p.num = 0 THEN ToString(p.num)
                  ELSE ToString(p.num) \o "/" \o ToString(p.den)
====
)";

constexpr std::string_view kQuorum = R"(---- MODULE Quorum ----
QuorumSystem(S) == {Q \in SUBSET SUBSET S : \A A \in Q, B \in Q : A \cap B # {}}
====
)";

constexpr std::string_view kSvg = R"(---- MODULE SVG ----
(* Pictures as records; only their text can be made here, not drawn. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL INSTANCE Naturals
SVGElem(tag, options, parts, text) ==
  [attrs |-> options, children |-> parts, innerText |-> text, name |-> tag]
LOCAL Container(tag, parts, options) == SVGElem(tag, options, parts, "")
Line(x1, y1, x2, y2, attrs) ==
  SVGElem("line", attrs @@ [x1 |-> x1, y1 |-> y1, x2 |-> x2, y2 |-> y2], <<>>, "")
Circle(cx, cy, r, attrs) == SVGElem("circle", attrs @@ [cx |-> cx, cy |-> cy, r |-> r], <<>>, "")
Rect(x, y, w, h, attrs) ==
  SVGElem("rect", attrs @@ [x |-> x, y |-> y, width |-> w, height |-> h], <<>>, "")
Text(x, y, text, attrs) == SVGElem("text", attrs @@ [x |-> x, y |-> y], <<>>, text)
Image(x, y, width, height, href, attrs) ==
  SVGElem("image", attrs @@ ("xlink:href" :> href) @@
                   [x |-> x, y |-> y, width |-> width, height |-> height], <<>>, "")
Group(parts, options) == Container("g", parts, options)
Svg(parts, options) == Container("svg", parts, options)
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
  Svg(children, attrs @@ [viewBox |-> ToString(vbX) \o " " \o ToString(vbY) \o " " \o
                                      ToString(vbW) \o " " \o ToString(vbH)])
SVGElemToString(elem) == ToString(elem)
====
)";

constexpr std::string_view kApalache = R"(---- MODULE Apalache ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
x := e == x = e
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e
SetAsFun(S) == [x \in {p[1] : p \in S} |-> (CHOOSE p \in S : p[1] = x)[2]]
MkSeq(n, F(_)) == [i \in 1..n |-> F(i)]
FunAsSeq(f, n, capacity) == [i \in 1..n |-> f[i]]
Guess(S) == CHOOSE x \in S : TRUE
ApaFoldSet(Op(_, _), base, set) ==
  LET RECURSIVE Fold(_, _)
      Fold(v, S) == IF S = {} THEN v
                    ELSE LET x == CHOOSE x \in S : TRUE IN Fold(Op(v, x), S \ {x})
  IN  Fold(base, set)
ApaFoldSeqLeft(Op(_, _), base, seq) ==
  LET RECURSIVE Fold(_, _)
      Fold(v, s) == IF s = <<>> THEN v ELSE Fold(Op(v, Head(s)), Tail(s))
  IN  Fold(base, seq)
====
)";

constexpr LibraryModule kCommunityModules[] = {
    {"Folds", kFolds},
    {"Functions", kFunctions},
    {"FiniteSetsExt", kFiniteSetsExt},
    {"SequencesExt", kSequencesExt},
    {"BagsExt", kBagsExt},
    {"Relation", kRelation},
    {"Graphs", kGraphs},
    {"UndirectedGraphs", kUndirectedGraphs},
    {"Bitwise", kBitwise},
    {"Combinatorics", kCombinatorics},
    {"VectorClocks", kVectorClocks},
    {"Json", kJson},
    {"IOUtils", kIoUtils},
    {"CSV", kCsv},
    {"DyadicRationals", kDyadicRationals},
    {"Quorum", kQuorum},
    {"SVG", kSvg},
    {"Apalache", kApalache},
};

}  // namespace

std::span<const LibraryModule> community_modules() {
  return kCommunityModules;
}

}  // namespace dissensus::tla
