"""Stencil kernels for arrays of NumPy, CuPy, PyTorch and others.

    wave = stencil.compile("wave.mlir", dt=0.1)       # or stencil.load("wave.spk")
    wave(u0, u1, u2, time_m=1, time_M=100)            # the arrays change in place

`compile` needs the compiler, `stencilc`; running needs an NVIDIA driver and nothing else. Loading
a package and looking at it needs neither.
"""

from .checking import Verification
from .compiling import compile
from .errors import (ArgumentError, CompileError, DriverError, PackageError, ProgramError,
                     StencilError, VerificationError)
from .package import Function, Package, load

__version__ = "0.1.0"

__all__ = ["ArgumentError", "CompileError", "DriverError", "Function", "Package", "PackageError",
           "ProgramError", "StencilError", "Verification", "VerificationError", "compile", "load"]
