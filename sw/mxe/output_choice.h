// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/job/output.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// The options that say how results are stored: --out-format, --out-rule and --out-overflow.
class OutputChoice {
 public:
  /// Adds the options to `command`. The object must live until parsing is over.
  void add_to(CLI::App& command);
  /// What was chosen; throws mx::Error for names that do not exist or do not go together.
  OutputFormat resolve() const;

 private:
  std::string format_ = "fp32", rule_, overflow_;
};

}  // namespace mxe::cli
