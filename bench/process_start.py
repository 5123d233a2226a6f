#!/usr/bin/env python3
"""What it costs to have a program ready for a run: started anew, forked from a warm one, or reset.

    bench/process_start.py [TIMES]

The program is examples/nodes/python/raft.py. "Ready" is the answer to its `init`. The fork is what
a zygote would do: an interpreter that has imported everything forks, and the child answers. Printed:
median milliseconds until the answer, and processor time of the program in milliseconds, without
that of the one start that forks and resets need.
"""

import os
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NODES = os.path.join(HERE, "..", "examples", "nodes", "python")
INIT = (b'{"src":"world","dest":"n0","body":{"type":"init","msg_id":1,"node_id":"n0",'
        b'"node_ids":["n0","n1","n2"],"stored":{}},"now":0,"random":1}\n')

# Forks for each line that it reads from us, before the program's own loop begins.
ZYGOTE = f"""
import os, sys
sys.path.insert(0, {NODES!r})
sys.argv = ["raft.py"]
import raft
while os.read(0, 1):
    if os.fork() == 0:
        try:
            raft.Raft.run()
        except ValueError:
            os._exit(0)
    os.wait()
"""


def answer(child):
    while child.stdout.readline() != b'{"type":"done"}\n':
        pass


def start(command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(name, times, used):
    print(f"{name:<28} {statistics.median(times) * 1e3:8.3f} ms   "
          f"{used / len(times) * 1e3:8.3f} ms of processor time")


def started_anew(times):
    waits, before = [], processor_time()
    for _ in range(times):
        begin = time.perf_counter()
        child = start([sys.executable, os.path.join(NODES, "raft.py")])
        child.stdin.write(INIT)
        answer(child)
        waits.append(time.perf_counter() - begin)
        child.stdin.close()
        child.wait()
    used = processor_time() - before
    report("started anew", waits, used)
    return used / times


def forked(times, first):
    # The child takes over standard input and output, as it would those that a zygote is handed.
    # It ends when it reads an end of file, which is not to be had here: a line of no JSON ends it.
    waits, before = [], processor_time()
    child = start([sys.executable, "-c", ZYGOTE])
    child.stdin.write(b"x")
    child.stdin.write(INIT)
    answer(child)
    child.stdin.write(b"no JSON\n")
    for _ in range(times):
        time.sleep(0.02)  # until the last one has ended
        begin = time.perf_counter()
        child.stdin.write(b"x")
        child.stdin.write(INIT)
        answer(child)
        waits.append(time.perf_counter() - begin)
        child.stdin.write(b"no JSON\n")
    child.stdin.close()
    child.wait()
    report("forked from a warm one", waits, processor_time() - before - first)


def reset(times, first):
    waits, before = [], processor_time()
    child = start([sys.executable, os.path.join(NODES, "raft.py")])
    child.stdin.write(INIT)
    answer(child)
    for _ in range(times):
        begin = time.perf_counter()
        child.stdin.write(INIT)
        answer(child)
        waits.append(time.perf_counter() - begin)
    child.stdin.close()
    child.wait()
    report("reset", waits, max(0, processor_time() - before - first))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    cost_of_start = started_anew(count)
    forked(count, cost_of_start)
    reset(count, cost_of_start)
