"""Compares what a GPU gives for each elementary function with what the interpreter gives.

    within_ulps.py PROGRAM TYPE FOLDER FOLDER

The program returns a value for each function, named after it, and stores them in order to o0, o1
and so on; the folders hold the fields of two runs. The bounds are those of
dialects/docs/arithmetic.md. Exits with 1 and a line for each function that lies outside of its
bound.
"""

import pathlib
import re
import sys

import numpy

DOCUMENT = pathlib.Path(__file__).parents[2] / "dialects" / "docs" / "arithmetic.md"


def bounds(element):
    """Units in the last place by function."""
    row = r"^\| `math\.(\w+)` \| \d+ \| \d+ \| (\d+) \| (\d+) \|$"
    rows = re.findall(row, DOCUMENT.read_text(), re.MULTILINE)
    return {name: int({"f32": single, "f64": double}[element]) for name, single, double in rows}


def ordinals(cells):
    """Numbers of which neighbours among the floats are neighbours; both zeros are 0."""
    bits = cells.view({4: numpy.int32, 8: numpy.int64}[cells.itemsize]).astype(object)
    lowest = -(2 ** (8 * cells.itemsize - 1))
    return [lowest - int(value) if value < 0 else int(value) for value in bits]


def farthest(expected, found):
    """The largest distance in units in the last place; NaN is near NaN only."""
    numbers = ~numpy.isnan(expected)
    if not (numbers == ~numpy.isnan(found)).all():
        return float("inf")
    pairs = zip(ordinals(expected[numbers]), ordinals(found[numbers]))
    return max((abs(one - other) for one, other in pairs), default=0)


def main(program, element, expected, found):
    text = pathlib.Path(program).read_text()
    names = re.findall(r"%(\w+)", re.search(r"stencil\.return ([^:]*)", text).group(1))
    allowed, failed = bounds(element), 0
    for position, name in enumerate(names):
        one, other = (numpy.load(f"{folder}/o{position}.npy") for folder in (expected, found))
        distance = farthest(one.ravel(), other.ravel())
        print(f"{name}: {distance} of {allowed[name]}")
        failed += distance > allowed[name]
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
