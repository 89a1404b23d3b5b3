"""Programs as hosts write them, compared with NumPy.

    reference.py PROGRAM FILE

The formulas do the operations of the text in its order, so that every cell must be equal.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def cells(field, row, column, rows, columns):
    """A box of so many rows and columns, whose first cell is given."""
    return field[row : row + rows, column : column + columns]


def psyclone(f):
    u, v = f["u"], f["v"]
    new = cells(u, 2, 3, 16, 20) * cells(u, 1, 2, 16, 20)
    cells(v, 2, 2, 16, 20)[:] = new
    return ("v",)


def flang(f):
    u, v = f["u"], f["v"]
    for _ in range(3):
        around = cells(u, 0, 1, 11, 13) + cells(u, 2, 1, 11, 13)
        across = cells(u, 1, 0, 11, 13) + cells(u, 1, 2, 11, 13)
        found = (around + across) * np.float32(0.25)
        cells(v, 1, 1, 11, 13)[:] = found
        u[:] = v
    return ("u", "v")


def injection(f):
    now, following = f["u0"], f["u1"]
    for time in range(4):
        new = (cells(now, 2, 3, 32, 32) + cells(now, 2, 1, 32, 32)) * np.float32(0.5)
        cells(following, 2, 2, 32, 32)[:] = new
        for point, (row, column) in enumerate(f["pos"]):
            following[row, column] += f["src"][time, point]
        now, following = following, now
    return ("u0", "u1")


def returned(f):
    u, v = f["u"], f["v"]
    cells(v, 2, 2, 32, 31)[:] = cells(u, 2, 3, 32, 31) + cells(u, 3, 2, 32, 31)
    return ("v",)


single, double = np.float32, np.float64
POSITIONS = np.array([[5, 7], [11, 2], [5, 7]], np.int32)
PROGRAMS = {
    "psyclone": (psyclone, {"u": (double, (20, 24)), "v": (double, (20, 24))}),
    "flang": (flang, {"u": (single, (13, 15)), "v": (single, (13, 15))}),
    "injection": (
        injection,
        {"u0": (single, (36, 36)), "u1": (single, (36, 36)), "src": (single, (4, 3))},
    ),
    "returned": (returned, {"u": (single, (36, 36)), "v": (single, (36, 36))}),
}


def main():
    name, program = sys.argv[1:]
    formula, arguments = PROGRAMS[name]
    random = np.random.default_rng(1)
    make = {
        key: random.uniform(-1.0, 1.0, shape).astype(kind)
        for key, (kind, shape) in arguments.items()
    }
    if name == "injection":
        make["pos"] = POSITIONS
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        given = []
        for key, array in make.items():
            np.save(folder / f"{key}.npy", array)
            given += ["--arg", f"{key}={folder / key}.npy"]
        command = ["stencilc", "run", program, f"--function={name}", "--on=interpreter"]
        command += [*given, "--out-dir", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        before = {key: np.copy(array) for key, array in make.items()}
        for key in formula(make):
            found = np.load(folder / f"{key}.npy")
            if not np.array_equal(found, make[key]):
                cell = np.argwhere(found != make[key])[0]
                sys.exit(f"{name}: '{key}' differs, first in cell {tuple(map(int, cell))}")
            if np.array_equal(found, before[key]):
                sys.exit(f"{name}: '{key}' has not changed")
    print(f"{name}: equal to the formula in each cell")


if __name__ == "__main__":
    main()
