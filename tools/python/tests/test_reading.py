"""Packages that are read, and ways in which they may be damaged. No device."""

import copy
import hashlib
import json
import unittest
import zipfile

import scenery
from scenery import stencil


def expected(**changes):
    run = {"function": "heat", "seed": 7, "scalars": {"2": scenery.index(3),
                                                      "3": {"type": "f32", "bits": "0x3f000000"}},
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
            scenery.of_bytes(content)
        return str(caught.exception)

    def described(self, change):
        manifest = copy.deepcopy(scenery.manifest())
        change(manifest)
        return self.refusal(scenery.zipped(scenery.members(described=manifest)))

    def test_all_members(self):
        package = scenery.of_bytes(scenery.zipped(whole()))
        self.assertTrue(package._report["has_plain_kernels"] and package._report["has_selftest"])
        function = package.functions["heat"]
        self.assertEqual(function.arguments[0].kind.shape, (12,))
        self.assertEqual(str(function.arguments[0].kind), "[-1,11]xf32")
        self.assertEqual([str(one) for one in function.arguments[2:]],
                         ["argument 2 'steps'", "argument 3 (symbol 'dt')"])

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

    def test_manifests_that_mean_nothing_are_refused(self):
        cases = {
            "has format 2": lambda manifest: manifest.update(format=2),
            "has format 99": lambda manifest: manifest.update(format=99),
            "unknown field `extra`": lambda manifest: manifest.update(extra=1),
            "function 'heat' occurs twice":
                lambda manifest: manifest["functions"].append(scenery.function()),
        }
        for text, change in cases.items():
            with self.subTest(text):
                self.assertIn(text, self.described(change))

    def test_files_are_named(self):
        with self.assertRaisesRegex(stencil.PackageError, "package '/no/such.spk' cannot be read"):
            stencil.load("/no/such.spk")
        place = scenery.SCRATCH / "broken.spk"
        place.write_bytes(b"no package")
        with self.assertRaisesRegex(stencil.PackageError, "package '.*broken.spk': it is trunc"):
            stencil.load(place)


if __name__ == "__main__":
    unittest.main()
