/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A DRAM simulator as a shared library, for `--memory-plugin` of mxe. Plain C; docs/memory.md has
 * an example.
 *
 * The library defines one object, mxe_dram_plugin_entry. A memory receives accesses of access_bytes
 * bytes at multiples of access_bytes; address 0 is the first byte of the engine's memory. It has
 * times and no data. Times are picoseconds after its creation.
 *
 * The host calls advance(100), submit(..., 100, 7) for a read that arrives at 100 ps, and take()
 * after each of these calls. Later it calls advance() and take() until ticket 7 completes, and
 * submits other accesses meanwhile.
 */
#ifndef MXE_DRAM_PLUGIN_H_
#define MXE_DRAM_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. Every change of the structures below changes it. */
#define MXE_DRAM_PLUGIN_VERSION 1u

struct mxe_dram_completion {
  uint64_t ticket;
  uint64_t time_ps; /**< last data of a read, or acknowledgement of a write, at the engine's port */
};

/** Results of submit(). */
enum { MXE_DRAM_FULL = 0, MXE_DRAM_ACCEPTED = 1 };

struct mxe_dram_plugin {
  uint32_t version; /**< MXE_DRAM_PLUGIN_VERSION; the first member in every version */

  /** Creates a memory; a process may have several. `options`: the text after the library's name and
   *  a colon, "" without. `clock_ps`: period of the engine's clock. Sets `*access_bytes` to a power
   *  of two from 8 to 4096. To refuse, returns NULL and writes one line to `error`, at most
   *  `error_size` bytes with the final 0. */
  void* (*create)(const char* options, double clock_ps, uint32_t* access_bytes, char* error,
                  size_t error_size);
  void (*destroy)(void* memory);

  /** An access arrives at `time_ps`, the time of the last advance(). Returns MXE_DRAM_ACCEPTED, or
   *  MXE_DRAM_FULL; then the host offers the access again one cycle of the engine later, and no
   *  access before it. Tickets are 0, 1, 2, ... in the order of acceptance. */
  int (*submit)(void* memory, uint64_t address, int is_write, uint64_t time_ps, uint64_t ticket);

  /** Simulates everything before `time_ps`, which is later than at the previous call. */
  void (*advance)(void* memory, uint64_t time_ps);

  /** Writes up to `capacity` completions that became known, in any order, and returns their number.
   *  The host calls it until it returns less than `capacity`. A time may be later than that of
   *  advance(), but not before that of the previous advance(). */
  size_t (*take)(void* memory, struct mxe_dram_completion* completions, size_t capacity);
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct mxe_dram_plugin mxe_dram_plugin_entry;

#ifdef __cplusplus
}
#endif

#endif /* MXE_DRAM_PLUGIN_H_ */
