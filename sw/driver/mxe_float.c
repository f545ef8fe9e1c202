// SPDX-License-Identifier: Apache-2.0
#include "mxe_float.h"

#include <stdbool.h>

// No 64-bit division, multiplication or variable shift: some processors would call a library.

#if defined(__GNUC__)
typedef uint32_t __attribute__((may_alias)) number32;
#else
typedef uint32_t number32;
#endif

#define SIGN UINT32_C(0x80000000)
#define MAGNITUDE UINT32_C(0x7FFFFFFF)
#define INFINITE UINT32_C(0x7F800000)
#define QUIET_NAN UINT32_C(0x7FC00000)
#define ONE UINT32_C(0x3F800000)
#define HIDDEN UINT32_C(0x00800000)
#define TOP UINT32_C(0x80000000)
#define BIAS 127

static bool is_nan(uint32_t x) { return (x & MAGNITUDE) > INFINITE; }

static uint32_t leading_zeros(uint32_t x) {
  uint32_t zeros = 0;
  if (x < UINT32_C(1) << 16) {
    zeros += 16;
    x <<= 16;
  }
  if (x < UINT32_C(1) << 24) {
    zeros += 8;
    x <<= 8;
  }
  if (x < UINT32_C(1) << 28) {
    zeros += 4;
    x <<= 4;
  }
  if (x < UINT32_C(1) << 30) {
    zeros += 2;
    x <<= 2;
  }
  return zeros + (x < TOP ? 1 : 0);
}

// x / 2^by with a sticky last bit: it is 1 if any dropped bit is 1.
static uint32_t shift_right_sticky(uint32_t x, uint32_t by) {
  if (by == 0) return x;
  if (by > 31) return x != 0 ? 1 : 0;
  return (x >> by) | ((x << (32 - by)) != 0 ? 1 : 0);
}

// Returns the upper 32 bits of x * y; *low receives the lower ones.
static uint32_t multiply_wide(uint32_t x, uint32_t y, uint32_t* low) {
  const uint32_t xh = x >> 16, xl = x & 0xFFFF;
  const uint32_t yh = y >> 16, yl = y & 0xFFFF;
  const uint32_t lowest = xl * yl;
  const uint32_t cross = xh * yl + (lowest >> 16);  // at most 2^32 - 2^16
  const uint32_t middle = xl * yh + (cross & 0xFFFF);
  *low = (middle << 16) | (lowest & 0xFFFF);
  return xh * yh + (cross >> 16) + (middle >> 16);
}

static uint32_t multiply_high(uint32_t x, uint32_t y) {
  uint32_t low;
  return multiply_wide(x, y, &low);
}

// significand * 2^(log2 - 31), rounded. The significand's top bit is set; its last bit is sticky.
static uint32_t round_to_fp32(uint32_t sign, int32_t log2, uint32_t significand) {
  if (log2 > BIAS) return sign | INFINITE;
  uint32_t field = 0;
  if (log2 > -BIAS) {
    field = (uint32_t)(log2 + BIAS - 1);  // the addition of the leading one restores the 1
  } else {
    significand = shift_right_sticky(significand, (uint32_t)(1 - BIAS - log2));
  }
  const uint32_t rest = significand & 0xFF;
  const uint32_t kept = significand >> 8;
  const bool up = rest > 0x80 || (rest == 0x80 && (kept & 1) != 0);
  return sign | ((field << 23) + kept + (up ? 1 : 0));
}

// Splits a finite magnitude above 0 into log2 and a significand with its top bit set.
static uint32_t split(uint32_t magnitude, int32_t* log2) {
  const uint32_t field = magnitude >> 23;
  if (field != 0) {
    *log2 = (int32_t)field - BIAS;
    return (magnitude << 8) | TOP;
  }
  const uint32_t zeros = leading_zeros(magnitude);
  *log2 = 1 - BIAS + 8 - (int32_t)zeros;
  return magnitude << zeros;
}

uint32_t mxe_add(uint32_t x, uint32_t y) {
  if (is_nan(x) || is_nan(y)) return QUIET_NAN;
  if ((x & MAGNITUDE) < (y & MAGNITUDE)) {
    const uint32_t other = x;
    x = y;
    y = other;
  }
  const uint32_t sign = x & SIGN;
  const bool differ = ((x ^ y) & SIGN) != 0;
  const uint32_t small = y & MAGNITUDE;
  if ((x & MAGNITUDE) == INFINITE) return differ && small == INFINITE ? QUIET_NAN : x;
  if (small == 0) return (x & MAGNITUDE) == 0 && differ ? 0 : x;

  // The shift by 1 keeps the top bit free for the carry. Seven bits remain below the 24-bit
  // significand, the last one sticky; rounding needs three.
  int32_t log2_x, log2_y;
  uint32_t sum = split(x & MAGNITUDE, &log2_x) >> 1;
  const uint32_t addend = split(small, &log2_y) >> 1;
  const uint32_t aligned = shift_right_sticky(addend, (uint32_t)(log2_x - log2_y));
  sum = differ ? sum - aligned : sum + aligned;
  if (sum == 0) return 0;
  const uint32_t zeros = leading_zeros(sum);
  return round_to_fp32(sign, log2_x + 1 - (int32_t)zeros, sum << zeros);
}

// Product for round_to_fp32(): top bit set, last bit sticky. A product >= 2 increases *log2.
static uint32_t multiply_significands(uint32_t x, uint32_t y, int32_t* log2) {
  uint32_t low;
  uint32_t high = multiply_wide(x, y, &low);
  if (high >= TOP) {
    *log2 += 1;
  } else {
    high = (high << 1) | (low >> 31);
    low <<= 1;
  }
  return high | (low != 0 ? 1 : 0);
}

uint32_t mxe_multiply(uint32_t x, uint32_t y) {
  if (is_nan(x) || is_nan(y)) return QUIET_NAN;
  const uint32_t sign = (x ^ y) & SIGN;
  x &= MAGNITUDE;
  y &= MAGNITUDE;
  if (x == INFINITE || y == INFINITE) return x == 0 || y == 0 ? QUIET_NAN : sign | INFINITE;
  if (x == 0 || y == 0) return sign;
  int32_t log2, log2_y;
  const uint32_t significand = split(x, &log2);
  const uint32_t other = split(y, &log2_y);
  log2 += log2_y;
  const uint32_t product = multiply_significands(significand, other, &log2);
  return round_to_fp32(sign, log2, product);
}

// 2^(f / 2^32) - 1 in units of 2^-32. The polynomial of degree 6 without a constant term minimises
// the relative error of 2^(f / 2^32), which is below 2^-28.
static uint32_t exp2_fraction(uint32_t f) {
  uint32_t sum = UINT32_C(0x000E2A0C);
  sum = UINT32_C(0x0051B593) + multiply_high(f, sum);
  sum = UINT32_C(0x027A1724) + multiply_high(f, sum);
  sum = UINT32_C(0x0E34488A) + multiply_high(f, sum);
  sum = UINT32_C(0x3D7FAAF3) + multiply_high(f, sum);
  sum = UINT32_C(0xB17215AF) + multiply_high(f, sum);
  return multiply_high(f, sum);
}

uint32_t mxe_exp(uint32_t x) {
  if (is_nan(x)) return QUIET_NAN;
  const bool negative = (x & SIGN) != 0;
  const uint32_t magnitude = x & MAGNITUDE;
  if (magnitude == 0) return ONE;
  if (magnitude >= UINT32_C(0x43000000)) return negative ? 0 : INFINITE;  // |x| >= 128

  // |x| * log2(e) = whole + fraction / 2^32.
  int32_t log2;
  uint32_t low;
  const uint32_t significand = split(magnitude, &log2);
  const uint32_t high = multiply_wide(significand, UINT32_C(0xB8AA3B29), &low);
  const uint32_t drop = (uint32_t)(30 - log2);  // from units of 2^-62 to 2^-32; at least 24
  int32_t whole = 0;
  uint32_t fraction = 0;
  if (drop < 32) {
    whole = (int32_t)(high >> drop);
    fraction = (high << (32 - drop)) | (low >> drop);
  } else if (drop < 64) {
    fraction = high >> (drop - 32);
  }
  if (negative) {
    whole = -whole - (fraction != 0 ? 1 : 0);
    fraction = 0 - fraction;
  }
  const uint32_t power =
      TOP | (exp2_fraction(fraction) >> 1) | 1;  // sticky: the result is never exact
  return round_to_fp32(0, whole, power);
}

void mxe_add_rows(const void* x, const void* y, size_t count, void* sum) {
  const number32* from_x = (const number32*)x;
  const number32* from_y = (const number32*)y;
  number32* to = (number32*)sum;
  for (size_t i = 0; i < count; i++) to[i] = mxe_add(from_x[i], from_y[i]);
}

// Maps FP32 bits to unsigned integers in the same order.
static uint32_t order(uint32_t x) { return (x & SIGN) != 0 ? ~x : x | SIGN; }

// out[i] = scale * scores[i]. Returns the largest product; a NaN counts as the largest.
static uint32_t scaled(const number32* scores, size_t count, uint32_t scale, number32* out) {
  uint32_t largest = SIGN | INFINITE;
  for (size_t i = 0; i < count; i++) {
    const uint32_t t = mxe_multiply(scale, scores[i]);
    if (order(t) > order(largest)) largest = t;
    out[i] = t;
  }
  return largest;
}

// Converts a number from 0 to 1 to units of 2^-40.
static uint64_t to_fixed(uint32_t x) {
  if (x == 0) return 0;
  const uint32_t field = x >> 23;
  const uint32_t significand = (x & (HIDDEN - 1)) | HIDDEN;  // in units of 2^(field - 150)
  if (field + 17 >= BIAS) {
    // At most 41 bits: the two 32-bit halves of significand << by, by <= 17.
    const uint32_t by = field + 17 - BIAS;
    return ((uint64_t)(significand >> (32 - by - 8) >> 8) << 32) | (significand << by);
  }
  const uint32_t drop = BIAS - 17 - field;
  return drop > 31 ? 0 : significand >> drop;
}

// (2^63 - 1) / x by long division; below 2^32 because the top bit of x is set.
static uint32_t reciprocal(uint32_t x) {
  uint32_t rest = TOP - 1;
  uint32_t quotient = 0;
  for (int bit = 0; bit < 32; bit++) {
    const bool carry = rest >= TOP;
    rest = (rest << 1) | 1;
    quotient <<= 1;
    if (carry || rest >= x) {
      rest -= x;
      quotient |= 1;
    }
  }
  return quotient;
}

// Divides weights[count] by `sum` in units of 2^-40; sum >= 2^40.
static void divide(number32* weights, size_t count, uint64_t sum) {
  uint32_t high = (uint32_t)(sum >> 32);  // at least 2^8: sum is 2^40 or more
  const uint32_t low = (uint32_t)(sum & UINT32_C(0xFFFFFFFF));
  const uint32_t zeros = leading_zeros(high);
  if (zeros > 0) high = (high << zeros) | (low >> (32 - zeros));
  // sum is high * 2^(-8 - zeros), its reciprocal factor * 2^(zeros - 55).
  const uint32_t factor = reciprocal(high);
  for (size_t i = 0; i < count; i++) {
    const uint32_t weight = weights[i];
    if (weight == 0) continue;
    int32_t log2;
    const uint32_t significand = split(weight, &log2);
    log2 += (int32_t)zeros - 23 - 1;
    const uint32_t product = multiply_significands(significand, factor, &log2);
    weights[i] = round_to_fp32(0, log2, product);
  }
}

static void fill(number32* out, size_t count, uint32_t value) {
  for (size_t i = 0; i < count; i++) out[i] = value;
}

void mxe_softmax(const void* scores, size_t count, uint32_t scale, void* weights) {
  number32* out = (number32*)weights;
  const uint32_t largest = scaled((const number32*)scores, count, scale, out);
  if ((largest & MAGNITUDE) >= INFINITE) {
    fill(out, count, QUIET_NAN);
    return;
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    out[i] = mxe_exp(mxe_add(out[i], largest ^ SIGN));
    sum += to_fixed(out[i]);
  }
  divide(out, count, sum);
}
