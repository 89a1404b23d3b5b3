"""Arrays of other libraries on the host, and how they lie in memory. No device."""

import gc
import unittest

from scenery import CapsuleArray, numpy, stencil
from stencil import arrays, dlpack
from stencil.manifest import Argument, Field
from stencil.random_fields import canonical_sha256, random_cells


def argument(field, name="u"):
    return Argument(0, name, field)


FIELD = Field((-1, 0), (3, 6), "f32", False, True)


class Capsules(unittest.TestCase):
    def test_both_forms_are_read_and_given_back_once(self):
        for versioned in (True, False):
            owner = CapsuleArray(numpy.arange(24, dtype="f4").reshape(4, 6), versioned, device=1)
            found = arrays.view(owner, 0)
            self.assertEqual((found.shape, found.strides, found.type), ((4, 6), (24, 4), "float32"))
            self.assertTrue(found.writable)
            self.assertTrue(numpy.shares_memory(found.owner, owner.array))
            found.owner[2, 3] = -1
            self.assertEqual((owner.array[2, 3], owner.deleted, owner.streams[-1]), (-1, 0, None))
            del found
            gc.collect()
            self.assertEqual(owner.deleted, 1)

    def test_version_1_says_what_may_be_written(self):
        found = arrays.view(CapsuleArray(numpy.zeros((4, 6), "f4"), read_only=True, device=1), 0)
        self.assertFalse(found.writable)
        with self.assertRaisesRegex(stencil.ArgumentError, "'u' is written, .* read-only"):
            arrays.check(argument(FIELD), FIELD, found)

    def test_what_cannot_be_read_is_refused(self):
        array = numpy.zeros((4, 6), "f4")
        for options, text in [(dict(major=2), "capsule of version 2.0; version 1"),
                              (dict(code=5), "type with code 5, 32 bits"),
                              (dict(device=10), "DLPack's kind 10")]:
            with self.assertRaisesRegex(stencil.ArgumentError, text):
                arrays.view(CapsuleArray(array, **{"device": 1, **options}), 0)
        with self.assertRaisesRegex(stencil.ArgumentError, "gives no capsule"):
            dlpack.read(object())

    def test_bfloat16_is_known(self):
        owner = CapsuleArray(numpy.zeros((4, 6), "u2"), device=1, code=4)
        found = arrays.view(owner, 0)
        self.assertEqual(found.type, "bfloat16")
        field = Field((0, 0), (4, 6), "bf16", False, True)
        arrays.check(argument(field), field, found)
        arrays.check(argument(field), field, arrays.view(owner.array, 0))


class Checks(unittest.TestCase):
    def refusal(self, array, field=FIELD):
        with self.assertRaises(stencil.ArgumentError) as caught:
            arrays.check(argument(field), field, arrays.view(array, 0))
        return str(caught.exception)

    def test_type_and_shape_are_those_of_the_field(self):
        arrays.check(argument(FIELD), FIELD, arrays.view(numpy.zeros((4, 6), "f4"), 0))
        self.assertEqual(
            self.refusal(numpy.zeros((4, 6))),
            "argument 0 'u' takes float32 for the field [-1,3]x[0,6]xf32, found float64; convert "
            "it, a.astype('float32')")
        self.assertIn("found >f4", self.refusal(numpy.zeros((4, 6), ">f4")))
        self.assertEqual(
            self.refusal(numpy.zeros((6, 4), "f4")),
            "argument 0 'u' takes shape (4, 6) for the field [-1,3]x[0,6]xf32, found shape (6, 4)")
        half = Field((0,), (2,), "bf16", False, False)
        self.assertIn("takes bfloat16 or uint16 for", self.refusal(numpy.zeros(2, "f2"), half))
        for element, names in arrays.ACCEPTED.items():
            field = Field((0,), (2,), element, False, False)
            for name in names[-1:]:
                arrays.check(argument(field), field, arrays.view(numpy.zeros(2, name), 0))

    def test_read_only_arrays_are_for_fields_that_are_read(self):
        array = numpy.zeros((4, 6), "f4")
        array.flags.writeable = False
        self.assertIn("read-only; pass a copy", self.refusal(array))
        read = Field(FIELD.lower, FIELD.upper, "f32", False, False)
        arrays.check(argument(read), read, arrays.view(array, 0))

    def test_two_fields_do_not_share_memory(self):
        pair = [argument(FIELD), Argument(1, "v", FIELD)]

        def overlap(one, two):
            views = {0: arrays.view(one, 0), 1: arrays.view(two, 0)}
            arrays.check_overlap(pair, views)

        whole = numpy.zeros((5, 12), "f4")
        overlap(whole[:4, :6], whole[:4, 6:])
        overlap(whole[:4, ::2], whole[:4, 1::2])
        with self.assertRaisesRegex(stencil.ArgumentError, "argument 0 'u' and argument 1 'v' are"):
            overlap(whole[:4, :6], whole[1:, :6])

    def test_other_things_are_no_arrays(self):
        for value in (1, 1.5, numpy.float32(1), None, [1], "u"):
            self.assertFalse(arrays.is_array(value))
        self.assertTrue(arrays.is_array(numpy.zeros(1)))
        with self.assertRaisesRegex(stencil.ArgumentError, "has a mask"):
            arrays.view(numpy.ma.zeros(3), 0)
        with self.assertRaisesRegex(stencil.ArgumentError, "takes an array, found list"):
            arrays.view([1], 0)


class Layouts(unittest.TestCase):
    def rows(self, array):
        found = arrays.view(array, 0)
        return [tuple(row) for row in arrays.rows(argument(FIELD), found)]

    def test_rows_rebuild_the_array(self):
        whole = numpy.arange(5 * 7 * 9 * 11, dtype="i4").reshape(5, 7, 9, 11)
        for array in (whole, whole[1:4], whole[:, 1:3], whole[..., 2:7], whole[:, :, :, 3:4],
                      whole[2:, 1:6, 2:8, 1:9], whole[1, 2], whole.transpose(1, 0, 2, 3)):
            source = whole.tobytes()
            start = array.ctypes.data - whole.ctypes.data
            dense = bytearray(array.nbytes)
            for offset, dense_offset, width, pitch, height in self.rows(array):
                for row in range(height):
                    at = start + offset + row * pitch
                    to = dense_offset + row * width
                    dense[to:to + width] = source[at:at + width]
            self.assertEqual(bytes(dense), numpy.ascontiguousarray(array).tobytes())

    def test_few_rows_are_made(self):
        whole = numpy.zeros((5, 7, 9), "f4")
        self.assertEqual(self.rows(whole), [(0, 0, 1260, 1260, 1)])
        self.assertEqual(self.rows(whole[:, :, :8]), [(0, 0, 32, 36, 35)])
        self.assertEqual(self.rows(whole[:, :6]), [(0, 0, 216, 252, 5)])
        self.assertEqual(len(self.rows(whole[:, :6, :8])), 5)

    def test_layouts_without_rows_are_refused(self):
        whole = numpy.zeros((4, 12), "f4")
        for array in (whole[:, ::2], whole[:, ::-1], whole[::-1], whole.T,
                      numpy.broadcast_to(whole[0], (4, 12))):
            with self.assertRaisesRegex(stencil.ArgumentError, "next to each other.*contiguous"):
                self.rows(array)

    def test_alignment_counts(self):
        whole = numpy.zeros(64, "f4")
        first = (-whole.ctypes.data % 16) // 4
        self.assertTrue(arrays.is_dense(arrays.view(whole[first:first + 8], 0)))
        self.assertFalse(arrays.is_dense(arrays.view(whole[first + 1:first + 9], 0)))


class Streams(unittest.TestCase):
    def test_handles_and_objects(self):
        def stream(**attributes):
            return type("Stream", (), attributes)()

        handle = type("Handle", (), {"value": 13})()
        for value, expected in [(7, 7), (numpy.uint64(8), 8), (stream(ptr=5), 5),
                                (stream(cuda_stream=9), 9), (stream(handle=handle), 13),
                                (stream(handle=11), 11),
                                (stream(__cuda_stream__=lambda self: (0, 17)), 17)]:
            self.assertEqual(arrays.stream_handle(value), expected)
        with self.assertRaisesRegex(stencil.ArgumentError, "is no stream"):
            arrays.stream_handle("null")


class RandomContent(unittest.TestCase):
    def test_the_formula_is_the_one_that_other_programs_have(self):
        # The values that the Rust crate states for the same formula.
        first = random_cells(0, 0, "f64", (1,))
        self.assertEqual(first.view("u8")[0], 0x3FF2706DD2F4D197)
        later = random_cells(42, 3, "f32", (1001,))
        self.assertEqual(later.view("u4")[1000], 0x3F9FB830)
        for element in arrays.ACCEPTED:
            made = random_cells(5, 1, element, (6, 50))
            self.assertTrue((made == random_cells(5, 1, element, (300,)).reshape(6, 50)).all())
            if element not in ("i1", "bf16"):
                low, high = (0.5, 1.5) if element[0] == "f" else (1, 8)
                self.assertTrue(((low <= made) & (made < high)).all())

    def test_checksums_take_all_nans_for_one(self):
        bits = numpy.array([0x3F800000, 0xFFC00001, 0], "<u4")
        same = numpy.array([0x3F800000, 0x7FC00000, 0], "<u4")
        other = numpy.array([0x3F800000, 0x7F800000, 0], "<u4")
        sums = [canonical_sha256("f32", array.view("<f4")) for array in (bits, same, other)]
        self.assertEqual(sums[0], sums[1])
        self.assertNotEqual(sums[0], sums[2])
        self.assertNotEqual(canonical_sha256("bf16", numpy.array([0x8000], "<u2")),
                            canonical_sha256("bf16", numpy.array([0], "<u2")))


if __name__ == "__main__":
    unittest.main()
