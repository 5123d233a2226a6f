#include "tla/syntax/config.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/suggestion.h"
#include "tla/syntax/lexer.h"

namespace dissensus::tla {
namespace {

constexpr std::size_t kSetDepthMax = 100;

/// What a keyword stands for: one name, several, or something of its own.
struct SectionWord {
  std::string_view keyword;
  std::optional<ConfigName> Config::*one = nullptr;
  std::vector<ConfigName> Config::*many = nullptr;
};

constexpr SectionWord kSectionWords[] = {
    {"INIT", &Config::init},
    {"NEXT", &Config::next},
    {"SPECIFICATION", &Config::specification},
    {"VIEW", &Config::view},
    {"ALIAS", &Config::alias},
    {"POSTCONDITION", &Config::postcondition},
    {"POSTCONDITIONS", &Config::postcondition},
    {"INVARIANT", nullptr, &Config::invariants},
    {"INVARIANTS", nullptr, &Config::invariants},
    {"PROPERTY", nullptr, &Config::properties},
    {"PROPERTIES", nullptr, &Config::properties},
    {"CONSTRAINT", nullptr, &Config::constraints},
    {"CONSTRAINTS", nullptr, &Config::constraints},
    {"ACTION_CONSTRAINT", nullptr, &Config::action_constraints},
    {"ACTION_CONSTRAINTS", nullptr, &Config::action_constraints},
    {"SYMMETRY", nullptr, &Config::symmetries},
    {"CONSTANT"},
    {"CONSTANTS"},
    {"CHECK_DEADLOCK"},
    {"_PERIODIC"},
    {"_POSSIBLE"},
    {"_RL_REWARD"},
};

const SectionWord* find_entry(const Token& token) {
  if (token.type != TokenType::name && token.type != TokenType::keyword) return nullptr;
  const auto* found = std::ranges::find(kSectionWords, token.text, &SectionWord::keyword);
  return found == std::end(kSectionWords) ? nullptr : found;
}

bool is_operator_symbol(const Token& token) {
  return token.infix != nullptr || token.prefix != nullptr || token.postfix != nullptr;
}

class ConfigParser {
 public:
  explicit ConfigParser(SourcePtr source)
      : source_(*source), tokens_(tokens_of_expression(*source).tokens) {
    config_.source = std::move(source);
  }

  Config parse() {
    while (peek().type != TokenType::end) {
      const SectionWord* entry = find_entry(peek());
      if (entry == nullptr) unknown_keyword();
      const Token& keyword = take();
      if (entry->one != nullptr) {
        one_name(*entry, keyword);
      } else if (entry->many != nullptr) {
        names(*entry, keyword);
      } else if (keyword.text.starts_with("CONSTANT")) {
        while (peek().type != TokenType::end && find_entry(peek()) == nullptr) constant();
      } else if (keyword.text == "CHECK_DEADLOCK") {
        check_deadlock(keyword);
      } else {
        without_effect(keyword);
      }
    }
    return std::move(config_);
  }

 private:
  const Token& peek(std::size_t offset = 0) const {
    return tokens_[std::min(position_ + offset, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
  }
  [[noreturn]] void unexpected(std::string_view expected) const {
    const Token& token = peek();
    const std::string found = token.type == TokenType::end
                                  ? "the end of the file"
                                  : fmt::format("'{}'", token.location(source_).excerpt(40));
    throw SpecError(token.location(source_), fmt::format("expected {}, found {}", expected, found));
  }
  void expect(std::string_view symbol, std::string_view after) {
    if (!peek().is(symbol)) unexpected(fmt::format("'{}' after {}", symbol, after));
    take();
  }

  [[noreturn]] void unknown_keyword() const {
    std::vector<std::string> known;
    for (const SectionWord& each : kSectionWords) known.emplace_back(each.keyword);
    throw SpecError(
        peek().location(source_),
        fmt::format("expected a keyword such as CONSTANT, SPECIFICATION or INVARIANT, "
                    "found '{}'{}",
                    peek().location(source_).excerpt(40), suggestion(peek().spelling, known)));
  }

  /// Name, or A!B.
  ConfigName name(std::string_view after) {
    if (peek().type != TokenType::name || find_entry(peek()) != nullptr) {
      unexpected(fmt::format("a name after {}", after));
    }
    const Token& first = take();
    ConfigName result{std::string(first.text), first.location(source_)};
    while (peek().is("!") && peek(1).type == TokenType::name) {
      take();
      result.name += '!';
      result.name += take().text;
    }
    return result;
  }

  void one_name(const SectionWord& entry, const Token& keyword) {
    std::optional<ConfigName>& value = config_.*(entry.one);
    ConfigName read = name(keyword.spelling);
    if (value) {
      throw SpecError(keyword.location(source_),
                      fmt::format("expected {} once, found it here and at line {}", keyword.text,
                                  value->at.line));
    }
    value = std::move(read);
    if (keyword.text.starts_with("POSTCONDITION") && peek().type == TokenType::name &&
        find_entry(peek()) == nullptr) {
      unexpected("one POSTCONDITION and then a keyword");
    }
  }

  void names(const SectionWord& entry, const Token& keyword) {
    std::vector<ConfigName>& list = config_.*(entry.many);
    while (peek().type != TokenType::end && find_entry(peek()) == nullptr) {
      if (peek().is(",")) unexpected("names without commas between them");
      list.push_back(name(keyword.spelling));
    }
  }

  void check_deadlock(const Token& keyword) {
    const bool is_true = peek().text == "TRUE";
    if (!is_true && peek().text != "FALSE") unexpected("TRUE or FALSE after CHECK_DEADLOCK");
    if (config_.check_deadlock) {
      throw SpecError(keyword.location(source_), "expected CHECK_DEADLOCK once, found it again");
    }
    config_.check_deadlock = is_true;
    take();
  }

  void without_effect(const Token& keyword) {
    while (peek().type != TokenType::end && find_entry(peek()) == nullptr) take();
    config_.notices.push_back(
        {keyword.location(source_), fmt::format("{} has no effect here", keyword.text)});
  }

  /// c = value, c = [M] value, Op(1, 2) = value, c <- Name, c <- [M] Name
  void constant() {
    const Token& first = peek();
    ConfigName constant{std::string(first.text), first.location(source_)};
    if (is_operator_symbol(first)) {
      take();
    } else {
      constant = name("CONSTANT");
    }
    if (peek().is("<-")) {
      take();
      Config::Replacement replacement{std::move(constant), module(), {}};
      if (is_operator_symbol(peek())) {
        replacement.definition = {std::string(peek().text), peek().location(source_)};
        take();
      } else {
        replacement.definition = name("'<-'");
      }
      config_.replacements.push_back(std::move(replacement));
      return;
    }
    Config::Assignment assignment;
    assignment.name = std::move(constant);
    if (peek().is("(")) {
      do {
        take();
        assignment.arguments.push_back(value(0));
      } while (peek().is(","));
      expect(")", "the arguments");
    }
    if (!peek().is("=")) unexpected(fmt::format("'=' or '<-' after {}", assignment.name.name));
    take();
    assignment.module = module();
    assignment.value = value(0);
    config_.assignments.push_back(std::move(assignment));
  }

  /// [Module], or nothing.
  std::string module() {
    if (!peek().is("[")) return {};
    take();
    std::string result = name("'['").name;
    expect("]", "the name of a module");
    return result;
  }

  ConfigValue value(std::size_t depth) {
    ConfigValue result;
    const Token& token = peek();
    result.at = token.location(source_);
    result.text = token.text;
    if (token.is("{")) {
      set(result, depth);
      return result;
    }
    const bool is_negative = token.is("-") && peek(1).type == TokenType::number;
    if (token.type == TokenType::number || is_negative) {
      if (is_negative) take();
      result.type = ConfigValue::Type::number;
      result.text = fmt::format("{}{}", is_negative ? "-" : "", number(peek()));
    } else if (token.type == TokenType::text) {
      result.type = ConfigValue::Type::text;
      result.text = string_content(token.spelling);
    } else if (token.type == TokenType::name && find_entry(token) == nullptr) {
      const bool is_boolean = token.text == "TRUE" || token.text == "FALSE";
      result.type = is_boolean ? ConfigValue::Type::boolean : ConfigValue::Type::name;
    } else {
      unexpected("a value: a number, a string, TRUE, FALSE, a name or a set of these");
    }
    take();
    return result;
  }

  void set(ConfigValue& result, std::size_t depth) {
    if (depth > kSetDepthMax) unexpected(fmt::format("at most {} nested sets", kSetDepthMax));
    result.type = ConfigValue::Type::set;
    result.text.clear();
    const Token& open = take();
    while (!peek().is("}")) {
      result.elements.push_back(value(depth + 1));
      if (peek().is(",") && !peek(1).is("}")) {
        take();
      } else if (!peek().is("}")) {
        unexpected(fmt::format("',' or '}}' to close the '{{' at {}:{}", open.line, open.column));
      }
    }
    take();
  }

  std::string number(const Token& token) const {
    if (token.spelling.find('.') != std::string_view::npos) unexpected("a whole number");
    return decimal_digits(token.spelling);
  }

  const Source& source_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  Config config_;
};

}  // namespace

Config parse_config(SourcePtr source) {
  return ConfigParser(std::move(source)).parse();
}

}  // namespace dissensus::tla
