#include "tla/pluscal/token.h"

#include <algorithm>
#include <array>

namespace dissensus::tla::pluscal {

namespace {

constexpr std::uint32_t kTabWidth = 8;

// Of several that fit the longest is taken.
constexpr auto kSymbols = std::to_array<std::string_view>(
    {"-+->", "...", "<=>", "|->", "::=", "(\\X)", "(+)", "(-)", "(.)", "(/)", "..", "=>",
     "=<",   "==",  "=|",  "||",  "|=",  "|-",    "/\\", "/=",  "//",  "\\/", "<<", ">>",
     "<=",   "<:",  "<-",  "<>",  ">=",  "~>",    "->",  "-|",  "--",  "-.",  "++", "^^",
     "^+",   "^*",  "^#",  "**",  "%%",  "##",    "$$",  "&&",  "!!",  "??",  "@@", ":>",
     ":=",   "::",  "[]",  "]_",  "|",   "/",     "\\",  "<",   ">",   "~",   "-",  "+",
     "^",    "*",   "%",   "#",   "$",   "&",     "!",   "?",   "@",   ":",   ";",  ",",
     ".",    "(",   ")",   "[",   "]",   "{",     "}",   "'",   "="});

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::uint32_t characters(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

class Lexer {
 public:
  Lexer(const std::vector<std::string>& lines, Place begin)
      : lines_(lines), line_(begin.line - 1), at_(begin.column - 1) {}

  std::vector<Token> run() {
    while (skip_space()) take_token();
    add(TokenType::end, 0);
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return std::string_view(lines_[line_]).substr(at_); }

  /// False: the text, or the comment around it, has ended.
  bool skip_space() {
    std::size_t depth = 0;
    while (line_ < lines_.size()) {
      const std::string_view left = at_ <= lines_[line_].size() ? rest() : std::string_view{};
      if (left.empty() || (depth == 0 && left.substr(0, 2) == "\\*")) {
        ++line_;
        at_ = 0;
      } else if (left.substr(0, 2) == "(*") {
        ++depth;
        at_ += 2;
      } else if (left.substr(0, 2) == "*)") {
        if (depth == 0) return false;
        --depth;
        at_ += 2;
      } else if (depth > 0 || left.front() == ' ' || left.front() == '\f') {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  void add(TokenType type, std::size_t size, std::size_t skipped = 0) {
    Token token;
    token.type = type;
    if (line_ < lines_.size()) {
      token.text = std::string(rest().substr(skipped, size));
      const std::string_view before = std::string_view(lines_[line_]).substr(0, at_);
      token.at = {static_cast<std::uint32_t>(line_ + 1), characters(before) + 1};
    } else {
      token.at = {static_cast<std::uint32_t>(lines_.size()), 1};
    }
    token.line = token.at.line;
    token.column = token.at.column - 1;
    tokens_.push_back(std::move(token));
    at_ += size + 2 * skipped;
  }

  void take_token() {
    const std::string_view left = rest();
    const char first = left.front();
    if (first == '"') return take_text(left);
    if (is_letter(first) || is_digit(first)) return take_word(left);
    if (first == '\\' && left.size() > 1 && is_letter(left[1])) return take_named_symbol(left);
    for (const std::string_view symbol : kSymbols) {
      if (left.substr(0, symbol.size()) == symbol) return add(TokenType::symbol, symbol.size());
    }
    std::size_t size = 1;
    while (size < left.size() && is_continuation(left[size])) ++size;
    add(TokenType::illegal, size);
  }

  void take_text(std::string_view left) {
    std::size_t end = 1;
    while (end < left.size() && left[end] != '"') end += left[end] == '\\' ? 2 : 1;
    if (end >= left.size()) return add(TokenType::illegal, left.size());
    add(TokenType::text, end - 1, 1);
  }

  void take_word(std::string_view left) {
    if (left.substr(0, 3) == "WF_" || left.substr(0, 3) == "SF_") {
      return add(TokenType::symbol, 3);
    }
    std::size_t size = 0;
    bool is_number = true;
    for (; size < left.size() && (is_letter(left[size]) || is_digit(left[size])); ++size) {
      is_number = is_number && is_digit(left[size]);
    }
    add(is_number ? TokenType::number : TokenType::name, size);
  }

  void take_named_symbol(std::string_view left) {
    std::size_t size = 2;
    const bool is_number = std::string_view("bBoOhH").find(left[1]) != std::string_view::npos &&
                           left.size() > 2 && is_digit(left[2]);
    if (is_number) {
      while (size < left.size() && (is_digit(left[size]) || is_letter(left[size]))) ++size;
      return add(TokenType::number, size);
    }
    while (size < left.size() && is_letter(left[size]) && left[size] != '_') ++size;
    add(TokenType::symbol, size);
  }

  const std::vector<std::string>& lines_;
  std::size_t line_;
  std::size_t at_;
  std::vector<Token> tokens_;
};

}  // namespace

std::uint32_t Token::width() const {
  return characters(text) + (type == TokenType::text ? 2 : 0);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\t') {
      lines.back().append(kTabWidth - lines.back().size() % kTabWidth, ' ');
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<Token> tokens_from(const std::vector<std::string>& lines, Place begin) {
  return Lexer(lines, begin).run();
}

}  // namespace dissensus::tla::pluscal
