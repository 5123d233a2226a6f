// Numbers that other programs left in a file: one per line, or columns separated by commas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::statistics {

/// A small CSV file as text, with the line of every row for messages. Blank lines and lines that
/// begin with # are skipped; cells may be quoted ("a, ""b"""). The first row is a header where
/// each of its cells could be the name of a column.
class NumberFile {
 public:
  /// `name` is what messages call the file. Throws InputError for rows of unequal length, broken
  /// quotes, no rows, or more than kRowsMax rows.
  static NumberFile parse(std::string_view text, std::string name);
  /// "-" is standard input.
  static NumberFile read(const std::string& path);

  static constexpr std::size_t kRowsMax = 1'000'000;

  std::size_t rows() const { return rows_.size(); }
  bool has_column(std::string_view column) const;
  /// The index of a named column. Throws InputError, with the names there are.
  std::size_t column(std::string_view name) const;

  /// One finite number. Throws InputError with file, line and column.
  double number(std::size_t row, std::size_t column) const;
  const std::string& text(std::size_t row, std::size_t column) const;
  /// "file:line: column: expected ..., found '...'".
  [[noreturn]] void fail_value(std::size_t row, std::size_t column,
                               std::string_view expected) const;
  [[noreturn]] void fail(std::size_t row, std::size_t column, std::string_view message) const;

  /// All numbers of a column; without a name the file must have one column only.
  std::vector<double> numbers(std::string_view column = {}) const;

  const std::string& name() const { return name_; }

 private:
  struct Row {
    std::size_t line = 0;
    std::vector<std::string> cells;
  };
  std::string name_;
  std::vector<std::string> header_;  ///< empty: there is none
  std::vector<Row> rows_;
};

}  // namespace dissensus::statistics
