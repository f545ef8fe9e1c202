// SPDX-License-Identifier: Apache-2.0
#include "soc.h"

uint64_t soc_now_ns(void) {
  const uint32_t low = SOC_REGISTER(TIMER, NOW_LO);  // latches NOW_HI
  return (uint64_t)SOC_REGISTER(TIMER, NOW_HI) << 32 | low;
}

/// Divides 16 bits at a time: a 64-bit division would call a library on RV32.
uint64_t soc_now_us(void) {
  const uint64_t ns = soc_now_ns();
  uint64_t us = 0;
  uint32_t rest = 0;
  for (int shift = 48; shift >= 0; shift -= 16) {
    const uint32_t part = rest << 16 | (uint32_t)(ns >> shift & 0xFFFF);
    us = us << 16 | part / 1000;
    rest = part % 1000;
  }
  return us;
}

_Noreturn void soc_exit(int code) {
  SOC_REGISTER(EXIT, CODE) = (uint32_t)code;
  for (;;) {
  }
}

void soc_put_char(char c) { SOC_REGISTER(UART, TX) = (uint8_t)c; }

void soc_put(const char* text) {
  while (*text) soc_put_char(*text++);
}

void soc_put_unsigned(uint32_t value) {
  if (value >= 10) soc_put_unsigned(value / 10);
  soc_put_char((char)('0' + value % 10));
}

void soc_put_hex(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4)
    soc_put_char("0123456789abcdef"[value >> shift & 15]);
}

int soc_get_char(void) {
  const uint32_t received = SOC_REGISTER(UART, RX);
  return received & SOC_UART_RX_END ? -1 : (int)(received & SOC_UART_RX_DATA);
}
