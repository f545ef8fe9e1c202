// SPDX-License-Identifier: Apache-2.0
// Reading .safetensors files, strictly, and writing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/npy.h"

namespace mx {

/// A tensor of a file. One-byte types of MX (F8_E4M3, F8_E5M2, F8_E8M0) are uint8 codes, and so is
/// F4, one code a byte, in the file two, the first one in the low nibble.
struct NamedTensor {
  std::string name;
  std::string dtype;  ///< as the file calls it: F32, F8_E4M3, ...; empty in a .npy file
  NpyArray array;
};

/// A file whose header has been read and checked once, however many tensors it has: the data of
/// every tensor fill its shape, and all of them the file, without gaps or overlaps.
class SafetensorsFile {
 public:
  struct Entry {
    std::string name, dtype;  ///< of any type, also one that read() does not know
    std::vector<std::size_t> shape;
    std::size_t begin = 0, end = 0;  ///< in the data
  };

  /// `bytes` must outlive the object; `name` is used in messages. Throws Error, one line naming the
  /// file and the tensor, for truncated or lying headers (sizes, offsets, gaps, overlaps).
  SafetensorsFile(const uint8_t* bytes, std::size_t size, std::string name);

  const std::vector<Entry>& entries() const { return entries_; }  ///< sorted by name
  const Entry* find(const std::string& tensor) const;             ///< null if there is none
  /// Copies the data. Throws TypeError for other types than NamedTensor has.
  NamedTensor read(const Entry& entry) const;

 private:
  std::string name_;
  const uint8_t* data_;
  std::vector<Entry> entries_;
};

/// The names of all tensors, sorted. Throws Error if the header is damaged.
std::vector<std::string> safetensors_names(const uint8_t* bytes, std::size_t size,
                                           const std::string& name);

/// The shapes of all tensors, of any type. The header alone is needed and looked at: the data may
/// be absent. Throws Error, one line naming the file and the tensor, if it is damaged.
std::map<std::string, std::vector<std::size_t>> safetensors_shapes(const uint8_t* bytes,
                                                                   std::size_t size,
                                                                   const std::string& name);

/// Reads the tensor `only`, or all of them, sorted by name. Throws as SafetensorsFile does.
std::vector<NamedTensor> parse_safetensors(const uint8_t* bytes, std::size_t size,
                                           const std::string& name,
                                           const std::optional<std::string>& only = {});

/// What a file says about itself besides its tensors; empty if it says nothing. Throws Error if the
/// header is damaged or what it says is not text.
std::map<std::string, std::string> safetensors_metadata(const uint8_t* bytes, std::size_t size,
                                                        const std::string& name);

/// The bytes of a file of these tensors. An empty dtype stands for the array's own. Throws Error,
/// naming the tensor, for a type that the format does not have or that does not fit the array, and
/// for F4 tensors with an odd last axis, which do not fill bytes.
std::vector<uint8_t> format_safetensors(const std::vector<NamedTensor>& tensors,
                                        const std::map<std::string, std::string>& metadata = {});

}  // namespace mx
