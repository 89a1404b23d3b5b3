"""Compiles programs with `stencilc`, and keeps the packages.

A package is found again by a SHA-256 of the program's text, the options, and the compiler that
made it, so a cache may be shared, copied and deleted at any time. It is written next to its place
and moved there, so no reader ever sees half of one.
"""

from __future__ import annotations

import functools
import hashlib
import json
import operator
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from .command import PROGRAMS
from .driver import current_device, describe, use_emulator
from .errors import CompileError, DriverError, PackageError
from .package import Package, read
from .wording import in_python

#: Sizes as the compiler takes them: extents, or definitions.
Size = Union[str, Sequence[int], Mapping[str, int]]

_MLIR = re.compile(r"!stencil\.|\bstencil\.(apply|load)|\bfunc\.func|\bbuiltin\.module")
_STENCILGEN = re.compile(r"^\s*(parameter|iterator|copyin|copyout|stencil|double|float)\b",
                         re.MULTILINE)
#: The code with which the compiler ends where it is wrong itself.
_INTERNAL_ERROR = 70
#: The emulated CUDA driver.
_EMULATOR = "libstencil_emulated_driver.so"
#: Packages that the emulated driver is told of, at most.
EMULATED_PACKAGES_MOST = 300
_ENDINGS = {".idsl": "idsl", ".dsl": "idsl", ".mlir": "mlir"}


def compile(  # noqa: A001 - it is what it does, and is called stencil.compile
        program: Union[str, "os.PathLike[str]"], *, function: Optional[str] = None,
        target: Optional[str] = None, language: Optional[str] = None,
        extents: Union[None, str, Sequence[int]] = None, D: Optional[Mapping[str, int]] = None,
        size: Union[None, Size, Sequence[Size]] = None, element_type: Optional[str] = None,
        fast_math: bool = False, strict: bool = False, plan: Optional[str] = None,
        time_steps: Optional[int] = None, run_time_sizes: bool = False,
        devices: int = 1, verification: bool = True,
        on: str = "gpu", options: Sequence[str] = (), **values: Any) -> Package:
    """Compiles a program, or finds what was compiled before.

    `program` is a file, or the text of a program. Its language, "mlir" or "idsl" (STENCILGEN's), is
    seen from the file's ending or the text. `function` is the one that calls mean, where there are
    several. Without a `target`, code and plans are made for the GPU of this machine, if there is
    one; `options=["--chip=h100"]` names another. With `on="emulator"` it runs on the emulator, in a
    process that uses no GPU: slow, and right.

    Sizes are `extents=(64, 64)` for MLIR and `D={"L": 64}` for STENCILGEN; `size` is one more size,
    or a list of them. With `run_time_sizes` extents are those of the arrays of each call; plans are
    for the program's own, or for `extents`; so it is without it for the parameters of a STENCILGEN
    program that have no value in its text or in `D`. `time_steps` takes the place of a number of
    time steps that the program states; one that is an argument is given to calls. So many `devices`
    share the domain of the program. `options` go to `stencilc compile` as they are. All other
    keywords are numbers that calls need not give, by name or symbol.
    """
    if plan is not None and not isinstance(plan, str):
        raise CompileError(f"plan={plan!r} is no text; give keys and values, as "
                           "plan='mapping=thread,points=4'")
    if not isinstance(options, (tuple, list)) or not all(isinstance(one, str) for one in options):
        raise CompileError(f"options={options!r} is no list of words; give one: "
                           "options=['--chip=h100']")
    text, name, path = _read(program)
    spoken = language or _ENDINGS.get(Path(name).suffix) or _language(text)
    if on not in ("gpu", "emulator"):
        raise CompileError(f"on is 'gpu' or 'emulator', not {on!r}")
    native = _device() if target is None and on == "gpu" else None
    words = [f"--from={spoken}"]
    words += [f"--target={target or 'native'}"] if target or native else []
    words += [f"--extents={_size(extents)}"] if extents is not None else []
    words += ["-D", _size(D)] if D else []
    words += [f"--size={_size(one)}" for one in _sizes(size)]
    words += [f"--element-type={element_type}"] if element_type else []
    words += ["--fast-math"] if fast_math else []
    words += ["--strict"] if strict else []
    words += ["--plan", plan] if plan else []
    words += [f"--steps={time_steps}"] if time_steps is not None else []
    words += ["--sizes=run-time"] if run_time_sizes else []
    words += [f"--devices={devices}"] if devices != 1 else []
    words += [] if verification else ["--no-verification"]
    words += ["--keep-ir"] if on == "emulator" else []
    words += list(options)

    compiler = find_compiler()
    stamp = _stamp(compiler, os.stat(compiler).st_mtime_ns)
    key = json.dumps([text, name, words, native, stamp])
    place = cache_folder() / (hashlib.sha256(key.encode()).hexdigest() + ".spk")
    try:
        content = read(place)
    except PackageError:
        _compile([compiler, "compile", path or "-"] + words, None if path else text, place)
        content = read(place)
    if on == "emulator":
        _emulate(compiler, place)
    return Package(content, name, function, values)


def _emulate(compiler: str, package: Path) -> None:
    """Has the emulated driver take the place of a GPU's, and know the package."""
    named = os.environ.get("STENCIL_EMULATOR")
    folder = Path(compiler).resolve().parent
    places = [folder.parent / "lib" / "stencil" / _EMULATOR, folder / _EMULATOR]
    found = Path(named) if named else next((one for one in places if one.exists()), None)
    if found is None or not found.exists():
        raise CompileError(f"there is no {_EMULATOR} beside {compiler}: './x setup' builds it, "
                           "'./x install' installs it; or name it in STENCIL_EMULATOR")
    known = os.environ.get("STENCIL_EMULATED_PACKAGES", "")
    paths = [path for path in known.split(os.pathsep) if path and path != str(package)]
    # The newest only: systems limit the length of a variable, and what is loaded needs no path.
    paths = [*paths, str(package)][-EMULATED_PACKAGES_MOST:]
    os.environ["STENCIL_EMULATED_PACKAGES"] = os.pathsep.join(paths)
    use_emulator(str(found))


def _read(program: Union[str, "os.PathLike[str]"]) -> Tuple[str, str, Optional[str]]:
    """Text, name and, where it comes from a file, the path of a program."""
    if isinstance(program, str) and ("\n" in program or "{" in program):
        return program, "<program>", None
    try:
        path = Path(program)
    except TypeError:
        raise CompileError(f"{program!r} is no program; give the path of a file, or the text of a "
                           "program") from None
    try:
        return path.read_text(encoding="utf-8"), path.name, str(path)
    except (OSError, ValueError) as error:
        raise CompileError(f"program '{path}' cannot be read: {error}") from error


def _language(text: str) -> str:
    is_stencilgen = _STENCILGEN.search(text) and not _MLIR.search(text)
    return "idsl" if is_stencilgen else "mlir"


def _device() -> Optional[Tuple[str, Tuple[int, int]]]:
    """Name and compute capability of this machine's current GPU, if it has one: plans are made for
    it."""
    try:
        return describe(current_device())
    except DriverError:
        return None


def _size(size: Size) -> str:
    if isinstance(size, str):
        return size
    try:
        if isinstance(size, Mapping):
            return ",".join(f"{name}={_extent(value)}" for name, value in size.items())
        return ",".join(map(_extent, size))
    except (TypeError, ValueError):
        raise CompileError(f"{size!r} is no size; give extents, (64, 64), or values of parameters, "
                           "{'L': 64}") from None


def _extent(value: Any) -> str:
    return str(int(value) if isinstance(value, str) else operator.index(value))


def _sizes(size: Any) -> List[Size]:
    if size is None:
        return []
    if isinstance(size, (str, Mapping)) or (
            hasattr(size, "__iter__") and all(hasattr(one, "__index__") for one in size)):
        return [size]
    return list(size) if hasattr(size, "__iter__") else [size]


# ---- the compiler -------------------------------------------------------------------------------

def find_compiler() -> str:
    """The `stencilc` that is named, of this wheel, on the path, or of the checkout of this file."""
    named = os.environ.get("STENCILC")
    if named:
        found = shutil.which(named)
        if found is None:
            raise CompileError(f"STENCILC names '{named}', which is no program that can be run")
        return found
    built = Path(__file__).resolve().parents[3] / "target"
    places = [str(PROGRAMS), None]
    places += [str(built / profile) for profile in ("release", "debug")]
    for folder in places:
        found = shutil.which("stencilc", path=folder)
        if found is not None:
            return found
    raise CompileError("there is no stencilc: put its folder on the PATH, or name it in the "
                       "environment variable STENCILC; cargo build --release -p stencilc makes it")


@functools.lru_cache(maxsize=None)
def _stamp(compiler: str, changed: int) -> str:
    """The compiler's version; for those who develop it, also when it was built."""
    try:
        answer = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CompileError(f"compiler '{compiler}' does not run: {error}") from error
    return f"{answer.stdout.strip()} {changed}"


def _compile(command: List[str], text: Optional[str], place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(dir=place.parent, prefix=".making-")
    except OSError as error:
        raise CompileError(f"cache '{place.parent}' cannot be written: {error}; name another "
                           "folder in the environment variable STENCIL_CACHE") from error
    made = Path(folder) / "program.spk"
    try:
        answer = subprocess.run(command + ["-o", str(made)], input=text, capture_output=True,
                                text=True, encoding="utf-8", check=False)
        if answer.returncode != 0 or not made.exists():
            raise refusal(answer)
        os.replace(made, place)
    except (OSError, ValueError) as error:  # The latter of words that no command line has.
        raise CompileError(f"package '{place}' cannot be made: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def refusal(answer: "subprocess.CompletedProcess[str]") -> CompileError:
    """The error for what `stencilc` said when it failed."""
    said, code = in_python(answer.stderr.strip()), answer.returncode
    if code < 0:
        return CompileError(_ended(-code) + (f"; it said:\n{said}" if said else ""))
    why = "met an error of its own, not of the program" if code == _INTERNAL_ERROR else \
        "refused the program"
    return CompileError(f"stencilc {why}:\n{said or f'it ended with code {code}'}")


def _ended(number: int) -> str:
    try:
        name = f", {signal.Signals(number).name}"
    except ValueError:
        name = ""
    # Not by name: other systems have no such signal.
    if number == 9:
        return (f"stencilc was ended by signal {number}{name}; the system does so where memory is "
                "short: make the program smaller, or free memory")
    return (f"stencilc was ended by signal {number}{name}, which is an error of its own: please "
            "report it with the program")


def cache_folder() -> Path:
    """Where packages are kept: STENCIL_CACHE, or the user's cache folder."""
    named = os.environ.get("STENCIL_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "stencil"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "stencil" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stencil"
