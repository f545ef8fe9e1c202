// SPDX-License-Identifier: Apache-2.0
#include "mxe_driver.h"

// The ring is the driver's only store of jobs: entry (id - 1) mod entries holds the job's
// descriptor, whose first word is its id, and its completion record. The last tail - head jobs are
// under way, all others complete, and only the records of complete jobs are read. A record that the
// device does not write (failed fetch, reset) is written by the driver in its place.

enum {
  WORD = 4,
  ENTRY_WORDS = MXE_DESC_SIZE / WORD,
  MAX_ENTRIES = 1 << 15,       // so that 16-bit indices tell a full ring from an empty one
  IDLE_INTERRUPTS = 64,        // interrupts in a row without a completion: not a race any more
  PROBE_TIMEOUT_US = 1000000,  // for transfers of the previous user to end
  FAULT_VERSION_MINOR = 4,     // the first device that has FAULT_ADDR and FAULT_INFO
};

static const uint32_t all_ones = UINT32_C(0xffffffff);
static const uint32_t irq_sources =
    MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_ERROR_MASK | MXE_IRQ_MASK_RING_OVERFLOW_MASK;
static const uint32_t irq_events = MXE_IRQ_STATUS_DONE_MASK | MXE_IRQ_STATUS_ERROR_MASK |
                                   MXE_IRQ_STATUS_QUEUE_EMPTY_MASK |
                                   MXE_IRQ_STATUS_RING_OVERFLOW_MASK;

_Static_assert(MXE_ERR_DESCRIPTOR == -100 - (int)MXE_STATUS_ERR_DESCRIPTOR &&
                   MXE_ERR_ABORTED == -100 - (int)MXE_STATUS_ERR_ABORTED,
               "result codes follow the status codes");

// ------------------------------------------------------------------------------------- the port

static uint32_t read_reg(const struct mxe_device* dev, uint32_t offset) {
  return dev->port.read32(dev->port.ctx, offset);
}

static void write_reg(const struct mxe_device* dev, uint32_t offset, uint32_t value) {
  dev->port.write32(dev->port.ctx, offset, value);
}

static void relax(const struct mxe_device* dev) {
  if (dev->port.relax) dev->port.relax(dev->port.ctx);
}

static void barrier(const struct mxe_device* dev) {
  if (dev->port.barrier) dev->port.barrier(dev->port.ctx);
}

// ------------------------------------------------------------------------------------- the ring

static uint32_t little_endian(uint32_t value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (value >> 24) | ((value >> 8) & 0xff00u) | ((value << 8) & 0xff0000u) | (value << 24);
#else
  return value;
#endif
}

static void store(volatile uint32_t* entry, uint32_t offset, uint32_t value) {
  entry[offset / WORD] = little_endian(value);
}

static void store64(volatile uint32_t* entry, uint32_t offset, uint64_t value) {
  store(entry, offset, (uint32_t)value);
  store(entry, offset + WORD, (uint32_t)(value >> 32));
}

static uint32_t load(const volatile uint32_t* entry, uint32_t offset) {
  return little_endian(entry[offset / WORD]);
}

static uint64_t load64(const volatile uint32_t* entry, uint32_t offset) {
  return load(entry, offset) | (uint64_t)load(entry, offset + WORD) << 32;
}

static uint32_t ring_mask(const struct mxe_device* dev) { return dev->ring_entries - 1u; }

/// The entry of a free-running index or, with id - 1, of a job.
static volatile uint32_t* entry_at(const struct mxe_device* dev, uint32_t index) {
  return dev->ring + (size_t)(index & ring_mask(dev)) * ENTRY_WORDS;
}

/// The entry of a job, or null if the job is not known (any more).
static volatile uint32_t* entry_of(const struct mxe_device* dev, uint32_t job_id) {
  volatile uint32_t* entry = entry_at(dev, job_id - 1u);
  return job_id != 0 && load(entry, MXE_DESC_JOB_ID) == job_id ? entry : NULL;
}

static bool is_pending(const volatile uint32_t* entry) {
  return load(entry, MXE_DESC_STATUS) == MXE_STATUS_PENDING;
}

/// Completes a job in the device's place.
static void complete(volatile uint32_t* entry, uint32_t status) {
  store(entry, MXE_DESC_DONE_JOB_ID, load(entry, MXE_DESC_JOB_ID));
  store64(entry, MXE_DESC_CYCLES, 0);
  store(entry, MXE_DESC_STATUS, status);
}

static uint32_t jobs_under_way(const struct mxe_device* dev) {
  return (uint16_t)(dev->tail - dev->head);
}

/// Whether a job of the ring has not completed as far as is known: it is one of the last submitted.
static bool is_under_way(const struct mxe_device* dev, uint32_t job_id) {
  return ((dev->tail - job_id) & ring_mask(dev)) < jobs_under_way(dev);
}

/// Takes note of all jobs that have completed. The device moves its head after the completion
/// record is in memory; the one status without a record is a failed fetch.
static int update_head(struct mxe_device* dev) {
  if (dev->stopped) return MXE_ERR_STOPPED;
  const uint32_t value = read_reg(dev, MXE_REG_RING_HEAD);
  if (value == all_ones) return MXE_ERR_GONE;
  const uint16_t completed = (uint16_t)(value - dev->head);
  if (value > MXE_RING_HEAD_HEAD_MASK || completed > jobs_under_way(dev)) return MXE_ERR_PROTOCOL;
  barrier(dev);
  for (; dev->head != (uint16_t)value; ++dev->head) {
    volatile uint32_t* entry = entry_at(dev, dev->head);
    if (is_pending(entry)) complete(entry, MXE_STATUS_ERR_FETCH);
  }
  return MXE_OK;
}

/// The id after `id`: in the next ring entry, and not 0.
static uint32_t id_after(const struct mxe_device* dev, uint32_t id) {
  return id + 1u != 0 ? id + 1u : dev->ring_entries;
}

// -------------------------------------------------------------------------------- probe and reset

static void read_capabilities(struct mxe_device* dev, uint32_t version) {
  struct mxe_capabilities* caps = &dev->caps;
  caps->version_major = (uint8_t)(version >> MXE_VERSION_MAJOR_SHIFT);
  caps->version_minor = (uint8_t)(version >> MXE_VERSION_MINOR_SHIFT);
  caps->version_patch = (uint16_t)version;
#define READ_WORD(member, REGISTER) caps->member = read_reg(dev, MXE_REG_##REGISTER);
  MXE_CAPABILITY_WORDS(READ_WORD)
#undef READ_WORD
  const uint32_t features = read_reg(dev, MXE_REG_FEATURES);
#define READ_FLAG(member, FIELD) caps->member = (features & MXE_FEATURES_##FIELD##_MASK) != 0;
  MXE_CAPABILITY_FLAGS(READ_FLAG)
#undef READ_FLAG
}

static int identify(struct mxe_device* dev) {
  if (read_reg(dev, MXE_REG_ID) != MXE_ID_RESET) return MXE_ERR_NODEV;
  const uint32_t version = read_reg(dev, MXE_REG_VERSION);
  if ((version ^ MXE_VERSION_RESET) & MXE_VERSION_MAJOR_MASK) return MXE_ERR_VERSION;
  read_capabilities(dev, version);
  return MXE_OK;
}

static bool is_usable_ring(const struct mxe_device* dev, const void* mem, uint64_t bus_addr,
                           uint32_t entries) {
  return entries != 0 && (entries & (entries - 1u)) == 0 && entries <= MAX_ENTRIES &&
         entries <= dev->caps.queue_depth && bus_addr % MXE_DESC_SIZE == 0 &&
         (uintptr_t)mem % sizeof(uint64_t) == 0;
}

/// Disables the device, breaks off its job and waits until its bus is quiet.
static int stop(struct mxe_device* dev, uint32_t timeout_us) {
  write_reg(dev, MXE_REG_CTRL, MXE_CTRL_SOFT_RESET_MASK);
  for (uint32_t waited_us = 0;; waited_us++) {
    const uint32_t status = read_reg(dev, MXE_REG_STATUS);
    if (status == all_ones) return MXE_ERR_GONE;
    if (!(status & MXE_STATUS_RESETTING_MASK)) return MXE_OK;
    if (waited_us == timeout_us) return MXE_ERR_TIMEOUT;
    relax(dev);
  }
}

static uint32_t log2_of(uint32_t power_of_two) {
  uint32_t log2 = 0;
  while (power_of_two >> log2 != 1u) ++log2;
  return log2;
}

/// Enables a stopped device with an empty ring that begins wherever its head stands.
static int start(struct mxe_device* dev) {
  const uint32_t head = read_reg(dev, MXE_REG_RING_HEAD);
  if (head == all_ones) return MXE_ERR_GONE;
  if (head > MXE_RING_HEAD_HEAD_MASK) return MXE_ERR_PROTOCOL;
  dev->head = dev->tail = (uint16_t)head;
  dev->stopped = false;
  // Keep the entry of a job computable from its id: skip ids until both agree again.
  while (((dev->next_job - 1u) & ring_mask(dev)) != (head & ring_mask(dev))) {
    dev->next_job = id_after(dev, dev->next_job);
  }
  write_reg(dev, MXE_REG_RING_BASE_LO, (uint32_t)dev->ring_bus_addr);
  write_reg(dev, MXE_REG_RING_BASE_HI, (uint32_t)(dev->ring_bus_addr >> 32));
  write_reg(dev, MXE_REG_RING_SIZE_LOG2, log2_of(dev->ring_entries));
  write_reg(dev, MXE_REG_RING_TAIL, head);
  write_reg(dev, MXE_REG_IRQ_STATUS, irq_events);
  write_reg(dev, MXE_REG_IRQ_MASK, dev->port.wait_irq ? irq_sources : 0);
  write_reg(dev, MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
  return MXE_OK;
}

static void clear_ring(struct mxe_device* dev) {
  const size_t words = (size_t)dev->ring_entries * ENTRY_WORDS;
  for (size_t i = 0; i < words; i++) dev->ring[i] = 0;
  barrier(dev);
}

int mxe_probe(struct mxe_device* dev, const struct mxe_port* port, void* ring_mem,
              uint64_t ring_bus_addr, uint32_t ring_entries) {
  if (!dev || !port || !port->read32 || !port->write32 || !ring_mem) return MXE_ERR_ARGUMENT;
  dev->port = *port;
  dev->ring = NULL;
  int code = identify(dev);
  if (code != MXE_OK) return code;
  if (!is_usable_ring(dev, ring_mem, ring_bus_addr, ring_entries)) return MXE_ERR_RING;
  code = stop(dev, PROBE_TIMEOUT_US);
  if (code != MXE_OK) return code;
  dev->stopped = true;
  dev->ring = (volatile uint32_t*)ring_mem;
  dev->ring_bus_addr = ring_bus_addr;
  dev->ring_entries = ring_entries;
  dev->next_job = 1;
  clear_ring(dev);
  code = start(dev);
  if (code == MXE_OK) code = mxe_counters_clear(dev);
  if (code != MXE_OK) dev->ring = NULL;
  return code;
}

static bool is_probed(const struct mxe_device* dev) { return dev && dev->ring; }

int mxe_reset(struct mxe_device* dev, uint32_t timeout_us) {
  if (!is_probed(dev)) return MXE_ERR_ARGUMENT;
  int code = update_head(dev);  // a soft reset may move the head: tell now who has finished
  if (code == MXE_ERR_GONE) return code;
  dev->stopped = true;
  code = stop(dev, timeout_us);
  if (code != MXE_OK) return code;
  barrier(dev);
  for (; dev->head != dev->tail; ++dev->head) {
    volatile uint32_t* entry = entry_at(dev, dev->head);
    if (is_pending(entry)) complete(entry, MXE_STATUS_ERR_ABORTED);
  }
  return start(dev);
}

// ------------------------------------------------------------------------------------------ jobs

static void write_descriptor(volatile uint32_t* entry, const struct mxe_job* job, uint32_t id) {
  for (uint32_t i = 0; i < ENTRY_WORDS; i++) entry[i] = 0;
  store(entry, MXE_DESC_JOB_ID, id);
  store(entry, MXE_DESC_CONTROL,
        job->format_a << MXE_DESC_CONTROL_FMT_A_SHIFT |
            job->format_b << MXE_DESC_CONTROL_FMT_B_SHIFT |
            job->out_format << MXE_DESC_CONTROL_OUT_FMT_SHIFT |
            job->out_rule << MXE_DESC_CONTROL_OUT_RULE_SHIFT |
            (job->out_overflow ? MXE_DESC_CONTROL_OUT_OVERFLOW_MASK : 0) |
            (job->bias ? MXE_DESC_CONTROL_BIAS_EN_MASK : 0) |
            (job->bias_bf16 ? MXE_DESC_CONTROL_BIAS_BF16_MASK : 0));
  store(entry, MXE_DESC_M, job->m);
  store(entry, MXE_DESC_N, job->n);
  store(entry, MXE_DESC_K, job->k);
  store64(entry, MXE_DESC_A_ADDR, job->a_addr);
  store64(entry, MXE_DESC_B_ADDR, job->b_addr);
  store64(entry, MXE_DESC_A_SCALE_ADDR, job->a_scale_addr);
  store64(entry, MXE_DESC_B_SCALE_ADDR, job->b_scale_addr);
  store64(entry, MXE_DESC_C_ADDR, job->c_addr);
  store64(entry, MXE_DESC_D_ADDR, job->d_addr);
  store64(entry, MXE_DESC_D_SCALE_ADDR, job->d_scale_addr);
  store(entry, MXE_DESC_A_STRIDE, job->a_stride);
  store(entry, MXE_DESC_B_STRIDE, job->b_stride);
  store(entry, MXE_DESC_A_SCALE_STRIDE, job->a_scale_stride);
  store(entry, MXE_DESC_B_SCALE_STRIDE, job->b_scale_stride);
  store(entry, MXE_DESC_C_STRIDE, job->c_stride);
  store(entry, MXE_DESC_D_STRIDE, job->d_stride);
  store(entry, MXE_DESC_D_SCALE_STRIDE, job->d_scale_stride);
}

static bool fits(uint32_t value, uint32_t mask, unsigned shift) { return value <= mask >> shift; }

/// A code that does not fit its field would reach the device as another one.
static bool is_encodable(const struct mxe_job* job) {
  return fits(job->format_a, MXE_DESC_CONTROL_FMT_A_MASK, MXE_DESC_CONTROL_FMT_A_SHIFT) &&
         fits(job->format_b, MXE_DESC_CONTROL_FMT_B_MASK, MXE_DESC_CONTROL_FMT_B_SHIFT) &&
         fits(job->out_format, MXE_DESC_CONTROL_OUT_FMT_MASK, MXE_DESC_CONTROL_OUT_FMT_SHIFT) &&
         fits(job->out_rule, MXE_DESC_CONTROL_OUT_RULE_MASK, MXE_DESC_CONTROL_OUT_RULE_SHIFT);
}

int mxe_submit(struct mxe_device* dev, const struct mxe_job* job, uint32_t* job_id) {
  if (!is_probed(dev) || !job || !job_id || !is_encodable(job)) return MXE_ERR_ARGUMENT;
  if (dev->stopped) return MXE_ERR_STOPPED;
  if (jobs_under_way(dev) == dev->ring_entries) {
    const int code = update_head(dev);
    if (code != MXE_OK) return code;
    if (jobs_under_way(dev) == dev->ring_entries) return MXE_ERR_FULL;
  }
  const uint32_t id = dev->next_job;
  write_descriptor(entry_at(dev, dev->tail), job, id);
  ++dev->tail;
  dev->next_job = id_after(dev, id);
  *job_id = id;
  barrier(dev);
  write_reg(dev, MXE_REG_RING_TAIL, dev->tail);
  return MXE_OK;
}

/// Why nothing came: a refused doorbell explains it better than time does.
static int explain_timeout(struct mxe_device* dev) {
  const uint32_t events = read_reg(dev, MXE_REG_IRQ_STATUS);
  if (events == all_ones) return MXE_ERR_GONE;
  return events & MXE_IRQ_STATUS_RING_OVERFLOW_MASK ? MXE_ERR_OVERFLOW : MXE_ERR_TIMEOUT;
}

/// Polls until a job completes.
static int poll_progress(struct mxe_device* dev, uint32_t timeout_us) {
  const uint16_t old_head = dev->head;
  for (uint32_t waited_us = 0; waited_us != timeout_us; waited_us++) {
    relax(dev);
    const int code = update_head(dev);
    if (code != MXE_OK || dev->head != old_head) return code;
  }
  return explain_timeout(dev);
}

/// Sleeps until a job completes. The events are cleared before the head is read: a job that
/// completes in between raises the line again or is seen in the head.
static int await_interrupt(struct mxe_device* dev, uint32_t timeout_us) {
  const uint16_t old_head = dev->head;
  for (int idle = 0; idle < IDLE_INTERRUPTS; idle++) {
    const int woken = timeout_us ? dev->port.wait_irq(dev->port.ctx, timeout_us) : MXE_ERR_TIMEOUT;
    if (woken != MXE_OK && woken != MXE_ERR_TIMEOUT) return MXE_ERR_INTERRUPT;
    const uint32_t events = read_reg(dev, MXE_REG_IRQ_STATUS);
    if (events == all_ones) return MXE_ERR_GONE;
    write_reg(dev, MXE_REG_IRQ_STATUS, events);
    const int code = update_head(dev);
    if (code != MXE_OK || dev->head != old_head) return code;
    if (events & MXE_IRQ_STATUS_RING_OVERFLOW_MASK) return MXE_ERR_OVERFLOW;
    if (woken == MXE_ERR_TIMEOUT) return MXE_ERR_TIMEOUT;
  }
  return MXE_ERR_INTERRUPT;
}

/// Every status of the device has a code of its own.
static int code_of_status(uint32_t status) {
  if (status == MXE_STATUS_OK) return MXE_OK;
  if (status < MXE_STATUS_ERR_DESCRIPTOR || status > MXE_STATUS_ERR_ABORTED) {
    return MXE_ERR_PROTOCOL;
  }
  return -100 - (int)status;
}

/// Where a job met a bus error, if the device still knows: its registers have the last such job.
static void read_fault(const struct mxe_device* dev, uint32_t job_id,
                       struct mxe_completion* completion) {
  if (dev->caps.version_minor < FAULT_VERSION_MINOR) return;
  const uint32_t info = read_reg(dev, MXE_REG_FAULT_INFO);
  const uint32_t low = read_reg(dev, MXE_REG_FAULT_ADDR_LO);
  const uint64_t high = read_reg(dev, MXE_REG_FAULT_ADDR_HI);
  const uint32_t index = info >> MXE_FAULT_INFO_INDEX_SHIFT;
  // Another job may fail between the reads.
  if (read_reg(dev, MXE_REG_FAULT_INFO) != info || info == all_ones) return;
  if (((index ^ (job_id - 1u)) & ring_mask(dev)) != 0) return;
  completion->fault_operand = info & MXE_FAULT_INFO_OPERAND_MASK;
  completion->fault_addr = low | high << 32;
}

static bool is_bus_error(int code) {
  return code == MXE_ERR_READ || code == MXE_ERR_WRITE || code == MXE_ERR_FETCH;
}

static int report(const struct mxe_device* dev, const volatile uint32_t* entry, uint32_t job_id,
                  struct mxe_completion* completion) {
  const uint32_t done_id = load(entry, MXE_DESC_DONE_JOB_ID);
  const uint32_t status = load(entry, MXE_DESC_STATUS);
  if (completion) {
    completion->job_id = done_id;
    completion->status = status;
    completion->cycles = load64(entry, MXE_DESC_CYCLES);
    completion->fault_operand = MXE_FAULT_NONE;
    completion->fault_addr = 0;
  }
  const int code = done_id == job_id ? code_of_status(status) : MXE_ERR_PROTOCOL;
  if (completion && is_bus_error(code)) read_fault(dev, job_id, completion);
  return code;
}

int mxe_wait(struct mxe_device* dev, uint32_t job_id, uint32_t timeout_us,
             struct mxe_completion* completion) {
  if (!is_probed(dev)) return MXE_ERR_ARGUMENT;
  const volatile uint32_t* entry = entry_of(dev, job_id);
  if (!entry) return MXE_ERR_UNKNOWN_JOB;
  int code = is_under_way(dev, job_id) ? update_head(dev) : MXE_OK;
  while (code == MXE_OK && is_under_way(dev, job_id)) {
    code = dev->port.wait_irq ? await_interrupt(dev, timeout_us) : poll_progress(dev, timeout_us);
  }
  return code == MXE_OK ? report(dev, entry, job_id, completion) : code;
}

// -------------------------------------------------------------------------------------- counters

static uint64_t read_counter(const struct mxe_device* dev, uint32_t offset_lo) {
  const uint32_t low = read_reg(dev, offset_lo);
  return low | (uint64_t)read_reg(dev, offset_lo + WORD) << 32;
}

/// Gives one of the pulses of CTRL and keeps the engine enabled or disabled as it is.
static void pulse(const struct mxe_device* dev, uint32_t pulse_mask) {
  const uint32_t enable = read_reg(dev, MXE_REG_CTRL) & MXE_CTRL_ENABLE_MASK;
  write_reg(dev, MXE_REG_CTRL, enable | pulse_mask);
}

int mxe_counters(struct mxe_device* dev, struct mxe_counters* counters) {
  if (!is_probed(dev) || !counters) return MXE_ERR_ARGUMENT;
  pulse(dev, MXE_CTRL_COUNTER_SNAPSHOT_MASK);
#define READ_COUNTER(member, COUNTER) counters->member = read_counter(dev, MXE_REG_##COUNTER##_LO);
  MXE_COUNTERS(READ_COUNTER)
#undef READ_COUNTER
  return read_reg(dev, MXE_REG_ID) == MXE_ID_RESET ? MXE_OK : MXE_ERR_GONE;
}

int mxe_counters_clear(struct mxe_device* dev) {
  if (!is_probed(dev)) return MXE_ERR_ARGUMENT;
  pulse(dev, MXE_CTRL_COUNTER_CLEAR_MASK);
  return MXE_OK;
}

// ------------------------------------------------------------------------------------------ text

const char* mxe_strerror(int code) {
  switch (code) {
    case MXE_OK:
      return "success";
    case MXE_ERR_NODEV:
      return "no MXE at this address";
    case MXE_ERR_VERSION:
      return "the device's major version is not the driver's";
    case MXE_ERR_ARGUMENT:
      return "null pointer or value out of range";
    case MXE_ERR_RING:
      return "ring misaligned, or its size not a power of two up to the queue depth";
    case MXE_ERR_FULL:
      return "the ring is full of unfinished jobs";
    case MXE_ERR_TIMEOUT:
      return "timeout";
    case MXE_ERR_UNKNOWN_JOB:
      return "unknown job, or its result has been overwritten by a later job";
    case MXE_ERR_GONE:
      return "the device does not answer any more";
    case MXE_ERR_INTERRUPT:
      return "waiting for the interrupt failed";
    case MXE_ERR_OVERFLOW:
      return "the device refused a doorbell";
    case MXE_ERR_PROTOCOL:
      return "the device broke the protocol";
    case MXE_ERR_STOPPED:
      return "a reset failed half-way, reset again";
    case MXE_ERR_DESCRIPTOR:
      return "a reserved bit of the descriptor is set";
    case MXE_ERR_SHAPE:
      return "M, N or K is zero";
    case MXE_ERR_FORMAT:
      return "unknown element format";
    case MXE_ERR_PAIR:
      return "this device does not support this pair of formats";
    case MXE_ERR_OUT_FORMAT:
      return "this device does not support this output format";
    case MXE_ERR_ALIGN:
      return "an address or stride of C or D is not a multiple of the size of its numbers";
    case MXE_ERR_READ:
      return "bus error while reading operands";
    case MXE_ERR_WRITE:
      return "bus error while writing results";
    case MXE_ERR_FETCH:
      return "bus error while reading the descriptor";
    case MXE_ERR_ABORTED:
      return "stopped by a reset";
    default:
      return "unknown error";
  }
}
