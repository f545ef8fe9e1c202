// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/numerics/code_type.h"
#include "model/numerics/safetensors.h"
#include "sw/mxe/arrays.h"

namespace mxe::cli {

using mx::code_type;
using mx::CodeType;

/// The arrays that a command writes: a .npy file each, or any number of them, under the names of
/// their roles, in a .safetensors file. "-" is standard output: a .npy file, or a .safetensors file
/// for several arrays; what is printed from then on goes to standard error.
class OutputFiles {
 public:
  /// Ask for a file; an empty path asks for nothing. `type` matters to .safetensors files, and to
  /// .npy files where it names a type for them.
  void add(const std::string& path, const std::string& role, mx::NpyArray array,
           const CodeType& type = {});
  void add(const std::string& path, const std::string& role, const std::vector<float>& values,
           const std::vector<std::size_t>& shape);
  void add(const std::string& path, const std::string& role, const std::vector<uint8_t>& values,
           const std::vector<std::size_t>& shape, const CodeType& type = {});
  void add(const std::string& path, const std::string& role, const std::vector<uint16_t>& values,
           const std::vector<std::size_t>& shape);

  /// Writes everything. Throws mx::Error, before it writes anything, for several arrays in one
  /// .npy file and for .npz files, which are only read.
  void write() const;

 private:
  struct Output {
    mx::NamedTensor tensor;
    std::string_view npy_type;
  };
  struct File {
    std::string path;
    std::vector<Output> outputs;
  };
  static std::vector<uint8_t> contents(const File& file);

  std::vector<File> files_;
};

}  // namespace mxe::cli
