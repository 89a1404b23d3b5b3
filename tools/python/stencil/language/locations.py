"""Where in the user's files an operation was written.

A location is that of the innermost frame outside of this package and of NumPy, so helper functions
of the user count, and those of the package do not.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, NoReturn, Optional, Type

import numpy

from ..errors import TraceError

#: Frames of files that begin with these are not the user's: this package, and NumPy, whose
#: functions ask values for what they have not.
_FOREIGN = (os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
            os.path.dirname(os.path.abspath(numpy.__file__)) + os.sep, "<__array_function__")


class Location(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    @property
    def name(self) -> str:
        """The file without its folders, as programs name it: so text does not depend on where."""
        return os.path.basename(self.file)


def here() -> Location:
    """The line of the user's that is executed now."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_FOREIGN):
        frame = frame.f_back
    return Location(frame.f_code.co_filename, frame.f_lineno)


def refuse(reason: str, remedy: str = "", at: Optional[Location] = None,
           error: Type[TraceError] = TraceError) -> NoReturn:
    """Raises a `TraceError` at a location; without one, at the line that is executed now."""
    where = at or here()
    raise error(reason, remedy, where.file, where.line)
