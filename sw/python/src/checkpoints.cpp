// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/numerics/files/files.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/quantize/assemble.h"
#include "sw/checkpoints/checkpoint.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

struct Weight {
  numerics::QuantizedArray array;
  NamedQuantizer quantizer;
};

Weight weight_of(checkpoints::Layer& layer) {
  NamedQuantizer quantizer{numerics::make_quantizer(layer.format, layer.preset, layer.switches),
                           layer.format, layer.preset};
  numerics::QuantizedArray array = numerics::assemble(std::move(layer.parts), quantizer.quantizer);
  return {std::move(array), std::move(quantizer)};
}

nb::object object_of(Weight weight) {
  return nb::cast(Quantized(std::move(weight.array), std::move(weight.quantizer)));
}

nb::list load_layers(const std::string& path) {
  std::vector<std::pair<std::string, Weight>> weights;
  {
    const nb::gil_scoped_release released;
    const checkpoints::Checkpoint file(path);
    for (const checkpoints::FoundLayer& found : file.layers()) {
      checkpoints::Layer layer = file.read(found);
      weights.emplace_back(layer.name, weight_of(layer));
    }
  }
  nb::list layers;
  for (auto& [name, weight] : weights) {
    layers.append(nb::make_tuple(name, object_of(std::move(weight))));
  }
  return layers;
}

nb::tuple load_layer(const std::string& path, const std::string& name, std::optional<int> expert) {
  if (expert && *expert < 0) throw Error("experts are counted from 0");
  checkpoints::Layer layer;
  Weight weight;
  {
    const nb::gil_scoped_release released;
    layer = checkpoints::Checkpoint(path).read(
        name, expert ? std::optional<std::size_t>(*expert) : std::nullopt);
    weight = weight_of(layer);
  }
  const nb::object bias =
      layer.bias.empty() ? nb::none() : nb::cast(owned(std::move(layer.bias), layer.bias_shape));
  return nb::make_tuple(layer.name, std::string(checkpoints::layout_name(layer.layout)),
                        object_of(std::move(weight)), bias, layer.input_scale);
}

using StoredArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using NamedStoredArray = std::tuple<std::string, std::string, StoredArray>;

// F32 from float32, all other types from uint8.
void save_tensors(const std::string& path, const std::vector<NamedStoredArray>& arrays,
                  const std::map<std::string, std::string>& metadata) {
  std::vector<numerics::NamedTensor> tensors;
  for (const auto& [name, type, array] : arrays) {
    numerics::NamedTensor tensor{name, type, {}};
    tensor.array.dtype = type == "F32" ? numerics::DType::float32 : numerics::DType::uint8;
    for (std::size_t i = 0; i < array.ndim(); i++) tensor.array.shape.push_back(array.shape(i));
    const auto* bytes = static_cast<const uint8_t*>(array.data());
    tensor.array.data.assign(bytes, bytes + array.nbytes());
    tensors.push_back(std::move(tensor));
  }
  const nb::gil_scoped_release released;
  const std::vector<uint8_t> file = numerics::format_safetensors(tensors, metadata);
  numerics::write_file(path, file.data(), file.size());
}

}  // namespace

void bind_checkpoints(nb::module_& module) {
  module.def("load_layers", &load_layers, "path"_a);
  module.def("save_tensors", &save_tensors, "path"_a, "arrays"_a, "metadata"_a);
  module.def("load_layer", &load_layer, "path"_a, "name"_a, "expert"_a.none());
}

}  // namespace mxe::python
