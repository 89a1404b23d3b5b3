"""The commands of a wheel: the compiler and the launcher that lie in the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Where a wheel with programs has them. In a checkout there is no such folder.
PROGRAMS = Path(__file__).resolve().parent / "bin"


def stencilc() -> None:
    """Becomes the compiler, with the arguments of this process; raises `OSError` without one."""
    _become("stencilc")


def stencil_run() -> None:
    """Becomes the launcher of packages, as `stencilc`; raises `OSError` without one."""
    _become("stencil-run")


def _become(name: str) -> None:
    program = str(PROGRAMS / name)
    os.execv(program, [program, *sys.argv[1:]])
