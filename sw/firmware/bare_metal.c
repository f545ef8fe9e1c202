// SPDX-License-Identifier: Apache-2.0
// The driver's example (sw/driver/examples/bare_metal.c) as a program: fills the operands and
// prints the results as FP32 bits, one row per line.
#include "soc.h"

enum { M = 8, N = 8, K = 32 };

int multiply(void* registers, uint64_t (*now_us)(void*), const uint8_t a[M][K],
             const uint8_t a_scales[M], const uint8_t b[N][K], const uint8_t b_scales[N],
             uint32_t d[M][N]);

static uint8_t a[M][K], a_scales[M], b[N][K], b_scales[N];
static uint32_t d[M][N];

/// A finite code of mxfp8_e4m3: exponent field 5 to 8, any sign and mantissa.
static uint8_t code(uint32_t* state) {
  *state = *state * 1664525 + 1013904223;
  const uint32_t random = *state >> 16;
  return (uint8_t)((random & 0x87) | (5 + (random >> 8 & 3)) << 3);
}

static void fill(void) {
  uint32_t state = 1;
  for (uint32_t row = 0; row < M; row++) {
    for (uint32_t k = 0; k < K; k++) {
      a[row][k] = code(&state);
      b[row][k] = code(&state);
    }
    a_scales[row] = (uint8_t)(127 + row % 3);
    b_scales[row] = (uint8_t)(127 - row % 2);
  }
}

static void print(void) {
  for (uint32_t m = 0; m < M; m++) {
    for (uint32_t n = 0; n < N; n++) {
      if (n > 0) soc_put_char(' ');
      soc_put_hex(d[m][n]);
    }
    soc_put_char('\n');
  }
}

static uint64_t now_us(void* registers) {
  (void)registers;
  return soc_now_us();
}

int main(void) {
  fill();
  const int code = multiply((void*)(uintptr_t)SOC_ENGINE_BASE, now_us, (const uint8_t(*)[K])a,
                            a_scales, (const uint8_t(*)[K])b, b_scales, d);
  if (code == MXE_OK) {
    print();
  } else {
    soc_put(mxe_strerror(code));
    soc_put_char('\n');
  }
  return code == MXE_OK ? 0 : 1;
}
