// SPDX-License-Identifier: Apache-2.0
#include "sw/checkpoints/tensors.h"

#include <fmt/format.h>

#include "model/numerics/base/printable.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/files/safetensors.h"

namespace mxe::checkpoints {

const Tensor* TensorTable::find(const std::string& name) const {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

void add_safetensors(const uint8_t* bytes, std::size_t size, const std::string& file,
                     TensorTable& table) {
  const numerics::SafetensorsFile reader(bytes, size, file);
  for (const numerics::SafetensorsFile::Entry& entry : reader.entries()) {
    const Tensor tensor{file, entry.dtype, entry.shape, reader.data(entry),
                        entry.end - entry.begin};
    if (table.tensors.emplace(entry.name, tensor).second) continue;
    throw Error(
        fmt::format("{}: tensor '{}' is in another shard, too", file, one_line(entry.name)));
  }
  for (auto& [key, text] : numerics::safetensors_metadata(bytes, size, file)) {
    table.metadata.emplace(key, text);
  }
}

Tensor part_of(const Tensor& tensor, std::size_t index) {
  Tensor part = tensor;
  part.bytes = tensor.bytes / tensor.shape[0];
  part.data = tensor.data + index * part.bytes;
  part.shape.erase(part.shape.begin());
  return part;
}

std::vector<float> numbers_of(const Tensor& tensor, const std::string& name) {
  numerics::NpyArray array;
  if (tensor.type == "F32") {
    array.dtype = numerics::DType::float32;
  } else if (tensor.type == "F16") {
    array.dtype = numerics::DType::float16;
  } else if (tensor.type == "BF16") {
    array.dtype = numerics::DType::bfloat16;
  } else {
    throw Error(
        fmt::format("{} is {} (allowed: F32, F16, BF16)", place_of(tensor, name), tensor.type));
  }
  array.shape = tensor.shape;
  array.data.assign(tensor.data, tensor.data + tensor.bytes);
  return numerics::to_float32(array, tensor.file);
}

std::string place_of(const Tensor& tensor, const std::string& name) {
  return fmt::format("{}: tensor '{}'", tensor.file, one_line(name));
}

}  // namespace mxe::checkpoints
