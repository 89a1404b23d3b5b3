"""The notebook of tools/examples/python runs from beginning to end. Needs nbclient, ipykernel and
matplotlib, in the environment of the Python that runs this.
"""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nbclient  # noqa: E402 - the path comes first
import nbformat  # noqa: E402

import scenery  # noqa: E402

NOTEBOOK = scenery.CHECKOUT / "tools" / "examples" / "python" / "wave3d.ipynb"


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scenery.needs_compiler()
        package = str(scenery.CHECKOUT / "tools" / "python")
        os.environ["PYTHONPATH"] = os.pathsep.join(
            [package] + [path for path in [os.environ.get("PYTHONPATH")] if path])
        cls.written = nbformat.read(NOTEBOOK, as_version=4)
        cls.notebook = nbformat.from_dict(cls.written.copy())
        nbclient.NotebookClient(cls.notebook, timeout=300, kernel_name="python3").execute()
        cls.outputs = [one for cell in cls.notebook.cells for one in cell.get("outputs", [])]

    def shown(self, kind):
        return [str(one.data[kind]) for one in self.outputs if kind in one.get("data", {})]

    def test_it_is_kept_without_results(self):
        for cell in self.written.cells:
            if cell.cell_type == "code":
                self.assertEqual((cell.outputs, cell.execution_count), ([], None), cell.id)

    def test_nothing_is_said_on_standard_error(self):
        said = [one.text for one in self.outputs if one.get("name") == "stderr"]
        self.assertEqual(said, [])

    def test_pictures_tables_and_drawings_are_shown(self):
        self.assertEqual(len(self.shown("image/png")), 2)
        html = "\n".join(self.shown("text/html"))
        for wanted in ("<table>", "<svg", 'sweep &quot;loop&quot;, mapping block'):
            self.assertIn(wanted, html)
        printed = "".join(one.get("text", "") for one in self.outputs)
        self.assertIn("ld.global", printed)
        self.assertRegex(printed, "40( of |/)40")


if __name__ == "__main__":
    unittest.main()
