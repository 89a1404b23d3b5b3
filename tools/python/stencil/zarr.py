"""Fields of a long run in Zarr: written while the run goes on, and read to go on from them.

    with stencil.zarr.Writer("run.zarr", {"p": newest}, spacing=(10.0, 10.0), unit="m") as run:
        for part in stencil.progress(1000, every=100):
            newest = wave((before, newest), part)
            run.write(p=newest, steps=part)
    steps, fields = stencil.zarr.read("run.zarr")

A store is a group of version 3 with an array for each field, its first dimension the snapshots, and
the array `time_step`, the number of time steps before each; xarray, dask and others read it. Values
are kept bit for bit; bfloat16 as its bits in uint16, as in `.npy` files. Needs the package zarr.
"""

from __future__ import annotations

import importlib
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Deque, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import arrays
from .errors import ArgumentError, StencilError

try:
    zarr: Any = importlib.import_module("zarr")
except ImportError as error:
    raise ImportError("stencil.zarr needs Zarr, which is not installed here: pip install "
                      "zarr") from error

#: The dimensions of a field, the last ones for fewer.
_AXES = ("z", "y", "x")
_SNAPSHOTS = "time_step"
#: Copies on the host that wait to be written, or are.
_PENDING_MAX = 2
_CHUNK_BYTES_MAX = 64 << 20

Path = Union[str, "os.PathLike[str]"]


class Writer:
    """Writes snapshots of fields into a store, on a thread of its own; see `write`.

    `fields` are arrays by name, of NumPy, PyTorch, CuPy or JAX, that give shapes, slowest dimension
    first, and types; what they hold is not written. `spacing` is the mesh width along each
    dimension, in `unit`, and is kept as attributes. `append` goes on in a store that is there,
    after its last whole snapshot.

    Raises `ArgumentError` where there is a store already, or one that these fields do not fit, and
    for arrays that are none; `StencilError` where it cannot be written.
    """

    def __init__(self, path: Path, fields: Mapping[str, Any], *,
                 spacing: Optional[Sequence[float]] = None, unit: str = "",
                 append: bool = False) -> None:
        self._path = os.fspath(path)
        if not fields or not {_SNAPSHOTS, "steps"}.isdisjoint(fields):
            raise ArgumentError(f"a store has fields, none with the name '{_SNAPSHOTS}' or 'steps'")
        self._shapes = {name: _stand_in(name, array) for name, array in fields.items()}
        for name, one in self._shapes.items():
            if spacing is not None and len(spacing) != one.ndim:
                raise ArgumentError(f"field '{name}' has {one.ndim} dimensions, and spacing is "
                                    f"{tuple(spacing)}")
        exists = os.path.exists(self._path)
        if exists and not append:
            raise ArgumentError(f"'{self._path}' exists; go on in it with append=True, or name "
                                "another one")
        try:
            group = self._opened() if exists else self._made(spacing, unit)
        except (OSError, ValueError, KeyError) as error:
            raise StencilError(f"store '{self._path}' cannot be written: {error}") from error
        # A chunk that is all zeros is written too: zeros may have signs.
        with zarr.config.set({"array.write_empty_chunks": True}):
            self._arrays = {name: group[name] for name in fields}
        self._steps = group[_SNAPSHOTS]
        count = self._steps.shape[0]
        #: Time steps before the last snapshot.
        self.steps = int(self._steps[-1]) if count else 0
        self._threads = ThreadPoolExecutor(1, "stencil-zarr")
        self._pending: "Deque[Future[None]]" = deque()
        self._failure: Optional[Exception] = None

    def write(self, *, steps: int, **fields: Any) -> None:
        """Writes a snapshot after `steps` more time steps: an array for each field of the store.

        The arrays are copied to the host and may change when this returns; the copy is written
        later. There are two copies at most, so a run that is faster than the disk waits. Raises
        `ArgumentError` for other fields, shapes or types, and `StencilError` for what a snapshot
        before this one failed at: then it and all later ones are not in the store.
        """
        if set(fields) != set(self._shapes):
            raise ArgumentError(f"the store '{self._path}' has the fields "
                                f"{', '.join(self._shapes)}, given are {', '.join(fields)}")
        self._wait(_PENDING_MAX - 1)
        copies = {name: _on_host(name, array) for name, array in fields.items()}
        for name, copy in copies.items():
            _check(name, copy, self._shapes[name])
        self.steps += int(steps)
        self._pending.append(self._threads.submit(self._after_others, self.steps, copies))

    def close(self) -> None:
        """Waits until all is written; raises `StencilError` for what that failed at."""
        self._threads.shutdown()
        self._wait(0)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _wait(self, most: int) -> None:
        """Waits until no more copies than these are to be written."""
        while len(self._pending) > most:
            self._pending.popleft().result()
        if self._failure is not None:
            raise StencilError(f"store '{self._path}' cannot be written: "
                               f"{self._failure}") from self._failure

    def _after_others(self, steps: int, copies: Mapping[str, numpy.ndarray]) -> None:
        """Writes a snapshot; it is only there with all that are before it."""
        if self._failure is None:
            try:
                self._write(steps, copies)
            except Exception as error:  # pylint: disable=broad-except
                self._failure = error

    def _write(self, steps: int, copies: Mapping[str, numpy.ndarray]) -> None:
        place = self._steps.shape[0]
        for name, copy in copies.items():
            array = self._arrays[name]
            array.resize((place + 1, *copy.shape))
            array[place] = copy
        # Last: what this does not count is not there.
        self._steps.resize((place + 1,))
        self._steps[place] = steps

    def _made(self, spacing: Optional[Sequence[float]], unit: str) -> Any:
        group = zarr.create_group(self._path, zarr_format=3)
        group.create_array(_SNAPSHOTS, shape=(0,), chunks=(1024,), dtype="int64",
                           dimension_names=(_SNAPSHOTS,))
        for name, one in self._shapes.items():
            axes = _AXES[len(_AXES) - one.ndim:]
            attributes: Dict[str, Any] = {}
            if spacing is not None:
                attributes = {"spacing": [float(width) for width in spacing], "unit": unit}
            group.create_array(name, shape=(0, *one.shape), dtype=one.dtype,
                               chunks=(1, *_chunk(one.shape, one.dtype.itemsize)),
                               dimension_names=(_SNAPSHOTS, *axes), attributes=attributes)
        return group

    def _opened(self) -> Any:
        group = zarr.open_group(self._path, mode="r+")
        count = _complete(group, self._path)
        for name, one in self._shapes.items():
            if name not in group:
                raise ArgumentError(f"the store '{self._path}' has no field '{name}'; it has "
                                    f"{', '.join(_names(group))}")
            array = group[name]
            _check(name, numpy.broadcast_to(numpy.zeros((), array.dtype), array.shape[1:]), one)
            # What a run that ended within a snapshot has left.
            array.resize((count, *array.shape[1:]))
        return group


def read(path: Path, step: Optional[int] = None) -> Tuple[int, Dict[str, numpy.ndarray]]:
    """A snapshot of a store: the time steps before it, and the fields by name, as NumPy arrays.

    `step` is one that was written, as the store's array `time_step` lists them; without it the
    last whole snapshot is read. Raises `ArgumentError` for a step that is not there, and
    `StencilError` where there is no store of `Writer`.
    """
    place = os.fspath(path)
    try:
        group = zarr.open_group(place, mode="r")
        count = _complete(group, place)
        written = [int(one) for one in group[_SNAPSHOTS][:]]
        wanted = step if step is not None else (written[-1] if written else None)
        if wanted not in written:
            known = f"has those after {_listed(written)} time steps" if written else "has none"
            raise ArgumentError(f"the store '{place}' has no such snapshot"
                                f"{f', {step}' if step is not None else ''}; it {known}")
        index = count - 1 - written[::-1].index(wanted)
        return int(wanted), {name: numpy.asarray(group[name][index]) for name in _names(group)}
    except (OSError, ValueError, KeyError) as error:
        raise StencilError(f"store '{place}' cannot be read: {error}") from error


def _complete(group: Any, path: str) -> int:
    """Snapshots that are whole."""
    if _SNAPSHOTS not in group:
        raise StencilError(f"'{path}' is no store of stencil.zarr.Writer: it has no array "
                           f"'{_SNAPSHOTS}'")
    return int(group[_SNAPSHOTS].shape[0])


def _names(group: Any) -> List[str]:
    return sorted(name for name in group.array_keys() if name != _SNAPSHOTS)


def _listed(steps: Sequence[int]) -> str:
    shown = [str(one) for one in steps]
    return ", ".join(shown if len(shown) <= 6 else [*shown[:3], "...", shown[-1]])


def _check(name: str, found: numpy.ndarray, wanted: numpy.ndarray) -> None:
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        raise ArgumentError(f"field '{name}' is {wanted.shape} of {wanted.dtype} in the store, "
                            f"found {found.shape} of {found.dtype}")


def _stand_in(name: str, array: Any) -> numpy.ndarray:
    """An array of the same shape and type, without memory."""
    try:
        found = arrays.view(array.detach() if hasattr(array, "detach") else array, 0)
    except ArgumentError as error:
        raise ArgumentError(f"field '{name}' {error}") from error
    dtype = "uint16" if found.type == "bfloat16" else found.type
    return numpy.broadcast_to(numpy.zeros((), dtype), found.shape)


def _on_host(name: str, array: Any) -> numpy.ndarray:
    """A copy on the host, of an array of any library that fields take."""
    for method in ("cpu", "get", "copy_to_host"):
        if hasattr(array, method):
            array = getattr(array.detach() if hasattr(array, "detach") else array, method)()
            break
    try:
        return numpy.array(arrays.view(array, 0).owner)
    except ArgumentError as error:
        raise ArgumentError(f"field '{name}' {error}") from error


def _chunk(shape: Sequence[int], size: int) -> Tuple[int, ...]:
    """Extents of a chunk: those of the field, the slowest halved until it is not too large."""
    chunk = list(shape)
    for dimension in range(len(chunk)):
        while chunk[dimension] > 1 and size * int(numpy.prod(chunk)) > _CHUNK_BYTES_MAX:
            chunk[dimension] = -(-chunk[dimension] // 2)
    return tuple(chunk)


__all__ = ["Writer", "read"]
