// SPDX-License-Identifier: Apache-2.0
#include "sw/checkpoints/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "model/numerics/base/error.h"
#include "model/numerics/base/power_of_two.h"
#include "model/numerics/base/printable.h"

namespace mxe::checkpoints {
namespace {

constexpr std::size_t kMagicBytes = 4;

/// A type of tensors whose data are read: `bytes` store `elements` of a row.
struct TensorType {
  uint32_t code;
  const char* name;
  std::size_t elements, bytes;
};
constexpr TensorType kTypes[] = {{0, "F32", 1, 4},
                                 {1, "F16", 1, 2},
                                 {30, "BF16", 1, 2},
                                 {39, "MXFP4", 32, 17},
                                 {40, "NVFP4", 64, 36}};

/// Types of metadata values.
enum ValueType : uint32_t { kUint32 = 4, kText = 8, kList = 9 };

// Bytes of a value; 0 for texts, lists and types that do not exist.
std::size_t value_bytes(uint32_t type) {
  constexpr std::size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

class Reader {
 public:
  Reader(const uint8_t* bytes, std::size_t size, const std::string& file)
      : bytes_(bytes), size_(size), file_(file) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return size_ - at_; }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", file_, what));
  }

  void skip(uint64_t count) {
    if (count > left()) fail("truncated GGUF header");
    at_ += static_cast<std::size_t>(count);
  }

  template <typename T>
  T number() {
    T value;
    const std::size_t from = at_;
    skip(sizeof value);
    std::memcpy(&value, bytes_ + from, sizeof value);
    return value;
  }

  std::string text() {
    const auto length = number<uint64_t>();
    const std::size_t from = at_;
    skip(length);
    return {reinterpret_cast<const char*>(bytes_) + from, static_cast<std::size_t>(length)};
  }

  // Skips a value of the metadata.
  void skip_value(uint32_t type) {
    if (type == kText) {
      text();
    } else if (type == kList) {
      skip_list();
    } else if (value_bytes(type) != 0) {
      skip(value_bytes(type));
    } else {
      fail(fmt::format("metadata of type {} (allowed: 0 to 12)", type));
    }
  }

 private:
  void skip_list() {
    const auto type = number<uint32_t>();
    const auto count = number<uint64_t>();
    if (type == kText) {
      for (uint64_t i = 0; i < count; i++) text();
      return;
    }
    const std::size_t bytes = value_bytes(type);
    if (bytes == 0) fail(fmt::format("a list of metadata of type {}", type));
    if (count > left() / bytes) fail("truncated GGUF header");
    skip(count * bytes);
  }

  const uint8_t* bytes_;
  std::size_t size_;
  const std::string& file_;
  std::size_t at_ = 0;
};

struct Info {
  std::string name;
  Tensor tensor;
  std::size_t offset = 0;
};

// Bytes of a tensor of a known type.
std::size_t tensor_bytes(const Reader& reader, const Info& info, const TensorType& type) {
  const Shape& shape = info.tensor.shape;
  const std::size_t columns = shape.empty() ? 1 : shape.back();
  const std::string where = fmt::format("tensor '{}'", one_line(info.name));
  if (columns % type.elements != 0) {
    reader.fail(fmt::format("{}: rows of {} elements (allowed: multiples of {} for {})", where,
                            columns, type.elements, type.name));
  }
  if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) return 0;
  std::size_t bytes = type.bytes;
  std::size_t count = columns / type.elements;
  for (std::size_t i = 0; i < std::max<std::size_t>(shape.size(), 1); i++) {
    if (i > 0) count = shape[i - 1];
    if (bytes > std::numeric_limits<std::size_t>::max() / count) {
      reader.fail(where + ": its shape is too large");
    }
    bytes *= count;
  }
  return bytes;
}

Info read_info(Reader& reader, const std::string& file) {
  constexpr uint32_t kMostAxes = 4;
  Info info;
  info.name = reader.text();
  const auto axes = reader.number<uint32_t>();
  if (axes > kMostAxes) {
    reader.fail(fmt::format("tensor '{}' has {} axes (allowed: 0 to {})", one_line(info.name), axes,
                            kMostAxes));
  }
  for (uint32_t i = 0; i < axes; i++) {
    info.tensor.shape.push_back(static_cast<std::size_t>(reader.number<uint64_t>()));
  }
  std::reverse(info.tensor.shape.begin(), info.tensor.shape.end());
  const auto code = reader.number<uint32_t>();
  info.offset = static_cast<std::size_t>(reader.number<uint64_t>());
  info.tensor.file = file;
  info.tensor.type = fmt::format("type {}", code);
  for (const TensorType& type : kTypes) {
    if (type.code != code) continue;
    info.tensor.type = type.name;
    info.tensor.bytes = tensor_bytes(reader, info, type);
  }
  return info;
}

}  // namespace

bool is_gguf(const uint8_t* bytes, std::size_t size) {
  return size >= kMagicBytes && std::memcmp(bytes, "GGUF", kMagicBytes) == 0;
}

void add_gguf(const uint8_t* bytes, std::size_t size, const std::string& file, TensorTable& table) {
  Reader reader(bytes, size, file);
  if (!is_gguf(bytes, size)) reader.fail("not a GGUF file");
  reader.skip(kMagicBytes);
  const auto version = reader.number<uint32_t>();
  if (version != 2 && version != 3) {
    reader.fail(fmt::format("GGUF version {} (allowed: 2, 3, little endian)", version));
  }
  const auto tensors = reader.number<uint64_t>();
  const auto pairs = reader.number<uint64_t>();
  std::size_t alignment = 32;
  for (uint64_t i = 0; i < pairs; i++) {
    const std::string key = reader.text();
    const auto type = reader.number<uint32_t>();
    if (key == "general.alignment" && type == kUint32) {
      alignment = reader.number<uint32_t>();
    } else {
      reader.skip_value(type);
    }
  }
  if (!is_power_of_two(alignment)) {
    reader.fail(fmt::format("general.alignment is {} (allowed: powers of two)", alignment));
  }
  std::vector<Info> infos;
  for (uint64_t i = 0; i < tensors; i++) infos.push_back(read_info(reader, file));
  const std::size_t begin = std::min(size, (reader.at() + alignment - 1) & ~(alignment - 1));
  for (Info& info : infos) {
    const std::string where = fmt::format("tensor '{}'", one_line(info.name));
    if (info.offset > size - begin || info.tensor.bytes > size - begin - info.offset) {
      reader.fail(where + ": its data lies outside the file");
    }
    info.tensor.data = bytes + begin + info.offset;
    if (!table.tensors.emplace(info.name, info.tensor).second) {
      reader.fail(where + " occurs twice");
    }
  }
}

}  // namespace mxe::checkpoints
