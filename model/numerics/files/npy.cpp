// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/float16.h"

namespace mxe::numerics {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view descr;  // without the byte order mark
  std::string_view name;
  std::size_t size;
};

constexpr std::array<DTypeInfo, 12> kDTypes = {{{DType::float16, "f2", "float16", 2},
                                                {DType::float32, "f4", "float32", 4},
                                                {DType::float64, "f8", "float64", 8},
                                                {DType::uint8, "u1", "uint8", 1},
                                                {DType::int8, "i1", "int8", 1},
                                                {DType::uint16, "u2", "uint16", 2},
                                                {DType::int16, "i2", "int16", 2},
                                                {DType::uint32, "u4", "uint32", 4},
                                                {DType::int32, "i4", "int32", 4},
                                                {DType::bfloat16, "V2", "bfloat16", 2},
                                                {DType::uint8, "V1", "uint8", 1},
                                                {DType::uint8, "f1", "uint8", 1}}};

const DTypeInfo& info(DType dtype) {
  return *std::find_if(kDTypes.begin(), kDTypes.end(),
                       [dtype](const DTypeInfo& entry) { return entry.dtype == dtype; });
}

// Parser of the header's Python dictionary: string literals without escapes, True, False and tuples
// of natural numbers, as numpy.save writes them.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void parse(std::string& descr, bool& fortran, std::vector<std::size_t>& shape) {
    bool seen_descr = false;
    bool seen_order = false;
    bool seen_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string_literal();
      expect(':');
      if (key == "descr" && !seen_descr) {
        if (peek() == '[') {
          throw TypeError(fmt::format("{}: structured types are not supported", name_),
                          "structured");
        }
        descr = string_literal();
        seen_descr = true;
      } else if (key == "fortran_order" && !seen_order) {
        fortran = boolean();
        seen_order = true;
      } else if (key == "shape" && !seen_shape) {
        shape = tuple();
        seen_shape = true;
      } else {
        fail(fmt::format("unexpected or repeated header key '{}'", key));
      }
      if (!accept(',') && peek() != '}') fail("malformed header");
    }
    skip_spaces();
    if (at_ != text_.size()) fail("text after the header's dictionary");
    if (!seen_descr || !seen_order || !seen_shape) {
      fail("the header lacks one of descr, fortran_order and shape");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) at_++;
  }

  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    at_++;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail("malformed header");
  }

  std::string string_literal() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("malformed header");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("malformed header");
    std::string value = one_line(std::string(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail("malformed header");
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(number());
      if (!accept(',') && peek() != ')') fail("malformed header");
    }
    return values;
  }

  std::size_t number() {
    if (peek() < '0' || peek() > '9') fail("malformed shape in the header");
    std::size_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; at_++) {
      const std::size_t digit = static_cast<std::size_t>(text_[at_] - '0');
      if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
        fail("the shape in the header is too large");
      }
      value = value * 10 + digit;
    }
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

// Product of the dimensions times the element size; nullopt if the nonzero axes overflow.
std::optional<std::size_t> byte_count(const std::vector<std::size_t>& shape, std::size_t element) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max();
  std::size_t bytes = element;
  bool empty = false;
  for (const std::size_t dimension : shape) {
    if (dimension == 0) {
      empty = true;
    } else if (bytes > kMost / dimension) {
      return std::nullopt;
    } else {
      bytes *= dimension;
    }
  }
  return empty ? 0 : bytes;
}

DType parse_descr(const std::string& descr, const std::string& name) {
  if (descr.size() == 3) {
    for (const DTypeInfo& entry : kDTypes) {
      if (std::string_view(descr).substr(1) == entry.descr &&
          (descr[0] == '<' || descr[0] == '>' || descr[0] == '=' ||
           (descr[0] == '|' && (entry.size == 1 || entry.dtype == DType::bfloat16)))) {
        return entry.dtype;
      }
    }
  }
  throw TypeError(
      fmt::format("{}: type '{}' is not supported (allowed: float16, bfloat16, float32, float64, "
                  "uint8, int8, uint16, int16, uint32, int32)",
                  name, descr),
      descr);
}

void swap_bytes(std::vector<uint8_t>& data, std::size_t size) {
  for (auto at = data.begin(); at != data.end(); at += static_cast<long>(size)) {
    std::reverse(at, at + static_cast<long>(size));
  }
}

void to_c_order(NpyArray& array) {
  const std::size_t size = dtype_size(array.dtype);
  const std::vector<uint8_t> source = std::move(array.data);
  array.data.resize(source.size());
  std::vector<std::size_t> index(array.shape.size());
  for (std::size_t at = 0; at < source.size(); at += size) {
    std::size_t from = 0;
    for (std::size_t axis = index.size(); axis-- > 0;)
      from = from * array.shape[axis] + index[axis];
    std::copy_n(source.begin() + static_cast<long>(from * size), size,
                array.data.begin() + static_cast<long>(at));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < array.shape[axis]) break;
      index[axis] = 0;
    }
  }
  array.fortran = false;
}

template <typename T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

std::size_t dtype_size(DType dtype) { return info(dtype).size; }
std::string_view dtype_name(DType dtype) { return info(dtype).name; }

std::size_t NpyArray::size() const {
  std::size_t count = 1;
  for (const std::size_t dimension : shape) count *= dimension;
  return count;
}

std::size_t npy_header_size(const uint8_t* bytes, std::size_t size, const std::string& name) {
  constexpr std::size_t kMagicSize = 6;
  if (size < 10 || std::memcmp(bytes, "\x93NUMPY", kMagicSize) != 0) {
    throw Error(fmt::format("{}: not a .npy file", name));
  }
  const uint8_t version = bytes[6];
  if (version < 1 || version > 3) {
    throw Error(
        fmt::format("{}: .npy version {} is not supported (allowed: 1 to 3)", name, version));
  }
  if (version == 1) return 10 + load<uint16_t>(bytes + 8);
  if (size < kNpyPrefix) throw Error(fmt::format("{}: truncated header", name));
  return kNpyPrefix + load<uint32_t>(bytes + 8);
}

namespace {

struct Header {
  NpyArray array;
  bool swapped = false;
  std::size_t size = 0;                   // bytes before the data
  std::optional<std::size_t> data_bytes;  // according to the shape; nullopt if too many
};

Header parse_header(const uint8_t* bytes, std::size_t size, const std::string& name) {
  Header header;
  header.size = npy_header_size(bytes, size, name);
  if (header.size > size) throw Error(fmt::format("{}: truncated header", name));
  const std::size_t prefix = bytes[6] == 1 ? 10 : kNpyPrefix;
  std::string descr;
  HeaderParser(
      std::string_view(reinterpret_cast<const char*>(bytes) + prefix, header.size - prefix), name)
      .parse(descr, header.array.fortran, header.array.shape);
  header.array.dtype = parse_descr(descr, name);
  header.swapped = descr[0] == '>';
  header.data_bytes = byte_count(header.array.shape, dtype_size(header.array.dtype));
  return header;
}

[[noreturn]] void throw_wrong_size(const Header& header, std::size_t held,
                                   const std::string& name) {
  throw Error(fmt::format("{}: the header promises {} bytes of data, the file holds {}", name,
                          header.data_bytes ? fmt::to_string(*header.data_bytes) : "too many",
                          held));
}

}  // namespace

std::size_t npy_file_size(const uint8_t* bytes, std::size_t size, const std::string& name) {
  const Header header = parse_header(bytes, size, name);
  if (!header.data_bytes ||
      *header.data_bytes > std::numeric_limits<std::size_t>::max() - header.size) {
    throw_wrong_size(header, size - header.size, name);
  }
  return header.size + *header.data_bytes;
}

NpyArray parse_npy(const uint8_t* bytes, std::size_t size, const std::string& name) {
  Header header = parse_header(bytes, size, name);
  const std::size_t available = size - header.size;
  if (header.data_bytes != available) throw_wrong_size(header, available, name);
  NpyArray& array = header.array;
  array.data.assign(bytes + header.size, bytes + size);
  if (header.swapped) swap_bytes(array.data, dtype_size(array.dtype));
  if (array.fortran) to_c_order(array);
  return std::move(array);
}

NpyArray read_npy(const std::string& path) {
  const std::vector<uint8_t> bytes = read_file(path);
  return parse_npy(bytes.data(), bytes.size(), path);
}

void require_rank(const NpyArray& array, std::size_t rank, const std::string& name) {
  if (array.shape.size() != rank) {
    throw Error(
        fmt::format("{}: need {} dimensions, the array has {}", name, rank, array.shape.size()));
  }
}

std::vector<float> to_float32(const NpyArray& array, const std::string& name) {
  std::vector<float> values(array.size());
  const uint8_t* data = array.data.data();
  for (std::size_t i = 0; i < values.size(); i++) {
    switch (array.dtype) {
      case DType::float16:
        values[i] = float16_to_float(load<uint16_t>(data + 2 * i));
        break;
      case DType::bfloat16:
        values[i] = from_bits(widened_bits(load<uint16_t>(data + 2 * i)));
        break;
      case DType::float32:
        values[i] = load<float>(data + 4 * i);
        break;
      case DType::float64:
        values[i] = static_cast<float>(load<double>(data + 8 * i));
        break;
      case DType::uint8:
        values[i] = data[i];
        break;
      default:
        throw Error(
            fmt::format("{}: need float16, bfloat16, float32, float64 or uint8, the array is {}",
                        name, dtype_name(array.dtype)));
    }
  }
  return values;
}

std::vector<uint8_t> to_uint8(const NpyArray& array, const std::string& name) {
  if (array.dtype != DType::uint8) {
    throw Error(fmt::format("{}: need uint8, the array is {}", name, dtype_name(array.dtype)));
  }
  return array.data;
}

std::vector<uint8_t> format_npy(const NpyArray& array, const std::string& name,
                                std::string_view descr) {
  const DTypeInfo& type = info(array.dtype);
  if (array.data.size() != array.size() * type.size) {
    throw Error(fmt::format("{}: {} bytes of data do not fill the shape", name, array.data.size()));
  }
  const std::string array_descr = fmt::format("{}{}", type.size == 1 ? '|' : '<', type.descr);
  std::string shape;
  for (const std::size_t dimension : array.shape) shape += fmt::format("{}, ", dimension);
  // As numpy prints tuples: "()", "(3,)", "(3, 4)".
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  if (array.shape.size() == 1) shape.resize(shape.size() - 1);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr.empty() ? std::string_view(array_descr) : descr, shape);
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kAlignment = 64;
  while ((kPrefix + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  std::vector<uint8_t> bytes(file.begin(), file.end());
  bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

void write_npy(const std::string& path, const NpyArray& array) {
  const std::vector<uint8_t> bytes = format_npy(array, path);
  write_file(path, bytes.data(), bytes.size());
}

namespace {

void write_raw(const std::string& path, DType dtype, const void* data,
               const std::vector<std::size_t>& shape) {
  NpyArray array;
  array.dtype = dtype;
  array.shape = shape;
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  array.data.assign(bytes, bytes + array.size() * dtype_size(dtype));
  write_npy(path, array);
}

}  // namespace

void write_npy(const std::string& path, const float* data, const std::vector<std::size_t>& shape) {
  write_raw(path, DType::float32, data, shape);
}

void write_npy(const std::string& path, const uint8_t* data,
               const std::vector<std::size_t>& shape) {
  write_raw(path, DType::uint8, data, shape);
}

}  // namespace mxe::numerics
