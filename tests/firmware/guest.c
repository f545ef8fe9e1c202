// SPDX-License-Identifier: Apache-2.0
// Runs the action that its first argument names.
#include "soc.h"

static bool equal(const char* a, const char* b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

static void put_line(const char* name, uint32_t value) {
  soc_put(name);
  soc_put(" ");
  soc_put_unsigned(value);
  soc_put("\n");
}

static volatile uint32_t interrupts;
static uint32_t seen_at;
static const struct mxe_port* engine;

static void on_engine(void) {
  engine->write32(engine->ctx, MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_DONE_MASK);
  (void)engine->read32(engine->ctx,
                       MXE_REG_IRQ_STATUS);  // the interrupt line falls after the response
  seen_at = (uint32_t)soc_now_ns();
  interrupts = interrupts + 1;
}

static void ignore_engine(void) {}

static _Alignas(MXE_DESC_SIZE) uint8_t ring[4 * MXE_DESC_SIZE];
static struct mxe_slot slots[4];
static uint8_t operand[64 * 64], scales[64 * 2];
static uint32_t product[64][64];

/// The processor computes without device accesses during a job. For any quantum and engine the
/// interrupt must arrive at the same instruction.
static int compute_until_interrupt(uint32_t jobs, void (*handler)(void)) {
  const struct mxe_port port = soc_engine_port();
  struct mxe_port polling = port;
  polling.wait_irq = NULL;
  const uint64_t address = (uintptr_t)operand, scale_address = (uintptr_t)scales;
  const struct mxe_job job = {.format_a = MXE_FORMAT_MXINT8,
                              .format_b = MXE_FORMAT_MXINT8,
                              .m = 64,
                              .n = 64,
                              .k = 64,
                              .a_addr = address,
                              .b_addr = address,
                              .a_stride = 64,
                              .b_stride = 64,
                              .a_scale_addr = scale_address,
                              .b_scale_addr = scale_address,
                              .a_scale_stride = 2,
                              .b_scale_stride = 2,
                              .d_addr = (uintptr_t)product,
                              .d_stride = sizeof product[0]};
  struct mxe_device device;
  engine = &port;
  const struct mxe_ring memory = {
      .mem = ring, .bus_addr = (uintptr_t)ring, .slots = slots, .entries = 4};
  if (mxe_open(&device, &polling, &memory) != MXE_OK) return 1;
  port.write32(port.ctx, MXE_REG_IRQ_MASK, MXE_IRQ_STATUS_DONE_MASK);
  soc_enable_interrupts(handler);
  for (uint32_t i = 0; i < jobs; i++) {
    uint32_t id = 0, turns = 0;
    const uint32_t before = interrupts;
    if (mxe_submit(&device, &job, NULL, &id) != MXE_OK) return 2;
    while (interrupts == before) turns++;
    put_line("turns", turns);
    put_line("at", seen_at);
    if (mxe_wait(&device, id, 1000, NULL) != MXE_OK) return 3;
  }
  return 0;
}

/// Jobs larger than the memory. One part of each starts 64 bytes before the memory's end, so that a
/// bus error follows after a few beats.
static int run_huge_jobs(void) {
  enum { A, B, A_SCALES, B_SCALES, C, D, PARTS };
  static const uint32_t sizes[][3] = {
      {13, 22, INT32_MAX}, {1, 1, INT32_MAX}, {13, 22, UINT32_MAX}, {UINT32_MAX, UINT32_MAX, 1}};
  const uint64_t end = SOC_ARGUMENTS_BASE + SOC_ARGUMENTS_SIZE;
  struct mxe_port port = soc_engine_port();
  port.wait_irq = NULL;
  struct mxe_device device;
  const struct mxe_ring memory = {
      .mem = ring, .bus_addr = (uintptr_t)ring, .slots = slots, .entries = 4};
  if (mxe_open(&device, &port, &memory) != MXE_OK) return 1;
  for (unsigned size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
    for (int part = 0; part < PARTS; part++) {
      uint64_t at[PARTS];
      for (int i = 0; i < PARTS; i++) at[i] = i == part ? end - 64 : (uintptr_t)product;
      const struct mxe_job job = {.m = sizes[size][0],
                                  .n = sizes[size][1],
                                  .k = sizes[size][2],
                                  .bias = true,
                                  .a_addr = at[A],
                                  .b_addr = at[B],
                                  .a_scale_addr = at[A_SCALES],
                                  .b_scale_addr = at[B_SCALES],
                                  .c_addr = at[C],
                                  .d_addr = at[D],
                                  .a_stride = 64,
                                  .b_stride = 64,
                                  .a_scale_stride = 2,
                                  .b_scale_stride = 2,
                                  .c_stride = 256,
                                  .d_stride = 256};
      // D is only written after all of K, so K must be small.
      if (part == D && job.k != 1) continue;
      if (part == C && job.m == 1) continue;  // a single number, which lies inside the memory
      uint32_t id = 0;
      struct mxe_completion completion;
      if (mxe_submit(&device, &job, NULL, &id) != MXE_OK) return 2;
      put_line("code", (uint32_t)-mxe_wait(&device, id, 1000, &completion));
      put_line("operand", completion.fault_operand);
      put_line("address", (uint32_t)completion.fault_addr);
    }
  }
  return 0;
}

static int keep_time(void) {
  soc_enable_interrupts(NULL);
  for (uint32_t i = 0; i < 5; i++) {
    soc_sleep_ns(1000 + 777 * i);
    put_line("woke", (uint32_t)soc_now_ns());
  }
  const uint64_t end = soc_now_ns() + 5000;
  uint32_t turns = 0;
  while (soc_now_ns() < end) turns++;
  put_line("turns", turns);
  return 0;
}

static int print_arguments(int argc, char** argv) {
  for (int i = 0; i < argc; i++) {
    soc_put(argv[i]);
    soc_put("\n");
  }
  return argv[argc] ? 1 : 40 + argc;
}

static int echo(void) {
  for (int c = soc_get_char(); c >= 0; c = soc_get_char()) soc_put_char((char)c);
  return 0;
}

/// Times have 64 bits and are compared in two halves.
static int long_sleep(void) {
  soc_enable_interrupts(NULL);
  const uint64_t start = soc_now_ns();
  soc_sleep_ns(UINT64_C(5000000000));
  const uint64_t slept = soc_now_ns() - start;
  return slept >= UINT64_C(5000000000) && slept < UINT64_C(5000001000) ? 0 : 1;
}

static int read_registers(void) {
  const struct mxe_port port = soc_engine_port();
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 100000; i++) sum += port.read32(port.ctx, MXE_REG_STATUS);
  return sum == 100000 * MXE_STATUS_EMPTY_MASK ? 0 : 1;
}

/// Rewrites a function before each call, on a page that held data before.
static int change_code(void) {
  static _Alignas(4096) volatile uint32_t page[1024];
  static SOC_NOINIT volatile uint32_t others[1 << 21];  // 2048 pages
  for (uint32_t i = 0; i < 1024; i++) page[i] = i;
  for (uint32_t i = 0; i < 100; i++) {
    // Evicts the page from the platform's caches.
    for (uint32_t at = 0; at < sizeof others / sizeof others[0]; at += 1024) others[at] = i;
    page[0] = i << 20 | 0x513;  // li a0, i
    page[1] = 0x00008067;       // ret
    __asm__ volatile("fence.i" ::: "memory");
    if (((uint32_t(*)(void))(uintptr_t)page)() != i) return 1;
  }
  return 0;
}

static int print_on(void) {
  for (;;) soc_put("on\n");
}

// clang-format off
#define FAULTS(X) \
  X(read) X(read_short) X(read_below) X(write) X(write_short) \
  X(write_wide) X(atomic) X(misaligned) X(illegal) X(illegal_short) \
  X(ebreak) X(ebreak_short) X(ecall) X(deadlock) X(loop) \
  X(timer_write) X(uart_byte) X(engine_read) X(engine_write) X(jump)
// clang-format on
#define DECLARE(name) void run_##name(void);
#define ROW(name) {#name, run_##name},
FAULTS(DECLARE)

static const struct {
  const char* name;
  void (*run)(void);
} faults[] = {FAULTS(ROW)};

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (equal(what, "interrupt")) return compute_until_interrupt(3, on_engine);
  if (equal(what, "stuck")) return compute_until_interrupt(1, ignore_engine);
  if (equal(what, "huge")) return run_huge_jobs();
  if (equal(what, "time")) return keep_time();
  if (equal(what, "long")) return long_sleep();
  if (equal(what, "arguments")) return print_arguments(argc, argv);
  if (equal(what, "echo")) return echo();
  if (equal(what, "registers")) return read_registers();
  if (equal(what, "print_on")) return print_on();
  if (equal(what, "code")) return change_code();
  for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    if (equal(what, faults[i].name)) faults[i].run();
  }
  return 99;
}
