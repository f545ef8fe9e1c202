// SPDX-License-Identifier: Apache-2.0
// A job that is aborted, for a timing diagram (waves.py): a bus error on A, which lies where no
// memory is.
#include "soc.h"

enum { M = 8, N = 8, K = 32 };

int multiply(void* registers, uint64_t (*now_us)(void*), const uint8_t a[M][K],
             const uint8_t a_scales[M], const uint8_t b[N][K], const uint8_t b_scales[N],
             uint32_t d[M][N]);

static uint8_t scales[M], b[N][K];
static uint32_t d[M][N];

static uint64_t now_us(void* registers) {
  (void)registers;
  return soc_now_us();
}

int main(void) {
  const uintptr_t nowhere = 0x30000000;
  const int code = multiply((void*)(uintptr_t)SOC_ENGINE_BASE, now_us, (const uint8_t(*)[K])nowhere,
                            scales, (const uint8_t(*)[K])b, scales, d);
  soc_put(mxe_strerror(code));
  soc_put_char('\n');
  return code == MXE_ERR_READ ? 0 : 1;
}
