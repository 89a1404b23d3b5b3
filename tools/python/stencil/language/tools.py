"""Runs `stencilc` on the text of a program, and says where in the user's files it points."""

from __future__ import annotations

import contextlib
import linecache
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

import numpy

from ..compiling import find_compiler, refusal
from ..errors import ArgumentError, CompileError, StencilError
from ..wording import in_python
from . import failures
from .locations import Location

_PLACE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?P<kind>error|note|warning): "
                    r"(?P<text>.*)$")
#: A line that begins what the compiler says, wherever it is about.
_SAID = re.compile(r"^([^\s:][^:\n]*:\d+(:\d+)?: )?(error|note|warning|remark): ")
#: What `stencilc run` says of values that it does not take.
_ARGUMENT = re.compile(r"error: (?P<text>argument \d+ .*)$", re.MULTILINE)


def pointed(error: CompileError, files: Iterable[str]) -> StencilError:
    """The error with the user's files and lines in place of names of files."""
    known = {Path(one).name: one for one in files}
    lines: List[str] = []
    first: Optional["re.Match[str]"] = None
    is_shown = True
    for line in str(error).splitlines():
        found = _PLACE.match(line)
        if found is None or found["file"] not in known:
            # What the compiler shows of a file is shown below, whatever folder it ran in.
            is_shown = is_shown or _SAID.match(line) is not None
            if is_shown:
                lines.append(line)
            continue
        is_shown = False
        file, number = known[found["file"]], int(found["line"])
        first = first or found
        lines.append(f"{file}:{number}: {found['kind']}: {failures.said(found['text'])}")
        shown = linecache.getline(file, number).strip()
        lines.extend([f"    {shown}"] if shown else [])
    if first is None:
        return error
    at = Location(known[first["file"]], int(first["line"]))
    return failures.of_data(first["text"], at) or CompileError("\n".join(lines), *at)


def stencilc(words: Sequence[str], text: str) -> str:
    """What `stencilc` prints for a program; raises `CompileError`, or `ArgumentError`."""
    command = [find_compiler(), *words]
    try:
        answer = subprocess.run(command, input=text, capture_output=True, text=True,
                                encoding="utf-8", check=False)
    except (OSError, ValueError) as error:  # The latter of words that no command line has.
        raise CompileError(f"compiler '{command[0]}' does not run: {error}") from error
    if answer.returncode != 0:
        argument = _ARGUMENT.match(answer.stderr)
        if argument is not None:
            raise ArgumentError(in_python(argument["text"]))
        raise refusal(answer)
    return answer.stdout


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """A folder for files of one call, which goes with it."""
    try:
        with tempfile.TemporaryDirectory(prefix="stencil-") as folder:
            yield folder
    except OSError as error:
        raise StencilError(f"files of a call cannot be kept in '{tempfile.gettempdir()}' ({error});"
                           " name another folder in the environment variable TMPDIR") from error


def run(text: str, on: str, values: Mapping[int, Any], written: Mapping[int, str],
        words: Sequence[str]) -> Dict[int, Any]:
    """Runs a program in a process of its own; gives the fields that it wrote, by position.

    `values` has an array or the text of a number for each position, `written` the names of the
    arguments that are written.
    """
    with scratch() as folder:
        given: List[str] = []
        for position, value in values.items():
            if isinstance(value, str):
                given += ["--arg", f"{position}={value}"]
                continue
            file = f"{folder}/in{position}.npy"
            dense = numpy.ascontiguousarray(value)
            # NumPy has no bfloat16 of its own, and cannot write that of others.
            numpy.save(file, dense.view(numpy.uint16) if dense.dtype.name == "bfloat16" else dense)
            given += ["--arg", f"{position}={file}"]
        out = f"{folder}/out"
        stencilc(["run", "-", "--from=mlir", f"--on={on}", "--out-dir", out, *given, *words], text)
        return {position: numpy.load(f"{out}/{name}.npy") for position, name in written.items()}


def plan_words(plan: Any) -> Optional[str]:
    """A plan as `--plan` takes it: a text, keys and values, or those for each kernel."""
    if plan is None or isinstance(plan, str):
        return plan or None
    if not isinstance(plan, Mapping):
        raise CompileError(f"plan={plan!r} is no plan; give a dictionary, as {{'mapping': 'warp'}} "
                           "or {'loop': {'steps': 2}}")
    words = []
    for key, value in plan.items():
        if isinstance(value, Mapping):
            words += [f"{key}:{inner}={_plan_value(one)}" for inner, one in value.items()]
        else:
            words.append(f"{key}={_plan_value(value)}")
    return ",".join(words) or None


def _plan_value(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return "x".join(str(one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
