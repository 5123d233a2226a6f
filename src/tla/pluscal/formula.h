// Expressions of an algorithm. They are not parsed: they are tokens that keep their places, so that
// bulleted lists stay lists when names in them are replaced by longer ones.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tla/pluscal/token.h"

namespace dissensus::tla::pluscal {

class Formula;
/// What stands for a name.
using Replacements = std::vector<std::pair<std::string, Formula>>;

class Formula {
 public:
  Formula() = default;
  /// Lines and columns as in the text; they are made to begin at 0.
  explicit Formula(std::vector<Token> tokens);

  bool empty() const { return tokens_.empty(); }
  const std::vector<Token>& tokens() const { return tokens_; }
  std::vector<Token>& tokens() { return tokens_; }
  std::uint32_t line_count() const { return tokens_.empty() ? 0 : tokens_.back().line + 1; }

  /// As text; a line without tokens is empty.
  std::vector<std::string> lines() const;
  /// All on one line, where errors and labels of steps show it.
  std::string one_line() const;

  /// With names replaced, except fields of records. A line that was aligned with a token above
  /// moves with it. What has several tokens is put in parentheses, if asked.
  Formula replaced(const Replacements& replacements, bool parenthesize) const;
  /// This, with another one right behind its last token.
  Formula followed_by(const Formula& next) const;

  /// Its first token left out.
  Formula without_first() const;

 private:
  void normalize();
  std::vector<Token> tokens_;
};

/// A token by itself: a name, a number, a symbol.
Formula formula_of(std::string text, TokenType type = TokenType::name);
/// Tokens one behind the other without space.
Formula formula_of_tokens(const std::vector<std::pair<TokenType, std::string>>& tokens);

}  // namespace dissensus::tla::pluscal
