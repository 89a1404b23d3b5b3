"""Pictures: what is drawn where. Needs matplotlib."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import matplotlib  # noqa: E402 - the path comes first
import numpy  # noqa: E402

import scenery  # noqa: E402
from scenery import stencil  # noqa: E402

matplotlib.use("Agg")


def setUpModule():
    scenery.needs_compiler()


def pictures(figure):
    """The axes that show cells, without the bar of colours."""
    return [one for one in figure.axes if one.images]


class Fields(unittest.TestCase):
    def test_slices_go_through_a_position_in_units(self):
        cells = numpy.arange(4 * 5 * 6.0).reshape(4, 5, 6)
        figure = stencil.plot(cells, "p", unit="Pa", spacing=(1, 2, 0.5), origin=(10, 0, -1),
                              length_unit="m", at=(12, 6, 0.5))
        shown = pictures(figure)
        self.assertEqual([one.get_title() for one in shown], ["z = 12 m", "y = 6 m", "x = 0.5 m"])
        for one, expected in zip(shown, (cells[2], cells[:, 3], cells[:, :, 3])):
            self.assertTrue((one.images[0].get_array() == expected).all())
        self.assertEqual(shown[0].get_xlabel(), "x (m)")
        self.assertEqual(shown[2].get_xlabel(), "y (m)")
        # Cells are squares around their points: x is -1, -0.5 ... 1.5, and y is 0, 2 ... 8.
        self.assertEqual(shown[0].images[0].get_extent(), [-1.25, 1.75, -1, 9])
        self.assertIn("p (Pa)", [one.get_ylabel() for one in figure.axes])

    def test_colours_have_zero_in_the_middle_if_values_are_on_both_sides(self):
        for cells, limits in [([[-1.0, 3.0]], (-3, 3)), ([[1.0, 3.0]], (1, 3)),
                              ([[numpy.nan, 2.0, 4.0]], (2, 4)), ([[True, False]], (0, 1))]:
            image = pictures(stencil.plot(numpy.array(cells)))[0].images[0]
            self.assertEqual((image.norm.vmin, image.norm.vmax), limits)
        chosen = pictures(stencil.plot(numpy.eye(3), limits=(-2, 0.5)))[0].images[0]
        self.assertEqual(chosen.get_clim(), (-2, 0.5))
        self.assertEqual(chosen.colorbar.extend, "max")

    def test_a_line_and_levels_of_time(self):
        old, new = numpy.zeros(4), numpy.arange(4, dtype="int32")
        line = stencil.plot((old, new), "u", spacing=0.5, origin=1).axes[0].lines[0]
        self.assertEqual(line.get_xdata().tolist(), [1, 1.5, 2, 2.5])
        self.assertEqual(line.get_ydata().tolist(), [0, 1, 2, 3])
        self.assertEqual(pictures(stencil.plot(numpy.eye(2)))[0].get_ylabel(), "j")

    def test_arrays_of_devices_come_to_the_host(self):
        class OnDevice:
            def get(self):
                return numpy.eye(2)

        shown = pictures(stencil.plot(OnDevice()))[0].images[0].get_array()
        self.assertTrue((shown == numpy.eye(2)).all())

    def test_refusals(self):
        cube = numpy.zeros((2, 2, 2))
        for call, said in [
                (lambda: stencil.plot(numpy.zeros((2, 2, 2, 2))), "one to three dimensions, not "
                 "ndarray of shape"),
                (lambda: stencil.plot("u"), "not str of shape"),
                (lambda: stencil.plot(cube, spacing=(1, 2)), "has 2 numbers, the field 3 axes"),
                (lambda: stencil.plot(cube, axes=("x",)), "names 1 axes, the field has 3"),
                (lambda: stencil.plot(cube, at=(0, 0)), "has 2 numbers, the field 3 axes"),
                (lambda: stencil.plot(cube, at=5), "at=5 is no position"),
                (lambda: stencil.plot(cube, spacing="x"), "spacing=.x. is no number"),
                (lambda: stencil.plot(cube, at=(0, 5, 0)), "along axis 1: cell 5 of 2")]:
            with self.assertRaisesRegex(stencil.ArgumentError, said):
                call()


class Rooflines(unittest.TestCase):
    def report(self, target):
        j, i = stencil.indices("j i")

        @stencil.program(boundaries=stencil.periodic(), target=target)
        def heat(u, v):
            v[j, i] = u[j, i] + 0.1 * stencil.laplace(u[j, i])

        return heat.explain(*[stencil.Array((64, 64), "f4")] * 2)

    def test_kernels_lie_on_the_roof(self):
        report = self.report("sm_90a")
        kernel = next(one for one in report.kernels if one["stage"] == "v")
        axes = report.roofline().axes[0]
        roof, *points = axes.lines
        self.assertEqual(len(points), 1)
        intensity = kernel["flops_per_point"]["executed"] / kernel["bytes_per_point"]["compulsory"]
        (x,), (y,) = points[0].get_data()
        self.assertAlmostEqual(x, intensity)
        self.assertAlmostEqual(y, intensity * kernel["bound"]["copy_bytes_per_s"] / 1e12)
        ridge = roof.get_xdata()[1]
        self.assertAlmostEqual(ridge * kernel["bound"]["copy_bytes_per_s"] / 1e12,
                               kernel["bound"]["flops_per_s"] / 1e12)

    def test_the_roof_is_that_of_the_chip_that_the_target_stands_for(self):
        report = self.report("sm_80")
        bound = report.kernels[0]["bound"]
        self.assertEqual((bound["product"], bound["is_derived"]), ("NVIDIA A100-SXM4-80GB", True))
        self.assertIn("NVIDIA A100-SXM4-80GB", str(report.roofline().axes[0].get_title()))


if __name__ == "__main__":
    unittest.main()
