"""What remarks say where a search is bounded: a program on each side of each bound.

    compile_limits.py STENCIL_OPT FOLDER
"""

import pathlib
import re
import subprocess
import sys

from compile_programs import box, loops, operations, star, statements


def stored(count):
    """So many applies, each of which reads the one before and is stored."""
    return chain(count, "%r{}")


def beside(count):
    """So many applies that read the same field and are stored."""
    return chain(count, "%t")


def chain(count, read):
    fields = "".join(f", %v{k}: !f" for k in range(count))
    text = f"""!f = !stencil.field<[-{count},{4096 + count}]xf64>
!t = !stencil.temp<?xf64>
func.func @f(%u: !f{fields}) {{
  %t = stencil.load %u : !f -> !t
"""
    last = "%t"
    for k in range(count):
        text += f"""  %r{k} = stencil.apply(%a = {last} : !t) -> (!t) {{
    %x = stencil.access %a[-1] : !t
    %y = stencil.access %a[1] : !t
    %z = arith.addf %x, %y : f64
    stencil.return %z : f64
  }}
  stencil.store %r{k} to %v{k}(<[0], [4096]>) : !t to !f
"""
        last = read.format(k)
    return text + "  return\n}\n"


# What is said, by which pass, of a program beyond the bound and not of one within it.
ROWS = [
    ("of a block 256 are looked at", "select-inlining", statements, 360, 400),
    ("fusion is decided for 128 at most", "plan-program", stored, 16, 129),
    ("a sweep has at most 64", "select-plan", stored, 64, 65),
    ("compared with the 64 kernels", "select-merging", beside, 64, 65),
    ("come through more than 64 loops", "select-plan", loops, 65, 66),
    ("times their sum is more than 262144", "share-sums", star, 17, 18),
    ("with more than 256", "schedule-trees", box, 64, 324),
    ("within stretches of 320", "schedule-trees", operations, 50, 2000),
]


def remarks(stencil_opt, text, one_pass, folder):
    path = folder / "program.mlir"
    path.write_text(text)
    before = "stencil-infer-bounds,stencil-place-copies,stencil-name-stages"
    last = {
        "select-plan": "stencil-select-plan",
        "schedule-trees": "stencil-select-plan{plan='mapping=thread'},"
        "convert-stencil-to-gpu-threads,gpu.module(cse,stencil-schedule-trees{all=true})",
    }.get(one_pass, f"func.func(stencil-{one_pass})")
    pipeline = f"builtin.module(func.func({before}),{last})"
    told = [f"--remarks-filter=stencil-{one_pass}", "-o", folder / "kernels.mlir"]
    command = [stencil_opt, path, f"--pass-pipeline={pipeline}", *told]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return re.findall(r'Remark="(.*)"', done.stderr)


def main(stencil_opt, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for what, one_pass, program, within, beyond in ROWS:
        for size, is_told in [(within, False), (beyond, True)]:
            found = remarks(stencil_opt, program(size), one_pass, folder)
            if any(what in remark for remark in found) != is_told:
                wrong.append(f"{'no ' if is_told else ''}remark '{what}' of {size}: {found[:5]}")
    sys.exit("\n".join(wrong) if wrong else 0)


main(*sys.argv[1:])
