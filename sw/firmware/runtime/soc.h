// SPDX-License-Identifier: Apache-2.0
/// Runtime of programs on the virtual platform: time, exit, interrupts, UART, the engine's port.
/// The addresses are in the generated soc_map.h. The functions need no library.
#ifndef SOC_H_
#define SOC_H_

#include <stdbool.h>
#include <stdint.h>

#include "mxe_driver.h"
#include "soc_map.h"

/// A register of the platform: SOC_REGISTER(TIMER, NOW_LO).
#define SOC_REGISTER(device, name) \
  (*(volatile uint32_t*)(uintptr_t)(SOC_##device##_BASE + SOC_##device##_##name))

/// Attribute of a variable that is not cleared at the start.
#define SOC_NOINIT __attribute__((section(".bss.noinit")))

uint64_t soc_now_ns(void);
uint64_t soc_now_us(void);
void soc_sleep_ns(uint64_t nanoseconds);
/// Ends the program with an exit code, as a return from main() does.
_Noreturn void soc_exit(int code);

/// The handler calls `on_engine` (may be null) while the engine's line is high, to make it fall.
void soc_enable_interrupts(void (*on_engine)(void));
/// Sleeps until an interrupt has been handled: the engine's, or the timer's at `deadline_ns`.
/// Returns true if one has been handled since the last call; false if the deadline had already
/// passed.
bool soc_wait_for_interrupt(uint64_t deadline_ns);

void soc_put_char(char c);
void soc_put(const char* text);
void soc_put_unsigned(uint32_t value);
void soc_put_hex(uint32_t value);  ///< eight hexadecimal digits
/// Returns the next input byte, or -1 at the end of the input.
int soc_get_char(void);

/// The driver's port. It waits by interrupt, so call soc_enable_interrupts(NULL) first.
struct mxe_port soc_engine_port(void);

#endif  // SOC_H_
