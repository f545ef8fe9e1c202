// SPDX-License-Identifier: Apache-2.0
// Tests mxe_job_extents(), for which only the device's ring matters.
#include "cases.h"

static struct mxe_job usual_job(void) {
  return (struct mxe_job){.format_a = MXE_FORMAT_MXFP8_E4M3,
                          .format_b = MXE_FORMAT_MXFP4_E2M1,
                          .out_format = MXE_OUT_MXFP6_E2M3,
                          .bias = true,
                          .m = 4,
                          .n = 6,
                          .k = 33,
                          .a_addr = 0x1000,
                          .a_stride = 40,
                          .a_scale_addr = 0x2000,
                          .a_scale_stride = 3,
                          .b_addr = 0x3000,
                          .b_stride = 20,
                          .b_scale_addr = 0x4000,
                          .b_scale_stride = 2,
                          .c_addr = 0x5000,
                          .c_stride = 32,
                          .d_addr = 0x6000,
                          .d_stride = 8,
                          .d_scale_addr = 0x7000,
                          .d_scale_stride = 1};
}

static int check_job(const struct mxe_job* job) {
  return mxe_job_extents(NULL, job, NULL, 0, NULL);
}

static void expect_range(struct bench* b, const struct mxe_range* range, uint64_t addr,
                         uint64_t size) {
  CHECK_EQ(range->addr, addr);
  CHECK_EQ(range->size, size);
}

void case_extents_of_a_job(struct bench* b) {
  struct mxe_extents e;
  struct mxe_job job = usual_job();
  CHECK_EQ(mxe_job_extents(NULL, &job, NULL, 0, &e), MXE_OK);
  expect_range(b, &e.a, 0x1000, 3 * 40 + 33);
  expect_range(b, &e.a_scales, 0x2000, 3 * 3 + 2);
  expect_range(b, &e.b, 0x3000, 5 * 20 + 17);
  expect_range(b, &e.b_scales, 0x4000, 5 * 2 + 2);
  expect_range(b, &e.c, 0x5000, 3 * 32 + 24);
  expect_range(b, &e.d, 0x6000, 3 * 8 + 5);  // six elements of six bits
  expect_range(b, &e.d_scales, 0x7000, 3 + 1);
  job.bias_bf16 = true;
  job.c_stride = 0;
  job.out_format = MXE_OUT_BF16;
  job.d_stride = 12;
  job.format_a = MXE_FORMAT_MXFP6_E3M2;
  CHECK_EQ(mxe_job_extents(NULL, &job, NULL, 0, &e), MXE_OK);
  expect_range(b, &e.a, 0x1000, 3 * 40 + 25);
  expect_range(b, &e.c, 0x5000, 12);
  expect_range(b, &e.d, 0x6000, 48);
  expect_range(b, &e.d_scales, 0, 0);
  job.bias = false;
  job.out_format = MXE_OUT_FP32;
  job.d_stride = 24;
  job.m = job.n = UINT32_C(0xffffffff);
  job.k = 32;
  job.a_stride = job.b_stride = UINT32_C(0xffffffff);
  job.b_addr = UINT64_C(1) << 32;
  CHECK_EQ(mxe_job_extents(NULL, &job, NULL, 0, &e), MXE_ERR_OVERLAP);
  expect_range(b, &e.a, 0x1000, UINT64_C(0xfffffffe) * UINT32_C(0xffffffff) + 24);
  expect_range(b, &e.b, UINT64_C(1) << 32, UINT64_C(0xfffffffe) * UINT32_C(0xffffffff) + 16);
  expect_range(b, &e.c, 0, 0);
}

void case_extents_that_overlap(struct bench* b) {
  const struct mxe_job usual = usual_job();
  const struct {
    uint64_t addr, size;
  } operands[] = {{0x1000, 153}, {0x2000, 11}, {0x3000, 117}, {0x4000, 12}, {0x5000, 120}};
  for (uint32_t i = 0; i < 5; i++) {
    for (int scales = 0; scales < 2; scales++) {
      struct mxe_job job = usual;
      uint64_t* addr = scales ? &job.d_scale_addr : &job.d_addr;
      const uint64_t size = scales ? 4 : 29;
      *addr = operands[i].addr;
      CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);
      *addr = operands[i].addr + operands[i].size - 1;
      CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);
      *addr = operands[i].addr + operands[i].size;
      CHECK_EQ(check_job(&job), MXE_OK);
      *addr = operands[i].addr - size + 1;
      CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);
      *addr = operands[i].addr - size;
      CHECK_EQ(check_job(&job), MXE_OK);
    }
  }
  struct mxe_job job = usual;
  job.d_scale_addr = job.d_addr + 28;
  CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);
  job = usual;
  job.d_stride = 4;  // a row of five bytes
  CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);
  job.m = 1;
  CHECK_EQ(check_job(&job), MXE_OK);
  job = usual;
  job.d_scale_stride = 0;
  CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);
  // Operands may overlap; unused ones are not checked.
  job = usual;
  job.b_addr = job.a_scale_addr = job.c_addr = job.a_addr;
  CHECK_EQ(check_job(&job), MXE_OK);
  job = usual;
  job.bias = false;
  job.c_addr = job.d_addr;
  CHECK_EQ(check_job(&job), MXE_OK);
  job.out_format = MXE_OUT_FP32;
  job.d_stride = 24;
  job.d_scale_addr = job.d_addr;
  CHECK_EQ(check_job(&job), MXE_OK);
}

/// Columns of one matrix: C and D alternate in rows of the same stride.
void case_extents_of_interleaved_rows(struct bench* b) {
  struct mxe_job job = usual_job();
  job.out_format = MXE_OUT_FP32;
  job.n = 2;  // eight bytes
  job.c_stride = job.d_stride = 32;
  static const struct {
    int64_t distance;
    int code;
  } places[] = {{8, MXE_OK},           {7, MXE_ERR_OVERLAP},   {24, MXE_OK},  {25, MXE_ERR_OVERLAP},
                {40, MXE_OK},          {100, MXE_ERR_OVERLAP}, {104, MXE_OK}, {-8, MXE_OK},
                {-7, MXE_ERR_OVERLAP}, {-25, MXE_ERR_OVERLAP}, {-24, MXE_OK}, {120, MXE_OK},
                {127, MXE_OK}};
  for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    job.d_addr = job.c_addr + (uint64_t)places[i].distance;
    CHECK_EQ(check_job(&job), places[i].code);
  }
  job.d_addr = job.c_addr + 8;
  job.d_stride = 16;
  CHECK_EQ(check_job(&job), MXE_ERR_OVERLAP);  // different strides count as overlapping
  job.c_stride = 0;
  job.d_stride = 8;
  CHECK_EQ(check_job(&job), MXE_OK);  // one row of C ends where D begins
}

void case_extents_in_the_ring(struct bench* b) {
  if (!bench_open(b)) return;
  const uint64_t ring = b->ring.bus_addr, size = BENCH_ENTRIES * MXE_DESC_SIZE;
  struct mxe_job job = usual_job();
  job.d_addr = ring + size - 1;
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_ERR_OVERLAP);
  CHECK_EQ(mxe_job_extents(NULL, &job, NULL, 0, NULL), MXE_OK);
  job.d_addr = ring + size;
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_OK);
  job.d_addr = ring - 29;
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_OK);
  job.d_addr = ring - 28;
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_ERR_OVERLAP);
  job = usual_job();
  job.d_scale_addr = ring + 200;
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_ERR_OVERLAP);
  job = usual_job();
  job.a_addr = ring;  // an operand may overlap the ring
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_OK);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  job = usual_job();
  job.d_addr = ring;
  CHECK_EQ(mxe_job_extents(&b->dev, &job, NULL, 0, NULL), MXE_OK);
}

void case_extents_beyond_64_bits(struct bench* b) {
  const uint64_t sizes[] = {153, 11, 117, 12, 120, 29, 4};
  for (uint32_t i = 0; i < 7; i++) {
    struct mxe_job job = usual_job();
    uint64_t* const addr[] = {&job.a_addr, &job.a_scale_addr, &job.b_addr,      &job.b_scale_addr,
                              &job.c_addr, &job.d_addr,       &job.d_scale_addr};
    *addr[i] = 0 - sizes[i];  // up to the last byte
    CHECK_EQ(check_job(&job), MXE_OK);
    *addr[i] = 1 - sizes[i];
    CHECK_EQ(check_job(&job), MXE_ERR_ADDRESS);
    *addr[i] = UINT64_MAX;
    CHECK_EQ(check_job(&job), MXE_ERR_ADDRESS);
  }
}

void case_extents_in_ranges(struct bench* b) {
  struct mxe_range ranges[] = {
      {0x1000, 0x2000}, {0x3000, 0x2000}, {0x5000, 0x78}, {0x6000, 0x1004}};
  struct mxe_job job = usual_job();
  struct mxe_extents e;
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 4, NULL), MXE_OK);
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 3, &e), MXE_ERR_RANGE);
  expect_range(b, &e.d_scales, 0x7000, 4);
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 0, NULL), MXE_ERR_RANGE);
  ranges[3].size--;
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 4, NULL), MXE_ERR_RANGE);
  ranges[3].size++;
  ranges[2].size--;
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 4, NULL), MXE_ERR_RANGE);
  job.bias = false;
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 4, NULL), MXE_OK);
  job.a_addr--;
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 4, NULL), MXE_ERR_RANGE);
  job.a_addr = 0x2fff;  // crosses from one range into the adjacent one
  CHECK_EQ(mxe_job_extents(NULL, &job, ranges, 4, NULL), MXE_ERR_RANGE);
}

void case_extents_of_illegal_jobs(struct bench* b) {
  for (int which = 0; which < 7; which++) {
    struct mxe_job job = usual_job();
    int code = MXE_ERR_SHAPE;
    if (which == 0) job.m = 0;
    if (which == 1) job.n = 0;
    if (which == 2) job.k = 0;
    if (which >= 3) code = MXE_ERR_FORMAT;
    if (which == 3) job.format_a = MXE_FORMAT_COUNT;
    if (which == 4) job.format_b = MXE_FORMAT_COUNT;
    if (which >= 5) code = MXE_ERR_OUT_FORMAT;
    if (which == 5) job.out_format = MXE_OUT_MXFP4_E2M1 - 1;
    if (which == 6) job.out_format = MXE_OUT_MXFP4_E2M1 + MXE_FORMAT_COUNT;
    CHECK_EQ(check_job(&job), code);
  }
  CHECK_EQ(check_job(NULL), MXE_ERR_ARGUMENT);
  for (uint32_t format = MXE_FORMAT_MXFP4_E2M1; format <= MXE_FORMAT_MXINT8; format++) {
    static const uint8_t bytes_of_33[] = {17, 17, 25, 25, 33, 33, 33};
    struct mxe_extents e;
    struct mxe_job job = usual_job();
    job.m = 1;
    job.format_a = format;
    CHECK_EQ(mxe_job_extents(NULL, &job, NULL, 0, &e), MXE_OK);
    CHECK_EQ(e.a.size, bytes_of_33[format]);
  }
}
