// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/access_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/numerics/base/error.h"

namespace mxe::dram {

const std::vector<std::string>& log_format_names() {
  static const std::vector<std::string> kNames = {"dramsim3", "ramulator", "dramsys"};
  return kNames;
}

LogFormat parse_log_format(const std::string& name) {
  const auto& names = log_format_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(
        fmt::format("unknown format of bursts '{}'; allowed: {}", name, fmt::join(names, ", ")));
  }
  return static_cast<LogFormat>(found - names.begin());
}

AccessLog::AccessLog(const std::string& path, LogFormat format, const Setup& setup)
    : format_(format),
      engine_(setup.clock()),
      dram_(setup.config),
      access_bytes_(setup.config.access_bytes()),
      file_(path) {}

void AccessLog::add(uint64_t cycle, uint64_t address, uint64_t bytes, bool is_write) {
  const uint64_t end = address + bytes;
  for (uint64_t begin = address / access_bytes_ * access_bytes_; begin < end;
       begin += access_bytes_) {
    add_access(cycle, begin, is_write);
  }
}

void AccessLog::add_access(uint64_t cycle, uint64_t address, bool is_write) {
  switch (format_) {
    case LogFormat::dramsim3:
      file_.print("{:#x} {} {}\n", address, is_write ? "WRITE" : "READ",
                  dram_.cycle_from(engine_.ps_of(cycle)));
      break;
    case LogFormat::ramulator:
      file_.print("{} {:#x}\n", is_write ? "ST" : "LD", address);
      break;
    case LogFormat::dramsys:
      file_.print("{}: ({}) {} {:#x}\n", cycle, access_bytes_, is_write ? "write" : "read",
                  address);
      break;
  }
}

}  // namespace mxe::dram
