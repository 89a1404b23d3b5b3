"""A bar for long runs, which are cut into parts of equal numbers of time steps."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any, Iterator, Optional

from .errors import ArgumentError
from .scalars import is_count


def progress(steps: int, every: Optional[int] = None, name: str = "time steps",
             bar: bool = True) -> Iterator[int]:
    """Numbers of time steps that add up to `steps`, with a bar of how many of them are done.

        for part in stencil.progress(1000, every=100):
            wave((before, newest), part)

    Each is `every`, the last one what is left; without it there are a hundred parts or fewer. A
    program that goes on from the levels it gave has the same results, in parts or as a whole, if
    it does not read `t` itself. The bar is tqdm's where tqdm is installed, else a line on standard
    error if that is a terminal, or in a notebook; `bar=False` shows none. Raises `ArgumentError`
    for numbers below zero, and for `every` below one.
    """
    if not is_count(steps, 0) or not (every is None or is_count(every, 1)):
        raise ArgumentError(f"progress({steps!r}, every={every!r}): steps are integers, 0 or more, "
                            "and parts have 1 or more")
    size = every or max(1, -(-steps // 100))
    return _parts(steps, size, _Bar(steps, name) if bar else None)


def _parts(steps: int, size: int, bar: "Optional[_Bar]") -> Iterator[int]:
    left = steps
    try:
        while left > 0:
            part = min(size, left)
            yield part
            left -= part
            if bar is not None:
                bar.advance(part)
    finally:
        # Also where the loop is left by `break` or an error.
        if bar is not None:
            bar.close()


class _Bar:
    """tqdm's bar, or a line that is written anew."""

    def __init__(self, steps: int, name: str) -> None:
        self._steps, self._name, self._done = steps, name, 0
        self._start = time.monotonic()
        self._tqdm: Any = None
        try:
            made = importlib.import_module("tqdm").tqdm
        except ImportError:
            return
        self._tqdm = made(total=steps, desc=name, file=_stream())

    def advance(self, part: int) -> None:
        self._done += part
        if self._tqdm is not None:
            self._tqdm.update(part)
        elif _stream().isatty() or _is_notebook():
            spent = time.monotonic() - self._start
            _stream().write(f"\r{self._name}: {self._done} of {self._steps}, {spent:.1f} s")
            _stream().flush()

    def close(self) -> None:
        if self._tqdm is not None:
            self._tqdm.close()
        elif _stream().isatty() or _is_notebook():
            _stream().write("\n")


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules


def _stream() -> Any:
    """Where a bar goes; what a notebook gets on standard error looks like a failure there."""
    return sys.stdout if _is_notebook() else sys.stderr


__all__ = ["progress"]
