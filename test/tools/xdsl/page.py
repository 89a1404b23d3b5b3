"""The tables of the page about xDSL, made of what the programs say about themselves."""

import collections
import os
import pathlib

from commands import Failure
from known import KNOWN
from programs import GROUPS, of_groups
from xdsl.dialects.experimental import dmp
from xdsl.dialects.stencil import Stencil

MARK = "<!-- From here on `cargo xtask bless tools/xdsl/page` writes. -->\n"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def groups():
    """A table for each group."""
    for group in GROUPS:
        yield f"\n### {group}\n\n"
        rows = []
        for program in of_groups([group]):
            compared = "evaluator and formula" if program.by_hand else "evaluator"
            if program.refused:
                compared = f"refused: `{program.refused}`"
            elif not program.runs:
                compared = "not run"
            bounds = "xDSL differs" if program.bounds_differ else "equal"
            rows.append([f"`{program.name}`", program.what, bounds, compared])
        yield table(["program", "what it has", "bounds", "results"], rows)


def operations():
    """How many programs have each op; all of both dialects must be there."""
    counts = collections.Counter()
    for program in of_groups():
        counts.update({op.name for op in program.make().walk()})
    wanted = sorted(op.name for op in [*Stencil.operations, *dmp.DMP.operations])
    missing = [name for name in wanted if not counts[name]]
    if missing:
        raise Failure(f"no program has {', '.join(missing)}")
    return table(["op", "programs"], [[f"`{name}`", counts[name]] for name in wanted])


def by_reason(pairs):
    """Rows of a reason and the programs that it is about."""
    reasons = collections.defaultdict(list)
    for name, reason in pairs:
        reasons[reason].append(f"`{name}`")
    return [[*reason, ", ".join(names)] for reason, names in reasons.items()]


def differences():
    programs = of_groups()
    pairs = [(p.name, (p.bounds_differ,)) for p in programs if p.bounds_differ]
    yield "\n## Where bounds differ\n\n"
    yield table(["why", "programs"], by_reason(pairs))
    yield "\n## Where xDSL's passes do not keep a program\n\n"
    rows = [[f"`{name}`", *row] for name, known in KNOWN.items()
            for row in by_reason(known.items())]
    yield table(["passes", "what happens", "why", "programs"], rows)


def generated():
    programs = of_groups()
    formulas = sum(program.by_hand is not None for program in programs)
    yield MARK
    yield f"\n## The {len(programs)} programs\n\n"
    yield f"A formula of their own, in NumPy, have {formulas} of them.\n"
    yield from groups()
    yield "\n## Operations\n\n"
    yield operations()
    yield from differences()


def check_page(path):
    """Compares the page with what is generated, or writes it where results are blessed."""
    page = pathlib.Path(path)
    text = page.read_text()
    head, mark, _ = text.partition(MARK)
    if not mark:
        raise Failure(f"{path} lacks the line {MARK!r}")
    wanted = head + "".join(generated())
    if os.environ.get("STENCIL_BLESS"):
        page.write_text(wanted)
    elif text != wanted:
        raise Failure(f"{path} is stale, 'cargo xtask bless tools/xdsl/page' writes it")
    print("the page is that of the programs")
