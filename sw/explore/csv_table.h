// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mxe::explore {

struct FileLine {
  const std::string& path;
  std::size_t number;

  /// Throws Error: `PATH:LINE: PROBLEM`.
  [[noreturn]] void fail(const std::string& problem) const;
  /// Parses a whole number from 1 to `most`. Throws Error, which names `column`.
  uint64_t count(const std::string& text, const std::string& column, uint64_t most) const;
};

/// Splits a line as RFC 4180 does, but a quoted field must end in its line. Removes spaces around
/// fields and empty fields at the end: `a, 1,,` has two fields. Throws Error for misplaced quotes.
std::vector<std::string> csv_fields(const std::string& line, const FileLine& place);

/// Removes leading and trailing spaces, no-break spaces and byte order marks.
std::string trimmed(const std::string& text);

struct Column {
  const char* name;
  bool required;
  std::vector<std::string> other_names;  ///< in lower case
};

class CsvHeader {
 public:
  /// Compares names by column_key(). Throws Error for a column that is unknown,
  /// unnamed, duplicated, or required and missing.
  CsvHeader(const std::vector<std::string>& fields, std::vector<Column> columns,
            const FileLine& place);

  /// Throws Error if the line has more or fewer fields than the header.
  void require_fields(const std::vector<std::string>& fields, const FileLine& place) const;
  bool has(const std::string& column) const { return index_of(column).has_value(); }
  const std::string& field(const std::vector<std::string>& fields, const std::string& column) const;

 private:
  std::optional<std::size_t> index_of(const std::string& column) const;

  std::vector<std::string> names_;
};

/// The name in lower case, with single spaces between words: " IFMAP  Height" is "ifmap height".
std::string column_key(const std::string& name);

}  // namespace mxe::explore
