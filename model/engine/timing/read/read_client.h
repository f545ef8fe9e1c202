// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "model/engine/skipping/state.h"
#include "model/engine/timing/common/fetch.h"
#include "model/engine/timing/common/trace.h"
#include "model/params/params.h"

namespace mxe::engine {

/// A block that requests rows from the read port, one fetch at a time. It returns the first cycle
/// of its next request; the datapath calls accept() with the cycle of the grant.
class ReadClient {
 public:
  ReadClient() = default;
  ReadClient(const ReadClient&) = default;
  ReadClient& operator=(const ReadClient&) = default;
  virtual ~ReadClient() = default;

  /// First cycle in which the next fetch is requested; kNever if not yet known, or if none is left.
  virtual uint64_t request_cycle() const = 0;
  /// The next fetch.
  virtual const Fetch& fetch() const = 0;
  /// The fetch was accepted in `cycle`.
  virtual void accept(uint64_t cycle) = 0;
  /// The consumer has finished with a bank of the buffer in `cycle`.
  virtual void release(uint64_t cycle) = 0;
  /// First cycle in which all rows have been requested; kNever if requests remain.
  virtual uint64_t done_cycle() const = 0;
  /// Drops all remaining requests.
  virtual void clear() = 0;
  /// Visits all state that affects its future (state.h).
  virtual void visit(StateVisitor& visitor) = 0;
  /// Where a trace shows it.
  virtual Track track() const = 0;
};

/// One operand of a job, as its loader needs it.
struct OperandView {
  uint64_t address = 0, scale_address = 0;
  uint32_t stride = 0, scale_stride = 0;
  uint32_t row_bytes = 0, row_blocks = 0;  ///< of a whole row: element bytes, blocks
  unsigned word_bytes = 0;                 ///< element bytes of one operand word
  unsigned word_blocks = 1;                ///< blocks of one operand word: 2 at the dual rate
  unsigned coarse = 0;                     ///< log2 of the blocks that share a scale byte
  unsigned words_at_a_time = 1;            ///< operand words in one word at the unpacker's output
  bool wide = false, long_slab = false;    ///< of B: how the nest is walked, see Walk; if it is
                                           ///< wide, each bank is used as two
};

/// Fetches A's chunks or B's slabs, in the order of the loop nest, into the banks of a buffer.
class OperandLoader : public ReadClient {
 public:
  /// A job of `batch` products starts in `cycle` (start_i). `chained`: the job before it is still
  /// being computed, so the banks continue after the last one requested.
  virtual void start(uint64_t cycle, const OperandView& view, uint32_t batch, uint32_t m,
                     uint32_t n, uint32_t k_words, bool chained) = 0;
  /// Banks of its buffer, 2 to kMaxBanks / 2, which it fills in turn: those of A from bank 0 on,
  /// those of B in each job from bank 0 on, unless the job is chained.
  virtual unsigned banks() const = 0;
};

/// Makes an engine's loader.
using LoaderFactory = std::function<std::unique_ptr<OperandLoader>(const Params& params)>;

}  // namespace mxe::engine
