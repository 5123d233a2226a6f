"""Raft with a key-value store on top (workload lin-kv), and four classic mistakes:

    python3 raft.py                     correct
    python3 raft.py --mistake reply     append replies are not checked for their term
    python3 raft.py --mistake counting  entries of older terms are committed by counting replicas
    python3 raft.py --mistake vote      the vote does not survive a crash
    python3 raft.py --mistake read      a leader answers reads without asking whether it still is one
    python3 raft.py --steps             tells a formal model of every step (specs/raft/python.toml)

After Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm" (extended version), with
reads as in section 8: a leader that has committed an entry of its term confirms its leadership by
a round of heartbeats. Requests are known by client and number, so that none is applied twice.
"""
import sys

from node import Node

MISTAKES = {name for word, name in zip(sys.argv, sys.argv[1:]) if word == "--mistake"}
STEPS = "--steps" in sys.argv
ELECTION = (300_000, 600_000)
HEARTBEAT = 100_000
BATCH = 20


class Raft(Node):
    def start(self):
        self.term = self.stored.get("term", 0)
        self.voted = self.stored.get("voted")
        self.log_entries = [{"term": 0, "op": None}]
        while f"log {len(self.log_entries)}" in self.stored:
            self.log_entries.append(self.stored[f"log {len(self.log_entries)}"])
        self.commit = self.applied = 0
        self.data, self.sessions = {}, {}
        self.role = self.leader = None
        self.become("follower")
        self.tell("load")

    # ---- what a formal model is compared with

    def tell(self, step, *arguments):
        """A step that was just taken, as the model calls it, and what this node is after it."""
        if STEPS:
            self.step(step, *arguments, role=self.role, term=self.term, commit=self.commit,
                      vote=-1 if self.voted is None else self.nodes.index(self.voted),
                      terms=[entry["term"] for entry in self.log_entries[1:]])

    # ---- roles

    def become(self, role):
        if role != self.role:
            self.role = role
            self.phase(role)
        if role == "leader":
            self.cancel_timer("election")
        else:
            self.set_timer("election", self.between(*ELECTION))
        if role == "follower":
            self.cancel_timer("heartbeat")

    def advance_term(self, term):
        """A new term: nobody has this node's vote yet."""
        self.term = term
        self.set_vote(None)
        self.store("term", term)
        self.round(term)

    def set_vote(self, candidate):
        self.voted = candidate
        if "vote" not in MISTAKES:
            self.store("voted", candidate)

    def follow(self, term, leader=None):
        is_new, was_follower = term > self.term, self.role == "follower"
        if is_new:
            self.advance_term(term)
        self.leader = leader
        self.become("follower")
        if is_new:
            self.tell("update-term", term)
        elif not was_follower:
            self.tell("step-down")

    def majority(self):
        return len(self.nodes) // 2 + 1

    def last(self):
        return len(self.log_entries) - 1

    # ---- elections

    def timer_election(self):
        self.advance_term(self.term + 1)
        self.set_vote(self.name)
        self.leader = None
        self.votes = {self.name}
        self.become("candidate")
        self.tell("stand")
        self.ask_for_votes()
        self.count_votes()

    def ask_for_votes(self):
        """Again and again: requests get lost."""
        for node in self.others():
            if node not in self.votes:
                self.send(node, {"type": "request_vote", "term": self.term,
                                 "last_index": self.last(),
                                 "last_term": self.log_entries[-1]["term"]})
        self.set_timer("heartbeat", HEARTBEAT)

    def on_request_vote(self, source, body):
        if body["term"] > self.term:
            self.follow(body["term"])
        theirs = (body["last_term"], body["last_index"])
        grant = (body["term"] == self.term and self.voted in (None, source)
                 and theirs >= (self.log_entries[-1]["term"], self.last()))
        if grant:
            self.set_vote(source)
            self.tell("grant", self.nodes.index(source))
            self.set_timer("election", self.between(*ELECTION))
        self.send(source, {"type": "vote", "term": self.term, "granted": grant})

    def on_vote(self, source, body):
        if body["term"] > self.term:
            self.follow(body["term"])
        elif self.role == "candidate" and body["term"] == self.term and body["granted"]:
            self.votes.add(source)
            self.count_votes()

    def count_votes(self):
        if len(self.votes) < self.majority():
            return
        self.decide(self.term, self.name, level="leader")
        self.leader = self.name
        self.become("leader")
        self.tell("lead")
        self.tell("acknowledge", self.last())
        self.next = {node: self.last() + 1 for node in self.others()}
        self.match = {node: 0 for node in self.others()}
        self.beat, self.acknowledged = 0, {node: 0 for node in self.others()}
        self.reads = []
        self.first_of_term = None
        self.replicate()

    # ---- replication

    def add(self, op):
        """A new entry of this leader."""
        self.append({"term": self.term, "op": op})
        self.first_of_term = self.first_of_term or self.last()
        self.tell("store", "barrier" if op is None else "command")
        self.tell("acknowledge", self.last())

    def append(self, entry):
        self.log_entries.append(entry)
        self.store(f"log {self.last()}", entry)

    def timer_heartbeat(self):
        if self.role == "leader":
            self.replicate()
        else:
            self.ask_for_votes()

    def replicate(self):
        self.beat += 1
        for node in self.others():
            self.send_entries(node)
        self.set_timer("heartbeat", HEARTBEAT)
        self.advance_commit()

    def send_entries(self, node):
        previous = self.next[node] - 1
        self.send(node, {"type": "append", "term": self.term, "previous": previous,
                         "previous_term": self.log_entries[previous]["term"],
                         "entries": self.log_entries[previous + 1:previous + 1 + BATCH],
                         "commit": self.commit, "beat": self.beat})

    def on_append(self, source, body):
        answer = {"type": "append_reply", "success": False, "match": 0, "beat": body["beat"]}
        if body["term"] >= self.term:
            self.follow(body["term"], source)
            previous = body["previous"]
            if previous <= self.last() and self.log_entries[previous]["term"] == body["previous_term"]:
                self.take_entries(previous, body["entries"])
                answer["success"], answer["match"] = True, previous + len(body["entries"])
                self.tell("acknowledge", answer["match"])
                if min(body["commit"], answer["match"]) > self.commit:
                    self.commit = min(body["commit"], answer["match"])
                    self.tell("learn", self.commit)
                self.apply()
        answer["term"] = self.term
        self.send(source, answer)

    def take_entries(self, index, entries):
        changed = False
        for entry in entries:
            index += 1
            if index <= self.last() and self.log_entries[index]["term"] != entry["term"]:
                while self.last() >= index:
                    self.store(f"log {self.last()}", None)
                    self.log_entries.pop()
            if index > self.last():
                self.append(entry)
                changed = True
        if changed:
            self.tell("accept", self.last())

    def on_append_reply(self, source, body):
        if "reply" not in MISTAKES:
            if body["term"] > self.term:
                return self.follow(body["term"])
            if body["term"] != self.term:
                return None
        if self.role != "leader":
            return None
        self.acknowledged[source] = max(self.acknowledged[source], body["beat"])
        if body["success"]:
            self.match[source] = max(self.match[source], body["match"])
            self.next[source] = max(self.next[source], body["match"] + 1)
            self.advance_commit()
            if self.next[source] <= self.last():
                self.send_entries(source)
        elif self.next[source] > 1:
            self.next[source] -= 1
            self.send_entries(source)
        return self.answer_reads()

    def advance_commit(self):
        for index in range(self.last(), self.commit, -1):
            holders = 1 + sum(match >= index for match in self.match.values())
            of_this_term = self.log_entries[index]["term"] == self.term or "counting" in MISTAKES
            if holders >= self.majority() and of_this_term:
                self.commit = index
                self.tell("commit", index)
                self.apply()
                return self.answer_reads()

    # ---- the store

    def apply(self):
        while self.applied < self.commit:
            self.applied += 1
            entry = self.log_entries[self.applied]
            self.decide(self.applied, [entry["term"], entry["op"]], level="entry")
            if entry["op"] is None:
                continue
            client, request = entry["op"]
            if request["msg_id"] <= self.sessions.get(client, 0):
                continue
            self.sessions[client] = request["msg_id"]
            answer = self.change(request)
            if self.role == "leader":
                self.reply(client, request, answer)

    def change(self, request):
        key = str(request["key"])
        if request["type"] == "write":
            self.data[key] = request["value"]
            return {"type": "write_ok"}
        if key not in self.data:
            return {"type": "error", "code": 20, "text": "no such key"}
        if self.data[key] != request["from"]:
            return {"type": "error", "code": 22, "text": f"the value is {self.data[key]}"}
        self.data[key] = request["to"]
        return {"type": "cas_ok"}

    def answer_reads(self):
        """Those whose round of heartbeats a majority has answered."""
        waiting = []
        for client, request, index, beat in self.reads:
            confirmed = 1 + sum(seen >= beat for seen in self.acknowledged.values())
            if confirmed < self.majority() or self.applied < index:
                waiting.append((client, request, index, beat))
            else:
                self.answer_read(client, request)
        self.reads = waiting

    def answer_read(self, client, request):
        key = str(request["key"])
        if key in self.data:
            self.reply(client, request, {"type": "read_ok", "value": self.data[key]})
        else:
            self.error(client, request, 20, "no such key")

    # ---- clients

    def on_read(self, source, body):
        self.serve(source, body)

    on_write = on_cas = on_read

    def on_forward(self, source, body):
        self.serve(body["client"], body["request"], forwarded=True)

    def serve(self, client, request, forwarded=False):
        if self.role != "leader":
            if self.leader is None or forwarded:
                return self.error(client, request, 11, "no leader is known here")
            return self.send(self.leader, {"type": "forward", "client": client, "request": request})
        if request["type"] != "read":
            self.add([client, request])
            return self.replicate()
        if "read" in MISTAKES:
            return self.answer_read(client, request)
        if self.first_of_term is None:
            self.add(None)  # what is committed is known once an entry of this term is
        self.reads.append((client, request, max(self.commit, self.first_of_term), self.beat + 1))
        return self.replicate()


if __name__ == "__main__":
    Raft.run()
