// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/blocks/bits.h"
#include "model/engine/arithmetic/block_watcher.h"
#include "model/numerics/files/files.h"

namespace mxe::engine {

/// Writes the values of the blocks as a value change dump (VCD) with the RTL's names; one cycle is
/// one nanosecond. All values of a row of the array, or of a segment in the drain, appear in the
/// cycle of the RTL's result, including rows that an abort then cancels.
class BlockWaves : public BlockWatcher {
 public:
  /// Throws Error if the file cannot be created.
  explicit BlockWaves(const std::string& path);

  void row(uint64_t cycle, const Arithmetic& arithmetic) override;
  void segment(uint64_t cycle, BlockPart part, const Arithmetic& arithmetic) override;
  void slot(uint64_t cycle, PipelineSlot slot, uint8_t value) override;
  void advance(uint64_t cycle) override;
  /// Throws Error if the file is incomplete.
  void close();

 private:
  class Header;
  class Changes;
  struct Signal {
    unsigned width;
    blocks::Bits value;
  };
  struct Change {
    std::size_t signal;
    blocks::Bits value;
  };

  void declare(const Arithmetic& arithmetic);
  void take(uint64_t cycle, BlockPart part, const Arithmetic& arithmetic);

  numerics::OutputFile file_;
  std::vector<Signal> signals_;                      // in the order of visit
  std::set<BlockPart> known_;                        // parts with values written before
  std::map<uint64_t, std::vector<Change>> changes_;  // by cycle, not yet written
};

}  // namespace mxe::engine
