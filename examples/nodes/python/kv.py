"""A replicated key-value store (workload lin-kv): the same node stands beside this one in JavaScript and
C++. The first node orders all writes; the others pass requests on to it and copy what it did.

    python3 kv.py           reads are answered by the first node, too
    python3 kv.py --local   reads are answered from the copy: faster, and a bug
"""
import sys

from node import Node


class KeyValue(Node):
    def start(self):
        self.primary = self.nodes[0]
        self.data = self.stored.get("data", {})
        self.version = self.stored.get("version", 0)
        self.seen = self.stored.get("seen", {})  # last request of each client that was carried out

    def keep(self):
        self.store("data", dict(self.data))
        self.store("version", self.version)

    def on_read(self, source, body):
        if self.name == self.primary or "--local" in sys.argv:
            self.answer_read(source, body)
        else:
            self.send(self.primary, {"type": "forward", "client": source, "request": body})

    def on_write(self, source, body):
        if self.name == self.primary:
            self.change(source, body)
        else:
            self.send(self.primary, {"type": "forward", "client": source, "request": body})

    on_cas = on_write

    def on_forward(self, source, body):
        if body["request"]["type"] == "read":
            self.answer_read(body["client"], body["request"])
        else:
            self.change(body["client"], body["request"])

    def answer_read(self, client, request):
        key = str(request["key"])
        if key in self.data:
            self.reply(client, request, {"type": "read_ok", "value": self.data[key]})
        else:
            self.error(client, request, 20, "no such key")

    def change(self, client, request):
        if request["msg_id"] <= self.seen.get(client, 0):
            return
        self.seen[client] = request["msg_id"]
        self.store("seen", dict(self.seen))
        key = str(request["key"])
        if request["type"] == "cas":
            if key not in self.data:
                return self.error(client, request, 20, "no such key")
            if self.data[key] != request["from"]:
                return self.error(client, request, 22, "the value is another one")
        self.data[key] = request["to"] if request["type"] == "cas" else request["value"]
        self.version += 1
        self.keep()
        self.decide(self.version, [key, self.data[key]])
        for node in self.others():
            self.send(node, {"type": "copy", "version": self.version, "data": self.data})
        self.reply(client, request, {"type": request["type"] + "_ok"})

    def on_copy(self, source, body):
        if body["version"] > self.version:
            self.version, self.data = body["version"], body["data"]
            self.keep()


KeyValue.run()
