// SPDX-License-Identifier: Apache-2.0
/// @file
/// A port around a real one that makes what hardware cannot be asked for: lost interrupts, a device
/// that is gone, refused doorbells, heads that cannot be. Without a wish it changes nothing.
#ifndef MISCHIEF_H_
#define MISCHIEF_H_

#include "mxe_driver.h"

enum { MISCHIEF_FOR_EVER = 0x7fffffff };

struct mischief {
  struct mxe_port real;
  void* user;  ///< of the hooks

  // Wishes. A number of times counts down; MISCHIEF_FOR_EVER does not.
  uint32_t lives;            ///< register accesses until the device is gone
  uint32_t refused;          ///< doorbells that reach the device as impossible ones
  uint32_t lost_doorbells;   ///< doorbells that do not reach the device
  uint32_t resetting;        ///< reads of STATUS that say that a reset is under way
  uint32_t index_offset;     ///< added to all indices of the ring
  uint32_t lied_register;    ///< reads of this register ...
  uint32_t lies;             ///< ... as often ...
  uint32_t lie;              ///< ... give this
  uint32_t truths;           ///< after so many reads that give what they should
  bool loses_interrupts;     ///< none wakes wait_irq
  uint32_t others;           ///< waits that end by somebody else's interrupt
  int wait_result;           ///< of wait_irq, if not 0
  bool messages;             ///< an interrupt is a message, sent when the line rises
  struct mxe_device* owner;  ///< whose mxe_irq() is the handler; null: no handler
  uint64_t skew_us;          ///< added to the clock

  /// Called with the offset before the access, if not null.
  void (*before_read)(struct mischief*, uint32_t offset);
  void (*before_write)(struct mischief*, uint32_t offset, uint32_t value);

  // What happened.
  uint32_t writes_of_causes;  ///< to IRQ_STATUS
  uint32_t doorbells, waits, messages_sent;
  bool line_was_low;  ///< since the last message
};

/// Makes the port; `m` must outlive it.
struct mxe_port mischief_port(struct mischief* m, const struct mxe_port* real);

#endif  // MISCHIEF_H_
