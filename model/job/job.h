// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/output.h"
#include "model/numerics/gemm.h"
#include "model/numerics/tensor.h"
#include "model/params/params.h"
#include "mxe_driver.h"

namespace mxe {

/// The form of the bias that a job starts from.
enum class BiasKind : uint8_t { none, row, full };

/// Everything about a matrix product but its numbers: what it costs depends on this alone.
struct JobShape {
  std::size_t m = 0, n = 0, k = 0;  ///< of each product
  mx::FormatId format_a = mx::FormatId::mxfp8_e4m3, format_b = mx::FormatId::mxfp8_e4m3;
  OutputFormat output;
  BiasKind bias = BiasKind::none;
  bool bias_bf16 = false;
  std::size_t batch = 1;  ///< products, their matrices one below the other

  /// Rows of A and D of all products, and of B.
  std::size_t a_rows() const { return batch * m; }
  std::size_t b_rows() const { return batch * n; }
  std::size_t outputs() const { return a_rows() * n; }
  double macs() const {
    return static_cast<double>(a_rows()) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Most multiply-accumulates that an engine with these parameters does in a cycle.
  unsigned peak_macs_per_cycle(const Params& params) const;
  /// Throws mx::Error if such an engine cannot multiply the formats.
  void require_pair(const Params& params) const;
};

/// How the parts of a job lie in memory: the misalignment of each start, and bytes between rows.
struct JobLayout {
  unsigned a_offset = 0, b_offset = 0, a_scale_offset = 0, b_scale_offset = 0;  ///< any
  unsigned a_gap = 0, b_gap = 0, a_scale_gap = 0, b_scale_gap = 0;              ///< any
  unsigned c_offset = 0, d_offset = 0, c_gap = 0, d_gap = 0;  ///< multiples of their numbers' size
  unsigned d_scale_offset = 0, d_scale_gap = 0;               ///< any
  bool a_one_row = false, b_one_row = false;                  ///< stride 0: every row is row 0
};

/// How an engine with or without FP4_DUAL sums.
inline mx::GemmOptions engine_sums(bool fp4_dual) {
  mx::GemmOptions options;
  options.dual = fp4_dual;
  return options;
}

/// A matrix product C + A * B^T as a value, or several of one shape: operands that are already
/// quantized, bias, form of the results and layout. Golden, model and RTL all compute it.
struct Job {
  mx::MxTensor a;             ///< [batch * m][k]
  mx::MxTensor b;             ///< [batch * n][k]
  std::vector<float> bias;    ///< [batch * m][n], [n] with bias_one_row, or empty for none
  bool bias_one_row = false;  ///< stride 0: the row is added to every row of D
  bool bias_bf16 = false;     ///< stored as BF16, which must hold it exactly
  OutputFormat output;
  JobLayout layout;
  std::size_t batch = 1;

  std::size_t m() const { return a.rows / batch; }
  std::size_t n() const { return b.rows / batch; }
  std::size_t k() const { return a.k; }
  JobShape shape() const;
  /// The sums [batch * m][n] by the reference.
  std::vector<float> sums(const mx::GemmOptions& options) const;
  /// What the reference stores.
  StoredOutput golden(const mx::GemmOptions& options) const;
};

/// A matrix of a job in memory: `rows` rows of `row_bytes`, `stride` bytes apart (0: all the same).
struct JobPart {
  const char* name = "";
  std::size_t rows = 0, row_bytes = 0;
  uint32_t stride = 0;
  unsigned offset = 0;   ///< how far its start is off an aligned address
  uint64_t address = 0;  ///< of its first byte, chosen by who places it

  bool exists() const { return rows != 0 && row_bytes != 0; }
  /// Bytes from the first to the last.
  std::size_t bytes() const { return exists() ? (rows - 1) * stride + row_bytes : 0; }
  uint64_t end() const { return address + bytes(); }
};

/// All matrices of a job. Those that it does not have are there, without rows or bytes.
struct JobParts {
  JobPart a, a_scales, b, b_scales, c, d, d_scales;

  /// Sizes, strides and offsets; the addresses are zero. Throws mx::Error if a size or stride does
  /// not fit into a descriptor.
  JobParts(const JobShape& shape, const JobLayout& layout = {});
  /// All of them, in the order in which they lie in memory where nobody chooses another one.
  std::array<JobPart*, 7> in_order() { return {&a, &b, &a_scales, &b_scales, &d, &d_scales, &c}; }
  /// Puts them there from `address` on, each at a multiple of kAlignment.
  void place(uint64_t address);
  static constexpr uint64_t kAlignment = 128;
  /// What the driver submits once all addresses are chosen.
  mxe_job descriptor(const JobShape& shape) const;
};

}  // namespace mxe
