"""Finding the compiler, what it is told, and packages that are found again.

The compiler is a stand-in that notes how it was called; the tests of running use the real one.
"""

import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import scenery
from scenery import stencil
from stencil import compiling, library

MLIR = "func.func @heat(%u: !stencil.field<[0,8]xf32>) {\n  return\n}\n"
IDSL = "parameter N = 8;\niterator i;\ndouble u[N];\ncopyin u;\n"

STAND_IN = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("stencilc 9.9")
    sys.exit()
said = pathlib.Path({log!r})
text = sys.stdin.read() if words[1] == "-" else ""
said.write_text(json.dumps(json.loads(said.read_text()) + [[words, text]]))
if "broken" in text:
    sys.exit("<stdin>:1:1: error: 'broken' is no operation")
pathlib.Path(words[words.index("-o") + 1]).write_bytes(pathlib.Path({package!r}).read_bytes())
"""


class Compiling(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext_(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log.json"
        self.log.write_text("[]")
        package = self.folder / "package.spk"
        package.write_bytes(scenery.zipped(scenery.members()))
        self.compiler = self.folder / "bin" / "stencilc"
        self.compiler.parent.mkdir()
        self.write_compiler()
        # That of the real compiler: there is none beside this one.
        self.enterContext_(mock.patch.dict(os.environ, {
            "STENCIL_LIBRARY": str(library.find()), "STENCILC": str(self.compiler),
            "STENCIL_CACHE": str(self.folder / "cache")}))
        self.enterContext_(mock.patch.object(compiling, "_device", lambda: None))

    def enterContext_(self, manager):
        # unittest has this itself since Python 3.11.
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def write_compiler(self, more=""):
        text = STAND_IN.format(python=sys.executable, log=str(self.log),
                               package=str(self.folder / "package.spk"))
        self.compiler.write_text(text + more)
        self.compiler.chmod(self.compiler.stat().st_mode | stat.S_IXUSR)

    def calls(self):
        return json.loads(self.log.read_text())

    def words(self, *program, **options):
        stencil.compile(*program or (MLIR,), **options)
        words = self.calls()[-1][0]
        return [word for word in words[2:] if word != "-o" and not word.endswith("program.spk")]

    def test_text_and_files_in_both_languages(self):
        self.assertEqual(self.words(), ["--from=mlir"])
        self.assertEqual(self.calls()[-1][0][1], "-")
        self.assertEqual(self.calls()[-1][1], MLIR)
        self.assertEqual(self.words(IDSL)[0], "--from=idsl")
        self.assertEqual(self.words(IDSL, language="mlir")[0], "--from=mlir")
        file = self.folder / "a.idsl"
        file.write_text(IDSL)
        self.assertEqual(self.words(str(file))[0], "--from=idsl")
        self.assertEqual(self.calls()[-1][0][1], str(file))
        unnamed = self.folder / "program.txt"
        unnamed.write_text(IDSL + "// once more\n")
        self.assertEqual(self.words(unnamed)[0], "--from=idsl")

    def test_options_become_words(self):
        self.assertEqual(
            self.words(target="sm_80", extents=(64, 32), fast_math=True, element_type="f32",
                       plan="points=8", verification=False, options=["--strict-bounds"]),
            ["--from=mlir", "--target=sm_80", "--extents=64,32", "--element-type=f32",
             "--fast-math", "--plan", "points=8", "--no-verification", "--strict-bounds"])
        self.assertEqual(
            self.words(IDSL, D={"N": 64}, size=[{"N": 128}, "N=256"], strict=True)[1:],
            ["-D", "N=64", "--size=N=128", "--size=N=256", "--strict"])
        self.assertEqual(self.words(size=(8, 9))[1:], ["--size=8,9"])
        self.assertEqual(self.words(size=[(8, 9), (1, 2)])[1:], ["--size=8,9", "--size=1,2"])
        with mock.patch.object(compiling, "_device", lambda: ("NVIDIA L40S", (8, 9))):
            self.assertEqual(self.words()[1], "--target=native")

    def test_time_steps_and_the_emulator(self):
        self.assertEqual(self.words(time_steps=4)[1:], ["--steps=4"])
        with self.assertRaisesRegex(stencil.CompileError, "on is 'gpu' or 'emulator', not 'cpu'"):
            stencil.compile(MLIR, on="cpu")
        with self.assertRaisesRegex(stencil.CompileError, "there is no libstencil_emulated_driver"):
            stencil.compile(MLIR, on="emulator")
        library = self.compiler.parent / "libstencil_emulated_driver.so"
        library.write_bytes(b"")
        with mock.patch.dict(os.environ, {"STENCIL_EMULATED_PACKAGES": "a.spk"}), \
                mock.patch.object(compiling, "use_emulator") as use:
            for size in (8, 9, 9):
                stencil.compile(MLIR, extents=(size,), on="emulator")
            known = os.environ["STENCIL_EMULATED_PACKAGES"].split(os.pathsep)
            self.assertEqual((len(known), known[0]), (3, "a.spk"))
            # Systems limit the length of a variable: the oldest are left out.
            with mock.patch.object(compiling, "EMULATED_PACKAGES_MOST", 2):
                stencil.compile(MLIR, extents=(8,), on="emulator")
            self.assertEqual(os.environ["STENCIL_EMULATED_PACKAGES"].split(os.pathsep),
                             [known[2], known[1]])
        use.assert_called_with(str(library))
        self.assertIn("--keep-ir", self.calls()[-1][0])

    def test_numbers_are_kept_for_calls(self):
        package = stencil.compile(MLIR, dt=0.5)
        self.assertIn("0.5 unless given", package.signature)
        with self.assertRaisesRegex(stencil.ArgumentError, "'dx' does not exist"):
            stencil.compile(MLIR, dx=0.5)
        self.assertEqual(len(self.calls()), 1)

    def test_what_was_compiled_is_found_again(self):
        for _ in range(2):
            stencil.compile(MLIR, extents=(8,))
        self.assertEqual(len(self.calls()), 1)
        stencil.compile(MLIR, extents=(9,))
        stencil.compile(MLIR + "\n", extents=(9,))
        self.assertEqual(len(self.calls()), 3)
        # Another compiler makes another package.
        self.write_compiler("# changed\n")
        os.utime(self.compiler, ns=(1, 1))
        stencil.compile(MLIR, extents=(9,))
        self.assertEqual(len(self.calls()), 4)

    def test_a_damaged_package_is_made_again(self):
        stencil.compile(MLIR)
        place, = (self.folder / "cache").glob("*.spk")
        place.write_bytes(b"half")
        stencil.compile(MLIR)
        self.assertEqual(len(self.calls()), 2)
        self.assertEqual(sorted((self.folder / "cache").iterdir()), [place])

    def test_errors_are_those_of_the_compiler(self):
        with self.assertRaises(stencil.CompileError) as caught:
            stencil.compile("broken {\n")
        self.assertEqual(str(caught.exception), "stencilc refused the program:\n"
                                                "<stdin>:1:1: error: 'broken' is no operation")
        self.assertEqual(list((self.folder / "cache").iterdir()), [])
        with self.assertRaisesRegex(stencil.CompileError, "absent.mlir' cannot be read"):
            stencil.compile("absent.mlir")

    def test_the_compiler_is_looked_for(self):
        with mock.patch.dict(os.environ, {"STENCILC": str(self.folder / "none")}), \
                self.assertRaisesRegex(stencil.CompileError, "STENCILC names '.*none'"):
            compiling.find_compiler()
        with mock.patch.dict(os.environ, {"STENCILC": "", "PATH": str(self.compiler.parent)}):
            self.assertEqual(compiling.find_compiler(), str(self.compiler))
        with mock.patch.dict(os.environ, {"STENCILC": "", "PATH": ""}), \
                mock.patch.object(compiling, "__file__", "/a/b/c/d/e.py"), \
                self.assertRaisesRegex(stencil.CompileError, "no stencilc: .* STENCILC"):
            compiling.find_compiler()

    def test_the_cache_is_where_caches_are(self):
        with mock.patch.dict(os.environ, {"STENCIL_CACHE": "", "XDG_CACHE_HOME": "/x"}), \
                mock.patch.object(sys, "platform", "linux"):
            self.assertEqual(compiling.cache_folder(), Path("/x/stencil"))
        with mock.patch.dict(os.environ, {"STENCIL_CACHE": "/here"}):
            self.assertEqual(compiling.cache_folder(), Path("/here"))
        (self.folder / "file").write_text("")
        with mock.patch.dict(os.environ, {"STENCIL_CACHE": str(self.folder / "file" / "in")}), \
                self.assertRaisesRegex(stencil.CompileError, "cannot be written.*STENCIL_CACHE"):
            stencil.compile(MLIR)


if __name__ == "__main__":
    unittest.main()
