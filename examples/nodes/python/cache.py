"""A key-value node as people write them without Dissensus: threads, a clock and a cache of its own.

Speaks the plain protocol, and none of the superset: it runs as it is, in virtual time (clock =
"virtual"). What is stored is in the service lin-kv. With --cache=SECONDS
a node answers reads from what it read or wrote less than so long ago, whatever others wrote since.
"""

import json
import sys
import threading
import time

lifetime = next((float(a[8:]) for a in sys.argv if a.startswith("--cache=")), 0.0)
lock = threading.Lock()
name = ""
last_id = 0
waiting = {}  # by the number of the question: where its answer goes
cache = {}  # by key: value and until when it is taken for true


def say(to, body):
    with lock:
        print(json.dumps({"src": name, "dest": to, "body": body}), flush=True)


def ask(body):
    """The answer of the store, or None after a second."""
    global last_id
    arrived = threading.Event()
    with lock:
        last_id += 1
        number = last_id
        waiting[number] = place = [arrived, None]
    say("lin-kv", dict(body, msg_id=number))
    arrived.wait(1.0)
    waiting.pop(number, None)
    return place[1]


def serve(request):
    body = request["body"]
    known = cache.get(body["key"])
    if body["type"] == "read" and known and time.monotonic() < known[1]:
        answer = {"type": "read_ok", "value": known[0]}
    else:
        question = {name: body[name] for name in ("type", "key", "value", "from", "to") if name in body}
        answer = ask(question)
        if answer is None:
            answer = {"type": "error", "code": 0, "text": "the store did not answer"}
        seen = {"read_ok": answer.get("value"), "write_ok": body.get("value"), "cas_ok": body.get("to")}
        if answer["type"] in seen:
            cache[body["key"]] = (seen[answer["type"]], time.monotonic() + lifetime)
    answer = dict(answer, in_reply_to=body["msg_id"])
    answer.pop("msg_id", None)
    say(request["src"], answer)


for text in sys.stdin:
    message = json.loads(text)
    content = message["body"]
    if content["type"] == "init":
        name = content["node_id"]
        say(message["src"], {"type": "init_ok", "in_reply_to": content["msg_id"]})
    elif content.get("in_reply_to") in waiting:
        place = waiting[content["in_reply_to"]]
        place[1] = content
        place[0].set()
    elif "in_reply_to" not in content:
        threading.Thread(target=serve, args=(message,), daemon=True).start()
