// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

// Offsets in the memory, in whose gaps no byte may change; sizes of the jobs.
enum {
  RING = 0x400,
  A = 0x1001,
  A_SCALES = 0x1143,
  B = 0x1201,
  B_SCALES = 0x1301,
  C = 0x1380,
  ONES = BENCH_OPERANDS,
  ONES_SCALES = 0x4000,
  LONG_RESULTS = 0x4400,
  RESULTS = BENCH_OUTPUTS,
  RESULT_PITCH = 0x80,

  K = 40,
  BLOCKS = 2,
  BLOCK = 32,
  A_STRIDE = 48,
  D_STRIDE = 4 * BENCH_COLUMNS + 4,
  C_STRIDE = 4 * BENCH_COLUMNS,
  LONG_K = ONES_SCALES - ONES,
  LONG_N = 8,
  LONG_PITCH = 4 * LONG_N,

  E4M3_ONE = 0x38,
  SCALE_ONE = 127,
  SPINS = 100000,
};

bool bench_equal(struct bench* b, unsigned line, const char* what, uint64_t left, uint64_t right) {
  if (left == right) return true;
  b->failures++;
  b->fail(b->ctx, line, what, left, right);
  return false;
}

bool bench_check(struct bench* b, unsigned line, const char* what, bool good) {
  return bench_equal(b, line, what, good, true);
}

// Operands: codes of mxfp8_e4m3 that are small integers, scales that are small powers of two

static int32_t integer(uint32_t row, uint32_t column) {
  return (int32_t)((row * 5 + column * 3 + (column >> 3)) % 7) - 3;
}

static uint8_t code_of(int32_t value) {
  static const uint8_t codes[] = {0x00, E4M3_ONE, 0x40, 0x44};
  return (uint8_t)(value < 0 ? 0x80 | codes[-value] : codes[value]);
}

static uint32_t scale_shift(uint32_t row, uint32_t block) { return (row + block) % 3; }

static uint32_t fp32_of(int32_t value) {
  if (value == 0) return 0;
  const uint32_t sign = value < 0 ? UINT32_C(0x80000000) : 0;
  const uint32_t magnitude = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
  uint32_t top = 0;
  while (magnitude >> (top + 1) != 0) top++;
  return sign | (127 + top) << 23 | (magnitude << (23 - top) & 0x7fffffu);
}

static int32_t bias_of(uint32_t m, uint32_t n) { return (int32_t)(10 * m) - (int32_t)(7 * n); }

static int32_t product_of(uint32_t m, uint32_t n) {
  int32_t sum = 0;
  for (uint32_t k = 0; k < K; k++) {
    const uint32_t shift = scale_shift(m, k / BLOCK) + scale_shift(n, k / BLOCK);
    sum += integer(m, k) * integer(n + 3, k) * (1 << shift);
  }
  return sum;
}

static void put_word(uint8_t* at, uint32_t word) {
  for (uint32_t i = 0; i < 4; i++) at[i] = (uint8_t)(word >> (8 * i));
}

static void fill_operands(struct bench* b) {
  for (uint32_t row = 0; row < BENCH_ROWS; row++) {
    for (uint32_t k = 0; k < K; k++) {
      b->shadow[A + row * A_STRIDE + k] = code_of(integer(row, k));
      if (row < BENCH_COLUMNS) b->shadow[B + row * A_STRIDE + k] = code_of(integer(row + 3, k));
    }
    for (uint32_t block = 0; block < BLOCKS; block++) {
      const uint8_t scale = (uint8_t)(SCALE_ONE + scale_shift(row, block));
      b->shadow[A_SCALES + row * BLOCKS + block] = scale;
      if (row < BENCH_COLUMNS) b->shadow[B_SCALES + row * BLOCKS + block] = scale;
    }
    for (uint32_t n = 0; n < BENCH_COLUMNS; n++) {
      put_word(&b->shadow[C + row * C_STRIDE + 4 * n], fp32_of(bias_of(row, n)));
      b->expected[0][row][n] = fp32_of(product_of(row, n));
      b->expected[1][row][n] = fp32_of(product_of(row, n) + bias_of(row, n));
    }
  }
  for (uint32_t k = 0; k < LONG_K; k++) b->shadow[ONES + k] = E4M3_ONE;
  for (uint32_t i = 0; i < LONG_K / BLOCK; i++) b->shadow[ONES_SCALES + i] = SCALE_ONE;
}

void bench_begin(struct bench* b) {
  volatile uint8_t* memory = b->memory;
  for (uint32_t i = 0; i < BENCH_BYTES; i++) b->shadow[i] = (uint8_t)(i * 7 + (i >> 8));
  fill_operands(b);
  for (uint32_t i = 0; i < BENCH_BYTES; i++) memory[i] = b->shadow[i];
  b->port = mischief_port(&b->mischief, &b->real);
  b->mischief.user = b;
  b->ring = (struct mxe_ring){.mem = b->memory + RING,
                              .bus_addr = b->bus_addr + RING,
                              .slots = b->slots,
                              .entries = BENCH_ENTRIES};
  b->dev.ring = NULL;
  b->log.count = 0;
  b->failures = 0;
}

bool bench_open(struct bench* b) { return CHECK_EQ(mxe_open(&b->dev, &b->port, &b->ring), MXE_OK); }

void bench_end(struct bench* b) {
  const struct mxe_port* real = &b->mischief.real;
  b->mischief.lives = MISCHIEF_FOR_EVER;
  b->mischief.resetting = b->mischief.lies = 0;
  b->mischief.before_read = NULL;
  b->mischief.before_write = NULL;
  if (b->dev.ring) CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  bench_compare(b);
  real->write32(real->ctx, MXE_REG_CTRL, MXE_CTRL_SOFT_RESET_MASK);
  for (uint32_t i = 0; i < SPINS; i++) {
    if (!(bench_read(b, MXE_REG_STATUS) & MXE_STATUS_RESETTING_MASK)) break;
  }
  bench_write(b, MXE_REG_IRQ_STATUS, 0xf);
  bench_write(b, MXE_REG_IRQ_MASK, 0);
}

void bench_compare(struct bench* b) {
  const volatile uint8_t* memory = b->memory;
  for (uint32_t i = 0; i < BENCH_BYTES; i++) {
    if (i == RING) i += BENCH_ENTRIES * MXE_DESC_SIZE;
    if (memory[i] == b->shadow[i]) continue;
    b->failures++;
    b->fail(b->ctx, i, "memory == expected at this byte", memory[i], b->shadow[i]);
    return;
  }
}

struct mxe_job bench_job(const struct bench* b, uint32_t result) {
  return (struct mxe_job){.format_a = MXE_FORMAT_MXFP8_E4M3,
                          .format_b = MXE_FORMAT_MXFP8_E4M3,
                          .out_format = MXE_OUT_FP32,
                          .m = BENCH_ROWS,
                          .n = BENCH_COLUMNS,
                          .k = K,
                          .a_addr = b->bus_addr + A,
                          .a_scale_addr = b->bus_addr + A_SCALES,
                          .b_addr = b->bus_addr + B,
                          .b_scale_addr = b->bus_addr + B_SCALES,
                          .c_addr = b->bus_addr + C,
                          .d_addr = b->bus_addr + RESULTS + result % BENCH_RESULTS * RESULT_PITCH,
                          .a_stride = A_STRIDE,
                          .a_scale_stride = BLOCKS,
                          .b_stride = A_STRIDE,
                          .b_scale_stride = BLOCKS,
                          .c_stride = C_STRIDE,
                          .d_stride = D_STRIDE};
}

/// All rows of A are the same memory; so are all of B and all of D (stride 0).
struct mxe_job bench_long_job(const struct bench* b, uint32_t which) {
  return (struct mxe_job){.format_a = MXE_FORMAT_MXFP8_E4M3,
                          .format_b = MXE_FORMAT_MXFP8_E4M3,
                          .out_format = MXE_OUT_FP32,
                          .m = b->long_rows,
                          .n = LONG_N,
                          .k = LONG_K,
                          .a_addr = b->bus_addr + ONES,
                          .a_scale_addr = b->bus_addr + ONES_SCALES,
                          .b_addr = b->bus_addr + ONES,
                          .b_scale_addr = b->bus_addr + ONES_SCALES,
                          .d_addr = b->bus_addr + LONG_RESULTS + which * LONG_PITCH};
}

static uint32_t expected_result(const struct bench* b, const struct mxe_job* job, uint32_t m,
                                uint32_t n) {
  if (job->k == LONG_K) return fp32_of(LONG_K);
  return b->expected[job->bias][m][n];
}

void bench_expect(struct bench* b, const struct mxe_job* job) {
  uint8_t* d = b->shadow + (job->d_addr - b->bus_addr);
  for (uint32_t m = 0; m < job->m; m++) {
    for (uint32_t n = 0; n < job->n; n++) {
      put_word(&d[m * job->d_stride + 4 * n], expected_result(b, job, m, n));
    }
  }
}

void bench_ignore(struct bench* b, const struct mxe_job* job) {
  const uint32_t at = (uint32_t)(job->d_addr - b->bus_addr);
  for (uint32_t m = 0; m < job->m; m++) {
    for (uint32_t i = 0; i < 4 * job->n; i++) {
      const uint32_t byte = at + m * job->d_stride + i;
      b->shadow[byte] = ((const volatile uint8_t*)b->memory)[byte];
    }
  }
}

void bench_put(struct bench* b, uint32_t at, const void* bytes, uint32_t size) {
  const uint8_t* from = bytes;
  for (uint32_t i = 0; i < size; i++) {
    b->shadow[at + i] = from[i];
    ((volatile uint8_t*)b->memory)[at + i] = from[i];
  }
}

uint32_t bench_submit(struct bench* b, const struct mxe_job* job) {
  uint32_t id = 0;
  CHECK_EQ(mxe_submit(&b->dev, job, NULL, &id), MXE_OK);
  return id;
}

uint32_t bench_submit_logged(struct bench* b, const struct mxe_job* job) {
  const struct mxe_options options = {.done = bench_called_back, .user = b};
  uint32_t id = 0;
  CHECK_EQ(mxe_submit(&b->dev, job, &options, &id), MXE_OK);
  return id;
}

int bench_run(struct bench* b, const struct mxe_job* job) {
  const uint32_t id = bench_submit(b, job);
  return mxe_wait(&b->dev, id, BENCH_WAIT_US, NULL);
}

void bench_run_well(struct bench* b, uint32_t result) {
  const struct mxe_job job = bench_job(b, result);
  if (!CHECK_EQ(bench_run(b, &job), MXE_OK)) return;
  bench_expect(b, &job);
}

void bench_called_back(void* user, const struct mxe_completion* completion) {
  struct bench* b = user;
  const uint32_t size = sizeof b->log.calls / sizeof b->log.calls[0];
  if (b->log.count < size) b->log.calls[b->log.count] = *completion;
  b->log.count++;
}

void bench_complete(struct bench* b, uint32_t count) {
  for (uint32_t i = 0; i < SPINS && b->log.count < count; i++) {
    if (mxe_complete(&b->dev, BENCH_ENTRIES) < 0) break;
  }
  CHECK_EQ(b->log.count, count);
}

uint32_t bench_read(const struct bench* b, uint32_t offset) {
  return b->real.read32(b->real.ctx, offset);
}

void bench_write(const struct bench* b, uint32_t offset, uint32_t value) {
  b->real.write32(b->real.ctx, offset, value);
}

void bench_settle(const struct bench* b) {
  for (uint32_t i = 0; i < SPINS; i++) {
    const uint32_t status = bench_read(b, MXE_REG_STATUS);
    if ((status & MXE_STATUS_EMPTY_MASK) && !(status & MXE_STATUS_BUSY_MASK)) return;
  }
}

void bench_wait_until_busy(const struct bench* b) {
  for (uint32_t i = 0; i < SPINS; i++) {
    if (bench_read(b, MXE_REG_STATUS) & MXE_STATUS_BUSY_MASK) return;
  }
}

void bench_wait_until_multiplied(struct bench* b) {
  struct mxe_counters counters;
  for (uint32_t i = 0; i < SPINS; i++) {
    if (mxe_read_counters(&b->dev, &counters) != MXE_OK || counters.mac_active != 0) return;
  }
}
