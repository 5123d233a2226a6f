"""Writes to the primary thirty times, waits for nine seconds, and asks every server what it has."""

import socket
import sys
import time

servers = sys.argv[1].split()
keys = [f"k{i}" for i in range(10)]


class Server:
    def __init__(self, address):
        self.connection = socket.create_connection((address, 6379), timeout=30)
        self.answers = self.connection.makefile("r", newline="\r\n")

    def ask(self, *words):
        text = "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
        self.connection.sendall(f"*{len(words)}\r\n{text}".encode())
        return self.answer()

    def answer(self):
        line = self.answers.readline().strip()
        if line.startswith("*"):
            return [self.answer() for _ in range(int(line[1:]))]
        return self.answers.readline().strip() if line.startswith("$") and line != "$-1" else line


primary = Server(servers[0])
for number in range(30):
    primary.ask("SET", keys[number % 10], f"v{number}")
    time.sleep(0.1)
time.sleep(9)
expected = primary.ask("MGET", *keys)
for address in servers[1:]:
    for key, first, second in zip(keys, expected, Server(address).ask("MGET", *keys)):
        if first != second:
            print(f"differs: {key} is {first} for the primary, {second} at {address}", flush=True)
print("compared", flush=True)
