"""The interface of libstencil in Python: that of its header, and where the library is found."""

import ctypes
import os
import re
import unittest
from unittest import mock

import scenery
from scenery import stencil
from stencil import library

HEADER = scenery.CHECKOUT / "lowering" / "runtime" / "c" / "include" / "stencil.h"


class Header(unittest.TestCase):
    def setUp(self):
        lines = (line.partition("//")[0] for line in HEADER.read_text().splitlines())
        self.text = " ".join(" ".join(lines).split())

    def parameters(self, name):
        """The result and the parameters of a function, as C has them."""
        found = re.search(rf"([\w ]+[ *]){name}\(([^)]*)\);", self.text)
        self.assertIsNotNone(found, name)
        words = found[2].split(",") if found[2] != "void" else []
        return found[1].strip(), [word.strip() for word in words]

    def check(self, declared, parameter):
        """Whether a type of ctypes is that of a parameter or a field."""
        kinds = {"size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64,
                 "uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32, "double": ctypes.c_double}
        if "*" in parameter:
            is_pointer = declared in (ctypes.c_void_p, ctypes.c_char_p) or hasattr(
                declared, "contents")
            self.assertTrue(is_pointer, parameter)
        else:
            self.assertIs(declared, kinds[parameter.split()[0]], parameter)

    def test_functions_take_what_the_header_says(self):
        for name, declared in library._STATUSES.items():
            result, parameters = self.parameters(name)
            self.assertTrue(result.endswith("enum stencil_status"), name)
            self.assertEqual(len(declared), len(parameters), name)
            for one, parameter in zip(declared, parameters):
                self.check(one, parameter)
        for name, (declared, result) in library._OTHERS.items():
            found, parameters = self.parameters(name)
            self.assertEqual(len(declared), len(parameters), name)
            wanted = {None: "void", ctypes.c_char_p: "const char *", ctypes.c_int32: "int32_t"}
            self.assertTrue(found.endswith(wanted[result]), name)

    def test_structures_have_their_fields(self):
        for name, declared in (("array", library.Array), ("value", library.Value),
                               ("verified", library.Verified), ("device", library.Device)):
            body = re.search(rf"typedef struct stencil_{name} \{{([^}}]*)\}}", self.text)[1]
            fields = [one.strip() for one in body.split(";") if one.strip()]
            self.assertEqual(len(fields), len(declared._fields_), name)
            for field, (own, kind) in zip(fields, declared._fields_):
                self.assertRegex(field, rf"\b{own}\b")
                if "[" not in field:
                    self.check(kind, field)

    def test_numbers_are_those_of_the_header(self):
        for name, number in library.TYPES.items():
            self.assertIn(f"STENCIL_{name.upper()} = {number},", self.text)
        self.assertIn(f"STENCIL_ON_HOST = {library.ON_HOST},", self.text)
        self.assertIn(f"STENCIL_READ_ONLY = {library.READ_ONLY},", self.text)
        for number, name in ((1, "PACKAGE"), (2, "ARGUMENT"), (3, "PROGRAM"), (4, "ENVIRONMENT"),
                             (5, "KERNEL"), (6, "DIFFERENCE")):
            self.assertIn(f"STENCIL_ERROR_{name} = {number},", self.text)


class Places(unittest.TestCase):
    def test_the_library_that_is_named_is_taken(self):
        with mock.patch.dict(os.environ, {"STENCIL_LIBRARY": "/no/libstencil.so"}):
            self.assertEqual(str(library.find()), "/no/libstencil.so")
            opened = library.library.__wrapped__
            with self.assertRaisesRegex(stencil.StencilError,
                                        "library '/no/libstencil.so' cannot be opened"):
                opened()

    def test_without_a_library_it_says_what_to_do(self):
        folder = scenery.SCRATCH / "compiler"
        folder.mkdir(exist_ok=True)
        program = folder / "stencilc"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        names = {"STENCILC": str(program), "STENCIL_LIBRARY": ""}
        with mock.patch.dict(os.environ, names), \
                self.assertRaisesRegex(stencil.StencilError, "there is no libstencil.so beside"):
            library.find()
        place = scenery.SCRATCH / "lib"
        place.mkdir(exist_ok=True)
        (place / library.NAME).write_text("")
        with mock.patch.dict(os.environ, names):
            self.assertEqual(library.find(), (place / library.NAME).resolve())
        with mock.patch.dict(os.environ, {"STENCILC": "/no/stencilc", "STENCIL_LIBRARY": ""}), \
                self.assertRaisesRegex(stencil.StencilError, "name the library in the environment"):
            library.find()


if __name__ == "__main__":
    unittest.main()
