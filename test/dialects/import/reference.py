"""Programs in older spellings, compared with NumPy in the memory that their tools have for them.

    reference.py PROGRAM FILE

The first dimension of a field is the last axis of its array where the file is the Open Earth
Compiler's, and the first one where it is xDSL's. The formulas below are written with the dimensions
of the file, on transposed views; they do the operations of the text in its order, so that every
cell must be equal.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def at(field, offset, box, lower):
    """The cells of a field at an offset from the points of a box; `lower` is its first cell."""
    index = tuple(
        slice(begin + by - first, end + by - first)
        for (begin, end), by, first in zip(box, offset, lower, strict=True)
    )
    return field[index]


def box(*extents, more=0):
    return tuple((-more, extent + more) for extent in extents)


def laplacian(u, points, lower):
    def cell(*offset):
        return at(u, offset, points, lower)

    total = (cell(-1, 0, 0) + cell(1, 0, 0)) + (cell(0, 1, 0) + cell(0, -1, 0))
    return cell(0, 0, 0) * -4.0 + total


def laplace(f):
    points, lower = box(17, 9, 7), (-4, -3, 0)
    at(f["out"], (0, 0, 0), points, lower)[:] = laplacian(f["in"], points, lower)
    return ("out",)


def fastwaves(f):
    points, lower, single = box(11, 13, 10), (-4, -4, -4), np.float32

    def cell(name, *offset):
        return at(f[name], offset, points, lower)

    slope = (cell("pp_fd", 0, 0, 0) - cell("pp_fd", 0, 0, -1)) / cell("hhl_fd", 1, 0, 0)
    along = at(f["fx_fd"], (1,), points[1:2], lower[1:2])[None, :, None]
    mask = at(f["mask_fd"], (-1, 2), points[:2], lower[:2])[:, :, None]
    moved = cell("u_fd", 0, 0, 0) + -single(f["dt"]) * (along * slope)
    cell("uout_fd", 0, 0, 0)[:] = np.where(mask > 0.0, moved, cell("u_fd", 0, 0, 0))
    row = (np.arange(13) + 2).astype(single)[None, :]
    found = at(f["mask_fd"], (0, -1), points[:2], lower[:2]) + row
    at(f["surface_fd"], (0, 0), points[:2], lower[:2])[:] = found
    return ("uout_fd", "surface_fd")


def hdiff(f):
    points, lower = box(9, 13, 5), (-4, -4, -4)
    wide = ((-2, 11), (-2, 15), (0, 5))
    laplacians = laplacian(f["in"], wide, lower)
    first = (-2, -2, 0)

    def limited(flux, step):
        return np.where(flux * step > 0.0, 0.0, flux)

    def flux(along, offset):
        near = [o - a for o, a in zip(offset, along)]
        there = [n + a for n, a in zip(near, along)]
        slope = at(laplacians, there, points, first) - at(laplacians, near, points, first)
        return limited(slope, at(f["in"], there, points, lower) - at(f["in"], near, points, lower))

    i, j = (1, 0, 0), (0, 1, 0)
    divergence = (flux(i, (0, 0, 0)) - flux(i, i)) + (flux(j, (0, 0, 0)) - flux(j, j))
    here = at(f["in"], (0, 0, 0), points, lower)
    found = at(f["coeff"], (0, 0, 0), points, lower) * divergence + here
    at(f["out"], (0, 0, 0), points, lower)[:] = found
    return ("out",)


def strips(f):
    lower = (-3, -3, 0)
    low, high = ((0, 5), (0, 10), (0, 6)), ((5, 12), (0, 10), (0, 6))

    def cell(name, points, *offset):
        return at(f[name], offset, points, lower)

    cell("b", low, 0, 0, 0)[:] = cell("a", low, 0, 0, 0)
    cell("b", high, 0, 0, 0)[:] = cell("a", high, 1, 0, 0)
    cell("c", low, 0, 0, 0)[:] = cell("a", low, 0, 0, 0) * 2.0
    cell("d", high, 0, 0, 0)[:] = 3.0 - cell("a", high, 1, 0, 0)
    points = box(12, 10, 6)
    found = cell("a", points, 0, 0, 0).copy()
    # Only the first of two rows that are computed together changes its sign.
    found[:4, ::2] = -found[:4, ::2]
    cell("e", points, 0, 0, 0)[:] = found
    return ("b", "c", "d", "e")


def transport(f):
    points, lower = box(11, 9, 7), (-4, -4, -4)
    whole = min(max(int(f["shift"]), -2), 1)
    part = f["shift"] - float(whole)
    left = at(f["in"], (whole, 0, 1), points, lower)
    right = at(f["in"], (whole + 1, 0, 1), points, lower)
    wind = at(f["wind"], (0, 1), points[1:], lower[1:])[None, :, :]
    found = (left + part * (right - left)) * np.sqrt(np.abs(wind))
    at(f["out"], (0, 0, 0), points, lower)[:] = found
    return ("out",)


def heat(f):
    points, lower = box(13, 16), (-2, -3)
    now, following = "u", "v"
    for _ in range(3):

        def cell(*offset):
            return at(f[now], offset, points, lower)

        total = (cell(-1, 0) + cell(1, 0)) + (cell(0, -1) + cell(0, 1))
        found = cell(0, 0) + (total + cell(0, 0) * -4.0) * f["r"]
        at(f[following], (0, 0), points, lower)[:] = found
        now, following = following, now
    return ("u", "v")


def profile(f):
    points, lower = ((0, 13), (0, 9)), (-2, -3)
    column = at(f["v"], (-1,), points[1:], lower[1:])[None, :]
    product = at(f["u"], (0, 1), points, lower) * column
    points, first = box(11, 8), (0, 0)

    def cell(*offset):
        return at(product, offset, points, first)

    # Of two points that are computed together the second has the sum's other operand.
    one = np.empty((11, 8))
    one[:, ::2] = (cell(2, 0) + cell(0, 0))[:, ::2]
    one[:, 1::2] = cell(0, 1)[:, ::2]
    two = np.empty((11, 8))
    two[:, ::2] = cell(0, 0)[:, ::2]
    two[:, 1::2] = cell(0, 1)[:, ::2]
    both = np.where(np.arange(8) < 4, one, two)
    at(f["w"], (0, 0), points, lower)[:] = both
    at(f["z"], (0, 0), box(5, 8), lower)[:] = two[:5]
    return ("w", "z")


def heights(f):
    points, lower = ((0, 11), (0, 10)), (-2, -3)
    column = at(f["v"], (-1,), points[1:], lower[1:])[None, :]
    product = at(f["u"], (0, 1), points, lower) * column
    row = (np.arange(11) + 1.0)[:, None]
    chosen = np.where(row < product, row, product)
    at(f["w"], (0, 0), box(11, 8), lower)[:] = chosen[:, 1:9]
    return ("w",)


# Per program the extents of its fields, in the order of the file's dimensions, and its scalars.
PLANE, BASIN = (17, 22), (16, 14)
XDSL = {
    "heat": (heat, np.float64, {"u": PLANE, "v": PLANE, "r": 0.125}),
    "profile": (profile, np.float64, {"u": BASIN, "v": BASIN[1:], "w": BASIN, "z": BASIN}),
    "heights": (heights, np.float64, {"u": BASIN, "v": BASIN[1:], "w": BASIN}),
}
SMALL, LARGE, STRIP, AIR = (24, 15, 7), (17, 21, 13), (18, 16, 6), (19, 17, 16)
WAVE = (19, 21, 17)
OEC = {
    "laplace": (laplace, np.float64, {"in": SMALL, "out": SMALL}),
    "fastwaves": (
        fastwaves,
        np.float32,
        {
            "u_fd": WAVE,
            "pp_fd": WAVE,
            "hhl_fd": WAVE,
            "fx_fd": WAVE[1:2],
            "mask_fd": WAVE[:2],
            "uout_fd": WAVE,
            "surface_fd": WAVE[:2],
            "dt": 0.375,
        },
    ),
    "hdiff": (hdiff, np.float64, {"in": LARGE, "coeff": LARGE, "out": LARGE}),
    "strips": (strips, np.float64, dict.fromkeys("abcde", STRIP)),
    "transport": (transport, np.float64, {"in": AIR, "wind": AIR[1:], "out": AIR, "shift": -1.25}),
}


def main():
    name, program = sys.argv[1:]
    formula, kind, arguments = {**OEC, **XDSL}[name]
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        fields, given = {}, []
        for argument, extents in arguments.items():
            if isinstance(extents, float):
                fields[argument] = extents
                given += ["--arg", f"{argument}={extents!r}"]
                continue
            in_memory = extents[::-1] if name in OEC else extents
            array = random.uniform(-1.0, 1.0, in_memory).astype(kind)
            np.save(folder / f"{argument}.npy", array)
            given += ["--arg", f"{argument}={folder / argument}.npy"]
            fields[argument] = array.T if name in OEC else array
        command = ["stencilc", "run", program, f"--function={name}", "--on=interpreter"]
        command += [*given, "--out-dir", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        before = {key: np.copy(field) for key, field in fields.items()}
        results = formula(fields)
        for argument in results:
            found = np.load(folder / f"{argument}.npy")
            found = found.T if name in OEC else found
            if not np.array_equal(found, fields[argument]):
                cell = np.argwhere(found != fields[argument])[0]
                sys.exit(f"{name}: '{argument}' differs, first in cell {tuple(map(int, cell))}")
            if np.array_equal(found, before[argument]):
                sys.exit(f"{name}: '{argument}' has not changed")
    print(f"{name}: {len(results)} equal to the formula in each cell")


if __name__ == "__main__":
    main()
