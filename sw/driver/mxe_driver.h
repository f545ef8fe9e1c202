// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the MXE matrix engine: D = A * B^T + C with operands in microscaling formats.
///
/// Plain C11. It needs no library, no heap, no operating system and no memcpy. All accesses to the
/// platform go through struct mxe_port, so the same file runs on the model, on simulated RTL, on
/// bare metal and in a kernel.
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
/// Every function that returns int returns MXE_OK (or a count) or one of the negative codes of enum
/// mxe_result_code.
///
/// Contexts: one thread may submit jobs while another completes them, without a lock. Each function
/// below names its context, submitting or completing. mxe_irq() may interrupt both. A program with
/// a single thread may call every function, also from within completion callbacks.
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

/// Result codes. A code below -100 is the status of a job: -100 minus the status code of its
/// completion record. Example: MXE_STATUS_ERR_READ is 8, so MXE_ERR_READ is -108.
enum mxe_result_code {
  MXE_OK = 0,
  MXE_ERR_NODEV = -1,        ///< the identification register does not name an MXE
  MXE_ERR_VERSION = -2,      ///< the device's major version differs from the driver's
  MXE_ERR_ARGUMENT = -3,     ///< a null pointer, a closed device, a value out of range
  MXE_ERR_RING = -4,         ///< the ring is misaligned or its number of entries is not allowed
  MXE_ERR_FULL = -5,         ///< every entry of the ring holds a job not yet called back
  MXE_ERR_TIMEOUT = -6,      ///< no progress within the timeout
  MXE_ERR_UNKNOWN_JOB = -7,  ///< never submitted, or completed too long ago (see mxe_wait())
  MXE_ERR_GONE = -8,         ///< registers read as all ones: the device is unpowered or unplugged
  MXE_ERR_INTERRUPT = -9,    ///< the port cannot wait for the interrupt
  MXE_ERR_OVERFLOW = -10,    ///< the device refused a doorbell; call mxe_recover()
  MXE_ERR_PROTOCOL = -11,    ///< the device returned an impossible index, record or status
  MXE_ERR_STOPPED = -12,     ///< a reset did not complete; call mxe_recover() or mxe_close()
  MXE_ERR_BUSY = -13,        ///< the other context is using the ring; try again
  MXE_ERR_DEADLINE = -14,    ///< the job's deadline passed before it ended
  MXE_ERR_OVERLAP = -15,     ///< results would overwrite operands, themselves or the ring
  MXE_ERR_ADDRESS = -16,     ///< an operand or result reaches beyond the last 64-bit address
  MXE_ERR_RANGE = -17,       ///< a range of mxe_job_extents() holds no such operand or result

  MXE_ERR_DESCRIPTOR = -102,  ///< a reserved bit of the descriptor is set
  MXE_ERR_SHAPE = -103,       ///< m, n or k is zero
  MXE_ERR_FORMAT = -104,      ///< no such element format
  MXE_ERR_PAIR = -105,        ///< this device does not multiply the two operands
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
struct mxe_queue;

/// One line of English for a result code, without a full stop. Never null.
const char* mxe_strerror(int code);

/// As mxe_strerror(), but for MXE_ERR_ARGUMENT it names the refused argument, for example "job_id
/// is null". Call it directly after a function with a non-const `dev` has returned that code: the
/// driver keeps only the last refusal, whichever context it happened in. mxe_job_extents() and
/// mxe_identify() keep none: use mxe_strerror() after them. `dev` may be null.
const char* mxe_explain(const struct mxe_device* dev, int code);

/// How the driver reaches the device. The driver copies this table. A member may be null only if
/// its comment says so; even then the driver prevents the compiler from reordering accesses.
struct mxe_port {
  void* ctx;  ///< first argument of every function below

  /// Reads or writes one 32-bit register, in the host's byte order; `offset` is in bytes. Accesses
  /// must reach the device in program order.
  uint32_t (*read32)(void* ctx, uint32_t offset);
  void (*write32)(void* ctx, uint32_t offset, uint32_t value);

  /// Monotonic time in microseconds, for deadlines and timeouts.
  uint64_t (*now_us)(void* ctx);

  /// True if an interrupt handler calls mxe_irq(). If false and wait_irq is null, interrupts are
  /// masked.
  bool interrupts;

  /// Blocks until the interrupt line is high, at most `timeout_us`. Returns 0 if it is or was high
  /// or any interrupt on a shared line arrived, MXE_ERR_TIMEOUT if none arrived, another negative
  /// number if it cannot wait. Null: mxe_wait() polls.
  int (*wait_irq)(void* ctx, uint32_t timeout_us);

  /// Called between two polls: a short pause. May be null.
  void (*relax)(void* ctx);

  /// Memory barriers. wmb: earlier memory writes before later register writes. rmb: earlier
  /// register reads before later memory reads. RISC-V: `fence iorw, iorw`; Arm: `dmb osh` or `dsb`.
  /// Null if the host keeps that order without them (simulation).
  void (*wmb)(void* ctx);
  void (*rmb)(void* ctx);

  /// Cache maintenance for a ring in cached, non-coherent memory: write back (for_device) or
  /// invalidate (for_host) the lines of `len` bytes at `addr`. The caller maintains the operands.
  /// Null if the ring is coherent or uncached.
  void (*sync_for_device)(void* ctx, const void* addr, size_t len);
  void (*sync_for_host)(void* ctx, void* addr, size_t len);

  /// Null: the driver owns the engine, and uses its registers and the ring. Else the engine belongs
  /// to another driver, which accepts jobs; then read32 is called only by mxe_identify() and
  /// mxe_open(), now_us as above, and the other functions of this structure may be null.
  const struct mxe_queue* queue;
};

/// One matrix product, D[m][n] = C[m][n] + sum over k of A[m][k] * B[n][k], or `batch` products of
/// the same shape. Their matrices are stacked: A[batch * m][k], B[batch * n][k], D and C
/// [batch * m][n], scales likewise. A product must not read memory that another product of the same
/// job writes. Addresses are bus addresses. docs/driver.md describes the layouts.
struct mxe_job {
  uint32_t format_a, format_b;  ///< MXE_FORMAT_...
  uint32_t out_format;          ///< MXE_OUT_...
  uint32_t out_rule;            ///< MXE_RULE_..., scale rule of MX results; else ignored
  bool out_overflow;            ///< MX results: overflow gives NaN or infinity, else saturates
  bool bias;                    ///< the sums start at C instead of zero
  bool bias_bf16;               ///< C is BF16 instead of FP32
  bool alpha;                   ///< D = alpha_bits * sums + C instead of sums that start at C
  uint32_t alpha_bits;          ///< FP32; ignored without alpha
  uint32_t scale_a, scale_b;    ///< MXE_SCALE_...
  uint32_t block_a, block_b;    ///< MXE_BLOCK_..., elements along k that share a scale
  uint32_t m, n, k;             ///< shape in elements, each at least 1
  uint32_t batch;               ///< number of products, at most 65535; 0 means 1

  uint64_t a_addr, a_scale_addr;  ///< A[m][k], scales [m][ceil(k / block)]; any alignment
  uint64_t b_addr, b_scale_addr;  ///< B[n][k], scales [n][ceil(k / block)]; any alignment
  uint64_t c_addr;                ///< C[m][n], a multiple of 4 (BF16: 2); 0 without bias
  uint64_t d_addr;                ///< D[m][n], a multiple of 4 (BF16, FP16: 2; MX: 1)
  uint64_t d_scale_addr;          ///< scales of an MX result [m][ceil(n/32)]; else ignored

  uint32_t a_stride, a_scale_stride;  ///< bytes from row to row
  uint32_t b_stride, b_scale_stride;
  uint32_t c_stride;  ///< a multiple as for c_addr; 0: one row of C for all rows of D
  uint32_t d_stride;  ///< a multiple as for d_addr
  uint32_t d_scale_stride;
};

/// How a job ended.
struct mxe_completion {
  uint32_t job_id;
  int code;         ///< MXE_OK if the results are in memory, else the error
  uint32_t status;  ///< MXE_STATUS_... of the record; ERR_ABORTED if the driver ended the job
  uint64_t cycles;  ///< from the descriptor's fetch to the completion; 0 if unknown

  /// The bus error after MXE_ERR_READ, WRITE and FETCH: operand (MXE_FAULT_...), direction, and bus
  /// address of the read beat or of the write burst. MXE_FAULT_NONE, false and 0 after any other
  /// result, if the device has no fault registers, or if a later job has met an error since.
  uint32_t fault_operand;
  bool fault_write;
  uint64_t fault_addr;
};

/// An engine that belongs to another driver, for example to the kernel of an operating system. It
/// accepts jobs instead of descriptors. Each job is in a place, 0 to ring.entries - 1, from its
/// submission until wait() has returned its result. Example: with 4 entries the jobs are in the
/// places 0, 1, 2, 3, 0, ... Jobs end in the order of submission. `ctx` is that of the port.
struct mxe_queue {
  /// Submits a job. It ends with MXE_ERR_DEADLINE if it has not ended at `deadline_us` on the
  /// port's clock (0: no deadline). If it cannot be submitted, wait() reports the reason.
  void (*submit)(void* ctx, uint32_t place, const struct mxe_job* job, uint64_t deadline_us);

  /// Waits for the job in `place`, at most `timeout_us` (0: does not wait). Returns MXE_OK if the
  /// job has ended, and stores its result, without job_id. Else returns TIMEOUT or GONE.
  int (*wait)(void* ctx, uint32_t place, uint32_t timeout_us, struct mxe_completion* completion);

  /// Cancels the job in `place`; reset() cancels all jobs. Afterwards the engine accesses none of
  /// their memory. wait() still reports how they end. Return MXE_OK or GONE.
  int (*cancel)(void* ctx, uint32_t place);
  int (*reset)(void* ctx);

  /// Reads all counters in one cycle, or sets them to zero. Return MXE_OK or GONE.
  int (*read_counters)(void* ctx, struct mxe_counters* counters);
  int (*clear_counters)(void* ctx);
};

/// Called once for each job, in the order of submission, by mxe_complete(), mxe_wait(),
/// mxe_recover() or mxe_close(). The job's ring entry is already free, so the callback may submit.
typedef void (*mxe_callback)(void* user, const struct mxe_completion* completion);

/// Options of a submission. All zero: no deadline, no callback.
struct mxe_options {
  /// Deadline on the port's clock, in microseconds; 0: none. An unfinished job then ends with
  /// MXE_ERR_DEADLINE. It is checked by mxe_complete() and mxe_wait(), or by the owner of a queue.
  uint64_t deadline_us;
  mxe_callback done;  ///< may be null
  void* user;         ///< first argument of `done`
};

/// A range of bus addresses, in bytes; empty if `size` is 0.
struct mxe_range {
  uint64_t addr, size;
};

/// The driver's state of a job: one per ring entry, in ordinary host memory.
struct mxe_slot {
  uint32_t id;
  int abandoned;  ///< result code if the driver ends the job, else MXE_OK
  struct mxe_options options;
  struct mxe_completion result;  ///< of the last job that completed in this slot
  struct mxe_range written[2];   ///< ranges that the job writes: D and its scales
};

/// The driver's memory from mxe_open() to mxe_close(). The device accesses only `mem`.
struct mxe_ring {
  void* mem;               ///< host address of 128 * entries bytes, a multiple of 8
  uint64_t bus_addr;       ///< bus address of the same memory, a multiple of 128
  struct mxe_slot* slots;  ///< array of `entries` slots
  uint32_t entries;        ///< a power of two, at most caps.queue_depth
};

/// A device in use. mxe_open() fills it. Programs may read `caps`; the rest is private.
struct mxe_device {
  struct mxe_capabilities caps;

  struct mxe_port port;
  volatile uint32_t* ring;  ///< ring memory as words; null before mxe_open() and after mxe_close()
  uint64_t ring_bus_addr;
  uint32_t ring_entries;
  struct mxe_slot* slots;

  // Job number s, counted from mxe_open() on, uses slot s mod entries. head <= finished <= tail,
  // modulo 2^32. Head 3, finished 5, tail 8: callbacks of 3 and 4 are due, the device has 5 to 7.
  uint32_t next_id;     ///< used by the submitting context only
  uint32_t tail;        ///< jobs submitted; written by the submitting context
  uint32_t finished;    ///< jobs that the driver has seen end; used by the completing context only
  uint32_t head;        ///< jobs called back; written by the completing context
  uint32_t origin;      ///< number of the job with device index 0
  uint32_t submitting;  ///< the submitting context is using the ring
  uint32_t exclusive;   ///< the completing context needs exclusive use of the ring
  uint32_t overflowed;  ///< mxe_irq() or mxe_wait() has read a refused doorbell
  uint64_t progress;    ///< sum of the device's work counters at the last check for progress
  const char* refused;  ///< reason of the last MXE_ERR_ARGUMENT; null: none so far
  bool stopped;         ///< a reset has begun and not ended, or the device is closed
};

/// Reads the device's version and capabilities and changes nothing. Uses only port->read32. Neither
/// pointer may be null. Errors: ARGUMENT, NODEV, VERSION.
int mxe_identify(const struct mxe_port* port, struct mxe_capabilities* caps);

/// Identifies the device, resets it, sets up the ring, clears the counters and enables the device.
/// The ring's memory and slots belong to the driver until mxe_close(). No pointer may be null,
/// including ring->mem, ring->slots and the port's mandatory functions.
///
/// Errors: ARGUMENT, NODEV, VERSION, RING, TIMEOUT (the reset does not end), GONE, PROTOCOL.
int mxe_open(struct mxe_device* dev, const struct mxe_port* port, const struct mxe_ring* ring);

/// Ends every job (with ABORTED if it had not finished), runs the callbacks, disables the device
/// and masks its interrupts. Afterwards the device accesses no memory. Neither context may be
/// active.
///
/// Errors: ARGUMENT, TIMEOUT (transfers did not end within `timeout_us`: the device may still write
/// to memory and stays open; call again), BUSY, GONE (the device is closed nevertheless).
int mxe_close(struct mxe_device* dev, uint32_t timeout_us);

/// Writes a job to the ring and rings the doorbell. Returns at once and stores the job's id, which
/// is never 0. The device checks the job; its completion reports an illegal one. `options` may be
/// null; `dev`, `job` and `job_id` may not. Submitting context.
///
/// Errors, without a submission: ARGUMENT (a null pointer, or a value too large for its descriptor
/// field; mxe_explain() names it), FULL (complete a job and try again), BUSY, STOPPED.
int mxe_submit(struct mxe_device* dev, const struct mxe_job* job, const struct mxe_options* options,
               uint32_t* job_id);

/// Submits up to `count` jobs with one doorbell; `options` applies to each of them. Returns the
/// number submitted, at least 1, and stores their ids in `job_ids`. Example: 5 jobs, 3 free
/// entries: returns 3. `options` and `job_ids` may be null; `jobs` may not, and `count` must not be
/// 0. Submitting context.
///
/// Errors, if no job was submitted: as mxe_submit(). Submission stops before a job with a value too
/// large for its descriptor field.
int mxe_submit_many(struct mxe_device* dev, const struct mxe_job* jobs, size_t count,
                    const struct mxe_options* options, uint32_t* job_ids);

/// Interrupt handler. Returns true if this device raised the interrupt, and then clears its cause,
/// so that the line falls (or the next MSI can be sent). Call mxe_complete() afterwards, in a
/// context in which callbacks may run. Safe at any time after mxe_open(), also on a shared line.
bool mxe_irq(struct mxe_device* dev);

/// Runs the callbacks of at most `budget` ended jobs, in the order of submission. Ends jobs whose
/// deadline has passed. Does not wait, except at most 1 s for the reset that may end such a job.
/// Completing context.
///
/// Returns the number of callbacks (jobs without one count too). If that is 0, one of the errors
/// GONE, OVERFLOW, PROTOCOL, TIMEOUT, STOPPED, ARGUMENT may be returned instead.
int mxe_complete(struct mxe_device* dev, uint32_t budget);

/// Completes jobs until job `job_id` has ended. Jobs may be waited for in any order, several times,
/// or never. A result is kept until `entries` later jobs have ended. `completion` may be null.
/// Completing context.
///
/// `timeout_us` limits the time without progress. It restarts when a job ends or when the device's
/// counters have advanced, so a long job does not time out (a deadline limits it). A hang is
/// reported after one to two times `timeout_us`. 0 checks once, without waiting.
///
/// Returns the completion's code, or TIMEOUT, UNKNOWN_JOB, GONE, INTERRUPT, OVERFLOW, PROTOCOL,
/// STOPPED, ARGUMENT. After TIMEOUT the job is still in the ring: wait again, cancel it or recover.
int mxe_wait(struct mxe_device* dev, uint32_t job_id, uint32_t timeout_us,
             struct mxe_completion* completion);

/// Cancels a job: it ends with MXE_ERR_ABORTED, after the jobs before it; all others run in order.
/// If the device may already have read its descriptor, the device is reset and the other jobs are
/// submitted again; the results of the cancelled job may be partly written. A job that ends during
/// the call keeps its result. Completing context.
///
/// Errors: ARGUMENT, UNKNOWN_JOB (never submitted, or ended), BUSY (the other context is
/// submitting: try again), TIMEOUT, GONE, PROTOCOL, STOPPED.
int mxe_cancel(struct mxe_device* dev, uint32_t job_id);

/// Resets the device after any error and enables it with an empty ring. Jobs that had not finished
/// end with ABORTED; all callbacks run. The counters keep their values. Completing context.
///
/// Errors: ARGUMENT, TIMEOUT (transfers did not end within `timeout_us`; the device stays disabled
/// until the call is repeated), BUSY, GONE, PROTOCOL.
int mxe_recover(struct mxe_device* dev, uint32_t timeout_us);

/// Takes a snapshot of all counters and reads it, also while jobs run. `counters` may not be null.
/// Completing context. Errors: ARGUMENT, GONE.
int mxe_read_counters(struct mxe_device* dev, struct mxe_counters* counters);

/// Sets all counters to zero. Completing context. Errors: ARGUMENT, GONE (with a queue).
int mxe_clear_counters(struct mxe_device* dev);

/// Checks a job by the rules of the device with these capabilities, in its order, before a
/// doorbell. Returns MXE_OK, or the code with which the job would end. Example: FP32 results at
/// address 0x1002 give MXE_ERR_ALIGN and the rule "job->d_addr and job->d_stride must be multiples
/// of 4". `rule` (may be null) receives the first broken rule, one line of English without a full
/// stop, or null. mxe_job_extents() checks the memory of the job. Any context.
///
/// Errors: ARGUMENT (a null pointer, or a value too large for its descriptor field), DESCRIPTOR (a
/// member that an older or smaller device does not have), SHAPE, FORMAT, PAIR, OUT_FORMAT, ALIGN.
int mxe_job_check(const struct mxe_capabilities* caps, const struct mxe_job* job,
                  const char** rule);

/// Writes the descriptor of a job to `entry`, MXE_DESC_SIZE bytes, as mxe_submit() writes it to the
/// ring, but without CONTROL.early. For test benches and other software that owns a ring. Any
/// context.
///
/// Errors: ARGUMENT (a null pointer, or a value too large for its descriptor field).
int mxe_job_pack(const struct mxe_job* job, uint32_t job_id, uint32_t* entry);

/// Memory that a job accesses: each range from its first byte to its last, including the gaps
/// between rows. Example: 2 rows of 32 bytes with a stride of 64: 96 bytes.
struct mxe_extents {
  struct mxe_range a;
  struct mxe_range a_scales;
  struct mxe_range b;
  struct mxe_range b_scales;
  struct mxe_range c;
  struct mxe_range d;
  struct mxe_range d_scales;
};

/// Computes the memory that a job accesses and checks it. OVERLAP: the results would overwrite
/// operands, scales, themselves or the ring of `dev` (which may be null). RANGE: an operand or
/// result lies in none of the `count` ranges of `allowed` (null: everything is allowed); adjacent
/// ranges are not joined. Use it before submitting untrusted jobs; mxe_submit() does not check
/// this. Rows that interleave with equal strides do not overlap; with different strides they count
/// as overlapping. Any context.
///
/// `job` may not be null. `extents` (may be null) is complete after OK, OVERLAP and RANGE.
///
/// Errors: ARGUMENT, SHAPE, FORMAT, OUT_FORMAT (sizes unknown), ADDRESS, OVERLAP, RANGE.
int mxe_job_extents(const struct mxe_device* dev, const struct mxe_job* job,
                    const struct mxe_range* allowed, size_t count, struct mxe_extents* extents);

#ifdef __cplusplus
}
#endif

#endif  // MXE_DRIVER_H_
