"""What the compiler and the library say to everybody, in words of Python.

Programs of the command line and hosts in C speak of their own words; here are those that Python has
in their place.
"""

from __future__ import annotations

import re

#: What is said, as a regular expression, and what a user of Python does.
_WORDS = tuple((re.compile(said), here) for said, here in (
    ("run on the emulator with stencilc", "run on the emulator: on=\"emulator\""),
    ("use the version of stencil-run that came with the compiler",
     "take this package and the compiler from one build"),
    ("name the one that is meant, which --function of stencil-run does",
     "name the one that is meant: function=\"name\""),
    (r"name a target, as in --target (\w+)", r'name a target, as in target="\1"'),
    (r"invalid value '[^']*' for '--plan <KEY=VALUE,\.\.\.>': ", "plan: "),
    (r"\s*For more information, try '--help'\.\s*$", ""),
    (r"set it with --(arg|symbol) \S+=NUMBER", "give a number for it in the call"),
))


def in_python(message: str) -> str:
    """A message with the words of Python."""
    for said, here in _WORDS:
        message = said.sub(here, message)
    return message


__all__ = ["in_python"]
