// SPDX-License-Identifier: Apache-2.0
// The registers of the virtual device, as in docs/registers.md.
#include <stddef.h>

#include "connection.h"

static const uint32_t all_ones = UINT32_C(0xffffffff);

static uint32_t ring_entries(const struct mxe_linux* conn) {
  return UINT32_C(1) << conn->ring_size_log2;
}

/// Returns null if the entry is not in this connection's memory.
static volatile uint32_t* entry(const struct mxe_linux* conn, uint16_t index) {
  const uint32_t place = index & (ring_entries(conn) - 1u);
  const uint64_t at = conn->ring_base + (uint64_t)place * MXE_DESC_SIZE;
  const struct memory* memory = conn_memory_at(conn, at);
  if (!memory || memory->size - (at - memory->address) < MXE_DESC_SIZE) return NULL;
  return (volatile uint32_t*)(void*)(memory->data + (at - memory->address));
}

static struct pending* pending_of(struct mxe_linux* conn, uint16_t index) {
  return &conn->jobs[index % conn->queue_depth];
}

static void submit_all(struct mxe_linux* conn) {
  while (conn->enabled && conn->submitted != conn->tail) {
    struct pending* job = pending_of(conn, conn->submitted);
    const volatile uint32_t* descriptor = entry(conn, conn->submitted++);
    if (descriptor) {
      conn_submit(conn, descriptor, job);
    } else {
      *job = (struct pending){
          .local = {.status = MXE_STATUS_ERR_FETCH, .fault_operand = MXE_FAULT_DESCRIPTOR}};
    }
  }
}

static void note_fault(struct mxe_linux* conn, const struct drm_mxe_wait* result) {
  conn->fault_addr = result->fault_offset;
  conn->fault_info = result->fault_operand | (uint32_t)conn->head << MXE_FAULT_INFO_INDEX_SHIFT |
                     (result->fault_write ? MXE_FAULT_INFO_WRITE_MASK : 0);
}

/// Writes record, head and interrupt in the device's order.
static void complete(struct mxe_linux* conn, volatile uint32_t* record,
                     const struct drm_mxe_wait* result) {
  if (record) {
    conn->last_job = record[MXE_DESC_JOB_ID / 4];
    record[MXE_DESC_DONE_JOB_ID / 4] = conn->last_job;
    record[MXE_DESC_CYCLES / 4] = (uint32_t)result->cycles;
    record[MXE_DESC_CYCLES / 4 + 1] = (uint32_t)(result->cycles >> 32);
    record[MXE_DESC_STATUS / 4] = result->status;
  }
  conn->last_status = result->status;
  if (result->fault_operand != MXE_FAULT_NONE) note_fault(conn, result);
  conn->head++;
  conn->irq_status |=
      result->status == MXE_STATUS_OK ? MXE_IRQ_STATUS_DONE_MASK : MXE_IRQ_STATUS_ERROR_MASK;
  if (conn->head == conn->tail) conn->irq_status |= MXE_IRQ_STATUS_QUEUE_EMPTY_MASK;
}

/// Completes all jobs that have ended; waits for the first one until `until_ns`.
static void advance(struct mxe_linux* conn, uint64_t until_ns) {
  while (conn->head != conn->submitted) {
    struct drm_mxe_wait result;
    volatile uint32_t* descriptor = entry(conn, conn->head);
    if (!conn_wait(conn, pending_of(conn, conn->head), descriptor, until_ns, &result)) return;
    complete(conn, descriptor, &result);
    until_ns = 0;
  }
}

/// Completes the jobs that have ended, cancels the others, completes the first aborted one, drops
/// the rest.
static void soft_reset(struct mxe_linux* conn) {
  struct drm_mxe_cancel all = {0};
  advance(conn, 0);
  conn_ioctl(conn, DRM_IOCTL_MXE_CANCEL, &all);
  for (bool is_aborted = false; conn->head != conn->submitted && !is_aborted && !conn->gone;) {
    advance(conn, INT64_MAX);
    is_aborted = conn->last_status == MXE_STATUS_ERR_ABORTED;
  }
  conn->enabled = false;
  conn->head = conn->tail = conn->submitted = 0;
}

static void snapshot(struct mxe_linux* conn) {
  struct drm_mxe_counters now = {0};
  if (conn_ioctl(conn, DRM_IOCTL_MXE_COUNTERS, &now) != 0) return;
  for (int i = 0; i < MXE_LINUX_COUNTERS; i++) {
    conn->counters[i] = now.value[i] - conn->counted_before[i];
  }
}

/// Stores the start values: the device's counters are shared, so they are not cleared.
static void clear_counters(struct mxe_linux* conn) {
  struct drm_mxe_counters now = {0};
  if (conn_ioctl(conn, DRM_IOCTL_MXE_COUNTERS, &now) != 0) return;
  for (int i = 0; i < MXE_LINUX_COUNTERS; i++) conn->counted_before[i] = now.value[i];
}

static void write_control(struct mxe_linux* conn, uint32_t value) {
  if (value & MXE_CTRL_COUNTER_SNAPSHOT_MASK) snapshot(conn);
  if (value & MXE_CTRL_COUNTER_CLEAR_MASK) clear_counters(conn);
  if (value & MXE_CTRL_SOFT_RESET_MASK) soft_reset(conn);
  conn->enabled = (value & MXE_CTRL_ENABLE_MASK) != 0;
  submit_all(conn);
}

static void write_tail(struct mxe_linux* conn, uint32_t value) {
  advance(conn, 0);
  const uint16_t ahead = (uint16_t)(value - conn->head);
  const uint16_t known = (uint16_t)(conn->tail - conn->head);
  if (ahead > ring_entries(conn) || ahead > conn->queue_depth || ahead < known) {
    conn->irq_status |= MXE_IRQ_STATUS_RING_OVERFLOW_MASK;
    return;
  }
  conn->tail = (uint16_t)value;
  submit_all(conn);
}

static uint32_t read_constant(struct mxe_linux* conn, uint32_t offset) {
  struct drm_mxe_get_param args = {.param = offset};
  const int error = conn_ioctl(conn, DRM_IOCTL_MXE_GET_PARAM, &args);
  return error ? 0 : (uint32_t)args.value;
}

static uint32_t read_counter(const struct mxe_linux* conn, uint32_t offset) {
  const uint32_t word = (offset - MXE_REG_TOTAL_LO) / 4;
  if (word / 2 >= MXE_LINUX_COUNTERS) return 0;
  return (uint32_t)(conn->counters[word / 2] >> (word % 2 * 32));
}

static uint32_t read_status(struct mxe_linux* conn) {
  advance(conn, 0);
  return (conn->head == conn->submitted ? 0 : MXE_STATUS_BUSY_MASK) |
         (conn->head == conn->tail ? MXE_STATUS_EMPTY_MASK : 0);
}

static uint32_t read_register(struct mxe_linux* conn, uint32_t offset) {
  if (offset >= MXE_REG_TOTAL_LO) return read_counter(conn, offset);
  switch (offset) {
    case MXE_REG_QUEUE_DEPTH:
      return conn->queue_depth ? conn->queue_depth : read_constant(conn, offset);
    case MXE_REG_CTRL:
      return conn->enabled ? MXE_CTRL_ENABLE_MASK : 0;
    case MXE_REG_STATUS:
      return read_status(conn);
    case MXE_REG_IRQ_STATUS:
      advance(conn, 0);
      return conn->irq_status;
    case MXE_REG_IRQ_MASK:
      return conn->irq_mask;
    case MXE_REG_RING_BASE_LO:
      return (uint32_t)conn->ring_base;
    case MXE_REG_RING_BASE_HI:
      return (uint32_t)(conn->ring_base >> 32);
    case MXE_REG_RING_SIZE_LOG2:
      return conn->ring_size_log2;
    case MXE_REG_RING_TAIL:
      return conn->tail;
    case MXE_REG_RING_HEAD:
      advance(conn, 0);
      return conn->head;
    case MXE_REG_LAST_JOB:
      return conn->last_job;
    case MXE_REG_LAST_STATUS:
      return conn->last_status;
    case MXE_REG_FAULT_ADDR_LO:
      return (uint32_t)conn->fault_addr;
    case MXE_REG_FAULT_ADDR_HI:
      return (uint32_t)(conn->fault_addr >> 32);
    case MXE_REG_FAULT_INFO:
      return conn->fault_info;
    default:
      return read_constant(conn, offset);
  }
}

uint32_t conn_read32(void* ctx, uint32_t offset) {
  struct mxe_linux* conn = ctx;
  const uint32_t value = conn->gone ? all_ones : read_register(conn, offset);
  return conn->gone ? all_ones : value;
}

void conn_write32(void* ctx, uint32_t offset, uint32_t value) {
  struct mxe_linux* conn = ctx;
  const uint64_t high_half = UINT64_C(0xffffffff) << 32;
  if (conn->gone) return;
  switch (offset) {
    case MXE_REG_CTRL:
      write_control(conn, value);
      break;
    case MXE_REG_IRQ_STATUS:
      conn->irq_status &= ~value;
      break;
    case MXE_REG_IRQ_MASK:
      conn->irq_mask = value;
      break;
    case MXE_REG_RING_BASE_LO:
      conn->ring_base = (conn->ring_base & high_half) | (value & ~(MXE_DESC_SIZE - 1u));
      break;
    case MXE_REG_RING_BASE_HI:
      conn->ring_base = (conn->ring_base & ~high_half) | (uint64_t)value << 32;
      break;
    case MXE_REG_RING_SIZE_LOG2:
      conn->ring_size_log2 = value & 15u;
      break;
    case MXE_REG_RING_TAIL:
      write_tail(conn, value);
      break;
    default:
      break;
  }
}

int conn_wait_irq(void* ctx, uint32_t timeout_us) {
  struct mxe_linux* conn = ctx;
  if (!(conn->irq_status & conn->irq_mask)) {
    advance(conn, conn_now_ns() + (uint64_t)timeout_us * 1000u);
  }
  if (conn->gone) return 0;  // the driver then reads all ones
  return conn->irq_status & conn->irq_mask ? 0 : MXE_ERR_TIMEOUT;
}
