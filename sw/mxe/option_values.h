// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mxe::cli {

/// Type name of options that accept any word, even an empty one.
constexpr const char* kAnyWord = "WORD";

/// Restricts the options of all subcommands, after all have been added. Rejects values that CLI11
/// accepts: empty, not decimal (CLI11 reads 0x10 as 16, 010 as 8), above 64 bits, not finite, and
/// flags with values other than true and false. Commands check ranges themselves.
void refuse_bad_values(CLI::App& app);

CLI::Validator whole_numbers(int64_t least, int64_t most);
/// Accepts every value of a type of at most 32 bits; the error for larger numbers lists the range.
template <typename Integer>
CLI::Validator fits() {
  static_assert(sizeof(Integer) <= 4, "refuse_bad_values() checks numbers of 64 bits");
  return whole_numbers(std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max());
}

CLI::Validator above_zero();
CLI::Validator not_negative();

/// Splits at commas: {"a,b", "c"} gives a, b, c. Throws Error naming `option` for an empty item.
std::vector<std::string> listed(const char* option, const std::vector<std::string>& words);

}  // namespace mxe::cli
