"""Programs of any size for the tests of compile time: what each has many of, and how many."""

import math
import pathlib


def plane(body, rim):
    return f"""!f = !stencil.field<[0,2048]x[0,2048]xf64>
!t = !stencil.temp<?x?xf64>
func.func @f(%u: !f, %v: !f) {{
  %t = stencil.load %u : !f -> !t
  %r = stencil.apply(%a = %t : !t) -> (!t) {{
{body}
  }}
  stencil.store %r to %v(<[{rim}, {rim}], [{2048 - rim}, {2048 - rim}]>) : !t to !f
  return
}}
"""


def sum_of_terms(count):
    """A sum of so many weighted cells that may be reassociated."""
    side = math.isqrt(count - 1) + 1
    flags = "fastmath<reassoc,contract>"
    lines = ["    %s = arith.constant 0.5 : f64"]
    last = "%s"
    for k in range(count):
        row, column = k // side - side // 2, k % side - side // 2
        lines += [
            f"    %x{k} = stencil.access %a[{row}, {column}] : !t",
            f"    %c{k} = arith.constant {1 + k / 64} : f64",
            f"    %p{k} = arith.mulf %c{k}, %x{k} {flags} : f64",
            f"    %s{k} = arith.addf {last}, %p{k} {flags} : f64",
        ]
        last = f"%s{k}"
    return plane("\n".join(lines + [f"    stencil.return {last} : f64"]), side)


def box(count):
    """A sum of a box of cells in the order in which it is written."""
    side = math.isqrt(count)
    lines = ["    %s = arith.constant 0.5 : f64"]
    last = "%s"
    for k in range(side * side):
        row, column = k // side - side // 2, k % side - side // 2
        lines += [
            f"    %x{k} = stencil.access %a[{row}, {column}] : !t",
            f"    %s{k} = arith.addf {last}, %x{k} : f64",
        ]
        last = f"%s{k}"
    return plane("\n".join(lines + [f"    stencil.return {last} : f64"]), side)


def star(radius):
    """A sum over a star in three dimensions that may be reassociated: few cells, many planes."""
    end = 64 + radius
    offsets = [(0, 0, 0)]
    for d in range(3):
        for distance in range(1, radius + 1):
            for along in (-distance, distance):
                offsets.append(tuple(along if e == d else 0 for e in range(3)))
    flags = "fastmath<reassoc,contract>"
    field = "x".join([f"[-{end},{2 * end}]"] * 3)
    text = f"""!f = !stencil.field<{field}xf64>
!t = !stencil.temp<?x?x?xf64>
func.func @f(%u: !f, %v: !f) {{
  %t = stencil.load %u : !f -> !t
  %r = stencil.apply(%a = %t : !t) -> (!t) {{
    %s = arith.constant 0.5 : f64
"""
    last = "%s"
    for k, offset in enumerate(offsets):
        text += f"""    %x{k} = stencil.access %a{list(offset)} : !t
    %c{k} = arith.constant {1 / (1 + max(map(abs, offset)) ** 2):.16e} : f64
    %p{k} = arith.mulf %c{k}, %x{k} {flags} : f64
    %s{k} = arith.addf {last}, %p{k} {flags} : f64
"""
        last = f"%s{k}"
    return text + f"""    stencil.return {last} : f64
  }}
  stencil.store %r to %v(<[0, 0, 0], [64, 64, 64]>) : !t to !f
  return
}}
"""


def operations(count):
    """So many operations, each of the one before and of an earlier one."""
    lines = [f"    %x{k} = stencil.access %a[0, {k}] : !t" for k in range(2)]
    for k in range(2, count):
        name = "addf" if k % 2 else "mulf"
        lines.append(f"    %x{k} = arith.{name} %x{k - 1}, %x{max(0, k - 1 - k * 7919 % 50)} : f64")
    return plane("\n".join(lines + [f"    stencil.return %x{count - 1} : f64"]), 2)


def loops(count):
    """So many time loops, each on the results of the one before."""
    text = """!f = !stencil.field<[0,8192]xf64>
!t = !stencil.temp<?xf64>
func.func @f(%u: !f, %v: !f) {
  %lower = arith.constant 0 : index
  %upper = arith.constant 4 : index
  %one = arith.constant 1 : index
"""
    one, two = "%u", "%v"
    for k in range(count):
        text += f"""  %e{k}:2 = scf.for %i = %lower to %upper step %one
      iter_args(%now = {one}, %next = {two}) -> (!f, !f) {{
    %t = stencil.load %now : !f -> !t
    %r = stencil.apply(%a = %t : !t) -> (!t) {{
      %x = stencil.access %a[-1] : !t
      %y = stencil.access %a[1] : !t
      %z = arith.addf %x, %y : f64
      stencil.return %z : f64
    }}
    stencil.store %r to %next(<[1], [8191]>) : !t to !f
    scf.yield %next, %now : !f, !f
  }}
"""
        one, two = f"%e{k}#0", f"%e{k}#1"
    return text + "  return\n}\n"


def statements(count):
    """So many applies, each of two cells of the one before."""
    end = 2048 + count
    text = f"""!f = !stencil.field<[-{count},{end}]x[-{count},{end}]xf64>
!t = !stencil.temp<?x?xf64>
func.func @f(%u: !f, %v: !f) {{
  %t = stencil.load %u : !f -> !t
"""
    last = "%t"
    for k in range(count):
        text += f"""  %r{k} = stencil.apply(%a = {last} : !t) -> (!t) {{
    %x = stencil.access %a[0, {k % 3 - 1}] : !t
    %y = stencil.access %a[{1 - k % 3}, 0] : !t
    %z = arith.addf %x, %y : f64
    stencil.return %z : f64
  }}
"""
        last = f"%r{k}"
    return text + f"  stencil.store {last} to %v(<[0, 0], [2048, 2048]>) : !t to !f\n  return\n}}\n"


def kernel(name):
    return lambda _: (pathlib.Path(__file__).parents[3] / "kernels" / name).read_text()


# Name, program, sizes of a daily run, sizes of the page, and keys of the plan for a size.
ROWS = [
    ("terms of a sum", sum_of_terms, (150, 600), (250, 1000), None),
    ("radius of a star", star, (8, 32), (32, 128), None),
    ("cells of a box", box, (400, 1600), (2304, 9025), None),
    ("operations", operations, (1000, 4000), (25_000, 100_000), None),
    ("time loops", loops, (75, 300), (250, 1000), None),
    ("statements", statements, (40, 160), (320, 1280), None),
    (
        "steps of a sweep",
        kernel("j2d5pt.mlir"),
        (4, 16),
        (16, 64),
        "mapping=warp,points=1x8,steps={}",
    ),
    (
        "steps, both orders",
        kernel("heat3d.mlir"),
        (2, 3),
        (2, 5),
        "mapping=block,steps={},schedule=both,remainder=single",
    ),
]
