// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "model/blocks/bits.h"
#include "model/engine/block_watcher.h"

namespace mxe {

/// Writes the values of the array's blocks as a value change dump (VCD), for any wave viewer:
/// scopes and signals have the names of the RTL, one cycle is one nanosecond. All values of a row
/// appear in the cycle in which the RTL has its result.
class BlockWaves : public BlockWatcher {
 public:
  /// Throws mx::Error if the file cannot be created.
  explicit BlockWaves(const std::string& path);

  void row(uint64_t cycle, const Arithmetic& arithmetic) override;
  /// Throws mx::Error if not everything could be written.
  void close();

 private:
  class Header;
  class Changes;

  std::string path_;
  std::ofstream file_;
  bool begun_ = false;
  std::vector<blocks::Bits> values_;  // in the order in which the blocks show them
};

}  // namespace mxe
