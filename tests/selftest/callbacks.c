// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

enum { MANY = 40 };

/// Submits the job; while the ring is full, completes at most `budget` jobs at a time.
static uint32_t submit_some_time(struct bench* b, const struct mxe_job* job, uint32_t budget) {
  const struct mxe_options options = {.done = bench_called_back, .user = b};
  uint32_t id = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    const int code = mxe_submit(&b->dev, job, &options, &id);
    if (code == MXE_OK) return id;
    if (!CHECK_EQ(code, MXE_ERR_FULL)) return 0;
    const int count = mxe_complete(&b->dev, budget);
    CHECK(count >= 0 && count <= (int)budget);
  }
  CHECK(false);
  return 0;
}

/// Runs MANY jobs; number 2 (from 0) and every `bad_each`-th after it must fail.
static void run_many(struct bench* b, uint32_t budget, uint32_t bad_each) {
  uint32_t ids[MANY];
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < MANY; i++) {
    struct mxe_job job = bench_job(b, i);
    if (i % bad_each == 2) {
      job.k = 0;
    } else {
      bench_expect(b, &job);
    }
    ids[i] = submit_some_time(b, &job, budget);
  }
  bench_complete(b, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    CHECK_EQ(b->log.calls[i].job_id, ids[i]);
    CHECK_EQ(b->log.calls[i].code, i % bad_each == 2 ? MXE_ERR_SHAPE : MXE_OK);
  }
  CHECK_EQ(mxe_complete(&b->dev, 1), 0);
}

void case_callbacks_once_and_in_order(struct bench* b) { run_many(b, BENCH_ENTRIES, MANY); }

void case_callbacks_within_a_budget(struct bench* b) {
  run_many(b, 1, 3);
  CHECK_EQ(mxe_complete(&b->dev, 0), 0);
}

static void submit_again(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  bench_called_back(b, completion);
  if (b->log.count > 20) return;
  const struct mxe_options options = {.done = submit_again, .user = b};
  const struct mxe_job job = bench_job(b, b->log.count + 7);
  uint32_t id = 0;
  CHECK_EQ(mxe_submit(&b->dev, &job, &options, &id), MXE_OK);  // its entry is already free
  bench_expect(b, &job);
}

void case_callback_submits(struct bench* b) {
  const struct mxe_options options = {.done = submit_again, .user = b};
  uint32_t id = 0;
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job = bench_job(b, i);
    CHECK_EQ(mxe_submit(&b->dev, &job, &options, &id), MXE_OK);
    bench_expect(b, &job);
  }
  bench_complete(b, 20 + BENCH_ENTRIES);
  for (uint32_t i = 0; i < 20 + BENCH_ENTRIES; i++) {
    CHECK_EQ(b->log.calls[i].job_id, i + 1);
    CHECK_EQ(b->log.calls[i].code, MXE_OK);
  }
}

static void wait_for_third(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  bench_called_back(b, completion);
  if (completion->job_id != 1) return;
  CHECK_EQ(mxe_wait(&b->dev, 3, BENCH_WAIT_US, NULL), MXE_OK);
  CHECK_EQ(b->log.count, 3);
}

void case_callback_waits(struct bench* b) {
  const struct mxe_options options = {.done = wait_for_third, .user = b};
  uint32_t id = 0;
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 4; i++) {
    const struct mxe_job job = i == 2 ? bench_long_job(b, 0) : bench_job(b, i);
    CHECK_EQ(mxe_submit(&b->dev, &job, &options, &id), MXE_OK);
    bench_expect(b, &job);
  }
  CHECK_EQ(mxe_wait(&b->dev, 2, BENCH_WAIT_US, NULL), MXE_OK);
  CHECK_EQ(mxe_wait(&b->dev, 4, BENCH_WAIT_US, NULL), MXE_OK);
  for (uint32_t i = 0; i < 4; i++) CHECK_EQ(b->log.calls[i].job_id, i + 1);
  CHECK_EQ(b->log.count, 4);
}

static void cancel_next(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  bench_called_back(b, completion);
  if (completion->job_id == 1) CHECK_EQ(mxe_cancel(&b->dev, 2), MXE_OK);
}

void case_callback_cancels(struct bench* b) {
  const struct mxe_options options = {.done = cancel_next, .user = b};
  const struct mxe_job slow = bench_long_job(b, 0);
  uint32_t id = 0;
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 3; i++) {
    const struct mxe_job job = i == 1 ? slow : bench_job(b, i);
    CHECK_EQ(mxe_submit(&b->dev, &job, &options, &id), MXE_OK);
    if (i != 1) bench_expect(b, &job);
  }
  bench_complete(b, 3);
  for (uint32_t i = 0; i < 3; i++) {
    CHECK_EQ(b->log.calls[i].job_id, i + 1);
    CHECK_EQ(b->log.calls[i].code, i == 1 ? MXE_ERR_ABORTED : MXE_OK);
  }
  bench_ignore(b, &slow);
}

static void recover(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  bench_called_back(b, completion);
  if (completion->job_id == 1) CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
}

void case_callback_recovers(struct bench* b) {
  const struct mxe_options options = {.done = recover, .user = b};
  const struct mxe_job slow = bench_long_job(b, 0);
  uint32_t id = 0;
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 3; i++) {
    const struct mxe_job job = i == 1 ? slow : bench_job(b, i);
    CHECK_EQ(mxe_submit(&b->dev, &job, &options, &id), MXE_OK);
    if (i == 0) bench_expect(b, &job);
  }
  CHECK_EQ(mxe_wait(&b->dev, 3, BENCH_WAIT_US, NULL), MXE_ERR_ABORTED);
  CHECK_EQ(b->log.count, 3);
  CHECK_EQ(b->log.calls[1].code, MXE_ERR_ABORTED);
  bench_ignore(b, &slow);
  bench_run_well(b, 3);
}

static void close_device(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  bench_called_back(b, completion);
  if (completion->job_id == 1) CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
}

void case_callback_closes(struct bench* b) {
  const struct mxe_options options = {.done = close_device, .user = b};
  const struct mxe_job slow = bench_long_job(b, 0), quick = bench_job(b, 0);
  uint32_t id = 0;
  for (int waits = 0; waits < 2; waits++) {
    b->log.count = 0;
    if (!bench_open(b)) return;
    CHECK_EQ(mxe_submit(&b->dev, &quick, &options, &id), MXE_OK);
    CHECK_EQ(mxe_submit(&b->dev, &slow, &options, &id), MXE_OK);
    bench_expect(b, &quick);
    if (waits) {
      CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL), MXE_ERR_STOPPED);
    } else {
      for (uint32_t i = 0; i < 10000 && b->log.count == 0; i++) (void)mxe_complete(&b->dev, 8);
    }
    CHECK_EQ(b->log.count, 2);
    CHECK_EQ(b->log.calls[1].code, MXE_ERR_ABORTED);
    CHECK(b->dev.ring == NULL);
    bench_ignore(b, &slow);
  }
}

void case_waits_in_any_order(struct bench* b) {
  static const uint32_t order[] = {3, 0, 2, 1, 3, 4, 0};
  uint32_t ids[5];
  struct mxe_completion end;
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 5; i++) {
    struct mxe_job job = bench_job(b, i);
    if (i == 2) {
      job.n = 0;
    } else {
      bench_expect(b, &job);
    }
    ids[i] = bench_submit_logged(b, &job);
  }
  for (uint32_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    const int expected = order[i] == 2 ? MXE_ERR_SHAPE : MXE_OK;
    CHECK_EQ(mxe_wait(&b->dev, ids[order[i]], BENCH_WAIT_US, &end), expected);
    CHECK_EQ(end.job_id, ids[order[i]]);
    CHECK_EQ(end.code, expected);
  }
  CHECK_EQ(b->log.count, 5);
}

void case_unknown_jobs(struct bench* b) {
  if (!bench_open(b)) return;
  CHECK_EQ(mxe_wait(&b->dev, 0, BENCH_WAIT_US, NULL), MXE_ERR_UNKNOWN_JOB);
  CHECK_EQ(mxe_wait(&b->dev, 1, BENCH_WAIT_US, NULL), MXE_ERR_UNKNOWN_JOB);
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_UNKNOWN_JOB);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) bench_run_well(b, i);
  CHECK_EQ(mxe_wait(&b->dev, 1, 0, NULL), MXE_OK);
  bench_run_well(b, BENCH_ENTRIES);
  CHECK_EQ(mxe_wait(&b->dev, 1, 0, NULL), MXE_ERR_UNKNOWN_JOB);
  CHECK_EQ(mxe_wait(&b->dev, 2, 0, NULL), MXE_OK);
}
