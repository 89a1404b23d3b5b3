"""Programs that are compared with functions of NumPy, bit for bit."""

import unittest

import numpy


class Compared(unittest.TestCase):
    def compare(self, program, expected, *arrays, numbers=(), on=("interpreter", "emulator"),
                device=0):
        """Runs both on copies of the arrays, and compares the bits of all of them.

        Arrays are fields, or tuples of levels, the oldest first.
        """
        def copies():
            return [tuple(level.copy() for level in one) if isinstance(one, tuple) else one.copy()
                    for one in arrays]

        wanted = copies()
        expected(*wanted, *numbers)
        for where in on:
            found = copies()
            program(*found, *numbers, on=where, device=device)
            for name, one, two in zip("abcd", found, wanted):
                self.assertEqual(numpy.array(one).tobytes(), numpy.array(two).tobytes(),
                                 f"{name} on {where}, {numbers}")
