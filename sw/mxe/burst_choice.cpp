// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/burst_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "model/numerics/base/error.h"

namespace mxe::cli {

void BurstChoice::add_to(CLI::App& command) {
  command.add_option("--bursts", path_,
                     "Write the accesses of the DRAM of --memory as a trace for another simulator");
  command.add_option(
      "--burst-format", format_,
      fmt::format("Format of --bursts: {}", fmt::join(dram::log_format_names(), ", ")));
}

std::optional<dram::AccessLog> BurstChoice::open(const std::optional<dram::Setup>& dram) const {
  if (path_.empty()) {
    if (!format_.empty()) throw Error("--burst-format needs --bursts");
    return std::nullopt;
  }
  if (format_.empty()) {
    throw Error(fmt::format("--bursts needs --burst-format; allowed: {}",
                            fmt::join(dram::log_format_names(), ", ")));
  }
  const dram::LogFormat format = dram::parse_log_format(format_);
  if (!dram || dram->plugin) throw Error("--bursts needs --memory, whose accesses it writes");
  return dram::AccessLog(path_, format, *dram);
}

}  // namespace mxe::cli
