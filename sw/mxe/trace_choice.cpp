// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/trace_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/numerics/base/error.h"

namespace mxe::cli {

void TraceChoice::add_to(CLI::App& command) {
  command.add_option("--trace", path_,
                     "Write the model's activity as trace events for Perfetto, 1 cycle = 1 us");
}

void TraceChoice::require_possible(device::Target target) const {
  if (path_.empty() || target == device::Target::model) return;
  throw Error(fmt::format(
      "--trace needs --on model, not {} (signals of the RTL: mxe matmul --on rtl --waves)",
      device::target_name(target)));
}

std::optional<engine::ChromeTrace> TraceChoice::open() const {
  if (path_.empty()) return std::nullopt;
  return engine::ChromeTrace(path_);
}

}  // namespace mxe::cli
