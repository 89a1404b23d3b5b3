"""Stencil kernels for arrays of NumPy, CuPy, PyTorch and others.

    wave = stencil.compile("wave.mlir", dt=0.1)       # or stencil.load("wave.spk")
    wave(u0, u1, u2, time_m=1, time_M=100)            # the arrays change in place

    @stencil.program(boundaries={"u": stencil.periodic()})
    def heat(u, r, n):
        j, i = stencil.indices("j i")
        for t in stencil.steps(n):
            u[t+1, j, i] = u[t, j, i] + r * stencil.laplace(u[t, j, i])

    heat(numpy.ones((64, 64)), 0.2, 100)

`compile` and programs need the compiler, `stencilc`; running needs an NVIDIA driver and nothing
else, or the emulator. Loading a package and looking at it needs neither.
"""

import importlib
from typing import Any

from . import language
from .compiling import compile
from .devito_equations import from_devito
from .errors import (ArgumentError, CompileError, DriverError, PackageError, ProgramError,
                     StencilError, TraceError, VerificationError)
from .gtscript_stencils import from_gtscript
from .language import *  # noqa: F403 - its `__all__` is what the language has
from .long_runs import progress
from .package import Function, Package, Verification, load
from .plotting import plot
from .running import BoundCall

__version__ = "0.1.0"

__all__ = ["ArgumentError", "BoundCall", "CompileError", "DriverError", "Function", "Package",
           "PackageError", "ProgramError", "StencilError", "TraceError", "Verification",
           "VerificationError", "compile", "from_devito", "from_gtscript", "load", "plot",
           "progress"] + language.__all__


def __getattr__(name: str) -> Any:
    # Modules that need a package of others are imported where they are used.
    if name in ("jax", "torch", "zarr"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
