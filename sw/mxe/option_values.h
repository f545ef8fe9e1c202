// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mxe::cli {

/// The type name of options that accept any word, even an empty one: arguments for another program.
constexpr const char* kAnyWord = "WORD";

/// Makes every option of every subcommand refuse values that CLI11 accepts: empty ones, numbers
/// that are not decimal (CLI11 reads 0x10 as 16 and 010 as 8), that exceed 64 bits, or that are not
/// finite; and values of flags that are neither true nor false. Commands check ranges themselves.
/// Call it after all options have been added.
void refuse_bad_values(CLI::App& app);

/// A check that accepts whole numbers from `least` to `most`.
CLI::Validator whole_numbers(int64_t least, int64_t most);
/// The same for all values of an option's type of at most 32 bits: CLI11 reports larger numbers
/// without the allowed ones.
template <typename Integer>
CLI::Validator fits() {
  static_assert(sizeof(Integer) <= 4, "refuse_bad_values() checks numbers of 64 bits");
  return whole_numbers(std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max());
}

/// A check that accepts decimal numbers above 0.
CLI::Validator above_zero();
/// A check that accepts decimal numbers from 0 on.
CLI::Validator not_negative();

/// Splits words that may be lists: {"a,b", "c"} gives a, b, c. Throws Error with the option's
/// name for an empty item.
std::vector<std::string> listed(const char* option, const std::vector<std::string>& words);

}  // namespace mxe::cli
