// Uses of names: operators and their calls, parameters, instances, natives and built-in symbols.
#include <algorithm>

#include "core/assert.h"
#include "core/suggestion.h"
#include "tla/linking/linker.h"

namespace dissensus::tla {

namespace {

struct Intrinsic {
  std::string_view module;
  std::string_view name;
  NodeType type;
};

/// Operators of standard modules that have a node type of their own, for speed.
constexpr Intrinsic kIntrinsics[] = {
    {"Naturals", "+", NodeType::add},
    {"Naturals", "-", NodeType::subtract},
    {"Naturals", "*", NodeType::multiply},
    {"Naturals", "\\div", NodeType::divide},
    {"Naturals", "%", NodeType::modulo},
    {"Naturals", "<", NodeType::less},
    {"Naturals", "<=", NodeType::less_equal},
    {"Naturals", ">", NodeType::greater},
    {"Naturals", ">=", NodeType::greater_equal},
    {"Naturals", "..", NodeType::interval},
    {"Integers", "+", NodeType::add},
    {"Integers", "-", NodeType::subtract},
    {"Integers", "*", NodeType::multiply},
    {"Integers", "\\div", NodeType::divide},
    {"Integers", "%", NodeType::modulo},
    {"Integers", "<", NodeType::less},
    {"Integers", "<=", NodeType::less_equal},
    {"Integers", ">", NodeType::greater},
    {"Integers", ">=", NodeType::greater_equal},
    {"Integers", "..", NodeType::interval},
    {"Integers", "-.", NodeType::negate},
    {"FiniteSets", "Cardinality", NodeType::cardinality},
    {"Sequences", "Len", NodeType::length},
    {"Sequences", "Append", NodeType::append},
    {"Sequences", "Head", NodeType::head},
    {"Sequences", "Tail", NodeType::tail},
    {"Sequences", "\\o", NodeType::concatenate},
    {"Sequences", "\\circ", NodeType::concatenate},
};

struct Builtin {
  std::string_view name;
  std::uint32_t arity;
  NodeType type;
};

constexpr Builtin kBuiltins[] = {
    {"~", 1, NodeType::negation},
    {"=>", 2, NodeType::implies},
    {"<=>", 2, NodeType::equivalent},
    {"/\\", 2, NodeType::conjunction},
    {"\\/", 2, NodeType::disjunction},
    {"=", 2, NodeType::equal},
    {"#", 2, NodeType::unequal},
    {"\\in", 2, NodeType::member},
    {"\\notin", 2, NodeType::not_member},
    {"\\subseteq", 2, NodeType::subset_of},
    {"\\cup", 2, NodeType::set_union},
    {"\\cap", 2, NodeType::intersection},
    {"\\", 2, NodeType::difference},
    {"SUBSET", 1, NodeType::powerset},
    {"UNION", 1, NodeType::union_of},
    {"DOMAIN", 1, NodeType::domain},
    {"'", 1, NodeType::prime},
    {"UNCHANGED", 1, NodeType::unchanged},
    {"ENABLED", 1, NodeType::enabled},
    {"\\cdot", 2, NodeType::compose},
    {"[]", 1, NodeType::always},
    {"<>", 1, NodeType::eventually},
    {"~>", 2, NodeType::leads_to},
    {"-+->", 2, NodeType::temporal},
};

const Builtin* find_builtin(std::string_view name) {
  for (const Builtin& each : kBuiltins) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string argument_name(std::uint32_t index) {
  return std::string(1, static_cast<char>('a' + index % 26));
}

bool is_loop(NodeType type) {
  switch (type) {
    case NodeType::for_all:
    case NodeType::exists:
    case NodeType::choose:
    case NodeType::set_filter:
    case NodeType::set_map:
    case NodeType::function:
      return true;
    default:
      return false;
  }
}

/// Worth a look into a table: loops, or calls others that do.
bool is_costly(const Node& node) {
  if (is_loop(node.type)) return true;
  if (node.type == NodeType::apply_definition) return true;
  if (node.type == NodeType::constant) return false;
  if (node.type == NodeType::call && (node.callee->is_recursive || node.callee->is_costly)) {
    return true;
  }
  return std::any_of(node.kids.begin(), node.kids.end(),
                     [](const Node* kid) { return is_costly(*kid); });
}

}  // namespace

Operator& Linker::new_operator(const std::string& name, const Location& at, std::uint16_t depth) {
  Operator& operation = program_.operators.emplace_back();
  operation.name = name;
  operation.at = at;
  operation.depth = depth;
  operation.id = static_cast<std::uint32_t>(program_.operators.size() - 1);
  return operation;
}

const Scope* Linker::add_parameters(Operator& operation, Builder& builder,
                                    const std::vector<Parameter>& parameters, const Scope* scope) {
  for (const Parameter& parameter : parameters) {
    Local local = new_local(
        parameter.arity == 0 ? Local::Type::parameter : Local::Type::operator_parameter, builder);
    local.arity = parameter.arity;
    local.owner = &operation;
    operation.parameters.push_back({parameter.name, parameter.arity, false});
    scope = add_scope(scope, parameter.name, local);
  }
  return scope;
}

void Linker::finish_operator(Operator& operation, const Builder& builder) {
  operation.frame_size = builder.slots;
  const Node& body = *operation.body;
  operation.level = std::max(operation.level, body.level);
  operation.is_pure = body.is_pure;
  operation.oldest_local = body.oldest_local;
  bool simple = operation.depth == 1 && operation.level == kConstantLevel && operation.is_pure &&
                !operation.parameters.empty() && !operation.is_function;
  for (const OperatorParameter& parameter : operation.parameters) {
    simple = simple && parameter.arity == 0;
  }
  operation.is_costly = operation.is_recursive || is_costly(body);
  operation.is_memoised = simple && operation.is_costly;
}

Operator& Linker::operator_of(Symbol& symbol) {
  if (symbol.operation != nullptr) {
    Operator& known = *symbol.operation;
    if (known.body == nullptr && known.native == nullptr) {
      known.is_recursive = true;
      // Those in between do not know their level yet: assume that they read the state.
      for (auto each = linking_.rbegin(); each != linking_.rend() && *each != &known; ++each) {
        (*each)->level = std::max((*each)->level, kStateLevel);
      }
    }
    return known;
  }
  Context& context = *symbol.context;
  World& world = *context.world;
  const Definition& definition = *symbol.definition;
  Operator& operation = new_operator(world.prefix + symbol.name, symbol.at, world.depth);
  symbol.operation = &operation;
  if (context.is_library) {
    operation.native = find_native(context.module->name, symbol.name);
    if (operation.native != nullptr) {
      for (const Parameter& parameter : definition.parameters) {
        operation.parameters.push_back({parameter.name, parameter.arity, false});
      }
      operation.is_pure = operation.native->is_pure;
      return operation;
    }
  }
  Builder builder;
  builder.operation = &operation;
  builder.depth = world.depth;
  Place place;
  place.context = &context;
  place.order = symbol.order;
  place.builder = &builder;
  place.scope = world.scope;
  for (std::size_t i = 0; i < world.parameters.size(); ++i) {
    const Parameter& parameter = world.parameters[i];
    operation.parameters.push_back({parameter.name, parameter.arity, true});
    place.scope = add_scope(place.scope, parameter.name, world.locals[i]);
    ++builder.slots;
  }
  operation.is_action_named = true;
  link_body(operation, definition, builder, place, definition.type == Definition::Type::function);
  return operation;
}

namespace {

/// f == [x \in S |-> e] is as good as f[x \in S] == e.
bool is_function_text(const Definition& definition) {
  return definition.type == Definition::Type::operation && definition.parameters.empty() &&
         definition.body->syntax == Syntax::function;
}

}  // namespace

void Linker::link_body(Operator& operation, const Definition& definition, Builder& builder,
                       Place place, bool is_function) {
  operation.is_function = is_function || is_function_text(definition);
  linking_.push_back(&operation);
  place.scope = add_parameters(operation, builder, definition.parameters, place.scope);
  const Node* body = is_function             ? function_body(definition, place)
                     : operation.is_function ? expression_unwrapped(*definition.body, place)
                                             : expression(*definition.body, place);
  operation.body = body;
  // A recursive function applies itself at points: its body must stay a function.
  const bool applies_itself = operation.is_function && operation.is_recursive;
  if (operation.parameters.empty() && operation.depth == 1 && !applies_itself) {
    operation.body = wrap_random(body);
    // What is evaluated once and kept is listed, not applied at points.
    operation.is_function = operation.is_function && operation.body == body;
  }
  linking_.pop_back();
  finish_operator(operation, builder);
}

const Node* Linker::function_body(const Definition& definition, const Place& place) {
  Place inner = place;
  Node& node = new_node(NodeType::function, definition.at);
  NodeDetail& detail = new_detail();
  detail.bindings = bind(definition.bounds, inner, place);
  node.detail = &detail;
  node.kids.push_back(expression(*definition.body, inner));
  return finish(node);
}

Symbol& Linker::effective(Symbol& symbol, bool is_by_path) {
  // I!Op names the definition of the instance itself, whatever replaces Op elsewhere.
  if (is_by_path && symbol.replacement == nullptr) return symbol;
  Symbol* current = &symbol;
  for (int i = 0; i < 100; ++i) {
    if (current->replacement != nullptr) {
      current = current->replacement;
      continue;
    }
    if (current->value != nullptr || current->definition == nullptr) return *current;
    // What the configuration says of a definition holds in its instances, too.
    const auto bound = bound_definitions_.find(current->definition);
    if (bound == bound_definitions_.end() || bound->second == current) return *current;
    current = bound->second;
  }
  throw SpecError(symbol.at, symbol.name + " is replaced by itself");
}

Symbol* Linker::find_symbol(Context& context, const std::string& name, const Place* place,
                            const Location& at) {
  const auto found = context.symbols.find(name);
  if (found == context.symbols.end()) return nullptr;
  Symbol& symbol = *found->second;
  if (place != nullptr && symbol.context == &context && symbol.order >= place->order) {
    const auto declared = context.recursive.find(name);
    const bool is_declared = declared != context.recursive.end() && declared->second < place->order;
    const bool is_own_function = symbol.order == place->order && symbol.definition != nullptr &&
                                 symbol.definition->type == Definition::Type::function;
    if (!is_declared && !is_own_function) {
      throw SpecError(at, name +
                              (symbol.order == place->order
                                   ? " is used in its own definition: declare RECURSIVE "
                                   : " is used before its definition at ") +
                              (symbol.order == place->order ? name : symbol.at.to_string()));
    }
  }
  return &symbol;
}

void Linker::unknown_name(const std::string& name, const Place& place, const Location& at) {
  std::vector<std::string> known;
  for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
    known.push_back(scope->name);
  }
  for (const auto& [each, symbol] : place.context->symbols) known.push_back(each);
  throw SpecError(at, "unknown name " + name + suggestion(name, known));
}

void Linker::check_arity(const std::string& name, std::size_t expected, std::size_t given,
                         const Location& at) {
  if (expected == given) return;
  throw SpecError(at, name + " takes " + std::to_string(expected) +
                          (expected == 1 ? " argument, " : " arguments, ") + std::to_string(given) +
                          (given == 1 ? " is given" : " are given"));
}

std::vector<const Node*> Linker::inherited_arguments(const World& world, std::size_t count,
                                                     const Place& place, const Location& at) {
  std::vector<const Node*> arguments;
  for (std::size_t i = 0; i < count; ++i) {
    arguments.push_back(local_node(world.locals[i], place, at));
  }
  return arguments;
}

/// CONSTANT Op(1, 2) = 3: a CASE over the points that the configuration gives.
const Node* Linker::use_table(const Symbol& symbol, const std::vector<ExpressionPtr>& operands,
                              const Place& place, const Location& at) {
  const auto literal = [&](const ConfigValue& value) {
    Node& node = new_node(NodeType::literal, at);
    node.index = static_cast<std::uint32_t>(program_.literals.size());
    program_.literals.push_back({Literal::Type::config, {}, &value});
    return finish(node);
  };
  std::vector<const Node*> arguments;
  for (const ExpressionPtr& operand : operands) arguments.push_back(expression(*operand, place));
  std::vector<const Node*> kids;
  for (const Config::Assignment* assignment : symbol.table) {
    check_arity(symbol.name, symbol.arity, assignment->arguments.size(), assignment->name.at);
    std::vector<const Node*> same;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      same.push_back(make(NodeType::equal, {arguments[i], literal(assignment->arguments[i])}, at));
    }
    kids.push_back(make(NodeType::conjunction, std::move(same), at));
    kids.push_back(literal(assignment->value));
  }
  return make(NodeType::case_of, std::move(kids), at);
}

const Node* Linker::use_symbol(Symbol& named, std::vector<const Node*> prefix,
                               const std::vector<ExpressionPtr>& operands, const Place& place,
                               const Location& at, bool is_by_path) {
  Symbol& symbol = effective(named, is_by_path);
  if (symbol.value != nullptr) {
    check_arity(symbol.name, 0, operands.size(), at);
    Node& node = new_node(NodeType::literal, at);
    node.index = static_cast<std::uint32_t>(program_.literals.size());
    program_.literals.push_back({Literal::Type::config, {}, symbol.value});
    return finish(node);
  }
  switch (symbol.type) {
    case Symbol::Type::constant:
      if (!symbol.table.empty() && symbol.arity == operands.size()) {
        return use_table(symbol, operands, place, at);
      }
      check_arity(symbol.name, symbol.arity, operands.size(), at);
      throw SpecError(at, "constant " + symbol.name + " has no value");
    case Symbol::Type::variable: {
      check_arity(symbol.name, 0, operands.size(), at);
      Node& node = new_node(NodeType::variable, at);
      node.index = symbol.variable;
      return finish(node);
    }
    case Symbol::Type::substituted: {
      Place outside;
      outside.context = symbol.expression_context;
      outside.scope = symbol.expression_scope;
      outside.builder = place.builder;
      outside.is_primed = place.is_primed;
      if (operands.empty() && symbol.arity == 0) {
        const Node* stands_for = expression(*symbol.expression, outside);
        const bool is_plain = stands_for->level != kStateLevel ||
                              (stands_for->type == NodeType::variable && !symbol.is_shared);
        return is_plain ? stands_for : substituted_variable(symbol, stands_for, at);
      }
      check_arity(symbol.name, symbol.arity, operands.size(), at);
      const Node* target = operator_argument(*symbol.expression, symbol.arity, outside);
      std::vector<const Node*> arguments;
      for (const ExpressionPtr& operand : operands) {
        arguments.push_back(expression(*operand, place));
      }
      if (target->callee != nullptr) {
        return call_nodes(const_cast<Operator&>(*target->callee), std::move(arguments), place, at);
      }
      Node& node = new_node(NodeType::call_argument, at);
      node.index = target->index;
      node.hops = target->hops;
      node.kids = std::move(arguments);
      node.oldest_local = target->oldest_local;
      return finish(node);
    }
    case Symbol::Type::instance:
      throw SpecError(at, symbol.name + " is an instance: " + symbol.name + "!... is expected");
    case Symbol::Type::operation:
      break;
  }
  Operator& operation = operator_of(symbol);
  const World& world = *symbol.context->world;
  if (prefix.empty() && !world.parameters.empty()) {
    prefix = inherited_arguments(world, world.parameters.size(), place, at);
  }
  return call(operation, std::move(prefix), operands, place, at);
}

/// Where ENABLED is used inside the instance, its primed variables are bound there: they need not
/// have the value that the substitution gives them.
const Node* Linker::substituted_variable(const Symbol& symbol, const Node* stands_for,
                                         const Location& at) {
  const auto [number, is_new] = substituted_.try_emplace(&symbol, program_.substituted);
  if (is_new) ++program_.substituted;
  Node& node = new_node(NodeType::substituted, at);
  node.kids = {stands_for};
  node.index = number->second;
  return finish(node);
}

const Node* Linker::call(Operator& operation, std::vector<const Node*> arguments,
                         const std::vector<ExpressionPtr>& operands, const Place& place,
                         const Location& at) {
  const std::size_t first = arguments.size();
  check_arity(operation.name, operation.parameters.size() - first, operands.size(), at);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    arguments.push_back(
        argument(operation.parameters[first + i], *operands[i], place, operation.name));
  }
  return call_nodes(operation, std::move(arguments), place, at);
}

const Node* Linker::argument(const OperatorParameter& parameter, const Expression& text,
                             const Place& place, const std::string& of) {
  if (parameter.arity > 0) return operator_argument(text, parameter.arity, place);
  if (text.syntax == Syntax::lambda || text.syntax == Syntax::operator_symbol) {
    throw SpecError(text.at,
                    of + " expects a value for " + parameter.name + ", an operator is given");
  }
  return expression(text, place);
}

const Node* Linker::call_nodes(Operator& operation, std::vector<const Node*> arguments,
                               const Place& place, const Location& at) {
  NodeType type = NodeType::call;
  if (operation.native != nullptr) {
    type = NodeType::native;
    for (const Intrinsic& intrinsic : kIntrinsics) {
      if (intrinsic.module == operation.native->module &&
          intrinsic.name == operation.native->name) {
        type = intrinsic.type;
      }
    }
  }
  Node& node = new_node(type, at);
  node.kids = std::move(arguments);
  node.callee = &operation;
  if (type == NodeType::call) {
    node.hops = static_cast<std::uint16_t>(place.builder->depth - (operation.depth - 1));
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
      if (operation.parameters[i].by_name || operation.body == nullptr) note_by_name(node.kids[i]);
    }
    if (operation.body == nullptr) {
      // Recursive, its level still unknown: never taken for a constant.
      operation.is_recursive = true;
      node.oldest_local = 0;
      node.is_branching = true;
    } else {
      node.is_branching = operation.body->is_branching;
    }
    node.level = operation.level;
    if (operation.depth > 1) {
      node.oldest_local = std::min(node.oldest_local, operation.oldest_local);
    }
  }
  node.is_pure = operation.is_pure;
  return finish(node);
}

void Linker::note_by_name(const Node* node) {
  // Parameters hand on what they were given; the marks of their owners are made by local_node.
  if (node->type != NodeType::parameter) return;
  const auto owner = parameter_owners_.find(node);
  if (owner != parameter_owners_.end()) {
    owner->second.first->parameters[owner->second.second].by_name = true;
  }
}

const Node* Linker::use_local(const Local& local, const std::string& name,
                              const std::vector<ExpressionPtr>& operands, const Place& place,
                              const Location& at) {
  switch (local.type) {
    case Local::Type::value:
    case Local::Type::parameter:
      check_arity(name, 0, operands.size(), at);
      return local_node(local, place, at);
    case Local::Type::operator_parameter: {
      check_arity(name, local.arity, operands.size(), at);
      Node& node = new_node(NodeType::call_argument, at);
      node.index = local.slot;
      node.hops = static_cast<std::uint16_t>(place.builder->depth - local.depth);
      node.oldest_local = local.number;
      for (const ExpressionPtr& operand : operands) {
        node.kids.push_back(expression(*operand, place));
      }
      for (const Node* kid : node.kids) note_by_name(kid);
      node.is_branching = true;
      return finish(node);
    }
    case Local::Type::let_value: {
      check_arity(name, 0, operands.size(), at);
      Node& node = new_node(NodeType::let_value, at);
      node.index = local.slot;
      node.hops = static_cast<std::uint16_t>(place.builder->depth - local.depth);
      node.oldest_local = std::min(local.number, local.body->oldest_local);
      node.kids.push_back(local.body);
      return finish(node);
    }
    case Local::Type::let_operator: {
      const Node* node = call(*local.operation, {}, operands, place, at);
      const_cast<Node*>(node)->oldest_local =
          std::min({node->oldest_local, local.number, local.operation->oldest_local});
      return node;
    }
    case Local::Type::let_instance:
      throw SpecError(at, name + " is an instance: " + name + "!... is expected");
  }
  return nullptr;
}

const Node* Linker::use_builtin(const std::string& name, const std::vector<ExpressionPtr>& operands,
                                const Place& place, const Location& at) {
  if (name == "TRUE" || name == "FALSE") {
    check_arity(name, 0, operands.size(), at);
    Node& node = new_node(NodeType::immediate, at);
    node.value = Value::boolean(name == "TRUE");
    return finish(node);
  }
  if (name == "BOOLEAN" || name == "STRING") {
    check_arity(name, 0, operands.size(), at);
    Node& node = new_node(NodeType::literal, at);
    node.index = static_cast<std::uint32_t>(program_.literals.size());
    program_.literals.push_back(
        {name == "STRING" ? Literal::Type::strings : Literal::Type::booleans, {}, nullptr});
    return finish(node);
  }
  const Builtin* builtin = find_builtin(name);
  if (builtin == nullptr) return nullptr;
  check_arity(name, builtin->arity, operands.size(), at);
  Place inner = place;
  if (builtin->type == NodeType::prime || builtin->type == NodeType::unchanged ||
      builtin->type == NodeType::enabled || builtin->type == NodeType::compose) {
    inner.is_primed = true;
  }
  std::vector<const Node*> kids;
  for (const ExpressionPtr& operand : operands) kids.push_back(expression(*operand, inner));
  switch (builtin->type) {
    case NodeType::prime:
      return primed(kids[0], at);
    case NodeType::domain:
      return domain_of(kids[0], at);
    case NodeType::equal:
    case NodeType::member:
    case NodeType::subset_of:
      note_by_name(kids[0]);
      break;
    default:
      break;
  }
  if (builtin->type == NodeType::enabled) return enabled(kids[0], place, at);
  return make(builtin->type, std::move(kids), at);
}

bool Linker::is_builtin(const std::string& name) {
  return find_builtin(name) != nullptr;
}

Operator& Linker::builtin_operator(const std::string& name, std::uint32_t arity,
                                   const Location& at) {
  Operator*& known = builtins_[name + "/" + std::to_string(arity)];
  if (known != nullptr) return *known;
  const Builtin* builtin = find_builtin(name);
  if (builtin == nullptr) throw SpecError(at, "unknown operator " + name);
  check_arity(name, arity, builtin->arity, at);
  Operator& operation = new_operator(name, at, 1);
  Builder builder;
  builder.operation = &operation;
  Place place;
  place.builder = &builder;
  std::vector<const Node*> kids;
  for (std::uint32_t i = 0; i < arity; ++i) {
    const Local local = new_local(Local::Type::parameter, builder);
    operation.parameters.push_back({argument_name(i), 0, true});
    kids.push_back(local_node(local, place, at));
  }
  operation.body = make(builtin->type, std::move(kids), at);
  finish_operator(operation, builder);
  known = &operation;
  return operation;
}

}  // namespace dissensus::tla
