"""The heat equation with three kinds of boundaries, from its formula."""

from grid import FACES, Window, inner, total

A = 0.125


def stepped(u, c):
    """u + a (the sum of the six neighbours - 6 u)."""
    u = Window(u, 1)
    return u(0, 0, 0) + c(A) * (total(u(*at) for at in FACES) - c(6.0) * u(0, 0, 0))


def heat3d(steps, ghost):
    """`ghost` is which planes the low and the high ghost plane copy, or None."""

    def run(f, c):
        now, after = f["u"], f["v"]
        for _ in range(steps):
            for axis in range(3) if ghost else ():
                for plane, source in zip((0, -1), ghost):
                    # Planes with all their ghost cells: an edge is filled along both its axes.
                    to, source = (
                        tuple(n if axis == other else slice(None) for other in range(3))
                        for n in (plane, source)
                    )
                    now[to] = now[source]
            after[inner(3, 1)] = stepped(now, c)
            now, after = after, now

    return run


fixed = heat3d(6, None)
mirrored = heat3d(4, (1, -2))
periodic = heat3d(4, (-2, 1))
