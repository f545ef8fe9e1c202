// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/safetensors.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// An array of any rank in C order.
template <typename T>
struct Array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// The arrays of the files that a command reads: .npy, .npz, .safetensors, and any of these from
/// standard input under the name "-", which is read once.
class InputFiles {
 public:
  /// `names` are those that --tensor gave: one for each .npz or .safetensors file, in the order
  /// in which the files are read, as far as they go.
  explicit InputFiles(std::vector<std::string> names = {});

  /// The array of a .npy file, or of another one the tensor with the next name, with `role` for a
  /// name, or its only one, whichever comes first. Throws mx::Error naming the file, and the
  /// tensors to choose from.
  mx::NamedTensor read(const std::string& path, const std::string& role = "");
  /// All arrays of a file, or the one with the next name.
  std::vector<mx::NamedTensor> read_all(const std::string& path);
  /// Throws mx::Error if a name was not used.
  void require_all_names_used() const;

 private:
  std::vector<uint8_t> contents(const std::string& path);
  std::optional<std::string> next_name();

  std::vector<std::string> names_;
  std::size_t used_ = 0;
  std::optional<std::vector<uint8_t>> standard_input_;
};

/// Adds `--tensor NAME`. `files` says in which order a command reads several files: "A, B".
void add_tensor_option(CLI::App& command, std::vector<std::string>& names,
                       const std::string& files = "");

/// The elements as float32: float32, float64 (rounded), float16, bfloat16, and of .safetensors
/// files the values of F8_E4M3, F8_E5M2, F8_E8M0 and F4. Throws mx::Error naming the file for
/// other types.
Array<float> to_floats(const mx::NamedTensor& tensor, const std::string& path);
/// Codes: uint8, or int8 of the same bits. Throws mx::Error naming the file for other types.
Array<uint8_t> to_bytes(mx::NamedTensor tensor, const std::string& path);
Array<uint16_t> to_shorts(const mx::NamedTensor& tensor, const std::string& path);

/// Reads the array of floats of a file, or the tensor with this name.
Array<float> read_floats(const std::string& path, const std::vector<std::string>& names = {});

/// Throws mx::Error unless `shape` has `rank` dimensions, all of them at least 1. `what` says what
/// the array is, for example "A.npy: A must be [M, K]".
void require_shape(const std::vector<std::size_t>& shape, std::size_t rank,
                   const std::string& what);

[[noreturn]] void throw_wrong_shape(const std::vector<std::size_t>& shape,
                                    const std::vector<std::size_t>& expected,
                                    const std::string& name);

/// Throws mx::Error unless `array` has exactly this shape; `name` says which array of which file.
template <typename T>
void require_same_shape(const Array<T>& array, const std::vector<std::size_t>& expected,
                        const std::string& name) {
  if (array.shape != expected) throw_wrong_shape(array.shape, expected, name);
}

/// "[3, 4]".
std::string shape_text(const std::vector<std::size_t>& shape);

/// An array seen as [outer][length][inner], where `length` runs along one of its axes.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;

  std::size_t rows() const { return outer * inner; }
  AxisView with_length(std::size_t other) const { return {outer, other, inner}; }
};

/// The axis that `axis` means: -1 is the last. Throws mx::Error if the rank does not allow it.
std::size_t resolve_axis(int axis, std::size_t rank);

AxisView split_at(const std::vector<std::size_t>& shape, std::size_t axis);

/// [outer][length][inner] to [outer * inner][length], so that blocks along the axis become
/// contiguous.
template <typename T>
std::vector<T> axis_to_rows(const std::vector<T>& values, const AxisView& view) {
  std::vector<T> rows(values.size());
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t l = 0; l < view.length; ++l) {
      for (std::size_t i = 0; i < view.inner; ++i) {
        rows[(o * view.inner + i) * view.length + l] =
            values[(o * view.length + l) * view.inner + i];
      }
    }
  }
  return rows;
}

/// The inverse of axis_to_rows.
template <typename T>
std::vector<T> rows_to_axis(const std::vector<T>& rows, const AxisView& view) {
  std::vector<T> values(rows.size());
  for (std::size_t o = 0; o < view.outer; ++o) {
    for (std::size_t l = 0; l < view.length; ++l) {
      for (std::size_t i = 0; i < view.inner; ++i) {
        values[(o * view.length + l) * view.inner + i] =
            rows[(o * view.inner + i) * view.length + l];
      }
    }
  }
  return values;
}

}  // namespace mxe::cli
