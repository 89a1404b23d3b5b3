"""Snapshots in Zarr: what is in a store, going on in one, and what fails. Needs zarr."""

import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy  # noqa: E402 - the path comes first

import scenery  # noqa: E402
from scenery import stencil  # noqa: E402

try:
    import zarr
except ImportError:
    zarr = None

j, i = stencil.indices("j i")


@stencil.program(boundaries={"u": stencil.periodic()}, on="interpreter")
def heat(u, r, steps):
    for t in stencil.steps(steps):
        u[t+1, j, i] = u[t, j, i] + r * stencil.laplace(u[t, j, i])


def setUpModule():
    if zarr is None:
        raise unittest.SkipTest("there is no zarr")


def random(*shape, dtype="float32"):
    return numpy.random.default_rng(1).random(shape).astype(dtype)


class Stores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stencil-zarr-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "run.zarr"

    def test_a_run_goes_on_from_its_last_snapshot(self):
        scenery.needs_compiler()
        u = random(17, 33)
        with stencil.zarr.Writer(self.path, {"u": u}) as run:
            for part in stencil.progress(4, every=2, bar=False):
                heat(u, 0.2, part)
                run.write(u=u, steps=part)
        steps, fields = stencil.zarr.read(self.path)
        self.assertEqual(steps, 4)
        self.assertTrue((fields["u"] == u).all())
        with stencil.zarr.Writer(self.path, fields, append=True) as run:
            heat(fields["u"], 0.2, 3)
            run.write(u=fields["u"], steps=3)
        heat(u, 0.2, 3)
        self.assertEqual(stencil.zarr.read(self.path)[0], 7)
        self.assertTrue((stencil.zarr.read(self.path)[1]["u"] == u).all())

    def test_a_store_says_what_it_holds(self):
        fields = {"p": random(3, 4, 5), "q": random(3, 4, 5, dtype="float64")}
        with stencil.zarr.Writer(self.path, fields, spacing=(1, 2, 0.5), unit="m") as run:
            for steps in (10, 5):
                run.write(steps=steps, **fields)
        group = zarr.open_group(self.path, mode="r")
        self.assertEqual(list(group["time_step"][:]), [10, 15])
        self.assertEqual(group["p"].metadata.dimension_names, ("time_step", "z", "y", "x"))
        self.assertEqual(dict(group["q"].attrs), {"spacing": [1.0, 2.0, 0.5], "unit": "m"})
        self.assertEqual((group["q"].shape, group["q"].dtype), ((2, 3, 4, 5), "float64"))
        self.assertEqual(group["p"].chunks, (1, 3, 4, 5))
        steps, found = stencil.zarr.read(self.path, 10)
        self.assertEqual((steps, sorted(found)), (10, ["p", "q"]))

    def test_every_bit_is_kept(self):
        bits = numpy.array([0x7FC00001, 0xFFC00000, 0x80000000, 1, 0x7F800000], "u4")
        with stencil.zarr.Writer(self.path, {"u": bits.view("f4")}) as run:
            run.write(u=bits.view("f4"), steps=1)
            bits[:] = 0
            kept = numpy.array([0x7FC00001, 0xFFC00000, 0x80000000, 1, 0x7F800000], "u4")
        found = stencil.zarr.read(self.path)[1]["u"]
        self.assertTrue((found.view("u4") == kept).all())
        negative = numpy.full(5, -0.0, "f4")
        for _ in range(2):
            with stencil.zarr.Writer(self.path, {"u": negative}, append=True) as run:
                run.write(u=negative, steps=1)
            self.assertTrue(numpy.signbit(stencil.zarr.read(self.path)[1]["u"]).all())

    def test_large_fields_have_several_chunks(self):
        self.assertEqual(stencil.zarr._chunk((1024, 512, 512), 4), (64, 512, 512))
        self.assertEqual(stencil.zarr._chunk((2, 1 << 20, 1 << 10), 8), (1, 1 << 13, 1 << 10))

    def test_a_snapshot_that_is_not_whole_is_not_there(self):
        u = random(5, 6)
        with stencil.zarr.Writer(self.path, {"u": u}) as run:
            run.write(u=u, steps=1)
        # As if a run had ended within its second snapshot.
        zarr.open_group(self.path, mode="r+")["u"].resize((2, 5, 6))
        self.assertEqual(stencil.zarr.read(self.path)[0], 1)
        with stencil.zarr.Writer(self.path, {"u": u}, append=True) as run:
            self.assertEqual(run.steps, 1)
            run.write(u=u * 2, steps=4)
        self.assertEqual(zarr.open_group(self.path)["u"].shape, (2, 5, 6))
        self.assertTrue((stencil.zarr.read(self.path, 5)[1]["u"] == u * 2).all())

    def test_a_run_is_two_snapshots_ahead_and_told_what_failed(self):
        u = random(5, 6)
        run = stencil.zarr.Writer(self.path, {"u": u})
        go, write = threading.Event(), run._write
        tried = []

        def slow(steps, copies):
            go.wait()
            tried.append(steps)
            if steps == 2:
                raise OSError("no space left on device")
            write(steps, copies)

        with mock.patch.object(run, "_write", slow):
            run.write(u=u, steps=1)
            run.write(u=u, steps=1)
            self.assertEqual(len(run._pending), 2)
            go.set()
            run._pending[1].result()
            for call in (lambda: run.write(u=u, steps=1), run.close):
                with self.assertRaisesRegex(stencil.StencilError, "run.zarr' cannot be written: no "
                                                                  "space left"):
                    call()
        self.assertEqual(tried, [1, 2], "what comes after is not written either")
        self.assertEqual(stencil.zarr.read(self.path)[0], 1)

    def test_what_does_not_fit_is_refused(self):
        def refused(text, call):
            with self.assertRaisesRegex(stencil.StencilError, text):
                call()

        u = random(5, 6)
        refused("has no such snapshot|cannot be read", lambda: stencil.zarr.read(self.path))
        with stencil.zarr.Writer(self.path, {"u": u}) as run:
            refused(r"has no such snapshot; it has none", lambda: stencil.zarr.read(self.path))
            run.write(u=u, steps=3)
            refused("has the fields u, given are v", lambda: run.write(v=u, steps=1))
            refused(r"'u' is \(5, 6\) of float32 in the store, found \(6, 5\)",
                    lambda: run.write(u=u.T, steps=1))
            refused("field 'u' takes an array, found list", lambda: run.write(u=[1], steps=1))
        refused(r"no such snapshot, 2; it has those after 3 time steps",
                lambda: stencil.zarr.read(self.path, 2))
        refused("exists; go on in it with append=True",
                lambda: stencil.zarr.Writer(self.path, {"u": u}))
        refused("has no field 'v'; it has u",
                lambda: stencil.zarr.Writer(self.path, {"v": u}, append=True))
        refused(r"spacing is \(1,\)",
                lambda: stencil.zarr.Writer(self.path.parent / "b", {"u": u}, spacing=(1,)))
        refused("fields, none with the name 'time_step'",
                lambda: stencil.zarr.Writer(self.path, {"time_step": u}))


if __name__ == "__main__":
    unittest.main()
