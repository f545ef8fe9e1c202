// SPDX-License-Identifier: Apache-2.0
// Interrupt lines are levels: trap() must make a line fall, or it is entered again. For the engine
// it calls the program's handler, or masks the line until the next soc_wait_for_interrupt().
#include "soc.h"

enum { MSTATUS_MIE = 1 << 3, MIE_SEIE = 1 << 9 };

static void (*engine_handler)(void);
static volatile bool handled;

static void set_compare(uint64_t time) {
  SOC_REGISTER(TIMER, COMPARE_HI) = UINT32_MAX;  // no intermediate value is in the past
  SOC_REGISTER(TIMER, COMPARE_LO) = (uint32_t)time;
  SOC_REGISTER(TIMER, COMPARE_HI) = (uint32_t)(time >> 32);
}

__attribute__((interrupt("machine"), aligned(4))) static void trap(void) {
  const uint32_t pending = SOC_REGISTER(INTERRUPTS, PENDING) & SOC_REGISTER(INTERRUPTS, ENABLE);
  handled = true;
  if (pending & SOC_INTERRUPTS_PENDING_TIMER) set_compare(UINT64_MAX);
  if (!(pending & SOC_INTERRUPTS_PENDING_ENGINE)) return;
  if (engine_handler) {
    engine_handler();
  } else {
    SOC_REGISTER(INTERRUPTS, ENABLE) = SOC_INTERRUPTS_ENABLE_TIMER;
  }
}

void soc_enable_interrupts(void (*on_engine)(void)) {
  engine_handler = on_engine;
  SOC_REGISTER(INTERRUPTS, ENABLE) = SOC_INTERRUPTS_ENABLE_ENGINE | SOC_INTERRUPTS_ENABLE_TIMER;
  __asm__ volatile("csrw mtvec, %0" ::"r"((uintptr_t)trap));
  __asm__ volatile("csrs mie, %0" ::"r"((uintptr_t)MIE_SEIE));
  __asm__ volatile("csrsi mstatus, %0" ::"i"(MSTATUS_MIE));
}

bool soc_wait_for_interrupt(uint64_t deadline_ns) {
  SOC_REGISTER(INTERRUPTS, ENABLE) = SOC_INTERRUPTS_ENABLE_ENGINE | SOC_INTERRUPTS_ENABLE_TIMER;
  set_compare(deadline_ns);
  // Interrupts are off, so none is lost between the check and wfi. A pending one still wakes wfi.
  __asm__ volatile("csrci mstatus, %0" ::"i"(MSTATUS_MIE) : "memory");
  while (!handled && soc_now_ns() < deadline_ns) {
    __asm__ volatile(
        "wfi\n"
        "csrsi mstatus, %0\n"
        "nop\n"
        "csrci mstatus, %0" ::"i"(MSTATUS_MIE)
        : "memory");
  }
  const bool was_handled = handled;
  handled = false;
  __asm__ volatile("csrsi mstatus, %0" ::"i"(MSTATUS_MIE) : "memory");
  set_compare(UINT64_MAX);
  return was_handled;
}

void soc_sleep_ns(uint64_t nanoseconds) {
  const uint64_t end = soc_now_ns() + nanoseconds;
  while (soc_now_ns() < end) soc_wait_for_interrupt(end);
}
