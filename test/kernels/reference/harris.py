"""Harris' corner detector, from its formula."""

from itertools import product

from grid import Window, total

SOBEL = {(side, by): side * (2 - abs(by)) for side in (-1, 1) for by in (-1, 0, 1)}
WINDOW = list(product((-1, 0, 1), repeat=2))


def response(f, c):
    """From the image to the response, two cells from its sides."""
    near = Window(f["image"], 1)
    down = total(c(weight) * near(*at) for at, weight in SOBEL.items()) / c(12.0)
    across = total(c(weight) * near(*at[::-1]) for at, weight in SOBEL.items()) / c(12.0)
    # What an apply hands to the next one is settled.
    x, y = across.settled(), down.settled()
    products = [Window(part.settled(), 1) for part in (x * x, x * y, y * y)]
    xx, xy, yy = (total(part(*at) for at in WINDOW).settled() for part in products)
    f["response"][...] = xx * yy - xy * xy - c(0.04) * (xx + yy) * (xx + yy)
