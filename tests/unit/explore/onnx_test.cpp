// SPDX-License-Identifier: Apache-2.0
// ONNX models as workloads. The models are written in ONNX's own notation of text.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>

#include <string>
#include <tuple>

#include "model/numerics/error.h"
#include "sw/explore/onnx_model.h"

namespace mxe::explore {
namespace {

onnx::ModelProto model_of(const std::string& graph, int version = 17) {
  const std::string text =
      fmt::format("<ir_version: 8, opset_import: [\"\" : {}]> {}", version, graph);
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser::Parse(model, text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return model;
}

Workload read(const onnx::ModelProto& model, const RunSize& run = {}) {
  const std::string bytes = model.SerializeAsString();
  return parse_onnx(bytes.data(), bytes.size(), run, "nets/net.onnx");
}

Workload read(const std::string& graph, const RunSize& run = {}, int version = 17) {
  return read(model_of(graph, version), run);
}

using Product = std::tuple<std::string, std::size_t, std::size_t, std::size_t, uint64_t>;

std::vector<Product> products(const Workload& workload) {
  std::vector<Product> found;
  for (const Layer& layer : workload.layers) {
    found.emplace_back(layer.name, layer.m, layer.n, layer.k, layer.count);
  }
  return found;
}

template <typename... Arguments>
void expect_error(const std::string& message, Arguments... arguments) {
  try {
    read(arguments...);
    ADD_FAILURE() << "no error, but expected: " << message;
  } catch (const mx::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("nets/net.onnx: ", 0), 0u) << text;
    EXPECT_NE(text.find(message), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

RunSize run_of(std::optional<uint64_t> batch, std::optional<uint64_t> sequence = {},
               std::optional<uint64_t> context = {},
               const std::map<std::string, uint64_t>& dimensions = {}) {
  RunSize run;
  run.batch = batch;
  run.sequence = sequence;
  run.context = context;
  run.dimensions = dimensions;
  return run;
}

TEST(Onnx, ProductsOfMatrices) {
  const Workload net = read(
      "g (float[7, 5] a, float[5, 3] b, float[2, 4, 7, 5] many, float[4, 5, 3] each,"
      "   float[5] row, float[3, 7] gemm_a, float[9, 3] gemm_b) => (float[7, 3] one) {"
      "  one = MatMul(a, b)"
      "  rows = MatMul(many, b)"        // one matrix for all rows
      "  batches = MatMul(many, each)"  // [2, 4] times [4]
      "  lone = MatMul(a, each)"        // one times [4]
      "  vector = MatMul(row, b)"
      "  matrix_vector = MatMul(a, row)"
      "  turned = Gemm <transA = 1, transB = 1> (gemm_a, gemm_b)"
      "  plain = Gemm (a, b)"
      "}");
  EXPECT_EQ(net.name, "net");
  EXPECT_EQ(products(net), (std::vector<Product>{{"one", 7, 3, 5, 1},
                                                 {"rows", 2 * 4 * 7, 3, 5, 1},
                                                 {"batches", 7, 3, 5, 8},
                                                 {"lone", 7, 3, 5, 4},
                                                 {"vector", 1, 3, 5, 1},
                                                 {"matrix_vector", 7, 1, 5, 1},
                                                 {"turned", 7, 9, 3, 1},
                                                 {"plain", 7, 3, 5, 1}}));
}

TEST(Onnx, Convolutions) {
  const Workload net = read(
      "g (float[N, 8, 30, 20] x, float[16, 8, 3, 5] w, float[16, 4, 3, 3] w2, float[8, 1, 3, 3] w8,"
      "   float[8, 6, 2, 2] wt, float[8, 3, 2, 2] wt2, float[5, 6, 1, 1] w6) => (float[N] y) {"
      "  plain = Conv (x, w)"
      "  strided = Conv <strides = [2, 3], pads = [1, 2, 1, 2]> (x, w)"
      "  dilated = Conv <dilations = [2, 2]> (x, w)"
      "  same = Conv <auto_pad = \"SAME_UPPER\", strides = [2, 2]> (x, w)"
      "  grouped = Conv <group = 2> (x, w2)"
      "  depthwise = Conv <group = 8> (x, w8)"
      "  transposed = ConvTranspose <strides = [2, 2]> (x, wt)"
      "  transposed2 = ConvTranspose <group = 2> (x, wt2)"
      "  y = Conv (transposed, w6)"
      "}",
      run_of(3));
  EXPECT_EQ(products(net), (std::vector<Product>{{"plain", 3 * 28 * 16, 16, 120, 1},
                                                 {"strided", 3 * 15 * 7, 16, 120, 1},
                                                 {"dilated", 3 * 26 * 12, 16, 120, 1},
                                                 {"same", 3 * 15 * 10, 16, 120, 1},
                                                 {"grouped", 3 * 28 * 18, 8, 36, 2},
                                                 {"depthwise", 3 * 28 * 18, 1, 9, 8},
                                                 {"transposed", 3 * 600, 24, 8, 1},
                                                 {"transposed2", 3 * 600, 12, 4, 2},
                                                 {"y", 3 * 60 * 40, 5, 6, 1}}));
}

// The first stage of a ResNet-50, whose sizes the shipped network has, too.
constexpr const char* kResNet =
    "g (float[batch, 3, 224, 224] image, float[64, 3, 7, 7] w1, float[64, 64, 1, 1] w2,"
    "   float[64, 64, 3, 3] w3, float[256, 64, 1, 1] w4, float[64] s, float[1000, 256] wf,"
    "   float[1000] bf) => (float[batch, 1000] y) {"
    "  conv1 = Conv <strides = [2, 2], pads = [3, 3, 3, 3], kernel_shape = [7, 7]> (image, w1)"
    "  n1 = BatchNormalization (conv1, s, s, s, s)"
    "  r1 = Relu (n1)"
    "  p1 = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (r1)"
    "  conv2 = Conv (p1, w2)"
    "  conv3 = Conv <pads = [1, 1, 1, 1]> (conv2, w3)"
    "  conv4 = Conv (conv3, w4)"
    "  down = Conv (p1, w4)"
    "  sum = Add (conv4, down)"
    "  pool = GlobalAveragePool (sum)"
    "  flat = Flatten (pool)"
    "  fc = Gemm <transB = 1> (flat, wf, bf)"
    "}";

TEST(Onnx, ResNet) {
  const Workload net = read(kResNet, run_of(32));
  EXPECT_EQ(net.items, 32u);
  EXPECT_EQ(net.item_name, "images");
  const Workload shipped = read_workload(std::string(MXE_WORKLOADS) + "/resnet50_b32.csv");
  ASSERT_EQ(net.layers.size(), 6u);
  for (std::size_t i = 0; i < 5; i++) {
    const Layer &a = net.layers[i], &b = shipped.layers[i];
    EXPECT_EQ(std::tie(a.m, a.n, a.k, a.count), std::tie(b.m, b.n, b.k, b.count)) << a.name;
  }
  EXPECT_EQ(products(net)[5], (Product{"fc", 32, 1000, 256, 1}));
  EXPECT_EQ(read(kResNet).items, 1u);
}

// As exporters write attention with open dimensions: shapes computed from shapes, a mask by
// Where and Expand.
constexpr const char* kAttention =
    "g (int64[batch_size, seq_len] tokens, float[1000, 48] table, float[48, 144] w,"
    "   float[48, 48] wo) => (float[batch_size, seq_len, 48] y) {"
    "  x = Gather (table, tokens)"
    "  qkv = MatMul (x, w)"
    "  third = Constant <value = int64[3] {48, 48, 48}> ()"
    "  q, k, v = Split <axis = 2> (qkv, third)"
    "  shape = Shape (tokens)"
    "  zero = Constant <value_int = 0> ()"
    "  one = Constant <value_int = 1> ()"
    "  axes = Constant <value_ints = [0]> ()"
    "  b = Gather (shape, zero)"
    "  s = Gather (shape, one)"
    "  b1 = Unsqueeze (b, axes)"
    "  s1 = Unsqueeze (s, axes)"
    "  heads = Constant <value = int64[1] {4}> ()"
    "  width = Constant <value = int64[1] {-1}> ()"
    "  split = Concat <axis = 0> (b1, s1, heads, width)"
    "  qs = Reshape (q, split)"
    "  ks = Reshape (k, split)"
    "  vs = Reshape (v, split)"
    "  qt = Transpose <perm = [0, 2, 1, 3]> (qs)"
    "  kt = Transpose <perm = [0, 2, 3, 1]> (ks)"
    "  vt = Transpose <perm = [0, 2, 1, 3]> (vs)"
    "  scores = MatMul (qt, kt)"
    "  rank = Shape (split)"
    "  ones = ConstantOfShape <value = int64[1] {1}> (rank)"
    "  minus = Constant <value = int64[1] {-1}> ()"
    "  times = Mul (ones, minus)"
    "  wanted = Concat <axis = 0> (b1, heads, s1, s1)"
    "  unset = Equal (wanted, times)"
    "  sizes = Where (unset, ones, wanted)"
    "  bias = Constant <value = float[1] {0.5}> ()"
    "  mask = Expand (bias, sizes)"
    "  masked = Add (scores, mask)"
    "  weights = Softmax <axis = -1> (masked)"
    "  context = MatMul (weights, vt)"
    "  ct = Transpose <perm = [0, 2, 1, 3]> (context)"
    "  last = Mul (heads, heads)"
    "  three = Constant <value = int64[1] {3}> ()"
    "  all = Mul (last, three)"
    "  joined = Concat <axis = 0> (b1, s1, all)"
    "  merged = Reshape (ct, joined)"
    "  y = MatMul (merged, wo)"
    "}";

TEST(Onnx, Attention) {
  const Workload net = read(kAttention, run_of(2, 128));
  EXPECT_EQ(net.items, 256u);
  EXPECT_EQ(net.item_name, "tokens");
  EXPECT_EQ(products(net), (std::vector<Product>{{"qkv", 256, 144, 48, 1},
                                                 {"scores", 128, 128, 12, 8},
                                                 {"context", 128, 12, 128, 8},
                                                 {"y", 256, 48, 48, 1}}));
}

TEST(Onnx, OpenDimensions) {
  expect_error(
      "dimension 'seq_len' of the input 'tokens' is open: say --sequence N or --dim seq_len=N",
      kAttention);
  const std::string graph =
      "g (float[rows, 4] a, float[4, past_sequence_length] b) => (float[x] y) { y = MatMul(a, b) }";
  expect_error("dimension 'rows' of the input 'a' is open: say --dim rows=N", graph);
  const auto of_rows = [](std::optional<uint64_t> context) {
    return run_of({}, {}, context, {{"rows", 6}});
  };
  expect_error("dimension 'past_sequence_length' of the input 'b' is open: say --context N", graph,
               of_rows({}));
  EXPECT_EQ(products(read(graph, of_rows(10)))[0], (Product{"y", 6, 9, 4, 1}));
  expect_error("the shape of 'b' has the size 0", graph, of_rows(1));
  expect_error("no dimension is open for --batch (open: past_sequence_length, rows)", graph,
               run_of(2, {}, 10, {{"rows", 6}}));
  expect_error("no dimension is open for --dim columns=3 (open: past_sequence_length, rows)", graph,
               run_of({}, {}, 10, {{"rows", 6}, {"columns", 3}}));
  // Without a name, the place is one. A wrong size from the file does not win.
  onnx::ModelProto model = model_of(graph);
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->clear_dim_param();
  expect_error("dimension 'a:0' of the input 'a' is open: say --dim a:0=N", model);
  EXPECT_EQ(products(read(model, run_of({}, {}, 10, {{"a:0", 5}})))[0], (Product{"y", 5, 9, 4, 1}));
}

TEST(Onnx, WeightsInOtherFilesAndNames) {
  onnx::ModelProto model =
      model_of("g (float[2, 8] x) => (float[2, 4] z) { y = MatMul(x, w) z = MatMul(x, w) }");
  onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(8);
  weight.add_dims(4);
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& place = *weight.add_external_data();
  place.set_key("location");
  place.set_value("nowhere.bin");
  for (int i = 0; i < 2; i++) model.mutable_graph()->mutable_node(i)->set_name("same");
  EXPECT_EQ(products(read(model)), (std::vector<Product>{{"same", 2, 4, 8, 1}, {"z", 2, 4, 8, 1}}));
}

TEST(Onnx, NewerOperators) {
  const std::string graph =
      "g (float[2, 8, 6, 6] x, float[8, 5] w) => (float[2, 5] y) {"
      "  soft = Gelu (x)"
      "  axes = Constant <value = int64[2] {2, 3}> ()"
      "  mean = ReduceMean <keepdims = 0> (soft, axes)"
      "  y = MatMul (mean, w)"
      "}";
  EXPECT_EQ(products(read(graph, {}, 20)), (std::vector<Product>{{"y", 2, 5, 8, 1}}));
  expect_error("node 'soft' (Gelu): operator Gelu is not supported", graph, RunSize(), 17);
  expect_error("node 'y' (AveragePool): its attribute dilations is newer than version 17",
               "g (float[2, 8, 6, 6] x) => (float[2] y) {"
               "  y = AveragePool <kernel_shape = [2, 2], dilations = [2, 2]> (x) }",
               RunSize(), 19);
}

TEST(Onnx, Unsupported) {
  const std::pair<const char*, const char*> kBad[] = {
      {"y = Einsum <equation = \"ij,jk->ik\"> (a, b)", "node 'y' (Einsum): operator Einsum is not"},
      {"y = MatMulInteger (a, b)", "node 'y' (MatMulInteger): operator MatMulInteger is not"},
      {"y = LSTM (a, b, b)", "operator LSTM is not supported (products are MatMul, Gemm, Conv"},
      {"y = com.microsoft.FusedMatMul (a, b)", "operator com.microsoft.FusedMatMul is not"},
      {"y = MatMull (a, b)", "node 'y' (MatMull): operator MatMull is not supported"},
      {"y = MatMul (a, c)", "node 'y' (MatMul): nothing before it computes its input 'c'"},
      {"y = Conv <strides = [0]> (a, b)", "node 'y' (Conv): strides has 0, but must be at least 1"},
      {"y = MatMul (a)", "node 'y' (MatMul): "},
      {"y = MatMul (a, a)", "node 'y' (MatMul): "},
      {"y = Gemm (a, b, b, b)", "node 'y' (Gemm): "},
      {"y = Relu (a)", "no products of matrices"},
      {"y = NonZero (a) z = MatMul (y, b)", "node 'z' (MatMul): "},
      {"a = MatMul (a, b)", "node 'a' (MatMul): 'a' is computed twice"},
      {"c = Constant <value = bool {1}> () y = If <then_branch = g1 () => (float[4, 3] u) {"
       "  u = MatMul (a, b) }, else_branch = g2 () => (float[4, 3] v) { v = MatMul (a, b) }> (c)",
       "node 'y' (If): products in its graphs, here MatMul, are not supported"},
  };
  for (const auto& [nodes, message] : kBad) {
    SCOPED_TRACE(nodes);
    expect_error(
        message,
        fmt::format("g (float[4, 8] a, float[8, 3] b) => (float[4, 3] y) {{ {} }}", nodes));
  }
}

TEST(Onnx, DamagedFiles) {
  const std::string good = model_of(kResNet).SerializeAsString();
  const auto parse = [](const std::string& bytes) {
    try {
      parse_onnx(bytes.data(), bytes.size(), {}, "net.onnx");
      return std::string();
    } catch (const mx::Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(parse(""), "net.onnx: truncated, or not an ONNX model");
  EXPECT_EQ(parse("layer,M,N,K,count\n"), "net.onnx: truncated, or not an ONNX model");
  // The versions of the operators lie behind the graph: a file that ends between them is whole.
  std::size_t others = 0;
  for (std::size_t size = 1; size < good.size(); size++) {
    const std::string what = parse(good.substr(0, size));
    if (what == "net.onnx: truncated, or not an ONNX model") continue;
    EXPECT_EQ(what, "net.onnx: no version of the operators (opset_import)") << size;
    others++;
  }
  EXPECT_EQ(others, 1u);
  EXPECT_EQ(parse(good), "");
  // Whatever a byte becomes: a model or one line.
  for (std::size_t at = 0; at < good.size(); at++) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1 + at % 255));
    const std::string what = parse(bad);
    EXPECT_EQ(what.find('\n'), std::string::npos) << at << " " << what;
  }
}

}  // namespace
}  // namespace mxe::explore
