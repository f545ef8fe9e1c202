#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxe_driver.h"
#include "numerics/tensor.h"

namespace mxe {

/// How the parts of a job lie in memory: the misalignment of each start, and bytes between rows.
struct JobLayout {
  unsigned a_offset = 0, b_offset = 0, a_scale_offset = 0, b_scale_offset = 0;  ///< any
  unsigned a_gap = 0, b_gap = 0, a_scale_gap = 0, b_scale_gap = 0;              ///< any
  unsigned c_offset = 0, d_offset = 0, c_gap = 0, d_gap = 0;                    ///< multiples of 4
  bool a_one_row = false, b_one_row = false;  ///< stride 0: every row is row 0
};

/// A matrix product as a value: operands, bias and layout. Copies are independent.
struct Job {
  mx::MxTensor a;             ///< [m][k]
  mx::MxTensor b;             ///< [n][k]
  std::vector<float> bias;    ///< [m][n], [n] with bias_one_row, or empty for none
  bool bias_one_row = false;  ///< stride 0: the row is added to every row of D
  JobLayout layout;
  std::string values;  ///< what kind of values the operands hold, for messages

  std::size_t m() const { return a.rows; }
  std::size_t n() const { return b.rows; }
  std::size_t k() const { return a.k; }
  /// One line: shape, formats, bias, layout.
  std::string describe() const;
  /// D by the golden GEMM, [m][n], as an engine with or without FP4_DUAL computes it.
  std::vector<float> golden(bool fp4_dual) const;
};

/// A job and everything around it, as one range of memory: what to write there before the job runs,
/// and what must be there afterwards. Gaps, guards and the unused bits of packed rows hold noise,
/// which the engine must neither use nor change.
class JobImage {
 public:
  /// Lays the job out from bus address `address` on. `noise_seed` is for the bytes that do not
  /// matter.
  JobImage(const Job& job, uint64_t address, uint64_t noise_seed);

  const mxe_job& descriptor() const { return descriptor_; }
  uint64_t address() const { return address_; }
  const std::vector<uint8_t>& before() const { return before_; }
  /// Memory after the job, for these results [m][n].
  std::vector<uint8_t> after(const std::vector<float>& results) const;
  /// Row and column of D that a byte belongs to, or the part of the job it lies in, as text.
  std::string locate(uint64_t address) const;

 private:
  struct Part {
    const char* name;
    uint64_t begin, end;
  };

  uint64_t place(const char* name, unsigned offset, std::size_t bytes);
  void write_rows(uint64_t address, uint64_t stride, const std::vector<uint8_t>& packed,
                  std::size_t row_bytes, uint8_t last_byte_mask);

  uint64_t address_;
  mxe_job descriptor_{};
  std::vector<uint8_t> before_;
  std::vector<Part> parts_;
};

}  // namespace mxe
