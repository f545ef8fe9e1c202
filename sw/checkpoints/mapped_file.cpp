// SPDX-License-Identifier: Apache-2.0
#include "sw/checkpoints/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "model/numerics/files/files.h"

namespace mxe::checkpoints {

MappedFile::MappedFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    mapped_size_ = static_cast<std::size_t>(status.st_size);
    void* memory = ::mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED) mapped_ = static_cast<const uint8_t*>(memory);
  }
  if (descriptor >= 0) ::close(descriptor);
  if (!mapped_) bytes_ = numerics::read_file(path);  // also reports files that cannot be opened
}

MappedFile::MappedFile(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_size_(other.mapped_size_),
      bytes_(std::move(other.bytes_)) {}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<uint8_t*>(mapped_), mapped_size_);
}

}  // namespace mxe::checkpoints
