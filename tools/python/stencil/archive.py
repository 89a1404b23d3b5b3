"""The file in which compiled kernels travel: a zip archive whose every byte is guarded.

Members are stored as they are. The archive's comment ends in the SHA-256 of all bytes before it,
and each folder's manifest has those of the `kernels.*` beside it. Up to three folders:

| folder | what is in it |
| --- | --- |
| (none) | the optimized kernels |
| `plain/` | the same functions, one kernel for each apply, one point for each thread |
| `selftest/` | the optimized kernels at a small size, and what the interpreter computed for it |
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union

from . import manifest as manifests
from .errors import PackageError
from .manifest import Manifest
from .scalars import Scalar, from_json

_COMMENT = b"stencil package, sha256 "
_DIGITS = 64
_KERNELS = ("kernels.cubin", "kernels.ll", "kernels.ptx")
_FOLDERS = {"": (*_KERNELS, "manifest.json"), "plain/": (*_KERNELS, "manifest.json"),
            "selftest/": (*_KERNELS, "manifest.json", "expected.json")}


@dataclass(frozen=True)
class Code:
    """Kernels as the driver takes them, and their manifest."""

    manifest: Manifest
    ptx: bytes
    cubin: Optional[bytes]


@dataclass(frozen=True)
class SelftestRun:
    """One run of the self-test: scalars by position, digests of fields by position."""

    function: str
    seed: int
    scalars: Dict[int, Scalar]
    fields: Dict[int, str]


@dataclass(frozen=True)
class Archive:
    """Everything that a package holds."""

    code: Code
    plain: Optional[Code]
    selftest: Optional[Code]
    runs: Tuple[SelftestRun, ...]


def read(path: Union[str, "os.PathLike[str]"]) -> Archive:
    """Reads a package and checks every digest."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise PackageError(f"package '{os.fspath(path)}' cannot be read: {error}") from error
    try:
        return from_bytes(content)
    except PackageError as error:
        raise PackageError(f"package '{os.fspath(path)}': {error}") from error


def from_bytes(content: bytes) -> Archive:
    """Reads the content of a package file."""
    covered = len(content) - _DIGITS
    if covered < 0 or not content[:covered].endswith(_COMMENT):
        raise PackageError("it is truncated or not a kernel package (the digest at its end is "
                           "missing); copy it again, or compile it again")
    if hashlib.sha256(content[:covered]).hexdigest().encode() != content[covered:]:
        raise PackageError("it was altered or damaged (its bytes do not match its digest); "
                           "compile it again")
    members = _members(content)
    code = _code(members, "")
    plain = selftest = None
    runs: Tuple[SelftestRun, ...] = ()
    if any(name.startswith("plain/") for name in members):
        plain = _code(members, "plain/")
    if any(name.startswith("selftest/") for name in members):
        selftest = _code(members, "selftest/")
        runs = _runs(members.get("selftest/expected.json"))
    return Archive(code, plain, selftest, runs)


def _members(content: bytes) -> Dict[str, bytes]:
    members: Dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                name = info.filename
                if info.compress_type != zipfile.ZIP_STORED:
                    raise PackageError(f"member '{name}' is compressed; members of a package are "
                                       "stored as they are")
                folder, _, last = name.rpartition("/")
                known = _FOLDERS.get(folder + "/" if folder else "", ())
                if last not in known or name in members:
                    raise PackageError(f"member '{name}' is unknown or occurs twice")
                members[name] = archive.read(info)
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise PackageError(f"it is not a zip file: {error}") from error
    return members


def _code(members: Dict[str, bytes], folder: str) -> Code:
    """The kernels of one folder."""
    for needed in ("manifest.json", "kernels.ptx"):
        if folder + needed not in members:
            raise PackageError(f"member '{folder}{needed}' is missing")
    manifest = manifests.read(members[folder + "manifest.json"])
    here = {name: members[folder + name] for name in _KERNELS if folder + name in members}
    missing = sorted(set(manifest.digests) - set(here))
    if missing:
        raise PackageError(f"member '{folder}{missing[0]}' is missing")
    for name, content in here.items():
        if manifest.digests.get(name) != hashlib.sha256(content).hexdigest():
            raise PackageError(f"member '{folder}{name}' does not match its digest in the manifest")
    return Code(manifest, here["kernels.ptx"], here.get("kernels.cubin"))


def _runs(text: Optional[bytes]) -> Tuple[SelftestRun, ...]:
    if text is None:
        raise PackageError("member 'selftest/expected.json' is missing")

    def run(data: Any) -> SelftestRun:
        if set(data) != {"function", "seed", "scalars", "fields"}:
            raise ValueError(f"a run has {sorted(data)}")
        scalars = {int(place): from_json(value) for place, value in data["scalars"].items()}
        fields = {int(place): str(digest) for place, digest in data["fields"].items()}
        return SelftestRun(str(data["function"]), int(data["seed"]), scalars, fields)

    try:
        return tuple(run(data) for data in json.loads(text))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PackageError(f"member 'selftest/expected.json' is not readable: {error}") from error
