// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mxe_counter_table.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class Matmul : public CliTest {
 protected:
  std::vector<std::string> command(const std::string& on, const std::string& format_a,
                                   const std::string& format_b,
                                   const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"matmul",     path("a.npy"), path("b.npy"), "--on",  on,
                                       "--format-a", format_a,      "--format-b",  format_b};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  void write_operands(std::size_t m, std::size_t n, std::size_t k) {
    write_random("a.npy", {m, k}, 21);
    write_random("b.npy", {k, n}, 22);
  }
};

TEST_F(Matmul, GoldenByHand) {
  write_floats("a.npy", {1, 2, 3, -4, 5, 6}, {2, 3});
  write_floats("b.npy", {7, 8, -9, 10, 11, 12}, {3, 2});
  const ProgramRun run =
      mxe(command("golden", "mxfp8_e4m3", "mxfp8_e4m3", {"--output", path("c.npy")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_floats("c.npy", {2, 2}), (std::vector<float>{22, 64, -7, 90}));
}

TEST_F(Matmul, Bias) {
  write_floats("a.npy", {1, 2, 3, -4, 5, 6}, {2, 3});
  write_floats("b.npy", {7, 8, -9, 10, 11, 12}, {3, 2});
  write_floats("row.npy", {1000, 0.5f}, {2});
  write_floats("full.npy", {1, 2, 3, 4}, {2, 2});
  const auto with_bias = [this](const std::string& bias) {
    const ProgramRun run = mxe(
        command("golden", "mxint8", "mxint8", {"--bias", path(bias), "--output", path("c.npy")}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", {2, 2});
  };
  EXPECT_EQ(with_bias("row.npy"), (std::vector<float>{1022, 64.5f, 993, 90.5f}));
  EXPECT_EQ(with_bias("full.npy"), (std::vector<float>{23, 66, -4, 94}));
}

TEST_F(Matmul, GoldenJson) {
  write_operands(5, 3, 40);
  const nlohmann::json json = mxe_json(command("golden", "mxint8", "mxfp4_e2m1"));
  EXPECT_EQ(json.at("m"), 5);
  EXPECT_EQ(json.at("n"), 3);
  EXPECT_EQ(json.at("k"), 40);
  EXPECT_EQ(json.at("format_a"), "mxint8");
  EXPECT_EQ(json.at("format_b"), "mxfp4_e2m1");
  EXPECT_EQ(json.at("on"), "golden");
  EXPECT_EQ(json.at("config"), "base");
  EXPECT_TRUE(json.at("cycles").is_null());
  EXPECT_TRUE(json.at("counters").is_object());
  EXPECT_TRUE(json.at("utilization").is_null());
  EXPECT_TRUE(json.at("bytes_read").is_null());
  EXPECT_TRUE(json.at("bytes_written").is_null());
  EXPECT_GE(json.at("wall_seconds"), 0.0);
}

TEST_F(Matmul, GoldenHasNoCyclesToReport) {
  write_operands(5, 3, 40);
  const ProgramRun run = mxe(command("golden", "mxint8", "mxint8"));
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 1) << run.out;
}

TEST_F(Matmul, AccumulationPolicies) {
  // 2^24 + 1 + 1: float32 loses each 1 if they are added one by one.
  write_floats("a.npy", {4096, 1, 1}, {1, 3});
  write_floats("b.npy", {4096, 1, 1}, {3, 1});
  const auto result = [this](const std::string& policy) {
    const ProgramRun run = mxe(command("golden", "mxfp8_e5m2", "mxfp8_e5m2",
                                       {"--accumulate", policy, "--output", path("c.npy")}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", {1, 1});
  };
  EXPECT_EQ(result("block"), std::vector<float>{16777218});
  EXPECT_EQ(result("exact"), std::vector<float>{16777218});
  EXPECT_EQ(result("sequential"), std::vector<float>{16777216});
  result("nvidia-blackwell");
}

TEST_F(Matmul, OutputFormats) {
  write_floats("a.npy", {1, 1.0078125f}, {2, 1});
  write_floats("b.npy", {1, 6}, {1, 2});
  const auto result = [this](const std::string& format) {
    const ProgramRun run = mxe(command("golden", "mxint8", "mxfp6_e2m3",
                                       {"--out-format", format, "--output", path("c.npy")}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", {2, 2});
  };
  EXPECT_EQ(result("fp32"), (std::vector<float>{1, 6, 1, 6}));
  EXPECT_EQ(result("bf16"), (std::vector<float>{1, 6, 1, 6}));
  write_floats("b.npy", {1, 7}, {1, 2});
  EXPECT_EQ(result("mxfp4_e2m1"), (std::vector<float>{1, 6, 1, 6}));
}

TEST_F(Matmul, OutputRuleAndOverflow) {
  // 7 exceeds the largest E2M1 with scale 1; 480 exceeds 448, the largest E4M3.
  write_floats("a.npy", {1}, {1, 1});
  const auto result = [this](const std::vector<float>& b, const std::vector<std::string>& more) {
    write_floats("b.npy", b, {1, b.size()});
    std::vector<std::string> arguments{"--output", path("c.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = mxe(command("golden", "mxint8", "mxint8", arguments));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", {1, b.size()});
  };
  const auto with_rule = [&](const char* rule) {
    return result({1, 7}, {"--out-format", "mxfp4_e2m1", "--out-rule", rule});
  };
  EXPECT_EQ(with_rule("floor"), (std::vector<float>{1, 6}));
  EXPECT_EQ(with_rule("ceil"), (std::vector<float>{1, 8}));
  EXPECT_EQ(with_rule("even"), (std::vector<float>{1, 8}));
  EXPECT_EQ(with_rule("rceil"), (std::vector<float>{1, 8}));
  const std::vector<float> special =
      result({480}, {"--out-format", "mxfp8_e4m3", "--out-overflow", "special"});
  EXPECT_TRUE(std::isnan(special[0]));
  EXPECT_EQ(result({480}, {"--out-format", "mxfp8_e4m3", "--out-overflow", "saturate"}),
            std::vector<float>{448});
}

TEST_F(Matmul, ElementsAndScalesCanBeDequantized) {
  write_operands(5, 70, 40);
  const ProgramRun run = mxe(command("golden", "mxfp8_e4m3", "mxfp8_e4m3",
                                     {"--out-format", "mxfp6_e2m3", "--elements", path("e.npy"),
                                      "--scales", path("s.npy"), "--output", path("c.npy")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  read_bytes("e.npy", {5, 70});
  read_bytes("s.npy", {5, 3});
  const ProgramRun back = mxe({"dequantize", "--elements", path("e.npy"), "--scales", path("s.npy"),
                               "--format", "mxfp6_e2m3", "--output", path("d.npy")});
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_TRUE(same_bytes("c.npy", "d.npy"));
}

TEST_F(Matmul, BiasFormat) {
  write_floats("a.npy", {0}, {1, 1});
  write_floats("b.npy", {1, 1}, {1, 2});
  write_floats("bias.npy", {1.00390625f, 1.01171875f}, {2});  // halfway between two BF16 numbers
  const auto with = [this](const std::string& format) {
    const ProgramRun run = mxe(
        command("golden", "mxint8", "mxint8",
                {"--bias", path("bias.npy"), "--bias-format", format, "--output", path("c.npy")}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_floats("c.npy", {1, 2});
  };
  EXPECT_EQ(with("fp32"), (std::vector<float>{1.00390625f, 1.01171875f}));
  EXPECT_EQ(with("bf16"), (std::vector<float>{1, 1.015625f}));
}

TEST_F(Matmul, ExpectedResult) {
  write_floats("a.npy", {1, 2}, {1, 2});
  write_floats("b.npy", {3, 4}, {2, 1});
  write_floats("right.npy", {11}, {1, 1});
  write_floats("wrong.npy", {11.5f}, {1, 1});
  write_floats("shape.npy", {11}, {1});
  const auto with = [this](const std::string& file) {
    return command("golden", "mxint8", "mxint8", {"--expect", path(file)});
  };
  EXPECT_EQ(mxe(with("right.npy")).exit_code, 0);
  const ProgramRun run = mxe(with("wrong.npy"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("1 of 1 outputs differ;"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("D[0][0]: 11 (0x41300000) instead of 11.5 (0x41380000)"),
            std::string::npos)
      << run.err;
  EXPECT_TRUE(mxe_json(with("wrong.npy"), 1).contains("cycles"));
  expect_error(with("shape.npy"), "must be [1, 1], but is [1]");
}

TEST_F(Matmul, ArithmeticOfTheModel) {
  write_operands(9, 41, 70);
  const auto run = [this](const std::string& arithmetic) {
    return mxe_json(command("model", "mxfp4_e2m1", "mxfp4_e1m2",
                            {"--config", "small", "--out-format", "mxfp8_e4m3", "--arithmetic",
                             arithmetic, "--output", path(arithmetic + ".npy")}));
  };
  const nlohmann::json golden = run("golden"), structural = run("structural");
  EXPECT_TRUE(same_bytes("golden.npy", "structural.npy"));
  EXPECT_EQ(structural.at("cycles"), golden.at("cycles"));
  EXPECT_EQ(structural.at("counters"), golden.at("counters"));

  expect_error(command("model", "mxint8", "mxint8", {"--arithmetic", "exact"}),
               "unknown arithmetic 'exact' (allowed: golden, structural)");
  expect_error(command("model", "mxint8", "mxint8", {"--arithmetic", ""}),
               "--arithmetic: the value is empty");
  expect_error(command("golden", "mxint8", "mxint8", {"--arithmetic", "structural"}),
               "--arithmetic needs --on model, not golden");
  expect_error(command("rtl", "mxint8", "mxint8", {"--arithmetic", "golden"}),
               "--arithmetic needs --on model, not rtl");
}

TEST_F(Matmul, TransposedB) {
  write_floats("a.npy", {1, 2, 3, -4, 5, 6}, {2, 3});
  write_floats("b.npy", {7, -9, 11, 8, 10, 12}, {2, 3});
  const ProgramRun run = mxe(
      command("golden", "mxfp8_e4m3", "mxfp8_e4m3", {"--transpose-b", "--output", path("c.npy")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_floats("c.npy", {2, 2}), (std::vector<float>{22, 64, -7, 90}));
  write_random("b.npy", {3, 2}, 1);
  expect_error(command("golden", "mxint8", "mxint8", {"--transpose-b"}),
               "the number of columns of A must equal the number of columns of B");
}

class MatmulBatch : public Matmul, public testing::WithParamInterface<const char*> {
 protected:
  std::vector<float> result(const std::vector<std::size_t>& shape,
                            std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--config", "small", "--output", path("c.npy")});
    const ProgramRun run = mxe(command(GetParam(), "mxint8", "mxint8", more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return read_floats("c.npy", shape);
  }
};

TEST_P(MatmulBatch, ProductsOneByOne) {
  write_floats("a.npy", {1, 2, 3, 4, 5, 6}, {3, 1, 2});
  write_floats("b.npy", {1, 0, 0, 1, 2, 0, 0, 3, 1, 1, 1, -1}, {3, 2, 2});
  EXPECT_EQ(result({3, 1, 2}), (std::vector<float>{1, 2, 6, 12, 11, -1}));
  EXPECT_EQ(result({3, 1, 2}, {"--transpose-b"}), (std::vector<float>{1, 2, 6, 12, 11, -1}));
  write_floats("row.npy", {100, 200}, {2});
  write_floats("matrix.npy", {100, 200}, {1, 2});
  write_floats("full.npy", {10, 20, 30, 40, 50, 60}, {3, 1, 2});
  const std::vector<float> with_row{101, 202, 106, 212, 111, 199};
  EXPECT_EQ(result({3, 1, 2}, {"--bias", path("row.npy")}), with_row);
  EXPECT_EQ(result({3, 1, 2}, {"--bias", path("matrix.npy")}), with_row);
  EXPECT_EQ(result({3, 1, 2}, {"--bias", path("full.npy")}),
            (std::vector<float>{11, 22, 36, 52, 61, 59}));
  write_floats("expected.npy", {1, 2, 6, 12, 11, -1}, {3, 1, 2});
  EXPECT_EQ(
      mxe(command(GetParam(), "mxint8", "mxint8", {"--expect", path("expected.npy")})).exit_code,
      0);
}

TEST_P(MatmulBatch, SharedOperands) {
  write_floats("a.npy", {1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 1, 2});
  write_floats("b.npy", {1, 0, 2, 1}, {2, 2});
  EXPECT_EQ(result({2, 2, 1, 2}), (std::vector<float>{5, 2, 11, 4, 17, 6, 23, 8}));
  write_floats("matrix.npy", {100, 200}, {1, 2});
  EXPECT_EQ(result({2, 2, 1, 2}, {"--bias", path("matrix.npy")}),
            (std::vector<float>{105, 202, 111, 204, 117, 206, 123, 208}));
  write_floats("a.npy", {1, 2}, {1, 2});
  write_floats("b.npy", {1, 0, 2, 1, 3, 4, 5, 6}, {2, 2, 2});
  EXPECT_EQ(result({2, 1, 2}), (std::vector<float>{5, 2, 13, 16}));
}

INSTANTIATE_TEST_SUITE_P(On, MatmulBatch, testing::Values("golden", "model"));

TEST_F(Matmul, BatchIsWhatItsProductsAre) {
  write_random("a.npy", {3, 5, 70}, 1);
  write_random("b.npy", {3, 40, 70}, 2);
  const auto run = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--transpose-b", "--out-format", "mxfp4_e2m1", "--config",
                                       "small"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mxe_json(command("model", "mxfp8_e4m3", "mxfp6_e2m3", arguments));
  };
  const nlohmann::json all = run({"--elements", path("e.npy"), "--scales", path("s.npy")});
  const std::vector<uint8_t> elements = read_bytes("e.npy", {3, 5, 40});
  const std::vector<uint8_t> scales = read_bytes("s.npy", {3, 5, 2});
  EXPECT_EQ(all.at("m"), 15);
  EXPECT_EQ(all.at("products"), 3);
  const std::vector<float> a = read_floats("a.npy", {3, 5, 70});
  const std::vector<float> b = read_floats("b.npy", {3, 40, 70});
  uint64_t cycles = 0;
  for (long i = 0; i < 3; i++) {
    write_floats("a.npy", {a.begin() + i * 350, a.begin() + (i + 1) * 350}, {5, 70});
    write_floats("b.npy", {b.begin() + i * 2800, b.begin() + (i + 1) * 2800}, {40, 70});
    const nlohmann::json one = run({"--elements", path("e.npy"), "--scales", path("s.npy")});
    cycles += one.at("cycles").get<uint64_t>();
    EXPECT_FALSE(one.contains("products"));
    EXPECT_EQ(read_bytes("e.npy", {5, 40}),
              std::vector<uint8_t>(elements.begin() + i * 200, elements.begin() + (i + 1) * 200));
    EXPECT_EQ(read_bytes("s.npy", {5, 2}),
              std::vector<uint8_t>(scales.begin() + i * 10, scales.begin() + (i + 1) * 10));
  }
  EXPECT_EQ(all.at("cycles"), cycles);
}

TEST_F(Matmul, BadBatches) {
  write_random("a.npy", {3, 5, 70}, 1);
  write_random("b.npy", {2, 70, 4}, 2);
  expect_error(command("golden", "mxint8", "mxint8"),
               "the axes before the last two must be the same, or 1 or missing in one of them");
  write_random("b.npy", {3, 70, 4}, 2);
  write_random("bias.npy", {3, 4}, 3);
  expect_error(command("golden", "mxint8", "mxint8", {"--bias", path("bias.npy")}),
               "the bias must be [5, 4] or [4] or [3, 5, 4], but is [3, 4]");
  expect_error(command("model", "mxint8", "mxint8", {"--trace", path("t.json")}),
               "--trace and --waves record one product, these are 3");
}

TEST_F(Matmul, ThreadsChangeNothing) {
  write_random("a.npy", {67, 300}, 1);
  write_random("b.npy", {300, 45}, 2);
  write_random("x.npy", {45, 301}, 3);
  for (const char* threads : {"1", "2", "3", "7", "64"}) {
    const std::string end = std::string(threads) + ".npy";
    const ProgramRun product = mxe(command("golden", "mxfp8_e5m2", "mxfp4_e2m1",
                                           {"--threads", threads, "--output", path("c" + end)}));
    EXPECT_EQ(product.exit_code, 0) << product.err;
    EXPECT_TRUE(same_bytes("c1.npy", "c" + end)) << threads;
    for (const char* axis : {"0", "1"}) {
      const ProgramRun run =
          mxe({"quantize", path("x.npy"), "--format", "nvfp4", "--axis", axis, "--threads", threads,
               "--elements", path(axis + ("e" + end)), "--scales", path(axis + ("s" + end))});
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_TRUE(same_bytes(axis + std::string("e1.npy"), axis + ("e" + end))) << threads;
      EXPECT_TRUE(same_bytes(axis + std::string("s1.npy"), axis + ("s" + end))) << threads;
    }
  }
  expect_error(command("golden", "mxint8", "mxint8", {"--threads", "0"}), "--threads");
}

TEST_F(Matmul, BadInput) {
  write_operands(2, 3, 40);
  expect_error(command("silicon", "mxint8", "mxint8"), "allowed: golden, model, rtl");
  expect_error(command("golden", "mxfp5", "mxint8"), "unknown format 'mxfp5' (allowed: ");
  expect_error(command("golden", "mxint8", "fp4"), "unknown format 'fp4' (allowed: ");
  expect_error(command("golden", "mxint8", "mxint8", {"--out-format", "fp64"}),
               "or an MX format: unknown format 'fp64' (allowed: ");
  expect_error(command("golden", "mxint8", "mxint8", {"--out-rule", "floor"}),
               "--out-rule is for MX results, fp32 has neither scales");
  expect_error(
      command("golden", "mxint8", "mxint8", {"--out-format", "bf16", "--out-overflow", "special"}),
      "--out-overflow is for MX results, bf16 has neither scales");
  expect_error(
      command("golden", "mxint8", "mxint8", {"--out-format", "mxint8", "--out-rule", "round"}),
      "floor, ceil, even, rceil");
  expect_error(
      command("golden", "mxint8", "mxint8", {"--out-format", "mxint8", "--out-overflow", "wrap"}),
      "saturate, special");
  expect_error(command("golden", "mxint8", "mxint8", {"--scales", path("s.npy")}),
               "--elements and --scales are for MX results, not for fp32");
  expect_error(command("golden", "mxint8", "mxint8", {"--bias-format", "bf16"}),
               "--bias-format bf16 needs --bias");
  expect_error(
      command("golden", "mxint8", "mxint8", {"--bias", path("a.npy"), "--bias-format", "fp16"}),
      "unknown bias format 'fp16' (allowed: fp32, bf16)");
  expect_error(command("model", "mxint8", "mxint8", {"--accumulate", "exact"}),
               "--accumulate exact is only for --on golden (allowed: block)");
  expect_error(command("golden", "mxint8", "mxint8", {"--accumulate", "random"}), "random");
  expect_error(command("golden", "mxint8", "mxint8", {"--config", "medium"}),
               "neither a named configuration (small, base, large) nor a readable file");
  expect_error(command("golden", "mxint8", "mxint8", {"--set", "NUM_PE=3"}), "power of two");
  expect_error(command("golden", "mxint8", "mxint8", {"--set", "PES=4"}),
               "unknown parameter 'PES'");
  expect_error(command("golden", "mxint8", "mxint8", {"--mem-latency", "0"}), "latency");
  expect_error(command("golden", "mxint8", "mxint8", {"--mem-bytes-per-cycle", "-1"}), "");
  expect_error(command("golden", "mxint8", "mxint8", {"--mem-outstanding-reads", "0"}),
               "outstanding reads of the memory are 0");
  expect_error(command("golden", "mxint8", "mxint8", {"--mem-outstanding-writes", "257"}),
               "must be from 1 to 256");
  write_text("bad.yaml", "NUM_PE: many\n");
  expect_error(command("golden", "mxint8", "mxint8", {"--config", path("bad.yaml")}), "NUM_PE");

  write_random("b.npy", {41, 3}, 1);
  expect_error(command("golden", "mxint8", "mxint8"),
               "the number of columns of A must equal the number of rows of B");
  write_random("b.npy", {40}, 1);
  expect_error(command("golden", "mxint8", "mxint8"), "must be [..., K, N]");
  write_random("b.npy", {40, 3}, 1);
  write_random("bias.npy", {2}, 1);
  expect_error(command("golden", "mxint8", "mxint8", {"--bias", path("bias.npy")}),
               "the bias must be [2, 3] or [3], but is [2]");
}

class MatmulOnDevice : public Matmul, public testing::WithParamInterface<const char*> {};

TEST_P(MatmulOnDevice, EqualsGoldenForEveryFormat) {
  write_operands(9, 7, 70);
  write_random("bias.npy", {7}, 23);
  const char* formats[] = {"mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2",
                           "mxfp8_e4m3", "mxfp8_e5m2", "mxint8"};
  for (std::size_t i = 0; i < std::size(formats); i++) {
    const char* format_a = formats[i];
    const char* format_b = formats[(i * 3) % std::size(formats)];
    SCOPED_TRACE(std::string(format_a) + " times " + format_b);
    for (const char* on : {"golden", GetParam()}) {
      const ProgramRun run = mxe(command(on, format_a, format_b,
                                         {"--config", "small", "--bias", path("bias.npy"),
                                          "--output", path(std::string(on) + ".npy")}));
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.err, "");
    }
    EXPECT_TRUE(same_bytes("golden.npy", std::string(GetParam()) + ".npy"));
  }
}

TEST_P(MatmulOnDevice, EqualsGoldenForEveryOutput) {
  write_operands(9, 70, 70);
  write_random("bias.npy", {9, 70}, 23);
  const std::vector<std::vector<std::string>> outputs = {
      {"bf16"},
      {"mxfp4_e2m1", "--out-rule", "rceil"},
      {"mxfp6_e3m2", "--out-rule", "even"},
      {"mxfp8_e4m3", "--out-overflow", "special"},
      {"mxint8", "--out-rule", "ceil"}};
  for (const std::vector<std::string>& output : outputs) {
    SCOPED_TRACE(output[0]);
    for (const std::string on : {"golden", GetParam()}) {
      std::vector<std::string> more{"--config",       "small",           "--bias",
                                    path("bias.npy"), "--bias-format",   "bf16",
                                    "--output",       path(on + ".npy"), "--out-format"};
      more.insert(more.end(), output.begin(), output.end());
      const ProgramRun run = mxe(command(on, "mxfp8_e4m3", "mxfp6_e2m3", more));
      EXPECT_EQ(run.exit_code, 0) << run.err;
    }
    EXPECT_TRUE(same_bytes("golden.npy", std::string(GetParam()) + ".npy"));
  }
}

TEST_P(MatmulOnDevice, Json) {
  write_operands(9, 7, 70);
  const nlohmann::json json =
      mxe_json(command(GetParam(), "mxfp8_e4m3", "mxfp6_e2m3", {"--config", "small"}));
  EXPECT_EQ(json.at("on"), GetParam());
  EXPECT_EQ(json.at("config"), "small");
  const nlohmann::json& counters = json.at("counters");
  uint64_t parts = 0;
  for (const CounterInfo& counter : counter_table) {
    if (!counter.part_of_total) continue;
    const std::string part = counter.name;
    parts += counters.at(part).get<uint64_t>();
  }
  EXPECT_EQ(counters.at("total"), parts);
  EXPECT_GE(counters.at("total"), json.at("cycles"));
  EXPECT_EQ(counters.at("blocks"), 9 * 7 * 3);
  EXPECT_GE(json.at("bytes_read"), 9 * (70 + 3) + 7 * (53 + 3));
  EXPECT_GE(json.at("bytes_written"), 9 * 7 * 4);
  const double cycles = json.at("cycles");
  EXPECT_NEAR(json.at("utilization"), 9 * 7 * 70 / (cycles * 4 * 32), 1e-12);
}

TEST_P(MatmulOnDevice, Text) {
  write_operands(9, 7, 70);
  const ProgramRun run =
      mxe(command(GetParam(), "mxfp8_e4m3", "mxfp6_e2m3", {"--config", "small"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // 9 * 7 * 70 products at 4 * 32 per cycle; the port of small has 16 bytes per cycle.
  EXPECT_NE(run.out.find("\n  bound          memory: 35 cycles to multiply, "), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find(" to read memory at 16 bytes a cycle\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" %  ####"), std::string::npos) << run.out;
}

TEST_P(MatmulOnDevice, OptionsReachTheDevice) {
  write_operands(9, 7, 70);
  const auto cycles = [this](const std::vector<std::string>& options) {
    std::vector<std::string> more{"--config", "small"};
    more.insert(more.end(), options.begin(), options.end());
    return mxe_json(command(GetParam(), "mxint8", "mxint8", more)).at("cycles").get<uint64_t>();
  };
  const uint64_t normal = cycles({});
  EXPECT_EQ(cycles({}), normal) << "the same job twice";
  EXPECT_GT(cycles({"--mem-latency", "500"}), normal + 400);
  EXPECT_GT(cycles({"--mem-bytes-per-cycle", "0.5"}), normal + 9 * 70);
  EXPECT_NE(cycles({"--mem-jitter", "7"}), normal);
  EXPECT_GT(cycles({"--mem-outstanding-reads", "1"}), normal + 500);
  EXPECT_GT(cycles({"--mem-outstanding-writes", "1"}), normal);
}

TEST_P(MatmulOnDevice, ExpectedResult) {
  write_floats("a.npy", {1, 2}, {1, 2});
  write_floats("b.npy", {3, 4}, {2, 1});
  write_floats("wrong.npy", {12}, {1, 1});
  const ProgramRun run = mxe(command(GetParam(), "mxint8", "mxint8",
                                     {"--config", "small", "--expect", path("wrong.npy")}));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("1 of 1 outputs differ"), std::string::npos) << run.err;
}

INSTANTIATE_TEST_SUITE_P(Model, MatmulOnDevice, testing::Values("model"));
#ifdef MXE_WITH_RTL
INSTANTIATE_TEST_SUITE_P(Rtl, MatmulOnDevice, testing::Values("rtl"));

TEST_F(Matmul, RtlHasFixedParameters) {
  write_operands(2, 3, 40);
  expect_error(command("rtl", "mxint8", "mxint8", {"--config", "small", "--set", "QUEUE_DEPTH=4"}),
               "small");
}
#endif

TEST_F(Matmul, TreeWidthLimitsThePairs) {
  write_operands(2, 3, 40);
  expect_error(command("model", "mxfp8_e5m2", "mxfp8_e5m2", {"--set", "TREE_W=42"}),
               "mxfp8_e5m2 times mxfp8_e5m2 needs TREE_W of at least");
}

TEST_F(Matmul, ModelTakesAnyConfiguration) {
  write_operands(20, 30, 100);
  write_text("my.yaml", "config: small\nNUM_PE: 2\nMEM_W: 64\n");
  const nlohmann::json json =
      mxe_json(command("model", "mxfp4_e2m1", "mxfp4_e2m1",
                       {"--config", path("my.yaml"), "--set", "ROWS=16", "ACC_TILES=1"}));
  EXPECT_EQ(json.at("config"), "custom");
  EXPECT_GT(json.at("counters").at("dual_cycles"), 0);
}

}  // namespace
}  // namespace mxe::test
