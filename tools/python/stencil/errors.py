"""What goes wrong, by whom it belongs to.

Every exception of this package is a `StencilError`. Messages name the thing first, hold the values,
and say what to do; they are written like those of `stencil-run`, so that one knows them again.
"""

from __future__ import annotations


class StencilError(Exception):
    """Anything that this package refuses or fails at."""


class PackageError(StencilError):
    """A file is no kernel package, is damaged, or is of a form that this version does not read."""


class ArgumentError(StencilError):
    """An array or a number is not what the function takes."""


class CompileError(StencilError):
    """The compiler refused the program, or there is no compiler."""


class ProgramError(StencilError):
    """The host program of a function has no result: a division by zero, a loop without a step."""


class DriverError(StencilError):
    """There is no CUDA driver or device, or it failed; `code` is CUDA's number, 0 without one."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class VerificationError(StencilError):
    """Two runs that must agree bit for bit do not."""
