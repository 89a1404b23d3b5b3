"""The page that teaches the language says the truth."""

import doctest
import unittest

import scenery

PAGE = scenery.CHECKOUT / "tools" / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_what_it_shows_happens(self):
        scenery.needs_compiler()
        self.assertGreater(scenery.check_page(self, PAGE, doctest.ELLIPSIS), 25)


if __name__ == "__main__":
    unittest.main()
