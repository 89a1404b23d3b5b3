"""The page that teaches the package says the truth."""

import doctest
import os
import unittest

import scenery

PAGE = scenery.CHECKOUT / "tools" / "python" / "README.md"


class Page(unittest.TestCase):
    def test_what_it_shows_happens(self):
        scenery.needs_device()
        before = os.getcwd()
        os.chdir(scenery.CHECKOUT)
        try:
            found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
        finally:
            os.chdir(before)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 15)


if __name__ == "__main__":
    unittest.main()
