// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/bus.h"

#include <fmt/format.h>

#include <algorithm>

namespace mxe::soc {

void Bus::attach(const std::string& name, uint64_t base, uint64_t bytes, RegisterDevice& device) {
  windows_.push_back({name, base, bytes, &device});
}

const Bus::Window* Bus::find(uint64_t address) const {
  const auto window = std::find_if(windows_.begin(), windows_.end(), [address](const Window& w) {
    return address - w.base < w.bytes;
  });
  return window == windows_.end() ? nullptr : &*window;
}

bool Bus::access(BusAccess& access) {
  ++accesses_;
  time_.catch_up();
  const Window* window = find(access.address);
  if (!window || access.bytes != 4 || access.address % 4 != 0) return false;
  const auto offset = static_cast<uint32_t>(access.address - window->base);
  return access.write ? window->device->write(offset, access.data)
                      : window->device->read(offset, access.data);
}

std::string Bus::describe(uint64_t address) const {
  const Window* window = find(address);
  return window ? fmt::format("{} + {:#x}", window->name, address - window->base) : "no device";
}

}  // namespace mxe::soc
