// SPDX-License-Identifier: Apache-2.0
// Runs the named cases, or all, on the virtual platform. Exit code 1: one failed, or none ran.
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

static bool line_is_high(void* ctx) {
  (void)ctx;
  return SOC_REGISTER(INTERRUPTS, PENDING) & SOC_INTERRUPTS_PENDING_ENGINE;
}

/// A row of a long job is eight results of 256 blocks, computed by min(NUM_PE, 8) processing
/// elements in parallel. The rows take about 48 microseconds.
static uint32_t long_rows(const struct mxe_port* port) {
  const uint32_t elements = port->read32(port->ctx, MXE_REG_NUM_PE);
  return 24 * (elements < 8 ? elements : 8);
}

static struct mxe_device* owner;

static void handle(void) { (void)mxe_irq(owner); }

static void interrupt(struct mxe_device* device) {
  owner = device;
  soc_enable_interrupts(device ? handle : NULL);
}

int main(int argc, char** argv) {
  uint32_t ran = 0, failed = 0;
  soc_enable_interrupts(NULL);
  bench.real = soc_engine_port();
  bench.memory = memory;
  bench.shadow = shadow;
  bench.bus_addr = (uintptr_t)memory;
  bench.long_rows = long_rows(&bench.real);
  bench.no_memory = UINT64_C(0x100000000);
  bench.fail = fail;
  bench.line_is_high = line_is_high;
  bench.interrupt = interrupt;
  for (uint32_t i = 0; i < driver_case_count; i++) {
    const struct driver_case* one = &driver_cases[i];
    if (!is_wanted(one->name, argc, argv)) continue;
    const bool good = driver_case_run(&bench, one) == 0;
    if (!good) failed++;
    ran++;
    soc_put(good ? "ok " : "FAILED ");
    soc_put(one->name);
    soc_put("\n");
  }
  soc_put_unsigned(ran);
  soc_put(" cases, ");
  soc_put_unsigned(failed);
  soc_put(" failed\n");
  return failed > 0 || ran == 0;
}
