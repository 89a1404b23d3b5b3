"""Programs of tools/examples/peers compute what ours do. Needs Devito and GT4Py.

Cells of the domain are compared: peers leave others as they were in either level of time.
"""

import copy
import importlib
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ["DEVITO_LOGGING"] = "ERROR"
os.environ["DEVITO_LANGUAGE"] = "C"

import numpy  # noqa: E402 - the path comes first

import scenery  # noqa: E402

os.environ["GT_CACHE_ROOT"] = str(scenery.SCRATCH)
FOLDERS = [str(scenery.CHECKOUT / "tools" / "examples" / name) for name in ("python", "peers")]
CONTENT = numpy.random.default_rng(1)


def field(*shape, low=0.5, high=1.5):
    return CONTENT.uniform(low, high, shape)


def levels(width, *shape):
    """Two levels of time with the same cells beyond the domain."""
    before = field(*shape)
    newest = before.copy()
    inside = (slice(width, -width),) * len(shape)
    newest[inside] = field(*(extent - 2 * width for extent in shape))
    return before, newest


def constant(value, *shape):
    return numpy.full(shape, value)


CUBE = (18, 19, 20)
#: For each file: its function, and what it is called with.
CALLS = {
    "devito_heat3d_periodic": ("heat", (field(9, 10, 11), 5)),
    "devito_heat3d_mirrored": ("heat", (field(9, 10, 11), 5)),
    "devito_acoustic_so4": ("acoustic", (levels(2, 14, 15, 16), field(14, 15, 16) / 10, 5)),
    "devito_acoustic_so8": ("acoustic", (levels(4, *CUBE), field(*CUBE) / 10, field(*CUBE) / 10,
                                         field(5), 5)),
    "devito_elastic_so8": ("elastic", (*(field(*CUBE) for _ in range(9)), constant(0.1, *CUBE),
                                       constant(0.11, *CUBE), constant(0.12, *CUBE), 3)),
    "devito_gray_scott3d": ("gray_scott", (field(9, 10, 11), field(9, 10, 11) / 10, 5)),
    "devito_cahn_hilliard2d": ("cahn_hilliard", (field(12, 13, low=-0.5, high=0.5), 5)),
    "devito_shallow2d": ("shallow", (field(12, 13), field(12, 13) - 1, field(12, 13) - 1, 5)),
    "gt4py_horizontal_diffusion": ("diffuse", (field(12, 13, 5), field(12, 13, 5) / 10,
                                               constant(0.0, 12, 13, 5))),
    "gt4py_harris": ("harris", (field(14, 15), constant(0.0, 10, 11))),
    "gt4py_rk3_advection": ("advect", (field(16, 17, 18), 3)),
    "gt4py_weno5": ("weno", (field(12, 13, 14), *(field(12, 13, 14) - 1 for _ in range(3)),
                             constant(0.0, 12, 13, 14))),
}


def setUpModule():
    scenery.needs_compiler()
    sys.path[:0] = FOLDERS


def tearDownModule():
    for folder in FOLDERS:
        sys.path.remove(folder)


def flat(values):
    """The arrays of a call; scalars are none."""
    for value in values:
        yield from flat(value) if isinstance(value, tuple) else (
            [value] if isinstance(value, numpy.ndarray) else [])


class Peers(unittest.TestCase):
    def test_each_has_the_results_of_ours(self):
        for file, (function, values) in CALLS.items():
            with self.subTest(file):
                module = importlib.import_module(file.partition("_")[2])
                before, own, theirs = (copy.deepcopy(values) for _ in range(3))
                getattr(module, function).options(on="emulator")(*own)
                getattr(importlib.import_module(file), function)(*theirs)
                changed = False
                for start, one, two in zip(*map(flat, (before, own, theirs))):
                    numpy.testing.assert_allclose(two, one, rtol=1e-6, atol=1e-6)
                    changed = changed or abs(one - start).max() > 1e-3
                self.assertTrue(changed)

    def test_every_file_is_compared(self):
        files = {file.stem for file in Path(FOLDERS[1]).glob("*_*.py")}
        self.assertEqual(files, set(CALLS))


if __name__ == "__main__":
    unittest.main()
