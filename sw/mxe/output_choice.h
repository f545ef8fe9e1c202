// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/job/output.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// --out-format, --out-rule and --out-overflow.
class OutputChoice {
 public:
  /// The object must live until parsing has ended.
  void add_to(CLI::App& command);
  /// Throws Error for unknown names or an illegal combination.
  job::OutputFormat resolve() const;

 private:
  std::string format_ = "fp32", rule_, overflow_;
};

}  // namespace mxe::cli
