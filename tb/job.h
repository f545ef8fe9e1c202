#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxe_driver.h"
#include "numerics/tensor.h"
#include "platform/memory.h"
#include "platform/output.h"
#include "tb/engine_features.h"
#include "tb/spoil.h"

namespace mxe {

/// How the parts of a job lie in memory: the misalignment of each start, and bytes between rows.
struct JobLayout {
  unsigned a_offset = 0, b_offset = 0, a_scale_offset = 0, b_scale_offset = 0;  ///< any
  unsigned a_gap = 0, b_gap = 0, a_scale_gap = 0, b_scale_gap = 0;              ///< any
  unsigned c_offset = 0, d_offset = 0, c_gap = 0, d_gap = 0;  ///< multiples of their numbers' size
  unsigned d_scale_offset = 0, d_scale_gap = 0;               ///< any
  bool a_one_row = false, b_one_row = false;                  ///< stride 0: every row is row 0
};

/// What must come of a job besides its bytes: what it adds to the counters that follow from data
/// alone.
struct JobCounts {
  uint64_t blocks = 0, nan_results = 0, saturations = 0, bytes_written = 0;

  JobCounts& operator+=(const JobCounts& other);
};

/// Bytes of the record that the engine writes when a job completes.
inline constexpr uint64_t kRecordBytes = 16;

/// The outcome that a job must have.
struct JobResult {
  StoredOutput stored;
  JobCounts counts;
};

/// A matrix product as a value: operands, bias, form of the results and layout. Copies are
/// independent.
struct Job {
  mx::MxTensor a;             ///< [m][k]
  mx::MxTensor b;             ///< [n][k]
  std::vector<float> bias;    ///< [m][n], [n] with bias_one_row, or empty for none
  bool bias_one_row = false;  ///< stride 0: the row is added to every row of D
  bool bias_bf16 = false;     ///< stored as BF16, which must hold it exactly
  OutputFormat output;
  JobLayout layout;
  std::vector<Spoil> spoils;  ///< what is wrong with its descriptor
  std::string values;         ///< what kind of values the operands hold, for messages

  std::size_t m() const { return a.rows; }
  std::size_t n() const { return b.rows; }
  std::size_t k() const { return a.k; }
  /// One line: shape, formats, bias, layout.
  std::string describe() const;
  /// MXE_STATUS_OK, or the status with which an engine must refuse the job, by the rules of
  /// docs/registers.md.
  uint32_t refused_with(const EngineFeatures& engine) const;
  /// The sums by the golden GEMM, [m][n], as an engine with or without FP4_DUAL computes them.
  std::vector<float> sums(bool fp4_dual) const;
  /// What such an engine makes of the job.
  JobResult golden(bool fp4_dual) const;
};

/// A number of the results, or another byte of a job's memory.
struct Place {
  std::string what;    ///< "D[3][4]", "the gap after row 2 of D", "A at 0x80001040", ...
  uint64_t begin = 0;  ///< address of its first byte
  unsigned bytes = 1;  ///< of the number, if it is one
};

/// A job and everything around it: what to write to memory before the job runs, and what must be
/// there afterwards. Gaps, guards and the unused bits of packed rows hold noise, which the engine
/// must neither use nor change. Of a long gap only the guards at its ends are in the image; the
/// image is the bytes of all its ranges of memory, one after the other.
class JobImage {
 public:
  /// Lays the job out from bus address `address` on. `noise_seed` is for the bytes that do not
  /// matter.
  JobImage(const Job& job, uint64_t address, uint64_t noise_seed);

  const mxe_job& descriptor() const { return descriptor_; }
  /// Where the first range begins and the last one ends.
  uint64_t address() const { return address_; }
  uint64_t end() const { return ranges_.back().begin + ranges_.back().size; }
  const std::vector<uint8_t>& before() const { return before_; }
  /// Place in the image of an address that is in it, and the inverse.
  std::size_t index_of(uint64_t address) const;
  uint64_t address_of(std::size_t index) const;
  /// Puts before() into memory; takes the same bytes out of it.
  void write_to(Memory& memory) const;
  std::vector<uint8_t> read_from(Memory& memory) const;
  /// Memory after the job, for these results.
  std::vector<uint8_t> after(const StoredOutput& results) const;
  /// What a byte belongs to.
  Place locate(uint64_t address) const;
  /// Address of a byte that the engine reads or writes in `part` ("A", "scales of A", "B", "scales
  /// of B", "C", "D", "scales of D"), the row and the byte in it taken modulo what there is.
  /// Nothing if the job has no such part.
  std::optional<uint64_t> byte_of(const std::string& part, uint64_t row, uint64_t byte) const;

 private:
  /// A matrix in memory.
  struct Part {
    const char* name;
    uint64_t begin, stride;
    std::size_t rows, row_bytes;

    uint64_t end() const { return begin + (rows - 1) * stride + row_bytes; }
  };

  /// Bytes of memory that are in the image.
  struct Range {
    uint64_t begin;
    std::size_t size, index;  // its first byte is before_[index]
  };

  uint64_t place(const char* name, unsigned offset, std::size_t rows, std::size_t stride,
                 std::size_t row_bytes);
  void make_ranges();
  void cover(uint64_t begin, uint64_t end);
  void write_rows(uint64_t address, uint64_t stride, const std::vector<uint8_t>& packed,
                  std::size_t row_bytes, uint8_t last_byte_mask);
  unsigned bits_of_result() const;

  uint64_t address_;
  mxe_job descriptor_{};
  OutputFormat output_;
  std::vector<uint8_t> before_;
  std::vector<Part> parts_;
  std::vector<Range> ranges_;  // ascending
};

}  // namespace mxe
