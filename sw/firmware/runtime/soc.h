// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a program on the virtual platform needs beside the driver: time, interrupts, text, the end.
/// The addresses are in soc_map.h, which is generated; the functions need no library.
#ifndef SOC_H_
#define SOC_H_

#include <stdbool.h>
#include <stdint.h>

#include "mxe_driver.h"
#include "soc_map.h"

/// A register of the platform: SOC_REGISTER(TIMER, NOW_LO).
#define SOC_REGISTER(device, name) \
  (*(volatile uint32_t*)(uintptr_t)(SOC_##device##_BASE + SOC_##device##_##name))

/// Of a variable that the program writes before it reads it: nothing clears it at the start.
#define SOC_NOINIT __attribute__((section(".bss.noinit")))

// ---- Time and the end

/// Nanoseconds since the start.
uint64_t soc_now_ns(void);
/// Microseconds since the start.
uint64_t soc_now_us(void);
/// Sleeps.
void soc_sleep_ns(uint64_t nanoseconds);
/// Ends the program; what is returned from main comes here, too.
_Noreturn void soc_exit(int code);

// ---- Interrupts

/// Takes interrupts from now on. `on_engine` (may be null) is called in the handler when the
/// engine's line is high, and has to make it fall.
void soc_enable_interrupts(void (*on_engine)(void));
/// Sleeps until a handler ran, or until the time `deadline_ns`. Returns whether a handler ran since
/// the last call.
bool soc_wait_for_interrupt(uint64_t deadline_ns);

// ---- Text on the UART

void soc_put_char(char c);
void soc_put(const char* text);
void soc_put_unsigned(uint32_t value);
void soc_put_hex(uint32_t value);  ///< eight digits
/// Takes a byte of the input, or returns -1 at its end.
int soc_get_char(void);

// ---- The engine

/// The driver's port to the engine of the platform. It waits for jobs by interrupt; the program
/// calls soc_enable_interrupts(NULL) before.
struct mxe_port soc_engine_port(void);

#endif  // SOC_H_
