"""Random programs give the bits of NumPy.

A program is drawn as data: fields with boundaries, statements, expressions. One reader of it makes
a `stencil.program`, the other evaluates it with `numpy.pad` and slices, and shares nothing with the
language. `STENCIL_RANDOM_PROGRAMS` is the number of programs, `STENCIL_RANDOM_SEED` the first seed.
"""

import collections
import os
import random
import unittest
from dataclasses import dataclass, field
from typing import Optional

import numpy

import scenery
from scenery import stencil

PROGRAMS = int(os.environ.get("STENCIL_RANDOM_PROGRAMS", "12"))
FIRST = int(os.environ.get("STENCIL_RANDOM_SEED", "0"))
KINDS = ("periodic", "mirror", "point", "turned", "constant", "fixed", "halo")
HALO = 4
#: Why a program is for one device.
REFUSALS = ("too few for", "is outside of the time loop", "reads planes in the middle",
            "at all its points, which not all windows have")


@dataclass
class Part:
    """A loop, or statements outside of loops. Statements are (target, restriction, expression)."""

    #: For each field whether it has levels here.
    timed: list
    #: None: outside of loops.
    steps: Optional[int]
    statements: list = field(default_factory=list)


@dataclass
class Drawn:
    """A program as data."""

    rank: int
    extents: tuple
    dtype: str
    #: For each field the kind of boundary along each axis.
    kinds: list
    parts: list = field(default_factory=list)
    scalar: float = 0.0
    merge: bool = True

    def name(self, number):
        return f"f{number}"


def draw(seed, planes=0):
    """A program; with so many planes more along the slowest dimension."""
    chance = random.Random(seed)
    rank = chance.randint(1, 3)
    extents = tuple(chance.randint(9, 14) if rank < 3 else chance.randint(9, 11)
                    for _ in range(rank))
    extents = (extents[0] + planes, *extents[1:])
    count = chance.randint(1, 3)
    # Fields with a halo have it along all axes, so that what is drawn stays inside.
    kinds = [[chance.choice(KINDS[:-1]) for _ in range(rank)] if chance.random() < 0.8
             else ["halo"] * rank for _ in range(count)]
    timed = [chance.random() < 0.7 for _ in range(count)]
    drawn = Drawn(rank, extents, chance.choice(["f4", "f8"]), kinds)
    loop = Part(timed, chance.randint(0, 5))
    drawn.scalar, drawn.merge = round(chance.uniform(-1, 1), 3), chance.random() < 0.7
    draw_loop(chance, drawn, loop)
    drawn.parts = [loop]
    if chance.random() < 0.3:
        drawn.parts.insert(0, draw_outside(chance, drawn))
    if chance.random() < 0.15:
        drawn.parts.append(draw_outside(chance, drawn))
    if chance.random() < 0.3:
        again = Part([chance.random() < 0.8 for _ in range(count)], chance.randint(0, 4))
        draw_loop(chance, drawn, again)
        drawn.parts.append(again)
    return drawn


def draw_loop(chance, drawn, loop):
    """Statements of a loop: temporaries, fields, and some points of them again."""
    temporaries = []
    stored = set()
    for _ in range(chance.randint(1, 3)):
        if not temporaries and chance.random() < 0.4:
            loop.statements.append((("temporary", len(temporaries)), None,
                                    expression(chance, drawn, stored, [], 3)))
            temporaries.append(len(loop.statements) - 1)
            continue
        targets = [one for one in range(len(drawn.kinds)) if one not in stored]
        if not targets:
            break
        target = chance.choice(targets)
        loop.statements.append((("field", target), None,
                                expression(chance, drawn, stored, temporaries, 3)))
        stored.add(target)
        if chance.random() < 0.25:
            loop.statements.append((("field", target), some_points(chance, drawn),
                                    expression(chance, drawn, stored, [], 1, centre=True)))
    if not stored:
        loop.statements.append((("field", 0), None,
                                expression(chance, drawn, stored, temporaries, 3)))
        stored.add(0)
    # A level of time that nothing computes does not exist.
    for number in range(len(drawn.kinds)):
        loop.timed[number] = loop.timed[number] and number in stored


def draw_outside(chance, drawn):
    """Statements of a few points, or of all, outside of loops."""
    part = Part([False] * len(drawn.kinds), None)
    count = len(drawn.kinds)
    for target in chance.sample(range(count), min(count, chance.randint(1, 2))):
        points = some_points(chance, drawn) if chance.random() < 0.7 else None
        tree = expression(chance, drawn, set(), [], 2, centre=points is not None)
        part.statements.append((("field", target), points, tree))
    return part


def some_points(chance, drawn):
    """An axis, and the first and the end of some points along it."""
    axis = chance.randrange(drawn.rank)
    extent = drawn.extents[axis]
    return axis, chance.choice([(0, 1), (3, 6), (extent - 1, extent)])


def expression(chance, drawn, stored, temporaries, depth, centre=False):
    if depth == 0 or chance.random() < 0.15:
        return leaf(chance, drawn, stored, temporaries, centre)
    kind = chance.choice(["add", "sub", "mul", "add", "mean", "choose", "neg", "magnitude"])
    parts = [expression(chance, drawn, stored, temporaries, depth - 1, centre)
             for _ in range({"choose": 4, "neg": 1, "magnitude": 1}.get(kind, 2))]
    return (kind, *parts)


def leaf(chance, drawn, stored, temporaries, centre):
    if chance.random() < 0.15:
        return ("number", chance.choice([0.5, 0.1, -1.25, 3.0, 1 / 3]))
    if chance.random() < 0.1:
        return ("scalar",)
    if not centre and chance.random() < 0.08:
        return ("coordinate", chance.randrange(drawn.rank))
    offsets = tuple(0 if centre else chance.randint(-2, 2) for _ in range(drawn.rank))
    if temporaries and chance.random() < 0.4:
        return ("temporary", chance.choice(temporaries), offsets)
    number = chance.randrange(len(drawn.kinds))
    if not centre and drawn.rank > 1 and chance.random() < 0.08:
        # A plane that does not move.
        axis = chance.randrange(drawn.rank)
        offsets = (*offsets[:axis], ("at", chance.choice([0, 2, -1])), *offsets[axis + 1:])
    level = chance.choice([0, 0, -1] + ([1, 1] if number in stored else []))
    return ("field", number, level, offsets)


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

    def body(part, fields, scalar, t):
        made = {}

        def value(one):
            kind, *parts = one
            if kind == "number":
                return parts[0]
            if kind == "scalar":
                return scalar
            if kind == "coordinate":
                return stencil.cast(indices[parts[0]], {"f4": "f32", "f8": "f64"}[drawn.dtype])
            if kind == "temporary":
                return made[parts[0]][tuple(i + o for i, o in zip(indices, parts[1]))]
            if kind == "field":
                place = tuple(o[1] if isinstance(o, tuple) else i + o
                              for i, o in zip(indices, parts[2]))
                if not part.timed[parts[0]]:
                    return fields[parts[0]][place]
                return fields[parts[0]][(t + parts[1], *place)]
            a, *rest = map(value, parts)
            return {"add": lambda: a + rest[0], "sub": lambda: a - rest[0],
                    "mul": lambda: a * rest[0], "mean": lambda: 0.5 * (a + rest[0]),
                    "choose": lambda: stencil.where(a < rest[0], rest[1], rest[2]),
                    "neg": lambda: -a, "magnitude": lambda: abs(a)}[kind]()

        for place, ((kind, number), points, tree) in enumerate(part.statements):
            target = list(indices)
            if points is not None:
                target[points[0]] = target[points[0]][points[1][0]:points[1][1]]
            if kind == "temporary":
                made[place] = stencil.temporary("w")
                made[place][tuple(target)] = stencil.cast(
                    value(tree), {"f4": "f32", "f8": "f64"}[drawn.dtype])
            elif part.timed[number]:
                fields[number][(t + 1, *target)] = value(tree)
            else:
                fields[number][tuple(target)] = value(tree)

    def run(scalar, steps, *fields):
        for part, number in zip(drawn.parts, steps):
            if part.steps is None:
                body(part, fields, scalar, None)
            else:
                for t in stencil.steps(number):
                    body(part, fields, scalar, t)

    names = [drawn.name(number) for number in range(len(drawn.kinds))]
    # A program names its arguments; so does this function of the right number of them.
    scope = {"run": run}
    steps = [f"n{place}" for place in range(len(drawn.parts))]
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
        #: The levels of each field, the newest first.
        self.levels = [list(levels) for levels in arrays]
        self.computed = [numpy.zeros(levels[0].shape, bool) for levels in arrays]
        for part in drawn.parts:
            if part.steps is not None:
                self.part = part
                self.computed = [one | self.mask(number)
                                 for number, one in enumerate(self.computed)]
        # Cells that no step computes are those of the newest level, in all levels.
        for levels, computed in zip(self.levels, self.computed):
            for one in levels[1:]:
                one[~computed] = levels[0][~computed]

    def mask(self, number):
        """Which cells of a field some statement of the part computes."""
        found = numpy.zeros(self.levels[number][0].shape, bool)
        for target, points, tree in self.part.statements:
            if target == ("field", number):
                found[self.place(number, points, tree)] = True
        return found

    def run(self):
        """All that the program does."""
        for self.part in self.drawn.parts:
            for number, levels in enumerate(self.levels):
                if self.part.timed[number]:
                    # As at the beginning: those that the steps of this loop do not compute.
                    rest = ~self.mask(number)
                    for one in levels[1:]:
                        one[rest] = levels[0][rest]
            for _ in range(1 if self.part.steps is None else self.part.steps):
                self.step()

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
        if kind == "coordinate":
            shape = [1] * self.drawn.rank
            shape[parts[0]] = self.drawn.extents[parts[0]]
            found = numpy.arange(self.drawn.extents[parts[0]]) + shift[parts[0]]
            return found.astype(self.dtype).reshape(shape)
        if kind == "temporary":
            moved = tuple(s + o for s, o in zip(shift, parts[1]))
            return self.value(self.part.statements[parts[0]][2], moved, self.then[parts[0]])
        if kind == "field":
            number, level, offsets = parts
            array = padded(self.drawn, number, now[number][1 - level]
                           if self.part.timed[number] else now[number][0])
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
            return self.reach(self.part.statements[parts[0]][2], moved)
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

    def step(self):
        timed = self.part.timed
        now = [[levels[0].copy(), *levels] if with_levels else levels
               for levels, with_levels in zip(self.levels, timed)]
        #: What fields held when each temporary was assigned to.
        self.then = {}
        for place, ((kind, number), points, tree) in enumerate(self.part.statements):
            if kind == "temporary":
                self.then[place] = [[one.copy() for one in levels] for levels in now]
                continue
            with numpy.errstate(all="ignore"):
                result = numpy.broadcast_to(self.value(tree, (0,) * self.drawn.rank, now),
                                            self.drawn.extents).astype(self.dtype)
            now[number][0][self.place(number, points, tree)] = result[self.region(points, tree)]
        self.levels = [levels[:-1] if with_levels else levels
                       for levels, with_levels in zip(now, timed)]


# ---- compared -----------------------------------------------------------------------------------

def live_levels(drawn, number):
    """How many levels of a field a call gives."""
    def oldest(tree):
        kind, *parts = tree
        if kind == "field" and parts[0] == number:
            return parts[1]
        return min((oldest(one) for one in parts if isinstance(one, tuple) and one
                    and isinstance(one[0], str)), default=0)

    live = 1
    for part in drawn.parts:
        if part.timed[number]:
            live = max(live, 1 - min(oldest(tree) for _, _, tree in part.statements))
    return live


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
        steps = [part.steps or 0 for part in drawn.parts]
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
                    self.compare(drawn, seed, [backend])
                except stencil.CompileError as error:
                    reasons = [one for one in REFUSALS if one in str(error)]
                    self.assertTrue(reasons, str(error))
                    refused[reasons[0]] += 1
        self.assertLess(refused.total(), PROGRAMS / 2, refused)


if __name__ == "__main__":
    unittest.main()
