"""Random programs as data: fields with boundaries, loops in loops, statements, expressions.

What is drawn says nothing of how it is run; `test_random_programs` makes a program of the language
of it, and evaluates it with NumPy.
"""

import random
from dataclasses import dataclass, field
from typing import Optional

KINDS = ("periodic", "mirror", "point", "turned", "constant", "fixed", "halo")
HALO = 4
#: How deep loops are in loops, the outermost among them.
DEPTH = 3


@dataclass
class Part:
    """A loop, or statements outside of loops. Statements are (target, restriction, expression),
    and parts are loops inside."""

    #: For each field whether it has levels here.
    timed: list
    #: None: outside of loops.
    steps: Optional[int]
    statements: list = field(default_factory=list)
    #: Where the number of steps comes from: "argument", "number", or "time", the step of the loop
    #: around modulo `steps`.
    counted: str = "argument"

    @property
    def inner(self):
        """The loops in its body."""
        return [one for one in self.statements if isinstance(one, Part)]

    @property
    def own(self):
        """The statements of its body, without those of loops in it."""
        return [one for one in self.statements if not isinstance(one, Part)]


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
    #: The expression of each temporary.
    temporaries: list = field(default_factory=list)

    def name(self, number):
        return f"f{number}"


@dataclass
class Around:
    """What a loop may use of the loops around it."""

    #: Fields that they step, which it must not assign to.
    stepped: set = field(default_factory=set)
    #: Fields with a new level, or values, already; and temporaries.
    stored: set = field(default_factory=set)
    temporaries: list = field(default_factory=list)
    #: How many loops are around, itself among them.
    depth: int = 1


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
    draw_loop(chance, drawn, loop, Around())
    drawn.parts = [loop]
    if chance.random() < 0.3:
        drawn.parts.insert(0, draw_outside(chance, drawn))
    if chance.random() < 0.15:
        drawn.parts.append(draw_outside(chance, drawn))
    if chance.random() < 0.3:
        again = Part([chance.random() < 0.8 for _ in range(count)], chance.randint(0, 4))
        draw_loop(chance, drawn, again, Around())
        drawn.parts.append(again)
    return drawn


def draw_loop(chance, drawn, loop, around):
    """Statements of a loop: temporaries, fields, some points of them again, and loops inside."""
    targets = {one for one in range(len(drawn.kinds)) if one not in around.stepped}
    # A field that it steps is stepped by no loop inside.
    mine = {one for one in targets if loop.timed[one]}
    temporaries, has_own = list(around.temporaries), False
    seen, stored = set(around.stored), set()

    def store(target):
        loop.statements.append((("field", target), None,
                                expression(chance, drawn, seen, temporaries, 3, around.depth)))
        stored.add(target)
        seen.add(target)

    for _ in range(chance.randint(1, 3)):
        if around.depth < DEPTH and targets - mine and chance.random() < 0.3:
            loop.statements.append(draw_inner(chance, drawn, loop, Around(
                around.stepped | mine, set(seen), temporaries, around.depth + 1)))
        if not has_own and chance.random() < 0.4:
            has_own = True
            tree = expression(chance, drawn, seen, [], 3, around.depth)
            loop.statements.append((("temporary", len(drawn.temporaries)), None, tree))
            temporaries.append(len(drawn.temporaries))
            drawn.temporaries.append(tree)
            continue
        left = sorted(targets - stored)
        if not left:
            break
        store(chance.choice(left))
        if chance.random() < 0.25:
            target = loop.statements[-1][0]
            loop.statements.append((target, some_points(chance, drawn),
                                    expression(chance, drawn, seen, [], 1, around.depth,
                                               centre=True)))
    if not stored:
        store(min(targets))
    if around.depth < DEPTH and targets - mine and chance.random() < 0.15:
        loop.statements.append(draw_inner(chance, drawn, loop, Around(
            around.stepped | mine, set(seen), temporaries, around.depth + 1)))
    # A level of time that nothing computes does not exist.
    loop.timed = [with_levels and number in stored for number, with_levels in enumerate(loop.timed)]


def draw_inner(chance, drawn, loop, around):
    """A loop in a loop; it may have levels of what the loops around it do not step."""
    counted = chance.choice(["argument", "argument", "number", "time"])
    inner = Part([number not in around.stepped and chance.random() < 0.8
                  for number in range(len(drawn.kinds))],
                 chance.randint(1 if counted == "time" else 0, 3), counted=counted)
    # Its own levels have no values yet.
    around.stored -= {number for number, with_levels in enumerate(inner.timed) if with_levels}
    draw_loop(chance, drawn, inner, around)
    return inner


def draw_outside(chance, drawn):
    """Statements of a few points, or of all, outside of loops."""
    part = Part([False] * len(drawn.kinds), None)
    count = len(drawn.kinds)
    for target in chance.sample(range(count), min(count, chance.randint(1, 2))):
        points = some_points(chance, drawn) if chance.random() < 0.7 else None
        tree = expression(chance, drawn, set(), [], 2, 0, centre=points is not None)
        part.statements.append((("field", target), points, tree))
    return part


def some_points(chance, drawn):
    """An axis, and the first and the end of some points along it."""
    axis = chance.randrange(drawn.rank)
    extent = drawn.extents[axis]
    return axis, chance.choice([(0, 1), (3, 6), (extent - 1, extent)])


def expression(chance, drawn, stored, temporaries, depth, loops, centre=False):
    if depth == 0 or chance.random() < 0.15:
        return leaf(chance, drawn, stored, temporaries, loops, centre)
    kind = chance.choice(["add", "sub", "mul", "add", "mean", "choose", "neg", "magnitude"])
    parts = [expression(chance, drawn, stored, temporaries, depth - 1, loops, centre)
             for _ in range({"choose": 4, "neg": 1, "magnitude": 1}.get(kind, 2))]
    return (kind, *parts)


def leaf(chance, drawn, stored, temporaries, loops, centre):
    if chance.random() < 0.15:
        return ("number", chance.choice([0.5, 0.1, -1.25, 3.0, 1 / 3]))
    if chance.random() < 0.1:
        return ("scalar",)
    if loops and chance.random() < 0.06:
        return ("step", chance.randrange(loops))
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


# ---- what follows from what is drawn ------------------------------------------------------------

def loops_of(parts):
    """All loops, those in loops behind the ones around them."""
    found = []
    for one in parts:
        found += [*([] if one.steps is None else [one]), *loops_of(one.inner)]
    return found


def live_levels(drawn, number):
    """How many levels of a field a call gives."""
    def oldest(tree):
        kind, *parts = tree
        if kind == "field" and parts[0] == number:
            return parts[1]
        return min((oldest(one) for one in parts if isinstance(one, tuple) and one
                    and isinstance(one[0], str)), default=0)

    def stepped(part):
        """The oldest level that the statements of a loop read, those of loops in it among them."""
        return min([oldest(tree) for _, _, tree in part.own]
                   + [stepped(one) for one in part.inner])

    return max(1 - min(0, stepped(one)) if one.timed[number] else 1
               for one in loops_of(drawn.parts))
