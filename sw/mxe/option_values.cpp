// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "model/numerics/base/error.h"

namespace mxe::cli {
namespace {

// The checks return an error message, or an empty text for a legal value.

std::string not_empty(const std::string& text) {
  return text.empty() ? "the value is empty" : std::string();
}

template <typename Integer>
std::string whole_number(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text[0] == '-' ? 1 : 0);
  const bool padded = digits.size() > 1 && digits[0] == '0';
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest == end && error == std::errc() && !padded) return {};
  const bool natural = std::is_unsigned_v<Integer>;
  return fmt::format("'{}' is not possible (allowed: decimal whole numbers{})", text,
                     natural ? " of at least 0" : "");
}

std::string finite_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest == end && error == std::errc() && std::isfinite(value)) return {};
  return fmt::format("'{}' is not possible (allowed: finite decimal numbers)", text);
}

std::string true_or_false(const std::string& text) {
  bool value = false;
  if (CLI::detail::lexical_cast(text, value)) return {};
  return fmt::format("'{}' is not possible (allowed: no value, true or false)", text);
}

std::string wrong_value(const std::string& type, const std::string& text) {
  const std::string empty = not_empty(text);
  if (!empty.empty()) return empty;
  if (type == "UINT") return whole_number<uint64_t>(text);
  if (type == "INT") return whole_number<int64_t>(text);
  if (type == "FLOAT") return finite_number(text);
  return {};
}

/// "UINT:INT in [1 - 1024]" gives "UINT".
std::string bare_type(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

}  // namespace

void refuse_bad_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    for (CLI::Option* option : command->get_options()) {
      const std::string type = bare_type(*option);
      if (type == kAnyWord) continue;
      if (option->get_items_expected_max() == 0) {
        option->check(true_or_false);
      } else {
        option->check([type](const std::string& text) { return wrong_value(type, text); });
      }
    }
  }
}

CLI::Validator whole_numbers(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const bool whole = !text.empty() && whole_number<int64_t>(text).empty();
        const int64_t value = whole ? std::stoll(text) : 0;
        if (whole && value >= least && value <= most) return std::string();
        return fmt::format("'{}' is not possible (allowed: decimal whole numbers from {} to {})",
                           text, least, most);
      },
      "");
}

CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) {
        const bool zero = text.find_first_not_of("0.") == std::string::npos;
        if (!zero && text[0] != '-') return std::string();
        return fmt::format("'{}' is not possible (allowed: more than 0)", text);
      },
      "POSITIVE");
}

CLI::Validator not_negative() {
  return CLI::Validator(
      [](std::string& text) {
        if (text.empty() || text[0] != '-') return std::string();
        return fmt::format("'{}' is not possible (allowed: 0 or more)", text);
      },
      "NONNEGATIVE");
}

std::vector<std::string> listed(const char* option, const std::vector<std::string>& words) {
  std::vector<std::string> items;
  for (const std::string& word : words) {
    for (std::size_t at = 0; at <= word.size();) {
      const std::size_t end = std::min(word.find(',', at), word.size());
      items.push_back(word.substr(at, end - at));
      if (items.back().empty()) {
        throw Error(fmt::format("{}: '{}' has an empty item", option, word));
      }
      at = end + 1;
    }
  }
  return items;
}

}  // namespace mxe::cli
