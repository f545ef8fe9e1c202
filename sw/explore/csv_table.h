// SPDX-License-Identifier: Apache-2.0
// Tables of comma-separated values whose first line names the columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mxe::explore {

/// A line of a file, for messages.
struct FileLine {
  const std::string& path;
  std::size_t number;

  /// Throws mx::Error: `PATH:LINE: PROBLEM`.
  [[noreturn]] void fail(const std::string& problem) const;
  /// A whole number from 1 to `most`. Throws mx::Error that names `column`.
  uint64_t count(const std::string& text, const std::string& column, uint64_t most) const;
};

/// The fields of a line as RFC 4180 has them, except that a field ends where its line ends. Spaces
/// around a field, no-break spaces included, are dropped. Empty fields at the end are
/// dropped: `a,1,,` has two fields. Throws mx::Error for quotes that do not fit.
std::vector<std::string> csv_fields(const std::string& line, const FileLine& place);

/// Without the spaces at both ends, no-break spaces included.
std::string trimmed(const std::string& text);

/// A column that a table may have.
struct Column {
  const char* name;
  bool required;
  std::vector<std::string> other_names;  ///< in lower case
};

/// The places of named columns in the fields of a line.
class CsvHeader {
 public:
  /// Names are equal if they differ in case and spaces only. Throws mx::Error for a column that is
  /// not in `columns`, has no name, appears twice, or is required and missing.
  CsvHeader(const std::vector<std::string>& fields, std::vector<Column> columns,
            const FileLine& place);

  /// Throws mx::Error if the line has more or fewer fields than the header.
  void require_fields(const std::vector<std::string>& fields, const FileLine& place) const;
  bool has(const std::string& column) const { return index_of(column).has_value(); }
  /// The field of a column that the header has.
  const std::string& field(const std::vector<std::string>& fields, const std::string& column) const;

 private:
  std::optional<std::size_t> index_of(const std::string& column) const;

  std::vector<std::string> names_;  // of the fields of a line
};

/// In lower case, with single spaces between words.
std::string column_key(const std::string& name);

}  // namespace mxe::explore
