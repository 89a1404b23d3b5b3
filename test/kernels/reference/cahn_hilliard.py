"""The Cahn-Hilliard equation, from its formula."""

from grid import Window, inner, total, wrapped

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def laplacian(u, c):
    """The neighbours, less four times the centre; one cell less at each end."""
    u = Window(u, 1)
    return total(u(*at) for at in SIDES) - c(4.0) * u(0, 0)


def cahn_hilliard(steps, periodic):
    """Two fields in turn."""

    def run(f, c):
        now, after = f["u"], f["v"]
        for _ in range(steps):
            if periodic:
                wrapped(now, 2)
            near = now[inner(2, 1)]
            potential = near * near * near - c(1.0) * near - c(0.5) * laplacian(now, c)
            box = inner(2, 2)
            after[box] = now[box] + c(0.02) * laplacian(potential, c)
            now, after = after, now

    return run


fixed = cahn_hilliard(6, periodic=False)
periodic = cahn_hilliard(4, periodic=True)
