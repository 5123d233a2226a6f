"""A set that only grows. Nodes tell each other all that they have, now and then. With --forgetful it is
not stored before it is acknowledged: the broken twin."""
import sys

from node import Node

AGAIN = 300_000


class GSet(Node):
    def start(self):
        self.elements = set(self.stored.get("elements", []))
        self.set_timer("again", AGAIN)

    def merge(self, elements):
        if not self.elements.issuperset(elements):
            self.elements.update(elements)
            if "--forgetful" not in sys.argv:
                self.store("elements", sorted(self.elements))

    def on_add(self, source, body):
        self.merge([body["element"]])
        self.reply(source, body, {"type": "add_ok"})

    def on_merge(self, source, body):
        self.merge(body["elements"])

    def timer_again(self):
        for node in self.others():
            self.send(node, {"type": "merge", "elements": sorted(self.elements)})
        self.set_timer("again", AGAIN)

    def on_read(self, source, body):
        self.reply(source, body, {"type": "read_ok", "value": sorted(self.elements)})


GSet.run()
