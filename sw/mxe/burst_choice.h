// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/platform/dram/access_log.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// The options --bursts and --burst-format.
class BurstChoice {
 public:
  /// The object must live until parsing has ended.
  void add_to(CLI::App& command);
  bool wanted() const { return !path_.empty(); }
  /// Creates the file, if --bursts was given. Throws Error without a DRAM, without a format, for an
  /// unknown format, and if the file cannot be written.
  std::optional<dram::AccessLog> open(const std::optional<dram::Setup>& dram) const;

 private:
  std::string path_, format_;
};

}  // namespace mxe::cli
