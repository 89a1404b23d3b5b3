"""The acoustic wave equation in a medium of varying velocity, from its formula."""

from grid import FACES, Window, inner, total

RADIUS = 2
FAR = [tuple(2 * n for n in face) for face in FACES]


def acoustic(steps):
    """Three fields in turn; the new one overwrites that of two steps ago."""

    def run(f, c):
        before, now, after = f["older"], f["old"], f["new"]
        inside = inner(3, RADIUS)
        for _ in range(steps):
            u = Window(now, RADIUS)
            near = total(u(*at) for at in FACES)
            far = total(u(*at) for at in FAR)
            laplacian = (16 * near - far) / c(12.0) - c(7.5) * u(0, 0, 0)
            after[inside] = c(2.0) * u(0, 0, 0) - before[inside] + f["medium"][inside] * laplacian
            before, now, after = now, after, before

    return run


so4 = acoustic(9)
