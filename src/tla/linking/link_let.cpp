// LET: values in slots of the frame around, operators and instances with frames of their own.
#include <algorithm>

#include "tla/linking/linker.h"

namespace dissensus::tla {

namespace {

bool is_function_in_let(const Definition& definition) {
  return definition.type == Definition::Type::function ||
         (definition.type == Definition::Type::operation && definition.parameters.empty() &&
          definition.body->syntax == Syntax::function);
}

bool is_operator(const Definition& definition) {
  return is_function_in_let(definition) ||
         (definition.type == Definition::Type::operation && !definition.parameters.empty());
}

}  // namespace

/// Operators are known before their bodies are linked: they may be recursive.
Operator& Linker::declare_let_operator(const Definition& definition, NodeDetail& detail,
                                       Place& place) {
  Operator& operation = new_operator(definition.name, definition.at,
                                     static_cast<std::uint16_t>(place.builder->depth + 1));
  for (const Parameter& parameter : definition.parameters) {
    operation.parameters.push_back({parameter.name, parameter.arity, true});
  }
  Local local;
  local.type = Local::Type::let_operator;
  local.depth = place.builder->depth;
  local.number = ++locals_;
  local.operation = &operation;
  local.arity = static_cast<std::uint32_t>(definition.parameters.size());
  operation.is_function = is_function_in_let(definition);
  if (operation.is_function) {
    operation.memo_slot = place.builder->slots++;
    detail.memo_slots.push_back(operation.memo_slot);
  }
  place.scope = add_scope(place.scope, definition.name, local);
  return operation;
}

void Linker::link_let_operator(Operator& operation, const Definition& definition,
                               const Place& place) {
  operation.parameters.clear();
  Builder builder;
  builder.operation = &operation;
  builder.depth = operation.depth;
  builder.outer = place.builder;
  Place body = place;
  body.builder = &builder;
  link_body(operation, definition, builder, body, definition.type == Definition::Type::function);
}

void Linker::link_let_instance(const Definition& definition, Place& place) {
  auto instance = instantiate(definition, place);
  Local local;
  local.type = Local::Type::let_instance;
  local.depth = place.builder->depth;
  local.number = ++locals_;
  local.instance = instance.get();
  place.scope = add_scope(place.scope, definition.name, local);
  let_instances_.push_back(std::move(instance));
}

const Node* Linker::let(const Expression& text, const Place& place) {
  Place inner = place;
  Node& node = new_node(NodeType::let, text.at);
  NodeDetail& detail = new_detail();
  node.detail = &detail;
  std::map<const Definition*, Operator*> operators;
  for (const DefinitionPtr& definition : text.definitions) {
    if (is_operator(*definition)) {
      operators[definition.get()] = &declare_let_operator(*definition, detail, inner);
    }
  }
  for (const DefinitionPtr& definition : text.definitions) {
    if (definition->type == Definition::Type::instance) {
      link_let_instance(*definition, inner);
      node.oldest_local = 0;  // what it substitutes is not looked into
      continue;
    }
    if (const auto found = operators.find(definition.get()); found != operators.end()) {
      Operator& operation = *found->second;
      link_let_operator(operation, *definition, inner);
      node.is_pure = node.is_pure && operation.is_pure;
      node.oldest_local = std::min(node.oldest_local, operation.oldest_local);
      continue;
    }
    const Node* body = expression(*definition->body, inner);
    node.is_pure = node.is_pure && body->is_pure;
    node.oldest_local = std::min(node.oldest_local, body->oldest_local);
    Local local = new_local(Local::Type::let_value, *place.builder);
    ++place.builder->slots;  // its context
    local.body = body;
    detail.slots.push_back(local.slot);
    inner.scope = add_scope(inner.scope, definition->name, local);
  }
  node.kids.push_back(expression(*text.operands[0], inner));
  return finish(node);
}

}  // namespace dissensus::tla
