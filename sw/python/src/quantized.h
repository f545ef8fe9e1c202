// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "model/numerics/base/parallel.h"
#include "model/numerics/gemm/kept_rows.h"
#include "model/numerics/quantize/quantize.h"
#include "model/numerics/quantize/spare_array.h"
#include "sw/python/src/input.h"
#include "sw/python/src/quantizers.h"

namespace mxe::python {

/// The memory of the last array that Python released.
numerics::SpareArray& spare_array();

/// An array after quantizing. Python's views of codes and scales keep it alive.
struct Quantized {
  numerics::QuantizedArray array;
  NamedQuantizer quantizer;
  std::shared_ptr<numerics::KeptRows> kept = std::make_shared<numerics::KeptRows>();

  Quantized(numerics::QuantizedArray quantized_array, NamedQuantizer named)
      : array(std::move(quantized_array)), quantizer(std::move(named)) {}
  Quantized(Quantized&&) = default;
  ~Quantized() { spare_array().give(std::move(array)); }
};

/// Quantizes an array, checking for signals between slices. Needs no GIL.
numerics::QuantizedArray quantize(const Input& x, const numerics::Quantizer& quantizer, int axis,
                                  unsigned threads, bool dequantize);

/// Returns only the dequantized numbers [shape of x].
std::unique_ptr<float[]> quantized_values(const Input& x, const numerics::Quantizer& quantizer,
                                          int axis, unsigned threads);

void bind_quantized(nanobind::module_& module);
void bind_arrays(nanobind::module_& module);
void bind_checkpoints(nanobind::module_& module);
void bind_matmul(nanobind::module_& module);
void bind_engine_jobs(nanobind::module_& module);
void bind_studies(nanobind::module_& module);

void bind_elements(nanobind::module_& module);

template <typename T>
nanobind::ndarray<nanobind::numpy, T> owned(std::vector<T> values,
                                            const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(
      kept, [](void* all) noexcept { delete static_cast<std::vector<T>*>(all); });
  return {kept->data(), shape.size(), shape.data(), owner};
}

/// bfloat16 is stored as uint16.
enum class Stored : int { float32 = 0, bfloat16 = 1, float16 = 2, float64 = 3 };

void append_stored(const float* values, std::size_t count, Stored form, std::vector<uint8_t>& out);

/// NumPy types: float32, uint16, float16 or float64.
nanobind::object stored_array(std::vector<uint8_t> bytes, Stored form,
                              const std::vector<std::size_t>& shape);

}  // namespace mxe::python
