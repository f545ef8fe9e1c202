// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>

#include "model/platform/soc/register_device.h"

namespace mxe::soc {

/// Bytes out to one stream and in from another. It takes no time and has no interrupt.
class Uart : public RegisterDevice {
 public:
  /// The streams must live as long as the device.
  Uart(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  bool read(uint32_t offset, uint32_t& value) override;
  bool write(uint32_t offset, uint32_t value) override;

 private:
  uint32_t receive();

  std::istream& in_;
  std::ostream& out_;
};

}  // namespace mxe::soc
