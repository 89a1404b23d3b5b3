"""Imports the package whose folder a file names, and says what it runs with."""

import os
import subprocess
import sys
import tempfile

with open(sys.argv[1], encoding="utf-8") as file:
    sys.path.insert(0, file.read().strip())
os.environ.pop("STENCILC", None)

import numpy  # noqa: E402 - the path comes first
import stencil  # noqa: E402
from stencil import command, compiling  # noqa: E402

j, i = stencil.indices("j i")


@stencil.program
def double(u):
    u[j, i] = 2 * u[j, i]


print("compiler", compiling.find_compiler())
with tempfile.TemporaryDirectory() as cache:
    os.environ["STENCIL_CACHE"] = cache
    print("emulator computes", double(numpy.ones((4, 5)), on="emulator")[3, 4], flush=True)
# What the command of the wheel does; it takes the place of the process that calls it.
subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv.pop(1)); "
                "from stencil.command import stencilc; stencilc()",
                str(command.PROGRAMS.parents[1]), "--version"], check=True)
