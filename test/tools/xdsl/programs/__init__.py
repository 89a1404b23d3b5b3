"""The programs, in groups. A group is a file next to this one; each program registers itself."""

import dataclasses
import importlib
import typing

GROUPS = (
    "access", "bounds", "operands", "results", "combine", "memory", "dynamic", "types", "loops",
    "foreign",
)


@dataclasses.dataclass
class Program:
    """One module, what is done with it, and what is known about it."""

    name: str
    group: str
    what: str
    make: typing.Callable
    # Scalars of each function that is run, by position; arrays are random.
    runs: dict
    # Results by hand: takes the arguments before the run, gives the fields that change.
    by_hand: typing.Callable | None = None
    # How far results may be off, relative to the largest; 0 is bit for bit.
    within: float = 0.0
    # Why xDSL's shape inference gives other bounds, or none.
    bounds_differ: str | None = None
    # A part of the message with which `stencilc run` must refuse the program.
    refused: str | None = None
    backends: tuple = ("interpreter", "emulator")
    # Names of planted differences that cannot be seen in the results, with the reason.
    equivalent: dict = dataclasses.field(default_factory=dict)


PROGRAMS = []


def program(what, scalars=None, runs=None, **known):
    """Registers the function below it, which makes the module."""

    def register(make):
        name = make.__name__
        group = make.__module__.rpartition(".")[2]
        functions = runs if runs is not None else {name: scalars or {}}
        PROGRAMS.append(Program(name, group, what, make, functions, **known))
        return make

    return register


def of_groups(names=GROUPS):
    """The programs of some groups, in the order of their files."""
    for name in GROUPS:
        importlib.import_module(f"programs.{name}")
    return [each for each in PROGRAMS if each.group in names]


def np_put(array, where, values):
    """A copy of an array with some cells replaced."""
    changed = array.copy()
    changed[where] = values
    return changed
