"""Elastic waves on a staggered grid, from their formula."""

from fractions import Fraction

from grid import CENTRE, Window, inner, total

STAGGERED = (
    Fraction(1225, 1024),
    Fraction(-245, 3072),
    Fraction(49, 5120),
    Fraction(-5, 7168),
)
AXES = {"z": (1, 0, 0), "y": (0, 1, 0), "x": (0, 0, 1)}
VELOCITIES = ("vx", "vy", "vz")
STRESSES = ("txx", "tyy", "tzz", "txy", "txz", "tyz")


def stress(a, b):
    """The name of a component: the tensor is symmetric."""
    return "t" + "".join(sorted(a + b))


def slope(field, axis, ahead, c):
    """The derivative half a cell ahead of the field's cells, or half a cell behind them."""
    u = Window(field, 4)

    def cell(n):
        return u(*(n * part for part in AXES[axis]))

    return total(
        c(weight) * (cell(n + ahead) - cell(ahead - 1 - n)) for n, weight in enumerate(STAGGERED)
    )


def half(name, axis):
    """Whether a component lies half a cell on along an axis."""
    return name.count(axis) % 2 == 1


def derivative(f, name, axis, c):
    """Towards where the derivative is: the other end of half a cell."""
    return slope(f[name], axis, 0 if half(name, axis) else 1, c)


def velocity_stress(f, c):
    """The velocities, then the stresses from them."""
    box = inner(3, 4)
    lightness, first, second = (Window(f[n], 4)(*CENTRE) for n in ("buoyancy", "lambda", "mu"))
    for _ in range(3):
        for a in AXES:
            force = total(derivative(f, stress(a, b), b, c) for b in AXES)
            f["v" + a][box] = f["v" + a][box] + lightness * force
        pressure = first * total(derivative(f, "v" + a, a, c) for a in AXES)
        for name in STRESSES:
            a, b = name[1:]
            strain = derivative(f, "v" + a, b, c) + derivative(f, "v" + b, a, c)
            change = second * strain + (pressure if a == b else 0.0)
            f[name][box] = f[name][box] + change
