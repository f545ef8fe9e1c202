// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the MXE matrix engine: D = A * B^T + C with operands in microscaling formats.
///
/// Plain C11 without a library: it needs neither a heap, nor an operating system, nor memcpy. All
/// it knows about its surroundings is in struct mxe_port, so the same file runs on a model, on
/// simulated RTL, on bare metal and in a kernel.
///
/// Life of a device:
///
///     struct mxe_device dev;
///     int code = mxe_probe(&dev, &port, ring_memory, ring_bus_address, 16);
///     uint32_t id;
///     if (code == MXE_OK) code = mxe_submit(&dev, &job, &id);
///     if (code == MXE_OK) code = mxe_wait(&dev, id, 1000000, NULL);
///     if (code != MXE_OK) puts(mxe_strerror(code));
///
/// Every function returns MXE_OK or one of the negative codes of enum mxe_result_code. A driver
/// object may be used by one thread at a time.
#ifndef MXE_DRIVER_H_
#define MXE_DRIVER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mxe_regs.h"
#include "mxe_values.h"  // struct mxe_capabilities, struct mxe_counters

#ifdef __cplusplus
#if defined(__GNUC__)
// struct mxe_counters and mxe_counters() share a name, as struct stat and stat() do.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
extern "C" {
#endif

/// What a function returns. The codes below -100 are the device's answers about a job: -100 minus
/// the status code of the completion record.
enum mxe_result_code {
  MXE_OK = 0,
  MXE_ERR_NODEV = -1,        ///< the identification register does not name an MXE
  MXE_ERR_VERSION = -2,      ///< the device's major version is not the driver's
  MXE_ERR_ARGUMENT = -3,     ///< a null pointer, or a value that no descriptor can hold
  MXE_ERR_RING = -4,         ///< the ring is misaligned or its number of entries is not allowed
  MXE_ERR_FULL = -5,         ///< every entry of the ring holds an unfinished job
  MXE_ERR_TIMEOUT = -6,      ///< no job completed for the given time
  MXE_ERR_UNKNOWN_JOB = -7,  ///< never submitted, or so long ago that its entry was used again
  MXE_ERR_GONE = -8,         ///< the device answers with all ones: unpowered or unplugged
  MXE_ERR_INTERRUPT = -9,    ///< waiting failed, or interrupts come and no job completes
  MXE_ERR_OVERFLOW = -10,    ///< the device refused a doorbell; mxe_reset() recovers
  MXE_ERR_PROTOCOL = -11,    ///< the device broke its rules: impossible index, record or status
  MXE_ERR_STOPPED = -12,     ///< an mxe_reset() failed half-way; call it again

  MXE_ERR_DESCRIPTOR = -102,  ///< a reserved bit of the descriptor is set
  MXE_ERR_SHAPE = -103,       ///< m, n or k is zero
  MXE_ERR_FORMAT = -104,      ///< no such element format
  MXE_ERR_PAIR = -105,        ///< this device's adder tree is too narrow for the two formats
  MXE_ERR_OUT_FORMAT = -106,  ///< this device cannot write the output format
  MXE_ERR_ALIGN = -107,  ///< an address or stride of C or D is not a multiple of its numbers' size
  MXE_ERR_READ = -108,   ///< bus error while reading operands
  MXE_ERR_WRITE = -109,  ///< bus error while writing results
  MXE_ERR_FETCH = -110,  ///< bus error while reading the descriptor
  MXE_ERR_ABORTED = -111,  ///< stopped by mxe_reset()
};

/// One line of English for a result code, without a full stop. Never null.
const char* mxe_strerror(int code);

/// How the driver reaches the device. The driver copies the table.
struct mxe_port {
  void* ctx;  ///< handed to every function below

  /// Reads or writes one 32-bit register, in the host's byte order; `offset` is in bytes. Accesses
  /// must reach the device in program order.
  uint32_t (*read32)(void* ctx, uint32_t offset);
  void (*write32)(void* ctx, uint32_t offset, uint32_t value);

  /// Blocks while the interrupt line is low, at most `timeout_us`. Returns 0 if the line is high
  /// (also if it was high at the start), MXE_ERR_TIMEOUT if it stayed low, another negative number
  /// if waiting is impossible. The line is a level: it stays high until the driver has cleared the
  /// cause. Null: the driver leaves interrupts masked and polls.
  int (*wait_irq)(void* ctx, uint32_t timeout_us);

  /// Called between two polls; should take about one microsecond, because the driver, which has no
  /// clock, counts a poll as one. May be null.
  void (*relax)(void* ctx);

  /// Orders accesses to the ring memory and to registers: what precedes the call is visible to the
  /// device, and what the device wrote before is visible to the host, when it returns. On a cached
  /// ring it also cleans and invalidates. Null if the host's normal order does (x86, simulation).
  void (*barrier)(void* ctx);
};

/// One matrix product, D[m][n] = C[m][n] + sum over k of A[m][k] * B[n][k]. Addresses are the
/// device's (bus addresses). The layouts are in docs/driver.md.
struct mxe_job {
  uint32_t format_a, format_b;  ///< MXE_FORMAT_...
  uint32_t out_format;          ///< MXE_OUT_...
  uint32_t out_rule;            ///< MXE_RULE_..., how an MX result's scales are found; else ignored
  bool out_overflow;            ///< MX results: elements beyond the largest become NaN or infinity
  bool bias;                    ///< start from C instead of from zero
  bool bias_bf16;               ///< C is BF16 instead of FP32
  uint32_t m, n, k;             ///< shape in elements, each at least 1

  uint64_t a_addr, a_scale_addr;  ///< A[m][k] and its scales [m][ceil(k/32)]; any byte
  uint64_t b_addr, b_scale_addr;  ///< B[n][k] and its scales [n][ceil(k/32)]; any byte
  uint64_t c_addr;                ///< C[m][n], a multiple of its numbers' size; 0 without bias
  uint64_t d_addr;                ///< D[m][n], a multiple of its numbers' size; any byte if MX
  uint64_t d_scale_addr;  ///< scales of an MX result [m][ceil(n/32)], any byte; else ignored

  uint32_t a_stride, a_scale_stride;  ///< bytes from row to row
  uint32_t b_stride, b_scale_stride;
  uint32_t c_stride;  ///< a multiple as c_addr is; 0: one row of C for all rows of D
  uint32_t d_stride;  ///< a multiple as d_addr is
  uint32_t d_scale_stride;
};

/// How a job ended.
struct mxe_completion {
  uint32_t job_id;
  uint32_t status;  ///< MXE_STATUS_...
  uint64_t cycles;  ///< clocks from the descriptor's fetch to the completion; 0 if unknown

  /// After MXE_ERR_READ, WRITE and FETCH: what the bus answered with an error (MXE_FAULT_...), and
  /// the bus address of the beat, or of the burst of a write. MXE_FAULT_NONE and 0 after any other
  /// result, and if the device does not tell, or has met an error in a later job since.
  uint32_t fault_operand;
  uint64_t fault_addr;
};

/// A device in use. Fill it with mxe_probe(), read `caps`, leave the rest to the driver.
struct mxe_device {
  struct mxe_capabilities caps;

  struct mxe_port port;
  volatile uint32_t* ring;  ///< ring memory as words; null before a successful probe
  uint64_t ring_bus_addr;
  uint32_t ring_entries;
  uint32_t next_job;  ///< id of the next job; its ring entry is (id - 1) mod entries
  uint16_t tail;      ///< free-running index one past the last submitted descriptor
  uint16_t head;      ///< free-running index of the oldest job not known to be complete
  bool stopped;       ///< a reset has begun and not ended: the head means nothing
};

/// Finds the device, reads its capabilities, stops whatever it was doing, hands it the ring, clears
/// the counters and enables it.
///
/// `ring_mem` is the ring as the host sees it, `ring_bus_addr` as the device does: 128 *
/// `ring_entries` bytes, a multiple of 128 on the bus and of 8 on the host, not used otherwise
/// while the device is in use. `ring_entries` is a power of two, at most caps.queue_depth. `caps`
/// is valid after MXE_OK and after MXE_ERR_RING, so a caller may ask first and choose then.
///
/// Errors: ARGUMENT, RING, NODEV, VERSION, TIMEOUT (the device does not leave its reset), GONE.
int mxe_probe(struct mxe_device* dev, const struct mxe_port* port, void* ring_mem,
              uint64_t ring_bus_addr, uint32_t ring_entries);

/// Puts a job into the ring and rings the doorbell. Returns at once with the job's id, which is
/// never 0. Whether the job is legal is the device's to say: mxe_wait() tells.
///
/// Errors: ARGUMENT (no descriptor can hold this), FULL (wait for a job and try again), GONE,
/// PROTOCOL, STOPPED. Nothing was submitted then.
int mxe_submit(struct mxe_device* dev, const struct mxe_job* job, uint32_t* job_id);

/// Waits until a job is complete. Jobs run in the order of submission but may be waited for in any
/// order, more than once, or never; a result is kept until `ring_entries` further jobs were
/// submitted. `completion` may be null; it is written whenever the device has answered, with an
/// error too.
///
/// `timeout_us` is the longest time without progress: it starts anew whenever an earlier job
/// completes. 0 checks once, without waiting.
///
/// Returns MXE_OK if the job's results are in memory, the code of its status (-102 ... -111) if the
/// device rejected or broke off the job, or TIMEOUT, UNKNOWN_JOB, GONE, INTERRUPT, OVERFLOW,
/// PROTOCOL, STOPPED, ARGUMENT. After TIMEOUT the job is still under way: wait again or reset.
int mxe_wait(struct mxe_device* dev, uint32_t job_id, uint32_t timeout_us,
             struct mxe_completion* completion);

/// Takes a snapshot of all counters and reads it. Jobs may be under way.
/// Errors: ARGUMENT, GONE.
int mxe_counters(struct mxe_device* dev, struct mxe_counters* counters);

/// Sets all counters to zero.
/// Errors: ARGUMENT.
int mxe_counters_clear(struct mxe_device* dev);

/// Stops the device, forgets all jobs that wait and enables it again with an empty ring. Waiting
/// for a job that had not finished gives MXE_ERR_ABORTED; the results of finished ones stay.
/// The counters keep their values.
///
/// Errors: ARGUMENT, TIMEOUT (outstanding bus transfers did not end within `timeout_us`; the device
/// stays disabled until the call is repeated), GONE, PROTOCOL.
int mxe_reset(struct mxe_device* dev, uint32_t timeout_us);

#ifdef __cplusplus
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

#endif  // MXE_DRIVER_H_
