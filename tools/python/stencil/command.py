"""The command `stencilc` of a wheel: the compiler that lies in the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Where a wheel with programs has them. In a checkout there is no such folder.
PROGRAMS = Path(__file__).resolve().parent / "bin"


def stencilc() -> None:
    """Becomes the compiler, with the arguments of this process."""
    program = str(PROGRAMS / "stencilc")
    os.execv(program, [program, *sys.argv[1:]])
