// SPDX-License-Identifier: Apache-2.0
// Every register and interrupt event. Writing read-only registers would end the program.
#include "cases.h"
#include "mxe_register_list.h"

struct reg {
  uint32_t offset, reset, storage, event, pulse, hardware;
  bool writable;
};

#define ROW(name, writable, reset, storage, event, pulse, hardware) \
  {MXE_REG_##name, reset, storage, event, pulse, hardware, writable},
static const struct reg regs[] = {MXE_REGISTERS(ROW)};
#undef ROW

enum { COUNT = sizeof regs / sizeof regs[0] };

static uint32_t fixed_bits(const struct reg* r) { return ~(r->storage | r->event | r->hardware); }

void case_registers_have_their_fixed_bits(struct bench* b) {
  for (uint32_t i = 0; i < COUNT; i++) {
    const struct reg* r = &regs[i];
    CHECK_EQ(bench_read(b, r->offset) & fixed_bits(r), r->reset & fixed_bits(r));
    if (i > 0) CHECK(r->offset > regs[i - 1].offset);
  }
}

static uint32_t pattern(uint32_t round, uint32_t index) {
  const uint32_t wide = UINT32_C(0x9e3779b9) * (index + 1);
  return (round & 2 ? wide : UINT32_C(0x55555555)) ^ (round & 1 ? UINT32_C(0xffffffff) : 0);
}

void case_registers_keep_what_is_written(struct bench* b) {
  for (uint32_t round = 0; round < 4; round++) {
    for (uint32_t i = 0; i < COUNT; i++) {
      if (regs[i].storage) bench_write(b, regs[i].offset, pattern(round, i) & ~regs[i].pulse);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
      const struct reg* r = &regs[i];
      const uint32_t expected = (pattern(round, i) & r->storage) | (r->reset & fixed_bits(r));
      CHECK_EQ(bench_read(b, r->offset) & ~(r->event | r->hardware), expected);
    }
  }
  for (uint32_t i = 0; i < COUNT; i++) {
    if (regs[i].storage) bench_write(b, regs[i].offset, 0);
  }
}

void case_registers_are_constant_while_idle(struct bench* b) {
  static uint32_t before[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) before[i] = bench_read(b, regs[i].offset);
  for (uint32_t i = 0; i < COUNT; i++) CHECK_EQ(bench_read(b, regs[i].offset), before[i]);
}

/// Counter registers keep the snapshot while the counters run.
void case_counters_stand_still_in_a_snapshot(struct bench* b) {
  struct mxe_counters c;
  if (!bench_open(b)) return;
  bench_run_well(b, 0);
  CHECK_EQ(mxe_read_counters(&b->dev, &c), MXE_OK);
  bench_run_well(b, 1);
  CHECK_EQ(bench_read(b, MXE_REG_BLOCKS_LO), (uint32_t)c.blocks);
  CHECK_EQ(bench_read(b, MXE_REG_TOTAL_LO), (uint32_t)c.total);
  const uint64_t total = c.total, blocks = c.blocks;
  CHECK_EQ(mxe_read_counters(&b->dev, &c), MXE_OK);
  CHECK_EQ(c.blocks, 2 * blocks);
  CHECK(c.total > total);
}

static void run_ok(struct bench* b) { bench_run_well(b, 0); }

static void run_bad(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.m = 0;
  CHECK_EQ(bench_run(b, &job), MXE_ERR_SHAPE);
}

static void ring_backwards(struct bench* b) {
  bench_write(b, MXE_REG_RING_TAIL, (uint16_t)(bench_read(b, MXE_REG_RING_TAIL) - 1));
}

static const struct {
  uint32_t raised;  // all events that the cause sets
  void (*cause)(struct bench*);
} events[] = {
    {MXE_IRQ_STATUS_DONE_MASK | MXE_IRQ_STATUS_QUEUE_EMPTY_MASK, run_ok},
    {MXE_IRQ_STATUS_ERROR_MASK | MXE_IRQ_STATUS_QUEUE_EMPTY_MASK, run_bad},
    {MXE_IRQ_STATUS_RING_OVERFLOW_MASK, ring_backwards},
};

/// The interrupt line after the last register write has taken effect.
static bool line(struct bench* b) {
  (void)bench_read(b, MXE_REG_IRQ_STATUS);
  return b->line_is_high(b->ctx);
}

void case_every_event_masked_and_not(struct bench* b) {
  b->port.wait_irq = NULL;  // the driver polls and writes neither events nor masks
  if (!bench_open(b)) return;
  for (uint32_t which = 0; which < sizeof events / sizeof events[0]; which++) {
    bench_write(b, MXE_REG_IRQ_STATUS, 0xf);
    bench_write(b, MXE_REG_IRQ_MASK, 0);
    CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS), 0);
    events[which].cause(b);
    CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS), events[which].raised);
    for (uint32_t bit = 1; bit < 0x10; bit <<= 1) {
      CHECK(!line(b));
      bench_write(b, MXE_REG_IRQ_MASK, bit);
      CHECK_EQ(line(b), (events[which].raised & bit) != 0);
      bench_write(b, MXE_REG_IRQ_STATUS, 0xf & ~bit);  // the other bits; writing 0 clears nothing
      CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS), events[which].raised & bit);
      CHECK_EQ(line(b), (events[which].raised & bit) != 0);
      bench_write(b, MXE_REG_IRQ_STATUS, bit);
      CHECK(!line(b));
      CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS), 0);
      bench_write(b, MXE_REG_IRQ_MASK, 0);
      events[which].cause(b);
    }
  }
  bench_write(b, MXE_REG_IRQ_STATUS, 0xf);
}
