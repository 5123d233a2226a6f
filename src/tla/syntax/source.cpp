#include "tla/syntax/source.h"

#include <fmt/format.h>

namespace dissensus::tla {

std::string_view Source::line(std::uint32_t line) const {
  const std::string_view all = text;
  std::size_t begin = 0;
  for (std::uint32_t current = 1; current < line; ++current) {
    const std::size_t end = all.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  std::string_view found = all.substr(begin, all.find('\n', begin) - begin);
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

std::string Location::to_string() const {
  if (source == nullptr) return {};
  if (line == 0 || line > source->shown.size()) {
    return fmt::format("{}:{}:{}", source->path, line, column);
  }
  const Source::Shown& shown = source->shown[line - 1];
  return fmt::format("{}:{}:{}", source->path, shown.line,
                     shown.column == 0 ? column : shown.column);
}

std::string Location::excerpt(std::size_t limit) const {
  if (source == nullptr) return {};
  std::string result;
  const auto add = [&](char c) {
    const bool is_space = c == ' ' || static_cast<unsigned char>(c) < 0x20;
    if (!is_space) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  };
  for (std::uint32_t number = line; number <= end_line; ++number) {
    std::string_view covered = source->line(number);
    if (number == end_line) covered = covered.substr(0, end_column);
    if (number == line) covered.remove_prefix(std::min<std::size_t>(column - 1, covered.size()));
    for (const char c : covered) add(c);
    add(' ');
    if (result.size() > limit + 1) break;
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  if (result.size() <= limit) return result;
  std::size_t end = limit < 3 ? 0 : limit - 3;
  // A character of several bytes is not cut in two.
  while (end > 0 && (static_cast<unsigned char>(result[end]) & 0xC0) == 0x80) --end;
  return result.substr(0, end) + "...";
}

namespace {
std::string with_place(const Location& at, const std::string& message) {
  const std::string place = at.to_string();
  return place.empty() ? message : place + ": " + message;
}

/// Messages show values, and a string may hold line breaks.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return text;
}
}  // namespace

SpecError::SpecError(const Location& at, const std::string& message)
    : InputError(with_place(at, one_line(message))), at_(at), message_(one_line(message)) {}

}  // namespace dissensus::tla
