// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/numerics/layout.h"
#include "model/numerics/shallow_json.h"

namespace mx {
namespace {

using Json = nlohmann::json;

template <typename T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

struct TypeInfo {
  std::string_view name;
  unsigned bits;  // of an element in the file
  DType dtype;
};

constexpr std::array<TypeInfo, 14> kTypes = {{{"F64", 64, DType::float64},
                                              {"F32", 32, DType::float32},
                                              {"F16", 16, DType::float16},
                                              {"BF16", 16, DType::bfloat16},
                                              {"U32", 32, DType::uint32},
                                              {"I32", 32, DType::int32},
                                              {"U16", 16, DType::uint16},
                                              {"I16", 16, DType::int16},
                                              {"U8", 8, DType::uint8},
                                              {"I8", 8, DType::int8},
                                              {"F8_E4M3", 8, DType::uint8},
                                              {"F8_E5M2", 8, DType::uint8},
                                              {"F8_E8M0", 8, DType::uint8},
                                              {"F4", 4, DType::uint8}}};

const TypeInfo* find_type(std::string_view name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [name](const TypeInfo& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : found;
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

  std::vector<NamedTensor> read(const Json& header, const std::optional<std::string>& only) {
    std::vector<NamedTensor> tensors;
    std::vector<Extent> extents;
    for (const auto& [key, entry] : header.items()) {
      if (key == "__metadata__") continue;
      Extent extent{};
      NamedTensor result = describe(key, entry, extent);
      extents.push_back(extent);
      if (only && *only != key) continue;
      fill(result, extent);
      tensors.push_back(std::move(result));
    }
    check_coverage(std::move(extents));
    return tensors;
  }

  std::map<std::string, std::vector<std::size_t>> shapes(const Json& header) {
    std::map<std::string, std::vector<std::size_t>> found;
    for (const auto& [key, entry] : header.items()) {
      if (key == "__metadata__") continue;
      Extent extent{};
      found[key] = describe(key, entry, extent).array.shape;
    }
    return found;
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

  // Everything but the data.
  NamedTensor describe(const std::string& key, const Json& entry, Extent& extent) const {
    const std::string where = place(key);
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
        !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
      fail(where + ": needs dtype, shape and two data_offsets");
    }
    NamedTensor result;
    result.name = key;
    result.dtype = printable(entry["dtype"].get<std::string>());
    extent.begin = natural(entry["data_offsets"][0], where);
    extent.end = natural(entry["data_offsets"][1], where);
    if (extent.begin > extent.end || extent.end > size_) {
      fail(where + ": its data lies outside the file");
    }
    for (const Json& dimension : entry["shape"]) {
      result.array.shape.push_back(natural(dimension, where));
    }
    return result;
  }

  void fill(NamedTensor& tensor, const Extent& extent) const {
    const std::string where = place(tensor.name);
    const TypeInfo* type = find_type(tensor.dtype);
    if (type == nullptr) {
      fail(fmt::format("{}: type {} is not supported (allowed: {})", where, tensor.dtype,
                       type_names()));
    }
    std::size_t count = 1;
    bool empty = false;
    for (const std::size_t dimension : tensor.array.shape) {
      if (dimension == 0) empty = true;
      count = multiply(count, std::max<std::size_t>(1, dimension), where);
    }
    const std::size_t bits = empty ? 0 : multiply(count, type->bits, where);
    if (empty) count = 0;
    if (bits % 8 != 0 || bits / 8 != extent.end - extent.begin) {
      fail(where + ": its shape and its data differ in size");
    }
    tensor.array.dtype = type->dtype;
    const uint8_t* data = data_ + extent.begin;
    if (type->bits == 4) {
      tensor.array.data = unpack_codes(data, 1, count, 4, NibbleOrder::low, bits / 8);
    } else {
      tensor.array.data.assign(data, data_ + extent.end);
    }
  }

  static std::string place(const std::string& key) {
    return fmt::format("tensor '{}'", printable(key));
  }

  static std::string type_names() {
    std::string names;
    for (const TypeInfo& type : kTypes) names += fmt::format(", {}", type.name);
    return names.substr(2);
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

// The header, and where the data begins.
struct Header {
  Json json;
  std::size_t data;
};

Header parse_header(const uint8_t* bytes, std::size_t size, const std::string& name) {
  constexpr std::size_t kPrefix = 8;
  // The format's own limit; it also bounds the work a damaged file can cause.
  constexpr uint64_t kMaxHeader = 100'000'000;
  if (size < kPrefix) throw Error(fmt::format("{}: not a .safetensors file", name));
  const uint64_t length = load<uint64_t>(bytes);
  if (length > kMaxHeader || length > size - kPrefix) {
    throw Error(fmt::format("{}: truncated header or not a .safetensors file", name));
  }
  const char* text = reinterpret_cast<const char*>(bytes) + kPrefix;
  Header header{{}, kPrefix + static_cast<std::size_t>(length)};
  try {
    header.json = parse_shallow<Json>(std::string_view(text, length));
  } catch (const std::exception&) {
    throw Error(fmt::format("{}: the header is not valid JSON", name));
  }
  if (!header.json.is_object()) {
    throw Error(fmt::format("{}: the header is not a JSON object", name));
  }
  return header;
}

}  // namespace

std::vector<std::string> safetensors_names(const uint8_t* bytes, std::size_t size,
                                           const std::string& name) {
  const Header header = parse_header(bytes, size, name);
  std::vector<std::string> names;
  for (const auto& [key, entry] : header.json.items()) {
    if (key != "__metadata__") names.push_back(key);
  }
  return names;
}

std::map<std::string, std::vector<std::size_t>> safetensors_shapes(const uint8_t* bytes,
                                                                   std::size_t size,
                                                                   const std::string& name) {
  const Header header = parse_header(bytes, size, name);
  return Reader(nullptr, std::numeric_limits<std::size_t>::max(), name).shapes(header.json);
}

std::vector<NamedTensor> parse_safetensors(const uint8_t* bytes, std::size_t size,
                                           const std::string& name,
                                           const std::optional<std::string>& only) {
  const Header header = parse_header(bytes, size, name);
  return Reader(bytes + header.data, size - header.data, name).read(header.json, only);
}

namespace {

// A tensor on its way into a file.
struct Entry {
  const TypeInfo* type;
  std::string_view name;
  const NpyArray* array;
};

Entry make_entry(const NamedTensor& tensor) {
  const auto fits = [&tensor](const TypeInfo& type) {
    return type.dtype == tensor.array.dtype && (tensor.dtype.empty() || type.name == tensor.dtype);
  };
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(), fits);
  if (type == kTypes.end()) {
    throw Error(fmt::format("tensor '{}': {} elements are not written as {}", tensor.name,
                            dtype_name(tensor.array.dtype), tensor.dtype));
  }
  if (type->bits == 4 && (tensor.array.shape.empty() || tensor.array.shape.back() % 2 != 0)) {
    throw Error(fmt::format("tensor '{}': {} needs an even last axis: two elements make a byte",
                            tensor.name, type->name));
  }
  return {type, tensor.name, &tensor.array};
}

}  // namespace

std::map<std::string, std::string> safetensors_metadata(const uint8_t* bytes, std::size_t size,
                                                        const std::string& name) {
  const Header header = parse_header(bytes, size, name);
  std::map<std::string, std::string> metadata;
  if (!header.json.contains("__metadata__")) return metadata;
  for (const auto& [key, value] : header.json["__metadata__"].items()) {
    if (!value.is_string()) throw Error(fmt::format("{}: its metadata are not text", name));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

std::vector<uint8_t> format_safetensors(const std::vector<NamedTensor>& tensors,
                                        const std::map<std::string, std::string>& metadata) {
  std::vector<Entry> entries;
  for (const NamedTensor& tensor : tensors) entries.push_back(make_entry(tensor));
  // Wide elements first, so that all are aligned; this is how the reference library orders them.
  std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return x.type->bits != y.type->bits ? x.type->bits > y.type->bits : x.name < y.name;
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::vector<uint8_t> data;
  for (const Entry& entry : entries) {
    const std::size_t begin = data.size();
    const std::vector<uint8_t>& bytes = entry.array->data;
    if (entry.type->bits == 4) {
      const std::vector<uint8_t> packed =
          pack_codes(bytes.data(), 1, bytes.size(), 4, NibbleOrder::low);
      data.insert(data.end(), packed.begin(), packed.end());
    } else {
      data.insert(data.end(), bytes.begin(), bytes.end());
    }
    header[std::string(entry.name)] = {{"dtype", entry.type->name},
                                       {"shape", entry.array->shape},
                                       {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  while (text.size() % 8 != 0) text += ' ';
  std::vector<uint8_t> file;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    file.push_back(static_cast<uint8_t>(uint64_t{text.size()} >> shift));
  }
  file.insert(file.end(), text.begin(), text.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

}  // namespace mx
