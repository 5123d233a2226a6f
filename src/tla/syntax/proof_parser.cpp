// Theorems and proofs: read, so that it is known where they end, and left out.
#include <charconv>

#include <fmt/format.h>

#include "tla/syntax/parser.h"

namespace dissensus::tla {
namespace {

/// <3>x is 3; <+> and <*> are nothing in particular.
std::optional<std::int64_t> level_of(const Token& step) {
  constexpr std::int64_t kLevelMax = 1'000'000;
  std::int64_t level = 0;
  const char* begin = step.spelling.data() + 1;
  const auto [end, error] =
      std::from_chars(begin, step.spelling.data() + step.spelling.size(), level);
  if (end == begin) return std::nullopt;
  return error == std::errc() ? std::min(level, kLevelMax) : kLevelMax;
}

bool is_implicit_new_level(const Token& step) {
  return step.spelling.starts_with("<+>");
}

}  // namespace

void Parser::theorem(Module& module) {
  const std::size_t first = position_;
  const std::uint32_t indent = raw().indent;
  const std::string_view keyword = take().spelling;
  const Token& name = raw();
  const bool has_name = peek().type == TokenType::name && peek(1).is("==");
  if (has_name) {
    take();
    take();
  }
  in_proof_ = true;
  bool has_proof = false;
  const auto outer_recursive = recursive_;
  const std::size_t except_depth = except_depth_;
  std::string problem;
  try {
    ExpressionPtr statement = theorem_statement();
    if (has_name && statement) add_statement(module, name, std::move(statement), first);
    has_proof = at_proof();
    if (has_proof) proof(-1);
    if (!at_unit()) unexpected("the end of a theorem or of its proof");
  } catch (const SpecError& error) {
    // What is not checked need not be understood, either.
    problem = fmt::format("; it could not be read: {}", error.what());
    except_depth_ = except_depth;
    skip_to_next_unit(indent);
  }
  recursive_ = outer_recursive;
  in_proof_ = false;
  notices_.push_back(
      {since(first),
       fmt::format("{}{}{}{} not checked{}", keyword, has_name ? " " : "",
                   has_name ? name.text : "", has_proof ? " and its proof are" : " is", problem)});
}

ExpressionPtr Parser::theorem_statement() {
  const bool has_label = peek().type == TokenType::name && peek(1).is("::");
  if (!peek().is("ASSUME") && !(has_label && peek(2).is("ASSUME"))) return expression();
  assume_prove();
  return nullptr;
}

void Parser::assume_prove() {
  const Nested nested(*this);
  while (!peek().is("ASSUME")) take();  // a label
  take();
  do {
    const Token& token = peek();
    const bool has_label = token.type == TokenType::name && peek(1).is("::");
    if (token.is("NEW") || token.is("CONSTANT") || token.is("VARIABLE") || token.is("STATE") ||
        token.is("ACTION") || token.is("TEMPORAL")) {
      new_declaration();
    } else if (token.is("ASSUME") || (has_label && peek(2).is("ASSUME"))) {
      assume_prove();
    } else {
      expression();
    }
  } while (accept(","));
  expect("PROVE", "the assumptions");
  expression();
}

void Parser::new_declaration() {
  accept("NEW");
  for (const std::string_view kind : {"CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"}) {
    if (accept(kind)) break;
  }
  parameter("a name after NEW", true);
  if (accept("\\in")) expression();
}

bool Parser::at_proof() const {
  const Token& token = raw();
  return token.is("PROOF") || token.is("BY") || token.is("OBVIOUS") || token.is("OMITTED") ||
         token.type == TokenType::proof_step;
}

/// `level`: of the step that this proves.
void Parser::proof(std::int64_t level) {
  const Nested nested(*this);
  accept("PROOF");
  if (accept("OBVIOUS") || accept("OMITTED")) return;
  if (accept("BY")) {
    accept("ONLY");
    facts();
    return;
  }
  steps(level);
}

void Parser::steps(std::int64_t level) {
  if (raw().type != TokenType::proof_step) unexpected("a step such as <1>1");
  const std::int64_t own = level_of(raw()).value_or(level + 1);
  while (raw().type == TokenType::proof_step) {
    if (level_of(raw()).value_or(own) < own) return;
    if (step(own)) return;
  }
}

/// True for QED.
bool Parser::step(std::int64_t level) {
  take();  // <1>2.
  const bool is_qed = peek().is("QED");
  if (is_qed) {
    take();
  } else if (accept("DEFINE") || is_definition()) {
    do {
      definition("a definition after DEFINE");
    } while (is_definition());
  } else if (accept("USE") || accept("HIDE")) {
    accept("ONLY");
    facts();
  } else if (peek().is("INSTANCE")) {
    instance();
  } else if (accept("HAVE")) {
    expression();
  } else if (accept("TAKE")) {
    bounds(true);
  } else if (accept("WITNESS")) {
    do {
      expression();
    } while (accept(","));
  } else if (accept("PICK")) {
    bounds(true);
    expect(":", "the bounds of PICK");
    expression();
  } else if (peek().is("CASE")) {
    take();
    expression();
  } else {
    accept("SUFFICES");
    theorem_statement();
  }
  const Token& next = raw();
  if (next.type != TokenType::proof_step) {
    if (at_proof()) proof(level);
  } else if (is_implicit_new_level(next) || level_of(next).value_or(level) > level) {
    proof(level);
  }
  return is_qed;
}

/// fact, fact, MODULE M DEF a, b
void Parser::facts() {
  const auto at_fact = [&] {
    const Token& token = peek();
    return token.type != TokenType::end && !token.is("DEF") && !token.is("DEFS");
  };
  if (at_fact()) {
    do {
      if (accept("MODULE")) {
        expect_name("the name of a module");
      } else {
        expression();
      }
    } while (accept(","));
  }
  if (!accept("DEF") && !accept("DEFS")) return;
  do {
    if (accept("MODULE")) {
      expect_name("the name of a module");
    } else if (is_operator_argument() || peek().infix != nullptr || peek().postfix != nullptr) {
      take();
    } else {
      identifier();
    }
  } while (accept(","));
}

/// Something that can follow a theorem.
bool Parser::at_unit() const {
  const Token& token = raw();
  if (token.type == TokenType::separator || token.type == TokenType::module_end ||
      token.type == TokenType::end) {
    return true;
  }
  static constexpr std::string_view kKeywords[] = {
      "THEOREM",  "LEMMA",     "PROPOSITION", "COROLLARY", "CONSTANT", "CONSTANTS",
      "VARIABLE", "VARIABLES", "RECURSIVE",   "ASSUME",    "LOCAL",    "ASSUMPTION",
      "AXIOM",    "INSTANCE",  "USE",         "HIDE"};
  for (const std::string_view keyword : kKeywords) {
    if (token.is(keyword)) return true;
  }
  return is_definition();
}

void Parser::skip_to_next_unit(std::uint32_t indent) {
  for (; raw().type != TokenType::end && raw().type != TokenType::module_end; take()) {
    const bool is_first = position_ == 0 || tokens_[position_ - 1].line != raw().line;
    const bool is_left = is_first && raw().indent <= indent;
    if ((is_left || raw().type == TokenType::separator) && at_unit()) return;
  }
}

}  // namespace dissensus::tla
