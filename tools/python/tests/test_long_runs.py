"""Runs that are cut into parts: how many steps each has, and what is said meanwhile."""

import contextlib
import io
import sys
import types
import unittest
from unittest import mock

import scenery  # noqa: F401 - it sets the path
from scenery import stencil


class Terminal(io.StringIO):
    def isatty(self):
        return True


def without_tqdm():
    return mock.patch.dict(sys.modules, {"tqdm": None})


class Parts(unittest.TestCase):
    def parts(self, *values, **named):
        return list(stencil.progress(*values, bar=False, **named))

    def test_they_add_up(self):
        self.assertEqual(self.parts(10, every=4), [4, 4, 2])
        self.assertEqual(self.parts(3, every=5), [3])
        self.assertEqual(self.parts(0), [])
        self.assertEqual(self.parts(250), [3] * 83 + [1])
        self.assertEqual(len(self.parts(7)), 7)

    def test_refusals(self):
        for values in [(-1,), (5, 0)]:
            with self.assertRaisesRegex(stencil.ArgumentError, "steps are integers, 0 or more"):
                stencil.progress(*values)

    def test_a_terminal_gets_a_line_without_tqdm(self):
        said = Terminal()
        with without_tqdm(), contextlib.redirect_stderr(said):
            list(stencil.progress(4, every=2, name="wave"))
        lines = said.getvalue().split("\r")
        self.assertRegex(lines[1], r"^wave: 2 of 4, \d+\.\d s$")
        self.assertRegex(lines[2], r"^wave: 4 of 4, \d+\.\d s\n$")

    def test_a_file_gets_nothing(self):
        said = io.StringIO()
        with without_tqdm(), contextlib.redirect_stderr(said):
            list(stencil.progress(4))
        self.assertEqual(said.getvalue(), "")

    def test_the_bar_is_that_of_tqdm_and_is_closed_early_too(self):
        bar = mock.Mock()
        module = types.SimpleNamespace(tqdm=mock.Mock(return_value=bar))
        with mock.patch.dict(sys.modules, {"tqdm": module}):
            for part in stencil.progress(9, every=4):
                if part != 4:
                    self.fail("the loop was left before")
                if bar.update.called:
                    break
        self.assertEqual(module.tqdm.call_args.kwargs["total"], 9)
        bar.update.assert_called_once_with(4)
        bar.close.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
