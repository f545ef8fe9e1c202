// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <ostream>
#include <utility>

#include "model/platform/soc/register_device.h"

namespace mxe::soc {

/// Sends bytes to one stream and receives from another. It takes no time and has no interrupt.
class Uart : public RegisterDevice {
 public:
  /// The streams must outlive the device. `lost` is called if a byte cannot be written.
  Uart(std::istream& in, std::ostream& out, std::function<void()> lost)
      : in_(in), out_(out), lost_(std::move(lost)) {}

  bool read(uint32_t offset, uint32_t& value) override;
  bool write(uint32_t offset, uint32_t value) override;

 private:
  uint32_t receive();

  std::istream& in_;
  std::ostream& out_;
  std::function<void()> lost_;
};

}  // namespace mxe::soc
