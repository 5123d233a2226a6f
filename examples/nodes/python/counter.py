"""A counter, growing or not: every node counts what it was told, up and down apart, and tells the
others; of two counts of one node the larger one is newer. With --one-number nodes exchange their sums,
and the larger sum stays: the broken twin, which loses what was added elsewhere meanwhile."""
import sys

from node import Node

AGAIN = 300_000


class Counter(Node):
    def start(self):
        self.up = self.stored.get("up", {})
        self.down = self.stored.get("down", {})
        self.set_timer("again", AGAIN)

    def on_add(self, source, body):
        delta = body["delta"]
        side = self.up if delta >= 0 else self.down
        who = "all" if "--one-number" in sys.argv else self.name
        side[who] = side.get(who, 0) + abs(delta)
        self.keep()
        self.reply(source, body, {"type": "add_ok"})

    def keep(self):
        self.store("up", dict(self.up))
        self.store("down", dict(self.down))

    def on_merge(self, source, body):
        before = dict(self.up), dict(self.down)
        for own, theirs in ((self.up, body["up"]), (self.down, body["down"])):
            for node, count in theirs.items():
                own[node] = max(own.get(node, 0), count)
        if before != (self.up, self.down):
            self.keep()

    def timer_again(self):
        for node in self.others():
            self.send(node, {"type": "merge", "up": self.up, "down": self.down})
        self.set_timer("again", AGAIN)

    def on_read(self, source, body):
        value = sum(self.up.values()) - sum(self.down.values())
        self.reply(source, body, {"type": "read_ok", "value": value})


Counter.run()
