// SPDX-License-Identifier: Apache-2.0
// Quantizers with overrides, arrays from their parts, and arrays without elements.
#include "model/numerics/quantize/assemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "model/numerics/formats/layout.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/dequantize.h"
#include "model/numerics/quantize/study.h"

namespace mxe::numerics {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::string sentence(const std::string& format, const std::string& preset,
                     const Overrides& overrides) {
  try {
    make_quantizer(format, preset, overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Overrides, AreSetAndChecked) {
  const Quantizer quantizer = make_quantizer(
      "mxfp4_e2m1", "ocp", {{"block_size", int64_t{16}}, {"scale_rule", std::string("rceil")}});
  EXPECT_EQ(quantizer.options.block_size, 16u);
  EXPECT_EQ(quantizer.options.scale_rule, ScaleRule::rceil);
  EXPECT_EQ(*make_quantizer("nvfp4", "ocp", {{"tensor_amax", 3.0}}).options.tensor_amax, 3.0f);
  for (const double amax : {0.0, -0.0, -1.0, kInf, -kInf, std::nan(""), 1e39, 1e-60}) {
    EXPECT_NE(sentence("nvfp4", "ocp", {{"tensor_amax", amax}}).find("the tensor amax cannot be"),
              std::string::npos)
        << amax;
  }
  EXPECT_EQ(sentence("mxint8", "ocp", {{"tensor_amax", 1.0}}),
            "a tensor amax is for presets with a scale of the whole tensor, not for 'ocp'");
  EXPECT_EQ(sentence("mxint8", "ocp", {{"seed", int64_t{1}}}), "a seed is for stochastic rounding");
  EXPECT_EQ(sentence("nvfp4", "ocp", {{"scale_rule", std::string("ceil")}}),
            "a scale rule is for power-of-two scales, not for e4m3");
  EXPECT_NE(sentence("mxint8", "ocp", {{"no_such", true}}), "");
  EXPECT_EQ(sentence("mxint8", "ocp", {{"tensor_amax", SwitchValue{}}}), "");
  EXPECT_EQ(
      sentence("mxint8", "ocp", {{"rounding", std::string("stochastic")}, {"seed", int64_t{7}}}),
      "");
}

TEST(Overrides, EveryPresetIsValid) {
  for (const std::string& preset : preset_names()) {
    for (const char* format : {"mxfp8_e4m3", "mxfp4_e2m1", "mxint8", "nvfp4"}) {
      try {
        make_quantizer(format, preset);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("does not produce"), std::string::npos);
      }
    }
  }
}

TEST(Assemble, KnowsWhatEveryPresetNeeds) {
  std::map<WholeScale, int> counts;
  for (const std::string& preset : preset_names()) {
    if (preset.rfind("nvfp4", 0) != 0) continue;
    counts[whole_scale(make_quantizer("nvfp4", preset).options)]++;
  }
  EXPECT_EQ(counts[WholeScale::none], 2);  // torchao1, te-pow2
  EXPECT_EQ(counts[WholeScale::tensor_scale], 5);
  EXPECT_EQ(counts[WholeScale::tensor_amax], 5);
  EXPECT_EQ(counts[WholeScale::row_amaxes], 2);
  EXPECT_EQ(whole_scale(make_quantizer("mxfp4_e2m1").options), WholeScale::none);
}

ArrayParts parts_of(const QuantizedArray& array) {
  ArrayParts parts;
  parts.shape = array.shape;
  parts.codes = array.codes;
  parts.wide_codes = array.wide_codes;
  parts.scale_shape = array.scale_shape;
  parts.has_scale_codes = array.has_scale_codes;
  parts.scale_codes = array.scale_codes;
  parts.scales = array.scales;
  parts.axis = static_cast<int>(array.axis);
  return parts;
}

TEST(Assemble, GivesTheArrayBack) {
  std::vector<float> x(5 * 40);
  for (std::size_t i = 0; i < x.size(); i++) x[i] = 1e-3f * static_cast<float>(i);
  for (const std::string& preset : preset_names()) {
    const std::string format = preset.rfind("nvfp4", 0) == 0 ? "nvfp4"
                               : preset == "modelopt-mxfp8"  ? "mxfp8_e4m3"
                                                             : "mxfp4_e2m1";
    const Quantizer quantizer = make_quantizer(format, preset);
    const QuantizedArray array =
        quantize(x.data(), {5, 40}, quantizer.format, quantizer.options, {});
    ArrayParts parts = parts_of(array);
    switch (whole_scale(quantizer.options)) {
      case WholeScale::none:
        break;
      case WholeScale::tensor_scale:
        EXPECT_THROW(assemble(parts, quantizer), Error) << preset;
        parts.tensor_scale = array.tensor_scale;
        break;
      case WholeScale::tensor_amax:
        EXPECT_THROW(assemble(parts, quantizer), Error) << preset;
        parts.tensor_amax = array.tensor_amax;
        break;
      case WholeScale::row_amaxes:
        EXPECT_THROW(assemble(parts, quantizer), Error) << preset;
        parts.row_amaxes = array.row_amaxes;
        break;
    }
    EXPECT_EQ(dequantize(assemble(parts, quantizer)), dequantize(array)) << preset;
  }
}

TEST(Assemble, RefusesWhatDoesNotFit) {
  const std::vector<float> x(64, 1.0f);
  const Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  const ArrayParts good =
      parts_of(quantize(x.data(), {2, 32}, quantizer.format, quantizer.options, {}));
  const auto refused = [&](const auto& change) {
    ArrayParts parts = good;
    change(parts);
    EXPECT_THROW(assemble(parts, quantizer), Error);
  };
  refused([](ArrayParts& p) { p.codes[5] = 16; });
  refused([](ArrayParts& p) { p.codes.pop_back(); });
  refused([](ArrayParts& p) { p.scale_codes.pop_back(); });
  refused([](ArrayParts& p) { p.scale_shape = {1, 2}; });
  refused([](ArrayParts& p) { p.axis = 2; });
  refused([](ArrayParts& p) { p.tensor_scale = 2.0f; });
  refused([](ArrayParts& p) { p.row_amaxes = {1.0f, 1.0f}; });
  refused([](ArrayParts& p) {
    p.wide_codes.assign(p.codes.begin(), p.codes.end());
    p.codes.clear();
  });
}

TEST(EmptyArrays, PartsOfEveryPreset) {
  constexpr std::size_t kHuge = std::size_t{1} << 40;
  for (const std::string& preset : preset_names()) {
    const std::string format = preset.rfind("nvfp4", 0) == 0 ? "nvfp4"
                               : preset == "modelopt-mxfp8"  ? "mxfp8_e4m3"
                                                             : "mxfp4_e2m1";
    const Quantizer quantizer = make_quantizer(format, preset);
    for (const std::vector<std::size_t>& shape :
         {std::vector<std::size_t>{0, 64}, {3, 0}, {0, 0}, {kHuge, 0}, {0, kHuge}}) {
      for (const int axis : {0, 1}) {
        if (quantizer.options.row_scaled && shape[static_cast<std::size_t>(1 - axis)] == kHuge) {
          continue;  // would need an amax for each of 2^40 rows
        }
        QuantizeRequest request;
        request.axis = axis;
        const QuantizedArray array =
            quantize(nullptr, shape, quantizer.format, quantizer.options, request);
        EXPECT_TRUE(array.codes.empty() && array.scales.empty() && array.dequantized.empty());
        EXPECT_EQ(array.shape, shape);
        std::vector<std::size_t> scales = shape;
        std::size_t& along = scales[static_cast<std::size_t>(axis)];
        along = (along + quantizer.options.block_size - 1) / quantizer.options.block_size;
        if (quantizer.options.walk == BlockWalk::flat) scales = {0};
        EXPECT_EQ(array.scale_shape, scales) << preset;
        EXPECT_TRUE(dequantize(array).empty());
        EXPECT_EQ(quantization_stats(nullptr, array).elements, 0u);
      }
    }
  }
}

TEST(EmptyArrays, Layouts) {
  constexpr std::size_t kHuge = std::size_t{1} << 40;
  EXPECT_TRUE(pack_codes(nullptr, kHuge, 0, 4, NibbleOrder::high).empty());
  EXPECT_TRUE(unpack_codes(nullptr, kHuge, 0, 6, NibbleOrder::low, 0).empty());
  EXPECT_TRUE(swizzle_scales(nullptr, kHuge, 0).empty());
  EXPECT_TRUE(unswizzle_scales(nullptr, kHuge, 0).empty());
  EXPECT_TRUE(axis_to_rows(std::vector<float>{}, {kHuge, 0, kHuge}).empty());
  EXPECT_EQ(packed_bytes(5, 4), 3u);
  EXPECT_EQ(packed_bytes(5, 6), 4u);
  EXPECT_EQ(packed_bytes(std::size_t{1} << 63, 4), std::size_t{1} << 62);
}

TEST(EmptyArrays, ShapesThatNumpyRefuses) {
  constexpr std::size_t kLarge = std::size_t{1} << 32;
  EXPECT_EQ(element_count({kLarge, 0, 5}), 0u);
  EXPECT_EQ(element_count({2, 3, 5}), 30u);
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_THROW(element_count({kLarge, kLarge, 0}), Error);
  EXPECT_THROW(element_count({0, kLarge, kLarge}), Error);
}

}  // namespace
}  // namespace mxe::numerics
