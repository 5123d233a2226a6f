"""Nodes in Python, for Dissensus: the protocol of docs/formats/process.md.

    from node import Node

    class Echo(Node):
        def on_echo(self, source, body):
            self.reply(source, body, {"type": "echo_ok", "echo": body["echo"]})

    Echo.run()

A message of type `echo` calls on_echo, a timer named `election` calls timer_election. While a
handler runs, the world waits: time stands still, and whatever is sent goes out when it returns.
A node that keeps to this (no threads, no clock, no `random`, no `id()` or hash order in what it
sends) does the same again for the same seed.
"""

import json
import os
import sys

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
MICROSECONDS = 1_000_000


class Node:
    # ---- for nodes to fill in

    def start(self):
        """The node knows who it is: name, nodes, stored, now."""

    # ---- for nodes to use

    def send(self, to, body):
        self._out.append(_encode({"src": self.name, "dest": to, "body": body}))

    def reply(self, to, request, body):
        if "msg_id" in request:
            body["in_reply_to"] = request["msg_id"]
        self.send(to, body)

    def error(self, to, request, code, text):
        self.reply(to, request, {"type": "error", "code": code, "text": text})

    def call(self, to, body, then):
        """Sends a request; `then(body)` gets the answer, if one comes."""
        self._last_id += 1
        body["msg_id"] = self._last_id
        self._waiting[self._last_id] = then
        self.send(to, body)

    def others(self):
        return [node for node in self.nodes if node != self.name]

    def set_timer(self, timer, after):
        """Calls timer_<name> after so many microseconds; a timer has one moment at a time."""
        self._report("set_timer", timer=timer, after=after)

    def cancel_timer(self, timer):
        self._report("cancel_timer", timer=timer)

    def store(self, key, value):
        """Survives a crash: `stored` has it when the node starts again."""
        self.stored[key] = value
        self._report("store", key=key, value=value)

    def random(self):
        """32 bits: xorshift over what the world gives with every event."""
        x = self._random
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        self._random = x
        return x

    def between(self, low, high):
        return low + self.random() % (high - low + 1)

    # Reports: what oracle, trace and conformance checks see. They change nothing.

    def propose(self, instance, value, level="value"):
        self._report("propose", level=level, instance=instance, value=value)

    def decide(self, instance, value, level="value"):
        self._report("decide", level=level, instance=instance, value=value)

    def phase(self, phase):
        self._report("phase", phase=phase)

    def round(self, number):
        self._report("round", round=number)

    def observe(self, name, value):
        self._report("observe", name=name, value=value)

    def state(self, state):
        self._report("state", state=state)

    def step(self, name, *arguments, **state):
        self._report("step", name=name, arguments=arguments, **({"state": state} if state else {}))

    def log(self, text):
        self._report("log", text=text)

    # ---- the protocol

    def _report(self, kind, **rest):
        rest["type"] = kind
        self._out.append(_encode(rest))

    def _handle(self, line):
        self.now = line["now"]
        self._random = line["random"] | 1
        if "timer" in line:
            return getattr(self, "timer_" + line["timer"])()
        body = line["body"]
        if "in_reply_to" in body:
            then = self._waiting.pop(body["in_reply_to"], None)
            return then(body) if then else None
        handler = getattr(self, "on_" + body["type"], None)
        if handler is None:
            return self.error(line["src"], body, 10, "no such request: " + body["type"])
        return handler(line["src"], body)

    @classmethod
    def run(cls, *arguments):
        """Serves until the world closes its end. Every `init` makes a new node."""
        node = None
        for text in sys.stdin.buffer:
            line = json.loads(text)
            body = line.get("body", {})
            if body.get("type") == "init":
                node = cls(*arguments)
                node._out, node._waiting, node._last_id = [], {}, 0
                node.name, node.nodes = body["node_id"], body["node_ids"]
                node.stored = body.get("stored", {})
                node.now, node._random = line["now"], line["random"] | 1
                node.reply(line["src"], body, {"type": "init_ok", "reset": True})
                node.start()
            else:
                node._handle(line)
            node._out.append('{"type":"done"}\n')
            os.write(1, "\n".join(node._out).encode())
            node._out.clear()
