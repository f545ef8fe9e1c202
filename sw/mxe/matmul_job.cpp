#include "matmul_job.h"

#include <fmt/format.h>

#include <cstring>

#include "numerics/accumulate.h"
#include "numerics/gemm.h"

namespace mxe::cli {
namespace {

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The bias as gemm_block takes it: one value an output.
std::vector<float> full_bias(const MatmulJob& job) {
  const MatmulShape shape = job.shape();
  if (job.bias.empty() || job.bias.size() == shape.outputs()) return job.bias;
  std::vector<float> bias;
  bias.reserve(shape.outputs());
  for (std::size_t row = 0; row < shape.m; ++row) {
    bias.insert(bias.end(), job.bias.begin(), job.bias.end());
  }
  return bias;
}

}  // namespace

const char* target_name(Target target) {
  switch (target) {
    case Target::golden:
      return "golden";
    case Target::model:
      return "model";
    case Target::rtl:
      return "rtl";
  }
  return "";
}

Target parse_target(const std::string& name) {
  for (const Target target : {Target::golden, Target::model, Target::rtl}) {
    if (name == target_name(target)) return target;
  }
  throw mx::Error(fmt::format("cannot run on '{}' (allowed: golden, model, rtl)", name));
}

std::vector<float> golden_sums(const MatmulJob& job, const mx::GemmOptions& options) {
  const std::vector<float> bias = full_bias(job);
  return mx::gemm(job.a, job.b, bias.empty() ? nullptr : bias.data(), options);
}

StoredOutput run_golden(const MatmulJob& job, const mx::GemmOptions& options) {
  const MatmulShape shape = job.shape();
  return store_output(golden_sums(job, options), shape.m, shape.n, job.output);
}

unsigned peak_macs_per_cycle(const Params& params, const MatmulShape& shape) {
  const bool dual =
      params.fp4_dual != 0 && mx::is_four_bit(shape.format_a) && mx::is_four_bit(shape.format_b);
  return params.num_pe * static_cast<unsigned>(mx::kBlockSize) * (dual ? 2 : 1);
}

std::string describe_difference(const std::vector<float>& result,
                                const std::vector<float>& expected, std::size_t columns) {
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (bits_of(result[i]) == bits_of(expected[i])) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return "";
  return fmt::format(
      "{} of {} outputs differ; the first is C[{}][{}]: {} ({:#010x}) "
      "instead of {} ({:#010x})",
      count, expected.size(), first / columns, first % columns, result[first],
      bits_of(result[first]), expected[first], bits_of(expected[first]));
}

std::string describe_difference(const StoredOutput& result, const StoredOutput& expected,
                                const MatmulShape& shape) {
  const auto values = [&shape](const StoredOutput& stored) {
    return load_output(stored, shape.m, shape.n, shape.output);
  };
  const std::string difference = describe_difference(values(result), values(expected), shape.n);
  if (!difference.empty()) return difference;
  if (result.scales != expected.scales) return "the values agree, but the scales differ";
  if (result.bytes != expected.bytes) return "the values agree, but the stored bytes differ";
  return "";
}

void require_pair(const Params& params, const MatmulShape& shape) {
  const unsigned needed = mx::pair_tree_width(shape.format_a, shape.format_b);
  if (needed <= params.tree_w) return;
  throw mx::Error(fmt::format("{} times {} needs TREE_W of at least {}, the configuration has {}",
                              mx::element_format(shape.format_a).name,
                              mx::element_format(shape.format_b).name, needed, params.tree_w));
}

}  // namespace mxe::cli
