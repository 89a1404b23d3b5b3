"""Programs that are no paper's: stars of one weight, and lines."""

from grid import Window, rotate, total


def star(rank, radius, weight):
    """A point and its neighbours along each axis, all with one weight."""
    axes = [tuple(int(axis == d) for d in range(rank)) for axis in range(rank)]
    distances = [n for n in range(-radius, radius + 1) if n != 0]
    cells = [tuple(n * d for d in axis) for axis in axes for n in distances]
    cells.append((0,) * rank)

    def run(f, c):
        def update(u):
            u = Window(u, radius)
            return c(weight) * total(u(*at) for at in cells)

        rotate(update, f["u"], f["v"], radius)

    return run


def line(weights, divisor):
    """Integer weights along the only axis, divided."""
    radius = len(weights) // 2

    def run(f, c):
        def update(u):
            u = Window(u, radius)
            terms = (c(weight) * u(at - radius) for at, weight in enumerate(weights))
            return total(terms) / c(divisor)

        rotate(update, f["u"], f["v"], radius)

    return run
