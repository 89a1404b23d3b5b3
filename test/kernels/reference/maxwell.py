"""Yee's scheme in a box with conducting walls, from its formula."""

COURANT = 0.5
CROSS = {"x": ("y", "z"), "y": ("z", "x"), "z": ("x", "y")}


def box(component, shape, across):
    """The cells of a component that are not on a wall, inside a ring of one cell.

    E lies on nodes `across` its own axis, H along it, and the first and last nodes are the walls.
    """
    return [
        (2 if (axis != component) == across else 1, extent - 1)
        for axis, extent in zip("zyx", shape, strict=True)
    ]


def moved(field, spans, axis=None, by=0):
    """The cells of a box, moved along an axis."""
    cut = (
        slice(low + by * (name == axis), high + by * (name == axis))
        for name, (low, high) in zip("zyx", spans, strict=True)
    )
    return field[tuple(cut)]


def advance(f, c, to, source, side):
    """One vector field from the curl of the other; `side` is where differences look."""
    changes = {}
    for component, (first, second) in CROSS.items():
        spans = box(component, f[to + component].value.shape, across=to == "e")

        def slope(name, axis, spans=spans):
            field = f[source + name]
            return side * (moved(field, spans, axis, side) - moved(field, spans))

        # Along x: the slope of the z component along y, less that of the y component along z.
        curl = slope(second, first) - slope(first, second)
        here = moved(f[to + component], spans)
        changes[component] = (spans, here - side * c(COURANT) * curl)
    for component, (spans, values) in changes.items():
        f[to + component][tuple(slice(*span) for span in spans)] = values


def yee(f, c):
    """The electric field with backward differences, then the magnetic one with forward ones."""
    for _ in range(5):
        advance(f, c, "e", "h", -1)
        advance(f, c, "h", "e", 1)
