"""Messages reach every node: told to neighbours at once, and to everybody again and again until they
say that they have them. With --once nobody is told twice: the broken twin."""
import sys

from node import Node

AGAIN = 500_000


class Broadcast(Node):
    def start(self):
        self.messages = set(self.stored.get("messages", []))
        self.neighbours = self.others()
        self.known = {node: set() for node in self.others()}  # what they have for sure
        self.set_timer("again", AGAIN)

    def on_topology(self, source, body):
        self.neighbours = body["topology"][self.name]
        self.reply(source, body, {"type": "topology_ok"})

    def add(self, messages):
        new = set(messages) - self.messages
        if new:
            self.messages |= new
            self.store("messages", sorted(self.messages))
        return sorted(new)

    def on_broadcast(self, source, body):
        self.spread(self.add([body["message"]]), but=source)
        self.reply(source, body, {"type": "broadcast_ok"})

    def spread(self, new, but):
        for node in self.neighbours:
            if new and node != but:
                self.send(node, {"type": "gossip", "messages": new})

    def on_gossip(self, source, body):
        self.spread(self.add(body["messages"]), but=source)
        self.send(source, {"type": "gossip_ok", "messages": body["messages"]})

    def on_gossip_ok(self, source, body):
        self.known[source] |= set(body["messages"])

    def timer_again(self):
        if "--once" in sys.argv:
            return
        for node in self.others():
            missing = sorted(self.messages - self.known[node])
            if missing:
                self.send(node, {"type": "gossip", "messages": missing})
        self.set_timer("again", AGAIN)

    def on_read(self, source, body):
        self.reply(source, body, {"type": "read_ok", "messages": sorted(self.messages)})


Broadcast.run()
