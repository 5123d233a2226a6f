"""Runs one module of another runtime's own tests and prints a line for each test.

    others.py go|tcl|perl FOLDER MODULE [--done FILE]

go: FOLDER holds PACKAGE.test, made by `go test -c`; each test has a process of its own. tcl: FOLDER
holds MODULE.test of Tcl's sources; perl: MODULE is a file t/MODULE.t of Perl's sources, whose folder
FOLDER is. Tests whose names are in FILE are left out. Lines are those of cpython.py.
"""

import os
import re
import shutil
import subprocess
import sys


def say(what, name, lines=()):
    text = "".join(f"@= {line}\n" for line in lines[-12:])
    os.write(1, f"\n{text}@@ {what} {name}\n".encode("utf-8", "backslashreplace"))


def run_go(folder, module, done):
    program = os.path.join(folder, module + ".test")
    source = os.path.join("/usr/lib/go/src", module.replace("_", "/"))
    listed = subprocess.run([program, "-test.list", "^Test"], stdout=subprocess.PIPE, text=True,
                            check=False, cwd=source).stdout.split()
    for name in listed:
        if name in done:
            continue
        say("begin", name)
        ran = subprocess.run([program, "-test.v", "-test.run", f"^{name}$", "-test.timeout", "100s"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False,
                             stderr=subprocess.STDOUT, cwd=source)
        lines = ran.stdout.decode("utf-8", "replace").splitlines()
        is_skip = any(line.startswith(f"--- SKIP: {name} ") for line in lines)
        is_ok = any(line.startswith(f"--- PASS: {name} ") for line in lines) and ran.returncode == 0
        say("skip" if is_skip else "ok" if is_ok else "fail", name, lines)


def run_tcl(folder, module, done):
    command = ["/usr/bin/tclsh8.6", os.path.join(folder, module + ".test"), "-verbose",
               "start pass skip body error", "-skip", " ".join(sorted(done))]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        failed, lines, seen = None, [], set()
        for line in process.stdout:
            line = line.rstrip("\n")
            if match := re.match(r"---- (\S+) start", line):
                say("begin", match[1])
                failed, lines = None, []
            elif match := re.match(r"\+\+\+\+ (\S+) (PASSED|SKIPPED)", line):
                if match[1] not in done and match[1] not in seen:
                    say("ok" if match[2] == "PASSED" else "skip", match[1])
                seen.add(match[1])
            elif match := re.match(r"==== (\S+) FAILED", line):
                say("fail", match[1], lines)
                seen.add(match[1])
            else:
                lines.append(line)
    if process.returncode != 0:
        sys.exit(process.returncode)


def run_perl(folder, module, _done):
    """A file is run as a whole: its tests have numbers, not names. They write where they are."""
    say("begin", "file")
    os.symlink(os.path.join(folder, "lib"), "lib")
    os.mkdir("t")
    for item in os.scandir(os.path.join(folder, "t")):
        if item.is_file():
            shutil.copy(item.path, "t")
        elif item.name in ("io", "lib", "op"):
            shutil.copytree(item.path, os.path.join("t", item.name))
    ran = subprocess.run(["/usr/bin/perl", f"{module}.t"], stdin=subprocess.DEVNULL, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         cwd="t")
    lines = ran.stdout.decode("utf-8", "replace").splitlines()
    for at, line in enumerate(lines):
        if match := re.match(r"(not )?ok (\d+)(.*)", line):
            is_skip = re.search(r"# *(skip|todo)", match[3], re.IGNORECASE)
            say("skip" if is_skip else "fail" if match[1] else "ok", match[2], lines[at:at + 8])
    say("ok" if ran.returncode == 0 else "fail", "file", lines)


def main():
    kind, folder, module = sys.argv[1:4]
    done = set()
    if sys.argv[4:5] == ["--done"]:
        with open(sys.argv[5], encoding="utf-8") as file:
            done = set(file.read().split("\n"))
    {"go": run_go, "tcl": run_tcl, "perl": run_perl}[kind](folder, module, done)
    os.write(1, b"\n@@ end\n")


main()
