// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/output_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "model/numerics/error.h"
#include "model/numerics/files.h"
#include "model/numerics/npy.h"

namespace mxe::cli {
namespace {

// All one-byte types of ml_dtypes but one have the same spelling in .npy files.
constexpr std::string_view kMlDtype = "<V1";
constexpr std::string_view kFloat8E5M2 = "<f1";

struct NamedType {
  std::string_view format;
  CodeType type;
};

constexpr std::array<NamedType, 7> kElementTypes = {{{"mxfp8_e4m3", {"F8_E4M3", kMlDtype}},
                                                     {"mxfp8_e5m2", {"F8_E5M2", kFloat8E5M2}},
                                                     {"mxfp6_e2m3", {"", kMlDtype}},
                                                     {"mxfp6_e3m2", {"", kMlDtype}},
                                                     {"mxfp4_e2m1", {"F4", kMlDtype}},
                                                     {"nvfp4", {"F4", kMlDtype}},
                                                     {"mxint8", {"I8", "|i1"}}}};
constexpr std::array<NamedType, 2> kScaleTypes = {
    {{"e8m0", {"F8_E8M0", kMlDtype}}, {"e4m3", {"F8_E4M3", kMlDtype}}}};

template <std::size_t kCount>
CodeType find_type(const std::array<NamedType, kCount>& types, const std::string& name) {
  for (const NamedType& type : types) {
    if (type.format == name) return type.type;
  }
  return {};
}

template <typename T>
mx::NpyArray make_array(mx::DType dtype, const std::vector<T>& values,
                        const std::vector<std::size_t>& shape) {
  mx::NpyArray array;
  array.dtype = dtype;
  array.shape = shape;
  array.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

}  // namespace

CodeType code_type(const mx::ElementFormat& format) {
  return find_type(kElementTypes, format.name);
}
CodeType code_type(const mx::ScaleFormat& format) { return find_type(kScaleTypes, format.name()); }

void OutputFiles::add(const std::string& path, const std::string& role, mx::NpyArray array,
                      const CodeType& type) {
  if (path.empty()) return;
  auto file = std::find_if(files_.begin(), files_.end(),
                           [&path](const File& known) { return known.path == path; });
  if (file == files_.end()) file = files_.insert(file, File{path, {}});
  file->outputs.push_back({{role, std::string(type.safetensors), std::move(array)}, type.npy});
}

void OutputFiles::add(const std::string& path, const std::string& role,
                      const std::vector<float>& values, const std::vector<std::size_t>& shape) {
  if (!path.empty()) add(path, role, make_array(mx::DType::float32, values, shape));
}

void OutputFiles::add(const std::string& path, const std::string& role,
                      const std::vector<uint8_t>& values, const std::vector<std::size_t>& shape,
                      const CodeType& type) {
  if (!path.empty()) add(path, role, make_array(mx::DType::uint8, values, shape), type);
}

void OutputFiles::add(const std::string& path, const std::string& role,
                      const std::vector<uint16_t>& values, const std::vector<std::size_t>& shape) {
  if (!path.empty()) add(path, role, make_array(mx::DType::uint16, values, shape));
}

std::vector<uint8_t> OutputFiles::contents(const File& file) {
  const std::string extension = std::filesystem::path(file.path).extension();
  if (extension == ".npz") {
    throw mx::Error(
        fmt::format("{}: .npz files are only read; write .npy or .safetensors", file.path));
  }
  if (extension == ".safetensors" || (file.path == "-" && file.outputs.size() > 1)) {
    std::vector<mx::NamedTensor> tensors;
    for (const Output& output : file.outputs) {
      tensors.push_back(output.tensor);
      if (output.tensor.dtype == "I8") tensors.back().array.dtype = mx::DType::int8;
    }
    return mx::format_safetensors(tensors);
  }
  if (file.outputs.size() > 1) {
    throw mx::Error(fmt::format("{}: {} and {} need a file each, or a .safetensors file", file.path,
                                file.outputs[0].tensor.name, file.outputs[1].tensor.name));
  }
  const Output& output = file.outputs[0];
  return mx::format_npy(output.tensor.array, file.path, output.npy_type);
}

void OutputFiles::write() const {
  std::vector<std::vector<uint8_t>> bytes;
  for (const File& file : files_) bytes.push_back(contents(file));
  for (std::size_t i = 0; i < files_.size(); i++) {
    mx::write_file(files_[i].path, bytes[i].data(), bytes[i].size());
    if (files_[i].path == "-") dup2(STDERR_FILENO, STDOUT_FILENO);
  }
}

}  // namespace mxe::cli
