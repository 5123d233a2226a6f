// Expressions of Quint as TLA+. Where a formula stands alone, a conjunct has its own line, so that
// an explanation of a refused step shows it alone.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "conform/quint_translator.h"

namespace dissensus::conform {
namespace {

using Json = nlohmann::json;

/// $1: argument 1 as an operand; #1: without parentheses; %2: argument 2 as an operator of one
/// parameter, &2 of two; ~2: the parameter of the operator that is argument 2; ^2: its body.
struct Builtin {
  std::string_view opcode;
  std::size_t arity;
  std::string_view pattern;
  bool is_closed = false;
};

constexpr Builtin kBuiltins[] = {
    {"not", 1, "~$1"},
    {"iff", 2, "$1 <=> $2"},
    {"implies", 2, "$1 => $2"},
    {"eq", 2, "$1 = $2"},
    {"neq", 2, "$1 # $2"},
    {"ite", 3, "IF #1 THEN #2 ELSE #3"},
    {"iadd", 2, "$1 + $2"},
    {"isub", 2, "$1 - $2"},
    {"imul", 2, "$1 * $2"},
    {"idiv", 2, "QuintDivide(#1, #2)", true},
    {"imod", 2, "QuintRemainder(#1, #2)", true},
    {"ipow", 2, "$1 ^ $2"},
    {"iuminus", 1, "-$1"},
    {"ilt", 2, "$1 < $2"},
    {"ilte", 2, "$1 <= $2"},
    {"igt", 2, "$1 > $2"},
    {"igte", 2, "$1 >= $2"},
    {"to", 2, "$1..$2"},
    {"in", 2, "$1 \\in $2"},
    {"contains", 2, "$2 \\in $1"},
    {"union", 2, "$1 \\cup $2"},
    {"intersect", 2, "$1 \\cap $2"},
    {"exclude", 2, "$1 \\ $2"},
    {"subseteq", 2, "$1 \\subseteq $2"},
    {"powerset", 1, "SUBSET $1"},
    {"flatten", 1, "UNION $1"},
    {"filter", 2, "{~2 \\in $1 : ^2}", true},
    {"map", 2, "{(^2) : ~2 \\in $1}", true},
    {"exists", 2, "\\E ~2 \\in $1 : ^2"},
    {"forall", 2, "\\A ~2 \\in $1 : ^2"},
    {"fold", 3, "QuintFold(#1, #2, &3)", true},
    {"size", 1, "Cardinality(#1)", true},
    {"isFinite", 1, "IsFiniteSet(#1)", true},
    {"chooseSome", 1, "QuintChoose(#1)", true},
    {"allLists", 1, "Seq(#1)", true},
    {"allListsUpTo", 2, "QuintLists!BoundedSeq(#1, #2)", true},
    {"append", 2, "Append(#1, #2)", true},
    {"concat", 2, "$1 \\o $2"},
    {"head", 1, "Head(#1)", true},
    {"tail", 1, "Tail(#1)", true},
    {"length", 1, "Len(#1)", true},
    {"nth", 2, "$1[$2 + 1]", true},
    {"indices", 1, "0..(Len(#1) - 1)"},
    {"slice", 3, "SubSeq(#1, $2 + 1, #3)", true},
    {"replaceAt", 3, "QuintReplaceAt(#1, #2, #3)", true},
    {"range", 2, "QuintRange(#1, #2)", true},
    {"select", 2, "SelectSeq(#1, %2)", true},
    {"foldl", 3, "QuintLeft(#1, #2, &3)", true},
    {"foldr", 3, "QuintRight(#1, #2, &3)", true},
    {"get", 2, "$1[#2]", true},
    {"keys", 1, "DOMAIN $1"},
    {"mapBy", 2, "[~2 \\in $1 |-> ^2]", true},
    {"setToMap", 1, "QuintSetToMap(#1)", true},
    {"setOfMaps", 2, "[$1 -> $2]", true},
    {"set", 3, "QuintSetKey(#1, #2, #3)", true},
    {"setBy", 3, "QuintSetBy(#1, #2, %3)", true},
    {"put", 3, "QuintPut(#1, #2, #3)", true},
    {"item", 2, "$1[#2]", true},
    {"fieldNames", 1, "DOMAIN $1"},
    {"assert", 1, "QuintTools!Assert(#1, \"assert\")", true},
    {"q::debug", 2, "$2", true},
    {"next", 1, "$1'"},
    {"enabled", 1, "ENABLED $1"},
    {"always", 1, "[]$1"},
    {"eventually", 1, "<>$1"},
    {"leadsTo", 2, "$1 ~> $2"},
    {"orKeep", 2, "[#1]_<<#2>>", true},
    {"mustChange", 2, "<<#1>>_<<#2>>", true},
    {"weakFair", 2, "WF_<<#2>>(#1)", true},
    {"strongFair", 2, "SF_<<#2>>(#1)", true},
};

// Written by code of their own, or only a part of a run.
constexpr std::string_view kSpecial[] = {
    "List",    "Set", "Tup", "Rec",       "Map",       "tuples", "field",       "with",
    "variant", "and", "or",  "actionAll", "actionAny", "assign", "matchVariant"};
constexpr std::string_view kOnlyInRuns[] = {
    "then", "reps", "expect", "fail", "q::test", "q::testOnce", "apalache::generate", "oneOf"};

template <std::size_t kCount>
bool is_in(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

const Builtin* find_builtin(std::string_view opcode) {
  const auto found = std::find_if(std::begin(kBuiltins), std::end(kBuiltins),
                                  [&](const Builtin& one) { return one.opcode == opcode; });
  return found == std::end(kBuiltins) ? nullptr : found;
}

bool is_operator_mark(char mark) {
  return mark == '%' || mark == '&' || mark == '^';
}

/// How many parameters the operator has that a builtin takes as this argument; 0: a value.
std::size_t operator_parameters(const Builtin& builtin, std::size_t index) {
  const std::string_view pattern = builtin.pattern;
  for (std::size_t at = 0; at + 1 < pattern.size(); ++at) {
    if (!is_operator_mark(pattern[at]) || pattern[at + 1] != static_cast<char>('1' + index)) {
      continue;
    }
    return pattern[at] == '&' ? 2 : 1;
  }
  return 0;
}

bool is_kind(const Json& expression, std::string_view kind) {
  return quint_text(expression, "kind") == kind;
}

const Json& arguments_of(const Json& expression) {
  const Json& arguments = quint_part(expression, "args");
  if (!arguments.is_array()) throw QuintError("args: expected a list");
  return arguments;
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    if (c == '\n' || c == '\r') throw QuintError("a string with a line break");
    made += c;
  }
  return made + '"';
}

bool is_plain_field(const std::string& name) {
  return quint_identifier(name) == name && !is_tla_keyword(name);
}

std::string number_text(const Json& value) {
  if (value.is_number_integer()) return value.dump();
  if (value.is_object() && value.contains("#bigint") && value["#bigint"].is_string()) {
    return value["#bigint"];
  }
  throw QuintError("int: expected a whole number");
}

/// Between the parts of a text that begins at a column, or is one line.
std::string line_break(std::optional<std::size_t> column) {
  return column ? fmt::format("\n{:{}}", "", *column) : " ";
}

Json node(std::string_view kind, const char* key, const std::string& text) {
  return Json{{"kind", kind}, {key, text}};
}

}  // namespace

std::string QuintTranslator::closed(const Json& expression) {
  Text text = render(expression);
  return text.is_closed ? std::move(text.text) : fmt::format("({})", text.text);
}

std::string QuintTranslator::bare(const Json& expression) {
  return render(expression).text;
}

std::string QuintTranslator::list(const Json& arguments, bool is_closed) {
  std::string text;
  for (const Json& argument : arguments) {
    if (!text.empty()) text += ", ";
    text += is_closed ? closed(argument) : bare(argument);
  }
  return text;
}

// ---- blocks: formulas over several lines -----------------------------------------------------

std::string QuintTranslator::block(const Json& expression, std::size_t column) {
  const std::string& kind = quint_text(expression, "kind");
  if (kind == "let") return let_text(expression, column);
  if (kind == "app") {
    const std::string& opcode = quint_text(expression, "opcode");
    const Json& arguments = arguments_of(expression);
    const std::string indent(column, ' ');
    if (find_local(opcode) == nullptr && !definitions_.contains(opcode)) {
      if (opcode == "actionAll" || opcode == "and") return junction(arguments, "/\\ ", column);
      if (opcode == "actionAny" || opcode == "or") return junction(arguments, "\\/ ", column);
      if (opcode == "matchVariant") return match_text(arguments, column);
      if ((opcode == "exists" || opcode == "forall") && arguments.size() == 2) {
        return quantifier(opcode == "exists" ? "\\E" : "\\A", arguments, column);
      }
      if (opcode == "ite" && arguments.size() == 3) {
        return fmt::format("IF {} THEN\n{}  {}\n{}ELSE\n{}  {}", bare(arguments[0]), indent,
                           block(arguments[1], column + 2), indent, indent,
                           block(arguments[2], column + 2));
      }
    }
  }
  return bare(expression);
}

std::string QuintTranslator::junction(const Json& arguments, std::string_view bullet,
                                      std::size_t column) {
  if (arguments.empty()) return bullet.starts_with('/') ? "TRUE" : "FALSE";
  if (arguments.size() == 1) return block(arguments.front(), column);
  std::string text;
  for (const Json& argument : arguments) {
    if (!text.empty()) text += line_break(column);
    text += bullet;
    text += block(argument, column + bullet.size());
  }
  return text;
}

std::string QuintTranslator::quantifier(std::string_view word, const Json& arguments,
                                        std::size_t column) {
  const std::string set = closed(arguments[0]);
  const auto [name, body] = bound_body(arguments[1], column + 2);
  return fmt::format("{} {} \\in {} :{}{}", word, name, set, line_break(column + 2), body);
}

// ---- expressions on one line -----------------------------------------------------------------

QuintTranslator::Text QuintTranslator::render(const Json& expression) {
  if (++depth_ > kQuintDepthMax) throw QuintError("the expression is nested too deeply");
  const std::string& kind = quint_text(expression, "kind");
  Text text;
  if (kind == "bool") {
    text = {quint_part(expression, "value") == Json(true) ? "TRUE" : "FALSE", true};
  } else if (kind == "int") {
    text = {number_text(quint_part(expression, "value")), true};
  } else if (kind == "str") {
    text = {quoted(quint_text(expression, "value")), true};
  } else if (kind == "name") {
    text = render_name(quint_text(expression, "name"));
  } else if (kind == "app") {
    text = render_application(expression);
  } else if (kind == "let") {
    text = {let_text(expression, std::nullopt), false};
  } else {
    throw QuintError(fmt::format("{}: expected a value here", kind));
  }
  --depth_;
  return text;
}

QuintTranslator::Text QuintTranslator::render_name(const std::string& name) {
  if (const Local* local = find_local(name)) return {local->tla_name, true};
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) {
    if (name == "Nat" || name == "Int") return {name, true};
    if (name == "Bool") return {"BOOLEAN", true};
    throw QuintError(fmt::format("{} is not defined", name));
  }
  const Mode mode = found->second.is_action ? mode_ : Mode::step;
  require(name, mode);
  return {found->second.names[static_cast<std::size_t>(mode)], true};
}

QuintTranslator::Text QuintTranslator::render_application(const Json& expression) {
  const std::string& opcode = quint_text(expression, "opcode");
  const Json& arguments = arguments_of(expression);
  if (find_local(opcode) != nullptr || definitions_.contains(opcode)) {
    return render_call(opcode, arguments);
  }
  const Builtin* const builtin = find_builtin(opcode);
  if (builtin == nullptr) return render_special(opcode, arguments);
  if (arguments.size() != builtin->arity) {
    throw QuintError(fmt::format("{}: expected {} arguments, found {}", opcode, builtin->arity,
                                 arguments.size()));
  }
  if (opcode == "next" && mode_ == Mode::initial) return render(arguments[0]);
  Text text = fill(opcode, builtin->pattern, arguments);
  text.is_closed = builtin->is_closed;
  return text;
}

QuintTranslator::Text QuintTranslator::fill(std::string_view opcode, std::string_view pattern,
                                            const Json& arguments) {
  Text made;
  std::string parameter;
  std::string body;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char mark = pattern[at];
    const bool is_mark = std::string_view("$#%&~^").find(mark) != std::string_view::npos;
    if (!is_mark || at + 1 == pattern.size() || pattern[at + 1] < '1' || pattern[at + 1] > '3') {
      made.text += mark;
      continue;
    }
    const Json& argument =
        quint_argument(arguments, static_cast<std::size_t>(pattern[++at] - '1'), opcode);
    if (mark == '$') made.text += closed(argument);
    if (mark == '#') made.text += bare(argument);
    if (mark == '%' || mark == '&') made.text += operator_argument(argument, mark == '%' ? 1 : 2);
    if (mark == '~' || mark == '^') {
      if (parameter.empty()) std::tie(parameter, body) = bound_body(argument, std::nullopt);
      made.text += mark == '~' ? parameter : body;
    }
  }
  return made;
}

QuintTranslator::Text QuintTranslator::render_special(const std::string& opcode,
                                                      const Json& arguments) {
  if (opcode == "List" || opcode == "Tup")
    return {fmt::format("<<{}>>", list(arguments, false)), true};
  if (opcode == "Set") return {fmt::format("{{{}}}", list(arguments, true)), true};
  if (opcode == "Map") {
    if (arguments.empty()) return {"<<>>", true};
    return {fmt::format("QuintMap(<<{}>>)", list(arguments, false)), true};
  }
  if (opcode == "Rec") return render_record(arguments);
  if (opcode == "assign") return render_assignment(arguments);
  if (opcode == "matchVariant") return {match_text(arguments, std::nullopt), false};
  if (opcode == "variant") {
    return {fmt::format("[tag |-> {}, value |-> {}]", closed(quint_argument(arguments, 0, opcode)),
                        bare(quint_argument(arguments, 1, opcode))),
            true};
  }
  if (opcode == "field" || opcode == "with") {
    const std::string record = closed(quint_argument(arguments, 0, opcode));
    const std::string& name = quint_text(quint_argument(arguments, 1, opcode), "value");
    const std::string place =
        is_plain_field(name) ? fmt::format(".{}", name) : fmt::format("[{}]", quoted(name));
    if (opcode == "field") return {record + place, true};
    return {fmt::format("[{} EXCEPT !{} = {}]", record, place,
                        bare(quint_argument(arguments, 2, opcode))),
            true};
  }
  const bool is_all = opcode == "and" || opcode == "actionAll";
  if (is_all || opcode == "or" || opcode == "actionAny" || opcode == "tuples") {
    if (arguments.empty()) return {is_all ? "TRUE" : "FALSE", true};
    if (arguments.size() == 1 && opcode != "tuples") return render(arguments.front());
    std::string text;
    for (const Json& argument : arguments) {
      if (!text.empty()) text += opcode == "tuples" ? " \\X " : is_all ? " /\\ " : " \\/ ";
      text += closed(argument);
    }
    return {text, false};
  }
  if (opcode == "oneOf") throw QuintError("oneOf: expected only in nondet x = oneOf(...)");
  if (is_in(kOnlyInRuns, opcode)) {
    throw QuintError(fmt::format("{} has a meaning in runs and tests only", opcode));
  }
  throw QuintError(fmt::format("{} is neither defined nor an operator of Quint", opcode));
}

QuintTranslator::Text QuintTranslator::render_record(const Json& arguments) {
  if (arguments.empty()) return {"<<>>", true};
  bool is_plain = true;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    is_plain = is_plain && is_plain_field(quint_text(arguments[i], "value"));
  }
  std::string text;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (!text.empty()) text += ", ";
    const std::string& name = quint_text(arguments[i], "value");
    const std::string value = bare(arguments[i + 1]);
    text += is_plain ? fmt::format("{} |-> {}", name, value)
                     : fmt::format("<<{}, {}>>", quoted(name), value);
  }
  return {is_plain ? fmt::format("[{}]", text) : fmt::format("QuintMap(<<{}>>)", text), true};
}

QuintTranslator::Text QuintTranslator::render_assignment(const Json& arguments) {
  const std::string& name = quint_text(quint_argument(arguments, 0, "assign"), "name");
  const Json& value = quint_argument(arguments, 1, "assign");
  const std::string variable = render_name(name).text;
  if (mode_ == Mode::initial) return {fmt::format("{} = {}", variable, closed(value)), false};
  if (is_kind(value, "name") && quint_text(value, "name") == name) {
    return {fmt::format("UNCHANGED {}", variable), false};
  }
  return {fmt::format("{}' = {}", variable, closed(value)), false};
}

std::string QuintTranslator::let_text(const Json& expression, std::optional<std::size_t> column) {
  const std::size_t locals = locals_.size();
  const Json& definition = quint_part(expression, "opdef");
  const Json& value = quint_part(definition, "expr");
  const std::string& name = quint_text(definition, "name");
  std::string text;
  if (quint_text(definition, "qualifier") == "nondet") {
    if (!is_kind(value, "app") || quint_text(value, "opcode") != "oneOf") {
      throw QuintError(fmt::format("nondet {}: expected oneOf", name));
    }
    const std::string set = closed(quint_argument(arguments_of(value), 0, "oneOf"));
    if (column) *column += 2;
    text = fmt::format("\\E {} \\in {} :", bind(name), set);
  } else {
    const Json* body = nullptr;
    const std::string made = fresh_local(name);
    const std::string head = definition_head(made, value, &body);
    text = fmt::format("LET {} == {} IN", head, bare(*body));
    locals_.resize(locals);
    locals_.push_back({name, made, is_kind(value, "lambda") ? &value : nullptr});
  }
  text += line_break(column) + part_text(quint_part(expression, "expr"), column);
  locals_.resize(locals);
  return text;
}

/// One case of a match: what follows THEN.
std::string QuintTranslator::branch_text(const Json& branch, const std::string& subject,
                                         std::optional<std::size_t> column) {
  if (!is_kind(branch, "lambda")) {
    return fmt::format("{}({}.value)", operator_argument(branch, 1), subject);
  }
  const std::size_t locals = locals_.size();
  const std::vector<std::string> names = bind_parameters(branch);
  std::string text;
  if (!names.empty() && !names.front().starts_with("unused")) {
    text = fmt::format("LET {} == {}.value IN{}", names.front(), subject, line_break(column));
  }
  text += part_text(quint_part(branch, "expr"), column);
  locals_.resize(locals);
  return text;
}

std::string QuintTranslator::match_text(const Json& arguments, std::optional<std::size_t> column) {
  const std::size_t locals = locals_.size();
  const std::string value = bare(quint_argument(arguments, 0, "matchVariant"));
  const std::string subject = bind("variant");
  std::string text = fmt::format("LET {} == {} IN{}", subject, value, line_break(column));
  const std::optional<std::size_t> inner = column ? std::optional(*column + 2) : column;
  bool has_default = false;
  for (std::size_t i = 1; i + 1 < arguments.size() && !has_default; i += 2) {
    const std::string& label = quint_text(arguments[i], "value");
    const std::string branch = branch_text(arguments[i + 1], subject, inner);
    has_default = label == "_";
    if (!has_default)
      text += fmt::format("{}IF {}.tag = {} THEN", i > 1 ? " " : "", subject, quoted(label));
    text += line_break(inner) + branch;
    if (!has_default) text += line_break(column) + "ELSE";
  }
  if (!has_default) text += fmt::format(" QuintFail(\"match: no case for\", {})", subject);
  locals_.resize(locals);
  return text;
}

std::string QuintTranslator::part_text(const Json& expression, std::optional<std::size_t> column) {
  return column ? block(expression, *column) : closed(expression);
}

// ---- operators as arguments ------------------------------------------------------------------

QuintTranslator::Text QuintTranslator::render_call(const std::string& name, const Json& arguments) {
  const Text callee = render_name(name);
  if (arguments.empty()) return callee;
  const Json* const lambda = lambda_of(name);
  const std::vector<std::size_t> arities =
      lambda == nullptr ? std::vector<std::size_t>() : parameter_arities(*lambda);
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    const std::size_t arity = i < arities.size() ? arities[i] : 0;
    text += arity > 0 ? operator_argument(arguments[i], arity) : bare(arguments[i]);
  }
  return {fmt::format("{}({})", callee.text, text), true};
}

std::string QuintTranslator::definition_head(const std::string& tla_name, const Json& expression,
                                             const Json** body) {
  *body = &expression;
  if (!is_kind(expression, "lambda")) return tla_name;
  *body = &quint_part(expression, "expr");
  const std::vector<std::size_t> arities = parameter_arities(expression);
  const std::vector<std::string> names = bind_parameters(expression);
  if (names.empty()) return tla_name;
  std::string text = tla_name + "(";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
    if (arities[i] == 0) continue;
    text += "(_";
    for (std::size_t more = 1; more < arities[i]; ++more) text += ", _";
    text += ")";
  }
  return text + ")";
}

std::string QuintTranslator::operator_argument(const Json& expression, std::size_t arity) {
  const std::size_t locals = locals_.size();
  std::string text;
  if (is_kind(expression, "lambda")) {
    const std::vector<std::string> names = bind_parameters(expression);
    if (names.size() != arity) {
      throw QuintError(
          fmt::format("lambda: expected {} parameters, found {}", arity, names.size()));
    }
    text =
        fmt::format("LAMBDA {} : {}", fmt::join(names, ", "), bare(quint_part(expression, "expr")));
  } else {
    const std::string& name = quint_text(expression, "name");
    if (find_local(name) != nullptr || definitions_.contains(name)) return render_name(name).text;
    Json call{{"kind", "app"}, {"opcode", name}, {"args", Json::array()}};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arity; ++i) {
      const std::string parameter = fmt::format("argument {}", i + 1);
      names.push_back(bind(parameter));
      call["args"].push_back(node("name", "name", parameter));
    }
    text = fmt::format("LAMBDA {} : {}", fmt::join(names, ", "), bare(call));
  }
  locals_.resize(locals);
  return text;
}

std::pair<std::string, std::string> QuintTranslator::bound_body(const Json& expression,
                                                                std::optional<std::size_t> column) {
  const std::size_t locals = locals_.size();
  std::pair<std::string, std::string> made;
  if (is_kind(expression, "lambda")) {
    const std::vector<std::string> names = bind_parameters(expression);
    if (names.size() != 1) {
      throw QuintError(fmt::format("lambda: expected 1 parameter, found {}", names.size()));
    }
    const Json& body = quint_part(expression, "expr");
    made = {names.front(), column ? block(body, *column) : bare(body)};
  } else {
    const std::string parameter = "element";
    const std::string name = bind(parameter);
    const Json call{{"kind", "app"},
                    {"opcode", quint_text(expression, "name")},
                    {"args", Json::array({node("name", "name", parameter)})}};
    made = {name, bare(call)};
  }
  locals_.resize(locals);
  return made;
}

const Json* QuintTranslator::lambda_of(const std::string& name) const {
  if (const Local* local = find_local(name)) return local->lambda;
  const auto found = definitions_.find(name);
  if (found == definitions_.end() || found->second.expression == nullptr) return nullptr;
  return is_kind(*found->second.expression, "lambda") ? found->second.expression : nullptr;
}

std::vector<std::size_t> QuintTranslator::parameter_arities(const Json& lambda) {
  if (const auto known = arities_.find(&lambda); known != arities_.end()) return known->second;
  std::vector<std::size_t> arities(quint_part(lambda, "params").size(), 0);
  arities_[&lambda] = arities;  // ends a circle
  for (std::size_t i = 0; i < arities.size(); ++i) {
    arities[i] = operator_arity(quint_part(lambda, "expr"),
                                quint_text(quint_part(lambda, "params")[i], "name"), 0);
  }
  return arities_[&lambda] = arities;
}

/// How many arguments a parameter takes, by its use: 0 for a value. Types need not be in the file.
std::size_t QuintTranslator::operator_arity(const Json& expression, const std::string& parameter,
                                            std::size_t depth) {
  if (depth > kQuintDepthMax) throw QuintError("the expression is nested too deeply");
  const std::string& kind = quint_text(expression, "kind");
  if (kind == "lambda") return operator_arity(quint_part(expression, "expr"), parameter, depth + 1);
  if (kind == "let") {
    const Json& value = quint_part(quint_part(expression, "opdef"), "expr");
    const std::size_t found = operator_arity(value, parameter, depth + 1);
    return found > 0 ? found : operator_arity(quint_part(expression, "expr"), parameter, depth + 1);
  }
  if (kind != "app") return 0;
  const std::string& opcode = quint_text(expression, "opcode");
  const Json& arguments = arguments_of(expression);
  if (opcode == parameter) return arguments.size();
  const Builtin* const builtin = definitions_.contains(opcode) ? nullptr : find_builtin(opcode);
  const Json* const lambda = builtin == nullptr ? lambda_of(opcode) : nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::size_t arity = 0;
    if (is_kind(arguments[i], "name") && quint_text(arguments[i], "name") == parameter) {
      if (builtin != nullptr) arity = operator_parameters(*builtin, i);
      if (lambda != nullptr) {
        const std::vector<std::size_t> arities = parameter_arities(*lambda);
        if (i < arities.size()) arity = arities[i];
      }
    } else {
      arity = operator_arity(arguments[i], parameter, depth + 1);
    }
    if (arity > 0) return arity;
  }
  return 0;
}

}  // namespace dissensus::conform
