// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "model/numerics/error.h"
#include "model/numerics/npy.h"
#include "model/numerics/safetensors.h"

namespace mxe::cli {
namespace {

mx::NpyArray read_as(const std::string& path, mx::DType dtype) {
  mx::NpyArray array = mx::read_npy(path);
  if (array.dtype == dtype) return array;
  throw mx::Error(fmt::format("{}: the elements must be {}, but are {}", path,
                              mx::dtype_name(dtype), mx::dtype_name(array.dtype)));
}

Array<float> read_tensor(const std::string& path, const std::string& name) {
  std::vector<mx::NamedTensor> tensors = mx::read_safetensors(path);
  std::vector<std::string> names;
  for (mx::NamedTensor& tensor : tensors) {
    if (tensor.name == name || (name.empty() && tensors.size() == 1)) {
      return {std::move(tensor.shape), std::move(tensor.values)};
    }
    names.push_back(tensor.name);
  }
  constexpr std::size_t kShown = 20;
  if (names.size() > kShown) {
    names.resize(kShown);
    names.emplace_back("...");
  }
  throw mx::Error(fmt::format(
      "{}: {} (allowed: {})", path,
      name.empty() ? "--tensor NAME is needed" : fmt::format("there is no tensor '{}'", name),
      fmt::join(names, ", ")));
}

}  // namespace

bool is_safetensors(const std::string& path) {
  return std::filesystem::path(path).extension() == ".safetensors";
}

Array<float> read_floats(const std::string& path, const std::string& tensor) {
  if (is_safetensors(path)) return read_tensor(path, tensor);
  if (!tensor.empty()) throw mx::Error(fmt::format("{}: only .safetensors files have names", path));
  const mx::NpyArray array = mx::read_npy(path);
  switch (array.dtype) {
    case mx::DType::float16:
    case mx::DType::bfloat16:
    case mx::DType::float32:
    case mx::DType::float64:
      return {array.shape, mx::to_float32(array, path)};
    default:
      throw mx::Error(
          fmt::format("{}: the elements must be float32, float64, float16 or bfloat16, but are {}",
                      path, mx::dtype_name(array.dtype)));
  }
}

Array<uint8_t> read_bytes(const std::string& path) {
  mx::NpyArray array = read_as(path, mx::DType::uint8);
  return {std::move(array.shape), std::move(array.data)};
}

Array<uint16_t> read_shorts(const std::string& path) {
  const mx::NpyArray array = read_as(path, mx::DType::uint16);
  Array<uint16_t> result{array.shape, std::vector<uint16_t>(array.size())};
  std::memcpy(result.values.data(), array.data.data(), array.data.size());
  return result;
}

bool holds_floats(const std::string& path) {
  return mx::read_npy(path).dtype == mx::DType::float32;
}

void write_shorts(const std::string& path, const Array<uint16_t>& array) {
  mx::NpyArray file;
  file.dtype = mx::DType::uint16;
  file.shape = array.shape;
  file.data.resize(array.values.size() * sizeof(uint16_t));
  std::memcpy(file.data.data(), array.values.data(), file.data.size());
  mx::write_npy(path, file);
}

void require_shape(const std::vector<std::size_t>& shape, std::size_t rank,
                   const std::string& what) {
  const bool filled = std::find(shape.begin(), shape.end(), std::size_t{0}) == shape.end();
  if (shape.size() == rank && filled) return;
  throw mx::Error(
      fmt::format("{} with no dimension of 0, but the array is {}", what, shape_text(shape)));
}

void throw_wrong_shape(const std::vector<std::size_t>& shape,
                       const std::vector<std::size_t>& expected, const std::string& name) {
  throw mx::Error(
      fmt::format("{} must be {}, but is {}", name, shape_text(expected), shape_text(shape)));
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::size_t resolve_axis(int axis, std::size_t rank) {
  const int signed_rank = static_cast<int>(rank);
  if (axis >= -signed_rank && axis < signed_rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
  }
  if (rank == 0) throw mx::Error("the array must have at least one dimension");
  throw mx::Error(fmt::format("axis {} is out of range (allowed: {} to {})", axis, -signed_rank,
                              signed_rank - 1));
}

AxisView split_at(const std::vector<std::size_t>& shape, std::size_t axis) {
  AxisView view;
  view.length = shape[axis];
  for (std::size_t i = 0; i < axis; ++i) view.outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) view.inner *= shape[i];
  return view;
}

}  // namespace mxe::cli
