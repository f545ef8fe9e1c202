// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Product = std::tuple<std::string, int, int, int, int>;

class ExploreOnnx : public CliTest {
 protected:
  ExploreOnnx() { write_text("space.yaml", "config: small\nparameters: {format_a: mxint8}\n"); }

  static std::string model(const std::string& name) {
    return MXE_SOURCE_DIR "/tests/cli/onnx/" + name + ".onnx";
  }
  std::vector<std::string> arguments(const std::string& workload,
                                     const std::vector<std::string>& more) {
    std::vector<std::string> all{"explore", path("space.yaml"), "--workload",
                                 workload,  "--output",         path("out")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  nlohmann::json point(const std::string& workload, const std::vector<std::string>& more = {}) {
    std::filesystem::remove_all(path("out"));
    const ProgramRun run = mxe(arguments(workload, more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return nlohmann::json::parse(read_text("out/points.jsonl"));
  }
  std::vector<Product> products(const std::string& name, const std::vector<std::string>& more) {
    std::vector<Product> found;
    const nlohmann::json made = point(model(name), more);
    for (const nlohmann::json& layer : made.at("layers")) {
      found.emplace_back(layer.at("name"), layer.at("m"), layer.at("n"), layer.at("k"),
                         layer.at("count"));
    }
    return found;
  }
  void expect_bad(const std::string& workload, const std::vector<std::string>& more,
                  const std::string& message) {
    expect_error(arguments(workload, more), message);
  }
  // A copy of a model with some bytes replaced by as many others.
  std::string changed(const std::string& name, const std::string& from, const std::string& to) {
    std::ifstream file(model(name), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size()) {
      bytes.replace(at, from.size(), to);
    }
    write_text("changed.onnx", bytes);
    return path("changed.onnx");
  }
};

// Gemm; the file of weights is missing. Equals the digits' network of the CSV file.
TEST_F(ExploreOnnx, DigitsAreTheShippedWorkload) {
  nlohmann::json shipped = point(MXE_SOURCE_DIR "/sw/explore/workloads/digits.csv");
  nlohmann::json ours = point(model("digits"), {"--batch", "450"});
  ASSERT_FALSE(std::filesystem::exists(MXE_SOURCE_DIR "/tests/cli/onnx/digits.weights"));
  EXPECT_EQ(ours.at("workload"), "digits");
  for (nlohmann::json& layer : shipped.at("layers")) layer.at("b") = "unsaid";
  EXPECT_EQ(ours.at("layers"), shipped.at("layers"));
  EXPECT_EQ(ours.at("cycles"), shipped.at("cycles"));
  EXPECT_EQ(ours.at("items"), 450);
}

// Conv with strides, pads and groups, ConvTranspose, Resize: images of 20 x 28, 10 x 14, 5 x 7.
TEST_F(ExploreOnnx, Convolutions) {
  const std::vector<Product> expected = {{"/enc/0/Conv", 2 * 10 * 14, 8, 3 * 25, 1},
                                         {"/enc/3/Conv", 2 * 5 * 7, 6, 4 * 9, 2},
                                         {"/dec/0/ConvTranspose", 2 * 5 * 7, 6 * 16, 12, 1},
                                         {"/dec/3/Conv", 2 * 20 * 28, 3, 6, 1}};
  EXPECT_EQ(products("autoencoder", {"--batch", "2", "--dim", "height=20", "--dim", "width=28"}),
            expected);
}

// MatMul of batches, shapes computed from shapes, a cache of keys and values.
TEST_F(ExploreOnnx, AttentionWithBatchSequenceAndContext) {
  const auto block = [](int batch, int tokens, int past) {
    const int rows = batch * tokens, all = past + tokens;
    return std::vector<Product>{{"/attn/q_proj/MatMul", rows, 32, 32, 1},
                                {"/attn/k_proj/MatMul", rows, 32, 32, 1},
                                {"/attn/v_proj/MatMul", rows, 32, 32, 1},
                                {"/attn/MatMul", tokens, all, 8, batch * 4},
                                {"/attn/MatMul_1", tokens, 8, all, batch * 4},
                                {"/attn/o_proj/MatMul", rows, 32, 32, 1},
                                {"/head/MatMul", batch, 50, 32, 1}};
  };
  EXPECT_EQ(products("decoder", {"--batch", "2", "--sequence", "3", "--context", "8"}),
            block(2, 3, 5));
  EXPECT_EQ(products("decoder", {"--context", "40"}), block(1, 1, 39));
  EXPECT_EQ(products("decoder", {"--sequence", "3", "--dim", "past_sequence_length=5", "--dim",
                                 "total_sequence_length=8"}),
            block(1, 3, 5));
}

TEST_F(ExploreOnnx, SizesThatAreMissingOrTooMuch) {
  expect_bad(model("decoder"), {}, "set --sequence N or --dim sequence_length=N");
  expect_bad(model("decoder"), {"--sequence", "4"}, "past_sequence_length");
  expect_bad(model("autoencoder"), {"--dim", "height=20"},
             "dimension 'width' of the input 'image'");
  expect_bad(model("digits"), {"--sequence", "4"}, "no dimension needs --sequence");
  expect_bad(model("digits"), {"--dim", "depth=4"}, "no dimension needs --dim depth=4");
  expect_bad(model("digits"), {"--dim", "batch=0"}, "--dim must be NAME=N");
  expect_bad(model("autoencoder"), {"--dim", "height=2000000000", "--dim", "width=2000000000"},
             "autoencoder.onnx: node '/enc/0/Conv' (Conv): its product would have a size of more");
}

TEST_F(ExploreOnnx, UnsupportedOperators) {
  expect_bad(changed("decoder", "MatMul", "Einsum"), {"--context", "8"},
             "changed.onnx: node '/attn/q_proj/Einsum' (Einsum): operator Einsum is not supported");
  expect_bad(changed("digits", "Gemm", "LSTM"), {},
             "changed.onnx: node 'dense1' (LSTM): operator LSTM is not supported");
  expect_bad(changed("digits", "Relu", "Rule"), {}, "(Rule): operator Rule is not supported");
}

TEST_F(ExploreOnnx, DimensionsThatAreExpressions) {
  const std::string model = changed("digits", "batch", "n * 9");
  EXPECT_EQ(point(model, {"--batch", "50"}).at("layers").at(0).at("m"), 450);
  EXPECT_EQ(point(model, {"--dim", "n * 9=7"}).at("layers").at(0).at("m"), 7);
  expect_bad(changed("digits", "batch", "b / 2"), {"--batch", "45"},
             "changed.onnx: dimension 'b / 2' of the input 'image' would be 22.5; allowed: whole");
  expect_bad(changed("digits", "batch", "batsh"), {"--batch", "45"},
             "dimension 'batsh' of the input 'image' has no size: set --dim batsh=N");
}

TEST_F(ExploreOnnx, WithoutPython) {
  write_text("none.onnx", "");
  write_text("broken", "#!/bin/sh\necho first >&2\necho last >&2\nexit 3\n");
  write_text("killed", "#!/bin/sh\nkill -KILL $$\n");
  write_text("silent", "#!/bin/sh\n");
  for (const char* name : {"broken", "killed", "silent"}) {
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
  const std::pair<std::string, std::string> kBad[] = {
      {path("none"),
       "cannot be run (No such file or directory); allowed: MXE_PYTHON names a Python"},
      {path("broken"), "broken failed with exit status 3: last"},
      {path("killed"), "killed failed with signal 9: "},
      {path("silent"), "none.onnx: Python's answer does not have the expected form"}};
  for (const auto& [program, message] : kBad) {
    const Variable python("MXE_PYTHON", program);
    expect_bad(path("none.onnx"), {}, message);
  }
}

TEST_F(ExploreOnnx, MalformedFiles) {
  const std::string name = "truncated.onnx";
  std::ifstream file(model("digits"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size() / 2}) {
    write_text(name, bytes.substr(0, size));
    expect_bad(path(name), {}, "truncated.onnx: ");
  }
  write_text(name, "layer,M,N,K,count\na,1,2,3,4\n");
  expect_bad(path(name), {}, "truncated.onnx: truncated, or not an ONNX model");
  expect_bad(path("none.onnx"), {}, path("none.onnx") + ": cannot open: No such file or directory");
  expect_bad(changed("digits", "dense1.bias", "dense2.bias"), {},
             "'dense2.bias' is computed twice");
}

}  // namespace
}  // namespace mxe::test
