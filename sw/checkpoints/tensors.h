// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mxe::checkpoints {

using Shape = std::vector<std::size_t>;

/// A tensor in a file's bytes, which the table does not own.
struct Tensor {
  std::string file;
  /// Type in .safetensors files: F32, U8, F8_E4M3 and so on. In GGUF files also MXFP4 and NVFP4,
  /// and "type N" for others.
  std::string type;
  Shape shape;  ///< of the elements in the file's unit; F4, MXFP4 and NVFP4: of 4-bit elements
  const uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

/// The tensors of all files of a checkpoint.
struct TensorTable {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;  ///< of .safetensors files

  const Tensor* find(const std::string& name) const;  ///< null if absent
};

/// Throws Error with the file's name for damaged files and for names that the table has already.
void add_safetensors(const uint8_t* bytes, std::size_t size, const std::string& file,
                     TensorTable& table);

/// The tensor at `index` of the first axis, which must exist.
Tensor part_of(const Tensor& tensor, std::size_t index);

/// Reads numbers of F32, F16 and BF16. Throws Error with `name` for other types.
std::vector<float> numbers_of(const Tensor& tensor, const std::string& name);

/// "FILE: tensor 'NAME'".
std::string place_of(const Tensor& tensor, const std::string& name);

}  // namespace mxe::checkpoints
