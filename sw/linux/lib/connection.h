// SPDX-License-Identifier: Apache-2.0
#ifndef MXE_LINUX_CONNECTION_H_
#define MXE_LINUX_CONNECTION_H_

#include "mxe_driver.h"
#include "mxe_linux.h"
#include "uapi/drm/mxe_accel.h"

enum { OPERANDS = MXE_FAULT_D_SCALES - MXE_FAULT_A + 1 };

/// An object of the kernel, mapped at `data`. `address` is its bus address for the program.
struct memory {
  uint32_t handle;
  uint8_t* data;
  uint64_t address, size;
};

struct job {
  uint32_t number;                ///< in the kernel; 0: not accepted
  uint64_t memories[OPERANDS];    ///< bus addresses of its operands' memories
  struct mxe_completion refusal;  ///< result of a job that was not accepted
};

struct mxe_linux {
  int file;
  bool gone;  // device removed
  uint64_t next_address;
  struct memory* memories;  // [memory_count], allocated for memory_room
  size_t memory_count, memory_room;

  uint32_t queue_depth;  // most jobs in flight; 0: unknown
  struct job* jobs;      // [queue_depth], by the driver's places
  struct mxe_counters before;
};

// kernel.c
/// Returns 0 or a positive errno; ENODEV sets conn->gone.
int conn_ioctl(struct mxe_linux* conn, unsigned long request, void* args);
uint64_t conn_now_ns(void);

// memory.c
const struct memory* conn_memory_at(const struct mxe_linux* conn, uint64_t address);

// queue.c
/// The engine of the kernel as a queue; `ctx` is a struct mxe_linux.
extern const struct mxe_queue conn_queue;

#endif  // MXE_LINUX_CONNECTION_H_
