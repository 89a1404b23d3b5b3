"""Handlers of XLA, called as XLA does it, without XLA: frames are made here."""

import ctypes
import unittest
from ctypes import POINTER, byref, c_int64, c_void_p, cast, pointer, sizeof

import scenery  # noqa: F401 - it sets the path
from scenery import numpy, stencil
from stencil import xla

EXECUTE, INSTANTIATE = 3, 0


class Caller:
    """What calls a handler: it has arrays, and keeps errors and the stream that was asked for."""

    def __init__(self, name, arrays, results, stage=EXECUTE):
        self.errors = []
        self.kept = [arrays, results]
        self.make_error = xla._MAKE_ERROR(self._make_error)
        self.get_stream = xla._GET_STREAM(self._get_stream)
        version = xla._Version(sizeof(xla._Version), None, 0, 3)
        api = xla.Api(sizeof(xla.Api), None, version, None, self.make_error, None, None, None,
                      self.get_stream)
        self.frame = xla.Frame(sizeof(xla.Frame), None, pointer(api), None, stage,
                               self._buffers(arrays), self._buffers(results),
                               self._attributes({"call": name, "other": "x"}))

    def _make_error(self, arguments):
        self.errors.append((arguments.contents.code, arguments.contents.message.decode()))
        return len(self.errors)

    def _get_stream(self, arguments):
        arguments.contents.stream = 17
        return None

    def _keep(self, one):
        self.kept.append(one)
        return one

    def _buffers(self, arrays):
        made = []
        for array in arrays:
            extents = self._keep((c_int64 * array.ndim)(*array.shape))
            buffer = xla.Buffer(sizeof(xla.Buffer), None, 11, array.ctypes.data, array.ndim,
                                cast(extents, POINTER(c_int64)))
            made.append(pointer(self._keep(buffer)))
        table = self._keep((POINTER(xla.Buffer) * max(1, len(made)))(*made))
        return xla._Buffers(sizeof(xla._Buffers), None, len(made), None,
                            cast(table, POINTER(POINTER(xla.Buffer))))

    def _text(self, text):
        content = self._keep(ctypes.create_string_buffer(text.encode()))
        return self._keep(xla.Text(ctypes.addressof(content), len(text)))

    def _attributes(self, given):
        names = self._keep((POINTER(xla.Text) * len(given))(
            *(pointer(self._text(name)) for name in given)))
        values = self._keep((c_void_p * len(given))(
            *(ctypes.addressof(self._text(value)) for value in given.values())))
        return xla._Attributes(sizeof(xla._Attributes), None, len(given), None,
                               cast(names, POINTER(POINTER(xla.Text))),
                               cast(values, POINTER(c_void_p)))

    def call(self, handler):
        return handler(byref(self.frame))


class Handlers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.handler = xla.handler("cpu")

    def enter(self, run, *operands):
        return xla.enter(object(), xla.Call(operands, run, None))

    def test_a_handler_says_which_version_it_is_for(self):
        caller = Caller("", [], [])
        metadata = xla._Metadata(sizeof(xla._Metadata), xla._Version(), 7)
        base = xla._Extension(sizeof(xla._MetadataExtension), 1, None)
        extension = xla._MetadataExtension(base, pointer(metadata))
        caller.frame.extension = cast(pointer(extension), POINTER(xla._Extension))
        self.assertIsNone(caller.call(self.handler))
        self.assertEqual((metadata.version.major, metadata.version.minor), (0, 3))
        self.assertEqual(metadata.traits, 0)

    def test_a_call_gets_the_arrays_where_they_are(self):
        read, changed = numpy.ones((3, 4), "f4"), numpy.zeros((5,), "f8")
        seen = []
        name = self.enter(lambda views, stream: seen.append((views, stream)),
                          xla.Operand("float32", None), xla.Operand("float64", 0))
        self.assertIsNone(Caller(name, [read, changed], [changed]).call(self.handler))
        (one, two), stream = seen[0]
        self.assertEqual((one.address, one.shape, one.strides), (read.ctypes.data, (3, 4), (16, 4)))
        self.assertEqual([(view.type, view.writable, view.device) for view in (one, two)],
                         [("float32", False, None), ("float64", True, None)])
        self.assertIsNone(stream)
        # Stages before the run have nothing to do.
        Caller(name, [read, changed], [changed], INSTANTIATE).call(self.handler)
        self.assertEqual(len(seen), 1)

    def test_on_a_device_the_stream_is_that_of_the_computation(self):
        seen = []
        name = self.enter(lambda views, stream: seen.append((views, stream)))
        Caller(name, [], []).call(xla.handler("CUDA"))
        self.assertEqual(seen, [([], 17)])

    def refused(self, caller):
        self.assertEqual(caller.call(self.handler), 1)
        return caller.errors[0]

    def test_errors_are_those_of_xla(self):
        def fail(error):
            def run(views, stream):
                raise error
            return Caller(self.enter(run), [], [])

        self.assertEqual(self.refused(fail(stencil.ArgumentError("no"))), (3, "no"))
        self.assertEqual(self.refused(fail(stencil.DriverError("gone"))), (2, "gone"))
        self.assertEqual(self.refused(fail(KeyError("u"))), (13, "KeyError: 'u'"))
        self.assertEqual(self.refused(Caller("elsewhere:0", [], [])),
                         (2, "the executable is from another process; compile it again"))

    def test_what_changes_is_the_result(self):
        name = self.enter(lambda views, stream: None, xla.Operand("float32", 0))
        before, after = numpy.zeros(4, "f4"), numpy.zeros(4, "f4")
        self.assertEqual(self.refused(Caller(name, [before], [after])),
                         (2, "operand 0 changes in place, and is not where result 0 is"))

    def test_equal_calls_have_one_name(self):
        made = [xla.enter((key, 1.5), xla.Call((), lambda views, stream: None, None))
                for key in ("u", "v", "u")]
        self.assertEqual((made[0] == made[2], made[0] == made[1]), (True, False))


if __name__ == "__main__":
    unittest.main()
