"""Counts the lines of applications here and in the systems of others, and writes the page of them.

`lines.py` rewrites tools/docs/program-lines.md. A line counts if it has a part of a statement: no
blank lines, comments or docstrings; no imports; not what a script does when it is run by itself.
"""

import ast
import io
import tokenize
from pathlib import Path

PEERS = Path(__file__).resolve().parent
OURS = PEERS.parent / "python"
PAGE = PEERS.parents[1] / "docs" / "program-lines.md"
#: Systems by the prefix of their files; the versions are those that results were compared with.
SYSTEMS = {"devito": "Devito 4.8.23", "gt4py": "GT4Py 1.1.12"}

HEAD = """# Lines of programs

The [applications in Python](../examples/README.md) beside the same in other systems of Python, \
written by us as their guides do it: [tools/examples/peers](../examples/peers/README.md).
A line counts if it has a part of a statement; blank lines, comments, docstrings and imports do \
not, nor what a script does when it is run by itself.
All take arrays of NumPy and leave their results in them.

| application | here | {systems} | theirs / ours |
| --- | ---: | {columns}---: |
"""

TAIL = """
Where a column is empty the program was not written in that system; the one was taken in which it \
is more natural, Devito where there is a loop over time with boundaries, GT4Py where there are \
stages of one step.
Nothing is said about speed: these programs were run on grids of a few thousand points.

## What was run

Each program of a peer was run, and its results are those of ours to a relative difference of \
1e-6, in double precision: weights and literals of peers have about eight digits.
`tools/python/tests/optional/test_peers.py` does it again where the system is installed, \
`.venv/bin/python3 -m pip install devito gt4py`; elsewhere it is skipped.
Devito ran with its C backend, GT4Py with its NumPy backend.
The medium of elastic waves is the same at all points: Devito takes the mean of parameters \
between cells, our program the value of the cell.
ParallelStencil needs Julia, which was not there: nothing is claimed about it.

What makes most of the difference is what lies beyond the sides, an equation for each side there \
and a declaration here, and copies from and to the arrays.
Two programs are shorter in Devito: it has vectors and tensors of fields, with their divergence \
and gradient, which elastic waves are two equations in; and our acoustic_so8 writes its Laplacian \
out, so that its operations have the order of [its other form](../../test/kernels/README.md).
"""


def count(path):
    """The lines of a program that count."""
    text = path.read_text(encoding="utf-8")
    left_out = set()
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) \
            and isinstance(node.value.value, str)
        is_script = isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
        if is_text or is_script or isinstance(node, (ast.Import, ast.ImportFrom)):
            left_out |= set(range(node.lineno, node.end_lineno + 1))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.OP, tokenize.STRING):
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - left_out)


def applications():
    """The names of the applications that a peer has."""
    return sorted({path.stem.partition("_")[2] for system in SYSTEMS
                   for path in PEERS.glob(f"{system}_*.py")})


def page():
    """The text of the page."""
    text = HEAD.format(systems=" | ".join(SYSTEMS.values()), columns="---: | " * len(SYSTEMS))
    for name in applications():
        ours = count(OURS / f"{name}.py")
        paths = [PEERS / f"{system}_{name}.py" for system in SYSTEMS]
        theirs = [count(path) if path.exists() else None for path in paths]
        cells = " | ".join("" if one is None else str(one) for one in theirs)
        least = min(one for one in theirs if one is not None)
        link = f"[{name}](../examples/python/{name}.py)"
        text += f"| {link} | {ours} | {cells} | {least / ours:.1f} |\n"
    return text + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
