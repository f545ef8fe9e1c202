// SPDX-License-Identifier: Apache-2.0
/// @file
/// The driver finds a device. Here an array of registers stands for it, on a processor it would be
/// the device's address (sw/driver/examples/bare_metal.c).
#include <mxe_driver.h>
#include <stdio.h>

enum { RING_ENTRIES = 4, REGISTERS = 1024 };

static _Alignas(MXE_DESC_SIZE) uint8_t ring[RING_ENTRIES * MXE_DESC_SIZE];

static uint32_t read32(void* registers, uint32_t offset) {
  return ((const uint32_t*)registers)[offset / 4];
}

static void write32(void* registers, uint32_t offset, uint32_t value) {
  ((uint32_t*)registers)[offset / 4] = value;
}

int main(void) {
  uint32_t registers[REGISTERS] = {
      [MXE_REG_ID / 4] = MXE_ID_RESET,
      [MXE_REG_VERSION / 4] = MXE_VERSION_RESET,
      [MXE_REG_NUM_PE / 4] = 8,
      [MXE_REG_QUEUE_DEPTH / 4] = 16,
  };
  const struct mxe_port port = {.ctx = registers, .read32 = read32, .write32 = write32};
  struct mxe_device dev;
  const int code = mxe_probe(&dev, &port, ring, (uintptr_t)ring, RING_ENTRIES);
  if (code != MXE_OK) {
    fprintf(stderr, "%s\n", mxe_strerror(code));
    return 1;
  }
  printf("found an engine of %u PEs, ring of %u jobs\n", (unsigned)dev.caps.num_pe,
         (unsigned)dev.ring_entries);
  return 0;
}
