// SPDX-License-Identifier: Apache-2.0
// Reads the layers of a checkpoint that other software quantized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/checkpoints/layouts.h"
#include "sw/checkpoints/mapped_file.h"

namespace mxe::checkpoints {

class Checkpoint {
 public:
  /// `path`: a .safetensors or GGUF file, an index of shards (*.safetensors.index.json), or a
  /// folder with model.safetensors.index.json or model.safetensors. The configuration is that of
  /// config.json or hf_quant_config.json in the same folder, if they exist and there are layers.
  /// Throws Error for damaged files.
  explicit Checkpoint(const std::string& path);

  /// One .safetensors or GGUF file in memory; `name` is used in messages.
  Checkpoint(std::vector<uint8_t> bytes, const std::string& name, Configuration configuration = {});

  const std::vector<FoundLayer>& layers() const { return layers_; }
  const Configuration& configuration() const { return configuration_; }

  /// `name`: of a layer, or of the tensor that it stands for (with ".weight"). Throws Error as
  /// read_layer(), and for names that no layer has.
  Layer read(const std::string& name, std::optional<std::size_t> expert = {}) const;
  Layer read(const FoundLayer& layer, std::optional<std::size_t> expert = {}) const;

 private:
  void add_file(MappedFile bytes, const std::string& name);
  void add_shards(const std::string& index);

  std::string path_;
  Configuration configuration_;
  std::vector<MappedFile> files_;
  TensorTable table_;
  std::vector<FoundLayer> layers_;
};

}  // namespace mxe::checkpoints
