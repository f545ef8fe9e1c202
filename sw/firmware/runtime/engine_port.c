// SPDX-License-Identifier: Apache-2.0
#include "ports/bare_metal.h"
#include "soc.h"

static uint64_t now_us(void* registers) {
  (void)registers;
  return soc_now_us();
}

static int wait_irq(void* registers, uint32_t timeout_us) {
  (void)registers;
  const uint64_t deadline = soc_now_ns() + (uint64_t)timeout_us * 1000;
  while (!(SOC_REGISTER(INTERRUPTS, PENDING) & SOC_INTERRUPTS_PENDING_ENGINE)) {
    if (soc_now_ns() >= deadline) return MXE_ERR_TIMEOUT;
    if (soc_wait_for_interrupt(deadline)) break;
  }
  return 0;
}

struct mxe_port soc_engine_port(void) {
  struct mxe_port port;
  mxe_bare_metal_port(&port, (void*)(uintptr_t)SOC_ENGINE_BASE);
  port.now_us = now_us;
  port.wait_irq = wait_irq;
  return port;
}
