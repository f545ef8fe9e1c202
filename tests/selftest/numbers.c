// SPDX-License-Identifier: Apache-2.0
// Every format of operands and results, every scale rule, overflow, biases, NaN. Expected values
// are sums of products of small integers, exact in every operand format, or results of mxe_math.
#include "cases.h"
#include "mxe_math.h"

enum {
  FORMATS = MXE_FORMAT_COUNT,
  M = 3,
  N = 40,
  K = 40,
  MOST_ROWS = N,
  BLOCKS = 2,
  ROW = 48,  // stride: more than the bytes of a row in any format

  A = BENCH_OPERANDS,
  A_SCALES = A + MOST_ROWS * ROW,
  B = A_SCALES + MOST_ROWS * BLOCKS,
  B_SCALES = B + MOST_ROWS * ROW,
  C = B_SCALES + MOST_ROWS * BLOCKS,
  D = BENCH_OUTPUTS,
  D_STRIDE = 4 * N + 8,
  D_SCALES = D + 8 * D_STRIDE,
};

static uint32_t fp32_of(int32_t value) {
  if (value == 0) return 0;
  uint32_t magnitude = value < 0 ? 0u - (uint32_t)value : (uint32_t)value, exponent = 127 + 23;
  for (; magnitude < UINT32_C(0x800000); exponent--) magnitude <<= 1;
  return (value < 0 ? UINT32_C(0x80000000) : 0) | exponent << 23 | (magnitude & 0x7fffff);
}

static int32_t magnitude_of(int32_t value) { return value < 0 ? -value : value; }

/// Small integers; the scale differs from block to block.
static int32_t a_value(uint32_t m, uint32_t k) {
  return ((int32_t)((m * 5 + k * 3 + (k >> 3)) % 7) - 3) * (1 << (m + k / 32) % 3);
}

static int32_t b_value(uint32_t n, uint32_t k) {
  return ((int32_t)((n * 3 + k * 2 + (k >> 2)) % 7) - 3) * (1 << (n + k / 32) % 4);
}

static int32_t bias_value(uint32_t m, uint32_t n) {
  return ((int32_t)(m * 37 + n * 11) % 64 - 32) * 4;
}

static int32_t sum_of(uint32_t m, uint32_t n) {
  int32_t sum = 0;
  for (uint32_t k = 0; k < K; k++) sum += a_value(m, k) * b_value(n, k);
  return sum;
}

static void put_numbers(struct bench* b, const uint32_t* numbers, uint32_t rows, uint32_t k,
                        uint32_t format, uint32_t at, uint32_t scales_at) {
  static uint8_t elements[MOST_ROWS * ROW], scales[MOST_ROWS * BLOCKS];
  const struct mxe_numbers x = {.data = numbers, .row_step = k, .step = 1};
  const struct mxe_elements q = {.format = format,
                                 .elements = elements,
                                 .scales = scales,
                                 .stride = ROW,
                                 .scale_stride = BLOCKS};
  CHECK_EQ(mxe_quantize(&x, rows, k, MXE_RULE_FLOOR, &q), MXE_OK);
  bench_put(b, at, elements, rows * ROW);
  bench_put(b, scales_at, scales, rows * BLOCKS);
}

static void put_integers(struct bench* b, int32_t (*value)(uint32_t, uint32_t), uint32_t rows,
                         uint32_t format, uint32_t at, uint32_t scales_at) {
  static uint32_t numbers[MOST_ROWS * K];
  for (uint32_t row = 0; row < rows; row++) {
    for (uint32_t k = 0; k < K; k++) numbers[row * K + k] = fp32_of(value(row, k));
  }
  put_numbers(b, numbers, rows, K, format, at, scales_at);
}

static struct mxe_job make_job(const struct bench* b, uint32_t a_format, uint32_t b_format) {
  return (struct mxe_job){.format_a = a_format,
                          .format_b = b_format,
                          .m = M,
                          .n = N,
                          .k = K,
                          .a_addr = b->bus_addr + A,
                          .a_scale_addr = b->bus_addr + A_SCALES,
                          .b_addr = b->bus_addr + B,
                          .b_scale_addr = b->bus_addr + B_SCALES,
                          .c_addr = b->bus_addr + C,
                          .d_addr = b->bus_addr + D,
                          .d_scale_addr = b->bus_addr + D_SCALES,
                          .a_stride = ROW,
                          .a_scale_stride = BLOCKS,
                          .b_stride = ROW,
                          .b_scale_stride = BLOCKS,
                          .d_stride = D_STRIDE,
                          .d_scale_stride = BLOCKS};
}

static struct mxe_job make_integer_job(struct bench* b, uint32_t a_format, uint32_t b_format) {
  put_integers(b, a_value, M, a_format, A, A_SCALES);
  put_integers(b, b_value, N, b_format, B, B_SCALES);
  return make_job(b, a_format, b_format);
}

/// `bytes` 4: FP32; 2: BF16.
static void put_bias(struct bench* b, int32_t (*value)(uint32_t, uint32_t), uint32_t bytes) {
  static uint8_t c[M * N * 4];
  for (uint32_t i = 0; i < M * N; i++) {
    const uint32_t bits = fp32_of(value(i / N, i % N)) >> (32 - 8 * bytes);
    for (uint32_t j = 0; j < bytes; j++) c[i * bytes + j] = (uint8_t)(bits >> (8 * j));
  }
  bench_put(b, C, c, M * N * bytes);
}

static void expect_number(struct bench* b, uint32_t m, uint32_t n, uint32_t bytes, uint32_t bits) {
  for (uint32_t i = 0; i < bytes; i++) {
    b->shadow[D + m * D_STRIDE + n * bytes + i] = (uint8_t)(bits >> (8 * i));
  }
}

static void expect_integer(struct bench* b, uint32_t m, uint32_t n, int32_t value) {
  expect_number(b, m, n, 4, fp32_of(value));
}

static void expect_products(struct bench* b) {
  for (uint32_t m = 0; m < M; m++) {
    for (uint32_t n = 0; n < N; n++) expect_integer(b, m, n, sum_of(m, n));
  }
}

static uint64_t counted(struct bench* b, const char* what) {
  struct mxe_counters c;
  CHECK_EQ(mxe_read_counters(&b->dev, &c), MXE_OK);
  return *what == 's' ? c.saturations : c.nan_results;
}

/// Only a device with a narrow adder tree may refuse a pair of formats.
static bool runs(struct bench* b, const struct mxe_job* job) {
  const int code = bench_run(b, job);
  if (code == MXE_ERR_PAIR && b->dev.caps.tree_w < 70) return false;
  return CHECK_EQ(code, MXE_OK);
}

void case_every_pair_of_formats(struct bench* b) {
  if (!bench_open(b)) return;
  for (uint32_t a_format = 0; a_format < FORMATS; a_format++) {
    for (uint32_t b_format = 0; b_format < FORMATS; b_format++) {
      const struct mxe_job job = make_integer_job(b, a_format, b_format);
      if (runs(b, &job)) expect_products(b);
      bench_compare(b);
    }
  }
}

enum { SPECIALS_FROM_E4M3 = 0x7f, SPECIALS_FROM_E5M2 = 0x7c };

/// Returns `code`, or 0 for a special, which would make its whole row special.
static uint8_t number_code(uint32_t format, uint32_t code) {
  const uint32_t magnitude = code & 0x7f;
  const bool special = (format == MXE_FORMAT_MXFP8_E4M3 && magnitude >= SPECIALS_FROM_E4M3) ||
                       (format == MXE_FORMAT_MXFP8_E5M2 && magnitude >= SPECIALS_FROM_E5M2);
  return (uint8_t)(special ? 0 : code);
}

enum { CODE_ROWS = 8, WIDTH = 32 };

static void put_codes(struct bench* b, uint32_t format, uint32_t at, uint32_t scales_at,
                      uint32_t values[CODE_ROWS][WIDTH]) {
  uint8_t elements[CODE_ROWS * ROW] = {0}, scales[CODE_ROWS * BLOCKS] = {0}, codes[WIDTH];
  for (uint32_t row = 0; row < CODE_ROWS; row++) {
    for (uint32_t i = 0; i < WIDTH; i++) codes[i] = number_code(format, row * WIDTH + i);
    CHECK_EQ(mxe_pack(format, codes, WIDTH, &elements[row * ROW]), MXE_OK);
    scales[row * BLOCKS] = (uint8_t)(127 + row - 4);
  }
  const struct mxe_elements q = {.format = format,
                                 .elements = elements,
                                 .scales = scales,
                                 .stride = ROW,
                                 .scale_stride = BLOCKS};
  CHECK_EQ(mxe_dequantize(&q, CODE_ROWS, WIDTH, values, WIDTH), MXE_OK);
  bench_put(b, at, elements, sizeof elements);
  bench_put(b, scales_at, scales, sizeof scales);
}

static void put_identity(struct bench* b, uint32_t format, uint32_t at, uint32_t scales_at) {
  static uint32_t numbers[WIDTH * WIDTH];
  for (uint32_t i = 0; i < WIDTH * WIDTH; i++) numbers[i] = i % (WIDTH + 1) == 0 ? fp32_of(1) : 0;
  put_numbers(b, numbers, WIDTH, WIDTH, format, at, scales_at);
}

/// The product with the identity matrix shows the device's value of each code.
static void decode(struct bench* b, uint32_t format, bool as_b) {
  static uint32_t values[CODE_ROWS][WIDTH];
  const uint32_t other = MXE_FORMAT_MXFP4_E2M1;
  struct mxe_job job = make_job(b, as_b ? other : format, as_b ? format : other);
  job.m = as_b ? WIDTH : CODE_ROWS;
  job.n = as_b ? CODE_ROWS : WIDTH;
  job.k = WIDTH;
  job.d_stride = 4 * job.n;
  put_codes(b, format, as_b ? B : A, as_b ? B_SCALES : A_SCALES, values);
  put_identity(b, other, as_b ? A : B, as_b ? A_SCALES : B_SCALES);
  if (!runs(b, &job)) return;
  for (uint32_t m = 0; m < job.m; m++) {
    for (uint32_t n = 0; n < job.n; n++) {
      // A sum of products has no negative zero.
      uint32_t value = as_b ? values[n][m] : values[m][n];
      if (value == UINT32_C(0x80000000)) value = 0;
      for (uint32_t i = 0; i < 4; i++) {
        b->shadow[D + m * job.d_stride + 4 * n + i] = (uint8_t)(value >> (8 * i));
      }
    }
  }
  bench_compare(b);
}

void case_every_code_of_every_format(struct bench* b) {
  if (!bench_open(b)) return;
  for (uint32_t format = 0; format < FORMATS; format++) {
    decode(b, format, false);
    decode(b, format, true);
  }
}

/// A NaN scale of a row of A makes the results of that row NaN, and no others.
void case_scale_that_is_no_number(struct bench* b) {
  const uint8_t nan = 0xff;
  if (!bench_open(b)) return;
  const struct mxe_job job = make_integer_job(b, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXINT8);
  bench_put(b, A_SCALES + BLOCKS + 1, &nan, 1);
  const uint64_t before = counted(b, "nan");
  if (!runs(b, &job)) return;
  CHECK_EQ(counted(b, "nan") - before, N);
  expect_products(b);
  for (uint32_t n = 0; n < N; n++) {
    const uint8_t* at = b->memory + D + D_STRIDE + 4 * n;
    const uint32_t low = at[0] | (uint32_t)at[1] << 8;
    const uint32_t value = low | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    CHECK((value & 0x7fffffff) > 0x7f800000);
    expect_number(b, 1, n, 4, value);
  }
}

static uint32_t round_shift(uint32_t value, uint32_t shift) {
  const uint32_t half = UINT32_C(1) << (shift - 1);
  return (value + half - 1 + (value >> shift & 1)) >> shift;
}

/// Converts FP32 bits of an integer of at most 16 bits: no subnormals, no overflow.
static uint32_t fp16_of(uint32_t fp32) {
  const uint32_t magnitude = fp32 & 0x7fffffff;
  return (fp32 >> 16 & 0x8000) | (magnitude ? round_shift(magnitude - (112u << 23), 13) : 0);
}

static uint32_t bf16_of(uint32_t fp32) { return round_shift(fp32, 16); }

static void run_rounded(struct bench* b, uint32_t out_format, uint32_t (*rounded)(uint32_t),
                        bool can) {
  struct mxe_job job = make_integer_job(b, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E4M3);
  job.out_format = out_format;
  if (!CHECK_EQ(bench_run(b, &job), can ? MXE_OK : MXE_ERR_OUT_FORMAT) || !can) return;
  for (uint32_t m = 0; m < M; m++) {
    for (uint32_t n = 0; n < N; n++) expect_number(b, m, n, 2, rounded(fp32_of(sum_of(m, n))));
  }
}

void case_results_in_bf16(struct bench* b) {
  if (!bench_open(b)) return;
  run_rounded(b, MXE_OUT_BF16, bf16_of, b->dev.caps.bf16);
}

void case_results_in_fp16(struct bench* b) {
  if (!bench_open(b)) return;
  run_rounded(b, MXE_OUT_FP16, fp16_of, b->dev.caps.version_minor >= 3 && b->dev.caps.bf16);
}

static uint32_t sums[M * N];

static void expect_elements(struct bench* b, int32_t (*result)(uint32_t, uint32_t), uint32_t format,
                            uint32_t rule) {
  const struct mxe_numbers x = {.data = sums, .row_step = N, .step = 1};
  const struct mxe_elements q = {.format = format,
                                 .elements = b->shadow + D,
                                 .scales = b->shadow + D_SCALES,
                                 .stride = D_STRIDE,
                                 .scale_stride = BLOCKS};
  for (uint32_t i = 0; i < M * N; i++) sums[i] = fp32_of(result(i / N, i % N));
  CHECK_EQ(mxe_quantize(&x, M, N, rule, &q), MXE_OK);
}

/// One result of each block has more significant bits than any format.
static int32_t peak(uint32_t m, uint32_t n) {
  (void)m;
  return n % 32 == 5 ? 126976 : 0;
}

static int32_t sum_with_peak(uint32_t m, uint32_t n) { return sum_of(m, n) + peak(m, n); }

/// True if a sum, divided by its block's scale, rounds beyond the largest number of E4M3 (448) or
/// E5M2 (57344): it is above `limit`, or equal to it if `tie` is set.
static bool is_beyond(int32_t sum, uint8_t scale, uint32_t limit, bool tie) {
  const uint64_t magnitude = (uint64_t)magnitude_of(sum) << 20;
  const int32_t shift = 20 + (int32_t)scale - 127;
  const uint64_t least = shift < 0 ? 0 : (uint64_t)limit << shift;
  return tie ? magnitude >= least : magnitude > least;
}

/// Writes the overflowing elements to the shadow; returns their number.
static uint32_t expect_overflow(struct bench* b, uint32_t format, bool mark) {
  const bool e4m3 = format == MXE_FORMAT_MXFP8_E4M3;
  uint32_t count = 0;
  for (uint32_t m = 0; m < M; m++) {
    for (uint32_t n = 0; n < N; n++) {
      const uint8_t scale = b->shadow[D_SCALES + m * BLOCKS + n / 32];
      if (!is_beyond(sum_with_peak(m, n), scale, e4m3 ? 464 : 61440, !e4m3)) continue;
      uint8_t* code = &b->shadow[D + m * D_STRIDE + n];
      if (mark) *code = (uint8_t)((*code & 0x80) | (e4m3 ? 0x7f : 0x7c));
      count++;
    }
  }
  return count;
}

void case_results_in_every_format_by_every_rule(struct bench* b) {
  if (!bench_open(b)) return;
  struct mxe_job job = make_integer_job(b, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E4M3);
  for (uint32_t format = 0; format < FORMATS; format++) {
    for (uint32_t rule = MXE_RULE_FLOOR; rule <= MXE_RULE_RCEIL; rule++) {
      job.out_format = MXE_OUT_MXFP4_E2M1 + format;
      job.out_rule = rule;
      const int code = b->dev.caps.mx_out ? MXE_OK : MXE_ERR_OUT_FORMAT;
      if (!CHECK_EQ(bench_run(b, &job), code) || code != MXE_OK) return;
      expect_elements(b, sum_of, format, rule);
      bench_compare(b);
    }
  }
}

void case_results_that_overflow(struct bench* b) {
  static const uint32_t wide[] = {MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E5M2};
  if (!bench_open(b)) return;
  if (!b->dev.caps.mx_out) return;
  struct mxe_job job = make_integer_job(b, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E4M3);
  put_bias(b, peak, 4);
  job.bias = true;
  job.c_stride = 4 * N;
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t format = wide[i / 2];
    job.out_overflow = i % 2 != 0;
    job.out_format = MXE_OUT_MXFP4_E2M1 + format;
    job.out_rule = MXE_RULE_FLOOR;
    const uint64_t before = counted(b, "saturations");
    if (!CHECK_EQ(bench_run(b, &job), MXE_OK)) return;
    expect_elements(b, sum_with_peak, format, MXE_RULE_FLOOR);
    const uint32_t beyond = expect_overflow(b, format, job.out_overflow);
    CHECK(beyond > 0);
    CHECK_EQ(counted(b, "saturations") - before, beyond);
    bench_compare(b);
  }
}

void case_biases(struct bench* b) {
  if (!bench_open(b)) return;
  struct mxe_job job = make_integer_job(b, MXE_FORMAT_MXINT8, MXE_FORMAT_MXFP6_E2M3);
  job.bias = true;
  for (uint32_t way = 0; way < 4; way++) {
    const bool one_row = way & 1;
    job.bias_bf16 = way >= 2;
    if (job.bias_bf16 && !b->dev.caps.bf16) return;
    const uint32_t bytes = job.bias_bf16 ? 2 : 4;
    job.c_stride = one_row ? 0 : bytes * N;
    put_bias(b, bias_value, bytes);
    if (!runs(b, &job)) return;
    for (uint32_t m = 0; m < M; m++) {
      for (uint32_t n = 0; n < N; n++) {
        expect_integer(b, m, n, sum_of(m, n) + bias_value(one_row ? 0 : m, n));
      }
    }
    bench_compare(b);
  }
}
