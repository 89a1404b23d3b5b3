"""Arrays of other libraries on the host, and what is refused of them. No device."""

import gc
import unittest

import scenery
from scenery import CapsuleArray, numpy, stencil
from stencil import arrays, dlpack
from stencil.random_fields import random_cells

#: A field of shape (4, 6) that is written, and one that is read.
FIELD, READ = ((-1, 0), (3, 6), True), ((-1, 0), (3, 6), False)


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
        read_only = CapsuleArray(numpy.zeros((4, 6), "f4"), read_only=True, device=1)
        self.assertRegex(scenery.refused(scenery.taking(FIELD), read_only),
                         "'u' is written, .* read-only")

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
        package = scenery.taking(FIELD, element="bf16")
        self.assertEqual(scenery.refused(package, owner), "")
        self.assertEqual(scenery.refused(package, owner.array), "")


class Checks(unittest.TestCase):
    def refusal(self, *given, fields=(FIELD,), element="f32"):
        return scenery.refused(scenery.taking(*fields, element=element), *given)

    def test_type_and_shape_are_those_of_the_field(self):
        self.assertEqual(self.refusal(numpy.zeros((4, 6), "f4")), "")
        self.assertEqual(
            self.refusal(numpy.zeros((4, 6))),
            "argument 0 'u' takes float32 for the field [-1,3]x[0,6]xf32, found float64; convert "
            "it, a.astype('float32')")
        self.assertIn("found >f4", self.refusal(numpy.zeros((4, 6), ">f4")))
        self.assertEqual(
            self.refusal(numpy.zeros((6, 4), "f4")),
            "argument 0 'u' takes shape (4, 6) for the field [-1,3]x[0,6]xf32, found shape (6, 4)")
        self.assertIn("takes bfloat16 or uint16 for",
                      self.refusal(numpy.zeros((4, 6), "f2"), element="bf16"))
        for element, names in arrays.ACCEPTED.items():
            for name in names[-1:]:
                self.assertEqual(self.refusal(numpy.zeros((4, 6), name), element=element), "")

    def test_read_only_arrays_are_for_fields_that_are_read(self):
        array = numpy.zeros((4, 6), "f4")
        array.flags.writeable = False
        self.assertIn("read-only; pass a copy", self.refusal(array))
        self.assertEqual(self.refusal(array, fields=(READ,)), "")
        # Of an array that is read, cells may be one.
        row = numpy.broadcast_to(numpy.zeros(6, "f4"), (4, 6))
        self.assertEqual(self.refusal(row, fields=(READ,)), "")

    def test_two_fields_do_not_share_memory(self):
        def overlap(one, two):
            return self.refusal(one, two, fields=(FIELD, FIELD))

        whole = numpy.zeros((5, 12), "f4")
        self.assertEqual(overlap(whole[:4, :6], whole[:4, 6:]), "")
        self.assertEqual(overlap(whole[:4, ::2], whole[:4, 1::2]), "")
        self.assertEqual(
            overlap(whole[:4, :6], whole[1:, :6]),
            "argument 0 'u' and argument 1 'v' are bound to overlapping memory; each field needs "
            "its own")

    def test_other_things_are_no_arrays(self):
        for value in (1, 1.5, numpy.float32(1), None, [1], "u"):
            self.assertFalse(arrays.is_array(value))
        self.assertTrue(arrays.is_array(numpy.zeros(1)))
        with self.assertRaisesRegex(stencil.ArgumentError, "has a mask"):
            arrays.view(numpy.ma.zeros(3), 0)
        with self.assertRaisesRegex(stencil.ArgumentError, "takes an array, found list"):
            arrays.view([1], 0)


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


if __name__ == "__main__":
    unittest.main()
