"""The page that teaches the language says the truth."""

import doctest
import os
import unittest

import scenery

PAGE = scenery.CHECKOUT / "tools" / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_what_it_shows_happens(self):
        scenery.needs_compiler()
        before = os.getcwd()
        os.chdir(scenery.CHECKOUT)
        try:
            found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8",
                                     optionflags=doctest.ELLIPSIS)
        finally:
            os.chdir(before)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 25)


if __name__ == "__main__":
    unittest.main()
