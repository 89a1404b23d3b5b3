"""The page that counts lines of programs is what its script writes."""

import importlib.util
import tempfile
import unittest
from pathlib import Path

import scenery

SCRIPT = scenery.CHECKOUT / "tools" / "examples" / "peers" / "lines.py"


def load():
    spec = importlib.util.spec_from_file_location("lines", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Lines(unittest.TestCase):
    def test_the_page_is_up_to_date(self):
        lines = load()
        self.assertEqual(lines.PAGE.read_text(encoding="utf-8"), lines.page(),
                         f"run {SCRIPT.name}")

    def test_what_counts(self):
        text = ('"""A text\nof two lines."""\n\nimport a\nfrom b import (c,\n    d)\n\n\n'
                'def f(x):\n    """Its text."""\n    # A note.\n'
                '    return (x +\n            1)\n\n\n'
                'if __name__ == "__main__":\n    f(1)\n')
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(text, encoding="utf-8")
            self.assertEqual(load().count(path), 3)


if __name__ == "__main__":
    unittest.main()
