// SPDX-License-Identifier: Apache-2.0
// Reads .npz files: ZIP archives of .npy files, stored or deflated.
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
  /// `bytes` must outlive the object; messages begin with `name`. Throws Error if the bytes are no
  /// ZIP archive or two arrays have the same name.
  NpzFile(const uint8_t* bytes, std::size_t size, std::string name);

  /// Without ".npy", in the order of the file.
  const std::vector<std::string>& names() const { return names_; }

  /// Reads the array names()[i]; unpacks at most the bytes of its shape. Throws Error for a wrong
  /// checksum or size, and as parse_npy().
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
