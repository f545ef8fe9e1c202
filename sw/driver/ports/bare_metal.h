// SPDX-License-Identifier: Apache-2.0
/// @file
/// Port of the driver for a processor without an operating system: memory-mapped registers and
/// coherent or uncached memory. The program adds a clock and, optionally, a wait for the interrupt:
///
///     struct mxe_port port;
///     mxe_bare_metal_port(&port, (void*)0x10000000);
///     port.now_us = my_clock;
///     port.wait_irq = my_wait;  // null: mxe_wait() polls
#ifndef MXE_PORTS_BARE_METAL_H_
#define MXE_PORTS_BARE_METAL_H_

#include "mxe_driver.h"

/// Orders all earlier accesses to memory and devices before all later ones. A C11 fence or
/// __atomic_thread_fence() is weaker: it may omit devices (RISC-V) or order for processors only
/// (Arm).
static inline void mxe_full_fence(void) {
#if defined(__riscv)
  __asm__ volatile("fence iorw, iorw" ::: "memory");
#elif defined(__aarch64__)
  __asm__ volatile("dsb osh" ::: "memory");
#elif defined(__arm__) && (__ARM_ARCH >= 7 || defined(__ARM_ARCH_6M__))
  __asm__ volatile("dsb" ::: "memory");
#elif defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("mfence" ::: "memory");
#else
#error "unknown processor: add its fence instruction for memory and devices to mxe_full_fence()"
#endif
}

static inline uint32_t mxe_bare_metal_read32(void* registers, uint32_t offset) {
  return *(volatile uint32_t*)(void*)((char*)registers + offset);
}

static inline void mxe_bare_metal_write32(void* registers, uint32_t offset, uint32_t value) {
  *(volatile uint32_t*)(void*)((char*)registers + offset) = value;
}

static inline void mxe_bare_metal_fence(void* registers) {
  (void)registers;
  mxe_full_fence();
}

/// Fills a port; `registers` is the device's address and becomes `ctx`. Leaves `now_us` null.
static inline void mxe_bare_metal_port(struct mxe_port* port, void* registers) {
  port->ctx = registers;
  port->read32 = mxe_bare_metal_read32;
  port->write32 = mxe_bare_metal_write32;
  port->now_us = NULL;
  port->interrupts = false;
  port->wait_irq = NULL;
  port->relax = NULL;
  port->wmb = mxe_bare_metal_fence;
  port->rmb = mxe_bare_metal_fence;
  port->sync_for_device = NULL;
  port->sync_for_host = NULL;
  port->queue = NULL;
}

#endif  // MXE_PORTS_BARE_METAL_H_
