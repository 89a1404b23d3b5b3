"""The Gray-Scott model, from its formula."""

from grid import CENTRE, FACES, Window, inner, total, wrapped

FEED, KILL = 0.035, 0.06


def gray_scott(steps, periodic):
    """Two fields in turn of each unknown."""

    def run(f, c):
        now, after = (f["u0"], f["v0"]), (f["u1"], f["v1"])
        for _ in range(steps):
            for field in now if periodic else ():
                wrapped(field)
            near = [Window(field, 1) for field in now]
            u, v = (field(*CENTRE) for field in near)
            spread = [total(w(*at) for at in FACES) - c(6.0) * w(*CENTRE) for w in near]
            rate = u * v * v
            box = inner(3, 1)
            after[0][box] = u + c(0.16) * spread[0] - rate + c(FEED) * (c(1.0) - u)
            after[1][box] = v + c(0.08) * spread[1] + rate - c(FEED + KILL) * v
            now, after = after, now

    return run


fixed = gray_scott(6, periodic=False)
periodic = gray_scott(4, periodic=True)
