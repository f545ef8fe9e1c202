// SPDX-License-Identifier: Apache-2.0
/// @file
/// A port that wraps a real one and injects faults, by default none.
#ifndef MISCHIEF_H_
#define MISCHIEF_H_

#include "mxe_driver.h"

enum { MISCHIEF_FOR_EVER = 0x7fffffff };

struct mischief {
  struct mxe_port real;
  void* user;

  // Faults. Counts decrease with each use, except MISCHIEF_FOR_EVER.
  uint32_t lives;           ///< register accesses until the device is removed
  uint32_t refused;         ///< doorbells changed to an impossible tail
  uint32_t lost_doorbells;  ///< doorbells that do not reach the device
  uint32_t resetting;       ///< reads of STATUS with `resetting` set
  uint32_t index_offset;    ///< added to all indices of the ring
  uint32_t lied_register;   ///< offset of the register that reads `lie`
  uint32_t lies;            ///< number of reads that return `lie`
  uint32_t lie;
  uint32_t truths;           ///< correct reads before the first wrong one
  bool loses_interrupts;     ///< no interrupt ends wait_irq
  uint32_t others;           ///< waits that end with another device's interrupt
  int wait_result;           ///< result of wait_irq, if not 0
  bool messages;             ///< an interrupt is an MSI, sent when the line rises
  struct mxe_device* owner;  ///< device whose mxe_irq() is the handler; null: no handler
  uint64_t skew_us;          ///< added to the clock

  /// Hooks, called before each access; may be null.
  void (*before_read)(struct mischief*, uint32_t offset);
  void (*before_write)(struct mischief*, uint32_t offset, uint32_t value);

  uint32_t writes_of_causes;  ///< writes to IRQ_STATUS
  uint32_t doorbells, waits, messages_sent;
  bool line_was_low;  ///< since the last MSI
};

/// Returns the port; `m` must outlive it.
struct mxe_port mischief_port(struct mischief* m, const struct mxe_port* real);

#endif  // MISCHIEF_H_
