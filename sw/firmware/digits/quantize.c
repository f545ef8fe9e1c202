// SPDX-License-Identifier: Apache-2.0
#include "quantize.h"

enum {
  BLOCK = 32,
  BIAS = 127,     // of FP32 and of scales
  MANTISSA = 23,  // bits of FP32
  EMAX = 8,       // of E4M3, whose bias is 7 and whose mantissa has 3 bits
  EMIN = -6,
  LARGEST = 0x7E,  // 448
};

static uint32_t magnitude(uint32_t value) { return value & 0x7FFFFFFF; }

/// value / 2^dropped, rounded to nearest even.
static uint32_t round_bits(uint32_t value, int dropped) {
  if (dropped > MANTISSA + 2) return 0;
  const uint32_t half = UINT32_C(1) << (dropped - 1);
  const uint32_t odd = value >> dropped & 1;
  return (value + half - 1 + odd) >> dropped;
}

/// `value` / 2^`shared` as a code.
static uint8_t element(uint32_t value, int shared) {
  const int exponent = (int)(magnitude(value) >> MANTISSA);
  if (exponent == 0) return (uint8_t)(value >> 31 << 7);  // less than the smallest by far
  const uint32_t mantissa = (value & 0x7FFFFF) | UINT32_C(1) << MANTISSA;
  const int e = exponent - BIAS - shared;
  uint32_t code = 0;
  if (e >= EMIN) {  // a rounding up to the next power of two moves into the exponent
    code = ((uint32_t)(e - EMIN) << 3) + round_bits(mantissa, MANTISSA - 3);
  } else {
    code = round_bits(mantissa, MANTISSA - 3 + EMIN - e);
  }
  if (code > LARGEST) code = LARGEST;
  return (uint8_t)(code | value >> 31 << 7);
}

static void quantize_block(const uint32_t* values, uint32_t count, uint32_t step, uint8_t* elements,
                           uint8_t* scale) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t value = magnitude(values[i * step]);
    if (value > largest) largest = value;
  }
  int shared = (int)(largest >> MANTISSA) - BIAS - EMAX;
  if (shared < -BIAS) shared = -BIAS;
  *scale = (uint8_t)(shared + BIAS);
  for (uint32_t i = 0; i < count; i++) elements[i] = element(values[i * step], shared);
}

void quantize_row(const uint32_t* values, uint32_t count, uint32_t step, uint8_t* elements,
                  uint8_t* scales) {
  for (uint32_t begin = 0; begin < count; begin += BLOCK) {
    const uint32_t rest = count - begin;
    quantize_block(values + begin * step, rest < BLOCK ? rest : BLOCK, step, elements + begin,
                   scales + begin / BLOCK);
  }
}
