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
  JobImage(const job::Job& job, uint64_t address, uint64_t noise_seed);

  const mxe_job& descriptor() const { return descriptor_; }
  /// Where the first range begins and the last one ends.
  uint64_t address() const { return address_; }
  uint64_t end() const { return ranges_.back().begin + ranges_.back().size; }
  const std::vector<uint8_t>& before() const { return before_; }
  /// Place in the image of an address that is in it, and the inverse.
  std::size_t index_of(uint64_t address) const;
  uint64_t address_of(std::size_t index) const;
  /// Puts before() into memory; takes the same bytes out of it.
  void write_to(platform::Memory& memory) const;
  std::vector<uint8_t> read_from(platform::Memory& memory) const;
  /// Memory after the job, for these results.
  std::vector<uint8_t> after(const job::StoredOutput& results) const;
  /// What a byte belongs to.
  Place locate(uint64_t address) const;
  /// Address of a byte that the engine reads or writes in `part` ("A", "scales of A", "B", "scales
  /// of B", "C", "D", "scales of D"), the row and the byte in it taken modulo what there is.
  /// Nothing if the job has no such part.
  std::optional<uint64_t> byte_of(const std::string& part, uint64_t row, uint64_t byte) const;

 private:
  /// Bytes of memory that are in the image.
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
