// SPDX-License-Identifier: Apache-2.0
#include "sw/arrays/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/formats/format.h"
#include "sw/arrays/npz.h"

namespace mxe::arrays {
namespace {

enum class FileKind { npy, npz, safetensors };

bool starts_with(const std::vector<uint8_t>& bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin());
}

/// By the first bytes (.npy, .npz), else the extension (.safetensors, .npz), else byte 8 ('{' in
/// .safetensors). Anything else is .npy, whose reader reports damaged files.
FileKind kind_of(const std::vector<uint8_t>& bytes, const std::string& path) {
  constexpr std::size_t kSafetensorsPrefix = 8;
  if (starts_with(bytes, "\x93NUMPY")) return FileKind::npy;
  if (starts_with(bytes, "PK")) return FileKind::npz;
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".safetensors") return FileKind::safetensors;
  if (extension == ".npz") return FileKind::npz;
  const bool header = bytes.size() > kSafetensorsPrefix && bytes[kSafetensorsPrefix] == '{';
  return header ? FileKind::safetensors : FileKind::npy;
}

[[noreturn]] void throw_unknown(std::vector<std::string> names, const std::string& path,
                                const std::optional<std::string>& name) {
  constexpr std::size_t kShown = 20;
  if (names.size() > kShown) {
    names.resize(kShown);
    names.emplace_back("...");
  }
  throw Error(
      fmt::format("{}: {} (allowed: {})", path,
                  name ? fmt::format("there is no tensor '{}'", *name) : "--tensor NAME is needed",
                  fmt::join(names, ", ")));
}

[[noreturn]] void throw_wrong_type(const numerics::NamedTensor& tensor, const std::string& path,
                                   const char* allowed) {
  const std::string_view type = tensor.dtype.empty() ? numerics::dtype_name(tensor.array.dtype)
                                                     : std::string_view(tensor.dtype);
  throw TypeError(fmt::format("{}: the elements must be {}, but are {}", path, allowed, type),
                  std::string(type));
}

/// Values of all codes of a .safetensors type; empty for other types.
std::vector<float> values_of(const std::string& dtype) {
  const auto table = [](unsigned bits, const auto& decode) {
    std::vector<float> values(std::size_t{1} << bits);
    for (std::size_t code = 0; code < values.size(); code++) {
      values[code] = decode(static_cast<uint8_t>(code));
    }
    return values;
  };
  const auto elements = [&table](unsigned bits, numerics::FormatId format) {
    return table(bits, [format](uint8_t code) { return numerics::decode(format, code); });
  };
  if (dtype == "F8_E4M3") return elements(8, numerics::FormatId::mxfp8_e4m3);
  if (dtype == "F8_E5M2") return elements(8, numerics::FormatId::mxfp8_e5m2);
  if (dtype == "F4") return elements(4, numerics::FormatId::mxfp4_e2m1);
  if (dtype == "F8_E8M0")
    return table(8, [](uint8_t code) { return numerics::decode_scale(code); });
  return {};
}

}  // namespace

class ArrayFile {
 public:
  ArrayFile(const std::vector<uint8_t>& bytes, const std::string& path)
      : bytes_(bytes), path_(path) {
    const FileKind kind = kind_of(bytes, path);
    if (kind == FileKind::npz) npz_.emplace(bytes.data(), bytes.size(), path);
    if (kind == FileKind::safetensors) safetensors_.emplace(bytes.data(), bytes.size(), path);
    if (npz_) names_ = npz_->names();
    if (!safetensors_) return;
    for (const auto& entry : safetensors_->entries()) names_.push_back(entry.name);
  }

  bool has_names() const { return npz_ || safetensors_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Empty for a .npy file.
  std::string name(std::size_t i) const { return has_names() ? names_[i] : ""; }
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return found - names_.begin();
  }
  /// Empty for other files than .safetensors.
  std::map<std::string, std::string> metadata() const {
    if (!safetensors_) return {};
    return numerics::safetensors_metadata(bytes_.data(), bytes_.size(), path_);
  }
  numerics::NamedTensor read(std::size_t i) const {
    if (safetensors_) return safetensors_->read(safetensors_->entries()[i]);
    if (npz_) return {names_[i], "", npz_->read(i)};
    return {"", "", numerics::parse_npy(bytes_.data(), bytes_.size(), path_)};
  }

 private:
  const std::vector<uint8_t>& bytes_;
  const std::string& path_;
  std::optional<NpzFile> npz_;
  std::optional<numerics::SafetensorsFile> safetensors_;
  std::vector<std::string> names_;
};

InputFiles::InputFiles(std::vector<std::string> names) : names_(std::move(names)) {}

std::vector<uint8_t> InputFiles::contents(const std::string& path) {
  if (path != "-") return numerics::read_file(path);
  if (!standard_input_) standard_input_ = numerics::read_file(path);
  return *standard_input_;
}

std::optional<std::string> InputFiles::next_name() {
  if (used_ == names_.size()) return std::nullopt;
  return names_[used_++];
}

std::vector<std::size_t> InputFiles::chosen(const ArrayFile& file, const std::string& path) {
  if (!file.has_names()) return {0};
  if (const std::optional<std::string> name = next_name()) {
    const std::optional<std::size_t> found = file.find(*name);
    if (!found) throw_unknown(file.names(), path, name);
    return {*found};
  }
  std::vector<std::size_t> all(file.names().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

numerics::NamedTensor InputFiles::read(const std::string& path, const std::string& role) {
  const std::vector<uint8_t> bytes = contents(path);
  const ArrayFile file(bytes, path);
  if (!file.has_names()) return file.read(0);
  const std::optional<std::string> name = next_name();
  std::optional<std::size_t> found = file.find(name.value_or(role));
  if (!name && !found && file.names().size() == 1) found = 0;
  if (!found) throw_unknown(file.names(), path, name);
  return file.read(*found);
}

Extras InputFiles::extras(const std::string& path, const std::vector<std::string>& names) {
  const std::vector<uint8_t> bytes = contents(path);
  const ArrayFile file(bytes, path);
  Extras extras{file.metadata(), {}};
  for (const std::string& name : names) {
    if (const auto found = file.find(name)) extras.tensors[name] = file.read(*found);
  }
  return extras;
}

std::vector<numerics::NamedTensor> InputFiles::read_all(const std::string& path) {
  const std::vector<uint8_t> bytes = contents(path);
  const ArrayFile file(bytes, path);
  std::vector<numerics::NamedTensor> tensors;
  for (const std::size_t i : chosen(file, path)) tensors.push_back(file.read(i));
  return tensors;
}

std::vector<Skipped> InputFiles::for_each_floats(const std::string& path, const TakeFloats& take) {
  const std::vector<uint8_t> bytes = contents(path);
  const ArrayFile file(bytes, path);
  const std::vector<std::size_t> arrays = chosen(file, path);
  std::vector<Skipped> skipped;
  for (const std::size_t i : arrays) {
    Array<float> array;
    try {
      array = to_floats(file.read(i), path);
    } catch (const TypeError& error) {
      if (arrays.size() == 1) throw;
      skipped.push_back({file.name(i), error.type});
      continue;
    }
    if (array.shape.empty() && arrays.size() > 1) {
      skipped.push_back({file.name(i), "a scalar"});
    } else {
      take(file.name(i), array);
    }
  }
  if (!arrays.empty() && skipped.size() == arrays.size()) {
    throw Error(fmt::format("{}: none of the {} arrays can be used: '{}' is {}", path,
                            arrays.size(), skipped[0].name, skipped[0].reason));
  }
  return skipped;
}

void InputFiles::require_all_names_used() const {
  if (used_ == names_.size()) return;
  throw Error(fmt::format(
      "--tensor {}: no file uses this name; allowed: one name per .npz or .safetensors file",
      names_[used_]));
}

Array<float> to_floats(const numerics::NamedTensor& tensor, const std::string& path) {
  const numerics::NpyArray& array = tensor.array;
  switch (array.dtype) {
    case numerics::DType::float16:
    case numerics::DType::bfloat16:
    case numerics::DType::float32:
    case numerics::DType::float64:
      return {array.shape, numerics::to_float32(array, path)};
    default:
      break;
  }
  const std::vector<float> values = values_of(tensor.dtype);
  if (values.empty()) {
    throw_wrong_type(tensor, path, "float32, float64, float16 or bfloat16");
  }
  Array<float> result{array.shape, {}};
  result.values.reserve(array.data.size());
  for (const uint8_t code : array.data) result.values.push_back(values[code]);
  return result;
}

Array<uint8_t> to_bytes(numerics::NamedTensor tensor, const std::string& path) {
  if (tensor.array.dtype != numerics::DType::uint8 && tensor.array.dtype != numerics::DType::int8) {
    throw_wrong_type(tensor, path, "uint8");
  }
  return {std::move(tensor.array.shape), std::move(tensor.array.data)};
}

Array<uint16_t> to_shorts(const numerics::NamedTensor& tensor, const std::string& path) {
  const numerics::NpyArray& array = tensor.array;
  if (array.dtype != numerics::DType::uint16) throw_wrong_type(tensor, path, "uint16");
  Array<uint16_t> result{array.shape, std::vector<uint16_t>(array.size())};
  std::memcpy(result.values.data(), array.data.data(), array.data.size());
  return result;
}

Array<float> read_floats(const std::string& path, const std::vector<std::string>& names) {
  InputFiles files(names);
  Array<float> array = to_floats(files.read(path), path);
  files.require_all_names_used();
  return array;
}

Numbers::Numbers(numerics::NamedTensor tensor, const std::string& path) {
  const numerics::DType dtype = tensor.array.dtype;
  if (dtype != numerics::DType::float16 && dtype != numerics::DType::bfloat16) {
    Array<float> floats = to_floats(tensor, path);
    shape_ = std::move(floats.shape);
    floats_ = std::move(floats.values);
    return;
  }
  type_ = dtype == numerics::DType::float16 ? numerics::NumberType::float16
                                            : numerics::NumberType::bfloat16;
  shape_ = std::move(tensor.array.shape);
  bytes_ = std::move(tensor.array.data);
}

numerics::FloatArray Numbers::array() const {
  if (type_ == numerics::NumberType::float32) return floats_.data();
  return {bytes_.data(), type_};
}

std::vector<float> Numbers::to_float32() const {
  if (type_ == numerics::NumberType::float32) return floats_;
  std::vector<float> values(bytes_.size() / 2);
  const numerics::FloatArray numbers = array();
  for (std::size_t i = 0; i < values.size(); i++) values[i] = numbers[i];
  return values;
}

Numbers read_numbers(const std::string& path, const std::vector<std::string>& names) {
  InputFiles files(names);
  Numbers numbers(files.read(path), path);
  files.require_all_names_used();
  return numbers;
}

}  // namespace mxe::arrays
