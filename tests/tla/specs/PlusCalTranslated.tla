---- MODULE PlusCalTranslated ----
\* The text of an algorithm is a comment; its translation is what runs.
EXTENDS Integers
(*--algorithm counter
variables total = 0;
process worker \in 1..2
variables mine = 0;
begin
  read: mine := total;
  write: total := mine + 1;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES total, pc, mine
vars == << total, pc, mine >>
ProcSet == (1..2)
Init == /\ total = 0
        /\ mine = [self \in 1..2 |-> 0]
        /\ pc = [self \in ProcSet |-> "read"]
read(self) == /\ pc[self] = "read"
              /\ mine' = [mine EXCEPT ![self] = total]
              /\ pc' = [pc EXCEPT ![self] = "write"]
              /\ total' = total
write(self) == /\ pc[self] = "write"
               /\ total' = mine[self] + 1
               /\ pc' = [pc EXCEPT ![self] = "Done"]
               /\ mine' = mine
worker(self) == read(self) \/ write(self)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars
Next == (\E self \in 1..2: worker(self)) \/ Terminating
Spec == Init /\ [][Next]_vars
Termination == <>(\A self \in ProcSet: pc[self] = "Done")
\* END TRANSLATION
NoLostUpdate == (\A self \in ProcSet : pc[self] = "Done") => total = 2
TypeOK == total \in 0..2
====
