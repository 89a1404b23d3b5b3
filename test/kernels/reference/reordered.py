"""The kernels of the statement-reordering framework, from their formulas.

[Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018]. Each function does one
step on the fields it is given, in place. `c` makes constants.
"""

from itertools import product

from grid import CENTRE, CORNERS, EDGES, FACES, Window, inner, total


def shells(f, c):
    """3d27pt."""
    u = Window(f["in"], 1)
    parts = ((0.125, [CENTRE]), (1.14, FACES), (1.031, EDGES), (0.75, CORNERS))
    f["out"][inner(3, 1)] = total(c(w) * total(u(*at) for at in shell) for w, shell in parts)


def by_distance(weights, radius, symmetric):
    """Weights by the distances along the axes; `symmetric`: whatever the order of the axes."""

    def weight(at):
        distances = tuple(map(abs, at))
        return weights[tuple(sorted(distances, reverse=True)) if symmetric else distances]

    rank = len(next(iter(weights)))
    return {at: weight(at) for at in product(range(-radius, radius + 1), repeat=rank)}


BOX_25 = {(2, 2): 0.1, (2, 1): 0.2, (2, 0): 0.3, (1, 2): 1.1, (1, 1): 1.2, (1, 0): 1.3}
BOX_25 |= {(0, 2): 2.1, (0, 1): 2.2, (0, 0): 2.3}


def box_2d25pt(f, c):
    u = Window(f["in"], 2)
    weights = by_distance(BOX_25, 2, symmetric=False)
    f["out"][inner(2, 2)] = total(c(weight) * u(*at) for at, weight in weights.items())


DIAGONAL_64 = {(4, 4): 1.274495, (4, 3): -0.000136017, (4, 2): 0.000714, (4, 1): -0.002856}
DIAGONAL_64 |= {(3, 3): 0.00145161, (3, 2): -0.00762, (3, 1): 0.03048, (2, 2): 0.04}
DIAGONAL_64 |= {(2, 1): -0.16, (1, 1): 0.64}


def diagonal_2d64pt(f, c):
    u = Window(f["in"], 4)
    distances = [d for d in range(-4, 5) if d != 0]

    def term(y, x):
        weight = c(DIAGONAL_64[max(abs(y), abs(x)), min(abs(y), abs(x))])
        return weight * u(y, x) if y * x > 0 else -weight * u(y, x)

    f["out"][inner(2, 4)] = total(term(y, x) for y, x in product(distances, repeat=2))


BOX_81 = {(4, 4): 3.1862206, (4, 3): 4.5339005, (4, 2): -0.000357, (4, 1): 0.002856}
BOX_81 |= {(4, 0): -0.00508225, (3, 3): 0.00064516, (3, 2): -0.00508, (3, 1): 0.04064}
BOX_81 |= {(3, 0): -0.0723189, (2, 2): 0.04, (2, 1): -0.32, (2, 0): 0.56944, (1, 1): 2.56}
BOX_81 |= {(1, 0): -4.55552, (0, 0): 8.10655}


def box_2d81pt(f, c):
    """The result stands at the low corner of the window that it is made of."""
    u = Window(f["in"], 0, 8)
    weights = by_distance(BOX_81, 4, symmetric=True)
    cells = (c(weight) * u(y + 4, x + 4) for (y, x), weight in weights.items())
    f["out"][inner(2, 0, 8)] = total(cells)


BOX_125 = {
    0.75: "222 111 010 001",
    1.132: "221 212 200 122 020 002",
    0.217: "220 202 110 101 022",
    2.13: "210 201 120 102 021 012 000",
    0.331: "211 121 112 100 011",
}


def box_3d125pt(f, c):
    u = Window(f["in"], 2)
    classes = {tuple(map(int, at)): w for w, members in BOX_125.items() for at in members.split()}
    weights = by_distance(classes, 2, symmetric=False)
    f["out"][inner(3, 2)] = total(c(weight) * u(*at) for at, weight in weights.items())


def rhs4th3fort(f, c):
    """Component a lies along axis a of (x, y, z); x is the fastest axis of the arrays."""
    u = [Window(f[name], 2) for name in ("u0", "u1", "u2")]
    mu, la = Window(f["mu"], 2), Window(f["la"], 2)
    stretch = [Window(f[name], 2, axis=2 - n, rank=3) for n, name in enumerate(("sx", "sy", "sz"))]
    step = c(1.0 / (3.7 * 3.7))

    def cell(window, **moves):
        at = [0, 0, 0]
        for axis, distance in moves.items():
            at["zyx".index(axis)] += distance
        return window(*at)

    def shear(a):
        return lambda n: cell(mu, **{"xyz"[a]: n})

    def pressure(a):
        return lambda n: c(2.0) * cell(mu, **{"xyz"[a]: n}) + cell(la, **{"xyz"[a]: n})

    def straight(m, a, v):
        """P_a[m](v); m takes an offset along a."""
        axis = "xyz"[a]
        s = {n: m(n) * stretch[a](n) for n in range(-2, 3)}
        weights = {
            -2: s[-1] - c(0.75) * (s[0] + s[-2]),
            -1: s[-2] + s[1] + c(3.0) * (s[0] + s[-1]),
            1: s[2] + s[-1] + c(3.0) * (s[0] + s[1]),
            2: s[1] - c(0.75) * (s[0] + s[2]),
        }
        here = v(*CENTRE)
        return total(w * (cell(v, **{axis: n}) - here) for n, w in weights.items())

    def d(g):
        """D(g) of a function of the offset."""
        return g(-2) - c(8.0) * g(-1) + c(8.0) * g(1) - g(2)

    def mixed(a, b):
        """D_a(la D_b u_b) + D_b(mu D_a u_b)."""
        x, y = "xyz"[a], "xyz"[b]
        first = d(lambda n: cell(la, **{x: n}) * d(lambda m: cell(u[b], **{x: n, y: m})))
        second = d(lambda m: cell(mu, **{y: m}) * d(lambda n: cell(u[b], **{x: n, y: m})))
        return first + second

    for a, name in enumerate(("uacc0", "uacc1", "uacc2")):
        others = [b for b in range(3) if b != a]
        lines = stretch[a](0) * straight(pressure(a), a, u[a])
        lines = lines + total(stretch[b](0) * straight(shear(b), b, u[a]) for b in others)
        crossed = total(stretch[a](0) * stretch[b](0) * mixed(a, b) for b in others)
        r = c(1.0 / 6.0) * lines + c(1.0 / 144.0) * crossed
        box = inner(3, 2)
        f[name][box] = f[name][box] + r * step


def derivative(f, c):
    """Axes are (i, j, k), i the slowest."""
    windows = {name: Window(f[name], 2) for name in ("u1", "u2", "u3", "mu", "la")}
    windows |= {name: Window(f[name], 2) for name in ("m1", "m2", "m3", "m4")}
    sx, sy = Window(f["sx"], 2, axis=0, rank=3), Window(f["sy"], 2, axis=1, rank=3)
    c1, c2 = c(0.32), c(0.43)

    def odd(g):
        """D."""
        return c2 * (g(2) - g(-2)) + c1 * (g(1) - g(-1))

    def even(g):
        """E."""
        return c2 * (g(2) + g(-2)) + c1 * (g(1) + g(-1))

    def part(outer, along, term):
        """E along `outer` of terms with D along `along`; the term sees (n, value, slope)."""

        def at(n):
            def value(name, **more):
                moves = {outer: n}
                for axis, distance in more.items():
                    moves[axis] = moves.get(axis, 0) + distance
                return windows[name](*(moves.get(axis, 0) for axis in "ijk"))

            return term(n, value, lambda name: odd(lambda m: value(name, **{along: m})))

        return even(at)

    def pressure(v):
        return (c(2.0) * v("mu") + v("la")) * v("m2") * v("m1")

    # Where the original takes the stretching, as offsets from the point.
    sx_along_k = {2: 0, -2: 0, 1: 2, -1: -2}
    sy_along_k = {2: 2, -2: 0, 1: -2, -1: 0}
    sy_along_j = {2: 1, -2: 0, 1: -1, -1: 0}
    terms = {
        ("j", "i"): lambda n, v, d: v("mu") * v("m1") * v("m1") * d("u2"),
        ("i", "j"): lambda n, v, d: v("la") * v("m1") * v("m1") * d("u2"),
        ("k", "i"): lambda n, v, d: (
            pressure(v) * d("u1") * sx(sx_along_k[n]) * sy(0)
            + v("mu") * v("m3") * v("m1") * d("u2")
            + v("mu") * v("m4") * v("m1") * d("u3") * sy(0)
        ),
        ("i", "k"): lambda n, v, d: sy(0) * (
            pressure(v) * d("u1") * sx(n)
            + v("la") * v("m3") * v("m1") * d("u2") * sy(0)
            + v("la") * v("m4") * v("m1") * d("u3")
        ),
        ("k", "j"): lambda n, v, d: (
            v("mu") * v("m3") * v("m1") * d("u1") * sy(sy_along_k[n]) * sx(0)
            + v("la") * v("m2") * v("m1") * d("u2")
        ),
        ("j", "k"): lambda n, v, d: (
            v("mu") * v("m3") * v("m1") * d("u1") * sy(sy_along_j[n]) * sx(0)
            + v("mu") * v("m2") * v("m1") * d("u2")
        ),
    }
    parts = [part(outer, along, term) for (outer, along), term in terms.items()]
    box = inner(3, 2)
    f["r1"][box] = f["r1"][box] + total(parts)
