"""Programs in the forms of 2017: arrays that are computed start as zeros.

They are zero outside of the points that are computed, too.
"""

from grid import Window, inner


def filled(field, box, values):
    """A field that is zero outside of a box."""
    field[...] = field.__class__(0.0 * field.value)
    field[box] = values
    return field


def blank(field):
    """A field of zeros of the same shape."""
    return field.__class__(0.0 * field.value)


def returned(f, c):
    box, h, field = inner(3, 1), f["h"], f["input"]
    for _ in range(3):
        u = Window(field, 1)
        line = c(0.25) * u(0, 0, 1) + c(0.5) * u(0, 0, -1)
        far = c(0.125) * (u(0, 1, 0) + u(0, -1, 0))
        new = line + far + c(0.375) * u(1, 0, 0) + c(0.75) * u(-1, 0, 0) - h * u(0, 0, 0)
        field = filled(blank(f["input"]), box, new)
    f["output"][...] = field


def temporary(f, c):
    box, field = inner(2, 1), f["in"]
    for weight in (f["a"], f["b"]):
        u = Window(field, 1)
        line = c(2.5) * u(0, 0) - c(0.125) * (u(0, -1) + u(0, 1))
        out = filled(blank(f["in"]), box, line - weight * (u(-1, 0) + u(1, 0)))
        # Only cells before the point are read: the last row and column are computed.
        v = Window(out, 1, 0)
        new = c(0.5) * v(0, 0) - (c(0.75) * v(0, 0) - c(0.375) * (v(0, -1) + v(-1, 0)))
        field = filled(blank(f["in"]), inner(2, 1, 0), new)
    f["out2"][...] = field
