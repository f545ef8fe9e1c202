// SPDX-License-Identifier: Apache-2.0
#include "sw/arrays/output_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/npy.h"

namespace mxe::arrays {
namespace {

template <typename T>
numerics::NpyArray make_array(numerics::DType dtype, const std::vector<T>& values,
                              const std::vector<std::size_t>& shape) {
  numerics::NpyArray array;
  array.dtype = dtype;
  array.shape = shape;
  array.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

}  // namespace

void OutputFiles::add(const std::string& path, const std::string& role, numerics::NpyArray array,
                      const CodeType& type) {
  if (path.empty()) return;
  auto file = std::find_if(files_.begin(), files_.end(),
                           [&path](const File& known) { return known.path == path; });
  if (file == files_.end()) file = files_.insert(file, File{path, {}});
  file->outputs.push_back({{role, std::string(type.safetensors), std::move(array)}, type.npy});
}

void OutputFiles::add(const std::string& path, const std::string& role,
                      const std::vector<float>& values, const std::vector<std::size_t>& shape) {
  if (!path.empty()) add(path, role, make_array(numerics::DType::float32, values, shape));
}

void OutputFiles::add(const std::string& path, const std::string& role,
                      const std::vector<uint8_t>& values, const std::vector<std::size_t>& shape,
                      const CodeType& type) {
  if (!path.empty()) add(path, role, make_array(numerics::DType::uint8, values, shape), type);
}

void OutputFiles::add(const std::string& path, const std::string& role,
                      const std::vector<uint16_t>& values, const std::vector<std::size_t>& shape) {
  if (!path.empty()) add(path, role, make_array(numerics::DType::uint16, values, shape));
}

std::vector<uint8_t> OutputFiles::contents(const File& file) {
  const std::string extension = std::filesystem::path(file.path).extension();
  if (extension == ".npz") {
    throw Error(fmt::format("{}: .npz files are only read; write .npy or .safetensors", file.path));
  }
  if (extension == ".safetensors" ||
      (numerics::is_standard_output(file.path) && file.outputs.size() > 1)) {
    std::vector<numerics::NamedTensor> tensors;
    for (const Output& output : file.outputs) {
      tensors.push_back(output.tensor);
      if (output.tensor.dtype == "I8") tensors.back().array.dtype = numerics::DType::int8;
    }
    return numerics::format_safetensors(tensors);
  }
  if (file.outputs.size() > 1) {
    throw Error(fmt::format("{}: {} and {} need a file each, or a .safetensors file", file.path,
                            file.outputs[0].tensor.name, file.outputs[1].tensor.name));
  }
  const Output& output = file.outputs[0];
  return numerics::format_npy(output.tensor.array, file.path, output.npy_type);
}

void OutputFiles::write() const {
  std::vector<std::vector<uint8_t>> bytes;
  for (const File& file : files_) bytes.push_back(contents(file));
  for (std::size_t i = 0; i < files_.size(); i++) {
    numerics::write_file(files_[i].path, bytes[i].data(), bytes[i].size());
    if (numerics::is_standard_output(files_[i].path)) dup2(STDERR_FILENO, STDOUT_FILENO);
  }
}

}  // namespace mxe::arrays
