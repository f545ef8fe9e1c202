// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/numerics/block/code_type.h"
#include "model/numerics/files/safetensors.h"
#include "sw/arrays/arrays.h"

namespace mxe::arrays {

using numerics::code_type;
using numerics::CodeType;

/// Writes a command's arrays. A .npy file holds one array; a .safetensors file holds several, named
/// by role. "-" is standard output (.npy for one array, else .safetensors); text printed after
/// write() goes to standard error.
class OutputFiles {
 public:
  /// An empty path adds nothing. `type` has the types in .safetensors and .npy files; empty: by
  /// DType.
  void add(const std::string& path, const std::string& role, numerics::NpyArray array,
           const CodeType& type = {});
  void add(const std::string& path, const std::string& role, const std::vector<float>& values,
           const std::vector<std::size_t>& shape);
  void add(const std::string& path, const std::string& role, const std::vector<uint8_t>& values,
           const std::vector<std::size_t>& shape, const CodeType& type = {});
  void add(const std::string& path, const std::string& role, const std::vector<uint16_t>& values,
           const std::vector<std::size_t>& shape);

  /// Throws Error, before it writes any file, for .npz files and several arrays in one .npy file.
  void write() const;

 private:
  struct Output {
    numerics::NamedTensor tensor;
    std::string_view npy_type;
  };
  struct File {
    std::string path;
    std::vector<Output> outputs;
  };
  static std::vector<uint8_t> contents(const File& file);

  std::vector<File> files_;
};

}  // namespace mxe::arrays
