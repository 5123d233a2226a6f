#include "tla/syntax/parser.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dissensus::tla {
namespace {

constexpr std::size_t kDepthMax = 600;

bool is_theorem(const Token& token) {
  return token.is("THEOREM") || token.is("LEMMA") || token.is("PROPOSITION") ||
         token.is("COROLLARY");
}

}  // namespace

Parser::Parser(const Source& source, Tokens tokens)
    : source_(source), tokens_(std::move(tokens.tokens)), notices_(std::move(tokens.notices)) {}

Parser::Nested::Nested(Parser& parser) : parser_(parser) {
  if (parser.depth_ >= kDepthMax) {
    parser.fail(parser.raw(),
                fmt::format("nested too deeply: expected at most {} levels", kDepthMax));
  }
  ++parser.depth_;
}

// Tokens.

const Token& Parser::raw(std::size_t offset) const {
  return tokens_[std::min(position_ + offset, tokens_.size() - 1)];
}

const Token& Parser::peek(std::size_t offset) const {
  static const Token kEndOfItem;
  const Token& token = raw(offset);
  return bullet_ != nullptr && token.indent <= bullet_->indent ? kEndOfItem : token;
}

const Token& Parser::take() {
  const Token& token = raw();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool Parser::accept(std::string_view symbol_or_keyword) {
  if (!peek().is(symbol_or_keyword)) return false;
  take();
  return true;
}

const Token& Parser::expect(std::string_view symbol_or_keyword, std::string_view after) {
  if (!peek().is(symbol_or_keyword)) {
    unexpected(fmt::format("'{}' after {}", symbol_or_keyword, after));
  }
  return take();
}

const Token& Parser::expect_name(std::string_view what) {
  if (peek().type != TokenType::name) unexpected(what);
  return take();
}

void Parser::close(std::string_view symbol, std::size_t open) {
  if (accept(symbol)) return;
  const Token& opening = tokens_[open];
  unexpected(fmt::format("'{}' to close the '{}' at {}:{}", symbol, opening.spelling, opening.line,
                         opening.column));
}

Location Parser::since(std::size_t first_token) const {
  Location location = location_of(tokens_[first_token]);
  const Location last = location_of(tokens_[position_ == 0 ? 0 : position_ - 1]);
  location.end_line = last.end_line;
  location.end_column = last.end_column;
  return location;
}

void Parser::fail(const Token& token, const std::string& message) const {
  throw SpecError(location_of(token), message);
}

std::string Parser::found() const {
  const Token& token = raw();
  switch (token.type) {
    case TokenType::end:
      return "the end of the text";
    case TokenType::separator:
      return "a line ----";
    case TokenType::module_end:
      return "====, the end of the module";
    case TokenType::text:
      return "the string " + token.location(source_).excerpt(40);
    default:
      return fmt::format("'{}'", token.location(source_).excerpt(40));
  }
}

std::string Parser::hint() const {
  const Token& token = raw();
  std::string result;
  if (token.is("==")) result += "; equality is written '='";
  if (token.is("!") && raw(1).is("=")) result += "; inequality is written '#' or '/='";
  const bool is_limited = bullet_ != nullptr && token.indent <= bullet_->indent;
  if (is_limited && token.type != TokenType::end && token.type != TokenType::module_end) {
    result += fmt::format("; it is not to the right of the bullet '{}' at {}:{}", bullet_->spelling,
                          bullet_->line, bullet_->column);
  }
  const auto has_tab = [&](const Token& each) {
    return source_.line(each.line).substr(0, each.column).find('\t') != std::string_view::npos;
  };
  if (has_tab(token) || (bullet_ != nullptr && has_tab(*bullet_))) {
    result += "; a tab counts up to the next multiple of 8 columns";
  }
  return result;
}

void Parser::unexpected(std::string_view expected) const {
  fail(raw(), fmt::format("expected {}, found {}{}", expected, found(), hint()));
}

// Trees.

ExpressionPtr Parser::make(Syntax syntax, std::string_view name) const {
  auto made = std::make_unique<Expression>();
  made->syntax = syntax;
  made->name = name;
  made->at = location_of(raw());
  return made;
}

void Parser::raise(Expression& parent, const Expression& child) const {
  if (child.height >= kHeightMax) {
    throw SpecError(child.at,
                    fmt::format("this expression is too deep: expected at most {} levels, count "
                                "every operator of a chain like a + b + c",
                                kHeightMax));
  }
  parent.height = std::max(parent.height, child.height + 1);
}

void Parser::adopt(Expression& parent, ExpressionPtr child) const {
  raise(parent, *child);
  parent.operands.push_back(std::move(child));
}

void Parser::adopt_bounds(Expression& parent, std::vector<Bound> bounds) const {
  for (const Bound& each : bounds) {
    if (each.set) raise(parent, *each.set);
  }
  parent.bounds = std::move(bounds);
}

void Parser::adopt_path(Expression& parent, std::vector<PathPart> path) const {
  for (const PathPart& part : path) {
    for (const ExpressionPtr& operand : part.operands) raise(parent, *operand);
  }
  parent.path = std::move(path);
}

// Modules.

std::unique_ptr<Module> Parser::module() {
  const Nested nested(*this);
  auto result = std::make_unique<Module>();
  const std::size_t first = position_;
  take();  // ----
  take();  // MODULE
  result->name = expect_name("the name of the module").text;
  if (peek().type != TokenType::separator) unexpected("---- after the name of the module");
  take();
  result->at = since(first);
  if (accept("EXTENDS")) {
    do {
      const Token& name = expect_name("the name of a module after EXTENDS");
      result->extends.push_back({std::string(name.text), location_of(name)});
    } while (accept(","));
  }
  auto outer_recursive = std::exchange(recursive_, {});
  while (peek().type != TokenType::module_end) {
    if (peek().type == TokenType::end) {
      fail(raw(), fmt::format("module {} is not ended: expected a line ====", result->name));
    }
    unit(*result);
  }
  take();
  recursive_ = std::move(outer_recursive);
  if (depth_ == 1) result->notices = std::move(notices_);
  return result;
}

void Parser::unit(Module& module) {
  const Token& token = peek();
  if (token.type == TokenType::separator) {
    if (raw(1).is("MODULE")) {
      submodule(module);
    } else {
      take();
    }
  } else if (token.is("CONSTANT") || token.is("CONSTANTS") || token.is("VARIABLE") ||
             token.is("VARIABLES") || token.is("RECURSIVE")) {
    declaration(module);
  } else if (token.is("ASSUME") || token.is("ASSUMPTION") || token.is("AXIOM")) {
    assumption(module);
  } else if (is_theorem(token)) {
    theorem(module);
  } else if (token.is("USE") || token.is("HIDE")) {
    in_proof_ = true;
    take();
    facts();
    in_proof_ = false;
  } else if (token.is("EXTENDS")) {
    fail(token, "EXTENDS must come first in a module: expected one EXTENDS with all names");
  } else {
    local_or_definition(module);
  }
}

void Parser::submodule(Module& module) {
  ModuleUnit unit;
  unit.type = ModuleUnit::Type::submodule;
  unit.submodule = this->module();
  unit.at = unit.submodule->at;
  module.units.push_back(std::move(unit));
}

void Parser::declaration(Module& module) {
  ModuleUnit unit;
  const std::size_t first = position_;
  const Token& keyword = take();
  if (keyword.is("RECURSIVE")) {
    unit.type = ModuleUnit::Type::recursive;
  } else {
    const bool is_constant = keyword.text.starts_with("CONSTANT");
    unit.type = is_constant ? ModuleUnit::Type::constants : ModuleUnit::Type::variables;
  }
  const bool is_variable = unit.type == ModuleUnit::Type::variables;
  unit.declared = parameters(fmt::format("a name after {}", keyword.spelling), !is_variable);
  unit.at = since(first);
  if (unit.type == ModuleUnit::Type::recursive) {
    for (const Parameter& each : unit.declared) recursive_.push_back(each.name);
  }
  module.units.push_back(std::move(unit));
}

void Parser::assumption(Module& module) {
  ModuleUnit unit;
  unit.type = ModuleUnit::Type::assume;
  const std::size_t first = position_;
  const bool is_axiom = take().is("AXIOM");
  const Token& name = peek();
  if (name.type == TokenType::name && peek(1).is("==")) {
    unit.name = name.text;
    take();
    take();
  }
  unit.assumption = expression();
  unit.at = since(first);
  if (!is_axiom) {
    module.units.push_back(std::move(unit));
    return;
  }
  notices_.push_back({unit.at, "an AXIOM is taken for granted: it is not evaluated"});
  if (!unit.name.empty()) add_statement(module, name, std::move(unit.assumption), first);
}

/// The statement of a named theorem or axiom can be used like a definition.
void Parser::add_statement(Module& module, const Token& name, ExpressionPtr statement,
                           std::size_t first) {
  ModuleUnit unit;
  unit.definition = std::make_unique<Definition>();
  unit.definition->name = name.text;
  unit.definition->at = location_of(name);
  unit.definition->body = std::move(statement);
  unit.definition->is_theorem = true;
  unit.at = since(first);
  module.units.push_back(std::move(unit));
}

void Parser::local_or_definition(Module& module) {
  ModuleUnit unit;
  const std::size_t first = position_;
  unit.is_local = accept("LOCAL");
  if (peek().is("INSTANCE")) {
    unit.definition = instance();
  } else {
    unit.definition = definition(
        unit.is_local ? "a definition or INSTANCE after LOCAL"
                      : "an operator that continues the expression, a definition (Name == ...), a "
                        "declaration or the ==== that ends the module");
  }
  unit.definition->is_local = unit.is_local;
  unit.at = since(first);
  module.units.push_back(std::move(unit));
}

// Definitions.

bool Parser::is_definition_head() const {
  if (peek().prefix != nullptr && peek().is("-.")) return peek(1).type == TokenType::name;
  if (peek().type != TokenType::name) return false;
  const Token& next = peek(1);
  if (next.is("==") || next.is("(") || next.is("[") || next.postfix != nullptr) return true;
  return next.infix != nullptr && peek(2).type == TokenType::name && peek(3).is("==");
}

bool Parser::is_definition() const {
  if (!is_definition_head()) return false;
  std::size_t offset = peek().is("-.") ? 2 : 1;
  if (offset == 1 && (peek(1).is("(") || peek(1).is("["))) {
    std::size_t open = 0;
    do {
      const Token& token = raw(offset++);
      if (token.type == TokenType::end) return false;
      if (token.is("(") || token.is("[") || token.is("{")) ++open;
      if (token.is(")") || token.is("]") || token.is("}")) --open;
    } while (open > 0);
  } else if (offset == 1 && !peek(1).is("==")) {
    offset = peek(1).infix != nullptr ? 3 : 2;
  }
  return raw(offset).is("==");
}

void Parser::definition_head(Definition& definition, std::string_view where) {
  if (peek().type == TokenType::name && peek(1).is("=") && !is_definition_head()) {
    take();
    unexpected("'==' after the name of a definition");
  }
  if (!is_definition_head()) unexpected(where);
  const Token& first = take();
  definition.at = location_of(first);
  definition.name = first.text;
  const auto add_parameter = [&](const Token& name) {
    definition.parameters.push_back({std::string(name.text), 0, location_of(name)});
  };
  if (first.is("-.")) {
    definition.name = "-.";
    add_parameter(take());
  } else if (peek().is("(")) {
    const std::size_t open = position_;
    take();
    definition.parameters = parameters("the name of a parameter", true);
    close(")", open);
  } else if (peek().is("[")) {
    const std::size_t open = position_;
    take();
    definition.type = Definition::Type::function;
    definition.bounds = bounds(false);
    close("]", open);
  } else if (peek().infix != nullptr || peek().postfix != nullptr) {
    const Token& symbol = take();
    definition.name = symbol.text;
    definition.at = location_of(symbol);
    add_parameter(first);
    if (symbol.infix != nullptr) add_parameter(take());
  }
  if (!peek().is("==")) {
    unexpected(fmt::format("'==' after the head of the definition of {}", definition.name));
  }
  take();
}

DefinitionPtr Parser::definition(std::string_view where) {
  const Nested nested(*this);
  auto result = std::make_unique<Definition>();
  definition_head(*result, where);
  result->is_recursive = std::ranges::find(recursive_, result->name) != recursive_.end();
  if (!peek().is("INSTANCE")) {
    result->body = expression();
    return result;
  }
  if (result->type == Definition::Type::function) {
    unexpected(
        fmt::format("an expression: {} is a function, which cannot be an INSTANCE", result->name));
  }
  DefinitionPtr instantiated = instance();
  result->type = Definition::Type::instance;
  result->module = std::move(instantiated->module);
  result->substitutions = std::move(instantiated->substitutions);
  return result;
}

DefinitionPtr Parser::instance() {
  auto result = std::make_unique<Definition>();
  result->type = Definition::Type::instance;
  result->at = location_of(raw());
  take();  // INSTANCE
  result->module = expect_name("the name of a module after INSTANCE").text;
  if (!accept("WITH")) return result;
  do {
    const Token& name = peek();
    const bool is_operator =
        name.infix != nullptr || name.prefix != nullptr || name.postfix != nullptr;
    if (name.type != TokenType::name && !is_operator) unexpected("a name after WITH");
    take();
    expect("<-", fmt::format("'{}' in WITH", name.spelling));
    result->substitutions.push_back({std::string(name.text), argument(), location_of(name)});
  } while (accept(","));
  return result;
}

std::vector<Parameter> Parser::parameters(std::string_view what, bool may_have_arity) {
  std::vector<Parameter> result;
  do {
    result.push_back(parameter(what, may_have_arity));
  } while (accept(","));
  return result;
}

/// x, Op(_, _), _+_, _^+ or -._
Parameter Parser::parameter(std::string_view what, bool may_have_arity) {
  Parameter result;
  const std::size_t first = position_;
  if (may_have_arity && peek().is("_") && (peek(1).infix || peek(1).postfix)) {
    take();
    const Token& symbol = take();
    result.name = symbol.text;
    result.arity = symbol.infix != nullptr ? 2 : 1;
    if (symbol.infix != nullptr) expect("_", fmt::format("'_ {}'", symbol.spelling));
  } else if (may_have_arity && peek().is("-.")) {
    take();
    expect("_", "'-.'");
    result.name = "-.";
    result.arity = 1;
  } else {
    result.name = expect_name(what).text;
    if (may_have_arity && peek().is("(")) result.arity = underscores();
  }
  result.at = since(first);
  return result;
}

std::uint32_t Parser::underscores() {
  const std::size_t open = position_;
  take();
  std::uint32_t arity = 0;
  do {
    if (!accept("_")) unexpected("'_' for each parameter of the operator");
    ++arity;
  } while (accept(","));
  close(")", open);
  return arity;
}

// Entry points.

ExpressionPtr Parser::whole_expression() {
  ExpressionPtr result = expression();
  if (raw().type != TokenType::end) unexpected("the end of the expression");
  return result;
}

std::unique_ptr<Module> parse_module(SourcePtr source) {
  Parser parser(*source, tokens_of_module(*source));
  std::unique_ptr<Module> module = parser.module();
  module->source = std::move(source);
  return module;
}

ExpressionPtr parse_expression(SourcePtr source) {
  return Parser(*source, tokens_of_expression(*source)).whole_expression();
}

}  // namespace dissensus::tla
