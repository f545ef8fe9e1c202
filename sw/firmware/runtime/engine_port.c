// SPDX-License-Identifier: Apache-2.0
#include "soc.h"

static uint32_t read32(void* registers, uint32_t offset) {
  return *(volatile uint32_t*)(void*)((char*)registers + offset);
}

static void write32(void* registers, uint32_t offset, uint32_t value) {
  *(volatile uint32_t*)(void*)((char*)registers + offset) = value;
}

/// Orders memory and devices against each other, which the fence of C11 need not do.
static void barrier(void* registers) {
  (void)registers;
  __asm__ volatile("fence iorw, iorw" ::: "memory");
}

static int wait_irq(void* registers, uint32_t timeout_us) {
  (void)registers;
  const uint64_t deadline = soc_now_ns() + (uint64_t)timeout_us * 1000;
  while (!(SOC_REGISTER(INTERRUPTS, PENDING) & SOC_INTERRUPTS_PENDING_ENGINE)) {
    if (soc_now_ns() >= deadline) return MXE_ERR_TIMEOUT;
    soc_wait_for_interrupt(deadline);
  }
  return 0;
}

struct mxe_port soc_engine_port(void) {
  return (struct mxe_port){.ctx = (void*)(uintptr_t)SOC_ENGINE_BASE,
                           .read32 = read32,
                           .write32 = write32,
                           .wait_irq = wait_irq,
                           .barrier = barrier};
}
