// Text of an algorithm to tokens. An algorithm stands in a comment of a module, so it is found and
// read by itself, not by the module's lexer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/source.h"

namespace dissensus::tla::pluscal {

/// A place in the file, from 1; columns are counted with tabs that reach to the next multiple of 8.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

enum class TokenType : std::uint8_t {
  name,    ///< identifiers and words
  number,  ///< 12, \hFF
  text,    ///< without its quotes
  symbol,
  added,    ///< pc or stack, put there by the translation: the element of the process is meant
  illegal,  ///< an error as soon as the parser takes it: what follows an algorithm may be prose
  end,
};

struct Token {
  TokenType type = TokenType::end;
  std::string text;
  Place at;
  /// In an expression: from 0; lines may be left out.
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool is(std::string_view wanted) const { return type != TokenType::text && text == wanted; }
  /// In characters, as printed.
  std::uint32_t width() const;
  std::string printed() const { return type == TokenType::text ? '"' + text + '"' : text; }
};

/// The lines of a text, with tabs written out as spaces and without carriage returns.
std::vector<std::string> lines_of(std::string_view text);

/// The tokens from a place on, up to the end of the comment that it is in.
std::vector<Token> tokens_from(const std::vector<std::string>& lines, Place begin);

}  // namespace dissensus::tla::pluscal
