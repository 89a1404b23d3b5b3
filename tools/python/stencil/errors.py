"""What goes wrong, by whom it belongs to.

Every exception of this package is a `StencilError`, but an ImportError for a package that is not
installed; what a program's own code raises is Python's. Messages name the thing first, hold the
values, and say what to do; they are written like those of `stencil-run`, so that one knows them
again.
"""

from __future__ import annotations


class StencilError(Exception):
    """Anything that this package refuses or fails at."""


class PackageError(StencilError):
    """A file is no kernel package, is damaged, or is of a form that this version does not read."""


class ArgumentError(StencilError):
    """An array or a number is not what the function takes."""


class CompileError(StencilError):
    """The compiler refused the program, or there is no compiler.

    For programs that were traced, `file` and `line` are those of the user's code, if the compiler
    named a place.
    """

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class TraceError(StencilError):
    """A function is no stencil program, or is called on what it cannot be traced with.

    `file` and `line` are the user's, `reason` says what is wrong, and `remedy` what to do.
    """

    def __init__(self, reason: str, remedy: str = "", file: str = "", line: int = 0) -> None:
        place = f"{file}:{line}: " if file else ""
        super().__init__(f"{place}{reason}" + (f"; {remedy}" if remedy else ""))
        self.file = file
        self.line = line
        self.reason = reason
        self.remedy = remedy


class MissingAttributeError(TraceError, AttributeError):
    """A value of a program is asked for an attribute that it has not; `hasattr` gives False."""


class ProgramError(StencilError):
    """A program has no result for what it was given: a division by zero, a loop without a step.

    For programs that were traced, `file` and `line` are those of the user's code, if one was named.
    """

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class DriverError(StencilError):
    """There is no CUDA driver or device, or it failed; `code` is CUDA's number, 0 without one."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class VerificationError(StencilError):
    """Two runs that must agree bit for bit do not."""
