"""xDSL as a client: its programs are read, printed, bounded and run by the compiler's tools.

    check.py GROUP           everything that is checked of the programs of a group
    check.py --pipeline NAME passes of xDSL, after which the programs compute the same
    check.py --passes NAMES  passes of ours, after which the programs compute the same
    check.py --page PAGE     the tables of the documentation are those of the programs

For every program, which xDSL's classes build: the custom and the generic form that xDSL prints are
read by stencil-opt, and what stencil-opt prints, in either form, is read by xDSL and is the same
program; stencil-infer-bounds finds the bounds that xDSL's shape-inference finds; and interpreter
and emulator compute what `evaluate.py` computes with NumPy from xDSL's own IR, bit for bit, and
what a formula in NumPy gives where the program has one. Then each comparison is done again with
differences that are planted, and must see them.
"""

import argparse
import sys
import tempfile
import warnings

import evaluate
from commands import Failure, stencil_opt, stencilc_run
from compare import check_fields
from content import arguments, copied
from page import check_page
from pipelines import check_passes, check_pipeline
from plants import planted
from programs import GROUPS, of_groups
from structure import CONTEXT, difference, parse, printed, temps
from xdsl.transforms.shape_inference import ShapeInferencePass

FOREIGN = "--allow-unregistered-dialect"
GENERIC = "--mlir-print-op-generic"


def check_texts(programs, modules, flags):
    """Both forms are read by both sides, and mean the same."""
    comparisons = 0
    for generic in (False, True):
        texts = [printed(module, generic) for module in modules]
        for form in ([], [GENERIC]):
            answers = stencil_opt(texts, *flags, *form)
            for program, module, answer in zip(programs, modules, answers):
                found = difference(module, read(program, answer))
                if found:
                    raise Failure(f"{program.name}: printed anew it is another program: {found}")
                comparisons += 1
    return comparisons


def read(program, text):
    try:
        return parse(text, program.name)
    except Exception as error:
        raise Failure(f"{program.name}: xDSL does not read what is printed: {error}\n{text}")


def inferred(module):
    """xDSL's bounds of all temps, or the exception that it ends with."""
    module = module.clone()
    try:
        ShapeInferencePass().apply(CONTEXT, module)
        return temps(module)
    except Exception as error:
        return type(error).__name__


def check_bounds(programs, modules, flags):
    """Bounds are xDSL's, or the program says why not."""
    equal = 0
    texts = [printed(module) for module in modules]
    answers = stencil_opt(texts, *flags, "--stencil-infer-bounds")
    for program, module, answer in zip(programs, modules, answers):
        ours, theirs = temps(read(program, answer)), inferred(module)
        if ours != theirs and not program.bounds_differ:
            raise Failure(f"{program.name}: bounds\n{ours}, xDSL has\n{theirs}")
        if ours == theirs and program.bounds_differ:
            raise Failure(f"{program.name}: bounds are equal, but a reason says why they are not")
        equal += ours == theirs
    return equal


def by_formula(program, before):
    """The fields after the run, as a formula in NumPy has them."""
    changed = program.by_hand(*copied(before))
    return [changed.get(position, value) for position, value in enumerate(before)]


def check_runs(program, module, backends):
    """Runs every function, and compares; returns what the first backend computed, by function."""
    computed = {}
    for function, scalars in program.runs.items():
        if program.refused:
            check_refusal(program, module, function, scalars)
            continue
        before = arguments(module, function, scalars)
        expected = copied(before)
        evaluate.run(module, function, expected)
        if program.by_hand:
            check_fields(program, "the evaluator", expected, by_formula(program, before))
        for backend in backends:
            with tempfile.TemporaryDirectory() as folder:
                given = dict(enumerate(before))
                results, message = stencilc_run(printed(module), function, given, backend, folder)
            if results is None:
                raise Failure(f"{program.name}: the {backend} refuses it: {message}")
            check_fields(program, f"the {backend}", results, expected)
            computed[function] = results
    return computed


def check_refusal(program, module, function, scalars):
    with tempfile.TemporaryDirectory() as folder:
        results, message = stencilc_run(printed(module), function, scalars, "interpreter", folder)
    if results is not None:
        raise Failure(f"{program.name}: it ran, and should be refused")
    if program.refused not in message:
        raise Failure(f"{program.name}: refused with another message: {message}")


def check_plants(program, module, computed):
    """Every planted difference is seen by the structure, and in what was computed."""
    seen = 0
    unseen = set()
    for name, other in planted(module):
        if difference(module, other) is None:
            raise Failure(f"{program.name}: the same program, although {name} is another")
        if computed and not program.refused and differs(program, other, computed):
            seen += 1
        elif computed:
            unseen.add(name)
    some = seen > 0 and "*" in program.equivalent
    if unseen != set(program.equivalent) and not some:
        raise Failure(f"{program.name}: planted differences that do not show: {sorted(unseen)}, "
                      f"expected {sorted(program.equivalent)}")
    return seen


def differs(program, other, computed):
    """Whether a module computes something else than was computed, or does not run."""
    try:
        for function, results in computed.items():
            expected = arguments(other, function, program.runs[function])
            evaluate.run(other, function, expected)
            check_fields(program, "the tool", results, expected)
    except (Failure, evaluate.NoMeaning):
        return True
    return False


def check_group(name):
    programs = of_groups([name])
    modules = [program.make() for program in programs]
    flags = [FOREIGN] if name == "foreign" else []
    texts = check_texts(programs, modules, flags)
    equal = check_bounds(programs, modules, flags)
    ran = formulas = seen = 0
    for program, module in zip(programs, modules):
        computed = check_runs(program, module, program.backends)
        ran += len(computed)
        formulas += program.by_hand is not None
        seen += check_plants(program, module, computed)
    print(f"{name}: {len(programs)} programs, {texts} texts are the same program, bounds of {equal}"
          f" equal, {ran} functions ran as NumPy has them ({formulas} by a formula too),"
          f" {seen} planted differences seen")


def main():
    # xDSL's own inference uses what it calls deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("group", nargs="?", choices=GROUPS)
    parser.add_argument("--pipeline")
    parser.add_argument("--passes")
    parser.add_argument("--page")
    options = parser.parse_args()
    try:
        if options.page:
            check_page(options.page)
        elif options.pipeline:
            check_pipeline(options.pipeline)
        elif options.passes:
            check_passes(options.passes)
        else:
            check_group(options.group)
    except Failure as failure:
        sys.exit(f"check.py: {failure}")


if __name__ == "__main__":
    main()
