// SPDX-License-Identifier: Apache-2.0
// Code that programs around the numerics share: switches by name, batches, arrays to numbers.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/block/switches.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/files/shallow_json.h"
#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/dequantize.h"

namespace mxe::numerics {
namespace {

std::string format_for(const std::string& preset) {
  for (const char* format : {"mxfp8_e4m3", "mxfp4_e2m1", "nvfp4"}) {
    try {
      make_quantizer(format, preset);
      return format;
    } catch (const Error&) {
      continue;
    }
  }
  return "";
}

TEST(Switches, EveryOneOfEveryPresetIsReadAndSet) {
  for (const std::string& preset : preset_names()) {
    const QuantizerOptions options = make_quantizer(format_for(preset), preset).options;
    QuantizerOptions copy;
    for (const QuantizerSwitch& one : quantizer_switches()) {
      set_switch(copy, one.name, switch_value(options, one.name));
      EXPECT_TRUE(one.same(copy, options)) << preset << " " << one.name;
    }
    EXPECT_EQ(copy, options) << preset;
  }
}

TEST(Switches, RefuseWhatTheyCannotHave) {
  QuantizerOptions options;
  const std::string text = "rceil";
  set_switch(options, "scale_rule", text);
  EXPECT_EQ(options.scale_rule, ScaleRule::rceil);
  set_switch(options, "rounding", std::string("rne"));
  EXPECT_EQ(options.rounding, Rounding::nearest_even);
  set_switch(options, "min_scale", int64_t{2});
  EXPECT_EQ(options.min_scale, 2.0f);
  const QuantizerOptions before = options;
  EXPECT_THROW(set_switch(options, "scale_rule", std::string("up")), Error);
  EXPECT_THROW(set_switch(options, "scale_rule", true), Error);
  EXPECT_THROW(set_switch(options, "block_size", int64_t{-1}), Error);
  EXPECT_THROW(set_switch(options, "exponent_range", std::pair<int64_t, int64_t>{2, 1}), Error);
  EXPECT_THROW(set_switch(options, "row_scaled", int64_t{1}), Error);
  EXPECT_THROW(set_switch(options, "block_size", SwitchValue{}), Error);
  EXPECT_THROW(set_switch(options, "no_such", true), Error);
  EXPECT_THROW(switch_value(options, "no_such"), Error);
  EXPECT_EQ(options, before);
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(Batches, BroadcastAsInNumpy) {
  const Batches batches = pair_matrices({"a", {2, 1, 5, 7}}, {"b", {3, 7, 4}}, false);
  EXPECT_EQ(batches.shape, (std::vector<std::size_t>{2, 3, 5, 4}));
  EXPECT_EQ(batches.pairs, (Pairs{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
  EXPECT_EQ(pair_matrices({"a", {5, 7}}, {"b", {2, 4, 7}}, true).pairs, (Pairs{{0, 0}, {0, 1}}));
  const auto pair = [](std::vector<std::size_t> a, std::vector<std::size_t> b) {
    return pair_matrices({"a", std::move(a)}, {"b", std::move(b)}, false);
  };
  EXPECT_THROW(pair({2, 5, 7}, {3, 7, 4}), Error);
  EXPECT_THROW(pair({5, 7}, {6, 4}), Error);
  EXPECT_THROW(pair({7}, {7, 4}), Error);
}

TEST(Batches, WithoutResultsAsInNumpy) {
  const auto shape = [](std::vector<std::size_t> a, std::vector<std::size_t> b) {
    const Batches batches = pair_matrices({"a", std::move(a)}, {"b", std::move(b)}, false);
    EXPECT_TRUE(batches.pairs.empty());
    return batches.shape;
  };
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(shape({0, 7}, {7, 4}), (Shape{0, 4}));
  EXPECT_EQ(shape({3, 7}, {7, 0}), (Shape{3, 0}));
  EXPECT_EQ(shape({0, 3, 7}, {1, 7, 4}), (Shape{0, 3, 4}));  // 0 and 1 broadcast to 0
  EXPECT_EQ(shape({1, 3, 7}, {0, 7, 4}), (Shape{0, 3, 4}));
  EXPECT_EQ(shape({std::size_t{1} << 40, 0, 7}, {7, 4}), (Shape{std::size_t{1} << 40, 0, 4}));
  EXPECT_THROW(shape({0, 3, 7}, {2, 7, 4}), Error);
  EXPECT_EQ(pair_matrices({"a", {3, 0}}, {"b", {0, 4}}, false).pairs, (Pairs{{0, 0}}));
}

TEST(Batches, ShapesOfABias) {
  EXPECT_TRUE(bias_is_one_row({4}, {2, 5, 4}, "c"));
  EXPECT_FALSE(bias_is_one_row({5, 4}, {2, 5, 4}, "c"));
  EXPECT_FALSE(bias_is_one_row({2, 5, 4}, {2, 5, 4}, "c"));
  EXPECT_THROW(bias_is_one_row({5}, {2, 5, 4}, "c"), Error);
  EXPECT_THROW(bias_is_one_row({2, 4}, {2, 5, 4}, "c"), Error);
}

TEST(Dequantize, EqualsWhatQuantizeSaysForEveryPreset) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(6 * 40 * 5);
  for (float& value : x) value = normal(random) * 100;
  for (const std::string& preset : preset_names()) {
    const Quantizer quantizer = make_quantizer(format_for(preset), preset);
    for (const int axis : {1, 2}) {
      QuantizeRequest request;
      request.axis = axis;
      const QuantizedArray array =
          quantize(x.data(), {6, 40, 5}, quantizer.format, quantizer.options, request);
      EXPECT_EQ(dequantize(array), array.dequantized) << preset << " along " << axis;
    }
  }
}

TEST(Dequantize, RefusesWhatDoesNotFit) {
  const std::vector<float> x(64, 1.0f);
  const Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  const QuantizedArray array = quantize(x.data(), {2, 32}, quantizer.format, quantizer.options);
  QuantizedArray large = array;
  large.codes[5] = 16;
  EXPECT_THROW(dequantize(large), Error);
  QuantizedArray few = array;
  few.scales.pop_back();
  EXPECT_THROW(dequantize(few), Error);
}

TEST(Safetensors, Metadata) {
  NamedTensor tensor{"w", "F8_E4M3", {}};
  tensor.array.dtype = DType::uint8;
  tensor.array.shape = {2};
  tensor.array.data = {1, 2};
  const std::map<std::string, std::string> said{{"mxe", "{\"axis\": 1}"}, {"other", ""}};
  const std::vector<uint8_t> bytes = format_safetensors({tensor}, said);
  EXPECT_EQ(safetensors_metadata(bytes.data(), bytes.size(), "f"), said);
  EXPECT_EQ(parse_safetensors(bytes.data(), bytes.size(), "f").at(0).array.data, tensor.array.data);
  const std::vector<uint8_t> silent = format_safetensors({tensor});
  EXPECT_TRUE(safetensors_metadata(silent.data(), silent.size(), "f").empty());
}

TEST(ShallowJson, HasAtMost64Levels) {
  const auto nested = [](std::size_t levels, const std::string& inside) {
    return std::string(levels, '[') + inside + std::string(levels, ']');
  };
  using Json = nlohmann::json;
  EXPECT_NO_THROW(parse_shallow<Json>(nested(64, "1")));
  EXPECT_THROW(parse_shallow<Json>(nested(65, "1")), std::invalid_argument);
  // Brackets in texts are no levels, also behind a quotation mark that belongs to the text.
  const std::string brackets = "\"\\\"" + std::string(100, '[') + "\\\\\"";
  EXPECT_NO_THROW(parse_shallow<Json>(nested(64, brackets)));
  EXPECT_THROW(parse_shallow<Json>(nested(65, brackets)), std::invalid_argument);
}

}  // namespace
}  // namespace mxe::numerics
