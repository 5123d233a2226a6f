// One line of JSON as a flat array of tokens. Made for lines of a trace: reuses its memory, keeps
// no more than a bounded number of tokens, and nests without recursion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dissensus::trace {

/// Where in a trace an error is.
struct Place {
  std::string_view file;
  std::uint64_t line = 0;

  /// Throws the InputError "file:line: key: message".
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;
};

struct JsonToken {
  enum class Type : std::uint8_t {
    object,  ///< followed by key and value tokens in turn
    array,   ///< followed by its elements
    text,
    natural,   ///< an integer of 0 to 2^64 - 1
    negative,  ///< an integer of -2^63 to -1; `number` holds its two's complement
    number,    ///< any other number
    boolean,   ///< `number` is 0 or 1
    null,
  };
  Type type = Type::null;
  std::uint32_t end = 0;  ///< index of the first token after this value
  std::uint64_t number = 0;
  std::string_view text{};
};
std::string_view to_string(JsonToken::Type type);

class JsonTape {
 public:
  /// Throws InputError for anything but one JSON value. Tokens refer to `line`: it must stay alive.
  void parse(std::string_view line, const Place& place);
  const JsonToken& operator[](std::uint32_t index) const { return tokens_[index]; }

 private:
  [[noreturn]] void fail(std::string_view message) const;
  void skip_space();
  char peek() const { return position_ < line_.size() ? line_[position_] : '\0'; }
  std::uint32_t push(JsonToken::Type type);
  bool open_or_scalar();
  bool finish_value();
  void read_key();
  void read_text();
  void read_escape();
  std::uint32_t read_hex();
  void append_character(std::uint32_t code);
  void read_number();
  void read_word(std::string_view word, JsonToken::Type type, std::uint64_t number);

  std::vector<JsonToken> tokens_;
  std::vector<std::uint32_t> open_;
  /// Unescaped texts; reserved once per line so that views into it stay valid.
  std::string unescaped_;
  std::string_view line_;
  std::size_t position_ = 0;
  Place place_;
};

}  // namespace dissensus::trace
