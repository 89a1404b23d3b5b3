"""The language: programs as functions of Python, traced to the dialect `stencil`."""

from .arguments import Array
from .boundaries import Boundary, absorbing, fixed, halo, mirror, periodic
from .compiled import Compiled, Timing
from .differences import derivative, divergence, gradient, laplace, shift, weights
from .expressions import Index, Value
from .fields import Field, Temporary, indices, temporaries, temporary
from .functions import (absolute, arccos, arcsin, arctan, arctan2, cast, cbrt, ceil, constant,
                        copysign, cos, cosh, erf, exp, exp2, expm1, floor, fma, log, log1p, log2,
                        log10, maximum, minimum, power, rint, rsqrt, sin, sinh, sqrt, tan, tanh,
                        trunc, where)
from .program import Program, program
from .reports import Drawing, Report
from .scans import backward, forward
from .tracing import Time, steps

__all__ = ["Array", "Boundary", "Compiled", "Drawing", "Field", "Index", "Program",
           "Report", "Temporary", "Time", "Timing", "Value", "absolute", "absorbing", "arccos",
           "arcsin", "arctan", "arctan2", "backward", "cast", "cbrt", "ceil", "constant",
           "copysign", "cos", "cosh", "derivative", "divergence", "erf", "exp", "exp2", "expm1",
           "fixed", "floor", "fma", "forward", "gradient", "halo", "indices", "laplace", "log",
           "log10", "log1p", "log2", "maximum", "minimum", "mirror", "periodic", "power",
           "program", "rint", "rsqrt", "shift", "sin", "sinh", "sqrt", "steps", "tan", "tanh",
           "temporaries", "temporary", "trunc", "weights", "where"]
