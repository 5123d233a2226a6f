// The reader of JSON: a text as a flat array of tokens. Made for lines of a trace: reuses its
// memory, keeps no more than a bounded number of tokens, and nests without recursion. Documents
// (document.h) and values of models are made of the same tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/limits.h"

namespace dissensus {

/// Where in a file of lines an error is.
struct Place {
  std::string_view file;
  std::uint64_t line = 0;

  /// Throws the InputError "file:line: key: message".
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;
};

/// A text that is no JSON: why, and from which byte on.
struct JsonFault {
  std::string message;
  std::size_t position = 0;
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
  std::string_view text{};  ///< of a text what it means; of all others what stands there
};
std::string_view to_string(JsonToken::Type type);

class JsonTape {
 public:
  static constexpr std::size_t kLineTokensMax = 1u << 20;
  static constexpr std::string_view kTooDeep = "nested too deeply";

  explicit JsonTape(std::size_t tokens_max = kLineTokensMax,
                    std::size_t depth_max = kDocumentDepthMax)
      : tokens_max_(tokens_max), depth_max_(depth_max) {}

  /// Throws InputError for anything but one JSON value. Tokens refer to `line`: it must stay alive.
  void parse(std::string_view line, const Place& place);
  /// The same with JsonFault in the place of InputError.
  void parse(std::string_view text);
  const JsonToken& operator[](std::uint32_t index) const { return tokens_[index]; }
  /// The byte at which a token begins; of a text, the one after its first quote.
  std::size_t position_of(std::uint32_t index) const;

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
  std::size_t tokens_max_;
  std::size_t depth_max_;
};

}  // namespace dissensus
