"""Packages that are read, and all the ways in which they may be damaged."""

import copy
import hashlib
import json
import unittest
import zipfile

import scenery
from scenery import stencil
from stencil import archive


def expected(**changes):
    run = {"function": "heat", "seed": 7, "scalars": {"2": scenery.index(3)},
           "fields": {"0": "ab", "1": "cd"}}
    return json.dumps([{**run, **changes}]).encode()


def whole():
    """Every member that a package may have."""
    kernels = {"ptx": b"// step\n", "cubin": b"\x7fELF", "ll": b"; step\n"}
    return {**scenery.members(**kernels), **scenery.members("plain/", ptx=b"// plain\n"),
            **scenery.members("selftest/", ptx=b"// small\n"),
            "selftest/expected.json": expected()}


class Reading(unittest.TestCase):
    def refusal(self, content):
        with self.assertRaises(stencil.PackageError) as caught:
            archive.from_bytes(content)
        return str(caught.exception)

    def described(self, change):
        manifest = copy.deepcopy(scenery.manifest())
        change(manifest)
        return self.refusal(scenery.zipped(scenery.members(described=manifest)))

    def test_all_members(self):
        content = archive.from_bytes(scenery.zipped(whole()))
        self.assertEqual(content.code.ptx, b"// step\n")
        self.assertEqual(content.code.cubin, b"\x7fELF")
        self.assertEqual(content.plain.ptx, b"// plain\n")
        self.assertEqual(content.selftest.ptx, b"// small\n")
        self.assertEqual((content.runs[0].seed, content.runs[0].fields), (7, {0: "ab", 1: "cd"}))
        self.assertEqual(content.runs[0].scalars[2].signed, 3)
        function = content.code.manifest.functions[0]
        self.assertEqual(function.arguments[0].kind.shape, (12,))
        self.assertEqual(str(function.arguments[0].kind), "[-1,11]xf32")

    def test_every_byte_is_guarded(self):
        content = scenery.zipped(scenery.members())
        for place in range(0, len(content) - 100, 97):
            altered = bytearray(content)
            altered[place] ^= 1
            self.assertIn("altered or damaged", self.refusal(bytes(altered)))
        self.assertIn("truncated or not a kernel package", self.refusal(content[:-1]))
        self.assertIn("truncated or not a kernel package", self.refusal(b""))

    def test_what_is_not_as_it_should_be_is_named(self):
        members = whole()
        for name in ("manifest.json", "kernels.ptx", "plain/manifest.json", "kernels.cubin",
                     "selftest/expected.json"):
            less = {other: content for other, content in members.items() if other != name}
            self.assertEqual(self.refusal(scenery.zipped(less)), f"member '{name}' is missing")
        other = {**members, "plain/kernels.ptx": b"// other\n"}
        self.assertEqual(self.refusal(scenery.zipped(other)),
                         "member 'plain/kernels.ptx' does not match its digest in the manifest")
        for name in ("kernels.sass", "plain/expected.json", "other/kernels.ptx"):
            self.assertIn(f"'{name}' is unknown", self.refusal(
                scenery.zipped({**members, name: b"?"})))
        self.assertIn("compressed", self.refusal(
            scenery.zipped({"kernels.ptx": b"a" * 100}, zipfile.ZIP_DEFLATED)))
        broken = b"no zip file, stencil package, sha256 "
        self.assertIn("not a zip file", self.refusal(
            broken + hashlib.sha256(broken).hexdigest().encode()))
        self.assertIn("expected.json' is not readable", self.refusal(
            scenery.zipped({**members, "selftest/expected.json": expected(more=1)})))

    def test_forms_that_are_not_known_are_refused_with_a_remedy(self):
        self.assertEqual(
            self.described(lambda manifest: manifest.update(format=2)),
            "manifest has format 2, this version reads formats 3 to 5; compile the program again")
        self.assertIn("use the Python package of that compiler",
                      self.described(lambda manifest: manifest.update(format=6)))
        self.assertIn("manifest has 'extra', which is not known",
                      self.described(lambda manifest: manifest.update(extra=1)))
        self.assertIn("for has 'unroll', which is not known", self.described(
            lambda manifest: manifest["functions"][0]["body"][3].update(unroll=2)))

    def test_programs_that_mean_nothing_are_refused(self):
        def launch(manifest):
            return manifest["functions"][0]["body"][3]["body"][0]

        cases = {
            "no such kernel": lambda manifest: launch(manifest).update(kernel="other"),
            "passes 2 arguments, the kernel takes 3":
                lambda manifest: launch(manifest).update(arguments=[11, 12]),
            "there is no statement 'jump'": lambda manifest: launch(manifest).update(do="jump"),
            "there is no operation 'exp'":
                lambda manifest: manifest["functions"][0]["body"][2].update(op="exp"),
            "function 'heat' occurs twice":
                lambda manifest: manifest["functions"].append(scenery.function()),
            "variant 'other' is none of 'cold'": lambda manifest: manifest["functions"].append(
                scenery.function("other", 24, "cold")),
            "has grid [1, 0, 1]: each extent must be at least 1":
                lambda manifest: manifest["kernels"][0].update(grid=[1, 0, 1]),
            "no typed value":
                lambda manifest: manifest["functions"][0]["body"][0].update(value=3),
            "has bounds": lambda manifest: manifest["functions"][0]["arguments"][0]["kind"][
                "field"].update(upper=[-1]),
        }
        for text, change in cases.items():
            self.assertIn(text, self.described(change))

    def test_files_are_named(self):
        place = scenery.SCRATCH / "damaged.spk"
        place.write_bytes(b"nothing")
        with self.assertRaisesRegex(stencil.PackageError, r"damaged\.spk': it is truncated"):
            stencil.load(place)
        with self.assertRaisesRegex(stencil.PackageError, r"absent\.spk' cannot be read"):
            stencil.load(scenery.SCRATCH / "absent.spk")


if __name__ == "__main__":
    unittest.main()
