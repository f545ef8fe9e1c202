// SPDX-License-Identifier: Apache-2.0
// Reads .npz files: ZIP archives of .npy files from numpy.savez and numpy.savez_compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/numerics/files/npy.h"

struct zip;

namespace mxe::arrays {

class NpzFile {
 public:
  /// `bytes` must outlive the object; `name` is the file's name in messages. Throws Error if
  /// the bytes are no ZIP archive or two arrays have the same name.
  NpzFile(const uint8_t* bytes, std::size_t size, std::string name);

  /// The names of the arrays without ".npy", in the order of the file.
  const std::vector<std::string>& names() const { return names_; }

  /// Reads the array names()[i], stored or deflated, and unpacks at most the bytes of its shape.
  /// Throws Error if a checksum or a size is wrong, and as parse_npy().
  numerics::NpyArray read(std::size_t i) const;

 private:
  struct Discarder {
    void operator()(zip* archive) const;
  };
  std::string name_;
  std::unique_ptr<zip, Discarder> archive_;
  std::vector<std::string> names_;
  std::vector<uint64_t> places_;  // indices of the arrays in the archive
};

}  // namespace mxe::arrays
