#include "core/json_tape.h"

#include <array>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/document.h"
#include "core/utf8.h"

namespace dissensus {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

void Place::fail(std::string_view key, std::string_view message) const {
  throw InputError(fmt::format("{}:{}: {}: {}", file, line, internal::printable(key),
                               internal::printable(message, 1000)));
}

std::string_view to_string(JsonToken::Type type) {
  constexpr std::array<std::string_view, 8> kNames{"an object",
                                                   "a list",
                                                   "a text",
                                                   "an integer",
                                                   "a negative integer",
                                                   "a number that is no 64-bit integer",
                                                   "a boolean",
                                                   "null"};
  return kNames[static_cast<std::size_t>(type)];
}

void JsonTape::fail(std::string_view message) const {
  throw JsonFault{std::string(message), position_};
}

void JsonTape::parse(std::string_view line, const Place& place) try {
  parse(line);
} catch (const JsonFault& fault) {
  place.fail("json", fmt::format("{} at column {}", fault.message, fault.position + 1));
}

std::size_t JsonTape::position_of(std::uint32_t index) const {
  const JsonToken& token = tokens_[index];
  if (token.type == JsonToken::Type::text) return static_cast<std::size_t>(token.number);
  return static_cast<std::size_t>(token.text.data() - line_.data());
}

void JsonTape::parse(std::string_view text) {
  line_ = text;
  position_ = 0;
  tokens_.clear();
  open_.clear();
  unescaped_.clear();
  bool done = false;
  while (!done) {
    skip_space();
    if (open_or_scalar()) done = finish_value();
  }
}

void JsonTape::skip_space() {
  while (position_ < line_.size()) {
    const char c = line_[position_];
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
    ++position_;
  }
}

std::uint32_t JsonTape::push(JsonToken::Type type) {
  if (tokens_.size() == tokens_max_) fail("more values than a line may hold,");
  const auto index = static_cast<std::uint32_t>(tokens_.size());
  JsonToken& token = tokens_.emplace_back();
  token.type = type;
  token.end = index + 1;
  token.text = line_.substr(position_, 1);
  return index;
}

/// Reads the start of a value. True when the value is complete, false when its first part follows.
bool JsonTape::open_or_scalar() {
  const char c = peek();
  switch (c) {
    case '{':
    case '[': {
      if (open_.size() == depth_max_) fail(kTooDeep);
      open_.push_back(push(c == '{' ? JsonToken::Type::object : JsonToken::Type::array));
      ++position_;
      skip_space();
      if (peek() == (c == '{' ? '}' : ']')) return true;
      if (c == '{') read_key();
      return false;
    }
    case '"':
      read_text();
      return true;
    case 't':
      read_word("true", JsonToken::Type::boolean, 1);
      return true;
    case 'f':
      read_word("false", JsonToken::Type::boolean, 0);
      return true;
    case 'n':
      read_word("null", JsonToken::Type::null, 0);
      return true;
    default:
      if (c != '-' && !is_digit(c)) fail("expected a value");
      read_number();
      return true;
  }
}

/// After a value: closes what ends here. True at the end of the line, false when a value follows.
bool JsonTape::finish_value() {
  for (;;) {
    skip_space();
    if (open_.empty()) {
      if (position_ != line_.size()) fail("unexpected text after the value");
      return true;
    }
    const std::uint32_t parent = open_.back();
    const bool in_object = tokens_[parent].type == JsonToken::Type::object;
    const char c = peek();
    if (c == (in_object ? '}' : ']')) {
      ++position_;
      tokens_[parent].end = static_cast<std::uint32_t>(tokens_.size());
      open_.pop_back();
    } else if (c == ',') {
      ++position_;
      skip_space();
      if (in_object) read_key();
      return false;
    } else {
      fail(in_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
  }
}

void JsonTape::read_key() {
  if (peek() != '"') fail("expected a key");
  read_text();
  skip_space();
  if (peek() != ':') fail("expected ':'");
  ++position_;
}

void JsonTape::read_text() {
  const std::size_t start = ++position_;
  const std::uint32_t token = push(JsonToken::Type::text);
  tokens_[token].number = start;
  bool escaped = false;
  std::size_t from = 0;
  for (;;) {
    if (position_ == line_.size()) fail("unterminated text");
    const char c = line_[position_];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"') break;
    if (c == '\\') {
      if (!escaped) {
        if (unescaped_.capacity() < line_.size()) {
          // Only at the first escape of a line, when no token refers to the buffer yet.
          unescaped_.reserve(line_.size());
        }
        escaped = true;
        from = unescaped_.size();
        unescaped_ += line_.substr(start, position_ - start);
      }
      read_escape();
      continue;
    }
    if (byte < 0x20) fail("control character in a text");
    const std::size_t length = byte < 0x80 ? 1 : utf8_length(line_.substr(position_));
    if (length == 0) fail("invalid UTF-8");
    if (escaped) unescaped_ += line_.substr(position_, length);
    position_ += length;
  }
  tokens_[token].text =
      escaped ? std::string_view(unescaped_).substr(from) : line_.substr(start, position_ - start);
  ++position_;
}

void JsonTape::read_escape() {
  ++position_;
  const char c = peek();
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (c == 'u') {
    ++position_;
    std::uint32_t code = read_hex();
    if (code >= 0xDC00 && code < 0xE000) fail("half a surrogate pair");
    if (code >= 0xD800 && code < 0xDC00) {
      if (line_.substr(position_, 2) != "\\u") fail("half a surrogate pair");
      position_ += 2;
      const std::uint32_t low = read_hex();
      if (low < 0xDC00 || low >= 0xE000) fail("half a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_character(code);
    return;
  }
  const std::size_t index = c == '\0' ? std::string_view::npos : kEscapes.find(c);
  if (index == std::string_view::npos) fail("unknown escape");
  unescaped_ += kMeanings[index];
  ++position_;
}

std::uint32_t JsonTape::read_hex() {
  std::uint32_t code = 0;
  for (int digit = 0; digit < 4; ++digit, ++position_) {
    const char c = peek();
    std::uint32_t nibble = 0;
    if (is_digit(c)) {
      nibble = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      nibble = static_cast<std::uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      nibble = static_cast<std::uint32_t>(c - 'A' + 10);
    } else {
      fail("expected four hexadecimal digits");
    }
    code = code << 4 | nibble;
  }
  return code;
}

void JsonTape::append_character(std::uint32_t code) {
  const auto tail = [&](int shift) {
    unescaped_ += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) {
    unescaped_ += static_cast<char>(code);
  } else if (code < 0x800) {
    unescaped_ += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    unescaped_ += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    unescaped_ += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

void JsonTape::read_number() {
  const std::size_t start = position_;
  const bool minus = peek() == '-';
  if (minus) ++position_;
  if (!is_digit(peek())) fail("expected a digit");
  const bool leading_zero = peek() == '0';
  std::uint64_t magnitude = 0;
  bool fits = true;
  std::size_t digits = 0;
  for (; is_digit(peek()); ++position_, ++digits) {
    const auto digit = static_cast<std::uint64_t>(peek() - '0');
    if (magnitude > (UINT64_MAX - digit) / 10) fits = false;
    magnitude = magnitude * 10 + digit;
  }
  if (leading_zero && digits > 1) fail("a number with a leading zero");
  bool integer = true;
  const auto skip_digits = [&] {
    if (!is_digit(peek())) fail("expected a digit");
    while (is_digit(peek())) ++position_;
  };
  if (peek() == '.') {
    integer = false;
    ++position_;
    skip_digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    integer = false;
    ++position_;
    if (peek() == '+' || peek() == '-') ++position_;
    skip_digits();
  }
  using Type = JsonToken::Type;
  Type type = Type::natural;
  if (!integer || !fits || (minus && magnitude > std::uint64_t{1} << 63)) {
    type = Type::number;
  } else if (minus && magnitude != 0) {
    type = Type::negative;
  }
  const std::uint32_t token = push(type);
  tokens_[token].text = line_.substr(start, position_ - start);
  tokens_[token].number = minus ? ~magnitude + 1 : magnitude;
}

void JsonTape::read_word(std::string_view word, JsonToken::Type type, std::uint64_t number) {
  if (line_.substr(position_, word.size()) != word) fail("expected a value");
  const std::uint32_t token = push(type);
  tokens_[token].number = number;
  position_ += word.size();
}

}  // namespace dissensus
