"""How the compiler's time grows with a program: processor time of stencilc at two sizes.

    compile_time.py STENCILC FOLDER [--large]

Prints a table, and fails where time grows faster than size to the power of 1.75 between the two
sizes of a row: what is quadratic gives 2. With --large the sizes are those of the page on limits.
"""

import math
import pathlib
import resource
import subprocess
import sys

from compile_programs import ROWS

GROWTH_MAX = 1.75


def seconds(stencilc, text, plan, folder):
    path = folder / "program.mlir"
    path.write_text(text)
    command = [stencilc, "compile", path, "--no-verification", "-o", folder / "program.spk"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command + (["--plan", plan] if plan else []), capture_output=True)
    if done.returncode:
        sys.exit(done.stderr.decode())
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(stencilc, folder, *options):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name, program, daily, large, plan in ROWS:
        sizes = large if "--large" in options else daily
        times = [
            seconds(stencilc, program(size), plan and plan.format(size), folder) for size in sizes
        ]
        growth = math.log(times[1] / times[0]) / math.log(sizes[1] / sizes[0])
        print(f"{name:18}" + "".join(f" {s:7} {t:6.2f} s" for s, t in zip(sizes, times)), end="")
        print(f"  n^{growth:.2f}")
        if growth > GROWTH_MAX:
            failed.append(name)
    sys.exit(f"time grows too fast with: {', '.join(failed)}" if failed else 0)


main(*sys.argv[1:])
