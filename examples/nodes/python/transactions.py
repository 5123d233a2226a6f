"""Transactions over lists and registers: the whole database is one value of the service lin-kv,
changed by compare-and-set; who comes second is told so. With --no-compare the new database is
written whatever happened meanwhile: the broken twin, which loses updates."""
import sys

from node import Node

STORE = "lin-kv"
NO_SUCH_KEY, CONFLICT, UNSURE = 20, 30, 13


class Transactions(Node):
    def on_txn(self, source, body):
        self.call(STORE, {"type": "read", "key": "database"},
                  lambda answer: self.carry_out(source, body, answer))

    def carry_out(self, source, body, answer):
        if answer["type"] == "error" and answer["code"] != NO_SUCH_KEY:
            return self.error(source, body, CONFLICT, "the store cannot be read")
        before = answer.get("value", {})
        database = {key: list(value) if isinstance(value, list) else value
                    for key, value in before.items()}
        done = [self.operate(database, *operation) for operation in body["txn"]]
        result = {"type": "txn_ok", "txn": done}
        if database == before:
            return self.reply(source, body, result)
        if "--no-compare" in sys.argv:
            request = {"type": "write", "key": "database", "value": database}
        else:
            request = {"type": "cas", "key": "database", "from": before, "to": database,
                       "create_if_not_exists": True}
        return self.call(STORE, request, lambda written: self.finish(source, body, result, written))

    @staticmethod
    def operate(database, function, key, value):
        name = str(key)
        if function == "append":
            database.setdefault(name, []).append(value)
        elif function == "w":
            database[name] = value
        else:
            value = database.get(name)
            value = list(value) if isinstance(value, list) else value
        return [function, key, value]

    def finish(self, source, body, result, written):
        if written["type"] != "error":
            self.reply(source, body, result)
        else:
            self.error(source, body, CONFLICT, "somebody else was faster")


Transactions.run()
