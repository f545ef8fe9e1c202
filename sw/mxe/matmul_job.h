#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/params.h"
#include "numerics/gemm.h"
#include "numerics/tensor.h"
#include "platform/output.h"

namespace mxe::cli {

/// What a matrix product costs depends on this alone.
struct MatmulShape {
  std::size_t m = 0, n = 0, k = 0;
  mx::FormatId format_a = mx::FormatId::mxfp8_e4m3, format_b = mx::FormatId::mxfp8_e4m3;
  OutputFormat output;

  std::size_t outputs() const { return m * n; }
  double macs() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// C = A * B^T + bias on operands that are already quantized: what golden, model and RTL all
/// compute.
struct MatmulJob {
  mx::MxTensor a;           ///< [M][K]
  mx::MxTensor b;           ///< [N][K]
  std::vector<float> bias;  ///< [M][N], [N] for the same row everywhere, or empty
  bool bias_bf16 = false;   ///< the bias is stored as BF16, which must hold it exactly
  OutputFormat output;

  MatmulShape shape() const { return {a.rows, b.rows, a.k, a.format, b.format, output}; }
};

/// Where a job runs.
enum class Target { golden, model, rtl };

/// "golden", "model" or "rtl".
const char* target_name(Target target);
/// The inverse; throws mx::Error with the allowed names.
Target parse_target(const std::string& name);

/// The sums [M][N] of the reference.
std::vector<float> golden_sums(const MatmulJob& job, const mx::GemmOptions& options);

/// Multiply-accumulates a cycle that the engine does at best with these formats.
unsigned peak_macs_per_cycle(const Params& params, const MatmulShape& shape);

/// The result of the reference.
StoredOutput run_golden(const MatmulJob& job, const mx::GemmOptions& options);

/// Where two results differ: empty if they are the same in every bit, else one line about how many
/// outputs differ and which is the first. `columns` is N.
std::string describe_difference(const std::vector<float>& result,
                                const std::vector<float>& expected, std::size_t columns);
/// The same of stored results: every byte counts, also where the values agree.
std::string describe_difference(const StoredOutput& result, const StoredOutput& expected,
                                const MatmulShape& shape);

/// Throws mx::Error if the configuration cannot multiply these formats.
void require_pair(const Params& params, const MatmulShape& shape);

}  // namespace mxe::cli
