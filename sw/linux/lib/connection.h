// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the files of libmxe.
#ifndef MXE_LINUX_CONNECTION_H_
#define MXE_LINUX_CONNECTION_H_

#include "mxe_driver.h"
#include "mxe_linux.h"
#include "uapi/drm/mxe_accel.h"

enum { MXE_LINUX_COUNTERS = DRM_MXE_COUNTERS_MAX };

/// An object of the kernel, mapped at `data`. `address` is its bus address for the program.
struct memory {
  uint32_t handle;
  uint8_t* data;
  uint64_t address, size;
};

/// A submitted job: a job of the kernel, or one that ended in this library.
struct pending {
  uint32_t kernel_job;  // 0: the result is `local`
  struct drm_mxe_wait local;
};

struct mxe_linux {
  int file;
  bool gone;  // the device has been removed: registers read as all ones
  uint64_t next_address;
  struct memory* memories;  // [memory_count], allocated for memory_room
  size_t memory_count, memory_room;

  uint32_t queue_depth;
  bool enabled;
  uint64_t ring_base;
  uint32_t ring_size_log2;
  uint16_t head, tail;
  uint16_t submitted;  // index of the first job not yet passed to the kernel
  uint32_t irq_status, irq_mask;
  uint32_t last_job, last_status;
  uint64_t fault_addr;
  uint32_t fault_info;
  uint64_t counters[MXE_LINUX_COUNTERS], counted_before[MXE_LINUX_COUNTERS];

  struct pending* jobs;  // [queue_depth], by index modulo queue_depth
};

// kernel.c
/// Returns 0 or a positive errno; ENODEV sets conn->gone.
int conn_ioctl(struct mxe_linux* conn, unsigned long request, void* args);
uint64_t conn_now_ns(void);

// memory.c
const struct memory* conn_memory_at(const struct mxe_linux* conn, uint64_t address);

// job.c
/// Submits a descriptor's job to the kernel, or stores the result of an illegal job.
void conn_submit(struct mxe_linux* conn, const volatile uint32_t* descriptor, struct pending* job);
/// Waits for a job until `until_ns` on CLOCK_MONOTONIC. Returns false if it has not ended. The
/// result's `fault_offset` is an address.
bool conn_wait(struct mxe_linux* conn, const struct pending* job,
               const volatile uint32_t* descriptor, uint64_t until_ns, struct drm_mxe_wait* result);

// registers.c
uint32_t conn_read32(void* ctx, uint32_t offset);
void conn_write32(void* ctx, uint32_t offset, uint32_t value);
int conn_wait_irq(void* ctx, uint32_t timeout_us);

#endif  // MXE_LINUX_CONNECTION_H_
