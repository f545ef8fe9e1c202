// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/accuracy/measure.h"

namespace mxe::test {

/// Errors of jobs below this number of RTL cycles are reported in cycles instead of per cent.
inline constexpr uint64_t kLongJob = 2000;

class Accuracy {
 public:
  Accuracy(std::string configuration, bool jitter)
      : configuration_(std::move(configuration)), jitter_(jitter) {}

  void add(const StreamMeasurement& stream);
  std::size_t jobs() const { return jobs_; }

  static std::string header();
  std::string row() const;
  /// A line for each mismatch, one if cycles of jobs differ, one for the counter that differs
  /// most, if any.
  std::vector<std::string> failures() const;

 private:
  double mean() const { return long_jobs_ == 0 ? 0 : error_sum_ / static_cast<double>(long_jobs_); }

  std::string configuration_;
  bool jitter_;
  std::size_t jobs_ = 0, long_jobs_ = 0, exact_ = 0;
  uint64_t rtl_cycles_ = 0;
  double error_sum_ = 0, max_error_ = 0;
  uint64_t max_short_ = 0;
  double max_stall_ = 0;
  const char* worst_stall_ = "";
  std::string worst_job_;
  double worst_ = 0;
  std::vector<std::string> mismatches_;
};

/// Replaces the text between `<!-- NAME -->` and `<!-- end of NAME -->` in a file, or throws Error.
void replace_section(const std::string& path, const std::string& name, const std::string& text);

}  // namespace mxe::test
