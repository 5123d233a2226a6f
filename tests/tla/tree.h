// Trees of the parser as text that tests can compare: every operator in front of its operands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tla/syntax/ast.h"

namespace dissensus::tla {

inline SourcePtr source_of(std::string text, std::string path = "test.tla") {
  auto source = std::make_shared<Source>();
  source->path = std::move(path);
  source->text = std::move(text);
  return source;
}

inline std::string tree(const Expression& e);

inline std::string tree(const std::vector<ExpressionPtr>& list) {
  std::string result;
  for (const ExpressionPtr& each : list) result += fmt::format(" {}", tree(*each));
  return result;
}

inline std::string tree(const std::vector<Bound>& bounds) {
  std::string result;
  for (const Bound& each : bounds) {
    const std::string names = fmt::format("{}", fmt::join(each.names, ","));
    result += fmt::format(fmt::runtime(each.is_tuple ? " <{}>" : " {}"), names);
    if (each.set) result += fmt::format(":{}", tree(*each.set));
  }
  return result;
}

inline std::string tree(const std::vector<Parameter>& parameters) {
  std::string result;
  for (const Parameter& each : parameters) {
    result += fmt::format(" {}", each.name);
    if (each.arity > 0) result += fmt::format("/{}", each.arity);
  }
  return result;
}

inline std::string tree(const Definition& d) {
  std::string head = fmt::format("({} {}{}{}", d.is_local ? "local" : "def",
                                 d.is_recursive ? "recursive " : "", d.name, tree(d.parameters));
  if (d.type == Definition::Type::function) head += fmt::format(" [{} ]", tree(d.bounds));
  if (d.body) return fmt::format("{} == {})", head, tree(*d.body));
  head += fmt::format(" instance {}", d.module);
  for (const Substitution& each : d.substitutions) {
    head += fmt::format(" {}<-{}", each.name, tree(*each.value));
  }
  return fmt::format("{})", head);
}

inline std::string tree_of_updates(const Expression& e) {
  std::string result;
  for (const ExceptUpdate& update : e.updates) {
    std::string path;
    for (const ExceptUpdate::Step& step : update.path) {
      path += step.indexes.empty() ? fmt::format(".{}", step.field)
                                   : fmt::format("[{} ]", tree(step.indexes));
    }
    result += fmt::format(" (!{} {})", path, tree(*update.value));
  }
  return result;
}

inline std::string tree_of_apply(const Expression& e) {
  std::string name;
  for (const PathPart& part : e.path) {
    name += part.name;
    if (!part.operands.empty()) name += fmt::format("({} )", tree(part.operands));
    name += '!';
  }
  name += e.name;
  return e.operands.empty() ? name : fmt::format("({}{})", name, tree(e.operands));
}

inline std::string tree(const Expression& e) {
  static constexpr const char* kNames[] = {
      "",         "",          "",     "/\\",    "\\/",     "if",    "case",   "let",
      "\\A",      "\\E",       "\\AA", "\\EE",   "choose",  "set",   "filter", "map",
      "function", "functions", "at",   "record", "records", "field", "except", "@",
      "tuple",    "\\X",       "box",  "angle",  "WF",      "SF",    "lambda", "operator"};
  switch (e.syntax) {
    case Syntax::number:
      return e.name;
    case Syntax::text:
      return fmt::format("'{}'", e.name);
    case Syntax::apply:
      return tree_of_apply(e);
    case Syntax::except_at:
      return "@";
    default:
      break;
  }
  std::string result = fmt::format("({}", kNames[static_cast<std::size_t>(e.syntax)]);
  if (!e.name.empty()) result += fmt::format(" {}", e.name);
  result += tree(e.parameters);
  result += tree(e.bounds);
  for (const DefinitionPtr& each : e.definitions) result += fmt::format(" {}", tree(*each));
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    result += ' ';
    if (!e.fields.empty()) result += fmt::format("{}=", e.fields[i]);
    result += tree(*e.operands[i]);
  }
  return fmt::format("{}{})", result, tree_of_updates(e));
}

/// The tree of a text, or "error line:column: message".
inline std::string tree_of(const std::string& text) {
  const SourcePtr source = source_of(text);
  try {
    return tree(*parse_expression(source));
  } catch (const SpecError& error) {
    return fmt::format("error {}:{}: {}", error.at().line, error.at().column, error.message());
  }
}

}  // namespace dissensus::tla
