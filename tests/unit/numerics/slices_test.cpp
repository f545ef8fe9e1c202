// SPDX-License-Identifier: Apache-2.0
// Large arrays are quantized in slices; the results do not show it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/quantize.h"
#include "model/numerics/quantize/spare_array.h"

namespace mxe::numerics {
namespace {

using Shape = std::vector<std::size_t>;

const std::vector<float>& numbers() {
  static const std::vector<float> kNumbers = [] {
    std::mt19937 random(3);
    std::vector<float> x(std::size_t{5} << 18);  // more than a slice of 2^20
    for (float& value : x) value = std::ldexp(static_cast<float>(random() % 4096) - 2048, -9);
    return x;
  }();
  return kNumbers;
}

// Copies, as a source of another type does.
NumberSource copying(const std::vector<float>& x, std::size_t& reads) {
  return {[&x, &reads](std::size_t first, std::size_t last, std::vector<float>& buffer) {
            reads++;
            buffer.assign(x.data() + first, x.data() + last);
            return FloatArray(buffer.data());
          },
          false};
}

struct Case {
  Shape shape;
  int axis;
  const char* format;
  const char* preset;
  Overrides overrides;
  bool sliced;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {{1280, 1024}, 1, "mxfp8_e4m3", "ocp", {}, true},
      {{1280, 1024}, 0, "mxfp8_e4m3", "ocp", {}, true},
      {{10, 128, 1024}, 1, "mxfp4_e2m1", "ocp-rceil", {}, true},
      {{10, 128, 1024}, 0, "mxfp4_e2m1", "ocp", {{"block_size", int64_t{3}}}, true},
      {{1310720}, 0, "mxint8", "ocp", {{"block_size", int64_t{7}}}, true},
      {{1310720}, 0, "mxint8", "ocp", {{"block_size", int64_t{2147483647}}}, true},
      {{1280, 1024}, 1, "int12", "ocp", {}, true},
      {{1280, 1024}, 1, "nvfp4", "nvfp4-te", {{"tensor_amax", 3.0}}, true},
      {{1280, 1024}, 1, "nvfp4", "nvfp4-te", {}, false},
      {{1280, 1024}, 0, "mxfp4_e2m1", "ocp", {{"rounding", std::string("stochastic")}}, false},
      {{1280, 1024}, 1, "mxint8", "pychop", {}, false}};
  return kCases;
}

TEST(Slices, AsInOnePiece) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(std::string(c.format) + " " + c.preset + " axis " + std::to_string(c.axis));
    const Quantizer quantizer = make_quantizer(c.format, c.preset, c.overrides);
    QuantizeRequest request;
    request.axis = c.axis;
    const QuantizedArray whole =
        quantize(numbers().data(), c.shape, quantizer.format, quantizer.options, request);
    std::size_t reads = 0, pauses = 0;
    request.between_slices = [&pauses] { pauses++; };
    QuantizedArray sliced;
    quantize_into(copying(numbers(), reads), c.shape, quantizer.format, quantizer.options, request,
                  sliced);
    const bool one_block = c.overrides.count("block_size") != 0 &&
                           std::get<int64_t>(c.overrides.at("block_size")) > int64_t{1} << 20;
    EXPECT_EQ(reads, c.sliced && !one_block ? 2u : 1u);
    EXPECT_EQ(pauses, reads - 1);
    EXPECT_EQ(sliced.codes, whole.codes);
    EXPECT_EQ(sliced.wide_codes, whole.wide_codes);
    EXPECT_EQ(sliced.scale_codes, whole.scale_codes);
    EXPECT_EQ(sliced.scales, whole.scales);
    EXPECT_EQ(sliced.dequantized, whole.dequantized);
    EXPECT_EQ(sliced.scale_shape, whole.scale_shape);
    EXPECT_EQ(sliced.tensor_scale, whole.tensor_scale);
    EXPECT_EQ(sliced.tensor_amax, whole.tensor_amax);

    // Values alone, in the memory of the numbers.
    std::vector<float> values = numbers();
    const NumberSource in_place{[&values](std::size_t first, std::size_t, std::vector<float>&) {
                                  return FloatArray(values.data() + first);
                                },
                                true};
    quantize_values(in_place, c.shape, quantizer.format, quantizer.options, request, values.data());
    EXPECT_EQ(values, whole.dequantized);
  }
}

TEST(Slices, EndWithAnException) {
  std::size_t reads = 0;
  QuantizeRequest request;
  request.between_slices = [] { throw std::runtime_error("interrupted"); };
  QuantizedArray result;
  EXPECT_THROW(quantize_into(copying(numbers(), reads), {1280, 1024},
                             element_format(FormatId::mxfp8_e4m3), {}, request, result),
               std::runtime_error);
  EXPECT_EQ(reads, 1u);
}

// Memory that is used again has the results of new memory, whatever it held.
TEST(Slices, MemoryThatIsUsedAgain) {
  SpareArray spare;
  const Shape shape = {1280, 1024};
  for (const char* format : {"mxfp8_e4m3", "int12", "mxfp4_e2m1", "mxfp8_e4m3"}) {
    const Quantizer quantizer = make_quantizer(format, "ocp");
    const QuantizedArray fresh =
        quantize(numbers().data(), shape, quantizer.format, quantizer.options);
    QuantizedArray again = spare.take(numbers().size());
    quantize_into(FloatArray(numbers().data()), shape, quantizer.format, quantizer.options, {},
                  again);
    EXPECT_EQ(again.codes, fresh.codes);
    EXPECT_EQ(again.wide_codes, fresh.wide_codes);
    EXPECT_EQ(again.scales, fresh.scales);
    EXPECT_EQ(again.dequantized, fresh.dequantized);
    const void* memory = again.codes.data();
    spare.give(std::move(again));
    EXPECT_TRUE(spare.take(7).codes.empty());
    if (std::string(format) == "mxfp8_e4m3") {
      again = spare.take(numbers().size());
      EXPECT_EQ(again.codes.data(), memory);
      spare.give(std::move(again));
    }
  }
}

}  // namespace
}  // namespace mxe::numerics
