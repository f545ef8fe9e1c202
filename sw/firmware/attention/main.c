// SPDX-License-Identifier: Apache-2.0
// The attention of a transformer layer as firmware, with interrupts.
#include "attention.h"
#include "soc.h"

static struct attention_memory memory;

static uint32_t checksum(void) {
  uint32_t sum = UINT32_C(2166136261);
  for (uint32_t token = 0; token < ATTENTION_TOKENS; token++) {
    for (uint32_t i = 0; i < ATTENTION_MODEL; i++) {
      for (uint32_t shift = 0; shift < 32; shift += 8) {
        sum = (sum ^ (memory.y[token][i] >> shift & 0xFF)) * UINT32_C(16777619);
      }
    }
  }
  return sum;
}

int main(void) {
  const struct mxe_port port = soc_engine_port();
  soc_enable_interrupts(NULL);
  const int code = attention_run(&port, &memory, (uintptr_t)&memory);
  soc_put("attention: ");
  if (code == MXE_OK) {
    soc_put_hex(checksum());
  } else {
    soc_put(mxe_strerror(code));
  }
  soc_put("\n");
  return code == MXE_OK ? 0 : 1;
}
