// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/engine/timing/observe/chrome_trace.h"
#include "model/platform/device/target.h"

namespace CLI {
class App;
}

namespace mxe::cli {

class TraceChoice {
 public:
  /// The object must live until parsing has ended.
  void add_to(CLI::App& command);
  bool wanted() const { return !path_.empty(); }
  /// Throws Error if a trace was requested and the target is not the model.
  void require_possible(device::Target target) const;
  /// Creates the file, if --trace was given. Throws Error if it cannot be written.
  std::optional<engine::ChromeTrace> open() const;

 private:
  std::string path_;
};

}  // namespace mxe::cli
