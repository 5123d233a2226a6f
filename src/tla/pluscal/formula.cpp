#include "tla/pluscal/formula.h"

#include <algorithm>
#include <optional>

namespace dissensus::tla::pluscal {

namespace {

/// Where the first token of each line is, and of the end.
std::vector<std::size_t> line_starts(const std::vector<Token>& tokens) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i == 0 || tokens[i].line != tokens[i - 1].line) starts.push_back(i);
  }
  starts.push_back(tokens.size());
  return starts;
}

/// The token that the line from starts[row] on is aligned by: on the nearest line above that does
/// not begin further to the right, the last one that does not either.
std::optional<std::size_t> anchor_of(const std::vector<Token>& tokens,
                                     const std::vector<std::size_t>& starts, std::size_t row) {
  const std::uint32_t column = tokens[starts[row]].column;
  for (std::size_t above = row; above-- > 0;) {
    if (tokens[starts[above]].column > column) continue;
    std::size_t anchor = starts[above];
    while (anchor + 1 < starts[above + 1] && tokens[anchor + 1].column <= column) ++anchor;
    return anchor;
  }
  return std::nullopt;
}

/// Which of the tokens are names to be replaced: not fields.
std::vector<const Formula*> targets_of(const std::vector<Token>& tokens,
                                       const Replacements& replacements) {
  std::vector<const Formula*> targets(tokens.size(), nullptr);
  for (std::size_t i = 0; i < tokens.size();) {
    const Token& token = tokens[i];
    if (token.is(".")) {
      i += 2;
    } else if ((token.is("[") || token.is(",")) && i + 2 < tokens.size() &&
               (tokens[i + 2].is(":") || tokens[i + 2].is("|->"))) {
      i += 3;
    } else {
      if (token.type != TokenType::text) {
        for (const auto& [name, formula] : replacements) {
          if (token.text == name) targets[i] = &formula;
        }
      }
      ++i;
    }
  }
  return targets;
}

/// Makes the result of a replacement, line by line.
class Replacing {
 public:
  Replacing(const std::vector<Token>& tokens, std::vector<const Formula*> targets,
            bool parenthesize)
      : tokens_(tokens),
        targets_(std::move(targets)),
        parenthesize_(parenthesize),
        columns_(tokens.size()) {}

  std::vector<Token> run() {
    const std::vector<std::size_t> starts = line_starts(tokens_);
    for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
      const auto anchor = anchor_of(tokens_, starts, row);
      std::int64_t moved =
          anchor ? std::int64_t{columns_[*anchor]} - std::int64_t{tokens_[*anchor].column} : 0;
      for (std::size_t i = starts[row]; i < starts[row + 1]; ++i) {
        columns_[i] = static_cast<std::uint32_t>(tokens_[i].column + moved);
        if (targets_[i] == nullptr) {
          put(tokens_[i], tokens_[i].line + lines_more_, columns_[i]);
        } else {
          moved = std::int64_t{insert(*targets_[i], tokens_[i], columns_[i])} -
                  std::int64_t{tokens_[i].column + tokens_[i].width()};
        }
      }
    }
    return std::move(result_);
  }

 private:
  void put(Token token, std::uint32_t line, std::uint32_t column) {
    token.line = line;
    token.column = column;
    result_.push_back(std::move(token));
  }

  Token parenthesis(const Token& place, std::string_view text) const {
    Token token;
    token.type = TokenType::symbol;
    token.text = text;
    token.at = place.at;
    return token;
  }

  /// The column behind what was inserted.
  std::uint32_t insert(const Formula& formula, const Token& place, std::uint32_t column) {
    const std::vector<Token>& tokens = formula.tokens();
    const bool is_bare = tokens.size() == 1 || !parenthesize_;
    const std::uint32_t line = place.line + lines_more_;
    std::uint32_t indent = column;
    if (!is_bare) {
      put(parenthesis(place, "("), line, column);
      ++indent;
    }
    const std::vector<std::size_t> starts = line_starts(tokens);
    std::vector<std::uint32_t> moved(tokens.size(), indent);
    for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
      if (row > 0) {
        const auto anchor = anchor_of(tokens, starts, row);
        std::fill(moved.begin() + static_cast<std::ptrdiff_t>(starts[row]),
                  moved.begin() + static_cast<std::ptrdiff_t>(starts[row + 1]),
                  anchor ? moved[*anchor] : 0);
      }
      for (std::size_t i = starts[row]; i < starts[row + 1]; ++i) {
        put(tokens[i], line + tokens[i].line, tokens[i].column + moved[i]);
      }
    }
    lines_more_ += formula.line_count() - 1;
    std::uint32_t end = result_.back().column + result_.back().width();
    if (!is_bare) put(parenthesis(place, ")"), place.line + lines_more_, end++);
    return end;
  }

  const std::vector<Token>& tokens_;
  std::vector<const Formula*> targets_;
  bool parenthesize_;
  std::vector<std::uint32_t> columns_;
  std::uint32_t lines_more_ = 0;
  std::vector<Token> result_;
};

}  // namespace

Formula::Formula(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
  normalize();
}

void Formula::normalize() {
  if (tokens_.empty()) return;
  std::uint32_t least = tokens_.front().column;
  for (const std::size_t start : line_starts(tokens_)) {
    if (start < tokens_.size()) least = std::min(least, tokens_[start].column);
  }
  const std::uint32_t first = tokens_.front().line;
  for (Token& token : tokens_) {
    token.line -= first;
    token.column -= least;
  }
}

std::vector<std::string> Formula::lines() const {
  std::vector<std::string> lines(line_count());
  const Token* last = nullptr;
  for (const Token& token : tokens_) {
    std::string& line = lines[token.line];
    const std::uint32_t from =
        last != nullptr && last->line == token.line ? last->column + last->width() : 0;
    if (token.column > from) line.append(token.column - from, ' ');
    line += token.printed();
    last = &token;
  }
  return lines;
}

std::string Formula::one_line() const {
  std::string all;
  for (const std::string& line : lines()) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    if (!all.empty()) all += ' ';
    all += line.substr(begin);
  }
  return all;
}

Formula Formula::replaced(const Replacements& replacements, bool parenthesize) const {
  Formula result;
  std::vector<const Formula*> targets = targets_of(tokens_, replacements);
  if (tokens_.size() == 1 && targets.front() != nullptr) {
    result = *targets.front();
  } else {
    result.tokens_ = Replacing(tokens_, std::move(targets), parenthesize).run();
  }
  return result;
}

Formula Formula::followed_by(const Formula& next) const {
  if (empty()) return next;
  if (next.empty()) return *this;
  Formula result = *this;
  const std::uint32_t line = tokens_.back().line;
  const std::uint32_t column = tokens_.back().column + tokens_.back().width();
  const std::uint32_t begin = next.tokens_.front().column;
  for (Token token : next.tokens_) {
    token.column += column - (token.line == 0 ? begin : 0);
    token.line += line;
    result.tokens_.push_back(std::move(token));
  }
  return result;
}

Formula Formula::without_first() const {
  if (empty()) return {};
  return Formula(std::vector<Token>(tokens_.begin() + 1, tokens_.end()));
}

Formula formula_of(std::string text, TokenType type) {
  Token token;
  token.type = type;
  token.text = std::move(text);
  return Formula({token});
}

Formula formula_of_tokens(const std::vector<std::pair<TokenType, std::string>>& tokens) {
  std::vector<Token> row;
  std::uint32_t column = 0;
  for (const auto& [type, text] : tokens) {
    Token token;
    token.type = type;
    token.text = text;
    token.column = column;
    column += token.width();
    row.push_back(std::move(token));
  }
  return Formula(std::move(row));
}

}  // namespace dissensus::tla::pluscal
