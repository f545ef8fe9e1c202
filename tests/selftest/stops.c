// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

static uint64_t now(const struct bench* b) { return b->port.now_us(b->port.ctx); }

static uint32_t submit_until(struct bench* b, const struct mxe_job* job, uint64_t microseconds) {
  const struct mxe_options options = {
      .deadline_us = now(b) + microseconds, .done = bench_called_back, .user = b};
  uint32_t id = 0;
  CHECK_EQ(mxe_submit(&b->dev, job, &options, &id), MXE_OK);
  return id;
}

/// The log must hold jobs 1 to `count`, with MXE_OK except for those in the mask `failed`.
static void expect_log(struct bench* b, uint32_t count, uint32_t failed, int code) {
  CHECK_EQ(b->log.count, count);
  for (uint32_t i = 0; i < count; i++) {
    CHECK_EQ(b->log.calls[i].job_id, i + 1);
    CHECK_EQ(b->log.calls[i].code, failed >> i & 1 ? code : MXE_OK);
    CHECK_EQ(b->log.calls[i].fault_operand, MXE_FAULT_NONE);
  }
}

void case_deadline_of_a_running_job(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0);
  if (!bench_open(b)) return;
  submit_until(b, &slow, 2);
  for (uint32_t i = 1; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job = bench_job(b, i);
    bench_submit_logged(b, &job);
    bench_expect(b, &job);
  }
  bench_complete(b, BENCH_ENTRIES);
  expect_log(b, BENCH_ENTRIES, 1, MXE_ERR_DEADLINE);
  CHECK_EQ(b->log.calls[0].status, MXE_STATUS_ERR_ABORTED);
  bench_ignore(b, &slow);
}

void case_deadline_of_a_waiting_job(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0);
  if (!bench_open(b)) return;
  bench_submit_logged(b, &slow);
  bench_expect(b, &slow);
  for (uint32_t i = 1; i < 4; i++) {
    const struct mxe_job job = bench_job(b, i);
    if (i == 2) {
      submit_until(b, &job, 1);
    } else {
      bench_submit_logged(b, &job);
      bench_expect(b, &job);
    }
  }
  const uint64_t begin = now(b);
  while (now(b) - begin < 2) CHECK_EQ(mxe_complete(&b->dev, 1), 0);
  bench_complete(b, 4);
  expect_log(b, 4, 4, MXE_ERR_DEADLINE);
}

void case_deadlines_of_all_jobs(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0);
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job = i == 0 ? slow : bench_job(b, i);
    submit_until(b, &job, 500);
  }
  b->mischief.skew_us = 1000;  // all deadlines pass at once
  bench_complete(b, BENCH_ENTRIES);
  expect_log(b, BENCH_ENTRIES, 0xff, MXE_ERR_DEADLINE);
  bench_ignore(b, &slow);
  bench_run_well(b, 1);
}

void case_deadline_kept(struct bench* b) {
  const struct mxe_job job = bench_job(b, 0);
  if (!bench_open(b)) return;
  submit_until(b, &job, 100);
  bench_settle(b);
  b->mischief.skew_us = 1000;  // the job has ended, but the driver has not read the head
  bench_complete(b, 1);
  expect_log(b, 1, 0, 0);
  bench_expect(b, &job);
}

/// The wait ends at the deadline, not at the next interrupt.
void case_deadline_wakes_the_wait(struct bench* b) {
  const struct mxe_job job = bench_job(b, 0);
  if (!bench_open(b)) return;
  b->mischief.lost_doorbells = 2;  // a later doorbell would submit both jobs
  const uint64_t begin = now(b);
  const uint32_t id = submit_until(b, &job, 5);
  const uint32_t next = bench_submit_logged(b, &job);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL), MXE_ERR_DEADLINE);
  CHECK(now(b) - begin < 50);
  CHECK_EQ(mxe_wait(&b->dev, next, BENCH_WAIT_US, NULL), MXE_OK);
  bench_expect(b, &job);
}

/// Cancels the jobs of a mask while the first job runs, from the last to the first.
static void cancel_some(struct bench* b, uint32_t mask) {
  const struct mxe_job slow = bench_long_job(b, 0), last_slow = bench_long_job(b, 1);
  uint32_t ids[BENCH_ENTRIES];
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job =
        i == 0 ? slow : (i == BENCH_ENTRIES - 1 ? last_slow : bench_job(b, i));
    ids[i] = bench_submit_logged(b, &job);
  }
  bench_wait_until_busy(b);
  for (uint32_t i = BENCH_ENTRIES; i-- > 0;) {
    if (mask >> i & 1) CHECK_EQ(mxe_cancel(&b->dev, ids[i]), MXE_OK);
  }
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job =
        i == 0 ? slow : (i == BENCH_ENTRIES - 1 ? last_slow : bench_job(b, i));
    if (!(mask >> i & 1)) bench_expect(b, &job);
  }
  bench_complete(b, BENCH_ENTRIES);
  expect_log(b, BENCH_ENTRIES, mask, MXE_ERR_ABORTED);
  if (mask & 1) bench_ignore(b, &slow);
}

void case_cancel_first(struct bench* b) { cancel_some(b, 0x01); }
void case_cancel_middle(struct bench* b) { cancel_some(b, 0x18); }
void case_cancel_last(struct bench* b) { cancel_some(b, 0x80); }
void case_cancel_all(struct bench* b) { cancel_some(b, 0xff); }

/// After the reset the device starts at entry 0, so the driver moves the remaining jobs.
void case_cancel_at_every_place_of_the_ring(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0);
  for (uint32_t before = 0; before < BENCH_ENTRIES; before++) {
    b->log.count = 0;
    if (!bench_open(b)) return;
    for (uint32_t i = 0; i < before; i++) bench_run_well(b, i);
    const uint32_t id = bench_submit_logged(b, &slow);
    for (uint32_t i = before; i < before + 3; i++) {
      const struct mxe_job job = bench_job(b, i);
      bench_submit_logged(b, &job);
      bench_expect(b, &job);
    }
    bench_wait_until_busy(b);
    CHECK_EQ(mxe_cancel(&b->dev, id), MXE_OK);
    bench_complete(b, 4);
    for (uint32_t i = 0; i < 4; i++) {
      CHECK_EQ(b->log.calls[i].job_id, id + i);
      CHECK_EQ(b->log.calls[i].code, i == 0 ? MXE_ERR_ABORTED : MXE_OK);
    }
    bench_ignore(b, &slow);
    CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  }
}

void case_cancel_of_an_ended_job(struct bench* b) {
  const struct mxe_job job = bench_job(b, 0);
  if (!bench_open(b)) return;
  const uint32_t id = bench_submit_logged(b, &job);
  bench_settle(b);
  CHECK_EQ(mxe_cancel(&b->dev, id), MXE_ERR_UNKNOWN_JOB);
  bench_complete(b, 1);
  CHECK_EQ(mxe_cancel(&b->dev, id), MXE_ERR_UNKNOWN_JOB);
  expect_log(b, 1, 0, 0);
  bench_expect(b, &job);
}

static void settle_before_reset(struct mischief* m, uint32_t offset, uint32_t value) {
  if (offset != MXE_REG_CTRL || !(value & MXE_CTRL_SOFT_RESET_MASK)) return;
  bench_settle(m->user);
  m->before_write = NULL;
}

/// The job ends after the driver has read the head and before the reset: it keeps its result.
void case_cancel_of_a_job_about_to_end(struct bench* b) {
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 4; i++) {
    const struct mxe_job job = i == 0 ? bench_long_job(b, 0) : bench_job(b, i);
    bench_submit_logged(b, &job);
    bench_expect(b, &job);
  }
  bench_wait_until_busy(b);
  b->mischief.before_write = settle_before_reset;
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_OK);
  bench_complete(b, 4);
  expect_log(b, 4, 0, 0);
}

void case_reset_while_busy(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0), quick = bench_job(b, 0);
  if (!bench_open(b)) return;
  bench_submit_logged(b, &quick);
  bench_expect(b, &quick);
  bench_settle(b);
  bench_submit_logged(b, &slow);
  bench_submit_logged(b, &slow);
  bench_wait_until_busy(b);
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
  expect_log(b, 3, 6, MXE_ERR_ABORTED);
  CHECK_EQ(b->log.calls[2].cycles, 0);
  bench_ignore(b, &slow);
  bench_run_well(b, 1);
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);  // the device is idle
  bench_run_well(b, 2);
}

static void recover_well(struct bench* b) {
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
  bench_run_well(b, 31);
}

void case_recover_after_every_error(struct bench* b) {
  struct mxe_job job = bench_job(b, 0);
  if (!bench_open(b)) return;
  job.n = 0;
  CHECK_EQ(bench_run(b, &job), MXE_ERR_SHAPE);
  recover_well(b);
  job = bench_job(b, 0);
  job.a_addr = b->no_memory;
  CHECK_EQ(bench_run(b, &job), MXE_ERR_READ);
  recover_well(b);
  job = bench_job(b, 0);
  job.d_addr = b->no_memory;
  CHECK_EQ(bench_run(b, &job), MXE_ERR_WRITE);
  recover_well(b);
  const uint32_t base = bench_read(b, MXE_REG_RING_BASE_LO);
  const uint32_t high = bench_read(b, MXE_REG_RING_BASE_HI);
  bench_write(b, MXE_REG_RING_BASE_LO, (uint32_t)b->no_memory);
  bench_write(b, MXE_REG_RING_BASE_HI, (uint32_t)(b->no_memory >> 32));
  CHECK_EQ(bench_run(b, &job), MXE_ERR_FETCH);
  recover_well(b);  // writes the ring's address again
  CHECK_EQ(bench_read(b, MXE_REG_RING_BASE_LO), base);
  CHECK_EQ(bench_read(b, MXE_REG_RING_BASE_HI), high);
  const uint32_t last = b->dev.next_id - 1;
  CHECK_EQ(mxe_wait(&b->dev, last, 0, NULL), MXE_OK);  // results are kept
}

void case_reset_that_does_not_end(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0), job = bench_job(b, 0);
  struct mxe_counters counters;
  uint32_t id = 0;
  if (!bench_open(b)) return;
  bench_submit_logged(b, &slow);
  bench_submit_logged(b, &job);
  bench_wait_until_busy(b);
  b->mischief.resetting = MISCHIEF_FOR_EVER;
  CHECK_EQ(mxe_recover(&b->dev, 3), MXE_ERR_TIMEOUT);
  CHECK_EQ(b->log.count, 0);
  CHECK_EQ(mxe_submit(&b->dev, &job, NULL, &id), MXE_ERR_STOPPED);
  CHECK_EQ(mxe_submit_many(&b->dev, &job, 1, NULL, NULL), MXE_ERR_STOPPED);
  CHECK_EQ(mxe_complete(&b->dev, 1), MXE_ERR_STOPPED);
  CHECK_EQ(mxe_wait(&b->dev, 1, 5, NULL), MXE_ERR_STOPPED);
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_STOPPED);
  CHECK_EQ(mxe_read_counters(&b->dev, &counters), MXE_OK);
  CHECK_EQ(bench_read(b, MXE_REG_CTRL), 0);
  CHECK_EQ(mxe_recover(&b->dev, 3), MXE_ERR_TIMEOUT);
  CHECK_EQ(mxe_close(&b->dev, 3), MXE_ERR_TIMEOUT);
  CHECK(b->dev.ring != NULL);
  b->mischief.resetting = 3;
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
  expect_log(b, 2, 3, MXE_ERR_ABORTED);
  bench_ignore(b, &slow);
  bench_run_well(b, 1);
}

/// Each call of now_us() adds half a second, so that long timeouts take no time.
static uint64_t now_in_leaps(void* ctx) {
  struct mischief* m = ctx;
  m->skew_us += 500000;
  return m->real.now_us(m->real.ctx) + m->skew_us;
}

void case_doorbell_lost(struct bench* b) {
  const struct mxe_job job = bench_job(b, 0);
  if (!bench_open(b)) return;
  bench_run_well(b, 1);
  for (int polls = 0; polls < 2; polls++) {
    b->mischief.lost_doorbells = 1;
    const uint32_t id = bench_submit(b, &job);
    const uint64_t begin = now(b);
    CHECK_EQ(mxe_wait(&b->dev, id, 20, NULL), MXE_ERR_TIMEOUT);
    CHECK(now(b) - begin >= 20);
    CHECK(now(b) - begin < 70);
    CHECK_EQ(mxe_wait(&b->dev, id, 0, NULL), MXE_ERR_TIMEOUT);
    CHECK_EQ(mxe_cancel(&b->dev, id), MXE_OK);
    CHECK_EQ(mxe_wait(&b->dev, id, 0, NULL), MXE_ERR_ABORTED);
    bench_run_well(b, 2);
    CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
    b->port.wait_irq = NULL;
    if (!bench_open(b)) return;
  }
  // After a cancel whose reset does not end, the device is stopped.
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  b->port.now_us = now_in_leaps;
  if (!bench_open(b)) return;
  b->mischief.lost_doorbells = 1;
  bench_submit_logged(b, &job);
  b->mischief.resetting = MISCHIEF_FOR_EVER;
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_TIMEOUT);
  CHECK_EQ(mxe_complete(&b->dev, 1), MXE_ERR_STOPPED);
  b->mischief.resetting = 0;
  CHECK_EQ(mxe_recover(&b->dev, 1000000), MXE_OK);
  expect_log(b, 1, 1, MXE_ERR_ABORTED);
  CHECK_EQ(mxe_close(&b->dev, 1000000), MXE_OK);
}

void case_doorbell_refused(struct bench* b) {
  const struct mxe_job job = bench_job(b, 0);
  for (int way = 0; way < 3; way++) {
    if (way == 2) b->port.wait_irq = NULL;
    if (!bench_open(b)) return;
    b->log.count = 0;
    b->mischief.refused = 1;
    const uint32_t id = bench_submit_logged(b, &job);
    if (way == 0) {
      CHECK(mxe_irq(&b->dev));
      CHECK_EQ(mxe_complete(&b->dev, 1), MXE_ERR_OVERFLOW);
    } else {
      CHECK_EQ(mxe_wait(&b->dev, id, 20, NULL), MXE_ERR_OVERFLOW);
    }
    CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
    expect_log(b, 1, 1, MXE_ERR_ABORTED);
    bench_run_well(b, 1);
    CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  }
}

void case_head_that_cannot_be(struct bench* b) {
  static const uint32_t heads[] = {5, 0xffff, UINT32_C(0x10000), UINT32_C(0xfffffffe)};
  const struct mxe_job job = bench_job(b, 0);
  for (uint32_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    b->log.count = 0;
    if (!bench_open(b)) return;
    bench_submit_logged(b, &job);
    b->mischief.lied_register = MXE_REG_RING_HEAD;
    b->mischief.lie = heads[i];
    b->mischief.lies = MISCHIEF_FOR_EVER;
    CHECK_EQ(mxe_complete(&b->dev, 1), MXE_ERR_PROTOCOL);
    CHECK_EQ(mxe_wait(&b->dev, 1, 20, NULL), MXE_ERR_PROTOCOL);
    CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_PROTOCOL);
    CHECK_EQ(b->log.count, 0);
    if (heads[i] > 0xffff) CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_ERR_PROTOCOL);
    b->mischief.lies = 0;
    bench_settle(b);
    CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
    CHECK_EQ(b->log.count, 1);
    bench_ignore(b, &job);
    bench_run_well(b, 1);
    CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  }
}

/// The timeout is far shorter than the job, whose counters show progress.
void case_long_job_is_no_hang(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0);
  for (int polls = 0; polls < 2; polls++) {
    if (polls) b->port.wait_irq = NULL;
    if (!bench_open(b)) return;
    const uint32_t id = bench_submit(b, &slow);
    CHECK_EQ(mxe_wait(&b->dev, id, 1, NULL), MXE_OK);
    bench_expect(b, &slow);
    CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  }
}

void case_device_gone(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0);
  struct mxe_counters counters;
  uint32_t id = 0;
  if (!bench_open(b)) return;
  bench_submit_logged(b, &slow);
  bench_wait_until_busy(b);
  b->mischief.lives = 0;
  CHECK_EQ(mxe_complete(&b->dev, 1), MXE_ERR_GONE);
  CHECK_EQ(mxe_wait(&b->dev, 1, 20, NULL), MXE_ERR_GONE);
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_GONE);
  CHECK_EQ(mxe_recover(&b->dev, 20), MXE_ERR_GONE);
  CHECK_EQ(mxe_read_counters(&b->dev, &counters), MXE_ERR_GONE);
  CHECK_EQ(mxe_submit(&b->dev, &slow, NULL, &id), MXE_OK);  // mxe_submit() reads no register
  CHECK_EQ(mxe_close(&b->dev, 20), MXE_ERR_GONE);
  CHECK(b->dev.ring == NULL);
  CHECK_EQ(b->log.count, 1);  // the second one has no callback
  CHECK_EQ(b->log.calls[0].code, MXE_ERR_ABORTED);
  expect_log(b, 1, 1, MXE_ERR_ABORTED);
  b->mischief.lives = MISCHIEF_FOR_EVER;
  bench_settle(b);
  bench_expect(b, &slow);
  if (bench_open(b)) bench_run_well(b, 0);
}

/// Every call returns and each callback runs once, wherever the device is removed.
void case_device_gone_during_each_access(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0), quick = bench_job(b, 0);
  uint32_t lives = 0;
  for (int code = MXE_ERR_GONE; code != MXE_OK && lives < 200; lives++) {
    b->log.count = 0;
    if (!bench_open(b)) return;
    bench_submit_logged(b, &slow);
    bench_submit_logged(b, &quick);
    bench_submit_logged(b, &slow);
    b->mischief.lives = lives;
    code = mxe_cancel(&b->dev, 1);
    if (code == MXE_OK) code = mxe_cancel(&b->dev, 3);
    if (code == MXE_OK) code = mxe_recover(&b->dev, 20);
    CHECK(code == MXE_OK || code == MXE_ERR_GONE);
    b->mischief.lives = lives % 2 ? MISCHIEF_FOR_EVER : 0;  // the device may return
    const int closed = mxe_close(&b->dev, BENCH_WAIT_US);
    CHECK_EQ(closed, lives % 2 ? MXE_OK : MXE_ERR_GONE);
    b->mischief.lives = MISCHIEF_FOR_EVER;
    CHECK_EQ(b->log.count, 3);
    for (uint32_t i = 0; i < 3; i++) CHECK_EQ(b->log.calls[i].job_id, i + 1);
    bench_write(b, MXE_REG_CTRL, MXE_CTRL_SOFT_RESET_MASK);
    bench_settle(b);
    bench_ignore(b, &slow);
    bench_ignore(b, &quick);
  }
  CHECK(lives > 10 && lives < 200);
}

void case_close_with_jobs_in_flight(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0), quick = bench_job(b, 0);
  if (!bench_open(b)) return;
  bench_submit_logged(b, &quick);
  bench_settle(b);
  bench_submit_logged(b, &slow);
  bench_submit_logged(b, &quick);
  bench_expect(b, &quick);
  bench_wait_until_busy(b);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  expect_log(b, 3, 6, MXE_ERR_ABORTED);
  CHECK(b->log.calls[0].cycles > 0);
  CHECK(b->dev.ring == NULL);
  CHECK_EQ(bench_read(b, MXE_REG_CTRL), 0);
  CHECK_EQ(bench_read(b, MXE_REG_IRQ_MASK), 0);
  CHECK_EQ(bench_read(b, MXE_REG_RING_BASE_LO), 0);
  CHECK_EQ(bench_read(b, MXE_REG_RING_BASE_HI), 0);
  bench_ignore(b, &slow);
  // After the close the device accesses neither memory nor ring.
  volatile uint32_t* ring = b->ring.mem;
  for (uint32_t i = 0; i < BENCH_ENTRIES * MXE_DESC_SIZE / 4; i++) ring[i] = i;
  bench_settle(b);
  for (uint32_t i = 0; i < BENCH_ENTRIES * MXE_DESC_SIZE / 4; i++) CHECK_EQ(ring[i], i);
}

static void submit_while_closing(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  const struct mxe_job job = bench_job(b, 0);
  uint32_t id = 0;
  bench_called_back(b, completion);
  CHECK_EQ(mxe_submit(&b->dev, &job, NULL, &id), MXE_ERR_STOPPED);
}

void case_close_twice(struct bench* b) {
  const struct mxe_options options = {.done = submit_while_closing, .user = b};
  const struct mxe_job job = bench_long_job(b, 0);
  uint32_t id = 0;
  if (!bench_open(b)) return;
  CHECK_EQ(mxe_submit(&b->dev, &job, &options, &id), MXE_OK);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  CHECK_EQ(b->log.count, 1);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL), MXE_ERR_ARGUMENT);
  bench_ignore(b, &job);
  if (bench_open(b)) bench_run_well(b, 0);
}

static uint32_t intrusions;

static void complete_during_submission(struct mischief* m, uint32_t offset, uint32_t value) {
  struct bench* b = m->user;
  (void)value;
  if (offset != MXE_REG_RING_TAIL) return;
  m->before_write = NULL;
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_BUSY);
  CHECK_EQ(mxe_recover(&b->dev, 1), MXE_ERR_BUSY);
  CHECK_EQ(mxe_close(&b->dev, 1), MXE_ERR_BUSY);
  b->mischief.skew_us = 1000;  // the first job's deadline has passed; the driver must retry later
  CHECK_EQ(mxe_complete(&b->dev, 1), 0);
  b->mischief.skew_us = 0;
  intrusions++;
}

static void submit_during_reset(struct mischief* m, uint32_t offset, uint32_t value) {
  struct bench* b = m->user;
  const struct mxe_job job = bench_job(b, 5);
  uint32_t id = 0;
  if (offset != MXE_REG_CTRL || !(value & MXE_CTRL_SOFT_RESET_MASK)) return;
  m->before_write = NULL;
  CHECK_EQ(mxe_submit(&b->dev, &job, NULL, &id), MXE_ERR_BUSY);
  intrusions++;
}

void case_contexts_in_each_others_way(struct bench* b) {
  const struct mxe_job slow = bench_long_job(b, 0), quick = bench_job(b, 0);
  intrusions = 0;
  if (!bench_open(b)) return;
  submit_until(b, &slow, 500);
  bench_wait_until_busy(b);
  b->mischief.before_write = complete_during_submission;
  bench_submit_logged(b, &quick);
  b->mischief.before_write = submit_during_reset;
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_OK);
  bench_complete(b, 2);
  expect_log(b, 2, 1, MXE_ERR_ABORTED);
  bench_expect(b, &quick);
  bench_ignore(b, &slow);
  b->mischief.before_write = submit_during_reset;
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
  CHECK_EQ(intrusions, 3);
  bench_run_well(b, 1);
}

void case_counters(struct bench* b) {
  struct mxe_counters c;
  if (!bench_open(b)) return;
  CHECK_EQ(mxe_read_counters(&b->dev, NULL), MXE_ERR_ARGUMENT);
  bench_run_well(b, 0);
  CHECK_EQ(mxe_read_counters(&b->dev, &c), MXE_OK);
  CHECK_EQ(c.blocks, BENCH_ROWS * BENCH_COLUMNS * 2);
  CHECK_EQ(c.bytes_written, BENCH_ROWS * BENCH_COLUMNS * 4 + 16);  // plus the record
  CHECK_EQ(c.total, c.mac_active + c.stall_a + c.stall_b + c.stall_c + c.stall_drain +
                        c.stall_latency + c.idle);
  CHECK_EQ(mxe_clear_counters(&b->dev), MXE_OK);
  CHECK_EQ(mxe_read_counters(&b->dev, &c), MXE_OK);
  CHECK_EQ(c.blocks, 0);
  CHECK_EQ(c.total, c.idle);
  bench_run_well(b, 1);  // still enabled
}
