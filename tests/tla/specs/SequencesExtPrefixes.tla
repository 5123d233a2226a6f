---- MODULE SequencesExtPrefixes ----
\* Prefixes, suffixes, subsequences, flattening, zipping.
EXTENDS Integers, Sequences, SequencesExt
ASSUME IsPrefix(<<1>>, <<1, 2>>) /\ IsPrefix(<<>>, <<>>) /\ ~IsPrefix(<<2>>, <<1, 2>>)
ASSUME IsStrictPrefix(<<1>>, <<1, 2>>) /\ ~IsStrictPrefix(<<1>>, <<1>>)
ASSUME IsSuffix(<<2>>, <<1, 2>>) /\ IsStrictSuffix(<<>>, <<1>>)
ASSUME Prefixes(<<1, 2>>) = {<<>>, <<1>>, <<1, 2>>}
ASSUME Suffixes(<<1, 2>>) = {<<>>, <<2>>, <<1, 2>>}
ASSUME CommonPrefixes({<<1, 2>>, <<1, 3>>}) = {<<>>, <<1>>}
ASSUME LongestCommonPrefix({<<1, 2, 3>>, <<1, 2, 4>>}) = <<1, 2>>
ASSUME FlattenSeq(<<<<1>>, <<>>, <<2, 3>>>>) = <<1, 2, 3>>
ASSUME Zip(<<1, 2>>, <<"a", "b">>) = <<<<1, "a">>, <<2, "b">>>>
ASSUME BoundedSeq({1}, 2) = {<<>>, <<1>>, <<1, 1>>}
ASSUME SeqOf({1, 2}, 1) = {<<>>, <<1>>, <<2>>}
ASSUME TupleOf({1, 2}, 2) = {<<1, 1>>, <<1, 2>>, <<2, 1>>, <<2, 2>>}
ASSUME SubSeqs(<<1, 2>>) = {<<>>, <<1>>, <<2>>, <<1, 2>>}
====
