"""Numbers of time steps that are refused before anything runs. No device."""

import unittest

import scenery
from scenery import numpy, stencil
from stencil.scalars import Scalar


def described(limits, shared=False):
    """The sample from argument `first` on, with tables; `shared` makes two steps an iteration."""
    whole = scenery.manifest()
    function = whole["functions"][0]
    function["arguments"][3] = {
        "name": "first", "kind": {"scalar": {"scalar": "index", "symbol": None}}}
    loop = function["body"].pop()
    loop["lower"] = 3
    loop["body"][0]["arguments"] = [11, 12]
    whole["kernels"][0]["parameters"] = ["pointer", "pointer"]
    function["body"] = [
        {"do": "constant", "result": 4, "value": scenery.index(2)},
        {"do": "constant", "result": 5, "value": scenery.index(1)},
        {"do": "scalar", "result": 6, "op": "subi", "operands": [2, 3], "ty": "index"}, loop]
    function["step_limits"] = [
        {"argument": place, "first": first, "last": last} for place, first, last in limits]
    if shared:
        function["time_steps"] = {"value": 6, "step": 1, "rotation": 2}
        loop["step"] = 4
    return whole


class Limits(unittest.TestCase):
    def refusal(self, package, number, first=0):
        numbers = [Scalar("index", value % 2**64) for value in (first + number, first)]
        return scenery.refused(package, *(numpy.zeros(12, "f4") for _ in "uv"), *numbers)

    def test_tables_limit_the_number_of_time_steps(self):
        for shared in (False, True):
            function = scenery.by_hand(described([(1, 0, 9), (0, 0, 8), (None, -2, 20)], shared))
            for number, first in [(9, 0), (0, 30), (-3, 9), (5, 4)]:
                self.assertEqual(self.refusal(function, number, first), "")
            self.assertEqual(
                self.refusal(function, 10),
                "argument 0 'u' has values for 9 time steps from 0 on, and 10 would be made; make "
                "fewer, or give it more cells and its access in the program a wider range")
            self.assertEqual(
                self.refusal(function, 1, -1),
                "argument 1 'v' has values from time step 0 on, and the time loop starts at -1; "
                "start later, or give it more cells and its access in the program a wider range")

    def test_tables_may_be_no_arguments(self):
        function = scenery.by_hand(described([(None, 0, 3)]))
        self.assertIn("a table that is no argument has values for 4", self.refusal(function, 5))

    def test_limits_are_those_of_fields(self):
        for place in (2, 4):
            with self.assertRaisesRegex(stencil.PackageError, "which limits them, is no field"):
                scenery.by_hand(described([(place, 0, 3)]))


if __name__ == "__main__":
    unittest.main()
