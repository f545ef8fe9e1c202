// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/files/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "model/numerics/base/bits.h"
#include "model/numerics/files/files.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
namespace {

std::vector<uint8_t> make_file(const std::string& header, std::size_t data_bytes) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(data_bytes, '\0');
  return {file.begin(), file.end()};
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string parse_error(const std::vector<uint8_t>& file) {
  return error_of([&] { parse_npy(file.data(), file.size(), "x.npy"); });
}

std::string header_error(const std::string& header, std::size_t data_bytes = 16) {
  const std::string text = parse_error(make_file(header, data_bytes));
  EXPECT_EQ(text.substr(0, 7), "x.npy: ") << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}

constexpr char kGood[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";

TEST(Npy, RoundTrip) {
  const std::string path = ::testing::TempDir() + "/mx_npy_test.npy";
  const std::vector<float> values = {1.5f, -0.0f, 3e-45f, 1e38f, 0.1f, 7};
  write_npy(path, values.data(), {2, 3});
  const NpyArray array = read_npy(path);
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(array.dtype, DType::float32);
  EXPECT_EQ(std::memcmp(array.data.data(), values.data(), 24), 0);
  // numpy aligns the data to 64 bytes.
  EXPECT_EQ((read_file(path).size() - 24) % 64, 0u);

  const uint8_t codes[] = {1, 2, 3};
  write_npy(path, codes, {3});
  EXPECT_EQ(to_uint8(read_npy(path), path), (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_NE(error_of([&] { require_rank(read_npy(path), 2, path); }), "");
  EXPECT_EQ(error_of([&] { require_rank(read_npy(path), 1, path); }), "");
}

TEST(Npy, ZeroRankAndZeroSize) {
  const std::string path = ::testing::TempDir() + "/mx_npy_test0.npy";
  const float value = 4.0f;
  write_npy(path, &value, {});
  NpyArray array = read_npy(path);
  EXPECT_TRUE(array.shape.empty());
  EXPECT_EQ(to_float32(array, path), std::vector<float>{4.0f});
  write_npy(path, &value, {3, 0, 2});
  array = read_npy(path);
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{3, 0, 2}));
  EXPECT_EQ(array.size(), 0u);
  EXPECT_TRUE(to_float32(array, path).empty());
}

// 10^5 blocks, every seventh with a NaN of any payload and sign, which the file keeps bit for bit.
TEST(Npy, ManyBlocksAndNanPayloads) {
  constexpr std::size_t kBlocks = 100000;
  std::vector<float> values(kBlocks * kBlockSize);
  for (std::size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>(i % 97) - 48;
  for (std::size_t block = 0; block < kBlocks; block += 7) {
    const uint32_t payload = 1 + static_cast<uint32_t>(block * 83) % 0x7FFFFF;
    const uint32_t sign = block % 2 == 0 ? 0 : 0x80000000;
    values[block * kBlockSize + block % kBlockSize] = from_bits(sign | kInfinity | payload);
  }
  const std::string path = ::testing::TempDir() + "/mx_npy_test_large.npy";
  write_npy(path, values.data(), {kBlocks, kBlockSize});
  const NpyArray array = read_npy(path);
  ASSERT_EQ(array.data.size(), 4 * values.size());
  EXPECT_EQ(std::memcmp(array.data.data(), values.data(), array.data.size()), 0);
  const std::vector<float> x = to_float32(array, path);
  for (const FormatId format : kAllFormats) {
    const MxTensor t = quantize_rows(x.data(), kBlocks, kBlockSize, format);
    std::size_t poisoned = 0;
    for (std::size_t block = 0; block < kBlocks; block++) {
      ASSERT_EQ(t.scales[block] == kNanScale, block % 7 == 0) << block;
      poisoned += t.scales[block] == kNanScale;
    }
    EXPECT_EQ(poisoned, (kBlocks + 6) / 7);
  }
  std::remove(path.c_str());
}

TEST(Npy, OtherTypes) {
  NpyArray array;
  array.dtype = DType::float64;
  array.shape = {1};
  array.data.resize(8);
  const double value = 1.0 + 0x1p-30;
  std::memcpy(array.data.data(), &value, 8);
  EXPECT_EQ(to_float32(array, "x"), std::vector<float>{1.0f});
  array.dtype = DType::float16;
  array.shape = {4};
  array.data = {0x00, 0x3C, 0x01, 0x80, 0x00, 0x7C, 0xFF, 0x7B};
  EXPECT_EQ(to_float32(array, "x"), (std::vector<float>{1.0f, -0x1p-24f, INFINITY, 65504.0f}));
  array.dtype = DType::int16;
  EXPECT_NE(error_of([&] { to_float32(array, "x"); }).find("int16"), std::string::npos);
  EXPECT_NE(error_of([&] { to_uint8(array, "x"); }), "");
}

// As make_file(), with `data` instead of zeros.
std::vector<uint8_t> file_with(const std::string& header, const std::vector<uint8_t>& data) {
  std::vector<uint8_t> file = make_file(header, data.size());
  std::copy(data.begin(), data.end(), file.end() - static_cast<long>(data.size()));
  return file;
}

std::vector<float> floats_of(const std::vector<uint8_t>& file) {
  return to_float32(parse_npy(file.data(), file.size(), "x.npy"), "x.npy");
}

TEST(Npy, FortranOrder) {
  // numpy.asfortranarray of [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]].
  const std::vector<uint8_t> data{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11};
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }";
  const std::vector<float> in_order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ(floats_of(file_with(header, data)), in_order);
  EXPECT_EQ(parse_error(make_file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0), }", 0)),
            "");
}

TEST(Npy, BigEndian) {
  const std::string header = "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(floats_of(file_with(header, {0x3F, 0x80, 0, 0, 0xC0, 0x40, 0, 0})),
            (std::vector<float>{1, -3}));
  const std::string both = "{'descr': '>f2', 'fortran_order': True, 'shape': (2, 2), }";
  EXPECT_EQ(floats_of(file_with(both, {0x3C, 0, 0x40, 0, 0xBC, 0, 0xC0, 0})),
            (std::vector<float>{1, -1, 2, -2}));
}

TEST(Npy, TypesOfMlDtypes) {
  const std::string header = "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(floats_of(file_with(header, {0x80, 0x3F, 0x40, 0xC0})), (std::vector<float>{1, -3}));
  for (const char* descr : {"<V1", "|V1", "<f1"}) {
    const std::vector<uint8_t> file = file_with(
        std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,), }", {7, 9});
    EXPECT_EQ(to_uint8(parse_npy(file.data(), file.size(), "x"), "x"),
              (std::vector<uint8_t>{7, 9}));
  }
}

TEST(Npy, GoodHeaderParses) {
  EXPECT_EQ(parse_error(make_file(kGood, 16)), "");
  EXPECT_EQ(parse_error(make_file("{\"shape\":(4,),\"descr\":\"=f4\",\"fortran_order\":True}", 16)),
            "");
}

TEST(Npy, DamagedFiles) {
  EXPECT_NE(parse_error({}), "");
  EXPECT_NE(parse_error({'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}), "");
  const std::vector<uint8_t> good = make_file(kGood, 16);
  for (std::size_t size = 0; size < good.size(); size++) {
    EXPECT_NE(parse_error({good.begin(), good.begin() + static_cast<long>(size)}), "") << size;
  }
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  EXPECT_NE(parse_error(longer).find("promises 16 bytes"), std::string::npos);
  std::vector<uint8_t> version = good;
  version[6] = 9;
  EXPECT_NE(parse_error(version).find("version 9"), std::string::npos);
  EXPECT_NE(error_of([] { read_npy("/nonexistent/x.npy"); }).find("cannot open"),
            std::string::npos);
}

TEST(Npy, LyingHeaders) {
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }");
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 2), }", 0);
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,), }");
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }");
  header_error("{'descr': '<f4', 'fortran_order': False, }");
  header_error("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,), }");
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), } x");
  header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (2 2), }");
  header_error("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 2), }");
  header_error("{'descr': '<f4");
  header_error("");
}

TEST(Npy, UnsupportedContents) {
  EXPECT_NE(header_error("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }")
                .find("'<c8' is not supported"),
            std::string::npos);
  header_error("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }");
  header_error("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (4,), }");
}

}  // namespace
}  // namespace mxe::numerics
