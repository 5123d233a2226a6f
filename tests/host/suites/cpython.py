"""Runs one module of CPython's own tests and prints a line for each test as it begins and ends.

    cpython.py FOLDER MODULE [--done FILE]

FOLDER holds the package `test` (Debian: libpython3.11-testsuite). Tests whose ids are in FILE are
left out. Lines are "@@ begin ID", "@@ ok|fail|error|skip|xfail|xpass ID" and, last, "@@ end".
scripts/kernel-tests runs this natively and in virtual time, and compares.
"""

import os
import sys
import traceback
import unittest


def flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def without(suite, done):
    """The same tree, so that fixtures of classes and modules stay what they are."""
    kept = type(suite)() if type(suite) is unittest.TestSuite else unittest.TestSuite()
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            kept.addTest(without(item, done))
        elif item.id() not in done:
            kept.addTest(item)
    return kept


class Result(unittest.TestResult):
    def __init__(self, fd):
        super().__init__()
        self.fd = fd
        self.owner = os.getpid()
        self.state = None

    def say(self, what, test):
        # One write, so that nothing that the test prints gets into the middle.
        if os.getpid() == self.owner:
            os.write(self.fd, f"\n@@ {what} {test.id()}\n".encode())

    def why(self, err):
        if os.getpid() == self.owner:
            text = "".join(traceback.format_exception(*err))
            lines = "".join(f"@= {line}\n" for line in text.splitlines()[-12:])
            os.write(self.fd, ("\n" + lines).encode("utf-8", "backslashreplace"))

    def startTest(self, test):
        super().startTest(test)
        self.state = "ok"
        self.say("begin", test)

    def stopTest(self, test):
        super().stopTest(test)
        self.say(self.state, test)
        self.state = None

    def settle(self, state, test, err=None):
        if err:
            self.why(err)
        if self.state is None:  # a fixture of a class or module
            self.say(state, test)
        else:
            self.state = state

    def addError(self, test, err):
        self.settle("error", test, err)

    def addFailure(self, test, err):
        self.settle("fail", test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.settle("fail" if issubclass(err[0], test.failureException) else "error", test, err)

    def addSkip(self, test, reason):
        self.settle("skip", test)

    def addExpectedFailure(self, test, err):
        self.settle("xfail", test)

    def addUnexpectedSuccess(self, test):
        self.settle("xpass", test)


def main():
    folder, module = sys.argv[1:3]
    done = set()
    if "--done" in sys.argv:
        with open(sys.argv[sys.argv.index("--done") + 1], encoding="utf-8") as file:
            done = {line.rstrip("\n") for line in file}
    sys.argv[1:] = []
    sys.path.insert(0, folder)
    fd = os.dup(1)
    from test import support
    from test.libregrtest import setup
    support.use_resources = {"cpu": None, "network": None, "subprocess": None, "walltime": None}
    setup.saved_test_environment = None
    work = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"test_python_{os.getpid()}")
    os.mkdir(work)
    os.chdir(work)
    loader = unittest.TestLoader()
    suite = without(loader.loadTestsFromName("test." + module), done)
    result = Result(fd)
    suite.run(result)
    if os.getpid() != result.owner:
        os._exit(0)
    os.write(fd, b"\n@@ end\n")
    os._exit(0)  # threads that a test left behind are not waited for


if __name__ == "__main__":
    main()
