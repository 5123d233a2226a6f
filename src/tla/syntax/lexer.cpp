#include "tla/syntax/lexer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dissensus::tla {
namespace {

constexpr std::size_t kTabWidth = 8;
constexpr std::size_t kCommentDepthMax = 1000;
constexpr std::size_t kNumberMax = 1000;

constexpr std::string_view kReservedWords[] = {
    "ACTION",      "ASSUME",    "ASSUMPTION", "AXIOM",     "BY",      "CASE",      "CHOOSE",
    "CONSTANT",    "CONSTANTS", "COROLLARY",  "DEF",       "DEFINE",  "DEFS",      "DOMAIN",
    "ELSE",        "ENABLED",   "EXCEPT",     "EXTENDS",   "HAVE",    "HIDE",      "IF",
    "IN",          "INSTANCE",  "LAMBDA",     "LEMMA",     "LET",     "LOCAL",     "MODULE",
    "NEW",         "OBVIOUS",   "OMITTED",    "ONLY",      "OTHER",   "PICK",      "PROOF",
    "PROPOSITION", "PROVE",     "QED",        "RECURSIVE", "SF_",     "STATE",     "SUBSET",
    "SUFFICES",    "TAKE",      "TEMPORAL",   "THEN",      "THEOREM", "UNCHANGED", "UNION",
    "USE",         "VARIABLE",  "VARIABLES",  "WF_",       "WITH",    "WITNESS",
};
static_assert(std::ranges::is_sorted(kReservedWords));

// In strings, after a backslash, and what they stand for.
constexpr std::string_view kEscapes = "\"\\ntrf";
constexpr std::string_view kEscaped = "\"\\\n\t\r\f";

// What is not an operator. Unicode: another spelling after a space.
constexpr std::string_view kPunctuation[] = {
    "==", "<-", "->", "|->", "<<", ">>", ">>_", "[", "]", "]_",  "{",   "}",    "(",
    ")",  ",",  ".",  ":",   "::", "!",  "@",   "_", ";", "\\A", "\\E", "\\AA", "\\EE",
};
constexpr std::array<std::string_view, 2> kOtherPunctuation[] = {
    {"≜", "=="},  {"←", "<-"},  {"→", "->"},         {"↦", "|->"},
    {"⟨", "<<"},  {"⟩", ">>"},  {"⟩_", ">>_"},       {"∷", "::"},
    {"∀", "\\A"}, {"∃", "\\E"}, {"\\forall", "\\A"}, {"\\exists", "\\E"},
};

constexpr std::array<std::string_view, 2> kOtherNames[] = {
    {"ℕ", "Nat"}, {"ℤ", "Int"}, {"ℝ", "Real"}};

struct Symbol {
  std::string_view spelling;
  std::string_view text;
  const Operator* prefix = nullptr;
  const Operator* infix = nullptr;
  const Operator* postfix = nullptr;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}
bool is_symbol_start(unsigned char c) {
  return c > 0x20 && c != 0x7F;
}

/// All symbols by their first byte, the longest first.
using SymbolTable = std::array<std::vector<Symbol>, 256>;

const SymbolTable& symbols() {
  static const SymbolTable kTable = [] {
    SymbolTable table;
    const auto add = [&](std::string_view spelling, std::string_view text) {
      // Prefix and infix minus are told apart by the parser.
      const std::string_view prefix = text == "-" ? "-." : text;
      table[static_cast<unsigned char>(spelling[0])].push_back(
          {spelling, text, find_operator(prefix, Fix::prefix), find_operator(text, Fix::infix),
           find_operator(text, Fix::postfix)});
    };
    for (const Operator& each : operators()) {
      if (!is_letter(each.name[0])) add(each.name, each.name);
      std::string_view rest = each.other_spellings;
      while (!rest.empty()) {
        const std::string_view spelling = rest.substr(0, rest.find(' '));
        add(spelling, each.name);
        rest.remove_prefix(std::min(rest.size(), spelling.size() + 1));
      }
    }
    for (const std::string_view each : kPunctuation) add(each, each);
    for (const auto& [spelling, text] : kOtherPunctuation) add(spelling, text);
    for (auto& list : table) {
      std::ranges::stable_sort(list, [](const Symbol& a, const Symbol& b) {
        return a.spelling.size() > b.spelling.size();
      });
    }
    return table;
  }();
  return kTable;
}

class Lexer {
 public:
  Lexer(const Source& source, bool is_module) : source_(source), text_(source.text) {
    if (is_module) skip_to_module();
    while (skip_space_and_comments()) {
      next();
      if (is_module && depth_ == 0 && last().type == TokenType::module_end) break;
    }
    add(TokenType::end, 0, "");
  }
  Tokens take() { return std::move(result_); }

 private:
  Token& last() { return result_.tokens.back(); }
  char at(std::size_t offset) const {
    return position_ + offset < text_.size() ? text_[position_ + offset] : '\0';
  }
  bool starts(std::string_view prefix) const { return text_.substr(position_).starts_with(prefix); }

  Location here(std::size_t length = 1) const {
    const auto column = static_cast<std::uint32_t>(position_ - line_start_ + 1);
    return {&source_, line_, column, line_,
            column + static_cast<std::uint32_t>(std::max<std::size_t>(length, 1)) - 1};
  }

  /// Goes over characters and keeps line and indent right.
  void advance(std::size_t count) {
    for (; count > 0 && position_ < text_.size(); --count) {
      const char c = text_[position_++];
      if (c == '\n') {
        ++line_;
        line_start_ = position_;
        indent_ = 0;
      } else if (c == '\t') {
        indent_ = (indent_ / kTabWidth + 1) * kTabWidth;
      } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
        ++indent_;
      }
    }
  }

  void add(TokenType type, std::size_t length, std::string_view text) {
    Token token;
    token.type = type;
    token.text = text;
    token.spelling = text_.substr(position_, length);
    token.line = line_;
    token.column = static_cast<std::uint32_t>(position_ - line_start_ + 1);
    token.indent = static_cast<std::uint32_t>(indent_ + 1);
    result_.tokens.push_back(token);
    advance(length);
  }
  void add(TokenType type, std::size_t length) {
    add(type, length, text_.substr(position_, length));
  }

  std::size_t count_of(char c) const {
    std::size_t count = 0;
    while (at(count) == c) ++count;
    return count;
  }

  void skip_to_module() {
    for (std::size_t found = text_.find("----"); found != std::string_view::npos;
         found = text_.find("----", found)) {
      std::size_t end = text_.find_first_not_of('-', found);
      if (end == std::string_view::npos) break;
      end = std::min(text_.find_first_not_of(" \t", end), text_.size());
      if (text_.substr(end).starts_with("MODULE") &&
          (end + 6 >= text_.size() || !is_name_character(text_[end + 6]))) {
        advance(found);
        return;
      }
      found = end;
    }
    throw SpecError({&source_, 1, 1, 1, 1},
                    "expected a module that begins with ---- MODULE Name ----, found none");
  }

  /// False at the end of the text.
  bool skip_space_and_comments() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        advance(1);
      } else if (starts("\\*")) {
        advance(std::min(text_.find('\n', position_), text_.size()) - position_);
      } else if (starts("(*")) {
        skip_comment();
      } else if (starts("\xEF\xBB\xBF")) {
        advance(3);  // byte order mark
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_comment() {
    const Location start = here(2);
    std::size_t depth = 0;
    do {
      if (position_ >= text_.size()) {
        throw SpecError(start, "this comment (* is not ended: expected *)");
      }
      if (starts("(*")) {
        if (++depth > kCommentDepthMax) throw SpecError(here(2), "comments nested too deeply");
        advance(2);
      } else if (starts("*)")) {
        --depth;
        advance(2);
      } else {
        advance(1);
      }
    } while (depth > 0);
  }

  void next() {
    const char c = at(0);
    if (is_name_character(c)) {
      word();
    } else if (c == '"') {
      string();
    } else if (c == '-' && count_of('-') >= 4) {
      add(TokenType::separator, count_of('-'));
    } else if (c == '=' && count_of('=') >= 4) {
      add(TokenType::module_end, count_of('='));
      --depth_;
    } else if (!proof_step() && !number_with_base() && !other_name()) {
      symbol();
    }
  }

  void word() {
    std::size_t length = 0;
    bool has_letter = false;
    bool is_number = true;
    for (; is_name_character(at(length)); ++length) {
      has_letter = has_letter || is_letter(at(length));
      is_number = is_number && is_digit(at(length));
    }
    if (is_number) {
      if (at(length) == '.' && is_digit(at(length + 1))) {
        ++length;
        while (is_digit(at(length))) ++length;
      }
      number(length);
      return;
    }
    if (!has_letter && at(0) == '_') {
      add(TokenType::symbol, 1, "_");
      return;
    }
    if (starts("WF_") || starts("SF_")) length = 3;
    const std::string_view spelling = text_.substr(position_, length);
    if (!is_reserved_word(spelling)) {
      add(TokenType::name, length);
      return;
    }
    const bool is_header =
        spelling == "MODULE" && !result_.tokens.empty() && last().type == TokenType::separator;
    if (is_header) ++depth_;
    add(TokenType::keyword, length);
    last().prefix = find_operator(spelling, Fix::prefix);
  }

  void number(std::size_t length) {
    if (length > kNumberMax) {
      throw SpecError(here(length), fmt::format("a number of more than {} digits", kNumberMax));
    }
    add(TokenType::number, length);
  }

  void string() {
    std::size_t length = 1;
    while (at(length) != '"') {
      if (position_ + length >= text_.size() || at(length) == '\n') {
        throw SpecError(here(length), "this string is not ended: expected \" on the same line");
      }
      if (at(length) == '\\') {
        ++length;
        if (kEscapes.find(at(length)) == std::string_view::npos || at(length) == '\0') {
          throw SpecError(here(length + 1),
                          "a backslash in a string: expected \\\", \\\\, \\n, \\t, \\r or \\f");
        }
      }
      ++length;
    }
    add(TokenType::text, length + 1);
  }

  /// <1>2. <*>a <+>
  bool proof_step() {
    if (at(0) != '<') return false;
    std::size_t length = 1;
    if (at(1) == '*' || at(1) == '+') {
      ++length;
    } else {
      while (is_digit(at(length))) ++length;
    }
    if (length == 1 || at(length) != '>') return false;
    ++length;
    while (is_name_character(at(length))) ++length;
    while (at(length) == '.') ++length;
    add(TokenType::proof_step, length);
    return true;
  }

  /// \b101, \o17, \hFF
  bool number_with_base() {
    if (at(0) != '\\') return false;
    const auto is_digit_of = [base = at(1)](char c) {
      if (base == 'b' || base == 'B') return c == '0' || c == '1';
      if (base == 'o' || base == 'O') return c >= '0' && c <= '7';
      if (base != 'h' && base != 'H') return false;
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    std::size_t length = 2;
    while (is_digit_of(at(length))) ++length;
    if (length == 2) return false;
    number(length);
    return true;
  }

  bool other_name() {
    for (const auto& [spelling, name] : kOtherNames) {
      if (!starts(spelling)) continue;
      add(TokenType::name, spelling.size(), name);
      return true;
    }
    return false;
  }

  void symbol() {
    const auto first = static_cast<unsigned char>(at(0));
    for (const Symbol& each : symbols()[first]) {
      if (!starts(each.spelling)) continue;
      // x=<<1>> compares with a tuple.
      if (each.spelling == "=<" && at(2) == '<') continue;
      if (each.spelling == "!!" && at(2) == '!') continue;  // I!!!(a, b)
      add(TokenType::symbol, each.spelling.size(), each.text);
      last().prefix = each.prefix;
      last().infix = each.infix;
      last().postfix = each.postfix;
      return;
    }
    if (first < 0x80 && is_symbol_start(first)) {
      throw SpecError(here(), fmt::format("'{}' has no meaning in TLA+", at(0)));
    }
    throw SpecError(here(),
                    fmt::format("a character that has no meaning in TLA+ (byte {:#04x})", first));
  }

  const Source& source_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::size_t indent_ = 0;
  std::size_t depth_ = 0;  ///< of modules
  Tokens result_;
};

}  // namespace

Location Token::location(const Source& source) const {
  const auto length = static_cast<std::uint32_t>(std::max<std::size_t>(spelling.size(), 1));
  return {&source, line, column, line, column + length - 1};
}

namespace {
/// digits * base + digit, digits being a decimal number with its last digit first.
void multiply_add(std::string& digits, unsigned base, unsigned carry) {
  for (char& each : digits) {
    carry += static_cast<unsigned>(each - '0') * base;
    each = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  for (; carry > 0; carry /= 10) digits += static_cast<char>('0' + carry % 10);
}

unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}
}  // namespace

std::string decimal_digits(std::string_view spelling) {
  if (spelling[0] == '\\') {
    const char letter = static_cast<char>(spelling[1] | 0x20);
    const unsigned base = letter == 'b' ? 2 : letter == 'o' ? 8 : 16;
    std::string digits = "0";
    for (const char c : spelling.substr(2)) multiply_add(digits, base, digit_value(c));
    std::ranges::reverse(digits);
    return digits;
  }
  while (spelling.size() > 1 && spelling[0] == '0' && spelling[1] != '.') spelling.remove_prefix(1);
  return std::string(spelling);
}

std::string string_content(std::string_view spelling) {
  const std::string_view content = spelling.substr(1, spelling.size() - 2);
  std::string result;
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (content[i] != '\\') {
      result += content[i];
      continue;
    }
    result += kEscaped[kEscapes.find(content[++i])];
  }
  return result;
}

bool is_reserved_word(std::string_view word) {
  return std::ranges::binary_search(kReservedWords, word);
}

Tokens tokens_of_module(const Source& source) {
  return Lexer(source, true).take();
}

Tokens tokens_of_expression(const Source& source) {
  return Lexer(source, false).take();
}

}  // namespace dissensus::tla
