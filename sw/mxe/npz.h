// SPDX-License-Identifier: Apache-2.0
// Reading .npz files: ZIP archives of .npy files, as numpy.savez and numpy.savez_compressed make
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/numerics/npy.h"

struct zip;

namespace mxe::cli {

/// An archive that is opened once, however many arrays it has.
class NpzFile {
 public:
  /// `bytes` must outlive the object; `name` is used in messages. Throws mx::Error, one line, for
  /// anything but a ZIP archive, and if two arrays have one name.
  NpzFile(const uint8_t* bytes, std::size_t size, std::string name);

  /// The names of the arrays, without their ".npy", in the order of the file.
  const std::vector<std::string>& names() const { return names_; }

  /// Reads the array names()[i], stored or deflated. No more is unpacked than its shape justifies.
  /// Throws mx::Error, one line, if the archive is damaged (its checksums do not fit), if an array
  /// is not as large as the archive says, or as parse_npy does.
  mx::NpyArray read(std::size_t i) const;

 private:
  struct Discarder {
    void operator()(zip* archive) const;
  };
  std::string name_;
  std::unique_ptr<zip, Discarder> archive_;
  std::vector<std::string> names_;
  std::vector<uint64_t> places_;  // of the arrays in the archive
};

}  // namespace mxe::cli
