// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the driver's cases are written on: a device, memory with operands in it, jobs on them, and
/// the comparison of all that memory with what it has to be.
///
/// Freestanding C11, like the driver: the same cases run natively and as firmware, on the model and
/// on the RTL.
#ifndef BENCH_H_
#define BENCH_H_

#include "mischief.h"

enum {
  BENCH_BYTES = 0x6c00,  ///< of memory that a bench needs, as a multiple of 128
  BENCH_ENTRIES = 8,     ///< of the ring
  BENCH_RESULTS = 32,    ///< jobs can have results of their own
  BENCH_ROWS = 5,
  BENCH_COLUMNS = 3,
  BENCH_WAIT_US = 300,      ///< longer than any job here takes
  BENCH_OPERANDS = 0x2000,  ///< from here 0x2000 bytes, where a case may bench_put() its own ...
  BENCH_OUTPUTS = 0x5800,   ///< ... and have results of up to 0x1400 bytes
};

/// The calls of bench_called_back(), in order.
struct bench_log {
  uint32_t count;
  struct mxe_completion calls[64];
};

struct bench {
  // To be filled by who runs cases.
  struct mxe_port real;  ///< with wait_irq
  uint8_t* memory;       ///< BENCH_BYTES as the host sees them
  uint64_t bus_addr;     ///< the same memory as the device sees it, a multiple of 128
  uint8_t* shadow;       ///< BENCH_BYTES that the device does not see
  uint32_t long_rows;    ///< of bench_long_job()
  uint64_t no_memory;    ///< a multiple of 128: 32 KiB from there on are bus errors
  void (*fail)(void* ctx, unsigned line, const char* what, uint64_t left, uint64_t right);
  bool (*line_is_high)(void* ctx);  ///< the interrupt, as the processor sees it
  /// From now on the engine's interrupt calls mxe_irq() of this device (null: nobody), wherever the
  /// program is. Null if there is no processor to interrupt.
  void (*interrupt)(struct mxe_device* owner);
  void* ctx;

  // For the cases.
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

// ---- Checks. They report what is wrong, and the case goes on.

bool bench_check(struct bench* b, unsigned line, const char* what, bool good);
bool bench_equal(struct bench* b, unsigned line, const char* what, uint64_t left, uint64_t right);
#define CHECK(condition) bench_check(b, __LINE__, #condition, condition)
#define CHECK_EQ(left, right) \
  bench_equal(b, __LINE__, #left " == " #right, (uint64_t)(left), (uint64_t)(right))

// ---- A case's life

/// Fills the memory and the shadow, and makes the port.
void bench_begin(struct bench* b);
/// Opens the driver; checks that this works.
bool bench_open(struct bench* b);
/// Closes the driver if it is open and compares all memory.
void bench_end(struct bench* b);

// ---- Jobs

/// A small job, different from all others by where its results go.
struct mxe_job bench_job(const struct bench* b, uint32_t result);
/// A job that is still running when the driver has submitted others and looks at it; one of two.
struct mxe_job bench_long_job(const struct bench* b, uint32_t which);
/// From now on the memory has to hold this job's results.
void bench_expect(struct bench* b, const struct mxe_job* job);
/// From now on this job's results may be anything.
void bench_ignore(struct bench* b, const struct mxe_job* job);
/// Checks that the memory is as expected now.
void bench_compare(struct bench* b);

/// Changes `size` bytes at an offset of the memory, and expects them there.
void bench_put(struct bench* b, uint32_t at, const void* bytes, uint32_t size);

/// Submits; checks that this works. Returns the id.
uint32_t bench_submit(struct bench* b, const struct mxe_job* job);
/// The same with a callback that writes into the log.
uint32_t bench_submit_logged(struct bench* b, const struct mxe_job* job);
/// Submits and waits. Returns the code of the end.
int bench_run(struct bench* b, const struct mxe_job* job);
/// Runs a small job; checks that its results are right.
void bench_run_well(struct bench* b, uint32_t result);

/// The callback of the log; `user` is the bench.
void bench_called_back(void* user, const struct mxe_completion* completion);
/// Completes until the log has `count` entries; checks that it has.
void bench_complete(struct bench* b, uint32_t count);

/// Registers without mischief.
uint32_t bench_read(const struct bench* b, uint32_t offset);
void bench_write(const struct bench* b, uint32_t offset, uint32_t value);
/// Waits without the driver until the device has answered all its jobs, or a while.
void bench_settle(const struct bench* b);
/// Waits without the driver until the device has begun a job, or a while.
void bench_wait_until_busy(const struct bench* b);
/// Waits with the driver until a job has begun to multiply since the counters were cleared, or a
/// while.
void bench_wait_until_multiplied(struct bench* b);

#endif  // BENCH_H_
