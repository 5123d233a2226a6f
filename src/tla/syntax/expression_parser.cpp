// Expressions: operators by precedence with two stacks, everything else by its first token.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tla/syntax/parser.h"

namespace dissensus::tla {

// Operators.

ExpressionPtr Parser::expression() {
  const Nested nested(*this);
  std::vector<Operand> operands;
  std::vector<Pending> pending;
  bool is_closed = false;
  do {
    prefix_operators(pending);
    is_closed = peek().is("(");
    const std::size_t first = position_;
    operands.push_back({primary()});
    const std::size_t after_primary = position_;
    postfix_operators(operands, pending);
    is_closed = is_closed && tokens_[first].is("(") && position_ == after_primary;
  } while (infix_operator(operands, pending));
  is_closed = is_closed && pending.empty() && operands.size() == 1;
  while (!pending.empty()) reduce(operands, pending);
  is_closed_ = is_closed;
  return std::move(operands.front().expression);
}

void Parser::prefix_operators(std::vector<Pending>& pending) {
  for (; peek().prefix != nullptr; take()) {
    const Operator& next = *peek().prefix;
    // a * -b: minus binds less than what stands before it.
    const bool is_minus = next.name == "-.";
    if (is_minus && !pending.empty() && pending.back().operation->low > next.high) {
      conflict(pending.back(), peek());
    }
    pending.push_back({&next, position_, {}});
  }
}

void Parser::postfix_operators(std::vector<Operand>& operands, std::vector<Pending>& pending) {
  for (;;) {
    const Token& token = peek();
    if (token.postfix != nullptr) {
      reduce_before(*token.postfix, token, operands, pending);
    } else if (!token.is("[") && !token.is(".")) {
      return;
    }
    Operand& operand = operands.back();
    operand = {apply_postfix(std::move(operand.expression))};
  }
}

ExpressionPtr Parser::apply_postfix(ExpressionPtr operand) {
  const Location start = operand->at;
  const std::size_t first = position_;
  const Token& token = take();
  ExpressionPtr result;
  if (token.is("[")) {
    result = make(Syntax::application);
    adopt(*result, std::move(operand));
    do {
      adopt(*result, expression());
    } while (accept(","));
    close("]", first);
  } else if (token.is(".")) {
    const Token& name = peek();
    if (name.type != TokenType::name && name.type != TokenType::keyword) {
      unexpected("the name of a field after '.'");
    }
    result = make(Syntax::field, take().text);
    adopt(*result, std::move(operand));
  } else {
    result = make(Syntax::apply, token.text);
    adopt(*result, std::move(operand));
  }
  result->at = since(first);
  result->at.line = start.line;
  result->at.column = start.column;
  return result;
}

/// a I!+ b: the operator of a named instance between its operands.
std::optional<std::vector<PathPart>> Parser::path_of_infix_operator() {
  std::size_t offset = 0;
  while (peek(offset).type == TokenType::name && peek(offset + 1).is("!")) offset += 2;
  if (offset == 0 || peek(offset).infix == nullptr) return std::nullopt;
  std::vector<PathPart> path;
  for (; offset > 0; offset -= 2) {
    const Token& name = take();
    path.push_back({std::string(name.text), {}, location_of(name)});
    take();  // !
  }
  return path;
}

bool Parser::infix_operator(std::vector<Operand>& operands, std::vector<Pending>& pending) {
  std::vector<PathPart> path;
  if (peek().infix == nullptr) {
    auto found = path_of_infix_operator();
    if (!found) return false;
    path = std::move(*found);
  }
  const Token& token = peek();
  reduce_before(*token.infix, token, operands, pending);
  pending.push_back({token.infix, position_, std::move(path)});
  take();
  return true;
}

void Parser::reduce_before(const Operator& next, const Token& token, std::vector<Operand>& operands,
                           std::vector<Pending>& pending) {
  while (!pending.empty()) {
    switch (grouping(*pending.back().operation, next)) {
      case Grouping::left:
        reduce(operands, pending);
        break;
      case Grouping::right:
        return;
      case Grouping::conflict:
        conflict(pending.back(), token);
    }
  }
}

void Parser::conflict(const Pending& left, const Token& right) const {
  const Token& first = tokens_[left.token];
  if (first.text == right.text) {
    fail(right, fmt::format("'{}' cannot be chained with the one at {}:{}: expected parentheses",
                            right.spelling, first.line, first.column));
  }
  const bool is_junction =
      (first.is("/\\") || first.is("\\/")) && (right.is("/\\") || right.is("\\/"));
  fail(right, fmt::format("'{}' cannot be mixed with the '{}' at {}:{} that way: expected "
                          "parentheses{}",
                          right.spelling, first.spelling, first.line, first.column,
                          is_junction ? " or bullets that are aligned" : ""));
}

void Parser::reduce(std::vector<Operand>& operands, std::vector<Pending>& pending) {
  Pending done = std::move(pending.back());
  pending.pop_back();
  Operand last = std::move(operands.back());
  operands.pop_back();
  const Operator& operation = *done.operation;
  Location at = location_of(tokens_[done.token]);
  at.end_line = last.expression->at.end_line;
  at.end_column = last.expression->at.end_column;
  if (operation.fix == Fix::prefix) {
    ExpressionPtr result = make(Syntax::apply, operation.name);
    adopt(*result, std::move(last.expression));
    result->at = at;
    operands.push_back({std::move(result)});
    return;
  }
  Operand& left = operands.back();
  at.line = left.expression->at.line;
  at.column = left.expression->at.column;
  const bool has_path = !done.path.empty();
  const Syntax syntax = has_path                  ? Syntax::apply
                        : operation.name == "/\\" ? Syntax::conjunction
                        : operation.name == "\\/" ? Syntax::disjunction
                        : operation.name == "\\X" ? Syntax::product
                                                  : Syntax::apply;
  const bool continues =
      left.is_chain && syntax != Syntax::apply && left.expression->syntax == syntax;
  if (!continues) {
    ExpressionPtr result =
        make(syntax, syntax == Syntax::apply ? operation.name : std::string_view());
    adopt_path(*result, std::move(done.path));
    adopt(*result, std::move(left.expression));
    left = {std::move(result), true};
  }
  adopt(*left.expression, std::move(last.expression));
  left.expression->at = at;
}

// Operands.

ExpressionPtr Parser::primary() {
  switch (peek().type) {
    case TokenType::name:
      return identifier();
    case TokenType::number:
      return number();
    case TokenType::text:
      return text();
    case TokenType::symbol:
      return primary_symbol();
    case TokenType::keyword:
      return primary_keyword();
    case TokenType::proof_step:
      if (in_proof_) return identifier();
      break;
    default:
      break;
  }
  unexpected("an expression");
}

ExpressionPtr Parser::primary_symbol() {
  const Token& token = peek();
  if (token.is("(")) return parenthesised();
  if (token.is("<<")) return tuple_or_action();
  if (token.is("[")) return bracket();
  if (token.is("{")) return brace();
  if (token.is("/\\") || token.is("\\/")) return junction_list();
  if (token.is("\\A") || token.is("\\E") || token.is("\\AA") || token.is("\\EE")) {
    return quantifier();
  }
  if (token.is("@")) {
    if (except_depth_ == 0 && !in_proof_)
      fail(token, "'@' has a meaning only in an update of EXCEPT");
    ExpressionPtr result = make(Syntax::except_at);
    take();
    return result;
  }
  // +(a, b)
  if ((token.infix != nullptr || token.postfix != nullptr) && peek(1).is("(")) return identifier();
  unexpected("an expression");
}

ExpressionPtr Parser::primary_keyword() {
  const Token& token = peek();
  if (token.is("IF")) return if_else();
  if (token.is("CASE")) return case_of();
  if (token.is("LET")) return let();
  if (token.is("CHOOSE")) return choose();
  if (token.is("LAMBDA")) return lambda();
  if (token.is("WF_") || token.is("SF_")) return fairness();
  unexpected("an expression");
}

ExpressionPtr Parser::number() {
  ExpressionPtr result = make(Syntax::number, decimal_digits(peek().spelling));
  take();
  return result;
}

ExpressionPtr Parser::text() {
  ExpressionPtr result = make(Syntax::text, string_content(peek().spelling));
  take();
  return result;
}

/// A name with arguments, with a path A!B(x)!C(y), or with a label in front that is left out.
ExpressionPtr Parser::identifier() {
  const std::size_t first = position_;
  std::vector<PathPart> path;
  path.push_back(path_part());
  if (peek().is("::")) {
    take();
    return expression();
  }
  while (peek().is("!") && (!peek(1).is("=") || peek(2).is("("))) {
    take();
    path.push_back(path_part());
  }
  ExpressionPtr result = make(Syntax::apply, path.back().name);
  std::vector<ExpressionPtr> operands = std::move(path.back().operands);
  path.pop_back();
  for (ExpressionPtr& operand : operands) adopt(*result, std::move(operand));
  adopt_path(*result, std::move(path));
  result->at = since(first);
  return result;
}

PathPart Parser::path_part() {
  PathPart part;
  part.at = location_of(raw());
  const Token& token = peek();
  const bool is_selector = token.is(":") || token.is("<<") || token.is(">>") || token.is("@") ||
                           token.type == TokenType::number;
  const bool is_operator =
      token.infix != nullptr || token.prefix != nullptr || token.postfix != nullptr;
  if (token.is("(")) {
    part.name = "()";
    part.operands = arguments();
    return part;
  }
  if (token.type != TokenType::name && token.type != TokenType::proof_step && !is_selector &&
      !is_operator) {
    unexpected("a name after '!'");
  }
  part.name = take().text;
  if (peek().is("(") && !is_selector) part.operands = arguments();
  return part;
}

std::vector<ExpressionPtr> Parser::arguments() {
  std::vector<ExpressionPtr> result;
  const std::size_t open = position_;
  take();
  do {
    result.push_back(argument());
  } while (accept(","));
  close(")", open);
  return result;
}

bool Parser::is_operator_argument() const {
  const Token& token = peek();
  if (token.infix == nullptr && token.prefix == nullptr && token.postfix == nullptr) return false;
  const Token& next = raw(1);
  if (next.is(",") || next.is(")") || next.type == TokenType::separator ||
      next.type == TokenType::module_end) {
    return true;
  }
  const bool may_begin =
      token.prefix != nullptr || token.is("/\\") || token.is("\\/") || next.is("(");
  return !may_begin;
}

ExpressionPtr Parser::argument() {
  if (!is_operator_argument()) return expression();
  ExpressionPtr result = make(Syntax::operator_symbol, peek().text);
  take();
  return result;
}

ExpressionPtr Parser::if_else() {
  const std::size_t first = position_;
  ExpressionPtr result = make(Syntax::if_else);
  take();
  adopt(*result, expression());
  expect("THEN", "the condition of IF");
  adopt(*result, expression());
  expect("ELSE",
         fmt::format("the THEN of the IF at {}:{}", tokens_[first].line, tokens_[first].column));
  adopt(*result, expression());
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::case_of() {
  const std::size_t first = position_;
  ExpressionPtr result = make(Syntax::case_of);
  take();
  // What follows OTHER belongs to a CASE around this one.
  bool is_other = false;
  do {
    is_other = accept("OTHER");
    if (!is_other) adopt(*result, expression());
    expect("->", is_other ? "OTHER" : "the condition of a CASE");
    adopt(*result, expression());
  } while (!is_other && accept("[]"));
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::let() {
  const std::size_t first = position_;
  ExpressionPtr result = make(Syntax::let);
  take();
  auto outer_recursive = std::exchange(recursive_, {});
  do {
    if (accept("RECURSIVE")) {
      for (Parameter& each : parameters("a name after RECURSIVE", true)) {
        recursive_.push_back(std::move(each.name));
      }
      continue;
    }
    auto inner_recursive = recursive_;
    DefinitionPtr each =
        peek().is("INSTANCE") ? instance() : definition("a definition (Name == ...) or IN");
    recursive_ = std::move(inner_recursive);
    if (each->body) raise(*result, *each->body);
    for (const Bound& bound : each->bounds) raise(*result, *bound.set);
    for (const Substitution& value : each->substitutions) raise(*result, *value.value);
    result->definitions.push_back(std::move(each));
  } while (!peek().is("IN"));
  for (const std::string& name : recursive_) {
    const bool is_defined = std::ranges::any_of(
        result->definitions, [&](const DefinitionPtr& each) { return each->name == name; });
    if (!is_defined) {
      fail(raw(), fmt::format("{} is RECURSIVE: expected its definition before IN", name));
    }
  }
  take();
  recursive_ = std::move(outer_recursive);
  adopt(*result, expression());
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::choose() {
  const std::size_t first = position_;
  ExpressionPtr result = make(Syntax::choose);
  take();
  std::vector<Bound> all;
  all.push_back(bound(true));
  if (all.front().names.size() > 1 && !all.front().is_tuple) {
    unexpected("one name after CHOOSE, or a tuple <<x, y>>");
  }
  adopt_bounds(*result, std::move(all));
  expect(":", "the bound of CHOOSE");
  adopt(*result, expression());
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::quantifier() {
  const std::size_t first = position_;
  const Token& symbol = peek();
  const bool is_temporal = symbol.is("\\AA") || symbol.is("\\EE");
  ExpressionPtr result = make(symbol.is("\\A")    ? Syntax::for_all
                              : symbol.is("\\E")  ? Syntax::exists
                              : symbol.is("\\AA") ? Syntax::temporal_for_all
                                                  : Syntax::temporal_exists);
  take();
  adopt_bounds(*result, bounds(true));
  if (is_temporal && result->bounds.front().set) {
    fail(symbol, fmt::format("expected names without a set after {}", symbol.spelling));
  }
  expect(":", "the bounds of a quantifier");
  adopt(*result, expression());
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::lambda() {
  const std::size_t first = position_;
  ExpressionPtr result = make(Syntax::lambda);
  take();
  result->parameters = parameters("the name of a parameter of LAMBDA", true);
  expect(":", "the parameters of LAMBDA");
  adopt(*result, expression());
  result->at = since(first);
  return result;
}

}  // namespace dissensus::tla
