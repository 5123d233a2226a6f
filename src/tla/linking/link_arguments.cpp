// Operators as arguments, and names with a path: I!J(x)!Op, Inv!2.
#include <algorithm>

#include "core/suggestion.h"
#include "tla/linking/linker.h"

namespace dissensus::tla {

/// A native operator with a body, so that it can be passed like any other.
Operator& Linker::native_wrapper(Operator& native, const Location& at) {
  Operator*& known = wrappers_[&native];
  if (known != nullptr) return *known;
  Operator& operation = new_operator(native.name, at, 1);
  Builder builder;
  builder.operation = &operation;
  Place place;
  place.builder = &builder;
  std::vector<const Node*> arguments;
  for (const OperatorParameter& parameter : native.parameters) {
    if (parameter.arity > 0) {
      throw SpecError(at, native.name + " takes operators itself and cannot be passed as one");
    }
    const Local local = new_local(Local::Type::parameter, builder);
    operation.parameters.push_back({parameter.name, 0, false});
    arguments.push_back(local_node(local, place, at));
  }
  operation.body = call_nodes(native, std::move(arguments), place, at);
  finish_operator(operation, builder);
  known = &operation;
  return operation;
}

Operator& Linker::lambda(const Expression& text, const Place& place) {
  Operator& operation =
      new_operator("LAMBDA", text.at, static_cast<std::uint16_t>(place.builder->depth + 1));
  Builder builder;
  builder.operation = &operation;
  builder.depth = operation.depth;
  builder.outer = place.builder;
  Place inner = place;
  inner.builder = &builder;
  inner.scope = add_parameters(operation, builder, text.parameters, place.scope);
  operation.body = expression(*text.operands[0], inner);
  finish_operator(operation, builder);
  return operation;
}

/// An operator of `arity` as an argument: a name, a symbol, or LAMBDA.
const Node* Linker::operator_argument(const Expression& text, std::uint32_t arity,
                                      const Place& place) {
  Node& node = new_node(NodeType::operator_value, text.at);
  const auto take = [&](Operator& given, std::size_t inherited) -> const Node* {
    check_arity(given.name, arity, given.parameters.size() - inherited, text.at);
    Operator& operation = given.native == nullptr ? given : native_wrapper(given, text.at);
    node.callee = &operation;
    node.hops = static_cast<std::uint16_t>(place.builder->depth - (operation.depth - 1));
    node.level = operation.level;
    node.is_pure = operation.is_pure;
    if (operation.body == nullptr && operation.native == nullptr) node.oldest_local = 0;
    if (operation.depth > 1)
      node.oldest_local = std::min(node.oldest_local, operation.oldest_local);
    return finish(node);
  };
  if (text.syntax == Syntax::lambda) return take(lambda(text, place), 0);
  if (text.syntax != Syntax::apply && text.syntax != Syntax::operator_symbol) {
    throw SpecError(text.at, "expected an operator of " + std::to_string(arity) +
                                 " arguments, found an expression");
  }
  if (!text.operands.empty()) {
    throw SpecError(text.at, "expected the name of an operator of " + std::to_string(arity) +
                                 " arguments, found a call");
  }
  Symbol* symbol = nullptr;
  std::vector<const Node*> prefix;
  if (!text.path.empty()) {
    symbol = resolve_path(text, place, prefix);
  } else {
    for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
      if (scope->name != text.name) continue;
      const Local& local = scope->local;
      if (local.type == Local::Type::let_operator) {
        const Node* result = take(*local.operation, 0);
        node.oldest_local = std::min(node.oldest_local, local.number);
        return result;
      }
      if (local.type != Local::Type::operator_parameter) {
        throw SpecError(text.at, "expected an operator of " + std::to_string(arity) +
                                     " arguments; " + text.name + " is a value");
      }
      check_arity(text.name, arity, local.arity, text.at);
      node.index = local.slot;
      node.hops = static_cast<std::uint16_t>(place.builder->depth - local.depth);
      node.oldest_local = local.number;
      return finish(node);
    }
    symbol = find_symbol(*place.context, text.name, &place, text.at);
  }
  if (symbol == nullptr) {
    if (!is_builtin(text.name)) unknown_name(text.name, place, text.at);
    return take(builtin_operator(text.name, arity, text.at), 0);
  }
  Symbol& named = effective(*symbol);
  if (named.type == Symbol::Type::substituted) {
    Place outside = place;
    outside.context = named.expression_context;
    outside.scope = named.expression_scope;
    outside.order = ~std::uint32_t{0};
    return operator_argument(*named.expression, arity, outside);
  }
  if (named.type != Symbol::Type::operation || named.value != nullptr) {
    throw SpecError(text.at, "expected an operator of " + std::to_string(arity) + " arguments; " +
                                 text.name + " is not one");
  }
  Operator& operation = operator_of(named);
  const World& world = *named.context->world;
  if (prefix.empty() && !world.parameters.empty()) {
    prefix = inherited_arguments(world, world.parameters.size(), place, text.at);
  }
  if (prefix.empty()) return take(operation, 0);
  return take(partial(operation, prefix, arity, place, text.at), 0);
}

/// An operator of an instance with parameters, with these filled in: as a LAMBDA would be.
Operator& Linker::partial(Operator& operation, const std::vector<const Node*>& prefix,
                          std::uint32_t arity, const Place& place, const Location& at) {
  check_arity(operation.name, arity, operation.parameters.size() - prefix.size(), at);
  Operator& wrapper =
      new_operator(operation.name, at, static_cast<std::uint16_t>(place.builder->depth + 1));
  Builder builder;
  builder.operation = &wrapper;
  builder.depth = wrapper.depth;
  builder.outer = place.builder;
  Place inner = place;
  inner.builder = &builder;
  std::vector<const Node*> arguments;
  for (const Node* each : prefix) {
    // The same local, seen from one frame further in.
    if (each->type != NodeType::parameter && each->type != NodeType::local) {
      throw SpecError(at,
                      "an operator of an instance with arguments cannot be passed on: define "
                      "it by a name of its own");
    }
    Node& copy = new_node(each->type, at);
    copy.index = each->index;
    copy.hops = static_cast<std::uint16_t>(each->hops + 1);
    copy.oldest_local = each->oldest_local;
    arguments.push_back(finish(copy));
  }
  for (std::uint32_t i = 0; i < arity; ++i) {
    const Local local = new_local(Local::Type::parameter, builder);
    wrapper.parameters.push_back({operation.parameters[prefix.size() + i].name, 0, true});
    arguments.push_back(local_node(local, inner, at));
  }
  wrapper.body = call_nodes(operation, std::move(arguments), inner, at);
  finish_operator(wrapper, builder);
  return wrapper;
}

/// I!J(x)!Op: the symbol of Op, and the arguments that the instances on the way take.
Symbol* Linker::resolve_path(const Expression& text, const Place& place,
                             std::vector<const Node*>& prefix) {
  const Instance* instance = nullptr;
  for (const PathPart& part : text.path) {
    const Instance* found = nullptr;
    if (instance == nullptr) {
      for (const Scope* scope = place.scope; scope != nullptr && found == nullptr;
           scope = scope->outer) {
        if (scope->name == part.name && scope->local.type == Local::Type::let_instance) {
          found = scope->local.instance;
        }
      }
    }
    if (found == nullptr) {
      Context& context = instance == nullptr ? *place.context : *instance->context;
      Symbol* symbol =
          find_symbol(context, part.name, instance == nullptr ? &place : nullptr, part.at);
      if (symbol == nullptr) unknown_name(part.name, place, part.at);
      if (symbol->type != Symbol::Type::instance) {
        throw SpecError(part.at, part.name + " is not an instance, so that " + part.name + "!" +
                                     text.name + " has no meaning");
      }
      found = symbol->instance.get();
      if (instance == nullptr && prefix.empty() && found->inherited > 0) {
        prefix = inherited_arguments(*place.context->world, found->inherited, place, part.at);
      }
    }
    check_arity(part.name, found->parameters.size(), part.operands.size(), part.at);
    for (std::size_t i = 0; i < part.operands.size(); ++i) {
      const Parameter& parameter = found->parameters[i];
      prefix.push_back(parameter.arity == 0
                           ? expression(*part.operands[i], place)
                           : operator_argument(*part.operands[i], parameter.arity, place));
    }
    if (found->world == shared_world_) prefix.clear();
    instance = found;
  }
  Symbol* symbol = find_symbol(*instance->context, text.name, nullptr, text.at);
  if (symbol == nullptr || instance->context->hidden.count(text.name) != 0) {
    std::vector<std::string> known;
    for (const auto& [name, each] : instance->context->symbols) known.push_back(name);
    throw SpecError(text.at, text.name + " is not defined in module " +
                                 instance->context->module->name + suggestion(text.name, known));
  }
  if (symbol->context->world == shared_world_) prefix.clear();
  return symbol;
}

namespace {

bool is_selector(const std::string& name) {
  return name == ":" ||
         (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
}

}  // namespace

/// Inv!2!1: a part of a definition, by its place among conjuncts, disjuncts or operands.
const Node* Linker::use_part(const Expression& text, std::size_t first, const Place& place) {
  if (first == 0) throw SpecError(text.at, "expected a name before !" + text.path[0].name);
  auto whole = std::make_unique<Expression>();
  whole->syntax = Syntax::apply;
  whole->at = text.at;
  whole->name = text.path[first - 1].name;
  for (std::size_t i = 0; i + 1 < first; ++i) {
    if (!text.path[i].operands.empty()) {
      throw SpecError(text.path[i].at, "parts of instances with arguments are not supported");
    }
    whole->path.push_back({text.path[i].name, {}, text.path[i].at});
  }
  expressions_.push_back(std::move(whole));
  const Expression& named = *expressions_.back();
  std::vector<const Node*> prefix;
  Symbol* symbol = named.path.empty() ? find_symbol(*place.context, named.name, &place, text.at)
                                      : resolve_path(named, place, prefix);
  if (symbol == nullptr || symbol->definition == nullptr ||
      !symbol->definition->parameters.empty() || !prefix.empty() ||
      symbol->definition->type != Definition::Type::operation) {
    throw SpecError(text.at, named.name + "!...: expected a definition without parameters");
  }
  const Expression* part = symbol->definition->body.get();
  const auto select = [&](const std::string& selector) {
    if (selector == ":") return;  // the statement as a whole
    const std::size_t index = is_selector(selector) ? std::stoul(selector.substr(0, 6)) : 0;
    while (part->syntax == Syntax::let) part = part->operands[0].get();
    if (index == 0 || index > part->operands.size() || !part->bounds.empty()) {
      throw SpecError(text.at, part->at.excerpt() + " has no part " + selector);
    }
    part = part->operands[index - 1].get();
  };
  for (std::size_t i = first; i < text.path.size(); ++i) select(text.path[i].name);
  select(text.name);
  Place inside = place;
  inside.context = symbol->context;
  inside.scope = nullptr;
  inside.order = symbol->order;
  return expression(*part, inside);
}

const Node* Linker::use_path(const Expression& text, const Place& place) {
  if (is_selector(text.name)) {
    std::size_t first = 0;
    while (first < text.path.size() && !is_selector(text.path[first].name)) ++first;
    return use_part(text, first, place);
  }
  std::vector<const Node*> prefix;
  Symbol* symbol = resolve_path(text, place, prefix);
  if (symbol->type == Symbol::Type::substituted && symbol->context != symbol->expression_context) {
    throw SpecError(text.at, text.name + " is a parameter of the instance and not defined by it");
  }
  return use_symbol(*symbol, std::move(prefix), text.operands, place, text.at, true);
}

}  // namespace dissensus::tla
