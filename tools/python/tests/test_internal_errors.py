"""What a user sees when the compiler itself fails: all that it printed, at the user's lines."""

import os
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy

import scenery  # noqa: F401 - it sets the path
from scenery import stencil

j, i = stencil.indices("j i")


@stencil.program
def copy(u, v):
    v[j, i] = u[j, i]


#: What `stencilc` prints; {line} is that of the function.
INTERNAL = """\
test_internal_errors.py:{line}:1: error: internal error: the len is 1 but the index is 1
func.func @copy(%u: !field, %v: !field) {{
^
test_internal_errors.py:{line}:1: note: while a pass ran on an op, line {line}
<unknown>:0: note: see current operation: "func.func"()
error: internal error: the len is 1 but the index is 1, at dialects/src/types.rs:65:54
note: this is a bug of the compiler; please report it with '/tmp/stencil-crash-1.mlir', which \
holds the program and the command
"""
SHOWN = """\
{file}:{line}: error: internal error: the len is 1 but the index is 1
    @stencil.program
{file}:{line}: note: while a pass ran on an op, line {line}
    @stencil.program
<unknown>:0: note: see current operation: "func.func"()
error: internal error: the len is 1 but the index is 1, at dialects/src/types.rs:65:54
note: this is a bug of the compiler; please report it with '/tmp/stencil-crash-1.mlir', which \
holds the program and the command"""


class InternalErrors(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext_(tempfile.TemporaryDirectory()))
        self.enterContext_(mock.patch.dict(os.environ, {
            "STENCILC": str(self.folder / "stencilc"), "STENCIL_CACHE": str(self.folder / "c")}))

    def enterContext_(self, manager):  # noqa: N802 - `enterContext` of Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def failing(self, text, end):
        """The message of a compiler that prints a text and ends in this way, for each caller."""
        compiler = self.folder / "stencilc"
        (self.folder / "said").write_text(text)
        compiler.write_text(f"""#!/bin/sh
[ "$1" = --version ] && exec echo 'stencilc 0.0'
cat > /dev/null
cat {self.folder}/said >&2
{end}
""")
        compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
        arrays = numpy.ones((8, 9)), numpy.ones((8, 9))
        for call in (lambda: copy.ptx(*arrays), lambda: copy(*arrays, on="interpreter"),
                     lambda: copy.compile(*arrays).package("emulator")):
            with self.assertRaises(stencil.CompileError) as caught:
                call()
            yield caught.exception

    def test_everything_that_was_printed_is_shown(self):
        file = __file__
        with open(file, encoding="utf-8") as lines:
            line = 1 + next(n for n, one in enumerate(lines) if one == "@stencil.program\n")
        for error in self.failing(INTERNAL.format(line=line), "exit 70"):
            self.assertEqual(str(error), "stencilc met an error of its own, not of the program:\n"
                             + SHOWN.format(file=file, line=line))
            self.assertEqual((error.file, error.line), (file, line))

    def test_places_that_are_no_lines_of_the_user(self):
        text = "<stdin>:7:1: error: internal error: a word\nfunc.func @copy\n^\nnote: a file"
        for error in self.failing(text, "exit 70"):
            self.assertEqual(str(error), "stencilc met an error of its own, not of the program:\n"
                             + text)

    def test_a_compiler_that_is_ended(self):
        for error in self.failing("", "kill -9 $$"):
            self.assertEqual(str(error), "stencilc was ended by signal 9, SIGKILL; the system does "
                             "so where memory is short: make the program smaller, or free memory")
        for error in self.failing("half a line", "kill -11 $$"):
            self.assertEqual(str(error), "stencilc was ended by signal 11, SIGSEGV, which is an "
                             "error of its own: please report it with the program; it said:\n"
                             "half a line")

    def test_a_refusal_says_so(self):
        for error in self.failing("error: no", "exit 1"):
            self.assertEqual(str(error), "stencilc refused the program:\nerror: no")
        for error in self.failing("", "exit 3"):
            self.assertEqual(str(error), "stencilc refused the program:\nit ended with code 3")


if __name__ == "__main__":
    unittest.main()
