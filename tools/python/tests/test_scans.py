"""Scans and temporaries that are assigned to in parts: what they compute, and what is refused."""

import functools
import operator
import os
import random
import unittest

import numpy

import scenery
from refusals import Cases
from scenery import stencil

k, j, i = stencil.indices("k j i")
i1, = stencil.indices("i")
CONTENT = numpy.random.default_rng(5)
CASES = Cases()
refused = CASES.refused
COLUMN = numpy.ones((4, 3, 5))


def setUpModule():
    scenery.needs_compiler()


@stencil.program
def thomas(a, b, c, d, x):
    upper, right = stencil.temporaries("upper right")
    with stencil.forward(k):
        upper[k[0], j, i] = c[k, j, i] / b[k, j, i]
        right[k[0], j, i] = d[k, j, i] / b[k, j, i]
        below = b[k, j, i] - a[k, j, i] * upper[k-1, j, i]
        upper[k[1:], j, i] = c[k, j, i] / below
        right[k[1:], j, i] = (d[k, j, i] - a[k, j, i] * right[k-1, j, i]) / below
    with stencil.backward(k):
        x[k[-1], j, i] = right[k, j, i]
        x[k[:-1], j, i] = right[k, j, i] - upper[k, j, i] * x[k+1, j, i]


def thomas_of_numpy(a, b, c, d):
    upper, right, x = (numpy.zeros_like(d) for _ in range(3))
    upper[0], right[0] = c[0] / b[0], d[0] / b[0]
    for n in range(1, len(d)):
        below = b[n] - a[n] * upper[n-1]
        upper[n] = c[n] / below
        right[n] = (d[n] - a[n] * right[n-1]) / below
    x[-1] = right[-1]
    for n in range(len(d) - 2, -1, -1):
        x[n] = right[n] - upper[n] * x[n+1]
    return x


class Scans(unittest.TestCase):
    def same(self, program, arguments, expected, **options):
        """Runs everywhere; the last argument becomes what is expected, bit for bit."""
        for on in ("interpreter", "emulator"):
            for one in (program, program.options(merge=False)):
                given = [numpy.copy(a) if isinstance(a, numpy.ndarray) else a for a in arguments]
                one(*given, on=on, **options)
                self.assertEqual(given[-1].tobytes(), expected.tobytes())

    def test_tridiagonal_systems(self):
        for dtype, shape in (("f8", (7, 5, 9)), ("f4", (2, 1, 33)), ("f8", (64, 3, 4))):
            a, c, d = (CONTENT.random(shape).astype(dtype) for _ in range(3))
            b = (2.5 + CONTENT.random(shape)).astype(dtype)
            expected = thomas_of_numpy(a, b, c, d)
            residual = b * expected - d
            residual[1:] += a[1:] * expected[:-1]
            residual[:-1] += c[:-1] * expected[1:]
            self.assertLess(abs(residual).max(), 1e-5 if dtype == "f4" else 1e-14)
            self.same(thomas, (a, b, c, d, numpy.zeros_like(d)), expected)
            self.assertEqual(thomas.verify(a, b, c, d, d, on="emulator").runs, 1)

    def test_packages_test_themselves(self):
        for shape in ((64, 9, 70), (37, 61, 83)):
            package = thomas.compile(*(stencil.Array(shape),) * 5).package("emulator")
            self.assertGreater(package.selftest().cells, 0)

    def test_sums_along_each_dimension(self):
        def sums(axis):
            @stencil.program
            def program(u, s):
                first, rest = [k, j, i], [k, j, i]
                first[axis], rest[axis] = first[axis][0], rest[axis][1:]
                before = [k, j, i]
                before[axis] = before[axis] - 1
                with stencil.forward((k, j, i)[axis]):
                    s[tuple(first)] = u[k, j, i]
                    s[tuple(rest)] = s[tuple(before)] + u[k, j, i]
            return program

        u = CONTENT.random((4, 6, 5))
        for axis in range(3):
            self.same(sums(axis), (u, numpy.zeros_like(u)), numpy.cumsum(u, axis))

    def test_only_the_last_plane_is_stored(self):
        @stencil.program
        def total(u, out):
            s = stencil.temporary("s")
            with stencil.forward(k):
                s[k[0], j, i] = u[k, j, i]
                s[k[1:], j, i] = s[k-1, j, i] + u[k, j, i]
                out[k[-1], j, i] = s[k, j, i]

        u, out = CONTENT.random((6, 3, 5)), CONTENT.random((6, 3, 5))
        expected = out.copy()
        expected[-1] = numpy.cumsum(u, 0)[-1]
        self.same(total, (u, out), expected)
        # Temporaries that are read in the scan alone need no memory.
        self.assertNotIn("stencil.alloc", total.mlir(u, out))

    def test_planes_that_are_left_out_keep_their_values(self):
        @stencil.program
        def parts(u, out):
            with stencil.backward(k):
                out[k[0], j, i] = out[k+1, j, i] + 1.0
                out[k[3:5], j, i] = 2.0 * out[k+1, j, i] + u[k-1, j, i]

        u, out = CONTENT.random((7, 3, 5)), CONTENT.random((7, 3, 5))
        expected = out.copy()
        for n in (4, 3):
            expected[n] = 2.0 * expected[n+1] + u[n-1]
        expected[0] = expected[1] + 1.0
        self.same(parts, (u, out), expected)

    def test_what_was_there_before_is_read_ahead(self):
        @stencil.program
        def smooth(out):
            with stencil.forward(k):
                out[k[1:-1], j, i] = 0.25 * out[k-1, j, i] + 0.5 * out[k+1, j, i] + k

        out = CONTENT.random((6, 2, 3))
        expected = out.copy()
        for n in range(1, 5):
            expected[n] = 0.25 * expected[n-1] + 0.5 * expected[n+1] + n
        self.same(smooth, (out,), expected)

    def test_in_time_loops_with_levels_boundaries_and_profiles(self):
        @stencil.program(boundaries={"u": [stencil.periodic(j), stencil.mirror(i)]})
        def implicit(profile, steps, u):
            upper, right = stencil.temporaries("upper right")
            for t in stencil.steps(steps):
                around = u[t, k, j-1, i] + u[t, k, j+1, i] + u[t, k, j, i-1] + u[t, k, j, i+1]
                with stencil.forward(k):
                    upper[k[0], j, i] = profile[k] * 0.5
                    right[k[0], j, i] = around * 0.25
                    upper[k[1:], j, i] = profile[k] / (2.0 - upper[k-1, j, i])
                    right[k[1:], j, i] = (around * 0.25 + right[k-1, j, i]) / (
                        2.0 - upper[k-1, j, i])
                with stencil.backward(k):
                    u[t+1, k[-1], j, i] = right[k, j, i]
                    u[t+1, k[:-1], j, i] = right[k, j, i] + upper[k, j, i] * u[t+1, k+1, j, i]

        profile, u = CONTENT.random(5), CONTENT.random((5, 4, 6))
        now = u
        for _ in range(3):
            wide = numpy.pad(now, ((0, 0), (0, 0), (1, 1)), mode="symmetric")
            around = ((numpy.roll(now, 1, 1) + numpy.roll(now, -1, 1)) + wide[:, :, :-2]) \
                + wide[:, :, 2:]
            upper, right, new = (numpy.zeros_like(u) for _ in range(3))
            upper[0], right[0] = profile[0] * 0.5, around[0] * 0.25
            for n in range(1, 5):
                upper[n] = profile[n] / (2.0 - upper[n-1])
                right[n] = (around[n] * 0.25 + right[n-1]) / (2.0 - upper[n-1])
            new[-1] = right[-1]
            for n in range(3, -1, -1):
                new[n] = right[n] + upper[n] * new[n+1]
            now = new
        self.same(implicit, (profile, 3, u), now)

    def test_temporaries_are_kept_for_neighbours(self):
        @stencil.program(boundaries={"u": stencil.periodic()})
        def differences(u, out):
            s = stencil.temporary("s")
            with stencil.forward(k):
                s[k[0], j, i] = u[k, j, i]
                s[k[1:], j, i] = 0.5 * s[k-1, j, i] + u[k, j, i]
            out[k, j, i] = s[k, j, i+1] - s[k, j-1, i]

        u = CONTENT.random((4, 3, 5))
        s = u.copy()
        for n in range(1, 4):
            s[n] = 0.5 * s[n-1] + u[n]
        self.same(differences, (u, numpy.zeros_like(u)),
                  numpy.roll(s, -1, 2) - numpy.roll(s, 1, 1))

    def test_temporaries_in_parts(self):
        @stencil.program(boundaries={"u": stencil.halo(1, i)})
        def edges(u, out):
            w = stencil.temporary("w")
            w[k, j, i] = u[k, j, i] * 2.0
            w[k[0], j, i] = u[k, j, i]
            w[k[2:], j, i] = w[k-1, j, i] + u[k, j, i]
            out[k, j, i] = w[k, j, i-1] + w[k, j, i+1]

        u = CONTENT.random((5, 3, 7))
        w = u * 2.0
        w[0] = u[0]
        w[2:] = w[1:-1] + u[2:]
        self.same(edges, (u, numpy.zeros((5, 3, 5))), w[:, :, :-2] + w[:, :, 2:])

    def test_one_dimension_and_indices(self):
        @stencil.program
        def geometric(out):
            with stencil.forward(i1):
                out[i1[0]] = 1.0
                out[i1[1:]] = out[i1-1] * 0.5 + stencil.where(i1 < 3, 0.0, 1.0)

        expected = numpy.ones(6)
        for n in range(1, 6):
            expected[n] = expected[n-1] * 0.5 + (0.0 if n < 3 else 1.0)
        self.same(geometric, (numpy.zeros(6),), expected)

    def test_how_it_is_shown(self):
        shown = thomas.compile(*(COLUMN,) * 5)._repr_html_()
        self.assertIn("kept", shown)
        self.assertIn("4 x 3 x 5", shown)
        self.assertIn("unroll <[4, 1, 1]>", thomas.mlir(*(COLUMN,) * 5))


class Drawn(unittest.TestCase):
    """Scans that are drawn at random, against loops over planes in NumPy."""

    PLANES, NAMES = 6, ("x", "y", "w", "v")

    def statement(self, draw):
        """A target, a range of planes, and reads with weights; `w` and `v` are temporaries."""
        low = draw.randrange(self.PLANES)
        high = draw.randrange(low + 1, self.PLANES + 1)
        reads = []
        for _ in range(draw.randint(1, 3)):
            reach = draw.choice((-2, -1, -1, 0, 0, 1, 2))
            if 0 <= low + reach and high + reach <= self.PLANES:
                name = draw.choice(self.NAMES if draw.random() < 0.7 else ("u",))
                reads.append((name, reach, draw.choice((0.5, 0.25, -1.0, 2.0))))
        return draw.choice(self.NAMES), low, high, reads or [("u", 0, 0.5)]

    def scans(self, draw):
        return [(draw.random() < 0.5, [self.statement(draw) for _ in range(draw.randint(1, 4))])
                for _ in range(draw.randint(1, 3))]

    def by_numpy(self, scans, arrays):
        """What the fields become, NaN where it follows from temporaries without a value; and
        whether such a temporary is read at all."""
        reads_nothing = False
        values = {name: array.copy() for name, array in arrays.items()}
        values.update({name: numpy.full_like(arrays["u"], numpy.nan) for name in "wv"})
        for is_backward, body in scans:
            planes = range(self.PLANES)
            for plane in reversed(planes) if is_backward else planes:
                for target, low, high, reads in body:
                    if low <= plane < high:
                        terms = [values[name][plane + reach] * weight
                                 for name, reach, weight in reads]
                        values[target][plane] = functools.reduce(operator.add, terms)
                        reads_nothing |= bool(numpy.isnan(values[target][plane]).any())
        return (values["x"], values["y"] + values["u"]), reads_nothing

    @staticmethod
    def reads_first(scans):
        """Whether a temporary is read in the text before it is assigned to."""
        known = set("uxy")
        for target, _, _, reads in (one for _, body in scans for one in body):
            if any(name not in known for name, _, _ in reads):
                return True
            known.add(target)
        return False

    def program(self, scans):
        @stencil.program
        def drawn(u, x, y):
            values = {"u": u, "x": x, "y": y, "w": stencil.temporary("w"),
                      "v": stencil.temporary("v")}
            for is_backward, body in scans:
                with (stencil.backward if is_backward else stencil.forward)(k):
                    for target, low, high, reads in body:
                        terms = [values[name][k + reach, j, i] * weight
                                 for name, reach, weight in reads]
                        values[target][k[low:high], j, i] = functools.reduce(operator.add, terms)
            # Something is stored, whatever was drawn.
            y[k, j, i] = y[k, j, i] + u[k, j, i]
        return drawn

    def test_planes_in_order(self):
        first, last = int(os.environ.get("STENCIL_RANDOM_SEED", "0")), int(
            os.environ.get("STENCIL_RANDOM_PROGRAMS", "60"))
        run = refused = 0
        for seed in range(first, first + last):
            draw = random.Random(seed)
            scans = self.scans(draw)
            content = numpy.random.default_rng(seed)
            arrays = {name: content.uniform(-1, 1, (self.PLANES, 2, 3)) for name in "uxy"}
            expected, reads_nothing = self.by_numpy(scans, arrays)
            given = [arrays[name].copy() for name in "uxy"]
            with self.subTest(seed=seed, scans=scans):
                try:
                    self.program(scans)(*given, on="emulator" if seed % 2 else "interpreter")
                except stencil.TraceError as error:
                    refused += 1
                    if "before it is assigned to" in error.reason:
                        self.assertTrue(self.reads_first(scans))
                    else:
                        self.assertIn("have been assigned to", error.reason)
                        self.assertTrue(reads_nothing)
                    continue
                run += 1
                # What has no value is refused, or nothing depends on it.
                for found, wanted in zip(given[1:], expected):
                    self.assertFalse(numpy.isnan(wanted).any())
                    self.assertEqual(found.tobytes(), wanted.tobytes())
        self.assertGreater(min(run, refused), 0)

    def test_planes_that_do_not_move_as_messages_say(self):
        @stencil.program
        def carried(u, v):
            w, last = stencil.temporaries("w last")
            last[k, j, i] = v[-1, j, i]
            with stencil.forward(k):
                v[k[0], j, i] = u[k, j, i]
                w[k[0], j, i] = v[k, j, i]
                w[k[1:], j, i] = w[k-1, j, i]
                v[k[1:], j, i] = v[k-1, j, i] + u[k, j, i] * w[k, j, i] - last[k, j, i]

        content = numpy.random.default_rng(4)
        u, start = content.random((4, 3, 5)), content.random((4, 3, 5))
        expected = u.copy()
        for plane in range(1, 4):
            expected[plane] = expected[plane-1] + u[plane] * u[0] - start[-1]
        for on in ("interpreter", "emulator"):
            self.assertEqual(carried(u, start.copy(), on=on).tobytes(), expected.tobytes())


# ---- what is refused ----------------------------------------------------------------------------

@refused("u[k, j, i-1] reads another column than that of the point, and the scan along k computes "
         "it; columns are computed apart from each other: read what a scan before this one has "
         "assigned to", arrays=(COLUMN, COLUMN))
def another_column(u, v):
    with stencil.forward(k):
        u[k, j, i[1:]] = u[k, j, i-1]  # here


@refused("v[0, j, i] reads a plane that does not move, and the scan along k computes it; a scan "
         "reads its own results at a constant distance: carry the plane along in a temporary, "
         "w[k[0], j, i] = v[k, j, i] and w[k[1:], j, i] = w[k-1, j, i]", arrays=(COLUMN, COLUMN))
def a_plane_that_the_scan_has_computed(u, v):
    with stencil.forward(k):
        v[k[0], j, i] = u[k, j, i]
        v[k[1:], j, i] = v[k-1, j, i] - v[0, j, i]  # here


@refused("v[t+1, -2, j, i] reads a plane that does not move, and the scan along k computes it; a "
         "scan reads its own results at a constant distance: carry the plane along in a temporary, "
         "w[k[-2], j, i] = v[t+1, k, j, i] and w[k[:-2], j, i] = w[k+1, j, i]",
         arrays=(COLUMN, COLUMN))
def a_plane_of_a_level(u, v):
    for t in stencil.steps(3):
        with stencil.backward(k):
            v[t+1, k[-2:], j, i] = u[k, j, i] + v[t, k, j, i]
            v[t+1, k[:-2], j, i] = v[t+1, -2, j, i]  # here


@refused("v[-1, j, i] reads a plane that does not move, and the scan along k computes it; a scan "
         "reads its own results at a constant distance: keep the plane in a temporary before the "
         "scan, w[k, j, i] = v[-1, j, i]", arrays=(COLUMN, COLUMN))
def a_plane_that_the_scan_computes_last(u, v):
    with stencil.forward(k):
        v[k, j, i] = u[k, j, i] - v[-1, j, i]  # here


@refused("'u' is computed in other columns than 'v' in line {before}, in one scan; restrict the "
         "statements of a scan along k only, or write two scans", arrays=(COLUMN, COLUMN))
def other_columns(u, v):
    with stencil.forward(k):
        v[k, j, i] = 1.0
        u[k, j, i[1:]] = 1.0  # here


@refused("temporary 'w' is assigned to in some columns of a scan; restrict it along k only, and "
         "choose with stencil.where", arrays=(COLUMN, COLUMN))
def kept_columns(u, v):
    w = stencil.temporary("w")
    with stencil.forward(k):
        w[k, j, i[1:]] = u[k, j, i]  # here
        v[k, j, i] = w[k, j, i]


@refused("w[k-1, j, i] reads temporary 'w' at k from -1 to -1, j from 0 to 2, i from 0 to 4, and "
         "not all of these points have been assigned to; assign to them first, or restrict the "
         "statement that reads it", arrays=(COLUMN, COLUMN))
def never_assigned(u, v):
    w = stencil.temporary("w")
    with stencil.forward(k):
        w[k[1:], j, i] = u[k, j, i]
        v[k, j, i] = w[k-1, j, i]  # here


@refused("stencil.backward inside of another scan; write scans one after the other",
         arrays=(COLUMN, COLUMN))
def scan_in_scan(u, v):
    with stencil.forward(k):
        with stencil.backward(j):  # here
            v[k, j, i] = u[k, j, i]


@refused("a time loop inside of a scan; put the scan into the time loop", arrays=(COLUMN, COLUMN))
def loop_in_scan(u, v):
    with stencil.forward(k):
        for _ in stencil.steps(3):  # here
            v[k, j, i] = u[k, j, i]


@refused("stencil.forward takes an index, found 0; name the dimension: with stencil.forward(k), k "
         "of stencil.indices", arrays=(COLUMN, COLUMN))
def no_index(u, v):
    with stencil.forward(0):  # here
        v[k, j, i] = u[k, j, i]


@refused("stencil.forward is no loop of Python: its statements are recorded once; write 'with "
         "stencil.forward(k):', and indices as in other statements", arrays=(COLUMN, COLUMN))
def as_a_loop(u, v):
    for _ in stencil.forward(k):  # here
        v[k, j, i] = u[k, j, i]


@refused("program 'temporaries_alone' assigns to no field; assign to a field at the "  # here
         "current point, as in v[j, i] = ...", arrays=(COLUMN, COLUMN))
def temporaries_alone(u, v):
    w = stencil.temporary("w")
    with stencil.forward(k):
        w[k, j, i] = u[k, j, i] + v[k, j, i]


@refused("the scan has 1025 planes along i; a scan has 1024 at most: each is written out in the "
         "program", arrays=(numpy.ones(1025), numpy.ones(1025)))
def too_long(u, v):
    with stencil.forward(i1):  # here
        v[i1] = u[i1]


@refused("temporary 'w' holds float64, and float32 is assigned to it at some points; convert the "
         "value, stencil.cast(value, 'f64')", arrays=(COLUMN, COLUMN))
def two_types(u, v):
    w = stencil.temporary("w")
    w[k, j, i] = u[k, j, i]
    w[k[0], j, i] = stencil.cast(u[k, j, i], "f32")  # here
    v[k, j, i] = w[k, j, i]


NOT_ASSIGNED_TO_YET = (
    " reads points that nothing has assigned to yet in the step; assign to all points first, or "
    "restrict the statement to points that are assigned to before it")


@refused("u[t+1, k+1, j, i]" + NOT_ASSIGNED_TO_YET, arrays=(COLUMN, 2))
def level_ahead(u, n):
    for t in stencil.steps(n):
        with stencil.forward(k):
            u[t+1, k[0], j, i] = u[t, k, j, i]
            u[t+1, k[1:-1], j, i] = u[t, k, j, i] + u[t+1, k+1, j, i]  # here


@refused("u[t+1, k-1, j, i]" + NOT_ASSIGNED_TO_YET, arrays=(COLUMN, 2))
def level_ahead_backward(u, n):
    for t in stencil.steps(n):
        with stencil.backward(k):
            u[t+1, k[-1], j, i] = u[t, k, j, i]
            u[t+1, k[1:-1], j, i] = u[t, k, j, i] + u[t+1, k-1, j, i]  # here


class Refusals(unittest.TestCase):
    def test_messages(self):
        CASES.check(self)

    def test_outside_of_programs(self):
        with self.assertRaisesRegex(stencil.TraceError, "stencil.forward is called outside"):
            with stencil.forward(k):
                pass


if __name__ == "__main__":
    unittest.main()
