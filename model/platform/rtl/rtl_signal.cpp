// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/rtl_signal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/numerics/base/error.h"

namespace mxe::rtl {

uint64_t RtlSignal::value() const {
  uint64_t value = 0;
  std::memcpy(&value, data_, bytes_);
  return value;
}

void RtlSignal::set(uint64_t value) const {
  if (!writable_) throw Error(fmt::format("the RTL's signal {} cannot be set", name_));
  std::memcpy(data_, &value, bytes_);
}

std::string RtlSignal::value_name(uint64_t value) const {
  const auto found = std::find_if(value_names_.begin(), value_names_.end(),
                                  [&](const ValueName& known) { return known.first == value; });
  return found == value_names_.end() ? std::to_string(value) : found->second;
}

std::string describe(const std::vector<RtlSignal>& signals) {
  std::string text;
  for (const RtlSignal& signal : signals) {
    const uint64_t value = signal.value();
    if (value == 0 && signal.value_names().empty()) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", signal.name(), signal.value_name(value));
  }
  return text;
}

}  // namespace mxe::rtl
