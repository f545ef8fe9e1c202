// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job/job.h"
#include "model/platform/memory.h"

namespace mxe::cosim {

/// Name and place of a byte, or of the number in the results that it belongs to.
struct Place {
  std::string what;    ///< "D[3][4]", "the gap after row 2 of D", "A at 0x80001040", ...
  uint64_t begin = 0;  ///< address of its first byte
  unsigned bytes = 1;  ///< of the number, if it is one
};

/// The memory of a job before and after it runs, with guard bytes around each part. Gaps, guards
/// and unused bits of packed rows hold noise, which the engine must neither use nor change. The
/// image concatenates its ranges; of long gaps it has the guards at their ends.
class JobImage {
 public:
  /// Places the job from bus address `address` on.
  JobImage(const job::Job& job, uint64_t address, uint64_t noise_seed);

  const mxe_job& descriptor() const { return descriptor_; }
  /// First address of the first range, and end of the last range.
  uint64_t address() const { return address_; }
  uint64_t end() const { return ranges_.back().begin + ranges_.back().size; }
  const std::vector<uint8_t>& before() const { return before_; }
  std::size_t index_of(uint64_t address) const;
  uint64_t address_of(std::size_t index) const;
  void write_to(platform::Memory& memory) const;
  std::vector<uint8_t> read_from(platform::Memory& memory) const;
  std::vector<uint8_t> after(const job::StoredOutput& results) const;
  Place locate(uint64_t address) const;
  /// Address of a byte of `part` ("A", "scales of A", "B", "scales of B", "C", "D", "scales of D");
  /// nothing if the job lacks that part. Row and byte wrap around: row 9 of 4 rows is row 1.
  std::optional<uint64_t> byte_of(const std::string& part, uint64_t row, uint64_t byte) const;

 private:
  struct Range {
    uint64_t begin;
    std::size_t size, index;  // its first byte is before_[index]
  };

  void place(job::JobPart& part);
  void make_ranges();
  void cover(uint64_t begin, uint64_t end);
  void write_rows(const job::JobPart& part, const std::vector<uint8_t>& packed,
                  uint8_t last_byte_mask);
  unsigned bits_of_result() const;

  uint64_t address_;
  mxe_job descriptor_{};
  job::OutputFormat output_;
  std::vector<uint8_t> before_;
  std::vector<job::JobPart> parts_;  // those that exist, ascending
  std::vector<Range> ranges_;        // ascending
};

}  // namespace mxe::cosim
