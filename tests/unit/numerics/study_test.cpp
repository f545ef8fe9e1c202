// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "model/numerics/block/presets.h"
#include "model/numerics/files/safetensors.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/exact_sum.h"
#include "model/numerics/gemm/gemm.h"

namespace mxe::numerics {
namespace {

TEST(Layout, HighNibbles) {
  const uint8_t codes[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(pack_codes(codes, 2, 3, 4, NibbleOrder::high),
            (std::vector<uint8_t>{0x12, 0x30, 0x45, 0x60}));
  EXPECT_EQ(pack_codes(codes, 2, 3, 4, NibbleOrder::low),
            (std::vector<uint8_t>{0x21, 0x03, 0x54, 0x06}));
  const std::vector<uint8_t> packed = pack_codes(codes, 2, 3, 4, NibbleOrder::high);
  EXPECT_EQ(unpack_codes(packed.data(), 2, 3, 4, NibbleOrder::high, 2),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(pack_codes(codes, 1, 6, 6, NibbleOrder::high), Error);
}

// Bit i of a row is bit i % bits of code i / bits.
TEST(Layout, PackedBits) {
  std::mt19937 random(1);
  for (int bits = 1; bits <= 8; bits++) {
    for (std::size_t columns = 1; columns < 40; columns++) {
      std::vector<uint8_t> codes(2 * columns);
      for (uint8_t& code : codes) code = static_cast<uint8_t>(random());
      const std::size_t row_bytes = packed_bytes(columns, bits);
      const std::vector<uint8_t> packed =
          pack_codes(codes.data(), 2, columns, bits, NibbleOrder::low);
      ASSERT_EQ(packed.size(), 2 * row_bytes);
      const auto width = static_cast<std::size_t>(bits);
      for (std::size_t row = 0; row < 2; row++) {
        for (std::size_t i = 0; i < row_bytes * 8; i++) {
          const bool used = i < columns * width;
          const int expected = used ? codes[row * columns + i / width] >> i % width & 1 : 0;
          ASSERT_EQ(packed[row * row_bytes + i / 8] >> i % 8 & 1, expected)
              << bits << " bits, " << columns << " columns, bit " << i;
        }
      }
      for (uint8_t& code : codes) code &= static_cast<uint8_t>((1 << bits) - 1);
      EXPECT_EQ(unpack_codes(packed.data(), 2, columns, bits, NibbleOrder::low, row_bytes), codes);
      if (bits != 4) continue;
      const std::vector<uint8_t> high = pack_codes(codes.data(), 2, columns, 4, NibbleOrder::high);
      EXPECT_EQ(unpack_codes(high.data(), 2, columns, 4, NibbleOrder::high, row_bytes), codes);
    }
  }
}

TEST(Layout, SwizzledScales) {
  const std::size_t rows = 130;
  const std::size_t columns = 6;
  std::vector<uint8_t> scales(rows * columns);
  for (std::size_t i = 0; i < scales.size(); i++) scales[i] = static_cast<uint8_t>(i * 7 + 1);
  const std::vector<uint8_t> swizzled = swizzle_scales(scales.data(), rows, columns);
  ASSERT_EQ(swizzled.size(), 256u * 8);
  // Row 33 is in the second group of 32, column 5 in the second tile column.
  EXPECT_EQ(swizzled[512 + 1 * 16 + 1 * 4 + 1], scales[33 * columns + 5]);
  EXPECT_EQ(swizzled[2 * 512 + 1 * 16], scales[129 * columns]);  // the second tile row
  EXPECT_EQ(unswizzle_scales(swizzled.data(), rows, columns), scales);
}

TEST(ExactSum, SumsWithoutLoss) {
  ExactSum sum;
  sum.add(1, 250);
  sum.add(1, -149);
  sum.add(-1, 250);
  EXPECT_EQ(sum.to_float(), 1u);
  sum.add(-1, -149);
  EXPECT_EQ(sum.to_float(), 0u);
  sum.add(-3, -286);
  sum.add(3, -287);
  EXPECT_EQ(sum.to_float(), 0x80000000u);  // below half a subnormal, and negative
  // A bit far below the rounding position decides a tie.
  ExactSum tie;
  tie.add((Int128{1} << 24) + 1, 0);
  EXPECT_EQ(tie.to_float(), to_bits(16777216.0f));
  tie.add(1, -300);
  EXPECT_EQ(tie.to_float(), to_bits(16777218.0f));
  tie.add(-2, -300);
  EXPECT_EQ(tie.to_float(), to_bits(16777216.0f));
}

TEST(ExactSum, AgreesWithFixedPoint) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; round++) {
    ExactSum sum;
    Int128 reference = 0;  // in units of 2^-60
    for (int i = 0; i < 20; i++) {
      const int64_t value = static_cast<int64_t>(random()) >> (random() % 40 + 10);
      const int exponent = static_cast<int>(random() % 70) - 60;
      sum.add(value, exponent);
      reference += static_cast<Int128>(value) * (Int128{1} << (exponent + 60));
    }
    ASSERT_EQ(sum.to_float(), round_to_float(reference, -60)) << round;
  }
}

MxTensor random_tensor(FormatId format, std::size_t rows, std::size_t k, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(rows * k);
  for (float& value : x) value = normal(random);
  return quantize_rows(x.data(), rows, k, format);
}

TEST(Gemm, ThreadsAndErrors) {
  const MxTensor a = random_tensor(FormatId::mxfp8_e4m3, 13, 100, 1);
  const MxTensor b = random_tensor(FormatId::mxfp4_e2m1, 9, 100, 2);
  for (const Accumulate policy : {Accumulate::block, Accumulate::exact, Accumulate::sequential,
                                  Accumulate::nvidia_blackwell}) {
    GemmOptions options;
    options.accumulate = policy;
    const std::vector<float> one = gemm(a, b, nullptr, options);
    options.threads = 4;
    EXPECT_EQ(gemm(a, b, nullptr, options), one);
  }
  const MxTensor shallow = random_tensor(FormatId::mxfp4_e2m1, 9, 99, 2);
  EXPECT_THROW(gemm(a, shallow, nullptr), Error);
  GemmOptions options;
  options.accumulate = Accumulate::nvidia_blackwell;
  EXPECT_THROW(gemm(a, random_tensor(FormatId::mxint8, 2, 100, 3), nullptr, options), Error);
  EXPECT_EQ(parse_accumulate("nvidia-blackwell"), Accumulate::nvidia_blackwell);
  EXPECT_THROW(parse_accumulate("kahan"), Error);
}

TEST(Gemm, Outputs) {
  EXPECT_EQ(to_bfloat16({1.0f, 1.00390625f, 1.01171875f, NAN, -INFINITY, 3.4e38f}),
            (std::vector<uint16_t>{0x3F80, 0x3F80, 0x3F82, 0x7FC0, 0xFF80, 0x7F80}));
  const MxTensor t = to_mx({7.0f, 1.0f, NAN, 1.0f}, 2, 2, FormatId::mxfp4_e2m1, ScaleRule::rceil);
  EXPECT_EQ(t.scales, (std::vector<uint8_t>{128, 255}));
  EXPECT_EQ(t.codes, (std::vector<uint8_t>{6, 1, 0, 0}));
}

TEST(Study, CountsWhatHappened) {
  // With scale 1, 7 clips to 6, 0.1 becomes 0, and 2.5 becomes 2.
  const std::vector<float> x = {7.0f, 0.1f, 2.5f, 0.0f};
  const Quantizer quantizer = make_quantizer("mxfp4_e2m1");
  const QuantizedArray q = quantize(x.data(), {4}, quantizer.format, quantizer.options);
  const QuantizationStats stats = quantization_stats(x.data(), q);
  EXPECT_EQ(stats.elements, 4u);
  EXPECT_EQ(stats.blocks, 1u);
  EXPECT_EQ(stats.clipped, 1u);
  EXPECT_EQ(stats.flushed, 1u);
  EXPECT_EQ(stats.max_error, 1.0);
  EXPECT_NEAR(stats.mean_error, (1.0 + 0.1 + 0.5) / 4, 1e-7);
  EXPECT_NEAR(stats.sqnr_db, 10 * std::log10((49 + 0.01 + 6.25) / (1 + 0.01 + 0.25)), 1e-5);
  EXPECT_EQ(stats.bits_per_element, 6.0);
  EXPECT_EQ(stats.scale_histogram, (std::map<int, std::size_t>{{0, 1}}));
  EXPECT_EQ(stats.nans + stats.nan_scales, 0u);

  const std::vector<float> bad = {1.0f, NAN};
  const QuantizationStats poisoned = quantization_stats(
      bad.data(), quantize(bad.data(), {2}, quantizer.format, quantizer.options));
  EXPECT_EQ(poisoned.nans, 2u);
  EXPECT_EQ(poisoned.nan_scales, 1u);
}

TEST(Study, ComparesAllFormats) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> x(64 * 96);
  for (float& value : x) value = normal(random);
  const std::vector<FormatComparison> all = compare_formats(x.data(), {64, 96}, default_formats());
  ASSERT_EQ(all.size(), kAllFormats.size() + 1);
  std::map<std::string, double> sqnr;
  for (const FormatComparison& entry : all) sqnr[entry.format] = entry.stats.sqnr_db;
  EXPECT_GT(sqnr["mxint8"], sqnr["mxfp8_e4m3"]);
  EXPECT_GT(sqnr["mxfp8_e4m3"], sqnr["mxfp6_e3m2"]);
  EXPECT_GT(sqnr["mxfp6_e2m3"], sqnr["mxfp4_e2m1"]);
  EXPECT_GT(sqnr["nvfp4"], sqnr["mxfp4_e2m1"]);
}

std::vector<uint8_t> safetensors(const std::string& header, const std::vector<uint8_t>& data) {
  std::string file;
  for (int shift = 0; shift < 64; shift += 8) {
    file += static_cast<char>((uint64_t{header.size()} >> shift) & 0xFF);
  }
  file += header;
  for (const uint8_t byte : data) file += static_cast<char>(byte);
  return {file.begin(), file.end()};
}

std::string safetensors_error(const std::string& header, std::size_t data_bytes) {
  const std::vector<uint8_t> file = safetensors(header, std::vector<uint8_t>(data_bytes));
  try {
    parse_safetensors(file.data(), file.size(), "x");
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  }
  return "";
}

TEST(Safetensors, ReadsAllTypes) {
  const std::string header =
      R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("h":{"dtype":"F16","shape":[2,1],"data_offsets":[4,8]},)"
      R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]},)"
      R"("e":{"dtype":"F32","shape":[0,3],"data_offsets":[18,18]},)"
      R"("d":{"dtype":"F64","shape":[],"data_offsets":[10,18]}}   )";
  const std::vector<uint8_t> data = {0,    0, 0x80, 0x3F, 0, 0x3C, 0, 0xC0, 0xC0,
                                     0x3F, 0, 0,    0,    0, 0,    0, 0,    0x40};
  const std::vector<uint8_t> file = safetensors(header, data);
  const std::vector<NamedTensor> tensors = parse_safetensors(file.data(), file.size(), "x");
  ASSERT_EQ(tensors.size(), 5u);
  std::map<std::string, NamedTensor> by_name;
  for (const NamedTensor& tensor : tensors) by_name[tensor.name] = tensor;
  EXPECT_EQ(to_float32(by_name["w"].array, "x"), std::vector<float>{1.0f});
  EXPECT_EQ(to_float32(by_name["h"].array, "x"), (std::vector<float>{1.0f, -2.0f}));
  EXPECT_EQ(to_float32(by_name["b"].array, "x"), std::vector<float>{1.5f});
  EXPECT_EQ(to_float32(by_name["d"].array, "x"), std::vector<float>{2.0f});
  EXPECT_TRUE(by_name["e"].array.data.empty());
}

TEST(Safetensors, CodesAndOneTensorOfMany) {
  const std::vector<uint8_t> file =
      safetensors(R"({"c":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]},)"
                  R"("x":{"dtype":"C4","shape":[1],"data_offsets":[2,3]},)"
                  R"("s":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[3,4]}})",
                  {0x21, 0xF4, 0, 127});
  EXPECT_EQ(safetensors_names(file.data(), file.size(), "x"),
            (std::vector<std::string>{"c", "s", "x"}));
  const auto only = [&file](const std::string& name) {
    return parse_safetensors(file.data(), file.size(), "x", name);
  };
  ASSERT_EQ(only("c").size(), 1u);
  EXPECT_EQ(to_uint8(only("c")[0].array, "c"), (std::vector<uint8_t>{1, 2, 4, 15}));
  EXPECT_EQ(only("s")[0].dtype, "F8_E8M0");
  EXPECT_EQ(to_uint8(only("s")[0].array, "s"), std::vector<uint8_t>{127});
  EXPECT_THROW(only("x"), Error);
  EXPECT_THROW(parse_safetensors(file.data(), file.size(), "x"), Error);
}

TEST(Safetensors, DamagedFiles) {
  EXPECT_NE(safetensors_error("{", 0), "");
  EXPECT_NE(safetensors_error("[]", 0), "");
  EXPECT_NE(safetensors_error(std::string(100, '['), 0), "");
  EXPECT_EQ(safetensors_error("{}", 0), "");
  EXPECT_NE(safetensors_error("{}", 1).find("after the last"), std::string::npos);
  auto tensor = [](const std::string& body) { return "{\"w\":{" + body + "}}"; };
  const std::string f32 = "\"dtype\":\"F32\",";
  EXPECT_NE(safetensors_error(tensor(f32 + "\"shape\":[1],\"data_offsets\":[0,8]"), 8), "");
  EXPECT_NE(safetensors_error(tensor(f32 + "\"shape\":[1],\"data_offsets\":[0,4]"), 3), "");
  EXPECT_NE(safetensors_error(tensor(f32 + "\"shape\":[1],\"data_offsets\":[4,0]"), 4), "");
  EXPECT_NE(safetensors_error(tensor(f32 + "\"shape\":[-1],\"data_offsets\":[0,4]"), 4), "");
  EXPECT_NE(safetensors_error(tensor(f32 + "\"shape\":[1.5],\"data_offsets\":[0,4]"), 4), "");
  EXPECT_NE(safetensors_error(tensor(f32 + "\"shape\":[1],\"data_offsets\":[4,8]"), 8), "");
  EXPECT_NE(safetensors_error(tensor(f32 + "\"data_offsets\":[0,4]"), 4), "");
  EXPECT_NE(safetensors_error(
                tensor(f32 + "\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]"), 0),
            "");
  EXPECT_NE(safetensors_error(tensor("\"dtype\":\"C4\",\"shape\":[1],\"data_offsets\":[0,1]"), 1)
                .find("C4"),
            std::string::npos);
  const std::vector<uint8_t> short_file = {1, 2, 3};
  EXPECT_THROW(parse_safetensors(short_file.data(), short_file.size(), "x"), Error);
  const std::vector<uint8_t> lying = {255, 255, 255, 255, 255, 255, 255, 255, '{', '}'};
  EXPECT_THROW(parse_safetensors(lying.data(), lying.size(), "x"), Error);
  EXPECT_NE(safetensors_error(tensor("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]"), 2)
                .find("differ in size"),
            std::string::npos);
}

}  // namespace
}  // namespace mxe::numerics
