// SPDX-License-Identifier: Apache-2.0
// The golden GEMM and the structural blocks give the same bytes, cycles and counters as arithmetics
// of the model; a user's arithmetic can replace them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/engine/arithmetic/structural_arithmetic.h"
#include "model/job/difference.h"
#include "model/job/job.h"
#include "model/numerics/base/bits.h"
#include "model/numerics/base/random.h"
#include "model/numerics/gemm/accumulate.h"
#include "model/platform/block_object.h"
#include "model/platform/device/device.h"

namespace mxe::test {
namespace {

constexpr uint64_t kSeed = 20261;

/// The golden GEMM tile by tile, on the operand words in the buffers.
class TileByTile : public engine::Arithmetic {
 public:
  explicit TileByTile(const Params& params) : golden_(engine::make_golden_arithmetic(params)) {}
  void start(const engine::ArithmeticJob& job) override { golden_->start(job); }
  void run(const engine::ArrayPass& pass, const engine::TileResults& results) override {
    golden_->run(pass, results);
  }
  void merge(const uint32_t* even, const uint32_t* odd, unsigned count, uint32_t* sums) override {
    golden_->merge(even, odd, count, sums);
  }

 private:
  std::unique_ptr<engine::Arithmetic> golden_;
};

std::unique_ptr<engine::Arithmetic> make_tile_by_tile(const Params& params) {
  return std::make_unique<TileByTile>(params);
}

enum class Numbers { any, moderate, subnormal, edges };

uint8_t random_scale(Random& random, Numbers numbers) {
  static constexpr uint8_t kEdges[] = {0, 1, 127, 253, 254, 255};
  switch (numbers) {
    case Numbers::any:
      return static_cast<uint8_t>(random.next());
    case Numbers::moderate:
      return static_cast<uint8_t>(random.uniform(121, 133));
    case Numbers::subnormal:  // products of about 2^-130
      return static_cast<uint8_t>(random.uniform(52, 68));
    case Numbers::edges:
      break;
  }
  return kEdges[random.uniform(0, 5)];
}

numerics::MxTensor random_tensor(Random& random, numerics::FormatId format, std::size_t rows,
                                 std::size_t k, Numbers numbers, unsigned special_in) {
  const numerics::ElementFormat& element = numerics::element_format(format);
  numerics::MxTensor tensor;
  tensor.format = format;
  tensor.rows = rows;
  tensor.k = k;
  for (std::size_t i = 0; i < rows * k; i++) {
    uint32_t code = static_cast<uint32_t>(random.next()) & element.code_mask();
    const bool special = element.kind == numerics::FormatKind::floating &&
                         (code & (element.sign_mask() - 1)) > element.max_code;
    if (special && (special_in == 0 || !random.one_in(special_in))) code = element.max_code;
    tensor.codes.push_back(static_cast<uint8_t>(code));
  }
  for (std::size_t i = 0; i < rows * tensor.scale_columns(); i++) {
    tensor.scales.push_back(random_scale(random, numbers));
  }
  return tensor;
}

/// Adds to one job in two a bias of any bits (NaN, infinities, subnormals) or of moderate numbers.
void add_bias(Random& random, job::Job& job) {
  if (random.one_in(2)) return;
  job.bias_one_row = random.one_in(2);
  job.bias_bf16 = random.one_in(2);
  const bool moderate = random.one_in(2);
  for (std::size_t i = 0; i < (job.bias_one_row ? 1 : job.m()) * job.n(); i++) {
    auto bits = static_cast<uint32_t>(random.next());
    if (moderate) bits = (bits & 0x83FFFFFF) | 0x3C000000;
    if (job.bias_bf16) bits &= 0xFFFF0000;
    job.bias.push_back(from_bits(bits));
  }
}

job::Job random_job(Random& random, numerics::FormatId format_a, numerics::FormatId format_b,
                    const job::OutputFormat& output) {
  const auto numbers =
      random.one_in(2) ? Numbers::moderate : static_cast<Numbers>(random.uniform(0, 3));
  const unsigned special_in = random.one_in(3) ? 8 : 0;
  const std::size_t m = random.uniform(1, 20), n = random.uniform(1, 44),
                    k = random.one_in(4) ? random.uniform(1, 32) : random.uniform(1, 300);
  job::Job job;
  job.a = random_tensor(random, format_a, m, k, numbers, special_in);
  job.b = random_tensor(random, format_b, n, k, numbers, special_in);
  add_bias(random, job);
  job.output = output;
  job.output.requant.rule = static_cast<numerics::ScaleRule>(random.uniform(0, 3));
  job.output.requant.overflow =
      random.one_in(2) ? numerics::Overflow::special : numerics::Overflow::saturate;
  job.layout.a_offset = static_cast<unsigned>(random.uniform(0, 40));
  job.layout.b_gap = static_cast<unsigned>(random.uniform(0, 3));
  return job;
}

struct Engines {
  Params params;
  device::Device golden, tiles, structural;

  explicit Engines(const Params& p)
      : params(p),
        golden(device::Target::model, setup(engine::make_golden_arithmetic)),
        tiles(device::Target::model, setup(make_tile_by_tile)),
        structural(device::Target::model, setup(engine::make_structural_arithmetic)) {}

 private:
  device::EngineSetup setup(engine::ArithmeticFactory arithmetic) const {
    device::EngineSetup setup;
    setup.params = params;
    setup.arithmetic = std::move(arithmetic);
    return setup;
  }
};

/// Counts jobs, cycles at the dual rate and special results; the test needs some of each.
struct Seen {
  uint64_t jobs = 0, nan_results = 0, saturations = 0, dual = 0, subnormal = 0, infinite = 0;

  void count(const job::Job& job, const device::DeviceResult& result) {
    jobs++;
    nan_results += result.counter("nan_results");
    saturations += result.counter("saturations");
    dual += result.counter("dual_cycles");
    if (job.output.kind != job::OutputFormat::Kind::fp32) return;
    for (const float value : job::load_output(result.output, job.m(), job.n(), job.output)) {
      const uint32_t magnitude = to_bits(value) & 0x7FFFFFFF;
      if (magnitude == kInfinity) infinite++;
      if (magnitude != 0 && magnitude < 0x00800000) subnormal++;
    }
  }
};

void expect_same(const job::Job& job, Engines& engines, Seen& seen) {
  const job::StoredOutput expected = job.golden(job::engine_sums(engines.params.fp4_dual != 0));
  const device::DeviceResult golden = engines.golden.run(job);
  for (device::Device* device : {&engines.tiles, &engines.structural}) {
    SCOPED_TRACE(device == &engines.tiles ? "tile by tile" : "structural");
    const device::DeviceResult result = device->run(job);
    ASSERT_EQ(job::describe_difference(result.output, expected, job.shape()), "");
    ASSERT_EQ(result.cycles, golden.cycles);
    ASSERT_EQ(result.counters, golden.counters);
    if (device == &engines.structural) seen.count(job, result);
  }
}

TEST(Arithmetic, StructuralIsGoldenForEveryPairAndOutput) {
  std::vector<std::unique_ptr<Engines>> all;
  for (const unsigned tree_w : {42u, 56u, 70u}) {
    for (const unsigned fp4_dual : {0u, 1u}) {
      Params params = Params::named("small");
      params.tree_w = tree_w;
      params.fp4_dual = fp4_dual;
      all.push_back(std::make_unique<Engines>(params));
    }
  }
  Seen seen;
  uint64_t seed = kSeed;
  for (const std::unique_ptr<Engines>& engines : all) {
    for (const numerics::FormatId format_a : numerics::kAllFormats) {
      for (const numerics::FormatId format_b : numerics::kAllFormats) {
        if (numerics::pair_tree_width(format_a, format_b) > engines->params.tree_w) continue;
        for (const job::OutputFormat& output : job::all_output_formats()) {
          SCOPED_TRACE(testing::Message()
                       << "seed " << seed << ": " << engines->params.to_string() << ", "
                       << numerics::element_format(format_a).name << " "
                       << numerics::element_format(format_b).name << " " << output.name());
          Random random(seed++);
          for (int i = 0; i < 2; i++) {
            expect_same(random_job(random, format_a, format_b, output), *engines, seen);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(seen.jobs, 5000u);
  EXPECT_GT(seen.nan_results, 10'000u);
  EXPECT_GT(seen.saturations, 1000u);
  EXPECT_GT(seen.dual, 1000u);
  EXPECT_GT(seen.subnormal, 1000u);
  EXPECT_GT(seen.infinite, 1000u);
}

/// A user's accumulator, which truncates instead of rounding.
template <unsigned Width>
struct Truncating {
  uint32_t acc_o = 0;

  void evaluate(Int128 sum, int32_t exp, bool nan, bool pinf, bool ninf, uint32_t acc) {
    blocks::RtlAccumulator<Width> rounded;
    rounded.evaluate(sum, exp, nan, pinf, ninf, acc);
    acc_o = rounded.acc_o;
    if (rounded.inc && rounded.spec_q1 == blocks::Special::none) acc_o--;
  }
  template <class Visitor>
  void visit(Visitor&& v) const {
    blocks::show(v, "acc_o", 32, acc_o);
  }
};

TEST(Arithmetic, AnAccumulatorOfOnesOwnTakesPart) {
  device::EngineSetup setup;
  setup.params = Params::named("small");
  setup.arithmetic = engine::make_structural_arithmetic_with<Truncating>;
  device::Device device(device::Target::model, setup);
  Random random(kSeed);
  job::Job job = random_job(random, numerics::FormatId::mxfp8_e4m3, numerics::FormatId::mxfp8_e4m3,
                            job::OutputFormat());
  job.a = random_tensor(random, numerics::FormatId::mxfp8_e4m3, 9, 256, Numbers::moderate, 0);
  job.b = random_tensor(random, numerics::FormatId::mxfp8_e4m3, 9, 256, Numbers::moderate, 0);
  job.bias.clear();
  const std::vector<float> sums = job.sums(job::engine_sums(true));
  const std::vector<float> cut = job::load_output(device.run(job).output, 9, 9, job.output);
  float largest = 0;
  for (const float sum : sums) largest = std::max(largest, std::fabs(sum));
  std::size_t differences = 0;
  for (std::size_t i = 0; i < sums.size(); i++) {
    differences += sums[i] != cut[i];
    EXPECT_NEAR(cut[i], sums[i], largest * 1e-5);
  }
  EXPECT_GT(differences, sums.size() / 2);
}

struct Rows : engine::BlockWatcher {
  std::vector<uint64_t> cycles;
  void row(uint64_t cycle, const engine::Arithmetic&) override { cycles.push_back(cycle); }
};

TEST(Arithmetic, BlocksAreInTheHierarchyOfSystemC) {
  Rows rows;
  device::EngineSetup setup;
  setup.params = Params::named("small");
  setup.arithmetic = engine::make_structural_arithmetic;
  setup.watcher = &rows;
  device::Device device(device::Target::model, setup);
  auto* pe =
      dynamic_cast<platform::BlockObject*>(sc_core::sc_find_object("model.engine.array.pe_3"));
  ASSERT_TRUE(pe);
  auto* scale = dynamic_cast<platform::BlockObject*>(
      sc_core::sc_find_object("model.engine.array.pe_3.scale_even"));
  ASSERT_TRUE(scale);
  EXPECT_TRUE(sc_core::sc_find_object("model.engine.array.pe_0.dot.quad_7.lane_3"));
  EXPECT_FALSE(sc_core::sc_find_object("model.engine.array.pe_4")) << "there are four PEs";

  // One block of ones; scales 2^3 of A, 2^0 to 2^3 of B's columns.
  job::Job job;
  job.a = {numerics::FormatId::mxint8, 2, 32, std::vector<uint8_t>(64, 64), {130, 130}};
  job.b = {numerics::FormatId::mxint8, 4, 32, std::vector<uint8_t>(128, 64), {127, 128, 129, 130}};
  const device::DeviceResult result = device.run(job);
  EXPECT_EQ(job::load_output(result.output, 2, 4, job.output).back(), 2048.0f);
  EXPECT_EQ(scale->value("nan_o"), blocks::Bits{0});
  // Both operands have weights of 2^-6: exp_o is 3 + 3 - 12 plus the bias.
  EXPECT_EQ(scale->value("exp_o"), blocks::Bits{blocks::kExpBias - 6});
  EXPECT_EQ(pe->value("facc_even.acc_o"), blocks::Bits{to_bits(2048.0f)});
  EXPECT_FALSE(pe->value("no_such_signal"));
  ASSERT_EQ(rows.cycles.size(), 2u);
  EXPECT_EQ(rows.cycles[1], rows.cycles[0] + 1);
}

TEST(Arithmetic, BlocksOfTheDrainHaveTheirLastValues) {
  device::EngineSetup setup;
  setup.params = Params::named("small");
  setup.arithmetic = engine::make_structural_arithmetic;
  device::Device device(device::Target::model, setup);
  const auto value_of = [](const char* block, const char* value) {
    auto* object = dynamic_cast<platform::BlockObject*>(sc_core::sc_find_object(block));
    return object ? object->value(value) : std::nullopt;
  };
  EXPECT_FALSE(sc_core::sc_find_object("model.engine.drain.merge_4")) << "segments have four lanes";

  // 64 products of 1, 32 in the odd chain; in E4M3 the sum 2^6 is the element 2^8 times 2^-2.
  job::Job job;
  job.a = {numerics::FormatId::mxfp4_e2m1, 1, 64, std::vector<uint8_t>(64, 2), {127, 127}};
  job.b = {numerics::FormatId::mxfp4_e2m1, 1, 64, std::vector<uint8_t>(64, 2), {127, 127}};
  job.output = job::parse_output_format("mxfp8_e4m3");
  device.run(job);
  EXPECT_EQ(value_of("model.engine.drain.merge_0", "odd_i"), blocks::Bits{to_bits(32.0f)});
  EXPECT_EQ(value_of("model.engine.drain.merge_0.facc", "acc_o"), blocks::Bits{to_bits(64.0f)});
  EXPECT_EQ(value_of("model.engine.drain.requant.collect", "ramax_o"),
            blocks::Bits{to_bits(64.0f) >> 15 << 1});
  EXPECT_EQ(value_of("model.engine.drain.requant.scale", "scale_o"), blocks::Bits{127 + 6 - 8});
}

TEST(Arithmetic, NamesAreGoldenAndStructural) {
  EXPECT_TRUE(engine::parse_arithmetic("golden"));
  EXPECT_TRUE(engine::parse_arithmetic("structural"));
  try {
    engine::parse_arithmetic("exact");
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown arithmetic 'exact' (allowed: golden, structural)");
  }
}

}  // namespace
}  // namespace mxe::test
