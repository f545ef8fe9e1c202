// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

/// Runs `job`, whose operand `operand` is at b->no_memory; checks the error and the next job.
static void expect_bus_error(struct bench* b, const struct mxe_job* job, int code,
                             uint32_t operand) {
  struct mxe_completion end;
  if (!bench_open(b)) return;
  bench_run_well(b, 0);
  const uint32_t id = bench_submit(b, job);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, &end), code);
  CHECK_EQ(end.job_id, id);
  CHECK_EQ(end.code, code);
  CHECK_EQ(end.status, -100 - code);
  CHECK_EQ(end.fault_operand, operand);
  CHECK_EQ(end.fault_write, code == MXE_ERR_WRITE);
  CHECK_EQ(end.fault_addr, b->no_memory);
  CHECK(end.cycles > 0);
  bench_run_well(b, 2);
}

void case_bus_error_on_a(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.a_addr = b->no_memory;
  expect_bus_error(b, &job, MXE_ERR_READ, MXE_FAULT_A);
}

void case_bus_error_on_scales_of_a(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.a_scale_addr = b->no_memory;
  expect_bus_error(b, &job, MXE_ERR_READ, MXE_FAULT_A_SCALES);
}

void case_bus_error_on_b(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.b_addr = b->no_memory;
  expect_bus_error(b, &job, MXE_ERR_READ, MXE_FAULT_B);
}

void case_bus_error_on_scales_of_b(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.b_scale_addr = b->no_memory;
  expect_bus_error(b, &job, MXE_ERR_READ, MXE_FAULT_B_SCALES);
}

void case_bus_error_on_c(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.bias = true;
  job.c_addr = b->no_memory;
  expect_bus_error(b, &job, MXE_ERR_READ, MXE_FAULT_C);
}

void case_bus_error_on_d(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  job.d_addr = b->no_memory;
  expect_bus_error(b, &job, MXE_ERR_WRITE, MXE_FAULT_D);
}

void case_bus_error_on_scales_of_d(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  if (!bench_open(b)) return;
  const bool can = b->dev.caps.mx_out;
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  if (!can) return;
  job.out_format = MXE_OUT_MXINT8;
  job.m = 1;  // results written before the error are not compared
  job.d_stride = BENCH_COLUMNS;
  job.d_scale_addr = b->no_memory;
  job.d_scale_stride = 1;
  job.d_addr = bench_long_job(b, 1).d_addr;
  expect_bus_error(b, &job, MXE_ERR_WRITE, MXE_FAULT_D_SCALES);
  job.n = 1;  // bench_ignore() leaves out four bytes, among them the three results
  bench_ignore(b, &job);
}

void case_bus_error_on_descriptors(struct bench* b) {
  struct mxe_job job = bench_job(b, 0);
  uint32_t ids[20];
  if (!bench_open(b)) return;
  bench_run_well(b, 0);
  const uint32_t base = bench_read(b, MXE_REG_RING_BASE_LO);
  bench_write(b, MXE_REG_RING_BASE_LO, (uint32_t)b->no_memory);
  const uint32_t high = bench_read(b, MXE_REG_RING_BASE_HI);
  bench_write(b, MXE_REG_RING_BASE_HI, (uint32_t)(b->no_memory >> 32));
  for (uint32_t i = 0; i < 20; i++) {  // more than the ring has entries
    job = bench_job(b, i);
    const struct mxe_options options = {.done = bench_called_back, .user = b};
    while (mxe_submit(&b->dev, &job, &options, &ids[i]) == MXE_ERR_FULL) {
      CHECK(mxe_complete(&b->dev, 1) >= 0);
    }
  }
  bench_complete(b, 20);
  const uint32_t first = (20 + 1 - BENCH_ENTRIES) % BENCH_ENTRIES;
  for (uint32_t i = 0; i < 20; i++) {
    const struct mxe_completion* end = &b->log.calls[i];
    CHECK_EQ(end->job_id, ids[i]);
    CHECK_EQ(end->code, MXE_ERR_FETCH);
    CHECK_EQ(end->status, MXE_STATUS_ERR_FETCH);
    CHECK_EQ(end->cycles, 0);
  }
  CHECK_EQ(b->log.calls[19].fault_operand, MXE_FAULT_DESCRIPTOR);
  CHECK_EQ(b->log.calls[19].fault_write, false);
  CHECK_EQ(b->log.calls[19].fault_addr, b->no_memory + 20 % BENCH_ENTRIES * MXE_DESC_SIZE);
  CHECK(first < BENCH_ENTRIES);
  bench_write(b, MXE_REG_RING_BASE_LO, base);
  bench_write(b, MXE_REG_RING_BASE_HI, high);
  bench_run_well(b, 1);
}

/// The device keeps only the last error; the driver must not report it for an earlier job.
void case_bus_error_in_a_later_job(struct bench* b) {
  struct mxe_job job = bench_job(b, 1);
  if (!bench_open(b)) return;
  job.a_addr = b->no_memory;
  bench_submit_logged(b, &job);
  job = bench_job(b, 1);
  job.d_addr = b->no_memory + 0x200;
  bench_submit_logged(b, &job);
  bench_settle(b);
  bench_complete(b, 2);
  CHECK_EQ(b->log.calls[0].code, MXE_ERR_READ);
  CHECK_EQ(b->log.calls[0].fault_operand, MXE_FAULT_NONE);
  CHECK_EQ(b->log.calls[0].fault_addr, 0);
  CHECK_EQ(b->log.calls[1].code, MXE_ERR_WRITE);
  CHECK_EQ(b->log.calls[1].fault_operand, MXE_FAULT_D);
  CHECK_EQ(b->log.calls[1].fault_addr, b->no_memory + 0x200);
}

static void fail_once_more(struct mischief* m, uint32_t offset) {
  struct bench* b = m->user;
  if (offset != MXE_REG_FAULT_ADDR_LO) return;
  m->before_read = NULL;
  struct mxe_job job = bench_job(b, 1);
  job.b_addr = b->no_memory + 0x200;
  bench_submit(b, &job);
  bench_settle(b);
}

/// The fault address changes between the reads of its halves.
void case_bus_error_that_changes_meanwhile(struct bench* b) {
  struct mxe_completion end;
  struct mxe_job job = bench_job(b, 1);
  if (!bench_open(b)) return;
  job.a_addr = b->no_memory;
  const uint32_t id = bench_submit(b, &job);
  b->mischief.before_read = fail_once_more;
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, &end), MXE_ERR_READ);
  CHECK_EQ(end.fault_operand, MXE_FAULT_NONE);
  CHECK_EQ(end.fault_addr, 0);
  CHECK_EQ(mxe_wait(&b->dev, id + 1, BENCH_WAIT_US, &end), MXE_ERR_READ);
  CHECK_EQ(end.fault_operand, MXE_FAULT_B);
  CHECK_EQ(end.fault_addr, b->no_memory + 0x200);
}

void case_bus_error_of_an_older_device(struct bench* b) {
  struct mxe_completion end;
  struct mxe_job job = bench_job(b, 1);
  b->mischief.lied_register = MXE_REG_VERSION;
  b->mischief.lies = MISCHIEF_FOR_EVER;
  b->mischief.lie = UINT32_C(0x00030000);
  if (!bench_open(b)) return;
  job.a_addr = b->no_memory;
  const uint32_t id = bench_submit(b, &job);
  CHECK_EQ(mxe_wait(&b->dev, id, BENCH_WAIT_US, &end), MXE_ERR_READ);
  CHECK_EQ(end.fault_operand, MXE_FAULT_NONE);
  CHECK_EQ(end.fault_addr, 0);
}
