#include "statistics/number_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "core/suggestion.h"

namespace dissensus::statistics {
namespace {

constexpr std::size_t kBytesMax = 64u << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<double> parsed_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Words that mean a missing or unlimited number elsewhere: not the name of a column.
bool means_no_number(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "na" || lower == "nan" || lower == "null" || lower == "inf" ||
         lower == "infinity";
}

/// A mistyped number in the first row must not pass for a header.
bool is_column_name(std::string_view cell) {
  if (cell.empty()) return true;
  const auto first = static_cast<unsigned char>(cell.front());
  return (std::isalpha(first) != 0 || first == '_' || first >= 0x80) && !means_no_number(cell);
}

/// The cells of one line; nothing where a quote does not close or text follows one.
std::optional<std::vector<std::string>> split(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    line = trimmed(line);
    if (!line.starts_with('"')) {
      const std::size_t comma = std::min(line.find(','), line.size());
      cells.emplace_back(trimmed(line.substr(0, comma)));
      line.remove_prefix(comma);
    } else {
      std::string cell;
      std::size_t i = 1;
      for (; i < line.size(); ++i) {
        if (line[i] == '"' && (i + 1 == line.size() || line[i + 1] != '"')) break;
        if (line[i] == '"') ++i;
        cell += line[i];
      }
      if (i == line.size()) return std::nullopt;
      cells.push_back(std::move(cell));
      line = trimmed(line.substr(i + 1));
      if (!line.empty() && line[0] != ',') return std::nullopt;
    }
    if (line.empty()) return cells;
    line.remove_prefix(1);
  }
}

/// Long or strange cells would drown the message.
std::string shown(const std::string& cell) {
  constexpr std::size_t kShown = 40;
  std::string result = cell.substr(0, kShown);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  }
  return cell.size() > kShown ? result + "..." : result;
}

}  // namespace

NumberFile NumberFile::parse(std::string_view text, std::string name) {
  NumberFile file;
  file.name_ = std::move(name);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t columns = 0;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    auto cells = split(line);
    const auto fail = [&](std::string_view message) {
      throw InputError(fmt::format("{}:{}: {}", file.name_, line_number, message));
    };
    if (!cells) fail("broken quotes, expected cells such as 1.5 or \"a, b\"");
    if (columns != 0 && cells->size() != columns) {
      fail(fmt::format("expected {} columns as above, found {}", columns, cells->size()));
    }
    const bool is_header =
        columns == 0 && std::all_of(cells->begin(), cells->end(), is_column_name);
    columns = cells->size();
    if (is_header) {
      file.header_ = std::move(*cells);
      continue;
    }
    if (file.rows_.size() == kRowsMax) fail(fmt::format("expected at most {} rows", kRowsMax));
    file.rows_.push_back({line_number, std::move(*cells)});
  }
  if (file.rows_.empty()) throw InputError(fmt::format("{}: no numbers in it", file.name_));
  return file;
}

NumberFile NumberFile::read(const std::string& path) {
  if (path == "-") return parse(read_file("/dev/stdin", kBytesMax), "standard input");
  return parse(read_file(path, kBytesMax), path);
}

bool NumberFile::has_column(std::string_view column) const {
  return std::find(header_.begin(), header_.end(), column) != header_.end();
}

std::size_t NumberFile::column(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
  if (header_.empty()) {
    throw InputError(
        fmt::format("{}: column '{}' cannot be found: the file has no header", name_, name));
  }
  throw InputError(fmt::format("{}: no column '{}'{} (columns: {})", name_, name,
                               suggestion(name, header_), fmt::join(header_, ", ")));
}

double NumberFile::number(std::size_t row, std::size_t column) const {
  const auto value = parsed_number(text(row, column));
  if (!value) fail_value(row, column, "a number");
  return *value;
}

const std::string& NumberFile::text(std::size_t row, std::size_t column) const {
  return rows_[row].cells[column];
}

void NumberFile::fail_value(std::size_t row, std::size_t column, std::string_view expected) const {
  fail(row, column, fmt::format("expected {}, found '{}'", expected, shown(text(row, column))));
}

void NumberFile::fail(std::size_t row, std::size_t column, std::string_view message) const {
  const std::string label =
      header_.empty() ? fmt::format("column {}", column + 1) : header_[column];
  throw InputError(fmt::format("{}:{}: {}: {}", name_, rows_[row].line, label, message));
}

std::vector<double> NumberFile::numbers(std::string_view column_name) const {
  std::size_t index = 0;
  if (!column_name.empty()) {
    index = column(column_name);
  } else if (rows_.front().cells.size() > 1) {
    throw InputError(
        header_.empty()
            ? fmt::format("{}: {} columns without a header, expected one number per line", name_,
                          rows_.front().cells.size())
            : fmt::format("{}: {} columns, name one with --column ({})", name_, header_.size(),
                          fmt::join(header_, ", ")));
  }
  std::vector<double> result;
  result.reserve(rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) result.push_back(number(row, index));
  return result;
}

}  // namespace dissensus::statistics
