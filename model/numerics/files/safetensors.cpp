// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/files/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/numerics/base/printable.h"
#include "model/numerics/files/shallow_json.h"
#include "model/numerics/formats/layout.h"

namespace mxe::numerics {
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

std::string type_names() {
  std::string names;
  for (const TypeInfo& type : kTypes) names += fmt::format(", {}", type.name);
  return names.substr(2);
}

std::string place(const std::string& key) { return fmt::format("tensor '{}'", one_line(key)); }

// Reads and checks a header. Errors name the file and the tensor.
class HeaderReader {
 public:
  using Entry = SafetensorsFile::Entry;

  HeaderReader(std::size_t size, const std::string& name) : size_(size), name_(name) {}

  std::vector<Entry> read(const Json& header) const {
    std::vector<Entry> entries;
    for (const auto& [key, entry] : header.items()) {
      if (key != "__metadata__") entries.push_back(read_entry(key, entry));
    }
    return entries;
  }

  // Tensors must fill their shapes (known types) and, without gaps or overlaps, the data section.
  void check_data(const std::vector<Entry>& entries) const {
    std::vector<std::pair<std::size_t, std::size_t>> extents;
    for (const Entry& entry : entries) {
      check_size(entry);
      extents.emplace_back(entry.begin, entry.end);
    }
    std::sort(extents.begin(), extents.end());
    std::size_t at = 0;
    for (const auto& [begin, end] : extents) {
      if (begin != at) fail("tensors overlap or leave a gap");
      at = end;
    }
    if (at != size_) fail("data after the last tensor");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
  }

  std::size_t natural(const Json& value, const std::string& where) const {
    if (!value.is_number_unsigned()) fail(fmt::format("{}: not a natural number", where));
    return value.get<std::size_t>();
  }

  Entry read_entry(const std::string& key, const Json& json) const {
    const std::string where = place(key);
    if (!json.is_object() || !json.contains("dtype") || !json["dtype"].is_string() ||
        !json.contains("shape") || !json["shape"].is_array() || !json.contains("data_offsets") ||
        !json["data_offsets"].is_array() || json["data_offsets"].size() != 2) {
      fail(where + ": needs dtype, shape and two data_offsets");
    }
    Entry entry;
    entry.name = key;
    entry.dtype = one_line(json["dtype"].get<std::string>());
    entry.begin = natural(json["data_offsets"][0], where);
    entry.end = natural(json["data_offsets"][1], where);
    if (entry.begin > entry.end || entry.end > size_) {
      fail(where + ": its data lies outside the file");
    }
    for (const Json& dimension : json["shape"]) entry.shape.push_back(natural(dimension, where));
    return entry;
  }

  void check_size(const Entry& entry) const {
    const TypeInfo* type = find_type(entry.dtype);
    if (type == nullptr) return;
    const std::string where = place(entry.name);
    std::size_t bits = type->bits;
    bool empty = false;
    for (const std::size_t dimension : entry.shape) {
      empty |= dimension == 0;
      if (dimension == 0) continue;
      if (bits > std::numeric_limits<std::size_t>::max() / dimension) {
        fail(where + ": its shape is too large");
      }
      bits *= dimension;
    }
    if (empty) bits = 0;
    if (bits % 8 != 0 || bits / 8 != entry.end - entry.begin) {
      fail(where + ": its shape and its data differ in size");
    }
  }

  std::size_t size_;  // bytes of data
  const std::string& name_;
};

struct Header {
  Json json;
  std::size_t data;
};

Header parse_header(const uint8_t* bytes, std::size_t size, const std::string& name) {
  constexpr std::size_t kPrefix = 8;
  // Limit of the format, in bytes.
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

SafetensorsFile::SafetensorsFile(const uint8_t* bytes, std::size_t size, std::string name)
    : name_(std::move(name)) {
  const Header header = parse_header(bytes, size, name_);
  data_ = bytes + header.data;
  const HeaderReader reader(size - header.data, name_);
  entries_ = reader.read(header.json);
  reader.check_data(entries_);
}

const SafetensorsFile::Entry* SafetensorsFile::find(const std::string& tensor) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), tensor,
      [](const Entry& entry, const std::string& wanted) { return entry.name < wanted; });
  return found == entries_.end() || found->name != tensor ? nullptr : &*found;
}

NamedTensor SafetensorsFile::read(const Entry& entry) const {
  const TypeInfo* type = find_type(entry.dtype);
  if (type == nullptr) {
    throw TypeError(fmt::format("{}: {}: type {} is not supported (allowed: {})", name_,
                                place(entry.name), entry.dtype, type_names()),
                    entry.dtype);
  }
  NamedTensor tensor{entry.name, entry.dtype, {}};
  tensor.array.dtype = type->dtype;
  tensor.array.shape = entry.shape;
  const uint8_t* data = this->data(entry);
  const std::size_t bytes = entry.end - entry.begin;
  if (type->bits == 4) {
    tensor.array.data = unpack_codes(data, 1, 2 * bytes, 4, NibbleOrder::low, bytes);
  } else {
    tensor.array.data.assign(data, data + bytes);
  }
  return tensor;
}

std::vector<std::string> safetensors_names(const uint8_t* bytes, std::size_t size,
                                           const std::string& name) {
  const SafetensorsFile file(bytes, size, name);
  std::vector<std::string> names;
  for (const SafetensorsFile::Entry& entry : file.entries()) names.push_back(entry.name);
  return names;
}

std::map<std::string, std::vector<std::size_t>> safetensors_shapes(const uint8_t* bytes,
                                                                   std::size_t size,
                                                                   const std::string& name) {
  const Header header = parse_header(bytes, size, name);
  std::map<std::string, std::vector<std::size_t>> shapes;
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  for (SafetensorsFile::Entry& entry : HeaderReader(kUnknown, name).read(header.json)) {
    shapes[entry.name] = std::move(entry.shape);
  }
  return shapes;
}

std::vector<NamedTensor> parse_safetensors(const uint8_t* bytes, std::size_t size,
                                           const std::string& name,
                                           const std::optional<std::string>& only) {
  const SafetensorsFile file(bytes, size, name);
  std::vector<NamedTensor> tensors;
  for (const SafetensorsFile::Entry& entry : file.entries()) {
    if (!only || *only == entry.name) tensors.push_back(file.read(entry));
  }
  return tensors;
}

namespace {

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
  // Wide elements first, so that all are aligned; the reference library uses the same order.
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

}  // namespace mxe::numerics
