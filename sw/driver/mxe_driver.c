// SPDX-License-Identifier: Apache-2.0
#include "mxe_driver.h"

// Jobs are numbered from mxe_open() on, modulo 2^32. Job s uses slot s mod entries and the device's
// 16-bit index s - origin; a reset of the device moves the origin. States of job s:
//
//     head <= s < finished   ended; its slot holds the result, its callback has not run
//     finished <= s < tail   submitted; the driver has not seen it end
//
// The submitting context writes `tail`, next_id, `submitting`, and the slots and ring entries from
// `tail` on; mxe_irq() and mxe_wait() set `overflowed`, any function sets `refused`. The completing
// context writes everything else; advancing `head` frees entries. A reset of the device moves ring
// entries, so the completing context then excludes the submitting one (`exclusive`).

enum {
  WORD = 4,
  ENTRY_WORDS = MXE_DESC_SIZE / WORD,
  RECORD_SIZE = MXE_DESC_SIZE - MXE_DESC_STATUS,
  MAX_ENTRIES = 1 << 15,       // 16-bit indices must distinguish a full ring from an empty one
  RESET_TIMEOUT_US = 1000000,  // for resets without a timeout from the caller
  IRQ_ROUNDS = 4,              // bound: causes may arrive while others are cleared
  FP16_VERSION_MINOR = 3,      // first version with results in FP16
  FAULT_VERSION_MINOR = 4,     // first version with FAULT_ADDR and FAULT_INFO
  AHEAD_VERSION_MINOR = 6,     // first version that reads descriptors while jobs run
  EARLY_VERSION_MINOR = 7,     // first version with CONTROL.early
  BATCH_VERSION_MINOR = 8,     // first version with BATCH
  QUEUE_VERSION_MINOR = 9,     // first version that holds JOBS_HELD jobs
  SCALES_VERSION_MINOR = 10,   // first version with kinds and blocks of scales, and ALPHA
  JOBS_HELD = 4 + 1 + 1 + 3,   // computed, running, operands loaded, descriptors read
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

// ------------------------------------------------------------------- words that contexts share

#if defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2
static uint32_t load_shared(const uint32_t* word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store_shared(uint32_t* word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void keep_order(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
#else  // single processor: the contexts interrupt each other
static void keep_order(void) { __asm__ volatile("" ::: "memory"); }

static uint32_t load_shared(const uint32_t* word) {
  const uint32_t value = *(const volatile uint32_t*)word;
  keep_order();
  return value;
}

static void store_shared(uint32_t* word, uint32_t value) {
  keep_order();
  *(volatile uint32_t*)word = value;
  keep_order();
}
#endif

// ------------------------------------------------------------------------------------- the port

static uint32_t read_reg(const struct mxe_port* port, uint32_t offset) {
  return port->read32(port->ctx, offset);
}

static void write_reg(const struct mxe_device* dev, uint32_t offset, uint32_t value) {
  dev->port.write32(dev->port.ctx, offset, value);
}

static uint64_t now_us(const struct mxe_device* dev) { return dev->port.now_us(dev->port.ctx); }

static void relax(const struct mxe_device* dev) {
  if (dev->port.relax) dev->port.relax(dev->port.ctx);
}

static void write_barrier(const struct mxe_device* dev) {
  keep_order();
  if (dev->port.wmb) dev->port.wmb(dev->port.ctx);
  keep_order();
}

static void read_barrier(const struct mxe_device* dev) {
  keep_order();
  if (dev->port.rmb) dev->port.rmb(dev->port.ctx);
  keep_order();
}

/// show_device() writes back and show_host() invalidates part of an entry; `from` and `size` are in
/// bytes.
static void show_device(const struct mxe_device* dev, const volatile uint32_t* entry, uint32_t from,
                        size_t size) {
  if (!dev->port.sync_for_device) return;
  keep_order();
  dev->port.sync_for_device(dev->port.ctx, (const void*)(uintptr_t)(entry + from / WORD), size);
}

static void show_host(const struct mxe_device* dev, const volatile uint32_t* entry, uint32_t from,
                      size_t size) {
  if (!dev->port.sync_for_host) return;
  dev->port.sync_for_host(dev->port.ctx, (void*)(uintptr_t)(entry + from / WORD), size);
  keep_order();
}

/// Copies by member, because some compilers turn a structure assignment into a call of memcpy.
static void copy_port(struct mxe_port* to, const struct mxe_port* from) {
  to->ctx = from->ctx;
  to->read32 = from->read32;
  to->write32 = from->write32;
  to->now_us = from->now_us;
  to->interrupts = from->interrupts;
  to->wait_irq = from->wait_irq;
  to->relax = from->relax;
  to->wmb = from->wmb;
  to->rmb = from->rmb;
  to->sync_for_device = from->sync_for_device;
  to->sync_for_host = from->sync_for_host;
  to->queue = from->queue;
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

static volatile uint32_t* entry_at(const struct mxe_device* dev, uint32_t index) {
  return dev->ring + (size_t)(index & ring_mask(dev)) * ENTRY_WORDS;
}

static volatile uint32_t* entry_of(const struct mxe_device* dev, uint32_t number) {
  return entry_at(dev, number - dev->origin);
}

static uint32_t place_of(const struct mxe_device* dev, uint32_t number) {
  return number & ring_mask(dev);
}

static struct mxe_slot* slot_of(const struct mxe_device* dev, uint32_t number) {
  return dev->slots + place_of(dev, number);
}

static bool is_before(uint32_t number, uint32_t other) { return (int32_t)(number - other) < 0; }

static void swap_entries(const struct mxe_device* dev, uint32_t a, uint32_t b) {
  volatile uint32_t* x = entry_at(dev, a);
  volatile uint32_t* y = entry_at(dev, b);
  for (uint32_t i = 0; i < ENTRY_WORDS; i++) {
    const uint32_t word = x[i];
    x[i] = y[i];
    y[i] = word;
  }
}

static void reverse_entries(const struct mxe_device* dev, uint32_t first, uint32_t end) {
  for (; first + 1u < end; first++) swap_entries(dev, first, --end);
}

/// Rotates the entries left: entry i moves to (i - by) mod entries.
static void rotate_ring(const struct mxe_device* dev, uint32_t by) {
  if (by == 0) return;
  reverse_entries(dev, 0, by);
  reverse_entries(dev, by, dev->ring_entries);
  reverse_entries(dev, 0, dev->ring_entries);
}

static void clear_ring(struct mxe_device* dev) {
  const size_t words = (size_t)dev->ring_entries * ENTRY_WORDS;
  for (size_t i = 0; i < words; i++) dev->ring[i] = 0;
  show_device(dev, dev->ring, 0, words * WORD);
  write_barrier(dev);
}

// ------------------------------------------------------------------- exclusion of the two contexts

/// Enters the ring unless the completing context has exclusive use. Each side sets its own flag
/// before it reads the other's, so at least one of two concurrent entries fails.
static bool enter_submission(struct mxe_device* dev) {
  store_shared(&dev->submitting, 1);
  if (!load_shared(&dev->exclusive)) return true;
  store_shared(&dev->submitting, 0);
  return false;
}

static void leave_submission(struct mxe_device* dev) { store_shared(&dev->submitting, 0); }

static bool enter_exclusive(struct mxe_device* dev) {
  store_shared(&dev->exclusive, 1);
  if (!load_shared(&dev->submitting)) return true;
  store_shared(&dev->exclusive, 0);
  return false;
}

static void leave_exclusive(struct mxe_device* dev) { store_shared(&dev->exclusive, 0); }

// -------------------------------------------------------------------------------- how jobs end

static int code_of_status(uint32_t status) {
  if (status == MXE_STATUS_OK) return MXE_OK;
  if (status < MXE_STATUS_ERR_DESCRIPTOR || status > MXE_STATUS_ERR_ABORTED) {
    return MXE_ERR_PROTOCOL;
  }
  return -100 - (int)status;
}

static bool is_bus_error(int code) {
  return code == MXE_ERR_READ || code == MXE_ERR_WRITE || code == MXE_ERR_FETCH;
}

/// Reads the bus error of a job, unless a later job has overwritten the fault registers.
static void read_fault(const struct mxe_device* dev, uint32_t number,
                       struct mxe_completion* completion) {
  if (dev->caps.version_minor < FAULT_VERSION_MINOR) return;
  const uint32_t info = read_reg(&dev->port, MXE_REG_FAULT_INFO);
  const uint32_t low = read_reg(&dev->port, MXE_REG_FAULT_ADDR_LO);
  const uint64_t high = read_reg(&dev->port, MXE_REG_FAULT_ADDR_HI);
  if (read_reg(&dev->port, MXE_REG_FAULT_INFO) != info || info == all_ones) return;
  if (info >> MXE_FAULT_INFO_INDEX_SHIFT != (uint16_t)(number - dev->origin)) return;
  completion->fault_operand = info & MXE_FAULT_INFO_OPERAND_MASK;
  completion->fault_write = (info & MXE_FAULT_INFO_WRITE_MASK) != 0;
  completion->fault_addr = low | high << 32;
}

static void set_result(struct mxe_slot* slot, int code, uint32_t status, uint64_t cycles) {
  slot->result.job_id = slot->id;
  slot->result.code = code;
  slot->result.status = status;
  slot->result.cycles = cycles;
  slot->result.fault_operand = MXE_FAULT_NONE;
  slot->result.fault_write = false;
  slot->result.fault_addr = 0;
}

static void end_oldest(struct mxe_device* dev, int code) {
  set_result(slot_of(dev, dev->finished), code, MXE_STATUS_ERR_ABORTED, 0);
  dev->finished++;
}

/// Ends the device's oldest job with the result in its record. Without a record, its descriptor or
/// its record met a bus error (FETCH). ERR_SHAPE of an abandoned job is the driver's doing:
/// abandon() set M to 0.
static void harvest_oldest(struct mxe_device* dev) {
  struct mxe_slot* slot = slot_of(dev, dev->finished);
  const volatile uint32_t* entry = entry_of(dev, dev->finished);
  const uint32_t status = load(entry, MXE_DESC_STATUS);
  if (status == MXE_STATUS_ERR_SHAPE && slot->abandoned != MXE_OK) {
    end_oldest(dev, slot->abandoned);
    return;
  }
  if (status == MXE_STATUS_PENDING) {
    set_result(slot, MXE_ERR_FETCH, MXE_STATUS_ERR_FETCH, 0);
  } else {
    const bool is_same_job = load(entry, MXE_DESC_DONE_JOB_ID) == slot->id;
    set_result(slot, is_same_job ? code_of_status(status) : MXE_ERR_PROTOCOL, status,
               load64(entry, MXE_DESC_CYCLES));
  }
  if (is_bus_error(slot->result.code)) read_fault(dev, dev->finished, &slot->result);
  dev->finished++;
}

/// Collects the results of a queue's ended jobs; waits for the oldest unfinished one, at most
/// `timeout_us`.
static int update_from_queue(struct mxe_device* dev, uint32_t timeout_us) {
  int code = MXE_OK;
  uint32_t patience = timeout_us;
  while (code == MXE_OK && dev->finished != load_shared(&dev->tail)) {
    struct mxe_slot* slot = slot_of(dev, dev->finished);
    code =
        dev->port.queue->wait(dev->port.ctx, place_of(dev, dev->finished), patience, &slot->result);
    if (code != MXE_OK) break;
    slot->result.job_id = slot->id;
    dev->finished++;
    patience = 0;
  }
  return code == MXE_ERR_TIMEOUT ? MXE_OK : code;
}

/// Collects the results of ended jobs. The device moves its head after the record is in memory.
static int update(struct mxe_device* dev) {
  if (dev->stopped) return MXE_ERR_STOPPED;
  if (dev->port.queue) return update_from_queue(dev, 0);
  const uint32_t value = read_reg(&dev->port, MXE_REG_RING_HEAD);
  if (value == all_ones) return MXE_ERR_GONE;
  read_barrier(dev);
  const uint32_t ended = (uint16_t)(value - (dev->finished - dev->origin));
  // A concurrent submission only raises `under_way`, so the check stays valid.
  const uint32_t under_way = load_shared(&dev->tail) - dev->finished;
  if (value > MXE_RING_HEAD_HEAD_MASK || ended > under_way) return MXE_ERR_PROTOCOL;
  for (uint32_t i = 0; i < ended; i++) {
    show_host(dev, entry_of(dev, dev->finished), MXE_DESC_STATUS, RECORD_SIZE);
    harvest_oldest(dev);
  }
  return MXE_OK;
}

static void copy_completion(struct mxe_completion* to, const struct mxe_completion* from) {
  to->job_id = from->job_id;
  to->code = from->code;
  to->status = from->status;
  to->cycles = from->cycles;
  to->fault_operand = from->fault_operand;
  to->fault_write = from->fault_write;
  to->fault_addr = from->fault_addr;
}

/// Runs callbacks of ended jobs. A callback may call any function of the driver, even mxe_close().
static int deliver(struct mxe_device* dev, uint32_t budget) {
  int count = 0;
  while (budget-- > 0 && dev->ring && dev->head != dev->finished) {
    const struct mxe_slot* slot = slot_of(dev, dev->head);
    const mxe_callback done = slot->options.done;
    void* user = slot->options.user;
    struct mxe_completion completion;
    copy_completion(&completion, &slot->result);
    store_shared(&dev->head, dev->head + 1u);  // from here on the slot may have another job
    count++;
    if (done) done(user, &completion);
  }
  return count;
}

// ------------------------------------------------------------------------------- start and stop

/// Cancels all jobs of a queue and collects their results.
static int stop_queue(struct mxe_device* dev, uint32_t timeout_us) {
  int code = dev->port.queue->reset(dev->port.ctx);
  const uint64_t begin = now_us(dev);
  while (code == MXE_OK && dev->finished != dev->tail) {
    const uint64_t passed = now_us(dev) - begin;
    const bool late = passed >= timeout_us;
    code = update_from_queue(dev, late ? 0 : timeout_us - (uint32_t)passed);
    if (code == MXE_OK && late && dev->finished != dev->tail) code = MXE_ERR_TIMEOUT;
  }
  return code;
}

/// Resets and disables the device; waits until it has no outstanding bus transfer.
static int stop(struct mxe_device* dev, uint32_t timeout_us) {
  if (dev->port.queue) return stop_queue(dev, timeout_us);
  write_reg(dev, MXE_REG_CTRL, MXE_CTRL_SOFT_RESET_MASK);
  const uint64_t begin = now_us(dev);
  for (;;) {
    const bool late = now_us(dev) - begin >= timeout_us;
    const uint32_t status = read_reg(&dev->port, MXE_REG_STATUS);
    if (status == all_ones) return MXE_ERR_GONE;
    if (!(status & MXE_STATUS_RESETTING_MASK)) break;
    if (late) return MXE_ERR_TIMEOUT;
    relax(dev);
  }
  read_barrier(dev);
  return MXE_OK;
}

static uint32_t log2_of(uint32_t power_of_two) {
  uint32_t log2 = 0;
  while (power_of_two >> log2 != 1u) ++log2;
  return log2;
}

/// Moves unfinished jobs to the ring entries that a stopped device reads next, from `head` on.
static void hand_over(struct mxe_device* dev, uint32_t head) {
  const uint32_t by = (dev->finished - dev->origin - head) & ring_mask(dev);
  const size_t bytes = (size_t)dev->ring_entries * MXE_DESC_SIZE;
  dev->origin = dev->finished - head;
  if (dev->finished == dev->tail) return;
  show_host(dev, dev->ring, 0, bytes);
  rotate_ring(dev, by);
  for (uint32_t number = dev->finished; number != dev->tail; number++) {
    volatile uint32_t* entry = entry_of(dev, number);
    for (uint32_t i = MXE_DESC_STATUS; i < MXE_DESC_SIZE; i += WORD) store(entry, i, 0);
  }
  show_device(dev, dev->ring, 0, bytes);
  write_barrier(dev);
}

static bool takes_interrupts(const struct mxe_device* dev) {
  return dev->port.interrupts || dev->port.wait_irq;
}

/// Enables a stopped device; it continues with the unfinished jobs. A stopped queue has none.
static int start(struct mxe_device* dev) {
  if (dev->port.queue) {
    dev->stopped = false;
    return MXE_OK;
  }
  const uint32_t head = read_reg(&dev->port, MXE_REG_RING_HEAD);
  if (head == all_ones) return MXE_ERR_GONE;
  if (head > MXE_RING_HEAD_HEAD_MASK) return MXE_ERR_PROTOCOL;
  hand_over(dev, head);
  dev->stopped = false;
  store_shared(&dev->overflowed, 0);
  write_reg(dev, MXE_REG_RING_BASE_LO, (uint32_t)dev->ring_bus_addr);
  write_reg(dev, MXE_REG_RING_BASE_HI, (uint32_t)(dev->ring_bus_addr >> 32));
  write_reg(dev, MXE_REG_RING_SIZE_LOG2, log2_of(dev->ring_entries));
  write_reg(dev, MXE_REG_RING_TAIL, (uint16_t)(dev->tail - dev->origin));
  write_reg(dev, MXE_REG_IRQ_STATUS, irq_events);
  write_reg(dev, MXE_REG_IRQ_MASK, takes_interrupts(dev) ? irq_sources : 0);
  write_reg(dev, MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
  return MXE_OK;
}

/// Collects jobs that ended just before a stop, up to the first without a record or with
/// ERR_ABORTED, which stays unfinished.
static void harvest_last_moment(struct mxe_device* dev) {
  for (; dev->finished != dev->tail; harvest_oldest(dev)) {
    volatile uint32_t* entry = entry_of(dev, dev->finished);
    show_host(dev, entry, MXE_DESC_STATUS, RECORD_SIZE);
    const uint32_t status = load(entry, MXE_DESC_STATUS);
    if (status == MXE_STATUS_PENDING || status == MXE_STATUS_ERR_ABORTED) return;
  }
}

/// Ends all submitted jobs: with the record's result if there is one, else with ABORTED. The
/// records of a queue stay zero, MXE_STATUS_PENDING.
static void abort_all(struct mxe_device* dev) {
  while (dev->finished != dev->tail) {
    volatile uint32_t* entry = entry_of(dev, dev->finished);
    show_host(dev, entry, MXE_DESC_STATUS, RECORD_SIZE);
    if (load(entry, MXE_DESC_STATUS) != MXE_STATUS_PENDING) {
      harvest_oldest(dev);
    } else {
      end_oldest(dev, MXE_ERR_ABORTED);
    }
  }
}

/// Resets the device, ends its oldest jobs if abandoned, and restarts it with the others.
static int restart(struct mxe_device* dev) {
  dev->stopped = true;
  const int code = stop(dev, RESET_TIMEOUT_US);
  if (code != MXE_OK) return code;
  harvest_last_moment(dev);
  while (dev->finished != dev->tail && slot_of(dev, dev->finished)->abandoned != MXE_OK) {
    end_oldest(dev, slot_of(dev, dev->finished)->abandoned);
  }
  return start(dev);
}

/// True if the device may already have read the descriptor of an unfinished job.
static bool may_be_held(const struct mxe_device* dev, uint32_t number) {
  uint32_t held = 1;
  if (dev->caps.version_minor >= AHEAD_VERSION_MINOR)
    held = 3;  // being recorded, running, descriptor read
  if (dev->caps.version_minor >= QUEUE_VERSION_MINOR) held = JOBS_HELD;
  return number - dev->finished < held;
}

/// Ends a job with `code`. M = 0 in its waiting descriptor makes the device refuse the job. If the
/// device may have read the old M, a reset is necessary. A queue ends the job itself.
static int abandon(struct mxe_device* dev, uint32_t number, int code) {
  int result = update(dev);
  if (result != MXE_OK) return result;
  if (dev->port.queue) {
    if (is_before(number, dev->finished)) return MXE_OK;
    return dev->port.queue->cancel(dev->port.ctx, place_of(dev, number));
  }
  if (!is_before(number, dev->finished) && number != dev->finished) {
    volatile uint32_t* entry = entry_of(dev, number);
    store(entry, MXE_DESC_M, 0);
    show_device(dev, entry, MXE_DESC_M, WORD);
    write_barrier(dev);
    slot_of(dev, number)->abandoned = code;
    result = update(dev);  // the device may have read the old M
    if (result != MXE_OK) return result;
  }
  if (is_before(number, dev->finished) || !may_be_held(dev, number)) return MXE_OK;
  slot_of(dev, number)->abandoned = code;
  return restart(dev);
}

/// Ends jobs whose deadline has passed, the newest first: waiting jobs need no reset.
static int end_late_jobs(struct mxe_device* dev) {
  int code = MXE_OK;
  bool exclusive = false;
  uint64_t now = 0;
  for (uint32_t number = load_shared(&dev->tail); code == MXE_OK && number != dev->finished;) {
    const struct mxe_slot* slot = slot_of(dev, --number);
    if (slot->options.deadline_us == 0 || slot->abandoned != MXE_OK) continue;
    if (now == 0) now = now_us(dev);
    if (now < slot->options.deadline_us) continue;
    if (!exclusive && !enter_exclusive(dev)) return MXE_OK;  // the next call will do it
    exclusive = true;
    code = abandon(dev, number, MXE_ERR_DEADLINE);
    if (is_before(number, dev->finished)) break;
  }
  if (exclusive) leave_exclusive(dev);
  return code;
}

// ------------------------------------------------------------------------------- open and close

static void read_capabilities(const struct mxe_port* port, uint32_t version,
                              struct mxe_capabilities* caps) {
  caps->version_major = (uint8_t)(version >> MXE_VERSION_MAJOR_SHIFT);
  caps->version_minor = (uint8_t)(version >> MXE_VERSION_MINOR_SHIFT);
  caps->version_patch = (uint16_t)version;
#define READ_WORD(member, REGISTER) caps->member = read_reg(port, MXE_REG_##REGISTER);
  MXE_CAPABILITY_WORDS(READ_WORD)
#undef READ_WORD
  const uint32_t features = read_reg(port, MXE_REG_FEATURES);
#define READ_FLAG(member, FIELD) caps->member = (features & MXE_FEATURES_##FIELD##_MASK) != 0;
  MXE_CAPABILITY_FLAGS(READ_FLAG)
#undef READ_FLAG
}

int mxe_identify(const struct mxe_port* port, struct mxe_capabilities* caps) {
  if (!port || !port->read32 || !caps) return MXE_ERR_ARGUMENT;
  if (read_reg(port, MXE_REG_ID) != MXE_ID_RESET) return MXE_ERR_NODEV;
  const uint32_t version = read_reg(port, MXE_REG_VERSION);
  if ((version ^ MXE_VERSION_RESET) & MXE_VERSION_MAJOR_MASK) return MXE_ERR_VERSION;
  read_capabilities(port, version, caps);
  return MXE_OK;
}

static bool is_usable_ring(const struct mxe_device* dev, const struct mxe_ring* ring) {
  const uint32_t entries = ring->entries;
  return entries != 0 && (entries & (entries - 1u)) == 0 && entries <= MAX_ENTRIES &&
         entries <= dev->caps.queue_depth && ring->bus_addr % MXE_DESC_SIZE == 0 &&
         ring->bus_addr <= UINT64_MAX - (uint64_t)entries * MXE_DESC_SIZE &&
         (uintptr_t)ring->mem % sizeof(uint64_t) == 0;
}

static void take_ring(struct mxe_device* dev, const struct mxe_ring* ring) {
  dev->ring = (volatile uint32_t*)ring->mem;
  dev->ring_bus_addr = ring->bus_addr;
  dev->ring_entries = ring->entries;
  dev->slots = ring->slots;
  dev->next_id = 1;
  dev->head = dev->origin = 0;
  dev->submitting = dev->exclusive = dev->overflowed = 0;
  dev->progress = 0;
  for (uint32_t i = 0; i < ring->entries; i++) {
    dev->slots[i].id = dev->slots[i].result.job_id = 0;
  }
  clear_ring(dev);
}

static int refuse(struct mxe_device* dev, const char* why) {
  if (dev) dev->refused = why;
  return MXE_ERR_ARGUMENT;
}

static const char* find_missing_port(const struct mxe_port* port) {
  if (!port) return "port is null";
  if (!port->read32) return "port->read32 is null";
  if (!port->write32 && !port->queue) return "port->write32 is null";
  return port->now_us ? NULL : "port->now_us is null";
}

static const char* find_missing_ring(const struct mxe_ring* ring) {
  if (!ring) return "ring is null";
  if (!ring->mem) return "ring->mem is null";
  return ring->slots ? NULL : "ring->slots is null";
}

int mxe_open(struct mxe_device* dev, const struct mxe_port* port, const struct mxe_ring* ring) {
  if (!dev) return MXE_ERR_ARGUMENT;
  dev->ring = NULL;
  const char* missing = find_missing_port(port);
  if (!missing) missing = find_missing_ring(ring);
  if (missing) return refuse(dev, missing);
  dev->refused = NULL;
  copy_port(&dev->port, port);
  int code = mxe_identify(port, &dev->caps);
  if (code != MXE_OK) return code;
  if (!is_usable_ring(dev, ring)) return MXE_ERR_RING;
  dev->tail = dev->finished = 0;
  code = stop(dev, RESET_TIMEOUT_US);
  if (code != MXE_OK) return code;
  take_ring(dev, ring);
  code = start(dev);
  if (code == MXE_OK) code = mxe_clear_counters(dev);
  if (code != MXE_OK) dev->ring = NULL;
  return code;
}

static bool is_open(const struct mxe_device* dev) { return dev && dev->ring; }
static int refuse_closed(struct mxe_device* dev) { return refuse(dev, "dev is not open"); }

/// Ends every job and runs all callbacks, including those of jobs that callbacks submit.
static void end_and_deliver_all(struct mxe_device* dev) {
  abort_all(dev);
  leave_exclusive(dev);
  while (deliver(dev, UINT32_MAX) > 0) {
  }
}

static void release_registers(const struct mxe_device* dev) {
  write_reg(dev, MXE_REG_IRQ_MASK, 0);
  write_reg(dev, MXE_REG_IRQ_STATUS, irq_events);
  write_reg(dev, MXE_REG_RING_BASE_LO, 0);
  write_reg(dev, MXE_REG_RING_BASE_HI, 0);
}

int mxe_close(struct mxe_device* dev, uint32_t timeout_us) {
  if (!is_open(dev)) return refuse_closed(dev);
  if (!enter_exclusive(dev)) return MXE_ERR_BUSY;
  (void)update(dev);  // before the reset moves the head
  dev->stopped = true;
  const int code = stop(dev, timeout_us);
  if (code == MXE_ERR_TIMEOUT) {
    leave_exclusive(dev);
    return code;
  }
  if (!dev->port.queue) release_registers(dev);
  end_and_deliver_all(dev);
  dev->ring = NULL;
  return code;
}

int mxe_recover(struct mxe_device* dev, uint32_t timeout_us) {
  if (!is_open(dev)) return refuse_closed(dev);
  if (!enter_exclusive(dev)) return MXE_ERR_BUSY;
  int code = update(dev);
  if (code != MXE_ERR_GONE) {
    dev->stopped = true;
    code = stop(dev, timeout_us);
  }
  if (code == MXE_OK) {
    abort_all(dev);
    code = start(dev);
  }
  leave_exclusive(dev);
  if (code == MXE_OK) (void)deliver(dev, UINT32_MAX);
  return code;
}

// ---------------------------------------------------------------------------------- submission

static bool may_be_early(const struct mxe_device* dev, uint32_t number, const struct mxe_job* job);
static bool has_countable_rows(const struct mxe_job* job);
static void note_results(struct mxe_slot* slot, const struct mxe_job* job);

static void write_descriptor(volatile uint32_t* entry, const struct mxe_job* job, uint32_t id,
                             bool early) {
  for (uint32_t i = 0; i < ENTRY_WORDS; i++) entry[i] = 0;
  store(entry, MXE_DESC_JOB_ID, id);
  store(entry, MXE_DESC_CONTROL,
        job->format_a << MXE_DESC_CONTROL_FMT_A_SHIFT |
            job->format_b << MXE_DESC_CONTROL_FMT_B_SHIFT |
            job->out_format << MXE_DESC_CONTROL_OUT_FMT_SHIFT |
            job->out_rule << MXE_DESC_CONTROL_OUT_RULE_SHIFT |
            job->scale_a << MXE_DESC_CONTROL_SCALE_A_SHIFT |
            job->scale_b << MXE_DESC_CONTROL_SCALE_B_SHIFT |
            job->block_a << MXE_DESC_CONTROL_BLOCK_A_SHIFT |
            job->block_b << MXE_DESC_CONTROL_BLOCK_B_SHIFT |
            (job->out_overflow ? MXE_DESC_CONTROL_OUT_OVERFLOW_MASK : 0) |
            (job->bias ? MXE_DESC_CONTROL_BIAS_EN_MASK : 0) |
            (job->bias_bf16 ? MXE_DESC_CONTROL_BIAS_BF16_MASK : 0) |
            (job->alpha ? MXE_DESC_CONTROL_ALPHA_EN_MASK : 0) |
            (early ? MXE_DESC_CONTROL_EARLY_MASK : 0));
  store(entry, MXE_DESC_M, job->m);
  store(entry, MXE_DESC_N, job->n);
  store(entry, MXE_DESC_K, job->k);
  store(entry, MXE_DESC_BATCH, job->batch << MXE_DESC_BATCH_COUNT_SHIFT);
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
  store(entry, MXE_DESC_ALPHA, job->alpha ? job->alpha_bits : 0);
}

static bool fits(uint32_t value, uint32_t mask, unsigned shift) { return value <= mask >> shift; }

/// Text for a member that does not fit its field, or null. A cut code would name another format.
static const char* find_too_large(const struct mxe_job* job) {
  if (!fits(job->format_a, MXE_DESC_CONTROL_FMT_A_MASK, MXE_DESC_CONTROL_FMT_A_SHIFT)) {
    return "job->format_a is too large";
  }
  if (!fits(job->format_b, MXE_DESC_CONTROL_FMT_B_MASK, MXE_DESC_CONTROL_FMT_B_SHIFT)) {
    return "job->format_b is too large";
  }
  if (!fits(job->out_format, MXE_DESC_CONTROL_OUT_FMT_MASK, MXE_DESC_CONTROL_OUT_FMT_SHIFT)) {
    return "job->out_format is too large";
  }
  if (!fits(job->scale_a, MXE_DESC_CONTROL_SCALE_A_MASK, MXE_DESC_CONTROL_SCALE_A_SHIFT) ||
      !fits(job->scale_b, MXE_DESC_CONTROL_SCALE_B_MASK, MXE_DESC_CONTROL_SCALE_B_SHIFT)) {
    return "job->scale_a or job->scale_b is too large";
  }
  if (!fits(job->block_a, MXE_DESC_CONTROL_BLOCK_A_MASK, MXE_DESC_CONTROL_BLOCK_A_SHIFT) ||
      !fits(job->block_b, MXE_DESC_CONTROL_BLOCK_B_MASK, MXE_DESC_CONTROL_BLOCK_B_SHIFT)) {
    return "job->block_a or job->block_b is too large";
  }
  if (!fits(job->out_rule, MXE_DESC_CONTROL_OUT_RULE_MASK, MXE_DESC_CONTROL_OUT_RULE_SHIFT)) {
    return "job->out_rule is too large";
  }
  return has_countable_rows(job) ? NULL : "job->batch is too large, or batch * m or batch * n is";
}

int mxe_job_pack(const struct mxe_job* job, uint32_t job_id, uint32_t* entry) {
  if (!job || !entry || find_too_large(job)) return MXE_ERR_ARGUMENT;
  write_descriptor(entry, job, job_id, false);
  return MXE_OK;
}

static uint32_t free_entries(const struct mxe_device* dev) {
  return dev->ring_entries - (dev->tail - load_shared(&dev->head));
}

static void place_in_ring(const struct mxe_device* dev, uint32_t number,
                          const struct mxe_job* job) {
  struct mxe_slot* slot = slot_of(dev, number);
  volatile uint32_t* entry = entry_of(dev, number);
  write_descriptor(entry, job, slot->id, may_be_early(dev, number, job));
  note_results(slot, job);
  show_device(dev, entry, 0, MXE_DESC_SIZE);
}

/// The queue, not the driver, ends a late job.
static void place_in_queue(const struct mxe_device* dev, uint32_t number,
                           const struct mxe_job* job) {
  struct mxe_slot* slot = slot_of(dev, number);
  dev->port.queue->submit(dev->port.ctx, place_of(dev, number), job, slot->options.deadline_us);
  slot->options.deadline_us = 0;
}

static uint32_t place(struct mxe_device* dev, uint32_t number, const struct mxe_job* job,
                      const struct mxe_options* options) {
  struct mxe_slot* slot = slot_of(dev, number);
  slot->id = dev->next_id;
  slot->abandoned = MXE_OK;
  slot->options.deadline_us = options ? options->deadline_us : 0;
  slot->options.done = options ? options->done : NULL;
  slot->options.user = options ? options->user : NULL;
  if (dev->port.queue) {
    place_in_queue(dev, number, job);
  } else {
    place_in_ring(dev, number, job);
  }
  if (++dev->next_id == 0) dev->next_id = 1;
  return slot->id;
}

static void ring_doorbell(const struct mxe_device* dev) {
  write_barrier(dev);
  write_reg(dev, MXE_REG_RING_TAIL, (uint16_t)(dev->tail - dev->origin));
}

int mxe_submit_many(struct mxe_device* dev, const struct mxe_job* jobs, size_t count,
                    const struct mxe_options* options, uint32_t* job_ids) {
  if (!is_open(dev)) return refuse_closed(dev);
  if (!jobs) return refuse(dev, "job is null");
  if (count == 0) return refuse(dev, "count is 0");
  const char* too_large = find_too_large(&jobs[0]);
  if (too_large) return refuse(dev, too_large);
  if (!enter_submission(dev)) return MXE_ERR_BUSY;
  int code = dev->stopped ? MXE_ERR_STOPPED : MXE_ERR_FULL;
  const uint32_t room = dev->stopped ? 0 : free_entries(dev);
  uint32_t placed = 0;
  for (; placed < room && placed < count && !find_too_large(&jobs[placed]); placed++) {
    const uint32_t id = place(dev, dev->tail + placed, &jobs[placed], options);
    if (job_ids) job_ids[placed] = id;
  }
  if (placed > 0) {
    code = (int)placed;
    store_shared(&dev->tail, dev->tail + placed);
    if (!dev->port.queue) ring_doorbell(dev);
  }
  leave_submission(dev);
  return code;
}

int mxe_submit(struct mxe_device* dev, const struct mxe_job* job, const struct mxe_options* options,
               uint32_t* job_id) {
  if (!job_id) return refuse(dev, "job_id is null");
  const int count = mxe_submit_many(dev, job, 1, options, job_id);
  return count > 0 ? MXE_OK : count;
}

// ---------------------------------------------------------------------------------- completion

/// Clears the interrupt's causes that can raise the line, and returns them; 0 if interrupts are
/// masked.
static uint32_t acknowledge(struct mxe_device* dev) {
  const uint32_t events = read_reg(&dev->port, MXE_REG_IRQ_STATUS);
  const uint32_t causes = takes_interrupts(dev) ? events & irq_sources : 0;
  if (events == all_ones || causes == 0) return 0;
  if (causes & MXE_IRQ_STATUS_RING_OVERFLOW_MASK) store_shared(&dev->overflowed, 1);
  write_reg(dev, MXE_REG_IRQ_STATUS, causes);
  return causes;
}

// The second read of IRQ_STATUS waits for the preceding write, so the line has fallen when the
// handler returns, and finds a cause that arrived in between and sent no MSI.
bool mxe_irq(struct mxe_device* dev) {
  if (!is_open(dev) || dev->port.queue) return false;
  bool mine = false;
  for (int round = 0; round < IRQ_ROUNDS && acknowledge(dev) != 0; round++) mine = true;
  return mine;
}

static int look(struct mxe_device* dev) {
  int code = update(dev);
  if (code == MXE_OK) code = end_late_jobs(dev);
  if (code == MXE_OK && load_shared(&dev->overflowed)) code = MXE_ERR_OVERFLOW;
  return code;
}

int mxe_complete(struct mxe_device* dev, uint32_t budget) {
  if (!is_open(dev)) return refuse_closed(dev);
  const int code = look(dev);
  const int count = deliver(dev, budget);
  return count > 0 ? count : code;
}

static bool find_job(const struct mxe_device* dev, uint32_t job_id, uint32_t* number) {
  const uint32_t tail = load_shared(&dev->tail);
  for (*number = dev->head; *number != tail; ++*number) {
    if (slot_of(dev, *number)->id == job_id) return true;
  }
  return false;
}

static int find_result(const struct mxe_device* dev, uint32_t job_id,
                       struct mxe_completion* completion) {
  for (uint32_t i = 0; job_id != 0 && i < dev->ring_entries; i++) {
    const struct mxe_completion* result = &dev->slots[i].result;
    if (result->job_id != job_id) continue;
    if (completion) copy_completion(completion, result);
    return result->code;
  }
  return MXE_ERR_UNKNOWN_JOB;
}

static uint64_t read_counter(const struct mxe_device* dev, uint32_t offset_lo) {
  const uint32_t low = read_reg(&dev->port, offset_lo);
  return low | (uint64_t)read_reg(&dev->port, offset_lo + WORD) << 32;
}

/// Writes a pulse bit of CTRL and keeps CTRL.enable.
static void pulse(const struct mxe_device* dev, uint32_t pulse_mask) {
  const uint32_t enable = read_reg(&dev->port, MXE_REG_CTRL) & MXE_CTRL_ENABLE_MASK;
  write_reg(dev, MXE_REG_CTRL, enable | pulse_mask);
}

/// Sum of the work counters; the last sum if a queue cannot read them.
static uint64_t sum_work(const struct mxe_device* dev) {
  if (dev->port.queue) {
    struct mxe_counters counters;
    if (dev->port.queue->read_counters(dev->port.ctx, &counters) != MXE_OK) return dev->progress;
    return counters.mac_active + counters.bytes_read + counters.bytes_written;
  }
  pulse(dev, MXE_CTRL_COUNTER_SNAPSHOT_MASK);
  return read_counter(dev, MXE_REG_MAC_ACTIVE_LO) + read_counter(dev, MXE_REG_BYTES_READ_LO) +
         read_counter(dev, MXE_REG_BYTES_WRITTEN_LO);
}

/// True if the device's work counters have advanced since the last call.
static bool has_worked(struct mxe_device* dev) {
  const uint64_t work = sum_work(dev);
  const bool moved = work != dev->progress;
  dev->progress = work;
  return moved;
}

/// Returns the cause of a timeout: device gone, doorbell refused, or plain TIMEOUT.
static int explain_silence(struct mxe_device* dev) {
  if (dev->port.queue) return MXE_ERR_TIMEOUT;  // its wait() reports a device that is gone
  const uint32_t events = read_reg(&dev->port, MXE_REG_IRQ_STATUS);
  if (events == all_ones) return MXE_ERR_GONE;
  return events & MXE_IRQ_STATUS_RING_OVERFLOW_MASK ? MXE_ERR_OVERFLOW : MXE_ERR_TIMEOUT;
}

static uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/// Microseconds until the next deadline, at most `longest`.
static uint32_t time_to_sleep(const struct mxe_device* dev, uint64_t now, uint64_t longest) {
  const uint32_t tail = load_shared(&dev->tail);
  for (uint32_t number = dev->finished; number != tail; number++) {
    const struct mxe_slot* slot = slot_of(dev, number);
    const uint64_t deadline = slot->options.deadline_us;
    if (deadline == 0 || slot->abandoned != MXE_OK) continue;
    longest = min_u64(longest, deadline > now ? deadline - now : 0);
  }
  return (uint32_t)min_u64(longest, UINT32_MAX);
}

static int pause(struct mxe_device* dev, uint32_t longest_us) {
  if (dev->port.queue) return update_from_queue(dev, longest_us);
  if (!dev->port.wait_irq) {
    relax(dev);
    return MXE_OK;
  }
  const int woken = dev->port.wait_irq(dev->port.ctx, longest_us);
  if (woken != MXE_OK && woken != MXE_ERR_TIMEOUT) return MXE_ERR_INTERRUPT;
  (void)acknowledge(dev);  // before the head is read: later completions raise the line again
  return MXE_OK;
}

static void deliver_through(struct mxe_device* dev, uint32_t number) {
  if (!is_before(number, dev->head)) (void)deliver(dev, number - dev->head + 1u);
}

/// Waits until job `number` has ended; runs the callbacks of the jobs up to it, and maybe of later
/// ones.
static int await(struct mxe_device* dev, uint32_t number, uint32_t timeout_us) {
  uint32_t counted = dev->finished;  // `finished` at the time `since`
  uint64_t since = 0;
  for (bool first = true; !is_before(number, dev->finished); first = false) {
    int code = look(dev);
    if (is_before(number, dev->finished)) break;
    (void)deliver(dev, dev->finished - dev->head);
    if (!is_open(dev)) return MXE_ERR_STOPPED;
    if (is_before(number, dev->finished)) break;  // a callback called mxe_wait()
    if (code != MXE_OK) return code;
    if (timeout_us == 0) return MXE_ERR_TIMEOUT;
    const uint64_t now = now_us(dev);
    if (first || counted != dev->finished) since = now;
    counted = dev->finished;
    if (now - since >= timeout_us) {
      code = explain_silence(dev);
      if (code != MXE_ERR_TIMEOUT || !has_worked(dev)) return code;
      since = now;
    }
    code = pause(dev, time_to_sleep(dev, now, timeout_us - (now - since)));
    if (code != MXE_OK) return code;
  }
  deliver_through(dev, number);
  return MXE_OK;
}

int mxe_wait(struct mxe_device* dev, uint32_t job_id, uint32_t timeout_us,
             struct mxe_completion* completion) {
  if (!is_open(dev)) return refuse_closed(dev);
  uint32_t number = 0;
  if (find_job(dev, job_id, &number)) {
    const int code = await(dev, number, timeout_us);
    if (code != MXE_OK) return code;
  }
  return find_result(dev, job_id, completion);
}

int mxe_cancel(struct mxe_device* dev, uint32_t job_id) {
  if (!is_open(dev)) return refuse_closed(dev);
  int code = update(dev);
  if (code != MXE_OK) return code;
  uint32_t number = 0;
  if (!find_job(dev, job_id, &number) || is_before(number, dev->finished)) {
    return MXE_ERR_UNKNOWN_JOB;
  }
  if (!enter_exclusive(dev)) return MXE_ERR_BUSY;
  code = abandon(dev, number, MXE_ERR_ABORTED);
  leave_exclusive(dev);
  return code;
}

// ------------------------------------------------------------------------------------ counters

int mxe_read_counters(struct mxe_device* dev, struct mxe_counters* counters) {
  if (!is_open(dev)) return refuse_closed(dev);
  if (!counters) return refuse(dev, "counters is null");
  if (dev->port.queue) return dev->port.queue->read_counters(dev->port.ctx, counters);
  pulse(dev, MXE_CTRL_COUNTER_SNAPSHOT_MASK);
#define READ_COUNTER(member, COUNTER) counters->member = read_counter(dev, MXE_REG_##COUNTER##_LO);
  MXE_COUNTERS(READ_COUNTER)
#undef READ_COUNTER
  return read_reg(&dev->port, MXE_REG_ID) == MXE_ID_RESET ? MXE_OK : MXE_ERR_GONE;
}

int mxe_clear_counters(struct mxe_device* dev) {
  if (!is_open(dev)) return refuse_closed(dev);
  if (dev->port.queue) return dev->port.queue->clear_counters(dev->port.ctx);
  pulse(dev, MXE_CTRL_COUNTER_CLEAR_MASK);
  return MXE_OK;
}

// ------------------------------------------------------------------------ memory accessed by jobs

struct rows {
  uint64_t addr, size, last;  // `last`: offset of the last row
  uint32_t count, stride;
};

/// product() and quotient(): small processors would call a library for 64-bit * and /.
static uint64_t product(uint32_t a, uint32_t b) {
  const uint32_t a_low = a & 0xffffu, a_high = a >> 16;
  const uint32_t b_low = b & 0xffffu, b_high = b >> 16;
  const uint64_t middle = (uint64_t)(a_low * b_high) + a_high * b_low;
  return (uint64_t)(a_low * b_low) + (middle << 16) + ((uint64_t)(a_high * b_high) << 32);
}

static uint64_t quotient(uint64_t dividend, uint32_t divisor, uint32_t* remainder) {
  uint64_t rest = 0, result = 0;
  for (int bit = 0; bit < 64; bit++) {
    rest = rest << 1 | dividend >> 63;
    dividend <<= 1;
    result <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      result |= 1u;
    }
  }
  *remainder = (uint32_t)rest;
  return result;
}

struct element_bits {
  uint8_t stored;     // in memory
  uint8_t magnitude;  // of the largest magnitude, in units of the smallest one
};

// Bits of the formats, generated by model/regs/generate.py from model/regs/mxe.rdl
static const struct element_bits format_bits[] = {
    {4, 4},   // mxfp4_e2m1
    {4, 3},   // mxfp4_e1m2
    {6, 6},   // mxfp6_e2m3
    {6, 9},   // mxfp6_e3m2
    {8, 18},  // mxfp8_e4m3
    {8, 32},  // mxfp8_e5m2
    {8, 8},   // mxint8
};
// end of the bits of the formats

/// Bits of an element in memory; 0: there is no such format.
static uint32_t bits_of_format(uint32_t format) {
  return format < MXE_FORMAT_COUNT ? format_bits[format].stored : 0;
}

static bool is_mx_result(uint32_t out_format) { return out_format >= MXE_OUT_MXFP4_E2M1; }

static uint32_t bits_of_result(uint32_t out_format) {
  if (out_format == MXE_OUT_FP32) return 32;
  if (out_format == MXE_OUT_BF16 || out_format == MXE_OUT_FP16) return 16;
  return is_mx_result(out_format) ? bits_of_format(out_format - MXE_OUT_MXFP4_E2M1) : 0;
}

static void set_rows(struct rows* rows, uint64_t addr, uint32_t count, uint32_t stride,
                     uint64_t size) {
  rows->addr = addr;
  rows->size = size;
  rows->last = product(count - 1u, stride);
  rows->count = count;
  rows->stride = stride;
}

static void set_elements(struct rows* rows, uint64_t addr, uint32_t count, uint32_t stride,
                         uint32_t columns, uint32_t bits) {
  set_rows(rows, addr, count, stride, (product(columns, bits) + 7u) >> 3);
}

/// `block`: MXE_BLOCK_..., the columns that share a scale.
static void set_scales(struct rows* rows, uint64_t addr, uint32_t count, uint32_t stride,
                       uint32_t columns, uint32_t block) {
  uint32_t scales = (uint32_t)(((uint64_t)columns + 15u) >> 4);  // of blocks of 16
  if (block != MXE_BLOCK_OF_16) scales = (scales + 1u) >> 1;
  if (block == MXE_BLOCK_OF_64) scales = (scales + 1u) >> 1;
  if (block == MXE_BLOCK_OF_128) scales = (scales + 3u) >> 2;
  set_rows(rows, addr, count, stride, scales);
}

static void set_nothing(struct rows* rows) { set_rows(rows, 0, 1, 0, 0); }

/// True if rows of two operands share a byte. Both have the same stride, no shorter than a row, and
/// upper->addr - lower->addr = q * stride + r >= 0. Row 0 of `upper` begins r bytes after row q of
/// `lower` and stride - r bytes before row q + 1. Example: stride 64, distance 80: q = 1, r = 16.
static bool interleaved_rows_meet(const struct rows* lower, const struct rows* upper) {
  uint32_t rest = 0;
  const uint64_t row = quotient(upper->addr - lower->addr, lower->stride, &rest);
  if (row < lower->count && rest < lower->size) return true;
  return row + 1u < lower->count && lower->stride - rest < upper->size;
}

static bool overlap(const struct rows* a, const struct rows* b) {
  const struct rows* lower = a->addr <= b->addr ? a : b;
  const struct rows* upper = lower == a ? b : a;
  if (a->size == 0 || b->size == 0) return false;
  if (upper->addr - lower->addr >= lower->last + lower->size) return false;
  const bool interleaved = a->stride == b->stride && a->size <= a->stride && b->size <= b->stride;
  return !interleaved || interleaved_rows_meet(lower, upper);
}

static bool is_beyond_addresses(const struct rows* rows) {
  if (rows->size == 0) return false;
  const uint64_t room = UINT64_MAX - rows->addr;  // largest offset that does not wrap
  return rows->last > room || rows->size - 1u > room - rows->last;
}

static bool is_allowed(const struct rows* rows, const struct mxe_range* allowed, size_t count) {
  if (rows->size == 0) return true;
  for (size_t i = 0; i < count; i++) {
    if (rows->addr < allowed[i].addr) continue;
    const uint64_t from = rows->addr - allowed[i].addr;
    if (from <= allowed[i].size && rows->last + rows->size <= allowed[i].size - from) return true;
  }
  return false;
}

enum { ROWS_A, ROWS_A_SCALES, ROWS_B, ROWS_B_SCALES, ROWS_C, ROWS_D, ROWS_D_SCALES, ROWS_PARTS };

static uint32_t products_of(const struct mxe_job* job) { return job->batch == 0 ? 1u : job->batch; }

/// True if `batch` fits its descriptor field, and batch * m and batch * n fit 32 bits.
static bool has_countable_rows(const struct mxe_job* job) {
  const uint32_t more = job->m > job->n ? job->m : job->n;
  return fits(job->batch, MXE_DESC_BATCH_COUNT_MASK, MXE_DESC_BATCH_COUNT_SHIFT) &&
         product(products_of(job), more) <= UINT32_MAX;
}

static int find_rows(const struct mxe_job* job, struct rows* rows) {
  const uint32_t a_bits = bits_of_format(job->format_a), b_bits = bits_of_format(job->format_b);
  const uint32_t d_bits = bits_of_result(job->out_format);
  if (job->m == 0 || job->n == 0 || job->k == 0) return MXE_ERR_SHAPE;
  if (a_bits == 0 || b_bits == 0) return MXE_ERR_FORMAT;
  if (d_bits == 0) return MXE_ERR_OUT_FORMAT;
  if (!has_countable_rows(job)) return MXE_ERR_ARGUMENT;
  const uint32_t m = products_of(job) * job->m, n = products_of(job) * job->n;
  set_elements(&rows[ROWS_A], job->a_addr, m, job->a_stride, job->k, a_bits);
  set_scales(&rows[ROWS_A_SCALES], job->a_scale_addr, m, job->a_scale_stride, job->k, job->block_a);
  set_elements(&rows[ROWS_B], job->b_addr, n, job->b_stride, job->k, b_bits);
  set_scales(&rows[ROWS_B_SCALES], job->b_scale_addr, n, job->b_scale_stride, job->k, job->block_b);
  set_elements(&rows[ROWS_D], job->d_addr, m, job->d_stride, job->n, d_bits);
  set_nothing(&rows[ROWS_C]);
  if (job->bias) {
    const uint32_t c_bits = job->bias_bf16 ? 16 : 32;
    set_elements(&rows[ROWS_C], job->c_addr, m, job->c_stride, job->n, c_bits);
  }
  set_nothing(&rows[ROWS_D_SCALES]);
  if (is_mx_result(job->out_format)) {
    set_scales(&rows[ROWS_D_SCALES], job->d_scale_addr, m, job->d_scale_stride, job->n,
               MXE_BLOCK_OF_32);
  }
  return MXE_OK;
}

static bool overwrites_itself(const struct rows* rows) {
  return rows->count > 1 && rows->size > rows->stride;
}

static bool overwrites_something(const struct mxe_device* dev, const struct rows* rows) {
  struct rows ring;
  set_nothing(&ring);
  if (is_open(dev))
    set_rows(&ring, dev->ring_bus_addr, dev->ring_entries, MXE_DESC_SIZE, MXE_DESC_SIZE);
  for (int result = ROWS_D; result <= ROWS_D_SCALES; result++) {
    if (overwrites_itself(&rows[result]) || overlap(&rows[result], &ring)) return true;
    for (int operand = ROWS_A; operand < ROWS_D; operand++) {
      if (overlap(&rows[result], &rows[operand])) return true;
    }
  }
  return overlap(&rows[ROWS_D], &rows[ROWS_D_SCALES]);
}

static void set_range(struct mxe_range* range, const struct rows* rows) {
  range->addr = rows->addr;
  range->size = rows->size == 0 ? 0 : rows->last + rows->size;
}

// ---------------------------------------------------------------------------------- legal jobs

static bool is_nvfp4(const struct mxe_job* job) {
  return job->format_a == MXE_FORMAT_MXFP4_E2M1 && job->format_b == MXE_FORMAT_MXFP4_E2M1 &&
         job->scale_a == MXE_SCALE_UE4M3 && job->scale_b == MXE_SCALE_UE4M3 &&
         job->block_a == MXE_BLOCK_OF_16 && job->block_b == MXE_BLOCK_OF_16;
}

/// Text for a pair of operands, with ALPHA, that the device does not multiply, or null.
static const char* find_wrong_pair(const struct mxe_capabilities* caps, const struct mxe_job* job) {
  const struct element_bits *a = &format_bits[job->format_a], *b = &format_bits[job->format_b];
  const bool two_chains = caps->fp4_dual && a->stored == 4 && b->stored == 4 && !is_nvfp4(job);
  if (job->alpha && !caps->nvfp4) return "this device has no alpha";
  if (job->alpha && two_chains) {
    return "job->alpha needs NVFP4 or another format than 4-bit elements on both sides";
  }
  if (is_nvfp4(job)) return caps->nvfp4 ? NULL : "this device does not multiply NVFP4";
  if (job->scale_a != MXE_SCALE_E8M0 || job->scale_b != MXE_SCALE_E8M0 ||
      job->block_a == MXE_BLOCK_OF_16 || job->block_b == MXE_BLOCK_OF_16) {
    return "scales must be E8M0 in blocks of 32, 64 or 128, or NVFP4 on both sides";
  }
  if (!caps->long_blocks && (job->block_a != MXE_BLOCK_OF_32 || job->block_b != MXE_BLOCK_OF_32)) {
    return "this device has only blocks of 32";
  }
  // 32 products: 5 bits more, and a sign.
  const uint32_t tree_w = (uint32_t)a->magnitude + b->magnitude + 6u;
  return tree_w <= caps->tree_w ? NULL : "this device's adder tree is too narrow for the formats";
}

static bool is_multiple(uint64_t addr, uint32_t stride, uint32_t bits) {
  return ((addr | stride) & ((bits >> 3) - 1u)) == 0;
}

/// Text for C or D at addresses that are no multiples of their numbers' size, or null.
static const char* find_misaligned(const struct mxe_job* job) {
  if (!is_multiple(job->c_addr, job->c_stride, job->bias_bf16 ? 16 : 32)) {
    return job->bias_bf16
               ? "job->c_addr and job->c_stride must be multiples of 2, also without bias"
               : "job->c_addr and job->c_stride must be multiples of 4, also without bias";
  }
  const uint32_t d_bits = bits_of_result(job->out_format);
  if (is_mx_result(job->out_format) || is_multiple(job->d_addr, job->d_stride, d_bits)) return NULL;
  return d_bits == 16 ? "job->d_addr and job->d_stride must be multiples of 2"
                      : "job->d_addr and job->d_stride must be multiples of 4";
}

/// Text for a member in bits that are reserved on this device, or null.
static const char* find_reserved(const struct mxe_capabilities* caps, const struct mxe_job* job) {
  const bool scaled = (job->scale_a | job->scale_b | job->block_a | job->block_b) != 0;
  if (job->batch > 1 && caps->version_minor < BATCH_VERSION_MINOR) {
    return "this device has no job->batch";
  }
  if ((job->alpha || scaled) && caps->version_minor < SCALES_VERSION_MINOR) {
    return "this device has no job->alpha and no kinds of scales and blocks";
  }
  return job->bias && job->bias_bf16 && !caps->bf16 ? "this device has no BF16 for C" : NULL;
}

/// Text for a format of results that the device does not write, or null.
static const char* find_wrong_result(const struct mxe_capabilities* caps,
                                     const struct mxe_job* job) {
  if (bits_of_result(job->out_format) == 0) return "job->out_format is no format of results";
  const bool missing =
      (job->out_format == MXE_OUT_BF16 && !caps->bf16) ||
      (job->out_format == MXE_OUT_FP16 && caps->version_minor < FP16_VERSION_MINOR) ||
      (is_mx_result(job->out_format) && !caps->mx_out);
  return missing ? "this device does not write job->out_format" : NULL;
}

/// The rules in the order in which the device checks them.
static int find_broken_rule(const struct mxe_capabilities* caps, const struct mxe_job* job,
                            const char** rule) {
  *rule = find_too_large(job);
  if (*rule) return MXE_ERR_ARGUMENT;
  *rule = find_reserved(caps, job);
  if (*rule) return MXE_ERR_DESCRIPTOR;
  if (job->m == 0 || job->n == 0 || job->k == 0) {
    *rule = "job->m, job->n and job->k must be at least 1";
    return MXE_ERR_SHAPE;
  }
  if (bits_of_format(job->format_a) == 0 || bits_of_format(job->format_b) == 0) {
    *rule = "job->format_a or job->format_b is no element format";
    return MXE_ERR_FORMAT;
  }
  *rule = find_wrong_pair(caps, job);
  if (*rule) return MXE_ERR_PAIR;
  *rule = find_wrong_result(caps, job);
  if (*rule) return MXE_ERR_OUT_FORMAT;
  *rule = find_misaligned(job);
  if (*rule) return MXE_ERR_ALIGN;
  return MXE_OK;
}

int mxe_job_check(const struct mxe_capabilities* caps, const struct mxe_job* job,
                  const char** rule) {
  const char* broken = NULL;
  int code = MXE_ERR_ARGUMENT;
  if (!caps || !job) {
    broken = "caps or job is null";
  } else {
    code = find_broken_rule(caps, job, &broken);
  }
  if (rule) *rule = broken;
  return code;
}

// ------------------------------------------------------------------------------ early operands

static bool ranges_meet(const struct mxe_range* a, const struct mxe_range* b) {
  if (a->size == 0 || b->size == 0) return false;
  return a->addr <= b->addr ? b->addr - a->addr < a->size : a->addr - b->addr < b->size;
}

/// Stores the ranges that the job writes, for may_be_early() of later jobs.
static void note_results(struct mxe_slot* slot, const struct mxe_job* job) {
  static const struct mxe_range nothing = {0, 0}, everything = {0, UINT64_MAX};
  struct rows rows[ROWS_PARTS];
  const bool legal = find_rows(job, rows) == MXE_OK;
  for (int i = 0; i < 2; i++) {
    slot->written[i] = nothing;
    if (!legal) continue;
    set_range(&slot->written[i], &rows[ROWS_D + i]);
    if (is_beyond_addresses(&rows[ROWS_D + i])) slot->written[i] = everything;
  }
}

/// True if the device may read the job's operands before the earlier jobs have ended: none of the
/// jobs from `head` on writes memory that this one reads.
static bool may_be_early(const struct mxe_device* dev, uint32_t number, const struct mxe_job* job) {
  struct rows rows[ROWS_PARTS];
  if (dev->caps.version_minor < EARLY_VERSION_MINOR) return false;
  if (find_rows(job, rows) != MXE_OK) return false;
  for (int operand = ROWS_A; operand < ROWS_D; operand++) {
    struct mxe_range range;
    if (is_beyond_addresses(&rows[operand])) return false;
    set_range(&range, &rows[operand]);
    for (uint32_t before = load_shared(&dev->head); before != number; before++) {
      const struct mxe_slot* slot = slot_of(dev, before);
      if (ranges_meet(&range, &slot->written[0]) || ranges_meet(&range, &slot->written[1])) {
        return false;
      }
    }
  }
  return true;
}

int mxe_job_extents(const struct mxe_device* dev, const struct mxe_job* job,
                    const struct mxe_range* allowed, size_t count, struct mxe_extents* extents) {
  struct rows rows[ROWS_PARTS];
  if (!job) return MXE_ERR_ARGUMENT;
  const int code = find_rows(job, rows);
  if (code != MXE_OK) return code;
  for (int part = 0; part < ROWS_PARTS; part++) {
    if (is_beyond_addresses(&rows[part])) return MXE_ERR_ADDRESS;
  }
  if (extents) {
    set_range(&extents->a, &rows[ROWS_A]);
    set_range(&extents->a_scales, &rows[ROWS_A_SCALES]);
    set_range(&extents->b, &rows[ROWS_B]);
    set_range(&extents->b_scales, &rows[ROWS_B_SCALES]);
    set_range(&extents->c, &rows[ROWS_C]);
    set_range(&extents->d, &rows[ROWS_D]);
    set_range(&extents->d_scales, &rows[ROWS_D_SCALES]);
  }
  if (overwrites_something(dev, rows)) return MXE_ERR_OVERLAP;
  for (int part = 0; allowed && part < ROWS_PARTS; part++) {
    if (!is_allowed(&rows[part], allowed, count)) return MXE_ERR_RANGE;
  }
  return MXE_OK;
}

// ------------------------------------------------------------------------------------------ text

const char* mxe_explain(const struct mxe_device* dev, int code) {
  if (code != MXE_ERR_ARGUMENT) return mxe_strerror(code);
  if (!dev) return "dev is null";
  return dev->refused ? dev->refused : mxe_strerror(code);
}

const char* mxe_strerror(int code) {
  switch (code) {
    case MXE_OK:
      return "success";
    case MXE_ERR_NODEV:
      return "no MXE at this address";
    case MXE_ERR_VERSION:
      return "the device's major version differs from the driver's";
    case MXE_ERR_ARGUMENT:
      return "null pointer or value out of range (mxe_explain() names it)";
    case MXE_ERR_RING:
      return "ring misaligned, or its number of entries not a power of two up to QUEUE_DEPTH";
    case MXE_ERR_FULL:
      return "the ring is full: complete a job and try again";
    case MXE_ERR_TIMEOUT:
      return "no progress within the timeout";
    case MXE_ERR_UNKNOWN_JOB:
      return "unknown job, or completed too long ago";
    case MXE_ERR_GONE:
      return "the device does not respond: unpowered or unplugged";
    case MXE_ERR_INTERRUPT:
      return "waiting for the interrupt failed";
    case MXE_ERR_OVERFLOW:
      return "the device refused a doorbell: recover it";
    case MXE_ERR_PROTOCOL:
      return "the device returned an impossible index, record or status";
    case MXE_ERR_STOPPED:
      return "the device is stopped: recover or close it";
    case MXE_ERR_BUSY:
      return "the other context is using the ring, try again";
    case MXE_ERR_DEADLINE:
      return "the job's deadline passed";
    case MXE_ERR_OVERLAP:
      return "results would overwrite operands, themselves or the ring";
    case MXE_ERR_ADDRESS:
      return "an operand reaches beyond the last 64-bit address";
    case MXE_ERR_RANGE:
      return "an operand lies outside the allowed ranges";
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
      return "bus error on the descriptor or the completion record";
    case MXE_ERR_ABORTED:
      return "ended by a cancel, a recovery or a close";
    default:
      return "unknown error";
  }
}
