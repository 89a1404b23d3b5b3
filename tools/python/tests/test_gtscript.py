"""Stencils of GT4Py in its intermediate representation, without GT4Py: programs and refusals.

The nodes have the names and the attributes of GTIR of GT4Py 1.1; `tests/optional` has GT4Py itself.
"""

import importlib.util
import inspect
import unittest
from types import SimpleNamespace

import numpy

import scenery
from scenery import stencil


def setUpModule():
    scenery.needs_compiler()


def node(kind, **attributes):
    """A node of GTIR."""
    return type(kind, (SimpleNamespace,), {})(**attributes)


def dtype(name="FLOAT64"):
    return SimpleNamespace(name=name)


def at(line):
    return SimpleNamespace(filename="user.py", line=line)


def offset(i=0, j=0, k=0):
    return node("CartesianOffset", i=i, j=j, k=k)


def field(name, *where, dtype_name="FLOAT64", loc=None):
    return node("FieldAccess", name=name, offset=offset(*where), data_index=[],
                dtype=dtype(dtype_name), loc=loc)


def number(value, name="FLOAT64"):
    return node("Literal", value=str(value), dtype=dtype(name))


def binary(left, op, right, name="FLOAT64"):
    return node("BinaryOp", op=op, left=left, right=right, dtype=dtype(name), loc=None)


def assign(name, right, line=3, **left):
    return node("ParAssignStmt", left=field(name, **left), right=right, loc=at(line))


def interval(start=("start", 0), end=("end", 0)):
    ends = [node("AxisBound", level=level, offset=by) for level, by in (start, end)]
    return node("Interval", start=ends[0], end=ends[1], loc=at(2))


def declared(name, dimensions=(True, True, True), data_dims=(), dtype_name="FLOAT64"):
    return node("FieldDecl", name=name, dimensions=dimensions, data_dims=data_dims,
                dtype=dtype(dtype_name), loc=at(1))


def loop(order, body, planes=None, temporaries=()):
    return node("VerticalLoop", loop_order=order, interval=planes or interval(), body=body,
                temporaries=[declared(one) for one in temporaries], loc=at(2))


def gtir(*loops, fields=("u", "out"), more=()):
    params = [*(declared(one) for one in fields), *more]
    return node("Stencil", name="module.made", params=params, vertical_loops=list(loops),
                api_signature=[SimpleNamespace(name=one.name) for one in params], sources={})


def scan():
    """A sum that is halved from plane to plane, and what is above it."""
    bottom = interval(end=("start", 1))
    rest = interval(start=("start", 1))
    return gtir(
        loop("forward", [assign("w", field("u"))], bottom, ["w"]),
        loop("forward", [assign("w", binary(binary(field("w", 0, 0, -1), "*", number(0.5)), "+",
                                            field("u")), 5)], rest),
        loop("backward", [assign("out", field("w"), 7)], interval(start=("end", -1))),
        loop("backward", [assign("out", binary(field("w"), "-", field("out", 0, 0, 1)), 9)],
             interval(end=("end", -1))))


class Programs(unittest.TestCase):
    def test_scans(self):
        u = numpy.random.default_rng(4).random((3, 4, 6))
        w, expected = u.copy(), numpy.zeros_like(u)
        for k in range(1, 6):
            w[:, :, k] = w[:, :, k-1] * 0.5 + u[:, :, k]
        expected[:, :, -1] = w[:, :, -1]
        for k in range(4, -1, -1):
            expected[:, :, k] = w[:, :, k] - expected[:, :, k+1]
        for axes in ("IJK", "KJI"):
            program = stencil.from_gtscript(scan(), axes=axes)
            for on in ("interpreter", "emulator"):
                out = numpy.zeros_like(u)
                program(*(one if axes == "IJK" else one.T for one in (u, out)), on=on)
                self.assertEqual(out.tobytes(), expected.tobytes())

    def test_text(self):
        self.assertEqual(inspect.getsource(stencil.from_gtscript(scan())), (
            "def made(u, out):\n"
            "    w = stencil.temporary('w')\n"
            "    with stencil.forward(k):\n"
            "        w[i, j, k[:1]] = u[i, j, k]  # line 3\n"
            "        w[i, j, k[1:]] = ((w[i, j, k-1] * 0.5) + u[i, j, k])  # line 5\n"
            "    with stencil.backward(k):\n"
            "        out[i, j, k[-1:]] = w[i, j, k]  # line 7\n"
            "        out[i, j, k[:-1]] = (w[i, j, k] - out[i, j, k+1])  # line 9\n"))

    def test_extents_of_temporaries_and_halos(self):
        made = gtir(loop("parallel", [
            assign("w", binary(field("u", 1, 0, 0), "+", field("u", 0, -2, 0))),
            assign("out", binary(field("w", -2, 0, 0), "-", field("w", 0, 1, 0)))],
            temporaries=["w"]))
        u = numpy.random.default_rng(4).random((8, 9, 2))
        # What is read lies from -2 to 1 along both axes: the domain has 5 x 6 points.
        at_offset = lambda i, j: u[2+i:7+i, 2+j:8+j]  # noqa: E731 - read at the only place
        expected = numpy.zeros_like(u)
        expected[2:7, 2:8] = (at_offset(-1, 0) + at_offset(-2, -2)) - (
            at_offset(1, 1) + at_offset(0, -1))
        found, other = numpy.zeros_like(u), numpy.zeros((5, 6, 2))
        stencil.from_gtscript(made)(u, found, on="interpreter")
        stencil.from_gtscript(made, halo={"out": 0})(u, other, on="emulator")
        self.assertEqual(found.tobytes(), expected.tobytes())
        self.assertEqual(other.tobytes(), expected[2:7, 2:8].tobytes())


    def test_planes_beyond_the_domain(self):
        made = gtir(loop("parallel", [assign("out", binary(field("u", 0, 0, -2), "-",
                                                           field("u", 0, 0, 1)))],
                         interval(start=("start", 1))))
        u = numpy.random.default_rng(4).random((3, 2, 7))
        # The domain has five planes: one below is read from plane 1, and one above.
        expected = numpy.zeros_like(u)
        expected[:, :, 2:6] = u[:, :, 0:4] - u[:, :, 3:7]
        found = numpy.zeros_like(u)
        stencil.from_gtscript(made)(u, found, on="emulator")
        self.assertEqual(found.tobytes(), expected.tobytes())


    def test_intervals_that_read_beside_each_other_are_scans_of_their_own(self):
        first, rest = interval(end=("start", 1)), interval(start=("start", 1))
        made = gtir(
            loop("forward", [assign("out", field("v", 1, 0, 0))], first),
            loop("forward", [assign("v", binary(field("out", 0, 0, -1), "+", field("u"))),
                             assign("out", field("v"))], rest), fields=("u", "v", "out"))
        u, v, out = numpy.random.default_rng(6).random((3, 4, 3, 4))
        wanted, changed = out.copy(), v.copy()
        wanted[:-1, :, 0] = v[1:, :, 0]
        for k in range(1, 4):
            changed[:-1, :, k] = wanted[:-1, :, k-1] + u[:-1, :, k]
            wanted[:-1, :, k] = changed[:-1, :, k]
        stencil.from_gtscript(made)(u, v, out, on="emulator")
        self.assertEqual((v.tobytes(), out.tobytes()), (changed.tobytes(), wanted.tobytes()))

    def test_what_is_overwritten_is_dropped(self):
        first = interval(end=("start", 1))
        made = gtir(loop("parallel", [assign("out", number(1.0), 3)]),
                    loop("parallel", [assign("out", field("u"), 4)], first),
                    loop("parallel", [assign("out", binary(field("out"), "+", field("u")), 5)]),
                    loop("parallel", [assign("out", number(2.0), 6)], first),
                    loop("parallel", [assign("out", number(3.0), 7)], interval(end=("end", -1))))
        text = inspect.getsource(stencil.from_gtscript(made))
        self.assertEqual([line.rpartition(" ")[2] for line in text.splitlines()[1:]],
                         ["3", "4", "5", "7"])
        u, out = numpy.ones((2, 2, 3)), numpy.zeros((2, 2, 3))
        stencil.from_gtscript(made)(u, out, on="interpreter")
        self.assertEqual(out[0, 0].tolist(), [3.0, 3.0, 2.0])


    def test_negations_of_conditions_that_are_parts_of_the_program(self):
        flag = node("ScalarAccess", name="flag", dtype=dtype("BOOL"))
        negated = node("UnaryOp", op="not", expr=flag, dtype=dtype("BOOL"))
        positive = binary(field("u"), ">", number(0.5), "BOOL")
        both = node("UnaryOp", op="not", expr=binary(flag, "and", positive, "BOOL"),
                    dtype=dtype("BOOL"))
        twice = node("UnaryOp", op="not", expr=binary(negated, "or", flag, "BOOL"),
                     dtype=dtype("BOOL"))
        u = numpy.random.default_rng(5).random((3, 4, 2))
        scalar = node("ScalarDecl", name="flag", dtype=dtype("BOOL"), loc=at(1))
        for condition, wanted in (
                (negated, lambda flag: numpy.full(u.shape, not flag)),
                (binary(negated, "or", positive, "BOOL"), lambda flag: (u > 0.5) | (not flag)),
                (both, lambda flag: ~((u > 0.5) & flag)),
                (twice, lambda flag: numpy.zeros(u.shape, bool))):
            mask = node("FieldDecl", name="mask", dimensions=(True,) * 3, data_dims=(),
                        dtype=dtype("BOOL"), loc=at(1))
            chosen = node("TernaryOp", cond=field("mask", dtype_name="BOOL"),
                          true_expr=binary(field("u"), "+", number(1.0)), false_expr=field("u"),
                          dtype=dtype())
            made = gtir(loop("parallel", [assign("mask", condition), assign("out", chosen)]),
                        more=[scalar])
            made.vertical_loops[0].temporaries = [mask]
            program = stencil.from_gtscript(made)
            for flag_value in (True, False):
                for on in ("interpreter", "emulator"):
                    out = numpy.zeros_like(u)
                    program(u, out, flag_value, on=on)
                    expected = numpy.where(wanted(flag_value), u + 1.0, u)
                    self.assertEqual(out.tobytes(), expected.tobytes())


class Refusals(unittest.TestCase):
    def refuse(self, text, made, **options):
        with self.assertRaises(stencil.TraceError) as caught:
            stencil.from_gtscript(made, **options)
        self.assertTrue(str(caught.exception).endswith(text), str(caught.exception))

    def statement(self, right, **left):
        return gtir(loop("parallel", [assign("out", right, **left)]))

    def test_what_has_no_counterpart(self):
        u = field("u", loc=at(4))
        one = node("While", cond=u, body=[], loc=at(4))
        self.refuse("user.py:4: a loop with 'while' ends at another step at each point; write a "
                    "fixed number of steps out, with conditions", gtir(loop("parallel", [one])))
        moving = node("FieldAccess", name="u", offset=node("VariableKOffset", k=u), data_index=[],
                      dtype=dtype(), loc=at(4))
        self.refuse("user.py:4: 'u' is read at a vertical offset that is computed; read at "
                    "constant offsets, and choose among them with conditions",
                    self.statement(moving))
        plane = node("FieldAccess", name="u", offset=node("AbsoluteKIndex", k=u), data_index=[],
                     dtype=dtype(), loc=at(4))
        self.refuse("user.py:4: 'u' is read at a plane that is computed; read at planes that are "
                    "numbers, as u.at(K=0)", self.statement(plane))
        call = node("NativeFuncCall", func="gamma", args=[u], dtype=dtype(), loc=at(4))
        self.refuse("user.py:4: the function 'gamma' has no counterpart in programs; write it with "
                    "others, or compute it before the call and pass a field", self.statement(call))
        index = node("IteratorAccess", name="I", dtype=dtype("INT32"), loc=at(4))
        self.refuse("user.py:4: the index I is used as a number; pass a field that holds it",
                    self.statement(index))
        product = binary(u, "@", u)
        product.loc = at(4)
        self.refuse("user.py:4: '@' multiplies matrices; write the sums of products",
                    self.statement(product))
        other = node("Novelty", dtype=dtype(), loc=at(4))
        self.refuse("user.py:4: a Novelty has no counterpart in programs; write the stencil with "
                    "@stencil.program", self.statement(other))

    def test_fields_and_intervals(self):
        flat = declared("flat", dimensions=(True, True, False))
        self.refuse("user.py:3: 'flat' has the axes IJ, and is assigned to; assign to a field of "
                    "I, J and K, and take a plane of it",
                    gtir(loop("forward", [assign("flat", field("u"))]), more=[flat]))
        data = declared("data", data_dims=(3,))
        self.refuse("user.py:1: field 'data' has data dimensions; pass a field for each component",
                    gtir(loop("parallel", [assign("out", field("u"))]), more=[data]))
        beyond = interval(end=("end", 1))
        self.refuse("user.py:2: an interval goes beyond the domain; intervals lie inside of it",
                    gtir(loop("parallel", [assign("out", field("u"))], beyond)))
        computed = node("Interval", start=node("RuntimeAxisBound"), end=beyond.end, loc=at(2))
        self.refuse("user.py:2: an interval has an end that is computed; give ends that are "
                    "numbers, as interval(1, -1)",
                    gtir(loop("parallel", [assign("out", field("u"))], computed)))

    def test_arguments(self):
        self.refuse("axes='JIK'; it is 'IJK' or 'KJI'", scan(), axes="JIK")
        self.refuse("halo=(1, 2, -3); give a number of cells, or one for I and one for J, or one "
                    "for each axis, or such for each field", scan(), halo=(1, 2, -3))
        self.refuse("a int is no stencil of GT4Py; give a function in gtscript, or what "
                    "gtscript.stencil made of one", 3)

    def test_stencils_without_results(self):
        made = gtir(loop("parallel", [assign("w", field("u"))], temporaries=["w"]))
        self.refuse("stencil 'module.made' assigns to no argument; assign to a field that is an "
                    "argument", made)

    @unittest.skipIf(importlib.util.find_spec("gt4py"), "gt4py is installed")
    def test_without_gt4py(self):
        self.refuse("GT4Py is not installed, which reads gtscript; pip install gt4py", scan)

    def test_columns_that_are_not_apart(self):
        beside = gtir(loop("forward", [
            assign("out", binary(field("out", 0, 0, -1), "+", field("u"))),
            assign("out", binary(field("out", 1, 0, 0), "+", field("u")))],
            interval(start=("start", 1))))
        with self.assertRaisesRegex(stencil.TraceError, "columns are computed apart"):
            stencil.from_gtscript(beside).mlir(stencil.Array((4, 4, 4)), stencil.Array((4, 4, 4)))


if __name__ == "__main__":
    unittest.main()
