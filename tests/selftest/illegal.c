// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

/// Checks that a job ends with `code` and changes nothing, and that the next one runs.
static void expect_code(struct bench* b, const struct mxe_job* job, int code) {
  struct mxe_completion end;
  const uint32_t id = bench_submit(b, job);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, &end), code);
  CHECK_EQ(end.status, -100 - code);
  CHECK_EQ(end.fault_operand, MXE_FAULT_NONE);
  bench_run_well(b, 0);
}

static void set_reserved_bit(struct mischief* m, uint32_t offset, uint32_t value) {
  const struct bench* b = m->user;
  (void)value;
  if (offset != MXE_REG_RING_TAIL) return;
  volatile uint32_t* ring = b->ring.mem;
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    ring[(i * MXE_DESC_SIZE + MXE_DESC_BATCH) / 4] = 0x10000;
  }
  m->before_write = NULL;
}

void case_illegal_reserved_bits(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  if (!bench_open(b)) return;
  b->mischief.before_write = set_reserved_bit;
  expect_code(b, &job, MXE_ERR_DESCRIPTOR);
}

void case_illegal_shape(struct bench* b) {
  if (!bench_open(b)) return;
  for (int which = 0; which < 3; which++) {
    struct mxe_job job = bench_job(b, 1);
    if (which == 0) job.m = 0;
    if (which == 1) job.n = 0;
    if (which == 2) job.k = 0;
    expect_code(b, &job, MXE_ERR_SHAPE);
  }
}

void case_illegal_format(struct bench* b) {
  if (!bench_open(b)) return;
  for (uint32_t format = MXE_FORMAT_COUNT; format < 16; format += 4) {
    struct mxe_job job = bench_job(b, 1);
    job.format_a = format;
    expect_code(b, &job, MXE_ERR_FORMAT);
    job = bench_job(b, 1);
    job.format_b = format;
    expect_code(b, &job, MXE_ERR_FORMAT);
  }
}

/// The pair E5M2 x E5M2 needs the widest sum: 70 bits.
void case_illegal_pair(struct bench* b) {
  struct mxe_job job = bench_long_job(b, 0);
  if (!bench_open(b)) return;
  job.m = job.n = 1;
  job.k = 32;
  job.format_a = job.format_b = MXE_FORMAT_MXFP8_E5M2;
  if (b->dev.caps.tree_w < 70) {
    expect_code(b, &job, MXE_ERR_PAIR);
  } else {
    CHECK_EQ(bench_run(b, &job), MXE_OK);
    bench_ignore(b, &job);
  }
}

void case_illegal_out_format(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  if (!bench_open(b)) return;
  job.out_format = MXE_OUT_MXFP4_E2M1 - 1;
  expect_code(b, &job, MXE_ERR_OUT_FORMAT);
  job.out_format = MXE_OUT_MXFP4_E2M1 + MXE_FORMAT_COUNT;
  if (job.out_format < 16) expect_code(b, &job, MXE_ERR_OUT_FORMAT);  // the field has 4 bits
}

void case_illegal_alignment(struct bench* b) {
  if (!bench_open(b)) return;
  for (int which = 0; which < 4; which++) {
    struct mxe_job job = bench_job(b, 1);
    job.bias = true;
    if (which == 0) job.c_addr += 2;
    if (which == 1) job.c_stride += 2;
    if (which == 2) job.d_addr += 2;
    if (which == 3) job.d_stride += 2;
    expect_code(b, &job, MXE_ERR_ALIGN);
  }
}

/// mxe_submit() refuses codes too large for their descriptor fields.
void case_codes_without_a_field(struct bench* b) {
  uint32_t id = 0;
  if (!bench_open(b)) return;
  for (int which = 0; which < 4; which++) {
    struct mxe_job job = bench_job(b, 1);
    if (which == 0) job.format_a = 16;
    if (which == 1) job.format_b = 16;
    if (which == 2) job.out_format = 16;
    if (which == 3) job.out_rule = 4;
    CHECK_EQ(mxe_submit(&b->dev, &job, NULL, &id), MXE_ERR_ARGUMENT);
  }
  const struct mxe_job job = bench_job(b, 1);
  CHECK_EQ(mxe_submit(&b->dev, NULL, NULL, &id), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_submit(&b->dev, &job, NULL, NULL), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_submit(NULL, &job, NULL, &id), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_submit_many(&b->dev, &job, 0, NULL, &id), MXE_ERR_ARGUMENT);
  CHECK_EQ(id, 0);
  CHECK_EQ(b->mischief.doorbells, 1);  // that of mxe_open
  bench_run_well(b, 0);
}

static uint32_t forged_status, forged_id;  ///< values of records; 0: the device's own

static void forge_records(struct mischief* m, uint32_t offset) {
  const struct bench* b = m->user;
  if (offset != MXE_REG_RING_HEAD) return;
  bench_settle(b);
  volatile uint32_t* ring = b->ring.mem;
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    volatile uint32_t* entry = &ring[i * MXE_DESC_SIZE / 4];
    if (forged_status) entry[MXE_DESC_STATUS / 4] = forged_status;
    if (forged_id) entry[MXE_DESC_DONE_JOB_ID / 4] = forged_id;
  }
}

static int run_with_forged_record(struct bench* b, uint32_t status, uint32_t id,
                                  struct mxe_completion* end) {
  const struct mxe_job job = bench_job(b, 0);
  forged_status = status;
  forged_id = id;
  b->mischief.before_read = forge_records;
  const uint32_t submitted = bench_submit(b, &job);
  const int code = mxe_wait(&b->dev, submitted, BENCH_WAIT_US, end);
  b->mischief.before_read = NULL;
  bench_expect(b, &job);
  CHECK_EQ(end->job_id, submitted);
  CHECK_EQ(end->code, code);
  return code;
}

void case_records_with_every_status(struct bench* b) {
  static const uint32_t unknown[] = {MXE_STATUS_ERR_ABORTED + 1, 100, UINT32_C(0xffffffff)};
  struct mxe_completion end;
  if (!bench_open(b)) return;
  CHECK_EQ(run_with_forged_record(b, MXE_STATUS_OK, 0, &end), MXE_OK);
  for (uint32_t s = MXE_STATUS_ERR_DESCRIPTOR; s <= MXE_STATUS_ERR_ABORTED; s++) {
    CHECK_EQ(run_with_forged_record(b, s, 0, &end), -100 - (int)s);
    CHECK_EQ(end.status, s);
  }
  for (uint32_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    CHECK_EQ(run_with_forged_record(b, unknown[i], 0, &end), MXE_ERR_PROTOCOL);
    CHECK_EQ(end.status, unknown[i]);
  }
}

void case_record_of_another_job(struct bench* b) {
  struct mxe_completion end;
  if (!bench_open(b)) return;
  CHECK_EQ(run_with_forged_record(b, 0, 77, &end), MXE_ERR_PROTOCOL);
  bench_run_well(b, 1);
}
