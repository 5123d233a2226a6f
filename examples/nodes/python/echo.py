"""Says what it is told. With --loud, in capital letters: the broken twin."""
import sys

from node import Node


class Echo(Node):
    def on_echo(self, source, body):
        text = body["echo"]
        if "--loud" in sys.argv and self.random() % 4 == 0:
            text = text.upper()
        self.reply(source, body, {"type": "echo_ok", "echo": text})


Echo.run()
