// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe::soc {

/// A device with 32-bit registers at multiples of 4. The functions return false for a bus error.
class RegisterDevice {
 public:
  virtual ~RegisterDevice() = default;
  virtual bool read(uint32_t offset, uint32_t& value) = 0;
  virtual bool write(uint32_t offset, uint32_t value) = 0;
};

}  // namespace mxe::soc
