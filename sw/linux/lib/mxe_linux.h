// SPDX-License-Identifier: Apache-2.0
/// @file
/// The engine of a Linux machine for programs that use the portable driver. A program links libmxe
/// instead of mxe_driver.c and uses the port and the memory of this header; the rest is unchanged.
///
///     struct mxe_linux* conn;
///     struct mxe_port port;
///     uint64_t address;
///     int code = mxe_linux_open(NULL, &conn);
///     void* memory = code == MXE_OK ? mxe_linux_alloc(conn, size, &address) : NULL;
///     if (memory) mxe_linux_port(conn, &port);        // then mxe_open(), mxe_submit(), ...
///     mxe_linux_close(conn);
///
/// libmxe contains the portable driver. Its port has no registers and no ring but a queue (struct
/// mxe_queue): mxe_submit() and mxe_wait() are ioctls (sw/linux/include/uapi/drm/mxe_accel.h). Bus
/// addresses stand for objects and offsets. Programs and connections share the engine, but cannot
/// read or reset each other's jobs. Only one thread at a time may use a connection.
///
/// Differences from the engine: a job that exceeds its memory does not start and ends with
/// MXE_ERR_READ or MXE_ERR_WRITE, as after a bus error. A job whose results overlap its operands
/// or each other ends with MXE_ERR_DESCRIPTOR. The kernel ends a job at its deadline, also while
/// the program calls no function. Counters include the jobs of all users of the engine.
#ifndef MXE_LINUX_H_
#define MXE_LINUX_H_

#include "mxe_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mxe_linux;

/// Opens the device file `path`; null: $MXE_DEVICE, else /dev/accel/accel0. Errors: NODEV (it
/// cannot be opened, with errno, or belongs to another driver), VERSION, ARGUMENT (out of memory).
int mxe_linux_open(const char* path, struct mxe_linux** conn);

/// Cancels the connection's jobs and frees its memory. `conn` may be null.
void mxe_linux_close(struct mxe_linux* conn);

/// Fills a port for the driver's functions, which is valid until mxe_linux_close().
void mxe_linux_port(struct mxe_linux* conn, struct mxe_port* port);

/// Maximum size of mxe_linux_alloc() in bytes: the area reserved at boot, at least 4194304 (4 MiB);
/// 0 if the device was removed. `mxe linux` reserves 512 MiB (see --object-memory), any other Linux
/// 6.12 with reserve_mem=512M:4096:mxe on its command line.
uint64_t mxe_linux_max_alloc(struct mxe_linux* conn);

/// Allocates `size` bytes of zeroed, contiguous memory for the ring and for operands. The host
/// address and the bus address `*address` are multiples of 4096. Returns null with an errno: E2BIG,
/// `size` exceeds mxe_linux_max_alloc(); ENOMEM, not enough contiguous memory is free; EINVAL,
/// `size` is 0; ENODEV, the device has been removed. The kernel logs E2BIG and ENOMEM.
void* mxe_linux_alloc(struct mxe_linux* conn, size_t size, uint64_t* address);

/// Frees memory before mxe_linux_close(). No unfinished job may use it.
void mxe_linux_free(struct mxe_linux* conn, void* memory);

#ifdef __cplusplus
}
#endif

#endif  // MXE_LINUX_H_
