// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mxe::rtl {

/// A visible signal of any width (Verilator's --public-flat-rw). The design must outlive it.
class RtlValue {
 public:
  // Inline, because engine libraries create values too.
  RtlValue(std::string name, const void* data, unsigned width)
      : name_(std::move(name)), data_(static_cast<const uint8_t*>(data)), width_(width) {}

  /// Path below the top: "u_datapath.u_array.gen_pe[2].u_pe.u_facc_even.acc_o".
  const std::string& name() const { return name_; }
  unsigned width() const { return width_; }  ///< bits
  /// The bytes of the value, least significant first.
  const uint8_t* bytes() const { return data_; }

 private:
  std::string name_;
  const uint8_t* data_;
  unsigned width_;
};

}  // namespace mxe::rtl
