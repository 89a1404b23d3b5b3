/*
 * Scalar operations with exactly one result each, for the host programs of generated launchers.
 *
 * A line that begins with "//: " names the piece below it; a launcher contains the pieces that it
 * uses. "pkg_" is replaced by the prefix of the package.
 */

//: pkg_signed
/* The integer of this many bits, read as signed. */
static int64_t pkg_signed(uint64_t bits, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t mask = sign | (sign - 1);
    return bits & sign ? -(int64_t)(~bits & mask) - 1 : (int64_t)bits;
}

//: pkg_shift_right
/* Shifts and keeps the sign, which the language leaves open for negative numbers. */
static int64_t pkg_shift_right(int64_t value, uint64_t amount)
{
    return value < 0 ? ~(~value >> amount) : value >> amount;
}

//: pkg_check_division
/* Refuses a divisor of zero; for signed numbers also the smallest divided by -1. */
static int pkg_check_division(pkg_handle *handle, const char *where, const char *op,
                              const char *type, uint64_t left, uint64_t right, unsigned width,
                              int is_signed)
{
    const long long dividend = (long long)pkg_signed(left, width);
    if (right == 0) {
        return pkg_fail(handle, PKG_ERROR_DIVISION_BY_ZERO, "%s: '%s' divides %lld by zero", where,
                        op, dividend);
    }
    if (is_signed && left == UINT64_C(1) << (width - 1) && pkg_signed(right, width) == -1) {
        return pkg_fail(handle, PKG_ERROR_DIVISION_OVERFLOW,
                        "%s: '%s' overflows: %lld divided by -1 is no value of %s", where, op,
                        dividend, type);
    }
    return PKG_OK;
}

//: pkg_check_shift
/* Refuses to shift by the width of the type or more. */
static int pkg_check_shift(pkg_handle *handle, const char *where, const char *op, const char *type,
                           uint64_t amount, unsigned width)
{
    if (amount >= width) {
        return pkg_fail(handle, PKG_ERROR_SHIFT_TOO_WIDE,
                        "%s: '%s' shifts a value of %s by %llu: the amount must be below %u", where,
                        op, type, (unsigned long long)amount, width);
    }
    return PKG_OK;
}

//: pkg_check_conversion
/* Refuses a float whose integer part is not at least `lowest` and below `limit`. */
static int pkg_check_conversion(pkg_handle *handle, const char *where, const char *op,
                                const char *type, double value, double lowest, double limit)
{
    const double whole = trunc(value);
    if (!(whole >= lowest && whole < limit)) {
        return pkg_fail(handle, PKG_ERROR_OUT_OF_RANGE,
                        "%s: '%s' converts %.17g to %s, which cannot hold it", where, op, value,
                        type);
    }
    return PKG_OK;
}

//: pkg_f32_of_bits
static float pkg_f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

//: pkg_f32_bits
static uint32_t pkg_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

//: pkg_f64_of_bits
static double pkg_f64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

//: pkg_f64_bits
static uint64_t pkg_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

//: pkg_f32_add
/* `volatile` here and below: each operation is rounded by itself, never fused with another. */
static float pkg_f32_add(float left, float right)
{
    volatile float result = left + right;
    return result;
}

//: pkg_f32_sub
static float pkg_f32_sub(float left, float right)
{
    volatile float result = left - right;
    return result;
}

//: pkg_f32_mul
static float pkg_f32_mul(float left, float right)
{
    volatile float result = left * right;
    return result;
}

//: pkg_f32_div
static float pkg_f32_div(float left, float right)
{
    volatile float result = left / right;
    return result;
}

//: pkg_f32_sqrt
static float pkg_f32_sqrt(float value)
{
    volatile float result = sqrtf(value);
    return result;
}

//: pkg_f32_fma
static float pkg_f32_fma(float left, float right, float addend)
{
    volatile float result = fmaf(left, right, addend);
    return result;
}

//: pkg_f64_add
static double pkg_f64_add(double left, double right)
{
    volatile double result = left + right;
    return result;
}

//: pkg_f64_sub
static double pkg_f64_sub(double left, double right)
{
    volatile double result = left - right;
    return result;
}

//: pkg_f64_mul
static double pkg_f64_mul(double left, double right)
{
    volatile double result = left * right;
    return result;
}

//: pkg_f64_div
static double pkg_f64_div(double left, double right)
{
    volatile double result = left / right;
    return result;
}

//: pkg_f64_sqrt
static double pkg_f64_sqrt(double value)
{
    volatile double result = sqrt(value);
    return result;
}

//: pkg_f64_fma
static double pkg_f64_fma(double left, double right, double addend)
{
    volatile double result = fma(left, right, addend);
    return result;
}

//: pkg_f32_neg
static float pkg_f32_neg(float value)
{
    return pkg_f32_of_bits(pkg_f32_bits(value) ^ UINT32_C(0x80000000));
}

//: pkg_f32_abs
static float pkg_f32_abs(float value)
{
    return pkg_f32_of_bits(pkg_f32_bits(value) & UINT32_C(0x7fffffff));
}

//: pkg_f64_neg
static double pkg_f64_neg(double value)
{
    return pkg_f64_of_bits(pkg_f64_bits(value) ^ UINT64_C(0x8000000000000000));
}

//: pkg_f64_abs
static double pkg_f64_abs(double value)
{
    return pkg_f64_of_bits(pkg_f64_bits(value) & UINT64_C(0x7fffffffffffffff));
}

//: pkg_takes_left
/*
 * Whether the left operand is the extreme one. A NaN is it where NaNs win and is not where they
 * lose; +0 is greater than -0.
 */
static int pkg_takes_left(double left, double right, int greater, int nan_wins)
{
    if (isnan(left)) {
        return nan_wins;
    }
    if (isnan(right)) {
        return !nan_wins;
    }
    if (left == right) {
        return signbit(left) ? !greater || signbit(right) : greater || !signbit(right);
    }
    return (left > right) == (greater != 0);
}

//: pkg_narrow
/*
 * The number +-magnitude * 2^scale, rounded once to a format of 16 bits, to nearest with ties to
 * even. The format has so many bits of fraction; its largest exponent is `bias`.
 */
static uint16_t pkg_narrow(int negative, uint64_t magnitude, int scale, int fraction, int bias)
{
    const unsigned sign = negative ? 0x8000u : 0u;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << fraction;
    int exponent = scale;
    uint64_t rest = magnitude;
    if (magnitude == 0) {
        return (uint16_t)sign;
    }
    while (rest >>= 1) {
        exponent++;
    }
    if (exponent > bias) {
        return (uint16_t)(sign | infinity);
    }
    /* Subnormal numbers share the exponent of the smallest normal ones. */
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    {
        const int shift = exponent - fraction - scale;
        uint64_t steps, half;
        if (shift > 64) {
            return (uint16_t)sign;
        }
        if (shift <= 0) {
            steps = magnitude << -shift;
        } else {
            steps = shift == 64 ? 0 : magnitude >> shift;
            rest = shift == 64 ? magnitude : magnitude & ((UINT64_C(1) << shift) - 1);
            half = UINT64_C(1) << (shift - 1);
            steps += rest > half || (rest == half && steps % 2 == 1);
        }
        /* Rounding up runs on through the exponents, up to infinity. */
        steps += (uint64_t)(exponent - (1 - bias)) << fraction;
        return (uint16_t)(sign | steps);
    }
}

//: pkg_narrow_double
static uint16_t pkg_narrow_double(double value, int fraction, int bias)
{
    const uint64_t bits = pkg_f64_bits(value);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t tail = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7ff) {
        const unsigned special = (unsigned)(2 * bias + 1) << fraction;
        const unsigned quiet = tail != 0 ? 1u << (fraction - 1) : 0u;
        return (uint16_t)((unsigned)(bits >> 63) << 15 | special | quiet);
    }
    /* What is subnormal in binary64 is far below half of the smallest number. */
    return pkg_narrow(bits >> 63 != 0, exponent == 0 ? 0 : tail | UINT64_C(1) << 52,
                      exponent - 1075, fraction, bias);
}

//: pkg_widen
/* The double with the value of a format of 16 bits. */
static double pkg_widen(uint16_t bits, int fraction, int bias)
{
    const uint64_t sign = (uint64_t)(bits >> 15) << 63;
    const uint64_t exponent = (uint64_t)(bits >> fraction & (2 * bias + 1));
    const uint64_t tail = bits & ((UINT64_C(1) << fraction) - 1);
    if (exponent == 0) {
        const double magnitude = ldexp((double)tail, 1 - bias - fraction);
        return pkg_f64_of_bits(sign | pkg_f64_bits(magnitude));
    }
    if (exponent == (uint64_t)(2 * bias + 1)) {
        return pkg_f64_of_bits(sign | UINT64_C(0x7ff) << 52 | tail << (52 - fraction));
    }
    return pkg_f64_of_bits(sign | (exponent + (uint64_t)(1023 - bias)) << 52
                           | tail << (52 - fraction));
}

//: pkg_f16_round
static uint16_t pkg_f16_round(double value)
{
    return pkg_narrow_double(value, 10, 15);
}

//: pkg_f16_value
static double pkg_f16_value(uint16_t bits)
{
    return pkg_widen(bits, 10, 15);
}

//: pkg_f16_of_integer
static uint16_t pkg_f16_of_integer(int negative, uint64_t magnitude)
{
    return pkg_narrow(negative, magnitude, 0, 10, 15);
}

//: pkg_bf16_round
static uint16_t pkg_bf16_round(double value)
{
    return pkg_narrow_double(value, 7, 127);
}

//: pkg_bf16_value
static double pkg_bf16_value(uint16_t bits)
{
    return pkg_widen(bits, 7, 127);
}

//: pkg_bf16_of_integer
static uint16_t pkg_bf16_of_integer(int negative, uint64_t magnitude)
{
    return pkg_narrow(negative, magnitude, 0, 7, 127);
}

//: pkg_magnitude
static uint64_t pkg_magnitude(int64_t value)
{
    return value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value;
}

//: pkg_fma_to_odd
/*
 * a * b + c of numbers of 16 bits, in binary64: the product is exact, and the sum is rounded so
 * that an inexact one has an odd last bit. Then one more rounding to 16 bits gives the nearest.
 */
static double pkg_fma_to_odd(double a, double b, double c)
{
    const double product = pkg_f64_mul(a, b);
    const double sum = pkg_f64_add(product, c);
    double part, error;
    uint64_t bits;
    if (isinf(product) || isnan(product) || isinf(c) || isnan(c)) {
        return sum;
    }
    part = pkg_f64_sub(sum, product);
    error = pkg_f64_add(pkg_f64_sub(product, pkg_f64_sub(sum, part)), pkg_f64_sub(c, part));
    bits = pkg_f64_bits(sum);
    if (error == 0 || bits % 2 == 1) {
        return sum;
    }
    return pkg_f64_of_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
