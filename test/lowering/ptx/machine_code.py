"""Counts the instructions of a kernel's machine code, as `nvdisasm -c` prints it.

    nvdisasm -c kernel.cubin | python3 machine_code.py --points 8 --most 12

Prints, for each kernel, what is not arithmetic on floats, divided by the points of a thread: the
price of addresses, loads, stores and control. Exits with 1 where that exceeds `--most`, or where
there is no kernel at all.
"""

import argparse
import re
import sys

SECTION = re.compile(r"^\s*\.section\s+\.text\.(\w+)")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")
ARITHMETIC = re.compile(r"^[DFH](ADD|MUL|FMA)2?\b")


def opcodes(lines):
    """Opcodes of each kernel, without the padding behind its last exit."""
    kernels, current = {}, None
    for line in lines:
        if section := SECTION.match(line):
            current = kernels.setdefault(section[1], [])
        elif current is not None and (instruction := INSTRUCTION.match(line)):
            current.append(instruction[1])
    for code in kernels.values():
        while code and code[-1] in ("NOP", "BRA"):
            code.pop()
    return kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--points", type=int, required=True, help="points of a thread")
    parser.add_argument("--most", type=float, required=True, help="instructions per point")
    options = parser.parse_args()
    kernels = opcodes(sys.stdin)
    worst = 0.0 if kernels else float("inf")
    for name, code in kernels.items():
        arithmetic = sum(1 for opcode in code if ARITHMETIC.match(opcode))
        other = (len(code) - arithmetic) / options.points
        worst = max(worst, other)
        counts = f"{len(code)} instructions, {arithmetic} arithmetic"
        print(f"{name}: {counts}, {other:.2f} others a point")
    return 0 if worst <= options.most else 1


if __name__ == "__main__":
    sys.exit(main())
