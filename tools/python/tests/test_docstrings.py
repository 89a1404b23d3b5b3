"""Everything that users call says what it takes, and what it raises."""

import importlib
import inspect
import unittest

import scenery  # noqa: F401 - it sets the path
from scenery import stencil


def public(names):
    """What has these names in `stencil`, and the members of classes that have no underscore."""
    for name in names:
        one = getattr(stencil, name)
        yield name, one
        for member, value in vars(one).items() if isinstance(one, type) else ():
            if member == "__call__" or not member.startswith("_"):
                yield f"{name}.{member}", value


def takes_arguments(one):
    """Whether it is called with something besides `self`."""
    return inspect.isfunction(one) and any(
        name != "self" for name in inspect.signature(one).parameters)


class Docstrings(unittest.TestCase):
    def test_everything_public_has_one(self):
        for name, one in public(stencil.__all__):
            if callable(one) or isinstance(one, property):
                self.assertTrue((one.__doc__ or "").strip(), name)

    def test_functions_of_the_language_say_what_they_raise(self):
        names = [*importlib.import_module("stencil.language").__all__, "plot", "progress"]
        said = [name for name, one in public(names) if takes_arguments(one)]
        self.assertGreater(len(said), 70)
        for name, one in public(names):
            if takes_arguments(one):
                self.assertRegex(one.__doc__, "[Rr]aises", name)

    def test_pictures_have_shapes_and_units(self):
        for word in ("shape (n0, n1, n2)", "`unit`", "`length_unit`"):
            self.assertIn(word, stencil.plot.__doc__)


if __name__ == "__main__":
    unittest.main()
