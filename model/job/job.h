// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/job/output.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/tensor.h"
#include "model/params/params.h"
#include "mxe_driver.h"

namespace mxe::job {

/// Shape of the bias: none, one row [N] for all rows of D, or a full matrix [batch * M][N].
enum class BiasKind : uint8_t { none, row, full };

struct JobShape {
  std::size_t m = 0, n = 0, k = 0;  ///< of each product
  numerics::FormatId format_a = numerics::FormatId::mxfp8_e4m3,
                     format_b = numerics::FormatId::mxfp8_e4m3;
  OutputFormat output;
  BiasKind bias = BiasKind::none;
  bool bias_bf16 = false;
  std::size_t batch = 1;  ///< number of products; their matrices are stacked along the rows
  numerics::ScaleLayout scales_a = {}, scales_b = {};
  std::optional<float> alpha = {};  ///< a factor of all results, for example of tensor scales
  bool has_row_scales = false;      ///< rows have tensor scales, which engines lack

  /// Rows of A and of D in all products: batch 3, m 5 -> 15.
  std::size_t a_rows() const { return batch * m; }
  std::size_t b_rows() const { return batch * n; }
  std::size_t outputs() const { return a_rows() * n; }
  double macs() const {
    return static_cast<double>(a_rows()) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Peak multiply-accumulates per cycle: NUM_PE * 32, doubled if FP4_DUAL applies to the formats.
  unsigned peak_macs_per_cycle(const Params& params) const;
  numerics::ScaledFormat operand_a() const { return {format_a, scales_a}; }
  numerics::ScaledFormat operand_b() const { return {format_b, scales_b}; }
  /// True if both operands are NVFP4: E2M1 in blocks of 16 with UE4M3 scales.
  bool is_nvfp4() const;
  /// True if 4-bit operands have two chains of sums on an engine with FP4_DUAL.
  bool has_two_chains(const Params& params) const;
  /// Throws Error unless engines have the scales: E8M0 in blocks of at least 32 or NVFP4 on both
  /// sides, and no scales of rows.
  void require_engine_scales() const;
  /// Throws LimitError if TREE_W is too small for the products of the two formats, Error if the
  /// configuration has no NVFP4, or the error of require_engine_scales().
  void require_pair(const Params& params) const;
};

/// Memory layout of a job, in bytes. `*_offset`: distance of a start from an aligned address.
/// `*_gap`: unused bytes after each row; a row of 40 bytes with a gap of 24 has a stride of 64.
struct JobLayout {
  unsigned a_offset = 0, b_offset = 0, a_scale_offset = 0, b_scale_offset = 0;
  unsigned a_gap = 0, b_gap = 0, a_scale_gap = 0, b_scale_gap = 0;
  unsigned c_offset = 0, d_offset = 0, c_gap = 0, d_gap = 0;  ///< multiples of the number's size
  unsigned d_scale_offset = 0, d_scale_gap = 0;
  bool a_one_row = false, b_one_row = false;  ///< stride 0, also of the scales: each is row 0
};

inline numerics::GemmOptions engine_sums(bool fp4_dual) {
  numerics::GemmOptions options;
  options.dual = fp4_dual;
  return options;
}

/// One matrix product D = A * B^T (+ C) of quantized operands, or a batch of products of one shape.
struct Job {
  numerics::MxTensor a;        ///< [batch * m][k]
  numerics::MxTensor b;        ///< [batch * n][k]
  std::vector<float> bias;     ///< [batch * m][n], [n] with bias_one_row, or empty for none
  bool bias_one_row = false;   ///< stride 0: the row is added to every row of D
  bool bias_bf16 = false;      ///< stored as BF16; every value must be exact in BF16
  std::optional<float> alpha;  ///< replaces the product of the tensor scales
  OutputFormat output;
  JobLayout layout;
  std::size_t batch = 1;

  std::size_t m() const { return a.rows / batch; }
  std::size_t n() const { return b.rows / batch; }
  std::size_t k() const { return a.k; }
  JobShape shape() const;
  /// The reference's FP32 results [batch * m][n].
  std::vector<float> sums(const numerics::GemmOptions& options) const;
  /// sums() in the output format: the expected result of model and RTL, bit for bit.
  StoredOutput golden(const numerics::GemmOptions& options) const;
};

struct JobPart {
  const char* name = "";
  std::size_t rows = 0, row_bytes = 0;
  uint32_t stride = 0;
  unsigned offset = 0;  ///< bytes from an aligned address to its start
  uint64_t address = 0;

  bool exists() const { return rows != 0 && row_bytes != 0; }
  std::size_t bytes() const { return exists() ? (rows - 1) * stride + row_bytes : 0; }
  uint64_t end() const { return address + bytes(); }
};

/// All matrices of a job. A matrix that the job lacks has no rows and no bytes.
struct JobParts {
  JobPart a, a_scales, b, b_scales, c, d, d_scales;

  /// Sets sizes, strides and offsets; addresses stay 0. Throws Error if M, N, K or the bytes of a
  /// stride exceed 2^32 - 1, if the batch has no products or too many for a descriptor, or if no
  /// engine supports the scales.
  JobParts(const JobShape& shape, const JobLayout& layout = {});  // NOLINT: implicit by design
  /// The order of place() in memory.
  std::array<JobPart*, 7> in_order() { return {&a, &b, &a_scales, &b_scales, &d, &d_scales, &c}; }
  /// Assigns addresses from `address` upwards in the order of in_order(), multiples of kAlignment.
  /// Ignores `offset`.
  void place(uint64_t address);
  static constexpr uint64_t kAlignment = 128;
  mxe_job descriptor(const JobShape& shape) const;
};

}  // namespace mxe::job
