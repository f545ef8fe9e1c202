// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/numerics/files/npy.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

class Records {
 public:
  explicit Records(const std::string& file)
      : bytes_(to_uint8(read_npy(std::string(MXE_CONFORMANCE_DATA) + "/" + file), file)) {}

  bool done() const { return at_ == bytes_.size(); }

  void copy(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) throw std::runtime_error("conformance data is truncated");
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }

  template <typename T>
  std::vector<T> array(std::size_t count) {
    std::vector<T> values(count);
    copy(values.data(), count * sizeof(T));
    return values;
  }

  uint32_t word() { return array<uint32_t>(1)[0]; }

  /// Codes [rows][k], then scales.
  MxTensor tensor(uint32_t format, std::size_t rows, std::size_t k) {
    MxTensor t;
    t.format = static_cast<FormatId>(format);
    t.rows = rows;
    t.k = k;
    t.codes = array<uint8_t>(rows * k);
    t.scales = array<uint8_t>(rows * t.scale_columns());
    return t;
  }

 private:
  std::vector<uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace mxe::numerics
