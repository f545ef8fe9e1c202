// SPDX-License-Identifier: Apache-2.0
// Reading and writing NumPy .npy files (format versions 1 to 3), strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/error.h"

namespace mx {

/// bfloat16 is what NumPy with ml_dtypes saves as '<V2'. The one-byte types of ml_dtypes (float8_*,
/// float4_* and others, 'V1' and 'f1' in a file) do not say which they are and are read as uint8.
enum class DType : uint8_t {
  float16,
  float32,
  float64,
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  bfloat16
};

std::size_t dtype_size(DType dtype);
std::string_view dtype_name(DType dtype);

/// An array in C (row-major) order, little endian. A zero-rank array has one element.
struct NpyArray {
  DType dtype = DType::float32;
  std::vector<std::size_t> shape;
  bool fortran = false;  ///< always false for arrays that read_npy returns, which reorders them
  std::vector<uint8_t> data;

  std::size_t size() const;  ///< number of elements
};

/// Reads a file; arrays in Fortran order or big endian are brought to the form above. Throws Error,
/// one line naming the file, for anything but a complete array of a supported type: bad magic,
/// truncated or lying headers, too little or too much data, other types.
NpyArray read_npy(const std::string& path);

/// The same from memory; `name` is used in messages.
NpyArray parse_npy(const uint8_t* bytes, std::size_t size, const std::string& name);

/// What the beginning of a file says about its size, for readers of compressed files. Both throw
/// Error as parse_npy does.
/// Bytes in front of the data; the first kNpyPrefix bytes of the file are enough, or all it has.
constexpr std::size_t kNpyPrefix = 12;
std::size_t npy_header_size(const uint8_t* bytes, std::size_t size, const std::string& name);
/// Bytes of the whole file, which the shape promises; those in front of the data are enough.
std::size_t npy_file_size(const uint8_t* bytes, std::size_t size, const std::string& name);

/// Throws Error unless the array has this rank; `name` is used in the message.
void require_rank(const NpyArray& array, std::size_t rank, const std::string& name);

/// The elements as float32: float16, bfloat16 and uint8 exactly, float64 rounded to nearest even.
std::vector<float> to_float32(const NpyArray& array, const std::string& name);
/// The elements of a uint8 array; throws Error for any other type.
std::vector<uint8_t> to_uint8(const NpyArray& array, const std::string& name);

/// The bytes of a file, version 1.0. `descr` is the type that it names, as NumPy spells it, if that
/// is another one of the same size. Throws Error if the data do not fill the shape; `name` is used
/// in the message.
std::vector<uint8_t> format_npy(const NpyArray& array, const std::string& name,
                                std::string_view descr = {});

/// Writes version 1.0. Throws Error if the file cannot be written or sizes do not match the shape.
void write_npy(const std::string& path, const NpyArray& array);
void write_npy(const std::string& path, const float* data, const std::vector<std::size_t>& shape);
void write_npy(const std::string& path, const uint8_t* data, const std::vector<std::size_t>& shape);

}  // namespace mx
