// SPDX-License-Identifier: Apache-2.0
// Reads .safetensors files with strict checks, and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/files/npy.h"

namespace mxe::numerics {

/// A tensor of a file. F8_E4M3, F8_E5M2 and F8_E8M0 are uint8 codes. F4 is one uint8 code per
/// element; the file packs two per byte, the first in the low nibble.
struct NamedTensor {
  std::string name;
  std::string dtype;  ///< name in the file, such as F32 or F8_E4M3; empty for .npy
  NpyArray array;
};

/// A file with a checked header: tensors of known types fill their shapes, and all fill the file
/// without gaps or overlaps.
class SafetensorsFile {
 public:
  struct Entry {
    std::string name, dtype;  ///< any type, also unsupported
    std::vector<std::size_t> shape;
    std::size_t begin = 0, end = 0;  ///< byte offsets in the data
  };

  /// `bytes` must outlive the object; `name` is used in messages. Throws Error with the names of
  /// file and tensor for truncated or inconsistent headers (sizes, offsets, gaps, overlaps).
  SafetensorsFile(const uint8_t* bytes, std::size_t size, std::string name);

  const std::vector<Entry>& entries() const { return entries_; }  ///< sorted by name
  const Entry* find(const std::string& tensor) const;             ///< null if absent
  const uint8_t* data(const Entry& entry) const { return data_ + entry.begin; }
  /// Copies the data. Throws TypeError for unsupported types.
  NamedTensor read(const Entry& entry) const;

 private:
  std::string name_;
  const uint8_t* data_;
  std::vector<Entry> entries_;
};

/// The names of all tensors, sorted. Throws Error if the header is invalid.
std::vector<std::string> safetensors_names(const uint8_t* bytes, std::size_t size,
                                           const std::string& name);

/// Shapes of all tensors, of any type, from the header alone. Throws Error with file and tensor.
std::map<std::string, std::vector<std::size_t>> safetensors_shapes(const uint8_t* bytes,
                                                                   std::size_t size,
                                                                   const std::string& name);

/// Reads all tensors, sorted by name, or the tensor `only` (none if absent). Throws as
/// SafetensorsFile and read().
std::vector<NamedTensor> parse_safetensors(const uint8_t* bytes, std::size_t size,
                                           const std::string& name,
                                           const std::optional<std::string>& only = {});

/// The __metadata__ of a file, maybe empty. Throws Error for an invalid header or a non-text value.
std::map<std::string, std::string> safetensors_metadata(const uint8_t* bytes, std::size_t size,
                                                        const std::string& name);

/// An empty dtype means the array's type. Throws Error with the tensor's name for a dtype that is
/// unknown or does not fit the array, and for F4 with an odd last axis (partial bytes).
std::vector<uint8_t> format_safetensors(const std::vector<NamedTensor>& tensors,
                                        const std::map<std::string, std::string>& metadata = {});

}  // namespace mxe::numerics
