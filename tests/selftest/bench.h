// SPDX-License-Identifier: Apache-2.0
/// @file
/// Test bench of the driver's cases: a device, memory with operands, jobs, and a comparison of all
/// memory. Freestanding C11: the same cases run natively and as firmware, on model and RTL.
#ifndef BENCH_H_
#define BENCH_H_

#include "mischief.h"

enum {
  BENCH_BYTES = 0x6c00,  ///< size of the memory, a multiple of 128
  BENCH_ENTRIES = 8,
  BENCH_RESULTS = 32,  ///< number of separate areas for results of bench_job()
  BENCH_ROWS = 5,
  BENCH_COLUMNS = 3,
  BENCH_WAIT_US = 300,      ///< longer than every job of the cases
  BENCH_OPERANDS = 0x2000,  ///< offset of 0x2000 bytes for operands, of bench_long_job() or a case
  BENCH_OUTPUTS = 0x5800,   ///< offset of 0x1400 bytes for a case's own results
};

/// The number of completions passed to bench_called_back(), and the first 64 of them in order.
struct bench_log {
  uint32_t count;
  struct mxe_completion calls[64];
};

struct bench {
  struct mxe_port real;  ///< with wait_irq
  uint8_t* memory;       ///< BENCH_BYTES bytes, host address
  uint64_t bus_addr;     ///< bus address of `memory`, a multiple of 128
  uint8_t* shadow;       ///< expected contents of `memory`; the device does not access it
  uint32_t long_rows;    ///< rows of bench_long_job()
  uint64_t no_memory;    ///< a multiple of 128; accesses to the next 32 KiB are bus errors
  void (*fail)(void* ctx, unsigned line, const char* what, uint64_t left, uint64_t right);
  bool (*line_is_high)(void* ctx);  ///< level of the interrupt line at the processor
  /// Makes the engine's interrupt call mxe_irq(owner); `owner` null: calls nothing. The pointer is
  /// null if the cases run natively.
  void (*interrupt)(struct mxe_device* owner);
  void* ctx;

  struct mischief mischief;
  struct mxe_port port;  ///< with mischief; may be changed before bench_open()
  struct mxe_ring ring;  ///< may be changed before bench_open()
  struct mxe_device dev;
  struct mxe_slot slots[BENCH_ENTRIES];
  struct bench_log log;
  uint64_t cache[BENCH_ENTRIES * MXE_DESC_SIZE / 8];
  uint32_t expected[2][BENCH_ROWS][BENCH_COLUMNS];  // without and with bias
  uint32_t failures;
};

// Checks report a failure, after which the case continues.

bool bench_check(struct bench* b, unsigned line, const char* what, bool good);
bool bench_equal(struct bench* b, unsigned line, const char* what, uint64_t left, uint64_t right);
#define CHECK(condition) bench_check(b, __LINE__, #condition, condition)
#define CHECK_EQ(left, right) \
  bench_equal(b, __LINE__, #left " == " #right, (uint64_t)(left), (uint64_t)(right))

void bench_begin(struct bench* b);
bool bench_open(struct bench* b);
/// Closes the driver if it is open, compares all memory but the ring, and resets the device.
void bench_end(struct bench* b);

struct mxe_job bench_job(const struct bench* b, uint32_t result);
/// A job longer than submitting others and reading the head takes; `which` is 0 or 1.
struct mxe_job bench_long_job(const struct bench* b, uint32_t which);
void bench_expect(struct bench* b, const struct mxe_job* job);
void bench_ignore(struct bench* b, const struct mxe_job* job);
void bench_compare(struct bench* b);

/// Writes `size` bytes at an offset of the memory and of its expected contents.
void bench_put(struct bench* b, uint32_t at, const void* bytes, uint32_t size);

/// Submits a job, which the driver must accept. Returns the job's id.
uint32_t bench_submit(struct bench* b, const struct mxe_job* job);
/// As bench_submit(), with a callback that writes to the log.
uint32_t bench_submit_logged(struct bench* b, const struct mxe_job* job);
int bench_run(struct bench* b, const struct mxe_job* job);
void bench_run_well(struct bench* b, uint32_t result);

void bench_called_back(void* user, const struct mxe_completion* completion);
/// Calls mxe_complete() until the log has `count` entries; checks their number.
void bench_complete(struct bench* b, uint32_t count);

/// Register accesses without mischief.
uint32_t bench_read(const struct bench* b, uint32_t offset);
void bench_write(const struct bench* b, uint32_t offset, uint32_t value);
/// Without the driver: waits until the device has completed all jobs, for at most 100,000 reads.
void bench_settle(const struct bench* b);
/// Without the driver: waits until the device has started a job, for at most 100,000 reads.
void bench_wait_until_busy(const struct bench* b);
/// Waits until the counters, cleared before, show a multiplication, for at most 100,000 reads.
void bench_wait_until_multiplied(struct bench* b);

#endif  // BENCH_H_
