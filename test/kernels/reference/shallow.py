"""Shallow water in conservative form, from its formula."""

from grid import Window, inner, total

NEIGHBOURS = {"west": (0, -1), "east": (0, 1), "south": (-1, 0), "north": (1, 0)}


def mirrored(h, p, q):
    """Ghost cells outside the walls: the flow through a wall changes its sign."""
    for to, source in ((0, 1), (-1, -2)):
        h[to, :], p[to, :], q[to, :] = h[source, :], p[source, :], -q[source, :]
    for to, source in ((0, 1), (-1, -2)):
        h[:, to], p[:, to], q[:, to] = h[:, source], -p[:, source], q[:, source]


def flows(h, along, across, c):
    """What flows along an axis: depth, momentum along the axis, momentum across it."""
    return along, along * along / h + c(0.5) * h * h, across * along / h


def lax_friedrichs(f, c):
    """Six steps between two fields of each unknown."""
    now, after = [f["h0"], f["p0"], f["q0"]], [f["h1"], f["p1"], f["q1"]]
    for _ in range(6):
        mirrored(*now)
        cells = {
            side: [Window(field, 1)(*at) for field in now] for side, at in NEIGHBOURS.items()
        }
        x = {side: flows(h, p, q, c) for side, (h, p, q) in cells.items()}
        y = {side: flows(h, q, p, c) for side, (h, p, q) in cells.items()}
        for n, field in enumerate(after):
            # The axes' momenta stand in the other order in y.
            turned = (0, 2, 1)[n]
            net = x["east"][n] - x["west"][n] + y["north"][turned] - y["south"][turned]
            mean = c(0.25) * total(cell[n] for cell in cells.values())
            field[inner(2, 1)] = mean - c(0.05) * net
        now, after = after, now
