// SPDX-License-Identifier: Apache-2.0
// What the parts of libmxe share.
#ifndef MXE_LINUX_CONNECTION_H_
#define MXE_LINUX_CONNECTION_H_

#include "mxe_driver.h"
#include "mxe_linux.h"
#include "uapi/drm/mxe_accel.h"

enum { MXE_LINUX_COUNTERS = DRM_MXE_COUNTERS_MAX };

/// An object of the kernel.
struct memory {
  uint32_t handle;
  uint8_t* data;
  uint64_t address, size;
};

/// A job that was announced: the kernel's, or one that ended before it could become one.
struct pending {
  uint32_t kernel_job;  // 0: see `local`
  struct drm_mxe_wait local;
};

struct mxe_linux {
  int file;
  bool gone;  // the kernel has no device any more: registers read as all ones
  uint64_t next_address;
  struct memory* memories;  // [memory_count]; there is room for memory_room
  size_t memory_count, memory_room;

  // The registers that are more than a constant.
  uint32_t queue_depth;
  bool enabled;
  uint64_t ring_base;
  uint32_t ring_size_log2;
  uint16_t head, tail;
  uint16_t submitted;  // the jobs before this one are the kernel's
  uint32_t irq_status, irq_mask;
  uint32_t last_job, last_status;
  uint64_t fault_addr;
  uint32_t fault_info;
  uint64_t counters[MXE_LINUX_COUNTERS], counted_before[MXE_LINUX_COUNTERS];

  struct pending* jobs;  // [queue_depth], by index modulo that
};

// memory.c
const struct memory* conn_memory_at(const struct mxe_linux* conn, uint64_t address);

// kernel.c
/// 0 or a positive errno. An errno that says that the device has gone is noted.
int conn_ioctl(struct mxe_linux* conn, unsigned long request, void* args);
uint64_t conn_now_ns(void);

// job.c
/// Makes a job of the kernel of a descriptor, or notes how it ended.
void conn_submit(struct mxe_linux* conn, const volatile uint32_t* descriptor, struct pending* job);
/// How a job ended, if it has by then (on CLOCK_MONOTONIC). Its `fault_offset` is an address.
bool conn_wait(struct mxe_linux* conn, const struct pending* job,
               const volatile uint32_t* descriptor, uint64_t until_ns, struct drm_mxe_wait* result);

// registers.c
uint32_t conn_read32(void* ctx, uint32_t offset);
void conn_write32(void* ctx, uint32_t offset, uint32_t value);
int conn_wait_irq(void* ctx, uint32_t timeout_us);

#endif  // MXE_LINUX_CONNECTION_H_
