// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/files/safetensors.h"
#include "model/numerics/formats/float_array.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/batches.h"

namespace mxe::arrays {

template <typename T>
struct Array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

class ArrayFile;

struct Extras {
  std::map<std::string, std::string> metadata;  ///< of a .safetensors file
  std::map<std::string, numerics::NamedTensor>
      tensors;  ///< the requested tensors that exist, by name
};

struct Skipped {
  std::string name;
  std::string reason;  ///< its type, such as "I64", or "a scalar"
};

/// Reads arrays from .npy, .npz and .safetensors files. "-" is standard input, read once.
class InputFiles {
 public:
  /// `names`: values of --tensor, for the .npz and .safetensors files in the order of reading.
  explicit InputFiles(std::vector<std::string> names = {});

  /// The array of a .npy file; in other files, the tensor with the next name of --tensor, else the
  /// one named `role`, else the only one. Throws Error with the file and its tensors.
  numerics::NamedTensor read(const std::string& path, const std::string& role = "");
  /// The metadata of a file and those of `names` that it contains. Uses no name of --tensor.
  Extras extras(const std::string& path, const std::vector<std::string>& names);
  /// All arrays of a file, or the one with the next name of --tensor.
  std::vector<numerics::NamedTensor> read_all(const std::string& path);
  /// Calls take(name, array) for each float array in read_all(). Returns the others: other types,
  /// and scalars unless alone. Throws Error if all are others.
  using TakeFloats = std::function<void(const std::string&, const Array<float>&)>;
  std::vector<Skipped> for_each_floats(const std::string& path, const TakeFloats& take);
  /// Throws Error if a name of --tensor was not used.
  void require_all_names_used() const;

 private:
  std::vector<uint8_t> contents(const std::string& path);
  std::optional<std::string> next_name();
  std::vector<std::size_t> chosen(const ArrayFile& file, const std::string& path);

  std::vector<std::string> names_;
  std::size_t used_ = 0;
  std::optional<std::vector<uint8_t>> standard_input_;
};

/// Converts float32, float64 (rounded), float16, bfloat16 and, in .safetensors files, F8_E4M3,
/// F8_E5M2, F8_E8M0 and F4 to float32. Throws Error with the file's name for other types.
Array<float> to_floats(const numerics::NamedTensor& tensor, const std::string& path);
/// The codes of uint8 or int8. Throws Error with the file's name for other types.
Array<uint8_t> to_bytes(numerics::NamedTensor tensor, const std::string& path);
Array<uint16_t> to_shorts(const numerics::NamedTensor& tensor, const std::string& path);

/// The float array of a file, or its tensor named `names[0]`.
Array<float> read_floats(const std::string& path, const std::vector<std::string>& names = {});

/// Floats in the type of their file: float32, float16 or bfloat16.
class Numbers {
 public:
  /// Converts other types as to_floats().
  Numbers(numerics::NamedTensor tensor, const std::string& path);

  const std::vector<std::size_t>& shape() const { return shape_; }
  numerics::FloatArray array() const;
  std::vector<float> to_float32() const;

 private:
  std::vector<std::size_t> shape_;
  numerics::NumberType type_ = numerics::NumberType::float32;
  std::vector<float> floats_;
  std::vector<uint8_t> bytes_;  // of 16-bit numbers
};

/// As read_floats(), but keeps 16-bit types.
Numbers read_numbers(const std::string& path, const std::vector<std::string>& names = {});

using numerics::axis_to_rows;
using numerics::AxisView;
using numerics::require_same_shape;
using numerics::require_shape;
using numerics::rows_to_axis;
using numerics::shape_text;
using numerics::split_at;

}  // namespace mxe::arrays
