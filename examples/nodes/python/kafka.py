"""Logs with offsets: each is a list in the service lin-kv, which grows by compare-and-set. With
--no-compare it is written whatever happened meanwhile: the broken twin, which loses messages."""
import sys

from node import Node

STORE = "lin-kv"


class Logs(Node):
    def change(self, key, initial, update, then):
        """Reads a value, updates it, and tries again until nobody was faster."""

        def got(answer):
            before = answer.get("value", initial)
            after = update(before)
            if after == before:
                return then(after)
            request = {"type": "cas", "key": key, "from": before, "to": after,
                       "create_if_not_exists": True}
            if "--no-compare" in sys.argv:
                request = {"type": "write", "key": key, "value": after}
            return self.call(STORE, request, lambda written: wrote(after, written))

        def wrote(after, written):
            if written["type"] == "error":
                self.change(key, initial, update, then)
            else:
                then(after)

        self.call(STORE, {"type": "read", "key": key}, got)

    def on_send(self, source, body):
        self.change("log " + body["key"], [], lambda log: log + [body["msg"]],
                    lambda log: self.reply(source, body, {"type": "send_ok", "offset": len(log) - 1}))

    def gather(self, keys, prefix, then):
        """Reads several values, one after another."""
        found = {}

        def next_one(rest):
            if not rest:
                return then(found)

            def got(answer):
                if "value" in answer:
                    found[rest[0]] = answer["value"]
                next_one(rest[1:])

            return self.call(STORE, {"type": "read", "key": prefix + rest[0]}, got)

        next_one(sorted(keys))

    def on_poll(self, source, body):
        def answer(logs):
            messages = {}
            for key, log in logs.items():
                start = body["offsets"][key]
                messages[key] = [[offset, log[offset]] for offset in range(start, len(log))]
            self.reply(source, body, {"type": "poll_ok", "msgs": messages})

        self.gather(body["offsets"], "log ", answer)

    def on_commit_offsets(self, source, body):
        left = sorted(body["offsets"].items())

        def next_one():
            if not left:
                return self.reply(source, body, {"type": "commit_offsets_ok"})
            key, offset = left.pop()
            return self.change("committed " + key, -1, lambda old: max(old, offset),
                               lambda _: next_one())

        next_one()

    def on_list_committed_offsets(self, source, body):
        self.gather(body["keys"], "committed ", lambda found: self.reply(
            source, body, {"type": "list_committed_offsets_ok", "offsets": found}))


Logs.run()
