"""Arrays that know how far another evaluation of the same formula may lie away.

A `Bounded` is the value of an expression, computed here in some order, with a bound for the
distance between the exact value and *any* evaluation in the precision of a program that

- adds the terms of a sum in any order and multiplies factors in any order,
- multiplies sums out, or takes a common factor out of them,
- rounds a product and a sum together (a fused multiply-add), or not,
- divides, or multiplies by a rounded reciprocal,

which are the freedoms of the flags `reassoc`, `contract` and `arcp`. Constants may be multiplied or
added before the program runs: that is one of these evaluations, some of whose roundings were done
early. So c (w a) as (c w) a has the two roundings that it had, and c a + d a as (c + d) a is a
common factor. Reciprocal roots may be approximate (`afn`), within 0.51 units in the last place and
so within 1.02 u: less than the two roundings, of a root and of its reciprocal, that count here.
A root that is not divided by is rounded correctly.

The derivation follows Higham, Accuracy and Stability of Numerical Algorithms, SIAM 2002, chapter
3. With u = 2^-53 in double precision, 2^-24 in single, each operation gives op(a, b) (1 + d), |d|
<= u; a product of n such factors or their inverses is 1 + t, |t| <= gamma(n) = n u / (1 - n u)
(lemma 3.1). Written out as a sum of products, an expression of sums and products is computed as the
sum of its terms, each times 1 + t with n at most

    the roundings inside the term + (the number of terms - 1),

whatever the order of the additions, for no term passes through more additions than there are other
terms. So the error is at most gamma(n) times the sum of the terms' magnitudes. Kept here are

- `value`: the result as computed here;
- `magnitude`: the sum of the magnitudes of the terms, with inputs as large as they may be;
- `terms` and `roundings`: their number, and the most roundings inside one of them;
- `error`: how much the exact sum may move because inputs are not exact: for a product it is
  |a'b' - ab| <= |a'| |b' - b| + |b| |a' - a|, where each factor is within its bound of `value`.

Fused operations round less often, never more. Divisors, arguments of roots and what is stored to
memory are `settled`: their bound becomes the error of an input, for no rewriting goes through
them. Magnitudes and bounds are themselves rounded; SLACK covers that. Underflow is left aside:
inputs are near one.
"""

import numpy as np

UNITS = {"f64": 2.0**-53, "f32": 2.0**-24}
SLACK = 1.0 + 2.0**-20


def gamma(count):
    """The bound for `count` roundings in a row."""
    return count * Bounded.unit / (1.0 - count * Bounded.unit)


class Bounded:
    """A value and what bounds its error; see the head of this file."""

    # The type of the program: one for all arrays.
    unit = UNITS["f64"]
    # NumPy must not take a Bounded for an element of an array.
    __array_ufunc__ = None

    def __init__(self, value, magnitude=None, error=None, terms=1, roundings=0):
        self.value = np.asarray(value, dtype=np.float64)
        self.magnitude = np.abs(self.value) if magnitude is None else magnitude
        self.error = np.zeros_like(self.value) if error is None else error
        self.terms = terms
        self.roundings = roundings

    @property
    def bound(self):
        """The distance from the exact value that no evaluation exceeds."""
        return SLACK * (self.error + gamma(self.roundings + self.terms - 1) * self.magnitude)

    @property
    def size(self):
        """What the magnitude of the exact value does not exceed, also with other inputs."""
        # The exact value is within the bound of ours, and one with other inputs within it of that.
        return np.abs(self.value) + 2.0 * self.bound

    def settled(self):
        """The same value as an input of what follows."""
        return Bounded(self.value, self.size, self.bound)

    def __getitem__(self, index):
        cut = (part[index] for part in (self.value, self.magnitude, self.error))
        return Bounded(*cut, self.terms, self.roundings)

    def __setitem__(self, index, other):
        """Stores to a settled array."""
        other = lift(other).settled()
        self.value[index] = other.value
        self.magnitude[index] = other.magnitude
        self.error[index] = other.error

    def copy(self):
        """The same, in arrays of its own."""
        parts = (part.copy() for part in (self.value, self.magnitude, self.error))
        return Bounded(*parts, self.terms, self.roundings)

    def _sum(self, other, value):
        return Bounded(
            value,
            self.magnitude + other.magnitude,
            self.error + other.error,
            self.terms + other.terms,
            max(self.roundings, other.roundings),
        )

    def _product(self, other, value):
        return Bounded(
            value,
            self.magnitude * other.magnitude,
            self.size * other.error + other.size * self.error,
            self.terms * other.terms,
            self.roundings + other.roundings + 1,
        )

    def __neg__(self):
        return Bounded(-self.value, self.magnitude, self.error, self.terms, self.roundings)

    def __add__(self, other):
        other = lift(other)
        return self._sum(other, self.value + other.value)

    def __sub__(self, other):
        other = lift(other)
        return self._sum(other, self.value - other.value)

    def __mul__(self, other):
        other = lift(other)
        return self._product(other, self.value * other.value)

    def __truediv__(self, other):
        divisor = lift(other).settled()
        least = np.abs(divisor.value) - 2.0 * divisor.error
        assert np.all(least > 0.0), "a divisor may be zero"
        # |1/b' - 1/b| = |b - b'| / |b b'|. The reciprocal is rounded, and the product with it.
        reciprocal = Bounded(1.0 / divisor.value, 1.0 / least, divisor.error / least**2, 1, 1)
        return self._product(reciprocal, self.value / divisor.value)

    def __gt__(self, limit):
        return Bounded(self.value > limit, 0.0, self.error)

    def __radd__(self, other):
        return lift(other) + self

    def __rsub__(self, other):
        return lift(other) - self

    def __rmul__(self, other):
        return lift(other) * self

    def __rtruediv__(self, other):
        return lift(other) / self


def lift(value):
    """Numbers and arrays are exact."""
    return value if isinstance(value, Bounded) else Bounded(value)


def sqrt(operand):
    """The root, rounded correctly."""
    operand = lift(operand).settled()
    least = operand.value - 2.0 * operand.error
    assert np.all(least > 0.0), "the argument of a root may be zero"
    # |sqrt(a') - sqrt(a)| = |a' - a| / (sqrt(a') + sqrt(a)).
    moved = operand.error / (2.0 * np.sqrt(least))
    return Bounded(np.sqrt(operand.value), np.sqrt(operand.magnitude), moved, 1, 1)


def where(chosen, first, second):
    """One of two values in each cell; what chooses must be exact."""
    assert not np.any(chosen.error), "a choice may fall out otherwise"
    first, second = lift(first), lift(second)
    parts = (
        np.where(chosen.value, getattr(first, part), getattr(second, part))
        for part in ("value", "magnitude", "error")
    )
    return Bounded(
        *parts, max(first.terms, second.terms), max(first.roundings, second.roundings)
    )
