"""The same as a program: it asks the machine for random numbers."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/nodes/python"))
from node import Node  # noqa: E402


class Chance(Node):
    def start(self):
        self.decided = False
        self.set_timer("speak", int.from_bytes(os.urandom(4), "big") % 1_000_000)

    def timer_speak(self):
        for other in self.others():
            self.send(other, {"type": "vote", "of": self.name})
        self.settle(self.name)

    def on_vote(self, source, body):
        self.settle(body["of"])

    def settle(self, value):
        if not self.decided:
            self.decide(0, value)
        self.decided = True


Chance.run()
