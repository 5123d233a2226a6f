// Text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/ast.h"
#include "tla/syntax/operators.h"
#include "tla/syntax/source.h"

namespace dissensus::tla {

enum class TokenType : std::uint8_t {
  name,        ///< an identifier
  keyword,     ///< a reserved word, WF_ and SF_ included
  number,      ///< text as written: 12, 1.5, \hFF
  text,        ///< text as written, quotes included
  symbol,      ///< an operator (text is canonical) or punctuation
  separator,   ///< ----
  module_end,  ///< ====
  proof_step,  ///< <1>2. or <*>
  end,         ///< of the text
};

struct Token {
  TokenType type = TokenType::end;
  std::string_view text;      ///< see TokenType
  std::string_view spelling;  ///< as written
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< in bytes, as in Location
  /// What junction lists are aligned by: characters, tabs reaching to the next multiple of 8.
  std::uint32_t indent = 0;
  const Operator* prefix = nullptr;
  const Operator* infix = nullptr;
  const Operator* postfix = nullptr;

  bool is(std::string_view symbol_or_keyword) const {
    return (type == TokenType::symbol || type == TokenType::keyword) && text == symbol_or_keyword;
  }
  Location location(const Source& source) const;
};

struct Tokens {
  std::vector<Token> tokens;  ///< the last has type end
  std::vector<Notice> notices;
};

/// The tokens of the first module of a text, from its "---- MODULE" to the ==== that ends it.
/// Throws SpecError.
Tokens tokens_of_module(const Source& source);
/// The tokens of the whole text.
Tokens tokens_of_expression(const Source& source);

/// The value of a number token in decimal: "\\hFF" is "255"; "1.5" stays as it is.
std::string decimal_digits(std::string_view spelling);
/// What a string token stands for, without quotes and escapes.
std::string string_content(std::string_view spelling);

bool is_reserved_word(std::string_view word);

}  // namespace dissensus::tla
