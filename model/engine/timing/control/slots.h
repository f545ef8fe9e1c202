// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/engine/timing/common/descriptor.h"
#include "model/engine/timing/common/fault.h"
#include "model/params/hardware.h"
#include "mxe_regs.h"

namespace mxe::engine {

/// A place of the job pipeline (slot_t of mxe_cmd).
struct Slot {
  /// First bus error of its reads, or the abort of its job.
  struct Error {
    uint32_t status = 0;      ///< 0: none
    uint64_t cycle = kNever;  ///< visible in the slot from the next cycle on
    Fault fault;
  };
  Descriptor descriptor;
  bool valid = false;    ///< a job is in the slot; else its other fields have no meaning
  bool loaded = false;   ///< its operands were requested early
  unsigned fetches = 0;  ///< its row fetches that the read port has accepted and not completed
  Error error;
  uint16_t index = 0;          ///< ring index of the job; modulo 4: its turn
  uint64_t vacated_cycle = 0;  ///< of an empty slot: last cycle of its last job

  /// The read of an operand returns its first error in `cycle`.
  void fail(uint64_t cycle, const Fault& fault) {
    if (cycle < error.cycle) error = {MXE_STATUS_ERR_READ, cycle, fault};
  }
  /// Clears what concerns reads: they have been dropped, or the job has left the slot.
  void drop_reads() {
    loaded = false;
    fetches = 0;
    error = {};
  }
  /// slot_t in `cycle`: error, valid, loaded, turn; 0: empty.
  uint8_t value(uint64_t cycle) const {
    if (!valid) return 0;
    const uint32_t status = error.cycle < cycle ? error.status : 0;
    return static_cast<uint8_t>(status << 4 | 8u | (loaded ? 4u : 0u) | (index & 3u));
  }
};

/// The three slots of the command processor. A job advances from ahead to wait to run, or from
/// ahead to run.
struct Slots {
  Slot run;    ///< the running job
  Slot wait;   ///< all its operands have been requested
  Slot ahead;  ///< the oldest descriptor

  /// The job that runs next.
  Slot& next() { return wait.valid ? wait : ahead; }
  const Slot& next() const { return wait.valid ? wait : ahead; }
  /// Slot of the job whose operands the loaders read.
  Slot& loading() { return ahead.loaded ? ahead : run; }
  /// Slot with the row fetches of the job with this ring index; null if they were dropped.
  Slot* fetching(uint16_t index) {
    for (Slot* slot : {&run, &wait, &ahead}) {
      if (slot->valid && slot->fetches != 0 && slot->index == index) return slot;
    }
    return nullptr;
  }
  bool has_early_reads() const { return wait.loaded || ahead.loaded; }
  /// First cycle in which an early read has returned an error, or kNever.
  uint64_t early_error_cycle() const { return std::min(wait.error.cycle, ahead.error.cycle); }
};

}  // namespace mxe::engine
