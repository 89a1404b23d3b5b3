#!/usr/bin/env python3
"""Writes scalars.json: what every host of a kernel package must compute for scalar operations.

The results come from exact rational arithmetic and one rounding, written here from the definition
of the formats; nothing is taken from a processor's floating point or from the Rust crate. A host
in any language passes the file if it gets, for every case, the bits of `result`, any NaN where it
is "nan", and an error where it is {"error": kind}. Run without arguments to write the file anew:
it is reproducible.
"""

import json
import pathlib
import random
from fractions import Fraction
from math import isqrt

WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
# Precision with the leading bit, smallest and largest exponent of normal numbers.
FLOAT = {"f16": (11, -14, 15), "bf16": (8, -126, 127),
         "f32": (24, -126, 127), "f64": (53, -1022, 1023)}
FLOAT_WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
NAN, INF = "nan", "inf"


class Fails(Exception):
    pass


# Floats are (sign, magnitude): magnitude a Fraction, INF or NAN.


def decode(ty, bits):
    precision, lowest, _ = FLOAT[ty]
    fraction_bits = precision - 1
    sign = bits >> (FLOAT_WIDTH[ty] - 1)
    exponent = (bits >> fraction_bits) & ((1 << (FLOAT_WIDTH[ty] - precision)) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if exponent == (1 << (FLOAT_WIDTH[ty] - precision)) - 1:
        return sign, NAN if fraction else INF
    if exponent == 0:
        return sign, fraction * Fraction(2) ** (lowest - fraction_bits)
    unit = Fraction(2) ** (exponent - 1 + lowest - fraction_bits)
    return sign, (fraction + (1 << fraction_bits)) * unit


def encode(ty, sign, magnitude):
    """The nearest value, ties to even; None for NaN."""
    precision, lowest, highest = FLOAT[ty]
    fraction_bits = precision - 1
    top = sign << (FLOAT_WIDTH[ty] - 1)
    infinity = top | ((1 << (FLOAT_WIDTH[ty] - precision)) - 1) << fraction_bits
    if magnitude == NAN:
        return None
    if magnitude == INF:
        return infinity
    if magnitude == 0:
        return top
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, lowest)
    unit = Fraction(2) ** (exponent - fraction_bits)
    steps, rest = divmod(magnitude, unit)
    if rest * 2 > unit or (rest * 2 == unit and steps % 2 == 1):
        steps += 1
    if steps * unit >= Fraction(2) ** (highest + 1):
        return infinity
    # Steps run on through the exponents: the encoding is monotonic.
    return top | int(steps) + ((exponent - lowest) << fraction_bits)


def add(a, b):
    (sa, ma), (sb, mb) = a, b
    if NAN in (ma, mb) or (ma == INF and mb == INF and sa != sb):
        return 0, NAN
    if ma == INF:
        return a
    if mb == INF:
        return b
    total = (-ma if sa else ma) + (-mb if sb else mb)
    if total == 0:
        return (sa & sb if ma == 0 and mb == 0 else 0), Fraction(0)
    return int(total < 0), abs(total)


def negate(a):
    return 1 - a[0], a[1]


def multiply(a, b):
    (sa, ma), (sb, mb) = a, b
    if NAN in (ma, mb) or (INF in (ma, mb) and 0 in (ma, mb)):
        return 0, NAN
    return sa ^ sb, INF if INF in (ma, mb) else ma * mb


def divide(a, b):
    (sa, ma), (sb, mb) = a, b
    if NAN in (ma, mb) or (ma == INF and mb == INF) or (ma == 0 and mb == 0):
        return 0, NAN
    if ma == INF or mb == 0:
        return sa ^ sb, INF
    return sa ^ sb, Fraction(0) if mb == INF else ma / mb


def square_root(ty, a):
    sign, magnitude = a
    if magnitude == NAN or (sign and magnitude != 0):
        return 0, NAN
    if magnitude in (0, INF):
        return a
    # Far more bits than the result has, and a last bit that says whether something was cut off.
    shift = 1200
    scaled = magnitude.numerator * magnitude.denominator << (2 * shift)
    root = isqrt(scaled)
    sticky = Fraction(0 if root * root == scaled else 1, 2)
    return 0, (root + sticky) / (Fraction(magnitude.denominator) * 2**shift)


def signed_value(a):
    return -a[1] if a[0] else a[1]


def compare(predicate, a, b):
    if predicate in ("true", "false"):
        return predicate == "true"
    unordered = NAN in (a[1], b[1])
    if predicate in ("ord", "uno"):
        return unordered == (predicate == "uno")
    if unordered:
        return predicate[0] == "u"
    key = lambda x: (-1 if x[0] else 1) * (Fraction(2) ** 2000 if x[1] == INF else x[1])
    left, right = key(a), key(b)
    return {"eq": left == right, "ne": left != right, "gt": left > right, "ge": left >= right,
            "lt": left < right, "le": left <= right}[predicate[1:]]


def extreme(op, a, b):
    nan_wins = op in ("minimumf", "maximumf")
    if NAN in (a[1], b[1]):
        return (0, NAN) if nan_wins or a[1] == b[1] else (b if a[1] == NAN else a)
    larger = op in ("maxnumf", "maximumf")
    if a[1] == 0 and b[1] == 0:
        return min(a, b) if larger else max(a, b)  # (0, 0) is +0, (1, 0) is -0.
    return a if compare("ogt" if larger else "olt", a, b) else b


def to_signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


def integer_op(op, ty, x, y):
    width = WIDTH[ty]
    sx, sy = to_signed(x, width), to_signed(y, width)
    if op in ("divsi", "divui", "remsi", "remui"):
        if y == 0:
            raise Fails("division_by_zero")
        if op.endswith("si") and sx == -(1 << (width - 1)) and sy == -1:
            raise Fails("division_overflow")
        left, right = (sx, sy) if op.endswith("si") else (x, y)
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        result = quotient if op.startswith("div") else left - quotient * right
    elif op in ("shli", "shrsi", "shrui"):
        if y >= width:
            raise Fails("shift_too_wide")
        result = {"shli": x << y, "shrsi": sx >> y, "shrui": x >> y}[op]
    else:
        result = {"addi": x + y, "subi": x - y, "muli": x * y, "andi": x & y, "ori": x | y,
                  "xori": x ^ y, "minsi": min(sx, sy), "maxsi": max(sx, sy),
                  "minui": min(x, y), "maxui": max(x, y)}[op]
    return result & ((1 << width) - 1)


CASES = []


def digits(ty):
    return max(2, (WIDTH.get(ty) or FLOAT_WIDTH[ty]) // 4)


def value(ty, bits):
    return {"type": ty, "bits": f"0x{bits:0{digits(ty)}x}"}


def case(op, operands, ty, compute):
    """Records a case; `compute` gives bits, None for NaN, or fails."""
    try:
        bits = compute()
        result = "nan" if bits is None else f"0x{bits:0{digits(ty)}x}"
    except Fails as failure:
        result = {"error": str(failure)}
    CASES.append({"op": op, "operands": [value(*operand) for operand in operands],
                  "type": ty, "result": result})


def integer_cases(rng):
    binary = ["addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "andi", "ori", "xori",
              "shli", "shrsi", "shrui", "minsi", "minui", "maxsi", "maxui"]
    for ty, width in WIDTH.items():
        top, full = 1 << (width - 1), (1 << width) - 1
        edge = [(top, full), (top, 1 & full), (full, full), (top - 1, 1 & full), (3 & full, 0)]
        for op in binary:
            pairs = edge + [(rng.getrandbits(width), rng.getrandbits(width)) for _ in range(2)]
            if op.startswith("sh"):
                pairs = [(full, width - 1), (top, width - 1), (rng.getrandbits(width), width // 3)]
                pairs += [(full, width & full)] if width > 1 else []
            for x, y in dict.fromkeys(pairs):
                case(op, [(ty, x), (ty, y)], ty, lambda: integer_op(op, ty, x, y))
        for predicate in ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]:
            for x, y in [(top, top - 1), (full, full), (0, full)]:
                a, b = (to_signed(x, width), to_signed(y, width)) if predicate[0] == "s" else (x, y)
                holds = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b,
                         "ge": a >= b}[predicate[-2:]]
                case({"cmpi": predicate}, [(ty, x), (ty, y)], "i1", lambda: int(holds))
        case("select", [("i1", 1), (ty, top), (ty, 0)], ty, lambda: top)
        case("select", [("i1", 0), (ty, top), (ty, 0)], ty, lambda: 0)


def width_cases():
    fixed = ["i1", "i8", "i16", "i32", "i64"]
    for narrow, wide in zip(fixed, fixed[1:]):
        n, w = WIDTH[narrow], WIDTH[wide]
        x = (1 << (n - 1)) | (1 if n > 1 else 0)
        case("extsi", [(narrow, x)], wide, lambda: to_signed(x, n) & ((1 << w) - 1))
        case("extui", [(narrow, x)], wide, lambda: x)
        y = (1 << w) - 1 - (1 << (n - 1))
        case("trunci", [(wide, y)], narrow, lambda: y & ((1 << n) - 1))
    case("index_cast", [("i32", 0x80000001)], "index", lambda: 0xffffffff80000001)
    case("index_castui", [("i32", 0x80000001)], "index", lambda: 0x80000001)
    case("index_cast", [("index", 0x1234567890abcdef)], "i32", lambda: 0x90abcdef)
    case("index_castui", [("index", 0x1234567890abcdef)], "i16", lambda: 0xcdef)


def special(ty):
    """Bits of +0, one, one and a step, subnormals, normals, the largest, infinity, NaN."""
    fraction_bits = FLOAT[ty][0] - 1
    one = encode(ty, 0, Fraction(1))
    infinity = encode(ty, 0, INF)
    return [0, one, one + 1, one - 1, 1, 3, (1 << fraction_bits) - 1, 1 << fraction_bits,
            infinity - 1, infinity, infinity | 1 << (fraction_bits - 1)]


def near_one(ty, rng):
    """A number with a random fraction and an exponent near zero, of either sign."""
    precision = FLOAT[ty][0]
    leading = 1 << (precision - 1)
    magnitude = Fraction(rng.getrandbits(precision - 1) | leading, leading)
    return encode(ty, rng.getrandbits(1), magnitude * Fraction(2) ** rng.randint(-6, 6))


def rounded_twice(ty, by_way_of, exact):
    """The bits that rounding to a wider format first would give."""
    middle = encode(by_way_of, *exact)
    return None if middle is None else encode(ty, *decode(by_way_of, middle))


def float_cases(ty, rng):
    width = FLOAT_WIDTH[ty]
    sign = 1 << (width - 1)
    values = special(ty)
    values += [bits | sign for bits in values]
    d = lambda bits: decode(ty, bits)
    pairs = [(rng.choice(values), rng.choice(values)) for _ in range(24)]
    pairs += [(near_one(ty, rng), near_one(ty, rng)) for _ in range(8)]
    pairs += [(rng.getrandbits(width), rng.getrandbits(width)) for _ in range(4)]
    zero = [(0, sign), (sign, 0), (sign, sign), (0, 0)]
    arithmetic = {"addf": lambda a, b: add(a, b), "subf": lambda a, b: add(a, negate(b)),
                  "mulf": multiply, "divf": divide}
    for op, compute in arithmetic.items():
        for x, y in dict.fromkeys(pairs + zero):
            case(op, [(ty, x), (ty, y)], ty, lambda: encode(ty, *compute(d(x), d(y))))
    for op in ["minnumf", "maxnumf", "minimumf", "maximumf"]:
        nan = special(ty)[-1]
        with_nan = [(nan, values[1]), (values[1], nan), (nan, nan)]
        for x, y in dict.fromkeys(pairs[:10] + zero + with_nan):
            case(op, [(ty, x), (ty, y)], ty, lambda: encode(ty, *extreme(op, d(x), d(y))))
    predicates = ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                  "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]
    one, nan = special(ty)[1], special(ty)[-1]
    for predicate in predicates:
        for x, y in [(one, one | sign), (one, one), (one | sign, one),
                     (0, sign), (one, nan), (nan, nan)]:
            holds = compare(predicate, d(x), d(y))
            case({"cmpf": predicate}, [(ty, x), (ty, y)], "i1", lambda: int(holds))
    for x in values + [near_one(ty, rng) for _ in range(8)]:
        case("sqrt", [(ty, x)], ty, lambda: encode(ty, *square_root(ty, d(x))))
        case("negf", [(ty, x)], ty, lambda: None if d(x)[1] == NAN else x ^ sign)
        case("absf", [(ty, x)], ty, lambda: None if d(x)[1] == NAN else x & ~sign)
    fma_cases(ty, rng, values, d)


def fma_cases(ty, rng, values, d):
    fused = lambda x, y, z: add(multiply(d(x), d(y)), d(z))
    triples = [tuple(rng.choice(values) for _ in range(3)) for _ in range(24)]
    triples += [tuple(near_one(ty, rng) for _ in range(3)) for _ in range(12)]
    # Sums that a host gets wrong if it rounds to a wider format on the way.
    for wider in ["f32", "f64"]:
        if FLOAT[wider][0] <= FLOAT[ty][0]:
            continue
        for _ in range(60):
            x, y = tie_product(ty, rng)
            _, product = multiply(d(x), d(y))
            tiny = product / Fraction(2) ** (FLOAT[wider][0] + rng.randint(0, 6))
            z = encode(ty, rng.getrandbits(1), tiny)
            exact = fused(x, y, z)
            if rounded_twice(ty, wider, exact) != encode(ty, *exact):
                triples.append((x, y, z))
    for x, y, z in dict.fromkeys(triples):
        case("fma", [(ty, x), (ty, y), (ty, z)], ty, lambda: encode(ty, *fused(x, y, z)))


def tie_product(ty, rng):
    """Factors whose product is odd and one bit too long: half-way between two values."""
    precision = FLOAT[ty][0]
    while True:
        y = rng.choice([3, 5, 7, 9, 11])
        x = rng.randrange(1 << precision, 2 << precision) // y | 1
        if (x * y).bit_length() == precision + 1:
            scale = Fraction(2) ** (rng.randint(0, 12) - precision)
            return encode(ty, 0, x * scale), encode(ty, 0, Fraction(y))


def conversion_cases(rng):
    for wide, narrow in [("f64", "f32"), ("f64", "f16"), ("f64", "bf16"),
                         ("f32", "f16"), ("f32", "bf16")]:
        for bits in special(narrow):
            wider = encode(wide, *decode(narrow, bits))
            if wider is None:
                wider = special(wide)[-1]
            case("extf", [(narrow, bits)], wide, lambda: encode(wide, *decode(narrow, bits)))
            # The value itself, its neighbours, and those of the tie above it.
            tie = 1 << (FLOAT[wide][0] - FLOAT[narrow][0] - 1)
            for near in [wider, wider + 1, wider + tie - 1, wider + tie, wider + tie + 1]:
                if near < 1 << FLOAT_WIDTH[wide] - 1:
                    case("truncf", [(wide, near)], narrow,
                         lambda: encode(narrow, *decode(wide, near)))
    for integer in ["i1", "i8", "i32", "i64"]:
        width = WIDTH[integer]
        top, full = 1 << (width - 1), (1 << width) - 1
        patterns = [0, 1, top, top - 1, full, full // 3, rng.getrandbits(width)]
        if width == 64:
            # Next to the ties of each float type, with the information in the lowest bit.
            for precision in [8, 11, 24, 53]:
                tie = (1 << 62) | (1 << (62 - precision))
                patterns += [tie - 1, tie, tie + 1, 65519, 65520]
        for ty in FLOAT:
            for bits in dict.fromkeys(patterns):
                number = to_signed(bits, width)
                case("sitofp", [(integer, bits)], ty,
                     lambda: encode(ty, int(number < 0), Fraction(abs(number))))
                case("uitofp", [(integer, bits)], ty, lambda: encode(ty, 0, Fraction(bits)))
            limits = [Fraction(top), Fraction(2 * top), Fraction(top) - Fraction(1, 2),
                      Fraction(3, 2), Fraction(0), Fraction(1, 2), Fraction(255, 256)]
            inputs = [encode(ty, sign, limit) for limit in limits for sign in (0, 1)]
            inputs += [encode(ty, 0, Fraction(limit)) - 1 for limit in (top, 2 * top)]
            inputs += special(ty)[-2:]
            for bits in dict.fromkeys(inputs):
                for op in ["fptosi", "fptoui"]:
                    case(op, [(ty, bits)], integer, lambda: to_integer(op, ty, bits, width))


def to_integer(op, ty, bits, width):
    sign, magnitude = decode(ty, bits)
    if magnitude in (NAN, INF):
        raise Fails("out_of_range")
    whole = (-1 if sign else 1) * (magnitude.numerator // magnitude.denominator)
    lowest, limit = (-(1 << width - 1), 1 << width - 1) if op == "fptosi" else (0, 1 << width)
    if not lowest <= whole < limit:
        raise Fails("out_of_range")
    return whole & ((1 << width) - 1)


def main():
    rng = random.Random(20)
    integer_cases(rng)
    width_cases()
    for ty in FLOAT:
        float_cases(ty, rng)
    conversion_cases(rng)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in CASES)
    path = pathlib.Path(__file__).with_name("scalars.json")
    path.write_text('{"format":1,"cases":[\n' + lines + "\n]}\n")
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
