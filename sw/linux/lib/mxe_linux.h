// SPDX-License-Identifier: Apache-2.0
/// @file
/// The engine of a Linux machine for programs that are written for the portable driver: a program
/// links libmxe instead of mxe_driver.c, takes port and memory from here, and is the same
/// otherwise.
///
///     struct mxe_linux* conn;
///     struct mxe_port port;
///     uint64_t address;
///     int code = mxe_linux_open(NULL, &conn);
///     void* memory = code == MXE_OK ? mxe_linux_alloc(conn, size, &address) : NULL;
///     if (memory) mxe_linux_port(conn, &port);        // then mxe_open(), mxe_submit(), ...
///     mxe_linux_close(conn);
///
/// libmxe has the portable driver in it, unchanged. The port answers for a device of the program's
/// own: its registers are in this process, each doorbell becomes jobs of the kernel
/// (sw/linux/include/uapi/drm/mxe_accel.h), and the addresses are names for objects and offsets.
/// Several programs, and several connections of one, use the engine at the same time; none sees or
/// resets the jobs of another. One connection is for one thread at a time.
///
/// What differs from the engine itself: a job that leaves its memory does not start, and ends with
/// MXE_ERR_READ or MXE_ERR_WRITE as a bus error would have ended it; one whose results overlap its
/// operands ends with MXE_ERR_DESCRIPTOR. Counters count for all users of the engine.
#ifndef MXE_LINUX_H_
#define MXE_LINUX_H_

#include "mxe_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mxe_linux;

/// Opens a device; null: $MXE_DEVICE, or /dev/accel/accel0. Errors: NODEV (there is none, errno
/// tells why, or another driver's), VERSION, ARGUMENT (no memory).
int mxe_linux_open(const char* path, struct mxe_linux** conn);

/// Ends its jobs and gives back its memory. May be null.
void mxe_linux_close(struct mxe_linux* conn);

/// Fills a port, which lives as long as the connection.
void mxe_linux_port(struct mxe_linux* conn, struct mxe_port* port);

/// Bytes that one mxe_linux_alloc() can return at most: the size of the area that the kernel
/// reserved at boot for objects, or 4 MiB (4194304) if there is none. `mxe linux` reserves 512 MiB
/// unless --object-memory names another size; on another Linux 6.12, reserve_mem=512M:4096:mxe on
/// the kernel's command line does. 0 if the device has gone.
uint64_t mxe_linux_max_alloc(struct mxe_linux* conn);

/// Zeroed memory for the ring and for operands, contiguous, at a multiple of 4096 for both sides.
/// Null with an errno if there is none: E2BIG, `size` is more than mxe_linux_max_alloc(); ENOMEM,
/// no piece of this size is free now; EINVAL, `size` is 0; ENODEV, the device has gone. The
/// kernel's log has a line for E2BIG and ENOMEM. The number of allocations is limited by memory
/// alone.
void* mxe_linux_alloc(struct mxe_linux* conn, size_t size, uint64_t* address);

/// Gives memory back early. No job may use it any more.
void mxe_linux_free(struct mxe_linux* conn, void* memory);

#ifdef __cplusplus
}
#endif

#endif  // MXE_LINUX_H_
