// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mxe::cli {

/// The type name of options that take any word as it is, also an empty one: words for another
/// program.
constexpr const char* kAnyWord = "WORD";

/// Makes every option of every subcommand refuse values that CLI11 takes without a word: empty
/// ones, numbers that are not decimal (0x10 is 16 for it, and 010 is 8), too large for 64 bits, or
/// not finite. Ranges are the commands' to check. Call it after all options have been added.
void refuse_bad_values(CLI::App& app);

/// A check of decimal numbers: 0 and what is below it are refused.
CLI::Validator above_zero();
/// The same, but 0 is allowed.
CLI::Validator not_negative();

/// The items of words that may be lists: {"a,b", "c"} is a, b, c. Throws mx::Error for an empty
/// item; `option` is named in the message.
std::vector<std::string> listed(const char* option, const std::vector<std::string>& words);

}  // namespace mxe::cli
