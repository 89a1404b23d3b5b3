"""xDSL's own passes on the programs, and ours of the same purpose: results must stay.

What xDSL's write is taken, and computes the same; what ours write xDSL reads, and NumPy computes
the same from it.

A program that a pass leaves as it was is counted apart. What xDSL gets wrong, or does not manage,
is listed in `known.py` with the reason, and must be so still.
"""

import tempfile

import evaluate
from commands import Failure, stencil_opt, stencilc_run
from compare import check_fields
from content import arguments, copied
from known import KNOWN, OTHER, REFUSED, SAME, STOPS, UNCHANGED
from programs import of_groups
from structure import CONTEXT, difference, parse, printed
from xdsl.dialects import stencil
from xdsl.transforms.experimental.stencil_storage_materialization import (
    StencilStorageMaterializationPass,
)
from xdsl.transforms.shape_inference import ShapeInferencePass
from xdsl.transforms.stencil_bufferize import StencilBufferize
from xdsl.transforms.stencil_inlining import StencilInliningPass
from xdsl.transforms.stencil_unroll import StencilUnrollPass


def inferred(module):
    module = module.clone()
    ShapeInferencePass().apply(CONTEXT, module)
    return module


def unroll_factors(module):
    """Two points along a dimension that divides into pairs, the fastest there is; or None."""
    try:
        applies = [op for op in inferred(module).walk() if isinstance(op, stencil.ApplyOp)]
    except AssertionError:
        applies = [op for op in module.walk() if isinstance(op, stencil.ApplyOp)]
    boxes = [op.get_bounds() for op in applies]
    boxes = [box for box in boxes if isinstance(box, stencil.StencilBoundsAttr)]
    if not boxes or len({len(box.lb) for box in boxes}) > 1:
        return None
    rank = len(boxes[0].lb)
    for dimension in reversed(range(rank)):
        if all(list(box.ub - box.lb)[dimension] % 2 == 0 for box in boxes):
            return tuple(2 if each == dimension else 1 for each in range(rank))
    return None


def unroll(module):
    factors = unroll_factors(module)
    return [StencilUnrollPass(factors)] if factors else []


PIPELINES = {
    "shape-inference": lambda module: [ShapeInferencePass()],
    "stencil-inlining": lambda module: [StencilInliningPass()],
    "stencil-storage-materialization": lambda module: [StencilStorageMaterializationPass()],
    "stencil-unroll": unroll,
    "shape-inference,stencil-bufferize": lambda module: [ShapeInferencePass(), StencilBufferize()],
}

def outcome(program, passes):
    """What became of a program: one of the words above, and details."""
    module = program.make()
    after = module.clone()
    try:
        for each in passes(module):
            each.apply(CONTEXT, after)
        after.verify()
        text = printed(after)
    except Exception as error:
        return STOPS, f"{type(error).__name__}: {error}"
    if difference(module, after) is None:
        return UNCHANGED, ""
    for function, scalars in program.runs.items():
        before = arguments(module, function, scalars)
        expected = copied(before)
        evaluate.run(module, function, expected)
        with tempfile.TemporaryDirectory() as folder:
            given = dict(enumerate(before))
            results, message = stencilc_run(text, function, given, "interpreter", folder)
        if results is None:
            return REFUSED, message
        try:
            check_fields(program, "the interpreter", results, expected)
        except Failure as failure:
            return OTHER, str(failure)
    return SAME, ""


def check_pipeline(name):
    """Every program behaves as is known of it; returns how many ended how."""
    known = KNOWN[name]
    counts = dict.fromkeys((SAME, UNCHANGED, STOPS, REFUSED, OTHER), 0)
    wrong = []
    for program in of_groups():
        if program.group == "foreign":
            continue
        found, details = outcome(program, PIPELINES[name])
        counts[found] += 1
        expected, _ = known.get(program.name, (None, None))
        if found != (expected or found) or (found not in (SAME, UNCHANGED) and not expected):
            wrong.append(f"{program.name}: {found}, not {expected}: {details[:2000]}")
    if wrong:
        raise Failure(f"{name}:\n" + "\n".join(wrong))
    print(f"{name}: " + ", ".join(f"{word} {count}" for word, count in counts.items()))


def check_passes(names):
    """Passes of ours, by their names with commas between: no program computes anything else."""
    programs = [program for program in of_groups() if program.group != "foreign"]
    modules = [program.make() for program in programs]
    flags = [f"--{name}" for name in names.split(",")]
    answers = stencil_opt([printed(module) for module in modules], *flags)
    changed = 0
    for program, module, answer in zip(programs, modules, answers):
        after = parse(answer, program.name)
        changed += difference(module, after) is not None
        for function, scalars in program.runs.items():
            before = arguments(module, function, scalars)
            expected, results = copied(before), copied(before)
            evaluate.run(module, function, expected)
            try:
                evaluate.run(after, function, results)
                check_fields(program, "the changed program", results, expected)
            except (Failure, evaluate.NoMeaning) as error:
                raise Failure(f"{program.name} after {names}: {error}\n{answer}")
    print(f"{names}: {len(programs)} programs keep their results, {changed} are other programs")
