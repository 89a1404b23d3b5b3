"""What compiler, interpreter and library say is said at lines, and in words of Python."""

import unittest

import numpy

import scenery
from scenery import stencil
from stencil.language import failures
from stencil.wording import in_python

j, i = stencil.indices("j i")
(x,) = stencil.indices("x")


def setUpModule():
    scenery.needs_compiler()


def line(function, text="# here"):
    """The file and the number of a function's line with a text."""
    code = function.__code__
    with open(code.co_filename, encoding="utf-8") as file:
        lines = file.read().splitlines()[code.co_firstlineno - 1:]
    return code.co_filename, code.co_firstlineno + next(
        n for n, one in enumerate(lines) if text in one)


class Failures(unittest.TestCase):
    def check(self, kind, text, function, *values, **how):
        """A call fails in this way, at the line that ends in `# here`."""
        with self.assertRaises(stencil.StencilError) as caught:
            stencil.program(function)(*values, **how)
        file, number = line(function)
        self.assertEqual(str(caught.exception), f"{file}:{number}: {text}")
        self.assertIs(type(caught.exception), kind)
        if kind is not stencil.ArgumentError:
            self.assertEqual((caught.exception.file, caught.exception.line), (file, number))

    def test_data_without_a_result(self):
        def divided(u, v):
            v[x] = u[x] // v[x]  # here

        def converted(u, v):
            v[x] = stencil.cast(u[x], "i32")  # here

        ones, zeros = numpy.ones(4, "i8"), numpy.zeros(4, "i8")
        self.check(stencil.ProgramError, "an integer is divided by zero; have no zero among the "
                   "divisors, as in a // stencil.where(b == 0, 1, b)", divided, ones, zeros,
                   on="interpreter")
        least = numpy.full(4, -2**63)
        self.check(stencil.ProgramError, "the smallest integer of its type is divided by -1, which "
                   "overflows; divide in a wider type, as in stencil.cast(value, 'i64')", divided,
                   least, numpy.full(4, -1), on="interpreter")
        self.check(stencil.ProgramError, "1e30 is converted to i32, which cannot hold it; limit "
                   "the value before, as in stencil.minimum(value, 100), or convert it to a wider "
                   "type",
                   converted, numpy.full(4, 1e30), numpy.zeros(4, "i4"), on="interpreter")

    def test_numbers_of_steps_without_a_result(self):
        def halved(v, n, m):
            for _ in stencil.steps(n // m):  # here
                v[x] = v[x] + 1.0

        for on in ("interpreter", "emulator"):
            self.check(stencil.ProgramError, "an integer is divided by zero; have no zero among "
                       "the divisors, as in a // stencil.where(b == 0, 1, b)", halved,
                       numpy.zeros(4), 4, 0, on=on)

    def test_tables_that_are_short(self):
        def source(s, v, first, end):
            for t in stencil.steps(first, end):
                v[x] = v[x] + s[t]  # here

        for on in ("interpreter", "emulator"):
            self.check(stencil.ArgumentError, "argument 0 's' has values for 3 time steps from 0 "
                       "on, and 5 would be made; make fewer, or pass more values", source,
                       numpy.ones(3), numpy.zeros(4), 0, 5, on=on)
            self.check(stencil.ArgumentError, "argument 0 's' has values from time step 0 on, and "
                       "the time loop starts at -1; start later", source, numpy.ones(3),
                       numpy.zeros(4), -1, 1, on=on)

    def test_options_of_the_command_line(self):
        @stencil.program
        def copy(u, v):
            v[x] = u[x]

        arrays = numpy.zeros(4), numpy.zeros(4)
        for plan, text in (
                ({"mapping": "foo"}, "error: plan: plan key 'mapping' is \"foo\", which is none of "
                 "\"thread\", \"warp\", \"block\", \"row\""),
                ("x", "error: plan: 'x' is no plan key with a value; write KEY=VALUE, as in "
                 "points=8,max_registers=128")):
            for call in (lambda: copy.ptx(*arrays, plan=plan),
                         lambda: copy(*arrays, on="emulator", plan=plan)):
                with self.assertRaises(stencil.CompileError) as caught:
                    call()
                self.assertEqual(str(caught.exception), "stencilc refused the program:\n" + text)

    def test_words_of_the_command_line(self):
        for said, text in (
                ("no CUDA driver: install the NVIDIA driver, or run on the emulator with stencilc",
                 "no CUDA driver: install the NVIDIA driver, or run on the emulator: "
                 "on=\"emulator\""),
                ("no CUDA device; name a target, as in --target sm_90a",
                 "no CUDA device; name a target, as in target=\"sm_90a\""),
                ("argument 2 'n', a scalar of index, has no value; set it with --arg 2=NUMBER",
                 "argument 2 'n', a scalar of index, has no value; give a number for it in the "
                 "call"),
                ("package has f and g; name the one that is meant, which --function of stencil-run "
                 "does", "package has f and g; name the one that is meant: function=\"name\"")):
            self.assertEqual(in_python(said), text)


class Shared(unittest.TestCase):
    """Programs that devices cannot share."""

    def refused(self, function, lines, *values, **options):
        with self.assertRaises(stencil.CompileError) as caught:
            stencil.program(**options)(function)(*values, on="emulator", device=[0, 0])
        for one in lines:
            self.assertIn(one, str(caught.exception))

    def test_planes_too_few(self):
        def wave(u, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = 2 * u[t, j, i] - u[t-1, j, i] + stencil.laplace(u[t, j, i], order=4)

        arrays = numpy.zeros((2, 8, 40))
        self.refused(wave, ["error: the program has 12 planes along dimension 0, ghost cells "
                            "included, too few for 2 devices", "note: give fewer devices, or pass "
                            "larger arrays; 18 planes, ghost cells included, would be enough"],
                     tuple(arrays), 7, boundaries=stencil.fixed(0.0))

    def test_several_loops(self):
        def twice(u, n):
            for t in stencil.steps(n):
                u[t+1, j, i] = 0.5 * u[t, j, i]
            for t in stencil.steps(n):
                u[t+1, j, i] = 0.5 * u[t, j, i+1]

        self.refused(twice, ["error: the program has several time loops",
                             "note: write a program for each time loop, and call them one after "
                             "the other"],
                     numpy.zeros((60, 20)), 3, boundaries=stencil.periodic())

    def test_scans_along_the_first_dimension(self):
        def total(u, v):
            with stencil.forward(j):
                v[j[0], i] = u[j, i]
                v[j[1:], i] = v[j-1, i] + u[j, i]

        self.refused(total, ["error: the scan computes 60 planes at once of those that devices "
                             "share", "note: a scan along the first dimension cannot be shared: "
                             "run it on one device, or scan along another dimension"],
                     numpy.zeros((60, 20)), numpy.zeros((60, 20)))

    def test_what_the_compiler_says_is_known(self):
        page = scenery.CHECKOUT / "tools" / "docs" / "generated" / "refusals.md"
        text = page.read_text(encoding="utf-8")
        for advice in failures.ADVICE:
            self.assertIn(advice, text)


if __name__ == "__main__":
    unittest.main()
