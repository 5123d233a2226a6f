"""Ids that nobody else gives out: node, life, number. With --forgetful a node that was down counts
from the beginning again: the broken twin."""
import sys

from node import Node


class UniqueIds(Node):
    def start(self):
        self.life = self.stored.get("life", 0) + 1
        if "--forgetful" not in sys.argv:
            self.store("life", self.life)
        self.count = 0

    def on_generate(self, source, body):
        self.count += 1
        name = f"{self.name}-{self.life}-{self.count}"
        self.reply(source, body, {"type": "generate_ok", "id": name})


UniqueIds.run()
