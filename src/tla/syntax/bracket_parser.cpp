// Expressions with brackets around them or bullets in front, and bounds.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tla/syntax/parser.h"

namespace dissensus::tla {

ExpressionPtr Parser::junction_list() {
  const std::size_t first = position_;
  const Token& bullet = peek();
  const Syntax syntax = bullet.is("/\\") ? Syntax::conjunction : Syntax::disjunction;
  ExpressionPtr result = make(syntax);
  while (peek().is(bullet.text) && peek().indent == bullet.indent) {
    const Item item(*this, &bullet);
    take();
    ExpressionPtr each = expression();
    if (each->syntax != syntax || is_closed_) {
      adopt(*result, std::move(each));
      continue;
    }
    for (ExpressionPtr& part : each->operands) adopt(*result, std::move(part));
  }
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::parenthesised() {
  const std::size_t open = position_;
  take();
  ExpressionPtr result = expression();
  close(")", open);
  result->at = since(open);
  return result;
}

ExpressionPtr Parser::tuple_or_action() {
  const std::size_t open = position_;
  ExpressionPtr result = make(Syntax::tuple);
  take();
  if (!peek().is(">>")) {
    do {
      adopt(*result, expression());
    } while (accept(","));
  }
  if (result->operands.size() == 1 && accept(">>_")) {
    result->syntax = Syntax::action_angle;
    adopt(*result, subscript());
  } else {
    close(">>", open);
  }
  result->at = since(open);
  return result;
}

/// What may follow ]_, >>_, WF_: a name, a tuple, something in parentheses.
ExpressionPtr Parser::subscript() {
  const Token& token = peek();
  if (token.type == TokenType::name) return identifier();
  if (token.is("(") || token.is("<<") || token.is("[") || token.is("{")) return primary_symbol();
  unexpected("a variable, a tuple or parentheses as subscript");
}

ExpressionPtr Parser::fairness() {
  const std::size_t first = position_;
  const Token& keyword = take();
  ExpressionPtr result = make(keyword.is("WF_") ? Syntax::weak_fairness : Syntax::strong_fairness);
  ExpressionPtr variables = subscript();
  // WF_vars(Next): what looks like the argument of vars is the action.
  ExpressionPtr action;
  if (variables->syntax == Syntax::apply && !variables->operands.empty() && !peek().is("(")) {
    if (variables->operands.size() != 1) {
      fail(tokens_[first], fmt::format("expected one action in parentheses after {}, found {}",
                                       keyword.spelling, variables->operands.size()));
    }
    action = std::move(variables->operands.front());
    variables->operands.clear();
  } else {
    const std::size_t open = position_;
    expect("(", fmt::format("the subscript of {}", keyword.spelling));
    action = expression();
    close(")", open);
  }
  adopt(*result, std::move(variables));
  adopt(*result, std::move(action));
  result->at = since(first);
  return result;
}

ExpressionPtr Parser::bracket() {
  const std::size_t open = position_;
  take();
  const bool is_word = peek().type == TokenType::name || peek().type == TokenType::keyword;
  if (is_word && peek(1).is("|->")) return fields(Syntax::record, "|->", open);
  if (is_word && peek(1).is(":")) return fields(Syntax::record_set, ":", open);
  if (peek().type == TokenType::name && peek(1).is(",")) return function(bounds(false), open);
  ExpressionPtr first = expression();
  const bool may_be_bound = !is_closed_ && is_membership(*first);
  if (may_be_bound && (peek().is("|->") || peek().is(","))) {
    std::vector<Bound> all;
    all.push_back(bound_of_membership(std::move(first)));
    if (accept(",")) {
      for (Bound& each : bounds(false)) all.push_back(std::move(each));
    }
    return function(std::move(all), open);
  }
  if (peek().is("EXCEPT")) return except(std::move(first), open);
  ExpressionPtr result = make(Syntax::function_set);
  adopt(*result, std::move(first));
  if (accept("->")) {
    adopt(*result, expression());
    close("]", open);
  } else if (accept("]_")) {
    result->syntax = Syntax::action_box;
    adopt(*result, subscript());
  } else {
    unexpected(fmt::format("'|->', '->', ':', EXCEPT or ']_' within the '[' at {}:{}",
                           tokens_[open].line, tokens_[open].column));
  }
  result->at = since(open);
  return result;
}

ExpressionPtr Parser::fields(Syntax syntax, std::string_view separator, std::size_t open) {
  ExpressionPtr result = make(syntax);
  do {
    const Token& name = peek();
    if (name.type != TokenType::name && name.type != TokenType::keyword) {
      unexpected("the name of a field");
    }
    take();
    result->fields.emplace_back(name.text);
    expect(separator, fmt::format("field {}", name.spelling));
    adopt(*result, expression());
  } while (accept(","));
  close("]", open);
  result->at = since(open);
  return result;
}

ExpressionPtr Parser::function(std::vector<Bound> bounds, std::size_t open) {
  ExpressionPtr result = make(Syntax::function);
  adopt_bounds(*result, std::move(bounds));
  expect("|->", "the domain of a function");
  adopt(*result, expression());
  close("]", open);
  result->at = since(open);
  return result;
}

ExpressionPtr Parser::except(ExpressionPtr base, std::size_t open) {
  ExpressionPtr result = make(Syntax::except);
  take();
  adopt(*result, std::move(base));
  do {
    result->updates.push_back(except_update(*result));
  } while (accept(","));
  close("]", open);
  result->at = since(open);
  return result;
}

ExceptUpdate Parser::except_update(Expression& parent) {
  ExceptUpdate update;
  expect("!", update.path.empty() ? "EXCEPT" : "','");
  while (peek().is(".") || peek().is("[")) {
    ExceptUpdate::Step step;
    const std::size_t open = position_;
    if (take().is(".")) {
      if (peek().type != TokenType::name && peek().type != TokenType::keyword) {
        unexpected("the name of a field after '.'");
      }
      step.field = take().text;
    } else {
      do {
        step.indexes.push_back(expression());
        raise(parent, *step.indexes.back());
      } while (accept(","));
      close("]", open);
    }
    step.at = since(open);
    update.path.push_back(std::move(step));
  }
  if (update.path.empty()) unexpected("'.field' or '[index]' after '!'");
  expect("=", "what EXCEPT updates");
  ++except_depth_;
  update.value = expression();
  --except_depth_;
  raise(parent, *update.value);
  return update;
}

ExpressionPtr Parser::brace() {
  const std::size_t open = position_;
  ExpressionPtr result = make(Syntax::set_of);
  take();
  if (!peek().is("}")) {
    ExpressionPtr first = expression();
    const bool may_be_bound = !is_closed_ && is_membership(*first);
    if (!peek().is(":")) {
      adopt(*result, std::move(first));
      while (accept(",")) adopt(*result, expression());
    } else if (may_be_bound) {
      take();
      result->syntax = Syntax::set_filter;
      std::vector<Bound> bounds;
      bounds.push_back(bound_of_membership(std::move(first)));
      adopt_bounds(*result, std::move(bounds));
      adopt(*result, expression());
    } else {
      take();
      result->syntax = Syntax::set_map;
      adopt(*result, std::move(first));
      adopt_bounds(*result, bounds(false));
    }
  }
  close("}", open);
  result->at = since(open);
  return result;
}

// Bounds.

void Parser::bound_name(Bound& bound) {
  const Token& name = expect_name("a name to bind");
  bound.names.emplace_back(name.text);
  bound.name_locations.push_back(location_of(name));
}

Bound Parser::bound(bool may_be_unbounded) {
  Bound result;
  const std::size_t open = position_;
  result.is_tuple = accept("<<");
  do {
    bound_name(result);
  } while (accept(","));
  if (result.is_tuple) close(">>", open);
  if (may_be_unbounded && peek().is(":")) return result;
  if (!accept("\\in"))
    unexpected(may_be_unbounded ? "'\\in' or ':' after a name" : "'\\in' after a name");
  result.set = expression();
  return result;
}

std::vector<Bound> Parser::bounds(bool may_be_unbounded) {
  std::vector<Bound> result;
  do {
    result.push_back(bound(may_be_unbounded && result.empty()));
  } while (result.back().set && accept(","));
  return result;
}

namespace {
bool is_plain_name(const Expression& expression) {
  return expression.syntax == Syntax::apply && expression.operands.empty() &&
         expression.path.empty();
}
}  // namespace

bool Parser::is_membership(const Expression& expression) const {
  if (expression.syntax != Syntax::apply || expression.name != "\\in" || !expression.path.empty()) {
    return false;
  }
  const Expression& pattern = *expression.operands.front();
  if (pattern.syntax != Syntax::tuple) return is_plain_name(pattern);
  return !pattern.operands.empty() &&
         std::ranges::all_of(pattern.operands,
                             [](const ExpressionPtr& each) { return is_plain_name(*each); });
}

Bound Parser::bound_of_membership(ExpressionPtr membership) const {
  Bound result;
  const auto add = [&](const Expression& name) {
    result.names.push_back(name.name);
    result.name_locations.push_back(name.at);
  };
  const Expression& pattern = *membership->operands.front();
  result.is_tuple = pattern.syntax == Syntax::tuple;
  if (!result.is_tuple) add(pattern);
  for (const ExpressionPtr& each : pattern.operands) add(*each);
  result.set = std::move(membership->operands.back());
  return result;
}

}  // namespace dissensus::tla
