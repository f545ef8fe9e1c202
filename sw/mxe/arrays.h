// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/axis_view.h"
#include "model/numerics/batches.h"
#include "model/numerics/float_array.h"
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

class ArrayFile;

/// What a file of arrays holds beside those that a command names.
struct Extras {
  std::map<std::string, std::string> metadata;     ///< of a .safetensors file; empty for others
  std::map<std::string, mx::NamedTensor> tensors;  ///< those that are there, by their names
};

/// An array of a file that a command leaves out.
struct Skipped {
  std::string name;
  std::string reason;  ///< its type, "I64", or "a scalar"
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
  /// What a file says about itself, and its tensors with these names. They use up no name that
  /// --tensor gave.
  Extras extras(const std::string& path, const std::vector<std::string>& names);
  /// All arrays of a file, or the one with the next name.
  std::vector<mx::NamedTensor> read_all(const std::string& path);
  /// Calls take(name, array) for all arrays of floats of a file, one after the other, or for the
  /// one with the next name. Returns the others, of other types or without an axis; they are an
  /// error if nothing else is there or one of them was named.
  using TakeFloats = std::function<void(const std::string&, const Array<float>&)>;
  std::vector<Skipped> for_each_floats(const std::string& path, const TakeFloats& take);
  /// Throws mx::Error if a name was not used.
  void require_all_names_used() const;

 private:
  std::vector<uint8_t> contents(const std::string& path);
  std::optional<std::string> next_name();
  std::vector<std::size_t> chosen(const ArrayFile& file, const std::string& path);

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

/// An array of floats in the type that a file has: float32, float16 or bfloat16.
class Numbers {
 public:
  /// Others become float32 as to_floats has it.
  Numbers(mx::NamedTensor tensor, const std::string& path);

  const std::vector<std::size_t>& shape() const { return shape_; }
  mx::FloatArray array() const;
  std::vector<float> to_float32() const;

 private:
  std::vector<std::size_t> shape_;
  mx::NumberType type_ = mx::NumberType::float32;
  std::vector<float> floats_;
  std::vector<uint8_t> bytes_;  // of 16-bit numbers
};

/// The same as read_floats, as the numbers lie in the file.
Numbers read_numbers(const std::string& path, const std::vector<std::string>& names = {});

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

using mx::axis_to_rows;
using mx::AxisView;
using mx::rows_to_axis;
using mx::shape_text;
using mx::split_at;

/// The axis that `axis` means: -1 is the last. Throws mx::Error if the rank does not allow it.
std::size_t resolve_axis(int axis, std::size_t rank);

}  // namespace mxe::cli
