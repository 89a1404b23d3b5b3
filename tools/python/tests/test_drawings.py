"""What `stencilc` draws of a program, and how reports are shown."""

import unittest
from pathlib import Path

import scenery
from scenery import stencil

j, i = stencil.indices("j i")


@stencil.program(boundaries=stencil.periodic())
def heat(u, r, steps):
    for t in stencil.steps(steps):
        u[t+1, j, i] = u[t, j, i] + r * stencil.laplace(u[t, j, i])


ARGUMENTS = (stencil.Array((64, 96), "f4"), 0.1, 12)
SWEEP = {"loop": {"mapping": "warp", "steps": 2, "threads": (1, 32), "points": (1, 2)}}


def setUpModule():
    scenery.needs_compiler()


class Drawings(unittest.TestCase):
    def test_the_pipeline_of_a_sweep_is_text_in_columns(self):
        drawn = heat.pipeline(*ARGUMENTS, plan=SWEEP)
        self.assertFalse(drawn.is_svg)
        self.assertIn('sweep "loop", mapping warp', str(drawn))
        self.assertIn("sweep &quot;loop&quot;", drawn._repr_html_())
        self.assertEqual(repr(drawn), drawn.text)

    def test_without_a_sweep_it_says_so(self):
        drawn = heat.pipeline(*ARGUMENTS, plan={"mapping": "thread"})
        self.assertIn("no kernel is a sweep", str(drawn))

    def test_the_order_of_operations_is_svg(self):
        for trees, wanted in [(False, "MAXLIVE"), (True, "kernel heat_u")]:
            drawn = heat.order(*ARGUMENTS, trees=trees, plan={"mapping": "thread"})
            self.assertTrue(drawn.is_svg)
            self.assertIn(wanted, drawn.text)
            self.assertIn("<svg", drawn._repr_html_())
            self.assertTrue(repr(drawn).startswith("<drawing in SVG, "))

    def test_drawings_are_saved(self):
        place = Path(scenery.FOLDER.name) / "order.svg"
        drawn = heat.order(*ARGUMENTS)
        drawn.save(place)
        self.assertEqual(place.read_text(encoding="utf-8"), str(drawn))


class Tables(unittest.TestCase):
    def test_plans_may_break_and_reasons_are_folded(self):
        html = heat.explain(*ARGUMENTS, plan={"mapping": "thread"})._repr_html_()
        self.assertIn("mapping=thread,<wbr>", html)
        self.assertIn("<details><summary>", html)
        self.assertNotIn("u:mapping", html)
        self.assertIn(f"{Path(__file__).name}:", html)

    def test_lines_of_cells_have_no_file(self):
        source = ("import stencil\nj, i = stencil.indices('j i')\n"
                  "@stencil.program\ndef one(u):\n    u[j, i] = 2 * u[j, i]\n")
        scope = {}
        exec(compile(source, "/tmp/ipykernel_1/123456.py", "exec"), scope)
        html = scope["one"].explain(stencil.Array((8, 8)))._repr_html_()
        self.assertIn(">line\u00a05<", html)
        self.assertNotIn("123456", html)


if __name__ == "__main__":
    unittest.main()
