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
///     struct mxe_capabilities caps;
///     struct mxe_slot slots[16];
///     struct mxe_ring ring = {.mem = memory, .bus_addr = address, .slots = slots, .entries = 16};
///     struct mxe_device dev;
///     uint32_t id;
///     int code = mxe_identify(&port, &caps);                // optional: before choosing a ring
///     if (code == MXE_OK) code = mxe_open(&dev, &port, &ring);
///     if (code == MXE_OK) code = mxe_submit(&dev, &job, NULL, &id);
///     if (code == MXE_OK) code = mxe_wait(&dev, id, 1000000, NULL);
///     if (code != MXE_OK) puts(mxe_strerror(code));
///     mxe_close(&dev, 1000000);
///
/// Every function returns MXE_OK (or a count) or one of the negative codes of enum mxe_result_code.
///
/// Contexts. One context may submit while another completes, without a lock; each function says
/// which of the two it belongs to. mxe_irq() may interrupt both. A program with one thread of
/// control calls everything from there, also from within completion callbacks.
#ifndef MXE_DRIVER_H_
#define MXE_DRIVER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mxe_regs.h"
#include "mxe_values.h"  // struct mxe_capabilities, struct mxe_counters

#ifdef __cplusplus
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
  MXE_ERR_FULL = -5,         ///< every entry of the ring holds a job not yet called back
  MXE_ERR_TIMEOUT = -6,      ///< nothing moved for the given time
  MXE_ERR_UNKNOWN_JOB = -7,  ///< never submitted, or completed so long ago that it is forgotten
  MXE_ERR_GONE = -8,         ///< the device answers with all ones: unpowered or unplugged
  MXE_ERR_INTERRUPT = -9,    ///< the port cannot wait for the interrupt
  MXE_ERR_OVERFLOW = -10,    ///< the device refused a doorbell; mxe_recover() helps
  MXE_ERR_PROTOCOL = -11,    ///< the device broke its rules: impossible index, record or status
  MXE_ERR_STOPPED = -12,     ///< a reset failed half-way; call mxe_recover() or mxe_close()
  MXE_ERR_BUSY = -13,        ///< the other context holds the ring for a moment; try again
  MXE_ERR_DEADLINE = -14,    ///< the job's deadline passed before it ended
  MXE_ERR_OVERLAP = -15,     ///< results would overwrite operands, themselves or the ring
  MXE_ERR_ADDRESS = -16,     ///< an operand reaches beyond the last 64-bit address
  MXE_ERR_RANGE = -17,       ///< an operand lies outside the ranges that are allowed

  MXE_ERR_DESCRIPTOR = -102,  ///< a reserved bit of the descriptor is set
  MXE_ERR_SHAPE = -103,       ///< m, n or k is zero
  MXE_ERR_FORMAT = -104,      ///< no such element format
  MXE_ERR_PAIR = -105,        ///< this device's adder tree is too narrow for the two formats
  MXE_ERR_OUT_FORMAT = -106,  ///< this device cannot write the output format
  MXE_ERR_ALIGN = -107,  ///< an address or stride of C or D is not a multiple of its numbers' size
  MXE_ERR_READ = -108,   ///< bus error while reading operands
  MXE_ERR_WRITE = -109,  ///< bus error while writing results
  MXE_ERR_FETCH = -110,  ///< no record: bus error on the descriptor or the record
  MXE_ERR_ABORTED = -111,  ///< ended by mxe_cancel(), mxe_recover() or mxe_close()
};

/// X(code, errno) for every error code, for an operating system that has <errno.h>:
///
///     switch (code) {
///     #define X(code, number) case code: return -number;
///       MXE_ERRNO_TABLE(X)
///     #undef X
///     }
#define MXE_ERRNO_TABLE(X)          \
  X(MXE_ERR_NODEV, ENODEV)          \
  X(MXE_ERR_VERSION, EOPNOTSUPP)    \
  X(MXE_ERR_ARGUMENT, EINVAL)       \
  X(MXE_ERR_RING, EINVAL)           \
  X(MXE_ERR_FULL, EAGAIN)           \
  X(MXE_ERR_TIMEOUT, ETIMEDOUT)     \
  X(MXE_ERR_UNKNOWN_JOB, ENOENT)    \
  X(MXE_ERR_GONE, ENXIO)            \
  X(MXE_ERR_INTERRUPT, EIO)         \
  X(MXE_ERR_OVERFLOW, EPROTO)       \
  X(MXE_ERR_PROTOCOL, EPROTO)       \
  X(MXE_ERR_STOPPED, EIO)           \
  X(MXE_ERR_BUSY, EBUSY)            \
  X(MXE_ERR_DEADLINE, ETIMEDOUT)    \
  X(MXE_ERR_OVERLAP, EINVAL)        \
  X(MXE_ERR_ADDRESS, EOVERFLOW)     \
  X(MXE_ERR_RANGE, EACCES)          \
  X(MXE_ERR_DESCRIPTOR, EINVAL)     \
  X(MXE_ERR_SHAPE, EINVAL)          \
  X(MXE_ERR_FORMAT, EINVAL)         \
  X(MXE_ERR_PAIR, EOPNOTSUPP)       \
  X(MXE_ERR_OUT_FORMAT, EOPNOTSUPP) \
  X(MXE_ERR_ALIGN, EINVAL)          \
  X(MXE_ERR_READ, EFAULT)           \
  X(MXE_ERR_WRITE, EFAULT)          \
  X(MXE_ERR_FETCH, EFAULT)          \
  X(MXE_ERR_ABORTED, ECANCELED)

struct mxe_device;

/// One line of English for a result code, without a full stop. Never null.
const char* mxe_strerror(int code);

/// The same, but for MXE_ERR_ARGUMENT it names the refused argument, for example "job_id is null",
/// if a function that takes a non-const `dev` has just returned that code. Of calls that were
/// refused in both contexts the last one counts. mxe_job_extents() and mxe_identify() record no
/// argument: use mxe_strerror() after them. `dev` may be null.
const char* mxe_explain(const struct mxe_device* dev, int code);

/// How the driver reaches the device. The driver copies the table. Null is allowed for the members
/// that say so; the driver then still keeps the compiler from moving accesses.
struct mxe_port {
  void* ctx;  ///< handed to every function below

  /// Reads or writes one 32-bit register, in the host's byte order; `offset` is in bytes. Accesses
  /// must reach the device in program order.
  uint32_t (*read32)(void* ctx, uint32_t offset);
  void (*write32)(void* ctx, uint32_t offset, uint32_t value);

  /// Microseconds of a clock that never goes back. Deadlines and timeouts are measured with it.
  uint64_t (*now_us)(void* ctx);

  /// Whether the interrupt reaches a handler that calls mxe_irq(). If this is false and wait_irq is
  /// null, the driver leaves interrupts masked.
  bool interrupts;

  /// Blocks while the interrupt line is low, at most `timeout_us`. Returns 0 if the line is high
  /// (also if it was high at the start) or somebody's interrupt came, MXE_ERR_TIMEOUT if none did,
  /// another negative number if waiting is impossible. Null: mxe_wait() polls.
  int (*wait_irq)(void* ctx, uint32_t timeout_us);

  /// Called between two polls: a short pause. May be null.
  void (*relax)(void* ctx);

  /// Orders what the driver wrote to memory before what it writes to registers after (wmb), and
  /// what it read from registers before what it reads from memory after (rmb). On RISC-V `fence
  /// iorw, iorw`, on Arm `dmb osh` or `dsb`. Null if the host's normal order does (simulation).
  void (*wmb)(void* ctx);
  void (*rmb)(void* ctx);

  /// Memory that is cached and not coherent: writes back the lines of `len` bytes of the ring at
  /// `addr`, respectively forgets them. The operands are the caller's. Null if coherent or
  /// uncached.
  void (*sync_for_device)(void* ctx, const void* addr, size_t len);
  void (*sync_for_host)(void* ctx, void* addr, size_t len);
};

/// One matrix product, D[m][n] = C[m][n] + sum over k of A[m][k] * B[n][k], or several of one shape
/// whose matrices lie one below the other: A[batch * m][k], B[batch * n][k], D and C
/// [batch * m][n], and scales likewise. A product must not read what another one of its job writes.
/// Addresses are the device's (bus addresses). The layouts are in docs/driver.md.
struct mxe_job {
  uint32_t format_a, format_b;  ///< MXE_FORMAT_...
  uint32_t out_format;          ///< MXE_OUT_...
  uint32_t out_rule;            ///< MXE_RULE_..., how an MX result's scales are found; else ignored
  bool out_overflow;            ///< MX results: elements beyond the largest become NaN or infinity
  bool bias;                    ///< start from C instead of from zero
  bool bias_bf16;               ///< C is BF16 instead of FP32
  uint32_t m, n, k;             ///< shape in elements, each at least 1
  uint32_t batch;               ///< products of that shape, at most 65535; 0 is 1

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
  int code;         ///< MXE_OK if the results are in memory, else why not
  uint32_t status;  ///< MXE_STATUS_..., as the device wrote it; ERR_ABORTED if the driver ended it
  uint64_t cycles;  ///< clocks from the descriptor's fetch to the completion; 0 if unknown

  /// After MXE_ERR_READ, WRITE and FETCH: what the bus answered with an error (MXE_FAULT_...),
  /// whether it was a write, and the bus address of the beat, or of the burst of a write.
  /// MXE_FAULT_NONE, false and 0 after any other result, and if the device does not tell, or has
  /// met an error in a later job since.
  uint32_t fault_operand;
  bool fault_write;
  uint64_t fault_addr;
};

/// Called once for each job, in the order of submission, by mxe_complete(), mxe_wait(),
/// mxe_recover() or mxe_close(). The job's entry is free again by then: the callback may submit.
typedef void (*mxe_callback)(void* user, const struct mxe_completion* completion);

/// What may be said about a job beside the job. All zero is "nothing".
struct mxe_options {
  /// On the port's clock; 0: none. A job that has not ended by then is taken from the device and
  /// ends with MXE_ERR_DEADLINE; the jobs after it go on. Noticed by mxe_complete() and mxe_wait().
  uint64_t deadline_us;
  mxe_callback done;  ///< may be null
  void* user;         ///< handed to `done`
};

/// Bytes on the bus; none if `size` is 0.
struct mxe_range {
  uint64_t addr, size;
};

/// What the driver remembers of a job; one for each entry of the ring, ordinary memory of the host.
struct mxe_slot {
  uint32_t id;
  int abandoned;  ///< why the job was taken from the device, else MXE_OK
  struct mxe_options options;
  struct mxe_completion result;  ///< of the last job that completed here
  struct mxe_range written[2];   ///< what the job writes: D, and its scales
};

/// The memory that a device is given at mxe_open() and gives back at mxe_close().
struct mxe_ring {
  void* mem;               ///< 128 * entries bytes as the host sees them, a multiple of 8
  uint64_t bus_addr;       ///< the same memory as the device sees it, a multiple of 128
  struct mxe_slot* slots;  ///< `entries` of them
  uint32_t entries;        ///< a power of two, at most caps.queue_depth
};

/// A device in use. Fill it with mxe_open(), read `caps`, leave the rest to the driver.
struct mxe_device {
  struct mxe_capabilities caps;

  struct mxe_port port;
  volatile uint32_t* ring;  ///< ring memory as words; null before mxe_open() and after mxe_close()
  uint64_t ring_bus_addr;
  uint32_t ring_entries;
  struct mxe_slot* slots;

  // Jobs are counted from mxe_open() on: job number s has slot s mod entries. head <= finished <=
  // tail, modulo 2^32.
  uint32_t next_id;     ///< of the submitting context
  uint32_t tail;        ///< submitted so far; written by the submitting context
  uint32_t finished;    ///< known to have ended; of the completing context
  uint32_t head;        ///< called back; written by the completing context
  uint32_t origin;      ///< number of the job that is the device's index 0
  uint32_t submitting;  ///< the submitting context is in the ring
  uint32_t exclusive;   ///< the completing context wants the ring for itself
  uint32_t overflowed;  ///< mxe_irq() saw a refused doorbell
  uint64_t progress;    ///< the device's counters when last asked whether it moves
  const char* refused;  ///< what was wrong with the last argument that was; null: none was
  bool stopped;         ///< a reset has begun and not ended, or the device is closed
};

/// Asks what is there, and changes nothing. Needs of the port only the registers. Neither pointer
/// may be null.
/// Errors: ARGUMENT, NODEV, VERSION.
int mxe_identify(const struct mxe_port* port, struct mxe_capabilities* caps);

/// Identifies the device, stops whatever it was doing, hands it the ring, clears the counters and
/// enables it. The ring's memory and slots belong to the driver until mxe_close().
/// No pointer may be null, nor may ring->mem, ring->slots and the functions of the port that do not
/// say so.
///
/// Errors: ARGUMENT, NODEV, VERSION, RING, TIMEOUT (the device does not leave its reset), GONE,
/// PROTOCOL.
int mxe_open(struct mxe_device* dev, const struct mxe_port* port, const struct mxe_ring* ring);

/// Ends every job (with ABORTED if it had not finished), calls back, disables the device, masks its
/// interrupts and forgets the ring: the device touches no memory any more. For both contexts at
/// rest.
///
/// Errors: ARGUMENT, TIMEOUT (transfers did not end within `timeout_us`: the device may still write
/// to memory, nothing was given back, call again), BUSY, GONE (closed all the same).
int mxe_close(struct mxe_device* dev, uint32_t timeout_us);

/// Puts a job into the ring and rings the doorbell. Returns at once with the job's id, which is
/// never 0. Whether the job is legal is the device's to say; its completion tells. `options` may be
/// null; `dev`, `job` and `job_id` may not. Submitting context.
///
/// Errors: ARGUMENT (a null pointer, or no descriptor can hold this: mxe_explain() says which),
/// FULL (complete a job and try again), BUSY, STOPPED. Nothing was submitted then.
int mxe_submit(struct mxe_device* dev, const struct mxe_job* job, const struct mxe_options* options,
               uint32_t* job_id);

/// The same for `count` jobs with one doorbell; `options` hold for each of them. Submits as many as
/// there is room for and returns their number, at least 1; `job_ids` (may be null, as `options`
/// may) gets as many ids. `jobs` may not be null, and `count` not 0. Submitting context.
///
/// Errors, if none was submitted: as mxe_submit(). A job that no descriptor can hold ends the list
/// before it.
int mxe_submit_many(struct mxe_device* dev, const struct mxe_job* jobs, size_t count,
                    const struct mxe_options* options, uint32_t* job_ids);

/// The interrupt handler: tells whether the interrupt is this device's, and if so acknowledges it,
/// so that the line falls (or the next message comes). Call mxe_complete() afterwards, from
/// wherever callbacks may run. Safe at any time after mxe_open(), also on a shared line.
bool mxe_irq(struct mxe_device* dev);

/// Calls back for jobs that have ended, `budget` at most, in the order of submission. Ends jobs
/// whose deadline has passed. Never blocks. Completing context.
///
/// Returns the number of callbacks (jobs without one count too). If that is 0, one of the errors
/// GONE, OVERFLOW, PROTOCOL, TIMEOUT, STOPPED may be returned instead.
int mxe_complete(struct mxe_device* dev, uint32_t budget);

/// Completes jobs until a certain one has ended. Jobs may be waited for in any order, more than
/// once, or never; a result is kept until `entries` further jobs have ended. `completion` may be
/// null. Completing context.
///
/// `timeout_us` is the longest time without progress: it starts anew whenever a job ends, and when
/// the device's counters show that it works, so that a long job is no hang (give it a deadline). A
/// hang is reported after one to two times `timeout_us`. 0 looks once, without waiting.
///
/// Returns the completion's code, or TIMEOUT, UNKNOWN_JOB, GONE, INTERRUPT, OVERFLOW, PROTOCOL,
/// STOPPED, ARGUMENT. After TIMEOUT the job is still under way: wait again, cancel it or recover.
int mxe_wait(struct mxe_device* dev, uint32_t job_id, uint32_t timeout_us,
             struct mxe_completion* completion);

/// Takes a job from the device. It ends with MXE_ERR_ABORTED, in its turn; all others run in their
/// order. If it is running, the device is reset and the others are submitted again; its results may
/// be partly written. A job that ends in this moment keeps its own result. Completing context.
///
/// Errors: ARGUMENT, UNKNOWN_JOB (it has ended), BUSY (the other context is submitting: try again),
/// TIMEOUT, GONE, PROTOCOL, STOPPED.
int mxe_cancel(struct mxe_device* dev, uint32_t job_id);

/// After any error: resets the device and enables it with an empty ring. Jobs that had not finished
/// end with ABORTED; this calls back for all. The counters keep their values. Completing context.
///
/// Errors: ARGUMENT, TIMEOUT (transfers did not end within `timeout_us`; the device stays disabled
/// until the call is repeated), BUSY, GONE, PROTOCOL.
int mxe_recover(struct mxe_device* dev, uint32_t timeout_us);

/// Takes a snapshot of all counters and reads it. Jobs may be under way. `counters` may not be
/// null. Completing context.
/// Errors: ARGUMENT, GONE.
int mxe_read_counters(struct mxe_device* dev, struct mxe_counters* counters);

/// Sets all counters to zero. Completing context.
/// Errors: ARGUMENT.
int mxe_clear_counters(struct mxe_device* dev);

/// What a job touches, each from its first byte to its last, gaps between rows included.
struct mxe_extents {
  struct mxe_range a, a_scales, b, b_scales, c, d, d_scales;
};

/// Computes what a job touches, and refuses a job whose results would overwrite its operands or
/// scales, each other or the ring of `dev` (may be null), and one that touches bytes outside the
/// `count` ranges of `allowed` (null: everything is allowed). For who submits jobs of others;
/// mxe_submit() does not ask. Rows that interleave with equal strides do not overlap; with
/// different strides they count as overlapping. Any context.
///
/// `job` may not be null. `extents` (may be null) is complete after OK, OVERLAP and RANGE.
///
/// Errors: ARGUMENT, SHAPE, FORMAT, OUT_FORMAT (their sizes are unknown), ADDRESS, OVERLAP, RANGE.
int mxe_job_extents(const struct mxe_device* dev, const struct mxe_job* job,
                    const struct mxe_range* allowed, size_t count, struct mxe_extents* extents);

#ifdef __cplusplus
}
#endif

#endif  // MXE_DRIVER_H_
