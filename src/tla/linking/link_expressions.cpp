// Expressions become nodes: slots, levels, and what depends on constants alone.
#include <algorithm>
#include <charconv>

#include "core/assert.h"
#include "tla/linking/linker.h"
#include "tla/linking/reading.h"

namespace dissensus::tla {

namespace {

bool is_binder(NodeType type) {
  return type == NodeType::exists || type == NodeType::for_all;
}

/// Whether a step through the node can go on in several ways, or assign. See Node::is_branching.
bool branches(const Node& node) {
  switch (node.type) {
    case NodeType::exists:
    case NodeType::disjunction:
    case NodeType::unchanged:
    case NodeType::action_box:
    case NodeType::action_angle:
    case NodeType::compose:
      return true;
    case NodeType::parameter:
    case NodeType::call_argument:
      return true;
    case NodeType::equal:
    case NodeType::member:
    case NodeType::subset_of:
      // The argument may be a primed variable.
      return node.kids[0]->type == NodeType::parameter;
    case NodeType::constant:
      // A definition that is constant has one value; an expression in place is gone through.
      return node.kids[0]->is_branching &&
             !(node.kids[0]->type == NodeType::call && node.kids[0]->kids.empty());
    case NodeType::implies:
      return node.kids[1]->is_branching;
    case NodeType::remembered:
    case NodeType::conjunction:
    case NodeType::if_else:
    case NodeType::case_of:
    case NodeType::let:
    case NodeType::let_value:
    case NodeType::for_all:
      return std::any_of(node.kids.begin(), node.kids.end(),
                         [](const Node* kid) { return kid->is_branching; });
    default:
      return false;
  }
}

const char* level_name(Level level) {
  constexpr const char* kNames[] = {"a constant", "a state function", "an action",
                                    "a temporal formula"};
  return kNames[level];
}

bool collect_variables(const Node& node, std::vector<std::uint32_t>& variables) {
  switch (node.type) {
    case NodeType::variable:
      variables.push_back(node.index);
      return true;
    case NodeType::tuple:
      return std::all_of(node.kids.begin(), node.kids.end(),
                         [&](const Node* kid) { return collect_variables(*kid, variables); });
    case NodeType::call:
      return node.kids.empty() && node.callee->body != nullptr &&
             collect_variables(*node.callee->body, variables);
    case NodeType::let_value:
      return collect_variables(*node.kids[0], variables);
    case NodeType::constant:
      return node.kids[0]->type == NodeType::tuple && node.kids[0]->kids.empty();
    default:
      return false;
  }
}

}  // namespace

Node& Linker::new_node(NodeType type, const Location& at) {
  Node& node = program_.nodes.emplace_back();
  node.type = type;
  node.at = at;
  node.evaluate = evaluate_function(type);
  return node;
}

/// Derives what the node's kids determine.
const Node* Linker::finish(Node& node) {
  for_each_part(node, [&node](const Node* part) {
    node.level = std::max(node.level, part->level);
    node.is_pure = node.is_pure && part->is_pure;
    node.oldest_local = std::min(node.oldest_local, part->oldest_local);
  });
  switch (node.type) {
    case NodeType::variable:
      node.level = std::max(node.level, kStateLevel);
      break;
    case NodeType::primed_variable:
    case NodeType::unchanged:
    case NodeType::action_box:
    case NodeType::action_angle:
      node.level = std::max(node.level, kActionLevel);
      break;
    case NodeType::prime:
    case NodeType::compose:
      node.level = kActionLevel;
      break;
    case NodeType::enabled:
      node.level = kStateLevel;
      break;
    case NodeType::always:
    case NodeType::eventually:
    case NodeType::leads_to:
    case NodeType::weak_fairness:
    case NodeType::strong_fairness:
    case NodeType::temporal:
      node.level = kTemporalLevel;
      break;
    default:
      break;
  }
  if (!node.is_branching) node.is_branching = branches(node);
  node.first = !node.kids.empty() ? node.kids[0] : nullptr;
  node.second = node.kids.size() > 1 ? node.kids[1] : nullptr;
  node.third = node.kids.size() > 2 ? node.kids[2] : nullptr;
  if (node.type == NodeType::unchanged || node.type == NodeType::action_box ||
      node.type == NodeType::action_angle) {
    NodeDetail& detail = new_detail();
    const Node* subscript = node.type == NodeType::unchanged ? node.first : node.second;
    node.only_variables = collect_variables(*subscript, detail.variables);
    node.detail = &detail;
  }
  return &node;
}

const Node* Linker::make(NodeType type, std::vector<const Node*> kids, const Location& at) {
  Node& node = new_node(type, at);
  node.kids = std::move(kids);
  return finish(node);
}

namespace {

bool is_only_random(const Node& node, int depth) {
  if (node.is_pure) return true;
  if (depth == 0) return false;
  if (node.type == NodeType::native && !node.callee->is_pure) {
    return node.callee->native->name.starts_with("Random");
  }
  if (node.type == NodeType::call && !node.callee->is_pure) {
    return node.callee->body != nullptr && is_only_random(*node.callee->body, depth - 1);
  }
  bool all = true;
  for_each_part(node, [&](const Node* part) { all = all && is_only_random(*part, depth - 1); });
  return all;
}

}  // namespace

/// A part of constant level that depends on no local is evaluated once per machine.
const Node* Linker::wrap_constant(const Node* node, std::uint32_t start) {
  if (!node->is_pure || node->oldest_local <= start) return node;
  if (node->level == kStateLevel) return wrap_remembered(node);
  if (node->level != kConstantLevel) return node;
  switch (node->type) {
    case NodeType::immediate:
    case NodeType::literal:
    case NodeType::constant:
    case NodeType::operator_value:
      return node;
    default:
      break;
  }
  Node& constant = new_node(NodeType::constant, node->at);
  constant.kids = {node};
  constant.index = program_.constants++;
  return finish(constant);
}

/// A definition without parameters of constant level has one value even if that is drawn, as in
/// TLC.
const Node* Linker::wrap_random(const Node* body) {
  if (body->is_pure || body->level != kConstantLevel || !is_only_random(*body, 50)) return body;
  Node& constant = new_node(NodeType::constant, body->at);
  constant.kids = {body};
  constant.index = program_.constants++;
  finish(constant);
  constant.is_pure = true;
  return &constant;
}

/// A costly part of state level that depends on no local is a function of the variables it reads.
const Node* Linker::wrap_remembered(const Node* node) {
  switch (node->type) {
    case NodeType::variable:
    case NodeType::substituted:
    case NodeType::remembered:
    case NodeType::operator_value:
    case NodeType::let_value:
      return node;
    case NodeType::call:
      // A function is applied at points rather than listed.
      if (node->callee->is_function) return node;
      if (node->kids.empty() && node->callee->body != nullptr &&
          node->callee->body->type == NodeType::remembered) {
        return node;
      }
      break;
    default:
      break;
  }
  Reading reading;
  read(*node, reading);
  if (!reading.loops || !reading.is_pure || !reading.is_complete || reading.variables.empty()) {
    return node;
  }
  Node& remembered = new_node(NodeType::remembered, node->at);
  NodeDetail& detail = new_detail();
  detail.variables.assign(reading.variables.begin(), reading.variables.end());
  remembered.detail = &detail;
  remembered.kids = {node};
  remembered.index = program_.remembered++;
  return finish(remembered);
}

std::uint32_t Linker::literal_text(const std::string& text) {
  const auto [place, is_new] =
      texts_.try_emplace(text, static_cast<std::uint32_t>(program_.literals.size()));
  if (is_new) program_.literals.push_back({Literal::Type::text, text, nullptr});
  return place->second;
}

Local Linker::new_local(Local::Type type, Builder& builder) {
  Local local;
  local.type = type;
  local.depth = builder.depth;
  local.slot = builder.slots++;
  local.number = ++locals_;
  return local;
}

const Scope* Linker::add_scope(const Scope* outer, const std::string& name, const Local& local) {
  return &scopes_.emplace_back(Scope{outer, name, local});
}

const Node* Linker::local_node(const Local& local, const Place& place, const Location& at) {
  NodeType type = NodeType::local;
  if (local.type == Local::Type::parameter) type = NodeType::parameter;
  if (local.type == Local::Type::operator_parameter) type = NodeType::operator_value;
  Node& node = new_node(type, at);
  node.index = local.slot;
  node.hops = static_cast<std::uint16_t>(place.builder->depth - local.depth);
  node.oldest_local = local.number;
  if (type == NodeType::parameter && local.owner != nullptr) {
    if (place.is_primed) local.owner->parameters[local.slot].by_name = true;
    parameter_owners_[&node] = {local.owner, local.slot};
  }
  return finish(node);
}

const Node* Linker::expression(const Expression& text, const Place& place) {
  const std::uint32_t start = locals_;
  return wrap_constant(expression_unwrapped(text, place), start);
}

const Node* Linker::expression_unwrapped(const Expression& text, const Place& place) {
  const auto kids = [&](NodeType type) {
    Node& node = new_node(type, text.at);
    for (const ExpressionPtr& operand : text.operands) {
      node.kids.push_back(expression(*operand, place));
    }
    return finish(node);
  };
  switch (text.syntax) {
    case Syntax::number: {
      Node& node = new_node(NodeType::immediate, text.at);
      std::int64_t number = 0;
      const char* end = text.name.data() + text.name.size();
      const auto result = std::from_chars(text.name.data(), end, number);
      if (result.ec != std::errc() || result.ptr != end || !Value::fits(number)) {
        throw SpecError(text.at, "the number " + text.name + " is too large: expected below 2^61");
      }
      node.value = Value::integer(number);
      return finish(node);
    }
    case Syntax::text: {
      Node& node = new_node(NodeType::literal, text.at);
      node.index = literal_text(text.name);
      return finish(node);
    }
    case Syntax::apply:
      return apply(text, place);
    case Syntax::conjunction:
    case Syntax::disjunction:
      return junction(text, place);
    case Syntax::if_else:
      return kids(NodeType::if_else);
    case Syntax::case_of:
      return kids(NodeType::case_of);
    case Syntax::let:
      return let(text, place);
    case Syntax::for_all:
      return quantified(text, NodeType::for_all, place);
    case Syntax::exists:
      return quantified(text, NodeType::exists, place);
    case Syntax::temporal_for_all:
    case Syntax::temporal_exists:
      return make(NodeType::temporal, {}, text.at);
    case Syntax::choose:
      return quantified(
          text, text.bounds[0].set == nullptr ? NodeType::choose_unbounded : NodeType::choose,
          place);
    case Syntax::set_of:
      return kids(NodeType::set_of);
    case Syntax::set_filter:
      return quantified(text, NodeType::set_filter, place);
    case Syntax::set_map:
      return quantified(text, NodeType::set_map, place);
    case Syntax::function:
      return quantified(text, NodeType::function, place);
    case Syntax::function_set:
      return kids(NodeType::function_set);
    case Syntax::application:
      return application(text, place);
    case Syntax::record:
      return record(text, NodeType::record, place);
    case Syntax::record_set:
      return record(text, NodeType::record_set, place);
    case Syntax::field: {
      Node& node = new_node(NodeType::field, text.at);
      node.kids.push_back(expression(*text.operands[0], place));
      NodeDetail& detail = new_detail();
      detail.literals.push_back(literal_text(text.name));
      node.detail = &detail;
      node.index = program_.inline_caches++;
      return finish(node);
    }
    case Syntax::except:
      return except(text, place);
    case Syntax::except_at: {
      for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
        if (scope->name == "@") return local_node(scope->local, place, text.at);
      }
      throw SpecError(text.at, "@ has a meaning only inside EXCEPT");
    }
    case Syntax::tuple:
      return kids(NodeType::tuple);
    case Syntax::product:
      return kids(NodeType::product);
    case Syntax::action_box:
      return subscripted(text, NodeType::action_box, place);
    case Syntax::action_angle:
      return subscripted(text, NodeType::action_angle, place);
    case Syntax::weak_fairness:
      return fairness(text, NodeType::weak_fairness, place);
    case Syntax::strong_fairness:
      return fairness(text, NodeType::strong_fairness, place);
    case Syntax::lambda:
      throw SpecError(text.at, "LAMBDA can only be an argument of an operator");
    case Syntax::operator_symbol:
      throw SpecError(text.at, "the operator " + text.name + " stands where a value is expected");
  }
  throw SpecError(text.at, "this form is not supported");
}

const Node* Linker::apply(const Expression& text, const Place& place) {
  if (!text.path.empty()) return use_path(text, place);
  for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
    if (scope->name == text.name) {
      return use_local(scope->local, text.name, text.operands, place, text.at);
    }
  }
  if (Symbol* symbol = find_symbol(*place.context, text.name, &place, text.at)) {
    return use_symbol(*symbol, {}, text.operands, place, text.at);
  }
  if (const Node* node = use_builtin(text.name, text.operands, place, text.at)) return node;
  unknown_name(text.name, place, text.at);
}

const Node* Linker::junction(const Expression& text, const Place& place) {
  const bool is_conjunction = text.syntax == Syntax::conjunction;
  Node& node = new_node(is_conjunction ? NodeType::conjunction : NodeType::disjunction, text.at);
  for (const ExpressionPtr& operand : text.operands) {
    node.kids.push_back(is_conjunction ? guard(*operand, place) : expression(*operand, place));
  }
  return finish(node);
}

/// A conjunct: a place where mutation tests act.
const Node* Linker::guard(const Expression& text, const Place& place) {
  const Node* node = expression(text, place);
  const std::string& module = place.context->module->name;
  if (place.builder->operation != nullptr && !place.context->is_library) {
    const Builder* outermost = place.builder;
    while (outermost->outer != nullptr) outermost = outermost->outer;
    guards_.push_back({outermost->operation, module, text.at, node});
  }
  if (!options_.change) return node;
  const SpecOptions::GuardChange& change = *options_.change;
  if (change.module != module || change.line != text.at.line || change.column != text.at.column) {
    return node;
  }
  if (change.negate) return make(NodeType::negation, {node}, text.at);
  Node& left_out = new_node(NodeType::immediate, text.at);
  left_out.value = Value::boolean(true);
  return finish(left_out);
}

/// A bound name must not hide another that is in use.
void Linker::check_is_new(const std::string& name, const Place& place, const Location& at) {
  for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
    if (scope->name == name) throw SpecError(at, name + " is already in use around this place");
  }
  const auto found = place.context->symbols.find(name);
  if (found == place.context->symbols.end()) return;
  const Symbol& symbol = *found->second;
  const bool is_before = symbol.context != place.context || symbol.order < place.order;
  const bool is_substituted = symbol.type == Symbol::Type::substituted;  // its place is not known
  if (is_before && !is_substituted && !symbol.context->is_library) {
    throw SpecError(at, name + " is already declared at " + symbol.at.to_string());
  }
}

std::vector<Binding> Linker::bind(const std::vector<Bound>& bounds, Place& inner,
                                  const Place& outer) {
  std::vector<Binding> bindings;
  for (const Bound& bound : bounds) {
    const Node* set = bound.set == nullptr ? nullptr : expression(*bound.set, outer);
    Binding binding;
    binding.set = set;
    binding.is_tuple = bound.is_tuple;
    for (std::size_t i = 0; i < bound.names.size(); ++i) {
      const std::string& name = bound.names[i];
      check_is_new(name, inner,
                   i < bound.name_locations.size() ? bound.name_locations[i] : Location());
      const Local local = new_local(Local::Type::value, *inner.builder);
      inner.scope = add_scope(inner.scope, name, local);
      binding.slots.push_back(local.slot);
      if (!bound.is_tuple) {
        bindings.push_back(binding);
        binding.slots.clear();
      }
    }
    if (bound.is_tuple) bindings.push_back(std::move(binding));
  }
  return bindings;
}

/// WF_v(A) and SF_v(A) are about <<A>>_v, and whether it is possible.
const Node* Linker::fairness(const Expression& text, NodeType type, const Place& place) {
  Place inner = place;
  inner.is_primed = true;
  const Node* subscript = expression(*text.operands[0], inner);
  const Node* action = expression(*text.operands[1], inner);
  const Node* taken = make(NodeType::action_angle, {action, subscript}, text.at);
  return make(type, {taken, enabled(taken, place, text.at)}, text.at);
}

const Node* Linker::enabled(const Node* action, const Place& place, const Location& at) {
  Node& node = new_node(NodeType::enabled, at);
  node.kids = {action};
  const World* world = place.context->world;
  node.index = world == root_world_ || world == shared_world_ ? 0 : 1;
  return finish(node);
}

const Node* Linker::quantified(const Expression& text, NodeType type, const Place& place) {
  Place inner = place;
  Node& node = new_node(type, text.at);
  NodeDetail& detail = new_detail();
  detail.bindings = bind(text.bounds, inner, place);
  node.detail = &detail;
  node.kids.push_back(expression(*text.operands[0], inner));
  if (is_binder(type)) {
    const bool is_unbounded =
        std::any_of(detail.bindings.begin(), detail.bindings.end(),
                    [](const Binding& binding) { return binding.set == nullptr; });
    // TLC refuses these, too, but only when they are evaluated.
    if (is_unbounded && node.kids[0]->level == kTemporalLevel) node.level = kTemporalLevel;
  }
  return finish(node);
}

namespace {

/// The call of an operator that was defined as a function, without its world's arguments cut off.
const Node* function_call(const Node* node) {
  while (node->type == NodeType::constant || node->type == NodeType::remembered ||
         node->type == NodeType::substituted) {
    node = node->kids[0];
  }
  return node->type == NodeType::call && node->callee->is_function ? node : nullptr;
}

}  // namespace

const Node* Linker::application(const Expression& text, const Place& place) {
  const Node* function = expression(*text.operands[0], place);
  std::vector<const Node*> indexes;
  for (std::size_t i = 1; i < text.operands.size(); ++i) {
    indexes.push_back(expression(*text.operands[i], place));
  }
  if (const Node* called = function_call(function)) {
    Node& node = new_node(NodeType::apply_definition, text.at);
    node.callee = called->callee;
    node.hops = called->hops;
    node.level = called->level;
    node.is_pure = called->is_pure;
    node.oldest_local = called->oldest_local;
    node.kids = called->kids;
    node.index = static_cast<std::uint32_t>(node.kids.size());
    node.is_branching = node.callee->body == nullptr || node.callee->body->kids[0]->is_branching;
    node.kids.insert(node.kids.end(), indexes.begin(), indexes.end());
    return finish(node);
  }
  const Node* index =
      indexes.size() == 1 ? indexes[0] : make(NodeType::tuple, std::move(indexes), text.at);
  return make(NodeType::application, {function, index}, text.at);
}

const Node* Linker::domain_of(const Node* inner, const Location& at) {
  if (const Node* called = function_call(inner)) {
    Node& node = new_node(NodeType::domain_of_definition, at);
    node.callee = called->callee;
    node.hops = called->hops;
    node.level = called->level;
    node.is_pure = called->is_pure;
    node.oldest_local = called->oldest_local;
    node.kids = called->kids;
    return finish(node);
  }
  return make(NodeType::domain, {inner}, at);
}

const Node* Linker::except(const Expression& text, const Place& place) {
  Node& node = new_node(NodeType::except, text.at);
  node.kids.push_back(expression(*text.operands[0], place));
  NodeDetail& detail = new_detail();
  node.detail = &detail;
  for (const ExceptUpdate& written : text.updates) {
    Update& update = detail.updates.emplace_back();
    for (const ExceptUpdate::Step& step : written.path) {
      Update::Step& linked = update.path.emplace_back();
      linked.at = step.at;
      if (!step.field.empty()) {
        linked.field = literal_text(step.field);
        continue;
      }
      for (const ExpressionPtr& index : step.indexes) {
        linked.indexes.push_back(expression(*index, place));
      }
      if (linked.indexes.size() > 1) {
        linked.indexes = {make(NodeType::tuple, linked.indexes, step.at)};
      }
    }
    Place inner = place;
    const Local old = new_local(Local::Type::value, *place.builder);
    update.old_slot = old.slot;
    inner.scope = add_scope(place.scope, "@", old);
    update.value = expression(*written.value, inner);
  }
  return finish(node);
}

const Node* Linker::record(const Expression& text, NodeType type, const Place& place) {
  Node& node = new_node(type, text.at);
  NodeDetail& detail = new_detail();
  node.detail = &detail;
  for (std::size_t i = 0; i < text.fields.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (text.fields[before] == text.fields[i]) {
        throw SpecError(text.operands[i]->at, "field " + text.fields[i] + " is given twice");
      }
    }
    detail.literals.push_back(literal_text(text.fields[i]));
    node.kids.push_back(expression(*text.operands[i], place));
  }
  node.index = program_.inline_caches++;
  return finish(node);
}

const Node* Linker::subscripted(const Expression& text, NodeType type, const Place& place) {
  Place inner = place;
  inner.is_primed = true;
  const Node* action = expression(*text.operands[0], inner);
  const Node* subscript = expression(*text.operands[1], inner);
  return make(type, {action, subscript}, text.at);
}

const Node* Linker::primed(const Node* inner, const Location& at) {
  if (inner->level >= kActionLevel) {
    throw SpecError(at, "an expression that is primed must not have a prime inside: " +
                            inner->at.excerpt() + " is " + level_name(inner->level));
  }
  if (inner->type == NodeType::variable) {
    Node& node = new_node(NodeType::primed_variable, at);
    node.index = inner->index;
    return finish(node);
  }
  if (inner->type == NodeType::constant || inner->type == NodeType::immediate ||
      inner->type == NodeType::literal) {
    return inner;
  }
  return make(NodeType::prime, {inner}, at);
}

}  // namespace dissensus::tla
