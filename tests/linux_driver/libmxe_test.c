// SPDX-License-Identifier: Apache-2.0
// Memory and jobs of libmxe as described in mxe_linux.h, with the default memory of mxe linux.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "mxe_linux.h"

enum {
  MIB = 1 << 20,
  MANY = 65,
  ROUNDS = 3,
  N = 64,      // matrices have N x N elements
  LONG = 512,  // products of LONG x LONG matrices take at least half a millisecond
  ENTRIES = 4,
  SOON_US = 50,
  ONE_SECOND = 1000000,
  TWO_TICKS_NS = 20000000,  // Linux has precise timers from its second tick on
};

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("libmxe: not so: %s\n", what);
  failures++;
}

static void expect_error(struct mxe_linux* conn, size_t size, int error, const char* what) {
  uint64_t address = 1;
  errno = 0;
  expect(mxe_linux_alloc(conn, size, &address) == NULL && errno == error && address == 1, what);
}

/// Allocates 64 pieces of 4 MiB and one of 64 MiB; frees every second piece, then the others.
static void allocate_many(struct mxe_linux* conn) {
  uint8_t* data[MANY];
  uint64_t address[MANY];
  for (int i = 0; i < MANY; i++) {
    const size_t size = i + 1 < MANY ? 4 * MIB : 64 * MIB;
    data[i] = mxe_linux_alloc(conn, size, &address[i]);
    expect(data[i] != NULL, "64 x 4 MiB and 64 MiB fit");
    if (!data[i]) return;
    expect(data[i][0] == 0 && data[i][size - 1] == 0, "memory is zeroed");
    data[i][0] = data[i][size - 1] = (uint8_t)(i + 1);
    expect(address[i] % 4096 == 0 && (uintptr_t)data[i] % 4096 == 0, "pages");
    for (int j = 0; j < i; j++)
      expect(address[j] + 4 * MIB <= address[i], "addresses are separate");
  }
  for (int i = 0; i < MANY; i++) expect(data[i][0] == i + 1, "pieces are separate");
  for (int i = 0; i < MANY; i += 2) mxe_linux_free(conn, data[i]);
  for (int i = 1; i < MANY; i += 2) {
    expect(data[i][0] == i + 1, "memory that is not freed keeps its contents");
    mxe_linux_free(conn, data[i]);
  }
}

struct ended {
  int count;
  struct mxe_completion last[ENTRIES];
};

struct bench {
  struct mxe_device dev;
  struct mxe_slot slots[ENTRIES];
  struct ended ended;
  uint64_t a, a_end, d, d_end;
  const float* results;
};

static void note_end(void* user, const struct mxe_completion* completion) {
  struct ended* ended = user;
  ended->last[ended->count++ % ENTRIES] = *completion;
}

static int open_bench(struct mxe_linux* conn, struct bench* bench) {
  const size_t elements = (size_t)LONG * LONG, results = elements * sizeof(float);
  struct mxe_port port;
  uint64_t ring_address = 0;
  void* const ring = mxe_linux_alloc(conn, ENTRIES * MXE_DESC_SIZE, &ring_address);
  uint8_t* const operand = mxe_linux_alloc(conn, elements, &bench->a);
  bench->results = mxe_linux_alloc(conn, results, &bench->d);
  if (!ring || !operand || !bench->results) return MXE_ERR_ARGUMENT;
  memset(operand, 64, elements);  // 1 in MXINT8; as a scale 2^(64 - 127)
  bench->a_end = bench->a + elements;
  bench->d_end = bench->d + results;
  mxe_linux_port(conn, &port);
  const struct mxe_ring places = {
      .mem = ring, .bus_addr = ring_address, .slots = bench->slots, .entries = ENTRIES};
  return mxe_open(&bench->dev, &port, &places);
}

static struct mxe_job product(const struct bench* bench, uint32_t size) {
  return (struct mxe_job){.format_a = MXE_FORMAT_MXINT8,
                          .format_b = MXE_FORMAT_MXINT8,
                          .out_format = MXE_OUT_FP32,
                          .m = size,
                          .n = size,
                          .k = size,
                          .a_addr = bench->a,
                          .a_stride = size,
                          .a_scale_addr = bench->a,
                          .a_scale_stride = size / 32,
                          .b_addr = bench->a,
                          .b_stride = size,
                          .b_scale_addr = bench->a,
                          .b_scale_stride = size / 32,
                          .d_addr = bench->d,
                          .d_stride = size * (uint32_t)sizeof(float)};
}

static uint32_t submit(struct bench* bench, const struct mxe_job* job, uint64_t deadline_us) {
  const struct mxe_options options = {
      .deadline_us = deadline_us, .done = note_end, .user = &bench->ended};
  uint32_t id = 0;
  expect(mxe_submit(&bench->dev, job, &options, &id) == MXE_OK, "a job is submitted");
  return id;
}

static void expect_code(struct bench* bench, const struct mxe_job* job, int code,
                        const char* what) {
  expect(mxe_wait(&bench->dev, submit(bench, job, 0), ONE_SECOND, NULL) == code, what);
}

/// The job must end with `code` and a bus error of `operand` at `address`.
static void expect_fault(struct bench* bench, const struct mxe_job* job, int code, uint32_t operand,
                         uint64_t address, const char* what) {
  struct mxe_completion end;
  const uint32_t id = submit(bench, job, 0);
  expect(mxe_wait(&bench->dev, id, ONE_SECOND, &end) == code && end.job_id == id &&
             end.status == (uint32_t)(-100 - code) && end.fault_operand == operand &&
             end.fault_write == (code == MXE_ERR_WRITE) && end.fault_addr == address,
         what);
}

static void test_good_jobs(struct bench* bench) {
  const struct mxe_job good = product(bench, N);
  struct mxe_job bad = good;
  struct mxe_counters counters;
  uint32_t ids[ENTRIES];
  bad.m = 0;
  expect_code(bench, &good, MXE_OK, "a job before the counters are cleared");
  expect(mxe_clear_counters(&bench->dev) == MXE_OK, "counters are cleared");
  bench->ended.count = 0;
  for (int i = 0; i < ENTRIES; i++) ids[i] = submit(bench, i == 1 ? &bad : &good, 0);
  expect(mxe_wait(&bench->dev, ids[ENTRIES - 1], ONE_SECOND, NULL) == MXE_OK, "the last is good");
  expect(bench->ended.count == ENTRIES, "all have ended");
  for (int i = 0; i < ENTRIES; i++) {
    expect(bench->ended.last[i].job_id == ids[i], "jobs end in order");
    expect(bench->ended.last[i].code == (i == 1 ? MXE_ERR_SHAPE : MXE_OK), "with their codes");
    expect((bench->ended.last[i].cycles != 0) == (i != 1), "and cycles");
  }
  const float wanted = (float)N / (UINT64_C(1) << 63) / (UINT64_C(1) << 63);
  for (int i = 0; i < N * N; i++) expect(bench->results[i] == wanted, "a result is right");
  expect(mxe_read_counters(&bench->dev, &counters) == MXE_OK, "counters are read");
  expect(counters.blocks == (ENTRIES - 1) * N * N * N / 32, "they count since they were cleared");
}

/// A, B, their scales, C and D have different strides and end with their memory.
static void test_strides(struct bench* bench) {
  struct mxe_job job = product(bench, N);
  struct mxe_extents extents;
  job.bias = true;
  job.a_stride = N + 3;
  job.a_scale_stride = 5;
  job.b_stride = N + 5;
  job.b_scale_stride = 7;
  job.c_addr = bench->a;
  job.c_stride = N * sizeof(float) + 8;
  job.d_stride = N * sizeof(float) + 16;
  mxe_job_extents(NULL, &job, NULL, 0, &extents);
  job.a_addr = bench->a_end - extents.a.size;
  job.a_scale_addr = bench->a_end - extents.a_scales.size;
  job.b_addr = bench->a_end - extents.b.size;
  job.b_scale_addr = bench->a_end - extents.b_scales.size;
  job.c_addr = bench->a_end - extents.c.size;
  job.d_addr = bench->d_end - extents.d.size;
  expect_code(bench, &job, MXE_OK, "operands that end with their memory");
}

static void test_bad_jobs(struct bench* bench) {
  struct mxe_job job = product(bench, N);
  job.format_a = 15;
  expect_code(bench, &job, MXE_ERR_FORMAT, "a format that does not exist");
  job = product(bench, N);
  job.out_format = MXE_OUT_MXFP4_E2M1 - 1;
  expect_code(bench, &job, MXE_ERR_OUT_FORMAT, "an output format that does not exist");
  job = product(bench, N);
  job.d_addr = job.a_addr;
  expect_code(bench, &job, MXE_ERR_DESCRIPTOR, "results that overlap operands");
  job = product(bench, N);
  job.d_addr += 2;
  expect_code(bench, &job, MXE_ERR_ALIGN, "misaligned results");
  job = product(bench, N);
  job.c_addr = 2;
  expect_code(bench, &job, MXE_ERR_ALIGN, "a misaligned bias that is not used");
  job = product(bench, N);
  job.a_addr = UINT64_MAX - 1;
  expect_code(bench, &job, MXE_ERR_READ, "an operand beyond the last address");
}

static void test_faults(struct bench* bench) {
  struct mxe_job job = product(bench, N);
  job.b_addr = 0;
  expect_fault(bench, &job, MXE_ERR_READ, MXE_FAULT_B, 0, "an address without memory");
  job = product(bench, N);
  job.a_addr = bench->a_end - N * N + 1;
  expect_fault(bench, &job, MXE_ERR_READ, MXE_FAULT_A, bench->a_end, "a byte too many");
  job = product(bench, N);
  job.d_addr = bench->d_end - N * N * sizeof(float) + sizeof(float);
  expect_fault(bench, &job, MXE_ERR_WRITE, MXE_FAULT_D, bench->d_end, "a result too many");
}

/// The kernel reports a bus error outside of all objects with an address of all ones.
static void test_injected_fault(struct bench* bench) {
  const struct mxe_job job = product(bench, N);
  FILE* inject = fopen("/sys/module/mxe/parameters/inject", "w");
  expect(inject && fputs("4", inject) >= 0 && fclose(inject) == 0, "a fault is injected");
  expect_fault(bench, &job, MXE_ERR_READ, MXE_FAULT_B_SCALES, UINT64_MAX, "it is reported");
}

static uint64_t now_us(const struct bench* bench) {
  return bench->dev.port.now_us(bench->dev.port.ctx);
}

static void test_aborts(struct bench* bench) {
  const struct mxe_job job = product(bench, LONG), next = product(bench, N);
  const uint32_t late = submit(bench, &job, now_us(bench) + SOON_US);
  const uint32_t cancelled = submit(bench, &job, 0), good = submit(bench, &next, 0);
  expect(mxe_wait(&bench->dev, late, 0, NULL) == MXE_ERR_TIMEOUT, "a long job has not ended");
  expect(mxe_cancel(&bench->dev, cancelled) == MXE_OK, "it can be cancelled");
  expect(mxe_wait(&bench->dev, late, ONE_SECOND, NULL) == MXE_ERR_DEADLINE, "its deadline passes");
  expect(mxe_wait(&bench->dev, cancelled, ONE_SECOND, NULL) == MXE_ERR_ABORTED, "it is cancelled");
  expect(mxe_wait(&bench->dev, good, ONE_SECOND, NULL) == MXE_OK, "the next one runs");
  const uint32_t running = submit(bench, &job, 0), waiting = submit(bench, &job, 0);
  expect(mxe_recover(&bench->dev, ONE_SECOND) == MXE_OK, "jobs can be dropped");
  expect(mxe_wait(&bench->dev, running, 0, NULL) == MXE_ERR_ABORTED, "the running one");
  expect(mxe_wait(&bench->dev, waiting, 0, NULL) == MXE_ERR_ABORTED, "and the waiting one");
  expect_code(bench, &next, MXE_OK, "the next one runs again");
}

static void test_jobs(struct mxe_linux* conn) {
  struct bench bench = {0};
  expect(open_bench(conn, &bench) == MXE_OK, "the device opens");
  test_good_jobs(&bench);
  test_strides(&bench);
  test_bad_jobs(&bench);
  test_faults(&bench);
  test_injected_fault(&bench);
  test_aborts(&bench);
  const struct mxe_job job = product(&bench, LONG);
  bench.ended.count = 0;
  submit(&bench, &job, 0);
  expect(mxe_close(&bench.dev, ONE_SECOND) == MXE_OK, "the device closes");
  expect(bench.ended.count == 1 && bench.ended.last[0].code == MXE_ERR_ABORTED,
         "which ends the job in flight");
}

int main(void) {
  struct mxe_linux* conn = NULL;
  thrd_sleep(&(struct timespec){.tv_nsec = TWO_TICKS_NS}, NULL);
  if (mxe_linux_open(NULL, &conn) != MXE_OK) {
    fprintf(stderr, "no engine: %s\n", strerror(errno));
    return 1;
  }
  const uint64_t most = mxe_linux_max_alloc(conn);
  expect(most == UINT64_C(512) * MIB, "the default is 512 MiB");
  for (int i = 0; i < ROUNDS; i++) allocate_many(conn);
  expect_error(conn, 0, EINVAL, "no bytes: EINVAL");
  expect_error(conn, most + 1, E2BIG, "more than the most: E2BIG");
  expect_error(conn, SIZE_MAX, E2BIG, "much more than the most: E2BIG");
  uint64_t address = 0;
  void* const half = mxe_linux_alloc(conn, most / 2 + 4096, &address);
  expect(half != NULL, "half of the memory fits");
  expect_error(conn, most / 2, ENOMEM, "the other half does not: ENOMEM");
  mxe_linux_free(conn, half);
  expect(mxe_linux_alloc(conn, most, &address) != NULL, "all of it fits");
  mxe_linux_close(conn);
  expect(mxe_linux_open(NULL, &conn) == MXE_OK, "another connection");
  test_jobs(conn);
  mxe_linux_close(conn);
  if (!failures) printf("libmxe: all is as its header says\n");
  return failures != 0;
}
