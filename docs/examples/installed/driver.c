// SPDX-License-Identifier: Apache-2.0
/// @file
/// The driver finds a device, here an array of registers (else see
/// sw/driver/examples/bare_metal.c).
#include <mxe_driver.h>
#include <stdio.h>

enum { REGISTERS = 1024 };

static uint32_t read32(void* registers, uint32_t offset) {
  return ((const uint32_t*)registers)[offset / 4];
}

int main(void) {
  uint32_t registers[REGISTERS] = {
      [MXE_REG_ID / 4] = MXE_ID_RESET,
      [MXE_REG_VERSION / 4] = MXE_VERSION_RESET,
      [MXE_REG_NUM_PE / 4] = 8,
      [MXE_REG_QUEUE_DEPTH / 4] = 16,
  };
  const struct mxe_port port = {.ctx = registers, .read32 = read32};
  struct mxe_capabilities caps;
  const int code = mxe_identify(&port, &caps);
  if (code != MXE_OK) {
    fprintf(stderr, "%s\n", mxe_strerror(code));
    return 1;
  }
  printf("found an engine of %u PEs, rings of up to %u jobs\n", (unsigned)caps.num_pe,
         (unsigned)caps.queue_depth);
  return 0;
}
