#include "history/value_reader.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "core/document.h"
#include "core/limits.h"

namespace dissensus::history {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Where a word or a number of either notation ends.
bool ends_token(char c) {
  switch (c) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case '"':
    case ';':
      return true;
    default:
      return false;
  }
}

void append_utf8(std::string& out, char32_t c) {
  const auto add = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | (c >> 6));
    add(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    add(0xE0 | (c >> 12));
    add(0x80 | ((c >> 6) & 0x3F));
    add(0x80 | (c & 0x3F));
  } else {
    add(0xF0 | (c >> 18));
    add(0x80 | ((c >> 12) & 0x3F));
    add(0x80 | ((c >> 6) & 0x3F));
    add(0x80 | (c & 0x3F));
  }
}

}  // namespace

void ValueReader::fail(std::string_view expected) const {
  const std::string_view rest = text_.substr(std::min(position_, text_.size()));
  const std::string_view line = rest.substr(0, rest.find('\n')).substr(0, 30);
  std::string found = fmt::format("'{}'", internal::printable(line));
  if (line.empty()) found = rest.empty() ? "the end of the text" : "the end of the line";
  internal::fail_at(history_.name(), static_cast<int>(line_), "",
                    fmt::format("expected {}, found {}", expected, found));
}

void ValueReader::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
    } else if (c == ';' && notation_ == Notation::edn) {
      position_ = std::min(text_.find('\n', position_), text_.size());
      continue;
    } else if (c == ',' && notation_ == Notation::edn) {
      // space
    } else if (c == '#' && notation_ == Notation::edn && text_.substr(position_, 2) == "#_") {
      position_ += 2;
      if (++depth_ > kDocumentDepthMax) fail("fewer levels of discarded values");
      skip_value();
      --depth_;
      continue;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++position_;
  }
}

bool ValueReader::at_end() {
  skip_space();
  return position_ >= text_.size();
}

char ValueReader::peek() {
  skip_space();
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool ValueReader::take(char c) {
  if (at_end() || text_[position_] != c) return false;
  ++position_;
  return true;
}

bool ValueReader::ends(char end, bool is_first) {
  if (at_end()) fail(fmt::format("'{}'", end));
  if (take(end)) return true;
  if (notation_ == Notation::json && !is_first) {
    if (!take(',')) fail(fmt::format("',' or '{}'", end));
  }
  return false;
}

void ValueReader::after_key() {
  if (notation_ == Notation::json && !take(':')) fail("':' after a key");
}

std::string_view ValueReader::token() {
  const std::size_t begin = position_;
  const char json_colon = notation_ == Notation::json ? ':' : ' ';
  while (position_ < text_.size() && !ends_token(text_[position_]) &&
         text_[position_] != json_colon) {
    ++position_;
  }
  return text_.substr(begin, position_ - begin);
}

Value ValueReader::number(std::string_view token) {
  std::string_view digits = token;
  if (digits.front() == '+') digits.remove_prefix(1);
  if (notation_ == Notation::edn && !digits.empty() &&
      (digits.back() == 'N' || digits.back() == 'M')) {
    digits.remove_suffix(1);
  }
  std::int64_t whole = 0;
  const char* end = digits.data() + digits.size();
  const auto as_whole = std::from_chars(digits.data(), end, whole);
  if (as_whole.ec == std::errc{} && as_whole.ptr == end) return Value::integer(whole);
  // Whole numbers that are too large keep their digits, since rounding would make different ones
  // equal.
  if (as_whole.ec == std::errc::result_out_of_range && as_whole.ptr == end) {
    return History::view(Value::Type::word, digits);
  }
  double real = 0;
  const auto as_real = std::from_chars(digits.data(), end, real);
  if (as_real.ec == std::errc{} && as_real.ptr == end) return Value::number(real);
  const bool is_ratio = notation_ == Notation::edn && digits.find('/') != std::string_view::npos;
  if (is_ratio) return History::view(Value::Type::word, digits);
  position_ -= token.size();
  fail("a number");
}

Value ValueReader::word_or_number() {
  const std::size_t begin = position_;
  std::string_view word = token();
  if (word.empty()) fail("a value");
  const bool is_signed = word.size() > 1 && (word[0] == '-' || word[0] == '+');
  if (is_digit(word[is_signed ? 1 : 0])) return number(word);
  if (word == "true") return Value::boolean(true);
  if (word == "false") return Value::boolean(false);
  if (notation_ == Notation::json) {
    if (word == "null") return {};
    position_ = begin;
    fail("a JSON value");
  }
  if (word == "nil") return {};
  if (word.front() == ':') {
    word.remove_prefix(1);
    if (word.empty()) {
      position_ = begin;
      fail("a keyword");
    }
  }
  return History::view(Value::Type::word, word);
}

char32_t ValueReader::hexadecimal() {
  std::uint32_t code = 0;
  const std::string_view digits = text_.substr(position_, 4);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() != 4 || result.ec != std::errc{} || result.ptr != digits.data() + 4) {
    fail("four hexadecimal digits after \\u");
  }
  position_ += 4;
  return code;
}

/// After "\u": JSON writes what does not fit into 16 bits as two of them.
void ValueReader::append_code_point(std::string& out) {
  char32_t code = hexadecimal();
  const bool is_high = code >= 0xD800 && code < 0xDC00;
  if (is_high && text_.substr(position_, 2) == "\\u") {
    position_ += 2;
    const char32_t low = hexadecimal();
    if (low < 0xDC00 || low > 0xDFFF) fail("the second half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code <= 0xDFFF) code = 0xFFFD;
  append_utf8(out, code);
}

Value ValueReader::text() {
  ++position_;
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\\') {
    if (text_[position_] == '\n') {
      if (notation_ == Notation::json) fail("'\"' before the end of the line");
      ++line_;
    }
    ++position_;
  }
  if (position_ >= text_.size()) fail("'\"' at the end of a text");
  if (text_[position_] == '"') {
    ++position_;
    return History::view(Value::Type::text, text_.substr(begin, position_ - 1 - begin));
  }
  std::string content(text_.substr(begin, position_ - begin));
  while (position_ < text_.size() && text_[position_] != '"') {
    char c = text_[position_++];
    if (c == '\n') ++line_;
    if (c != '\\') {
      content += c;
      continue;
    }
    if (position_ >= text_.size()) break;
    c = text_[position_++];
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (c == 'u') {
      append_code_point(content);
    } else if (const std::size_t at = kEscapes.find(c); at != std::string_view::npos) {
      content += kMeanings[at];
    } else {
      --position_;
      fail("one of \" \\ / b f n r t u after a backslash");
    }
  }
  if (!take('"')) fail("'\"' at the end of a text");
  return history_.text(content);
}

Value ValueReader::character() {
  ++position_;
  const std::size_t begin = position_;
  if (position_ < text_.size()) ++position_;  // any character, brackets too
  token();
  if (position_ == begin) fail("a character after a backslash");
  return History::view(Value::Type::text, text_.substr(begin, position_ - begin));
}

Value ValueReader::items(char end) {
  const std::size_t first = scratch_.size();
  for (bool is_first = true; !ends(end, is_first); is_first = false) scratch_.push_back(value());
  const std::span<const Value> all(scratch_.data() + first, scratch_.size() - first);
  const Value result = end == '}' ? history_.set(all) : history_.list(all);
  scratch_.resize(first);
  return result;
}

Value ValueReader::map() {
  const std::size_t first = scratch_.size();
  for (bool is_first = true; !ends('}', is_first); is_first = false) {
    if (notation_ == Notation::json && peek() != '"') fail("a key, which is a text");
    scratch_.push_back(value());
    after_key();
    if (peek() == '}') fail("a value for the key");
    scratch_.push_back(value());
  }
  const std::span<const Value> all(scratch_.data() + first, scratch_.size() - first);
  const Value result = history_.map(all);
  scratch_.resize(first);
  return result;
}

void ValueReader::skip_tags() {
  while (notation_ == Notation::edn && peek() == '#' && text_.substr(position_, 2) != "#{") {
    ++position_;
    if (token().empty()) fail("a tag after '#'");
  }
}

/// After '#': a set, a special number, or a value with a tag.
Value ValueReader::tagged() {
  ++position_;
  if (position_ < text_.size() && text_[position_] == '{') {
    ++position_;
    return items('}');
  }
  if (position_ < text_.size() && text_[position_] == '#') {
    ++position_;
    const std::string_view name = token();
    if (name == "Inf") return Value::number(std::numeric_limits<double>::infinity());
    if (name == "-Inf") return Value::number(-std::numeric_limits<double>::infinity());
    if (name == "NaN") return Value::number(std::numeric_limits<double>::quiet_NaN());
    fail("Inf, -Inf or NaN before this");
  }
  if (token().empty()) fail("a tag after '#'");
  return value();
}

Value ValueReader::value() {
  if (at_end()) fail("a value");
  if (++depth_ > kDocumentDepthMax) {
    fail(fmt::format("at most {} levels of nesting", kDocumentDepthMax));
  }
  const bool is_edn = notation_ == Notation::edn;
  Value result;
  switch (text_[position_]) {
    case '"':
      result = text();
      break;
    case '[':
      ++position_;
      result = items(']');
      break;
    case '{':
      ++position_;
      result = map();
      break;
    case '(':
      if (!is_edn) fail("a JSON value");
      ++position_;
      result = items(')');
      break;
    case '#':
      if (!is_edn) fail("a JSON value");
      result = tagged();
      break;
    case '\\':
      if (!is_edn) fail("a JSON value");
      result = character();
      break;
    case '^':
      if (!is_edn) fail("a JSON value");
      ++position_;
      skip_value();  // what is said about the value that follows
      result = value();
      break;
    default:
      result = word_or_number();
  }
  --depth_;
  return result;
}

}  // namespace dissensus::history
