// SPDX-License-Identifier: Apache-2.0
// Rows of experts: expected for even routing, drawn for uneven routing.
#include "sw/explore/routing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "model/numerics/base/error.h"

namespace mxe::explore {
namespace {

namespace fs = std::filesystem;

ExpertRows rows(const std::string& text, uint64_t tokens, uint64_t experts, uint64_t per_token,
                uint64_t seed = 1) {
  return Routing::parse(text, seed).rows(tokens, experts, per_token);
}

uint64_t sum(const ExpertRows& rows) {
  uint64_t result = 0;
  for (const auto& [row, experts] : rows) result += row * experts;
  return result;
}

template <typename Function>
void expect_error(const std::string& message, Function function) {
  try {
    function();
    FAIL() << "no error, but expected: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(Routing, UniformIsExpected) {
  EXPECT_EQ(rows("uniform", 1, 128, 8), (ExpertRows{{1, 8}}));
  EXPECT_EQ(rows("uniform", 64, 32, 4), (ExpertRows{{8, 32}}));
  EXPECT_EQ(rows("uniform", 512, 128, 8), (ExpertRows{{32, 128}}));
  EXPECT_EQ(rows("uniform", 7, 4, 4), (ExpertRows{{7, 4}}));
  // 16 * (1 - (1 - 1 / 16)^16) = 10.3 experts have 16 rows.
  EXPECT_EQ(rows("uniform", 16, 16, 1), (ExpertRows{{1, 4}, {2, 6}}));
}

// Weights 1 and 1 / 2: two of three tokens choose the first expert.
TEST(Routing, ZipfIsDrawn) {
  const ExpertRows two = rows("zipf:1", 30000, 2, 1);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(sum(two), 30000u);
  const double deviation = std::sqrt(30000 * (2. / 3) * (1. / 3));
  EXPECT_NEAR(static_cast<double>(two.rbegin()->first), 20000, 5 * deviation);
  EXPECT_NE(two.rbegin()->first, 20000u);
  EXPECT_EQ(rows("zipf:1", 30000, 2, 1), two);
  EXPECT_NE(rows("zipf:1", 30000, 2, 1, 2), two);
  EXPECT_EQ(Routing::parse("zipf:1", 2).text(), "zipf:1, seed 2");
  EXPECT_EQ(Routing::parse("uniform", 2).text(), "uniform");
  // No expert gets two rows of one token: the first 3 of 8 would have more than one.
  const ExpertRows steep = rows("zipf:5", 1000, 8, 3);
  EXPECT_EQ(sum(steep), 3000u);
  EXPECT_EQ(steep.rbegin()->first, 1000u);
  for (uint64_t seed = 1; seed <= 50; seed++) {
    const ExpertRows one = rows("zipf:1.2", 1, 128, 8, seed);
    EXPECT_EQ(one, (ExpertRows{{1, 8}}));
  }
}

class Histograms : public testing::Test {
 protected:
  Histograms() {
    std::string made = (fs::temp_directory_path() / "mxe_routing_XXXXXX").string();
    folder_ = mkdtemp(made.data());
  }
  ~Histograms() override { fs::remove_all(folder_); }

  std::string with(const std::string& text) {
    std::ofstream(folder_ / "routing.csv") << text;
    return "histogram:" + (folder_ / "routing.csv").string();
  }

  fs::path folder_;
};

TEST_F(Histograms, SharesAreThoseOfTheFile) {
  const std::string file = with("# recorded\nexpert,tokens\n7,600\n3,200\n0,200\n");
  const ExpertRows found = rows(file, 10000, 8, 1);
  EXPECT_EQ(sum(found), 10000u);
  EXPECT_LE(found.size(), 3u);
  EXPECT_NEAR(static_cast<double>(found.rbegin()->first), 6000, 5 * std::sqrt(10000 * .6 * .4));
  // Two of three experts for each token: the first has all tokens, the others the half.
  const ExpertRows pairs = rows(file, 10000, 8, 2);
  EXPECT_EQ(pairs.rbegin()->first, 10000u);
  EXPECT_EQ(sum(pairs), 20000u);
}

TEST_F(Histograms, BadRouting) {
  const std::string good = with("expert,tokens\n7,600\n3,200\n");
  expect_error("routing.csv: 2 experts, but the model has 1 and each token uses 1",
               [&] { rows(good, 8, 1, 1); });
  expect_error("routing.csv: 2 experts, but the model has 8 and each token uses 3",
               [&] { rows(good, 8, 8, 3); });
  const std::pair<const char*, const char*> kBad[] = {
      {"", "routing.csv: no experts"},
      {"expert,tokens\n", "routing.csv: no experts"},
      {"expert,tokens\n1,0\n", "routing.csv:2: tokens"},
      {"expert,tokens\n1,2\n1,3\n", "routing.csv:3: expert '1' appears twice"},
      {"expert\n1\n", "routing.csv:1: "},
      {"expert,tokens\n1\n", "routing.csv:2: "}};
  for (const auto& [text, message] : kBad) {
    expect_error(message, [&, text = text] { rows(with(text), 8, 8, 1); });
  }
  for (const char* text : {"", "even", "zipf", "zipf:", "zipf:0", "zipf:-1", "zipf:11", "zipf:nan",
                           "zipf:1x", "histogram:"}) {
    expect_error(fmt::format("--routing is '{}'; allowed: uniform, zipf:EXPONENT", text),
                 [&] { Routing::parse(text, 1); });
  }
  expect_error("histogram.csv: cannot open", [] { Routing::parse("histogram:histogram.csv", 1); });
  expect_error("draws 8 experts for each of 4194304 tokens, more than 4194304 draws",
               [] { rows("zipf:1", 1 << 22, 128, 8); });
}

}  // namespace
}  // namespace mxe::explore
