"""The lattice Boltzmann method with nineteen velocities, from its formula."""

from fractions import Fraction
from itertools import product

from grid import total

# Names of the directions along x, y and z; a velocity's name has z first, then y, then x.
NAMES = ({1: "e", -1: "w", 0: ""}, {1: "n", -1: "s", 0: ""}, {1: "t", -1: "b", 0: ""})
WEIGHTS = (Fraction(1, 3), Fraction(1, 18), Fraction(1, 36))
RELAXATION = 0.6


def name(velocity):
    """What a distribution is called."""
    return "".join(NAMES[axis][velocity[axis]] for axis in (2, 1, 0)) or "rest"


VELOCITIES = {
    name(velocity): velocity
    for velocity in product((-1, 0, 1), repeat=3)
    if sum(map(abs, velocity)) <= 2
}
FIELDS = tuple(f"{name}{level}" for level in (0, 1) for name in VELOCITIES)


def wrapped(now):
    """Ghost cells of x, then of y, in the directions that point inwards."""
    for axis in (0, 1):
        for q, velocity in VELOCITIES.items():
            if velocity[axis] == 0:
                continue
            to, source = (1, -3) if velocity[axis] > 0 else (-2, 2)
            # What is filled along y includes the ghost cells of x.
            if axis == 0:
                now[q][1:-1, 2:-2, to] = now[q][1:-1, 2:-2, source]
            else:
                now[q][1:-1, to, 1:-1] = now[q][1:-1, source, 1:-1]


def reflected(now):
    """Ghost cells at the plates: what the cell behind them has sent in the other direction."""
    _, rows, columns = now["rest"].value.shape
    for q, (x, y, z) in VELOCITIES.items():
        if z != 0:
            to, source = (0, 1) if z > 0 else (-1, -2)
            sent = now[name((-x, -y, -z))][source, 2:-2, 2:-2]
            now[q][to, 2 - y : rows - 2 - y, 2 - x : columns - 2 - x] = sent


def streamed(now, q):
    """What arrives in each cell: from the neighbour against the direction."""
    x, y, z = VELOCITIES[q]
    planes, rows, columns = now[q].value.shape
    return now[q][1 - z : planes - 1 - z, 2 - y : rows - 2 - y, 2 - x : columns - 2 - x]


def boltzmann(f, c):
    """Two fields in turn for each direction."""
    now, after = ({q: f[f"{q}{level}"] for q in VELOCITIES} for level in (0, 1))
    for _ in range(3):
        wrapped(now)
        reflected(now)
        arrived = {q: streamed(now, q) for q in VELOCITIES}
        density = total(arrived.values())
        flow = [
            total(v[axis] * arrived[q] for q, v in VELOCITIES.items() if v[axis])
            for axis in range(3)
        ]
        # Divided by the density, and from there on an input.
        speed = [(part / density).settled() for part in flow]
        squares = total(part * part for part in speed)
        for q, velocity in VELOCITIES.items():
            weight = c(WEIGHTS[sum(map(abs, velocity))])
            form = c(1.0) - c(1.5) * squares
            if q != "rest":
                along = total(n * part for n, part in zip(velocity, speed, strict=True) if n)
                form = form + c(3.0) * along + c(4.5) * along * along
            rest = weight * density * form
            mixed = c(1.0 - RELAXATION) * arrived[q] + c(RELAXATION) * rest
            after[q][1:-1, 2:-2, 2:-2] = mixed
        now, after = after, now
