// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/numerics/bfloat16.h"
#include "model/numerics/files.h"
#include "model/numerics/float16.h"
#include "model/numerics/npy.h"

namespace mx {
namespace {

using Json = nlohmann::json;

template <typename T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::size_t element_size(const std::string& dtype) {
  if (dtype == "F64") return 8;
  if (dtype == "F32") return 4;
  return dtype == "F16" || dtype == "BF16" ? 2 : 0;
}

float element(const std::string& dtype, const uint8_t* bytes) {
  if (dtype == "F64") return static_cast<float>(load<double>(bytes));
  if (dtype == "F32") return load<float>(bytes);
  if (dtype == "F16") return float16_to_float(load<uint16_t>(bytes));
  return from_bits(widened_bits(load<uint16_t>(bytes)));
}

// Where a tensor lies in the data section.
struct Extent {
  std::size_t begin;
  std::size_t end;
};

class Reader {
 public:
  Reader(const uint8_t* data, std::size_t size, const std::string& name)
      : data_(data), size_(size), name_(name) {}

  std::vector<NamedTensor> read(const Json& header) {
    if (!header.is_object()) fail("the header is not a JSON object");
    std::vector<NamedTensor> tensors;
    std::vector<Extent> extents;
    for (const auto& [key, entry] : header.items()) {
      if (key == "__metadata__") continue;
      Extent extent{};
      tensors.push_back(tensor(key, entry, extent));
      extents.push_back(extent);
    }
    check_coverage(std::move(extents));
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
  }

  static std::string printable(std::string text) {
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
    return text;
  }

  std::size_t natural(const Json& value, const std::string& where) const {
    if (!value.is_number_unsigned()) fail(fmt::format("{}: not a natural number", where));
    return value.get<std::size_t>();
  }

  NamedTensor tensor(const std::string& key, const Json& entry, Extent& extent) const {
    const std::string where = fmt::format("tensor '{}'", printable(key));
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
        !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
      fail(where + ": needs dtype, shape and two data_offsets");
    }
    NamedTensor result;
    result.name = key;
    result.dtype = printable(entry["dtype"].get<std::string>());
    const std::size_t size = element_size(result.dtype);
    if (size == 0) {
      fail(fmt::format("{}: type {} is not supported (allowed: F32, F16, BF16, F64)", where,
                       result.dtype));
    }
    extent.begin = natural(entry["data_offsets"][0], where);
    extent.end = natural(entry["data_offsets"][1], where);
    if (extent.begin > extent.end || extent.end > size_) {
      fail(where + ": its data lies outside the file");
    }
    std::size_t count = 1;
    for (const Json& dimension : entry["shape"]) {
      result.shape.push_back(natural(dimension, where));
      count = multiply(count, result.shape.back(), where);
    }
    if (multiply(count, size, where) != extent.end - extent.begin) {
      fail(where + ": its shape and its data differ in size");
    }
    result.values.resize(count);
    for (std::size_t i = 0; i < count; i++) {
      result.values[i] = element(result.dtype, data_ + extent.begin + i * size);
    }
    return result;
  }

  std::size_t multiply(std::size_t a, std::size_t b, const std::string& where) const {
    if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b)
      fail(where + ": its shape is too large");
    return a * b;
  }

  // The format demands that tensors fill the data section without gaps or overlaps.
  void check_coverage(std::vector<Extent> extents) const {
    std::sort(extents.begin(), extents.end(), [](const Extent& x, const Extent& y) {
      return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
    });
    std::size_t at = 0;
    for (const Extent& extent : extents) {
      if (extent.begin != at) fail("tensors overlap or leave a gap");
      at = extent.end;
    }
    if (at != size_) fail("data after the last tensor");
  }

  const uint8_t* data_;
  std::size_t size_;
  const std::string& name_;
};

}  // namespace

std::vector<NamedTensor> parse_safetensors(const uint8_t* bytes, std::size_t size,
                                           const std::string& name) {
  constexpr std::size_t kPrefix = 8;
  // The format's own limit; it also bounds the work a damaged file can cause.
  constexpr uint64_t kMaxHeader = 100'000'000;
  if (size < kPrefix) throw Error(fmt::format("{}: not a .safetensors file", name));
  const uint64_t length = load<uint64_t>(bytes);
  if (length > kMaxHeader || length > size - kPrefix) {
    throw Error(fmt::format("{}: truncated header or not a .safetensors file", name));
  }
  const char* text = reinterpret_cast<const char*>(bytes) + kPrefix;
  // Nesting is bounded before parsing: a tensor's entry is an object with arrays in it.
  const auto depth = [](int level, Json::parse_event_t, Json&) {
    if (level > 8) throw Error("nested");
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, text + length, depth);
  } catch (const std::exception&) {
    throw Error(fmt::format("{}: the header is not valid JSON", name));
  }
  return Reader(bytes + kPrefix + length, size - kPrefix - static_cast<std::size_t>(length), name)
      .read(header);
}

std::vector<NamedTensor> read_safetensors(const std::string& path) {
  const std::vector<uint8_t> bytes = read_file(path);
  return parse_safetensors(bytes.data(), bytes.size(), path);
}

}  // namespace mx
