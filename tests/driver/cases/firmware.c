// SPDX-License-Identifier: Apache-2.0
// The driver's cases on the virtual platform: a line for each, and the number of those that failed
// as the exit code. Arguments are the names of cases; without any, all run.
#include "cases.h"
#include "soc.h"

static _Alignas(MXE_DESC_SIZE) uint8_t memory[BENCH_BYTES];
static uint8_t shadow[BENCH_BYTES];
static struct bench bench;

static void put_hex64(uint64_t value) {
  soc_put_hex((uint32_t)(value >> 32));
  soc_put_hex((uint32_t)value);
}

static void fail(void* ctx, unsigned line, const char* what, uint64_t left, uint64_t right) {
  (void)ctx;
  soc_put("  line ");
  soc_put_unsigned(line);
  soc_put(": ");
  soc_put(what);
  soc_put(": ");
  put_hex64(left);
  soc_put(", ");
  put_hex64(right);
  soc_put("\n");
}

static bool equal(const char* left, const char* right) {
  for (; *left && *left == *right; left++) right++;
  return *left == *right;
}

static bool is_wanted(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    if (equal(name, argv[i])) return true;
  }
  return argc <= 1;
}

int main(int argc, char** argv) {
  uint32_t failed = 0;
  soc_enable_interrupts(NULL);
  bench.real = soc_engine_port();
  bench.memory = memory;
  bench.shadow = shadow;
  bench.bus_addr = (uintptr_t)memory;
  bench.no_memory = UINT64_C(0x100000000);
  bench.fail = fail;
  for (uint32_t i = 0; i < driver_case_count; i++) {
    const struct driver_case* one = &driver_cases[i];
    if (!is_wanted(one->name, argc, argv)) continue;
    const bool good = driver_case_run(&bench, one) == 0;
    if (!good) failed++;
    soc_put(good ? "ok " : "FAILED ");
    soc_put(one->name);
    soc_put("\n");
  }
  return (int)failed;
}
