"""How the work of the passes grows with a program: what they count, at two sizes.

    compile_steps.py STENCILC STENCIL_OPT FOLDER

Prints for each row the lines of the kernels, and the steps of every pass that takes more than a
thousand, to two digits. Fails where steps grow faster than size to the power of 1.75 between the
two sizes, as long as they are many: what bounds a search may lie between them.
"""

import json
import math
import pathlib
import subprocess
import sys

from compile_programs import ROWS

GROWTH_MAX = 1.75
# Fewer steps take less than a tenth of a second.
STEPS_SEEN = 1000
STEPS_MANY = 1_000_000


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done


def counted(stencilc, stencil_opt, text, plan, folder):
    """Lines of the kernels' text, and the steps of each pass."""
    path, kernels = folder / "program.mlir", folder / "kernels.mlir"
    path.write_text(text)
    keys = ["--plan", plan] if plan else []
    pipeline = run([stencilc, "compile", path, "--emit=gpu", "--print-pipeline", *keys]).stdout
    passes = f"--pass-pipeline={pipeline.strip()}"
    found = run([stencil_opt, path, passes, "--stencil-statistics=json", "-o", kernels]).stderr
    statistics = json.loads(found[found.index("{") :]).items()
    steps = {name: of["num-steps"] for name, of in statistics if "num-steps" in of}
    return len(kernels.read_text().splitlines()), steps


def two_digits(number):
    digits = max(0, len(str(number)) - 2)
    return round(number, -digits)


def main(stencilc, stencil_opt, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name, program, sizes, _, plan in ROWS:
        found = [
            counted(stencilc, stencil_opt, program(size), plan and plan.format(size), folder)
            for size in sizes
        ]
        print(f"{name}: {sizes[0]} and {sizes[1]}, lines {found[0][0]} and {found[1][0]}")
        for one_pass, many in found[1][1].items():
            few = found[0][1].get(one_pass, 0)
            if many > STEPS_SEEN:
                print(f"  {one_pass} {two_digits(few)} {two_digits(many)}")
            growth = math.log(many / max(few, 1)) / math.log(sizes[1] / sizes[0])
            if many > STEPS_MANY and growth > GROWTH_MAX:
                failed.append(f"{one_pass} with {name}: n^{growth:.2f}")
    sys.exit(f"steps grow too fast: {', '.join(failed)}" if failed else 0)


main(*sys.argv[1:])
