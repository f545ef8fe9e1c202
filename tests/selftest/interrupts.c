// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

/// Without a cause mxe_irq() returns false and writes no register.
void case_spurious_interrupts(struct bench* b) {
  if (!bench_open(b)) return;
  const uint32_t writes = b->mischief.writes_of_causes;
  CHECK(!mxe_irq(&b->dev));
  CHECK_EQ(mxe_complete(&b->dev, 1), 0);
  CHECK_EQ(b->mischief.writes_of_causes, writes);
  bench_run_well(b, 0);
  const struct mxe_job job = bench_job(b, 1);
  bench_submit_logged(b, &job);
  bench_settle(b);
  CHECK(mxe_irq(&b->dev));
  CHECK(!mxe_irq(&b->dev));
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS) & bench_read(b, MXE_REG_IRQ_MASK), 0);
  CHECK_EQ(b->log.count, 0);  // the handler runs no callback
  CHECK_EQ(mxe_complete(&b->dev, 1), 1);
  CHECK_EQ(b->log.count, 1);
  bench_expect(b, &job);
}

/// The job is found when the wait times out.
void case_lost_interrupts(struct bench* b) {
  b->mischief.loses_interrupts = true;
  if (!bench_open(b)) return;
  const struct mxe_job job = bench_job(b, 0);
  const uint32_t id = bench_submit(b, &job);
  CHECK_EQ(mxe_wait(&b->dev, id, 20, NULL), MXE_OK);
  CHECK(b->mischief.waits > 0);
  bench_expect(b, &job);
}

/// Interrupts of other devices on the line end waits, sometimes or always.
void case_shared_interrupts(struct bench* b) {
  if (!bench_open(b)) return;
  const struct mxe_job job = bench_long_job(b, 0);
  b->mischief.others = 10;
  const uint32_t id = bench_submit(b, &job);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL), MXE_OK);
  CHECK(b->mischief.waits > 10);
  bench_expect(b, &job);
  b->mischief.others = MISCHIEF_FOR_EVER;
  bench_run_well(b, 1);
  b->mischief.lost_doorbells = 1;
  const uint32_t lost = bench_submit(b, &job);
  CHECK_EQ(mxe_wait(&b->dev, lost, 10, NULL), MXE_ERR_TIMEOUT);
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
}

static void run_with_messages(struct bench* b) {
  b->mischief.messages = true;
  b->mischief.owner = &b->dev;
  b->port.interrupts = true;
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 6; i++) {
    const struct mxe_job job = i > 0 ? bench_job(b, i) : bench_long_job(b, 0);
    const struct mxe_job bad = {.m = 0};
    const uint32_t first = bench_submit(b, &job), second = bench_submit(b, &bad);
    const uint64_t begin = b->real.now_us(b->real.ctx);
    CHECK_EQ(mxe_wait(&b->dev, second, BENCH_WAIT_US, NULL), MXE_ERR_SHAPE);
    CHECK_EQ(mxe_wait(&b->dev, first, 0, NULL), MXE_OK);
    CHECK(b->real.now_us(b->real.ctx) - begin < BENCH_WAIT_US / 2);  // no message was missed
    bench_expect(b, &job);
  }
  CHECK(b->mischief.messages_sent > 0);
}

void case_messages(struct bench* b) { run_with_messages(b); }

static void settle_before_clearing(struct mischief* m, uint32_t offset, uint32_t value) {
  (void)value;
  if (offset == MXE_REG_IRQ_STATUS) bench_settle(m->user);
}

static void fail_before_clearing(struct mischief* m, uint32_t offset, uint32_t value) {
  const struct mxe_job bad = {.m = 0};
  (void)value;
  if (offset != MXE_REG_IRQ_STATUS) return;
  m->before_write = NULL;
  bench_submit(m->user, &bad);
  bench_settle(m->user);
}

/// A cause that arrives after the handler has read IRQ_STATUS keeps the line high and sends no MSI.
void case_messages_during_the_handler(struct bench* b) {
  const struct mxe_job job = bench_job(b, 7);
  b->mischief.before_write = settle_before_clearing;
  run_with_messages(b);
  bench_submit(b, &job);
  bench_expect(b, &job);
  bench_settle(b);
  b->mischief.before_write = fail_before_clearing;
  CHECK(mxe_irq(&b->dev));
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS) & bench_read(b, MXE_REG_IRQ_MASK), 0);
  CHECK_EQ(mxe_complete(&b->dev, 2), 2);
}

void case_interrupt_that_cannot_be_awaited(struct bench* b) {
  if (!bench_open(b)) return;
  const struct mxe_job job = bench_long_job(b, 0);
  b->mischief.wait_result = -99;
  const uint32_t id = bench_submit(b, &job);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL), MXE_ERR_INTERRUPT);
  b->mischief.wait_result = 0;
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL), MXE_OK);
  bench_expect(b, &job);
}

/// Without a handler and without wait_irq the driver leaves interrupts masked.
void case_interrupts_stay_masked(struct bench* b) {
  const uint32_t sources =
      MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_ERROR_MASK | MXE_IRQ_MASK_RING_OVERFLOW_MASK;
  if (!bench_open(b)) return;
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_MASK), sources);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_MASK), 0);
  b->port.wait_irq = NULL;
  if (!bench_open(b)) return;
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_MASK), 0);
  const struct mxe_job job = bench_job(b, 0);
  CHECK_EQ(bench_run(b, &job), MXE_OK);
  bench_expect(b, &job);
  CHECK(!mxe_irq(&b->dev));  // the interrupt is not from this device
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  b->port.interrupts = true;
  if (!bench_open(b)) return;
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_MASK), sources);
  CHECK_EQ(bench_run(b, &job), MXE_OK);
  CHECK(mxe_irq(&b->dev));
}

void case_handler_without_a_device(struct bench* b) {
  CHECK(!mxe_irq(NULL));
  CHECK(!mxe_irq(&b->dev));
  if (!bench_open(b)) return;
  b->mischief.lives = 0;
  CHECK(!mxe_irq(&b->dev));  // all ones: a removed device, not causes
}

/// The driver's requirements on now_us and wait_irq, which other interrupts may end.
void case_clock_and_wait_of_the_port(struct bench* b) {
  const struct mxe_port* port = &b->real;
  uint64_t last = port->now_us(port->ctx);
  CHECK(!b->line_is_high(b->ctx));
  (void)port->wait_irq(port->ctx, 1);  // an interrupt of the case before may end it
  for (uint32_t us = 1; us <= 64; us *= 2) {
    const uint64_t begin = port->now_us(port->ctx);
    CHECK(begin >= last);
    const int code = port->wait_irq(port->ctx, us);
    last = port->now_us(port->ctx);
    CHECK(code == 0 || code == MXE_ERR_TIMEOUT);
    CHECK(last - begin >= us);
    CHECK(last - begin < 2 * us + 20);
  }
  b->port.wait_irq = NULL;
  if (!bench_open(b)) return;
  bench_write(b, MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK);
  for (uint32_t i = 0; i < 2; i++) {
    const struct mxe_job job = i ? bench_job(b, 0) : bench_long_job(b, 0);
    bench_submit_logged(b, &job);
    bench_expect(b, &job);
    CHECK_EQ(port->wait_irq(port->ctx, 10 * BENCH_WAIT_US), 0);
    CHECK(b->line_is_high(b->ctx));
    CHECK_EQ(port->wait_irq(port->ctx, 10 * BENCH_WAIT_US), 0);  // at once
    CHECK(port->now_us(port->ctx) - last < BENCH_WAIT_US);
    bench_write(b, MXE_REG_IRQ_STATUS, 0xf);
    bench_complete(b, i + 1);
  }
}

static void relax_a_little(void* ctx) {
  struct mischief* m = ctx;
  m->messages_sent++;
}

void case_polling(struct bench* b) {
  b->port.wait_irq = NULL;
  if (!bench_open(b)) return;
  bench_run_well(b, 0);
  CHECK_EQ(b->mischief.waits, 0);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  b->port.relax = relax_a_little;
  if (!bench_open(b)) return;
  const struct mxe_job job = bench_long_job(b, 0);
  CHECK_EQ(bench_run(b, &job), MXE_OK);
  CHECK(b->mischief.messages_sent > 0);
  bench_expect(b, &job);
}

/// The handler may interrupt the driver at any time; only it reads causes.
void case_handler_of_the_processor(struct bench* b) {
  enum { JOBS = 30 };
  uint32_t submitted = 0;
  uint32_t id = 0;
  b->port.interrupts = true;
  b->port.wait_irq = NULL;
  if (b->interrupt) b->interrupt(&b->dev);
  if (!bench_open(b)) return;
  const struct mxe_options options = {.done = bench_called_back, .user = b};
  for (uint32_t turn = 0; turn < 100000 && b->log.count < JOBS; turn++) {
    const struct mxe_job job = bench_job(b, submitted);
    if (submitted < JOBS && mxe_submit(&b->dev, &job, &options, &id) == MXE_OK) {
      submitted++;
      bench_expect(b, &job);
    }
    if (!b->interrupt) (void)mxe_irq(&b->dev);
    CHECK(mxe_complete(&b->dev, 3) >= 0);
  }
  CHECK_EQ(b->log.count, JOBS);
  for (uint32_t i = 0; i < JOBS; i++) {
    CHECK_EQ(b->log.calls[i].job_id, i + 1);
    CHECK_EQ(b->log.calls[i].code, MXE_OK);
  }
  if (!b->interrupt) (void)mxe_irq(&b->dev);
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_STATUS) & bench_read(b, MXE_REG_IRQ_MASK), 0);
  CHECK(b->mischief.writes_of_causes > JOBS / BENCH_ENTRIES);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  if (b->interrupt) b->interrupt(NULL);
}
