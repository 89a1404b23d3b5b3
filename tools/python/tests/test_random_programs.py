"""Random programs give the bits of NumPy.

A program is drawn as data, in `random_programs`. One reader of it makes a `stencil.program`, the
other evaluates it with `numpy.pad` and slices, and shares nothing with the language.
`STENCIL_RANDOM_PROGRAMS` is the number of programs, `STENCIL_RANDOM_SEED` the first seed.
"""

import collections
import os
import unittest

import numpy

import scenery
from random_programs import HALO, Part, draw, live_levels, loops_of
from scenery import stencil

PROGRAMS = int(os.environ.get("STENCIL_RANDOM_PROGRAMS", "12"))
FIRST = int(os.environ.get("STENCIL_RANDOM_SEED", "0"))
#: Why a program is for one device.
REFUSALS = ("too few for", "is outside of the time loop", "reads planes in the middle",
            "at all its points, which not all windows have")


# ---- through the language -----------------------------------------------------------------------

def boundary(drawn, number):
    declared = []
    for axis, kind in enumerate(drawn.kinds[number]):
        declared.append({
            "periodic": lambda a: stencil.periodic(a), "mirror": lambda a: stencil.mirror(a),
            "point": lambda a: stencil.mirror(a, at="point"),
            "turned": lambda a: stencil.mirror(a, sign=-1),
            "constant": lambda a: stencil.fixed(0.5 + a, a),
            "fixed": lambda a: stencil.fixed(None, a),
            "halo": lambda a: stencil.halo(HALO, a)}[kind](axis))
    return declared


def program(drawn):
    indices = stencil.indices("k j i" if drawn.rank == 3 else "j i" if drawn.rank == 2 else "i")

    element = {"f4": "f32", "f8": "f64"}[drawn.dtype]

    def body(part, fields, scalar, numbers, times, made):
        """Records the statements of a part; `times` are each loop around and its step."""
        def level(number):
            return next((t for loop, t in times if loop.timed[number]), None)

        def value(one):
            kind, *parts = one
            if kind == "number":
                return parts[0]
            if kind == "scalar":
                return scalar
            if kind == "step":
                return stencil.cast(times[parts[0]][1], element)
            if kind == "coordinate":
                return stencil.cast(indices[parts[0]], element)
            if kind == "temporary":
                return made[parts[0]][tuple(i + o for i, o in zip(indices, parts[1]))]
            if kind == "field":
                place = tuple(o[1] if isinstance(o, tuple) else i + o
                              for i, o in zip(indices, parts[2]))
                t = level(parts[0])
                return fields[parts[0]][place if t is None else (t + parts[1], *place)]
            a, *rest = map(value, parts)
            return {"add": lambda: a + rest[0], "sub": lambda: a - rest[0],
                    "mul": lambda: a * rest[0], "mean": lambda: 0.5 * (a + rest[0]),
                    "choose": lambda: stencil.where(a < rest[0], rest[1], rest[2]),
                    "neg": lambda: -a, "magnitude": lambda: abs(a)}[kind]()

        for one in part.statements:
            if isinstance(one, Part):
                loop(one, fields, scalar, numbers, times, made)
                continue
            (kind, number), points, tree = one
            target = list(indices)
            if points is not None:
                target[points[0]] = target[points[0]][points[1][0]:points[1][1]]
            if kind == "temporary":
                made[number] = stencil.temporary("w")
                made[number][tuple(target)] = stencil.cast(value(tree), element)
            elif part.timed[number]:
                fields[number][(times[0][1] + 1, *target)] = value(tree)
            else:
                fields[number][tuple(target)] = value(tree)

    def loop(part, fields, scalar, numbers, times, made):
        steps = {"argument": lambda: numbers[id(part)], "number": lambda: part.steps,
                 "time": lambda: times[0][1] % part.steps}[part.counted]()
        for t in stencil.steps(steps):
            body(part, fields, scalar, numbers, [(part, t), *times], made)

    def run(scalar, steps, *fields):
        numbers = {id(one): n for one, n in zip(loops_of(drawn.parts), steps)}
        for part in drawn.parts:
            (body if part.steps is None else loop)(part, fields, scalar, numbers, [], {})

    names = [drawn.name(number) for number in range(len(drawn.kinds))]
    # A program names its arguments; so does this function of the right number of them.
    scope = {"run": run}
    steps = [f"n{place}" for place, _ in enumerate(loops_of(drawn.parts))]
    exec(f"def drawn({', '.join(names)}, s, {', '.join(steps)}):\n"
         f"    run(s, ({', '.join(steps)},), {', '.join(names)})\n", scope)
    boundaries = {name: boundary(drawn, number) for number, name in enumerate(names)}
    return stencil.program(boundaries=boundaries, merge=drawn.merge)(scope["drawn"])


# ---- through NumPy ------------------------------------------------------------------------------

PAD = 12


def padded(drawn, number, array):
    """The array and what lies beyond it, as far as anything reads."""
    kinds = list(enumerate(drawn.kinds[number]))
    order = {"constant": 0, "fixed": 0, "halo": 0, "periodic": 1}
    for axis, kind in sorted(kinds, key=lambda one: (order.get(one[1], 2), one[0])):
        extent = array.shape[axis]
        most = {"periodic": extent, "mirror": extent, "turned": extent,
                "point": extent - 1}.get(kind, PAD)
        width = [(0, 0)] * drawn.rank
        width[axis] = (min(PAD, most),) * 2
        if kind == "constant":
            array = numpy.pad(array, width, constant_values=array.dtype.type(0.5 + axis))
        elif kind in ("fixed", "halo"):
            array = numpy.pad(array, width, constant_values=numpy.nan)
        else:
            mode = {"periodic": "wrap", "point": "reflect"}.get(kind, "symmetric")
            array = numpy.pad(array, width, mode=mode)
            if kind == "turned":
                place = [slice(None)] * drawn.rank
                for end in (slice(0, width[axis][0]), slice(-width[axis][0], None)):
                    place[axis] = end
                    array[tuple(place)] = -array[tuple(place)]
        rest = PAD - width[axis][0]
        width[axis] = (rest, rest)
        array = numpy.pad(array, width, constant_values=numpy.nan)
    return array


class Evaluator:
    def __init__(self, drawn, arrays, scalar):
        self.drawn = drawn
        self.dtype = numpy.dtype(drawn.dtype).type
        self.scalar = self.dtype(scalar)
        #: The levels of each field, the newest first; that which a step computes is the first.
        self.levels = [list(levels) for levels in arrays]
        #: Whether a step that computes a level is under way, and the steps of the loops around.
        self.open = [False for _ in arrays]
        self.steps = []
        #: What was so when each temporary was assigned to.
        self.then = {}
        self.computed = [numpy.zeros(levels[0].shape, bool) for levels in arrays]
        for part in loops_of(drawn.parts):
            self.computed = [one | self.mask(part, number)
                             for number, one in enumerate(self.computed)]
        # Cells that no step computes are those of the newest level, in all levels.
        for levels, computed in zip(self.levels, self.computed):
            for one in levels[1:]:
                one[~computed] = levels[0][~computed]

    def mask(self, part, number):
        """Which cells of a field some statement of the part computes."""
        found = numpy.zeros(self.levels[number][0].shape, bool)
        for target, points, tree in part.own:
            if target == ("field", number):
                found[self.place(number, points, tree)] = True
        return found

    def run(self):
        """All that the program does."""
        for part in self.drawn.parts:
            (self.body if part.steps is None else self.loop)(part)

    def loop(self, part):
        """All steps of a loop."""
        stepped = [number for number, with_levels in enumerate(part.timed) if with_levels]
        for number in stepped:
            # As at the beginning: those that the steps of this loop do not compute.
            newest, *older = self.levels[number]
            rest = ~self.mask(part, number)
            for one in older:
                one[rest] = newest[rest]
        for step in range(self.steps[0] % part.steps if part.counted == "time" else part.steps):
            self.steps.insert(0, step)
            for number in stepped:
                self.open[number] = True
                self.levels[number].insert(0, self.levels[number][0].copy())
            self.body(part)
            for number in stepped:
                self.open[number] = False
                self.levels[number].pop()
            self.steps.pop(0)

    def body(self, part):
        """The statements of a part, once."""
        for one in part.statements:
            if isinstance(one, Part):
                self.loop(one)
                continue
            (kind, number), points, tree = one
            if kind == "temporary":
                self.then[number] = ([[one.copy() for one in levels] for levels in self.levels],
                                     list(self.open), list(self.steps))
                continue
            now = self.levels, self.open, self.steps
            with numpy.errstate(all="ignore"):
                result = numpy.broadcast_to(self.value(tree, (0,) * self.drawn.rank, now),
                                            self.drawn.extents).astype(self.dtype)
            self.levels[number][0][self.place(number, points, tree)] = result[
                self.region(points, tree)]

    def region(self, points, tree):
        found = [slice(-low, extent - high) for (low, high), extent in
                 zip(self.reach(tree, (0,) * self.drawn.rank), self.drawn.extents)]
        if points is not None:
            found[points[0]] = slice(*points[1])
        return tuple(found)

    def place(self, number, points, tree):
        return tuple(slice(h + r.start, h + r.stop)
                     for h, r in zip(self.shift_of(number), self.region(points, tree)))

    def shift_of(self, number):
        return tuple(HALO if kind == "halo" else 0 for kind in self.drawn.kinds[number])

    def value(self, tree, shift, now):
        kind, *parts = tree
        if kind == "number":
            return parts[0]
        if kind == "scalar":
            return self.scalar
        if kind == "step":
            return self.dtype(now[2][parts[0]])
        if kind == "coordinate":
            shape = [1] * self.drawn.rank
            shape[parts[0]] = self.drawn.extents[parts[0]]
            found = numpy.arange(self.drawn.extents[parts[0]]) + shift[parts[0]]
            return found.astype(self.dtype).reshape(shape)
        if kind == "temporary":
            moved = tuple(s + o for s, o in zip(shift, parts[1]))
            return self.value(self.drawn.temporaries[parts[0]], moved, self.then[parts[0]])
        if kind == "field":
            number, level, offsets = parts
            levels, is_open, _ = now
            array = padded(self.drawn, number,
                           levels[number][1 - level if is_open[number] else 0])
            halo = self.shift_of(number)
            return array[tuple(
                slice(PAD + h + o[1] % extent, PAD + h + o[1] % extent + 1) if isinstance(o, tuple)
                else slice(PAD + h + s + o, PAD + h + s + o + extent) for h, s, o, extent in
                zip(halo, shift, offsets, self.drawn.extents))]
        values = [self.value(one, shift, now) for one in parts]
        if kind == "choose" or not all(type(one) is float for one in values):
            # Arithmetic of numbers alone is Python's; beside others they take their type.
            values = [self.dtype(one) if type(one) is float else one for one in values]
        a, *rest = values
        half = 0.5 if type(a) is float else self.dtype(0.5)
        return {"add": lambda: a + rest[0], "sub": lambda: a - rest[0],
                "mul": lambda: a * rest[0], "mean": lambda: half * (a + rest[0]),
                "choose": lambda: numpy.where(a < rest[0], rest[1], rest[2]),
                "neg": lambda: -a, "magnitude": lambda: abs(a)}[kind]()

    def reach(self, tree, shift):
        """How far reads of fields with fixed ends go, along each axis."""
        kind, *parts = tree
        if kind == "temporary":
            moved = tuple(s + o for s, o in zip(shift, parts[1]))
            return self.reach(self.drawn.temporaries[parts[0]], moved)
        found = [(0, 0)] * self.drawn.rank
        if kind == "field":
            return [(min(0, s + o), max(0, s + o))
                    if kind == "fixed" and not isinstance(o, tuple) else (0, 0)
                    for kind, s, o in zip(self.drawn.kinds[parts[0]], shift, parts[2])]
        for one in parts:
            if isinstance(one, tuple):
                found = [(min(a[0], b[0]), max(a[1], b[1]))
                         for a, b in zip(found, self.reach(one, shift))]
        return found


# ---- compared -----------------------------------------------------------------------------------

class RandomPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scenery.needs_compiler()

    def compare(self, drawn, seed, backends):
        content = numpy.random.default_rng(seed)
        start = []
        for number, kinds in enumerate(drawn.kinds):
            shape = [extent + (2 * HALO if kind == "halo" else 0)
                     for extent, kind in zip(drawn.extents, kinds)]
            newest = content.uniform(-1, 1, shape).astype(drawn.dtype)
            older = [newest.copy() for _ in range(live_levels(drawn, number) - 1)]
            for one in older:
                # Levels differ inside; what no statement computes is the same in all of them.
                inside = tuple(slice(HALO, -HALO) for _ in shape)
                one[inside] = content.uniform(-1, 1, one[inside].shape)
            start.append([newest, *older])
        expected = Evaluator(drawn, [[one.copy() for one in levels] for levels in start],
                             drawn.scalar)
        traced = program(drawn)
        steps = [part.steps for part in loops_of(drawn.parts)]
        try:
            traced.compile(*map(tuple, start), drawn.scalar, *steps)
        except stencil.TraceError as error:
            # A statement for some points may read others that are computed nowhere before it.
            self.assertIn("nothing has assigned to yet", str(error))
            return
        try:
            expected.run()
            for on in backends:
                given = [tuple(one.copy() for one in reversed(levels)) for levels in start]
                traced(*(one if len(one) > 1 else one[0] for one in given), drawn.scalar, *steps,
                       **on)
                for number, (found, wanted) in enumerate(zip(given, expected.levels)):
                    for age, (one, two) in enumerate(zip(reversed(found), wanted)):
                        two = numpy.where(expected.computed[number] if age else True, two,
                                          start[number][age])
                        self.assert_same(one, two, f"seed {seed} on {on}, {drawn.name(number)}, "
                                         f"age {age}, {drawn}")
        finally:
            traced.clear()

    def assert_same(self, found, expected, what):
        bits = {4: numpy.uint32, 8: numpy.uint64}[found.itemsize]
        same = (found.view(bits) == expected.view(bits)) | (numpy.isnan(found)
                                                            & numpy.isnan(expected))
        self.assertTrue(same.all(), f"{(~same).sum()} of {same.size} cells differ: {what}")

    def test_they_give_the_bits_of_numpy(self):
        for seed in range(FIRST, FIRST + PROGRAMS):
            with self.subTest(seed=seed):
                self.compare(draw(seed), seed, [{"on": "interpreter"}, {"on": "emulator"}])

    def test_several_devices_give_the_bits_of_numpy(self):
        refused = collections.Counter()
        for seed in range(FIRST, FIRST + PROGRAMS):
            backend = {"on": "emulator", "device": [0] * (2 + seed % 2)}
            with self.subTest(seed=seed):
                try:
                    drawn = draw(seed, planes=30)
                    # A program that devices share has one loop, and most statements beside it are
                    # refused.
                    drawn.parts = [next(one for one in drawn.parts if one.steps is not None)]
                    for one in loops_of(drawn.parts)[1:]:
                        one.counted = "number"
                    self.compare(drawn, seed, [backend])
                except stencil.CompileError as error:
                    reasons = [one for one in REFUSALS if one in str(error)]
                    self.assertTrue(reasons, str(error))
                    refused[reasons[0]] += 1
        self.assertLess(refused.total(), PROGRAMS / 2, refused)


if __name__ == "__main__":
    unittest.main()
