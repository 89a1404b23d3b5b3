"""Programs that must be refused, and what is checked of each."""

import inspect

import numpy

from scenery import stencil

ARRAY = numpy.ones((8, 9))


class Cases:
    """Functions of fields `u` and `v`, and the text that refuses each.

    The line that is meant ends in `# here`; `{before}` in a text is the number of the line before,
    `{earlier}` that of the one before it.
    """

    def __init__(self):
        self.cases = []

    def refused(self, text, arrays=(ARRAY, ARRAY), **options):
        """A case: the function is traced and must be refused with this text."""
        def decorate(function):
            self.cases.append((function, text, arrays, options))
            return function
        return decorate

    def check(self, test):
        """Traces each function, and compares file, line, reason and remedy."""
        for function, text, arrays, options in self.cases:
            with test.subTest(function.__name__):
                file = inspect.getsourcefile(function)
                lines, first = inspect.getsourcelines(function)
                line = first + next(n for n, one in enumerate(lines) if "# here" in one)
                with test.assertRaises(stencil.TraceError) as caught:
                    stencil.program(**options)(function).mlir(*arrays)
                error = caught.exception
                expected = text.replace("{before}", str(line - 1)).replace(
                    "{earlier}", str(line - 2))
                test.assertEqual(str(error), f"{file}:{line}: {expected}")
                test.assertEqual((error.file, error.line), (file, line))
                test.assertEqual(f"{error.reason}; {error.remedy}", expected)
