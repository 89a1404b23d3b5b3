"""Runs a program and compares what it stores with the formula, evaluated by NumPy.

    check.py PROGRAM [--kernel NAME] [options of 'stencilc run']

The program runs on the interpreter, on random fields. Each cell of each result must lie within the
bound that `bounded.py` derives: no order of sums, no fused operation and no reciprocal can leave
it, a wrong weight or a wrong neighbour does. That is checked as well: every constant of the formula
is changed a little in turn, by a millionth in double precision, and the comparison must then fail;
and the bound must be small. NumPy computes in double precision, whatever the program does.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from bounded import UNITS, Bounded
from grid import Coefficients
from kernels import KERNELS

# The largest bound, relative to the root mean square of a result, that still says something.
BOUND_MAX = {"f64": 1e-10, "f32": 1e-2}

ARGUMENT = re.compile(
    r"^\s*\d+\s+(?P<name>\S+)\s+"
    r"(?:scalar|field \S*x(?P<type>[a-z]+\d+), shape \((?P<shape>[\d, ]*)\))"
)


class Failure(Exception):
    """What does not hold, in words."""


def stencilc(program, options):
    """What `stencilc run` prints."""
    command = ["stencilc", "run", str(program), *options]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as missing:
        raise Failure("there is no 'stencilc' on the PATH") from missing
    if run.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr}{run.stdout}")
    return run.stdout


def signature(program, options):
    """Shape of each argument, by name, and the type of all fields; scalars have no shape."""
    arguments, types = {}, set()
    for line in stencilc(program, [*options, "--print-signature"]).splitlines():
        if found := ARGUMENT.match(line):
            shape = found["shape"]
            if shape is not None:
                shape = tuple(int(extent) for extent in shape.split(",") if extent.strip())
                types.add(found["type"])
            arguments[found["name"]] = shape
    if len(types) != 1 or not types <= set(BOUND_MAX):
        raise Failure(f"fields of the types {', '.join(sorted(types))}")
    return arguments, types.pop()


def inputs(kernel, arguments, element, seed):
    """Numbers between 0.1 and 1, so that no divisor is near zero; what is given stays."""
    random = np.random.default_rng(seed)
    values = {}
    for name, shape in arguments.items():
        if name in kernel.given:
            value = kernel.given[name]
            value = value(random, shape) if callable(value) else value
            values[name] = np.asarray(value, dtype=np.float64)
        elif shape is None:
            raise Failure(f"scalar '{name}' has no value here")
        else:
            values[name] = random.uniform(0.1, 1.0, shape)
        if element == "f32":
            values[name] = values[name].astype(np.float32)
        if shape is not None and values[name].shape != shape:
            raise Failure(f"'{name}' has the shape {shape}, not {values[name].shape}")
    return values


def computed(program, options, arguments, values, results):
    """What the program leaves in its results."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        given = []
        for name, value in values.items():
            if arguments[name] is None:
                given += ["--arg", f"{name}={float(value)!r}"]
            else:
                np.save(folder / f"{name}.npy", value)
                given += ["--arg", f"{name}={folder / name}.npy"]
        stencilc(program, [*options, "--on=interpreter", *given, "--out-dir", str(folder)])
        return {name: np.load(folder / f"{name}.npy") for name in results}


def expected(kernel, values, coefficients):
    """The results by the formula."""
    fields = {
        name: Bounded(value.astype(np.float64)) if value.ndim else float(value)
        for name, value in values.items()
    }
    kernel.run(fields, coefficients)
    return {name: fields[name] for name in kernel.results}


def worst(found, formula):
    """The largest distance, in units of what is allowed."""
    # Both the program and NumPy may be as far from the exact value as the bound says.
    allowed = {name: 2.0 * formula[name].bound for name in found}
    parts = []
    for name, cells in found.items():
        distance = np.abs(cells - formula[name].value)
        # Cells that nothing writes have no bound: they must be equal.
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(distance == 0.0, 0.0, distance / allowed[name])
        parts.append(np.nan_to_num(part, nan=np.inf).max())
    return max(parts)


def check(name, program, options):
    """Compares, and says what was compared."""
    kernel = KERNELS[name]
    arguments, element = signature(program, options)
    Bounded.unit = UNITS[element]
    if set(arguments) != set(kernel.arguments):
        raise Failure(f"takes {', '.join(arguments)}, not {', '.join(kernel.arguments)}")
    values = inputs(kernel, arguments, element, seed=1)
    found = computed(program, options, arguments, values, kernel.results)

    coefficients = Coefficients(element)
    formula = expected(kernel, values, coefficients)
    distance = worst(found, formula)
    if not distance <= 1.0:
        raise Failure(f"a cell is {distance:.3g} times as far from the formula as it may be")

    for result, field in formula.items():
        size, bound = np.sqrt(np.mean(field.value**2)), field.bound.max()
        if not bound <= BOUND_MAX[element] * size:
            raise Failure(f"the bound of '{result}' is {bound:.3g}, too large to matter")
        if np.array_equal(found[result], values[result]):
            raise Failure(f"'{result}' has not changed")
    for changed in sorted(coefficients.seen):
        if not worst(found, expected(kernel, values, Coefficients(element, changed))) > 1.0:
            raise Failure(f"{changed} may be another number, and nobody notices")

    cells = sum(field.size for field in found.values())
    return (
        f"{cells} cells within the bound (worst at {100.0 * distance:.2g} % of it), "
        f"{len(coefficients.seen)} changed constants found"
    )


def main():
    """Reads the command line; ends with 1 where the program is not its formula."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kernel", help="the name of the formula; without it, that of the file")
    known, options = parser.parse_known_args()
    name = known.kernel or known.program.stem
    if name not in KERNELS:
        sys.exit(f"check.py: there is no formula '{name}', only {', '.join(KERNELS)}")
    try:
        print(f"{name}: {check(name, known.program, options)}")
    except Failure as failure:
        sys.exit(f"check.py: {name}: {failure}")


if __name__ == "__main__":
    main()
