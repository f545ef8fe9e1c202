// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxe::checkpoints {

/// The bytes of a file. A regular file is mapped, so that a layer of a file of many GB takes the
/// memory of that layer; other files are read.
class MappedFile {
 public:
  /// Throws Error if the file cannot be read.
  explicit MappedFile(const std::string& path);
  explicit MappedFile(std::vector<uint8_t> bytes);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  const uint8_t* data() const { return mapped_ ? mapped_ : bytes_.data(); }
  std::size_t size() const { return mapped_ ? mapped_size_ : bytes_.size(); }

 private:
  const uint8_t* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  std::vector<uint8_t> bytes_;
};

}  // namespace mxe::checkpoints
