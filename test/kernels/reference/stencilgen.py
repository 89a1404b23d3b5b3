"""The benchmarks of STENCILGEN, from their formulas.

[Rawat et al., Domain-Specific Optimization and Generation of High-Performance GPU Code for Stencil
Computations, Proceedings of the IEEE 2018]. Each function does all time steps on the fields it is
given, in place. `c` makes constants, `c.single` those that are rounded to single precision first.
"""

from itertools import product

from bounded import sqrt
from grid import CENTRE, CORNERS, EDGES, FACES, Window, inner, rotate, total


def table(rows):
    """Weights of a square around the centre, by their offsets."""
    radius = len(rows) // 2
    offsets = range(-radius, radius + 1)
    return {(y, x): rows[y + radius][x + radius] for y in offsets for x in offsets}


def weighted(u, weights):
    """The sum of weights times cells."""
    return total(weight * u(*at) for at, weight in weights.items())


def j2d5pt(f, c):
    weights = {(-1, 0): 5, (0, -1): 12, (0, 0): 15, (0, 1): 12, (1, 0): 5}
    weights = {at: c(weight) for at, weight in weights.items()}
    rotate(lambda u: weighted(Window(u, 1), weights) / c(118), f["u"], f["v"], 1)


def box_2d(rows, divisor):
    """Integer weights on a square, divided."""

    def run(f, c):
        weights = {at: c(weight) for at, weight in table(rows).items()}
        radius = len(rows) // 2
        rotate(lambda u: weighted(Window(u, radius), weights) / c(divisor), f["u"], f["v"], radius)

    return run


j2d9pt_gol = box_2d([[7, 5, 9], [12, 15, 12], [9, 5, 7]], 118)
gaussian = box_2d(
    [[2, 4, 5, 4, 2], [4, 9, 12, 9, 4], [5, 12, 15, 12, 5], [4, 9, 12, 9, 4], [2, 4, 5, 4, 2]], 159
)


def j2d9pt(f, c):
    down = {(y, 0): c(weight) for y, weight in ((-2, 7), (-1, 5), (1, 5), (2, 7))}
    across = {(0, x): c(weight) for x, weight in ((-2, 9), (-1, 12), (0, 15), (1, 12), (2, 9))}
    rotate(lambda u: weighted(Window(u, 2), down | across) / c(118), f["u"], f["v"], 2)


def gradient(f, c):
    def update(u):
        u = Window(u, 1)
        slopes = [u(0, 0) - u(*at) for at in ((0, -1), (0, 1), (-1, 0), (1, 0))]
        length = sqrt(c.single(0.0001) + total(slope * slope for slope in slopes))
        return u(0, 0) + c(1.0) / length

    rotate(update, f["u"], f["v"], 1)


def j3d7pt(f, c):
    weights = {(0, 0, 1): 0.161, (0, 0, -1): 0.162, (0, 1, 0): 0.163, (0, -1, 0): 0.164}
    weights |= {(1, 0, 0): 0.165, (-1, 0, 0): 0.166, CENTRE: -1.67}
    weights = {at: c.single(weight) for at, weight in weights.items()}
    rotate(lambda u: weighted(Window(u, 1), weights), f["u"], f["v"], 1)


def j3d13pt(f, c):
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    star = [tuple(n * d for d in axis) for axis in axes for n in (-2, -1, 1, 2)]

    def update(u):
        u = Window(u, 2)
        return c.single(0.083) * total(u(*at) for at in star) - c.single(0.996) * u(*CENTRE)

    rotate(update, f["u"], f["v"], 2)


PLANE = [[0.5, 0.7, 0.9], [1.2, 1.5, 1.2], [0.9, 0.7, 0.5]]


def plane(z, more, c):
    """A plane of weights, each of them larger."""
    rows = table(PLANE).items()
    return {(z, y, x): c(round(weight + more, 2)) for (y, x), weight in rows}


def j3d17pt(f, c):
    diagonals = list(product((-1, 1), repeat=2))
    weights = plane(0, 0.01, c)
    weights |= {(-1, y, x): c(0.50) for y, x in diagonals}
    weights |= {(1, y, x): c(0.52) for y, x in diagonals}
    rotate(lambda u: weighted(Window(u, 1), weights) / c(159), f["u"], f["v"], 1)


def j3d27pt(f, c):
    weights = plane(-1, 0.0, c) | plane(0, 0.01, c) | plane(1, 0.02, c)
    rotate(lambda u: weighted(Window(u, 1), weights) / c(159), f["u"], f["v"], 1)


def heat(f, c):
    def update(u):
        u = Window(u, 1)
        curvature = total(u(*at) for at in FACES) - c(6.0) * u(*CENTRE)
        return u(*CENTRE) + c.single(0.125) * curvature

    rotate(update, f["u"], f["v"], 1)


def poisson(f, c):
    def update(u):
        u = Window(u, 1)
        faces, edges = (total(u(*at) for at in shell) for shell in (FACES, EDGES))
        return c.single(2.666) * u(*CENTRE) - c.single(0.166) * faces - c.single(0.0833) * edges

    rotate(update, f["u"], f["v"], 1)


def chebyshev_factors(steps=4):
    """The factors c1 and c2 for eigenvalues between beta / 8 and beta."""
    beta = 2.175
    alpha = beta / 8.0
    theta, delta = (beta + alpha) / 2.0, (beta - alpha) / 2.0
    sigma = theta / delta
    rho = 1.0 / sigma
    c1, c2 = [0.0], [1.0 / theta]
    for _ in range(steps - 1):
        after = 1.0 / (2.0 * sigma - rho)
        c1.append(after * rho)
        c2.append(2.0 * after / delta)
        rho = after
    return {"c1": c1, "c2": c2}


def cheby(f, c):
    box = inner(3, 1)
    now, past = f["ac"], f["ap"]
    inverse, right = (Window(f[name], 1)(*CENTRE) for name in ("dinv", "rhs"))
    for step in range(4):
        u, before = Window(now, 1), Window(past, 1)(*CENTRE)
        corners, edges, faces = (total(u(*at) for at in shell) for shell in (CORNERS, EDGES, FACES))
        shells = c.single(0.03) * corners + c.single(0.1) * edges + c.single(0.46) * faces
        here = u(*CENTRE)
        applied = here - c.single(0.0025) * (shells - c.single(4.26) * here)
        c1, c2 = f["c1"][step], f["c2"][step]
        past[box] = here + c1 * (here - before) + c2 * inverse * (right - applied)
        now, past = past, now


def denoise(f, c):
    gamma, spread = c.single(26.0), c.single(0.0025)

    def update(u):
        near = Window(u, 1)
        slopes = [near(*CENTRE) - near(*at) for at in FACES]
        # Defined on all but the outermost cells, so that its window begins one cell further in.
        g = 1.0 / sqrt(c.negligible(1e-20) + total(slope * slope for slope in slopes))
        g, u, noisy = Window(g.settled(), 1), Window(u, 2), Window(f["f"], 2)(*CENTRE)
        r = u(*CENTRE) * noisy / spread
        above = r * (c.single(2.38944) + r * (c.single(0.950037) + r))
        below = c.single(4.65314) + r * (c.single(2.57541) + r * (c.single(1.48937) + r))
        flow = total(u(*at) * g(*at) for at in FACES) + gamma * noisy * (above / below)
        weight = total(g(*at) for at in FACES) + gamma
        return (u(*CENTRE) + c.single(5.0) * flow) / (1.0 + c.single(5.0) * weight)

    rotate(update, f["u"], f["v"], 2)


def curl(f, c):
    """Twice: on all cells but the last with forward differences, then with backward ones."""
    scale = {axis: c(f[name]) for axis, name in enumerate(("dz", "dy", "dx"))}

    def stage(x, y, z, low, high, side):
        x, y, z = (Window(field, low, high) for field in (x, y, z))

        def d(field, axis):
            there = [0, 0, 0]
            there[axis] = side
            return side * (field(*there) - field(*CENTRE))

        return (
            scale[0] * d(y, 0) - scale[1] * d(z, 1) + x(*CENTRE),
            scale[0] * d(x, 0) - scale[2] * d(z, 2) + y(*CENTRE),
            scale[1] * d(x, 1) - scale[2] * d(y, 2) + z(*CENTRE),
        )

    first = stage(f["x"], f["y"], f["z"], 0, 1, 1)
    second = stage(*first, 1, 0, -1)
    for name, result in zip(("cx", "cy", "cz"), second):
        f[name][inner(3, 1)] = result


def hypterm(constant):
    """`constant` names the method that makes constants: 'single' or '__call__'."""

    def run(f, c):
        make = getattr(c, constant)
        weights = [make(weight) for weight in (0.8, -0.2, 0.038, -0.0035)]
        scales = {"z": make(0.03), "y": make(0.02), "x": make(0.01)}

        def d(axis, term):
            def cells(distance):
                at = [distance if axis == other else 0 for other in "zyx"]
                return term(lambda name: Window(f[name], 4)(*at))

            far = enumerate(weights, start=1)
            return scales[axis] * total(w * (cells(n) - cells(-n)) for n, w in far)

        carried = {"x": "q1", "y": "q2", "z": "q3"}
        momentum = {"x": "c1", "y": "c2", "z": "c3"}
        box = inner(3, 4)
        f["f0"][box] = -total(d(axis, lambda v, m=m: v(m)) for axis, m in momentum.items())
        for out, (along, m) in zip(("f1", "f2", "f3"), momentum.items()):
            f[out][box] = -total(
                d(axis, lambda v, q=q, p=axis == along: v(m) * v(q) + (v("q4") if p else 0.0))
                for axis, q in carried.items()
            )
        f["f4"][box] = -total(
            d(axis, lambda v, q=q: (v("c4") + v("q4")) * v(q)) for axis, q in carried.items()
        )

    return run


def components(f, c):
    """Three steps of a field of three components, each of them updated from the others."""
    u, v = f["u"], f["v"]
    weights = f["c"]
    rows, columns = u.value.shape[0] // 3, weights.value.shape[1] // 2
    for _ in range(3):
        a = [u[rows * n : rows * (n + 1)].copy() for n in range(3)]
        first, second = weights[:, :columns].copy(), weights[:, columns:].copy()
        v[1 : rows - 1] = a[0][: rows - 2] + a[0][2:] + a[1][1:-1] * second[1:-1]
        new = v[:rows].copy()
        line = c(0.25) * a[2][:, :-2] + first[:, 2:] - new[:, 1:-1]
        v[2 * rows : 3 * rows, 1:-1] = line
        v[rows : 2 * rows] = c(0.5) * a[1] + a[2]
        u, v = v, u
    f["u"][...] = u.copy()
