// SPDX-License-Identifier: Apache-2.0
// Reads and writes NumPy .npy files (format versions 1 to 3) with strict checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/base/error.h"

namespace mxe::numerics {

/// NumPy with ml_dtypes saves bfloat16 as '<V2' and its one-byte types (float8_*, float4_* and
/// others) as 'V1' or 'f1', which do not identify the type; they are read as uint8.
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

/// An array in C (row-major) order, little endian. An array of rank 0 has one element.
struct NpyArray {
  DType dtype = DType::float32;
  std::vector<std::size_t> shape;
  bool fortran = false;  ///< used while reading; read_npy and parse_npy return C order
  std::vector<uint8_t> data;

  std::size_t size() const;
};

/// Reads a file and converts Fortran order and big endian. Throws Error for a bad magic number, an
/// inconsistent header and missing or surplus data, TypeError for unsupported types.
NpyArray read_npy(const std::string& path);

/// Reads from memory; `name` is used in messages.
NpyArray parse_npy(const uint8_t* bytes, std::size_t size, const std::string& name);

constexpr std::size_t kNpyPrefix = 12;
/// Bytes before the data. Needs the first kNpyPrefix bytes of the file. Throws Error for a bad
/// magic number or version.
std::size_t npy_header_size(const uint8_t* bytes, std::size_t size, const std::string& name);
/// Bytes of the whole file, calculated from its header. Throws as parse_npy for a bad header.
std::size_t npy_file_size(const uint8_t* bytes, std::size_t size, const std::string& name);

void require_rank(const NpyArray& array, std::size_t rank, const std::string& name);

/// Converts float16, bfloat16, float32, uint8 and, rounded to nearest even, float64. Throws Error
/// for other types.
std::vector<float> to_float32(const NpyArray& array, const std::string& name);
std::vector<uint8_t> to_uint8(const NpyArray& array, const std::string& name);

/// The bytes of a file of version 1.0. `descr` replaces the header's type by another of the same
/// size, in NumPy's spelling. Throws Error with `name` if the data do not fill the shape.
std::vector<uint8_t> format_npy(const NpyArray& array, const std::string& name,
                                std::string_view descr = {});

/// Writes version 1.0. Throws Error on failure or if the data do not fill the shape.
void write_npy(const std::string& path, const NpyArray& array);
void write_npy(const std::string& path, const float* data, const std::vector<std::size_t>& shape);
void write_npy(const std::string& path, const uint8_t* data, const std::vector<std::size_t>& shape);

}  // namespace mxe::numerics
