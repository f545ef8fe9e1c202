// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/csv_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"

namespace mxe::explore {
namespace {

// UTF-8 texts of ASCII spaces, no-break spaces and the byte order mark.
constexpr std::array<std::string_view, 10> kSpaces = {
    " ", "\t", "\r", "\v", "\f", "\u00A0", "\u2007", "\u202F", "\u2060", "\uFEFF"};

// Length in bytes of the space character that `text` begins with; 0 if there is none.
std::size_t leading_space(std::string_view text) {
  for (const std::string_view space : kSpaces) {
    if (text.substr(0, space.size()) == space) return space.size();
  }
  return 0;
}

std::size_t trailing_space(std::string_view text) {
  for (const std::string_view space : kSpaces) {
    if (text.size() >= space.size() && text.substr(text.size() - space.size()) == space) {
      return space.size();
    }
  }
  return 0;
}

std::string_view without_leading_spaces(std::string_view text) {
  while (const std::size_t length = leading_space(text)) text.remove_prefix(length);
  return text;
}

// Reads a quoted field. `rest` begins after the opening quote; afterwards, after the closing one.
std::string quoted(std::string_view& rest, const FileLine& place) {
  std::string field;
  for (;;) {
    const std::size_t end = rest.find('"');
    if (end == std::string_view::npos) place.fail("a quote that is not closed in its line");
    field += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (rest.empty() || rest.front() != '"') return field;
    field += '"';
    rest.remove_prefix(1);
  }
}

std::string names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    names.push_back(column.required ? column.name : fmt::format("[{}]", column.name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void FileLine::fail(const std::string& problem) const {
  throw Error(fmt::format("{}:{}: {}", path, number, printable(problem, kLongestMessage)));
}

uint64_t FileLine::count(const std::string& text, const std::string& column, uint64_t most) const {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most) {
    fail(fmt::format("{} must be a whole number from 1 to {}, not '{}'", column, most,
                     printable(text)));
  }
  return value;
}

std::string trimmed(const std::string& text) {
  std::string_view rest = without_leading_spaces(text);
  while (const std::size_t length = trailing_space(rest)) rest.remove_suffix(length);
  return std::string(rest);
}

std::vector<std::string> csv_fields(const std::string& line, const FileLine& place) {
  std::vector<std::string> fields;
  std::string_view rest = line;
  for (;;) {
    rest = without_leading_spaces(rest);
    const bool has_quotes = !rest.empty() && rest.front() == '"';
    std::string field;
    if (has_quotes) {
      rest.remove_prefix(1);
      field = quoted(rest, place);
    }
    const std::size_t comma = rest.find(',');
    const std::string text = trimmed(std::string(rest.substr(0, comma)));
    if (text.find('"') != std::string::npos || (has_quotes && !text.empty())) {
      place.fail(
          fmt::format("misplaced quotes at '{}'; allowed: a field in quotes, \"a, b\", or without "
                      "any; a quote in quotes is \"\"",
                      printable(text)));
    }
    fields.push_back(has_quotes ? field : text);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  while (fields.size() > 1 && fields.back().empty()) fields.pop_back();
  return fields;
}

std::string column_key(const std::string& name) {
  std::string key;
  for (std::string_view rest = name; !rest.empty();) {
    if (const std::size_t length = leading_space(rest)) {
      if (!key.empty() && key.back() != ' ') key += ' ';
      rest.remove_prefix(length);
    } else {
      const char c = rest.front();
      key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      rest.remove_prefix(1);
    }
  }
  if (!key.empty() && key.back() == ' ') key.pop_back();
  return key;
}

CsvHeader::CsvHeader(const std::vector<std::string>& fields, std::vector<Column> columns,
                     const FileLine& place) {
  const auto fail = [&](const std::string& problem) {
    place.fail(fmt::format("{}; allowed columns: {}", problem, names_of(columns)));
  };
  for (const std::string& field : fields) {
    if (field.empty()) fail(fmt::format("column {} has no name", names_.size() + 1));
    const std::string key = column_key(field);
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return column_key(column.name) == key ||
             std::find(column.other_names.begin(), column.other_names.end(), key) !=
                 column.other_names.end();
    });
    if (found == columns.end()) fail(fmt::format("unknown column '{}'", printable(field)));
    if (has(found->name)) fail(fmt::format("column '{}' appears twice", found->name));
    names_.emplace_back(found->name);
  }
  for (const Column& column : columns) {
    if (column.required && !has(column.name)) {
      fail(fmt::format("column '{}' is missing", column.name));
    }
  }
}

void CsvHeader::require_fields(const std::vector<std::string>& fields,
                               const FileLine& place) const {
  if (fields.size() == names_.size()) return;
  place.fail(fmt::format("{} fields, but the first line names {} columns: {}", fields.size(),
                         names_.size(), fmt::join(names_, ", ")));
}

const std::string& CsvHeader::field(const std::vector<std::string>& fields,
                                    const std::string& column) const {
  return fields.at(index_of(column).value());
}

std::optional<std::size_t> CsvHeader::index_of(const std::string& column) const {
  const auto found = std::find(names_.begin(), names_.end(), column);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

}  // namespace mxe::explore
