// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mxe::explore {

/// Number of experts by the number of rows (tokens) that they get; without experts that get none.
using ExpertRows = std::map<uint64_t, uint64_t>;

/// How tokens choose experts.
class Routing {
 public:
  /// "uniform", "zipf:EXPONENT" or "histogram:FILE". Throws Error, which names the text or the
  /// file.
  static Routing parse(const std::string& text, uint64_t seed);

  /// Each of `tokens` tokens chooses `per_token` of `experts` experts.
  ///
  /// uniform: the expected number of distinct experts, with equal rows. Example: 64 tokens, 4 of 32
  /// experts: 32 * (1 - (1 - 4 / 32)^64) = 31.99, so 32 experts with 8 rows.
  /// Others: each token draws, so the rows of an expert have a binomial distribution. The mean
  /// share of expert i is proportional to 1 / i^EXPONENT, or to its tokens in the file, but at most
  /// one row per token. Throws Error for too many draws or a file of other experts.
  ExpertRows rows(uint64_t tokens, uint64_t experts, uint64_t per_token) const;

  /// For messages: "zipf:1.1, seed 1".
  std::string text() const;

 private:
  std::vector<double> weights(uint64_t experts, uint64_t per_token) const;

  std::string text_ = "uniform", path_;
  uint64_t seed_ = 1;
  double exponent_ = 0;            ///< of zipf, else 0
  std::vector<double> histogram_;  ///< tokens per expert
};

/// Experts are numbered in memory, so their number has a limit.
inline constexpr uint64_t kMostExperts = 65536;

}  // namespace mxe::explore
