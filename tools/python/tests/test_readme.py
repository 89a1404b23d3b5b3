"""The page that teaches the package says the truth."""

import unittest

import scenery

PAGE = scenery.CHECKOUT / "tools" / "python" / "README.md"


class Page(unittest.TestCase):
    def test_what_it_shows_happens(self):
        scenery.needs_device()
        self.assertGreater(scenery.check_page(self, PAGE), 15)


if __name__ == "__main__":
    unittest.main()
