// What the configuration asks for: Init and Next, properties, constraints; the list of actions.
#include <algorithm>
#include <filesystem>

#include "core/assert.h"
#include "tla/linking/linker.h"

namespace dissensus::tla {

Program::Program() = default;
Program::~Program() = default;

std::unique_ptr<Program> link(const std::string& path, const Config& config,
                              const SpecOptions& options) {
  auto program = std::make_unique<Program>();
  program->path = path;
  program->config = config;
  program->linker = std::make_unique<LinkerState>(*program, options);
  program->linker->linker.link(path);
  return program;
}

EntryPoint link_expression(Program& program, const std::string& text,
                           const std::vector<std::string>& parameters) {
  const std::lock_guard lock(program.linking);
  return program.linker->linker.link_expression(text, parameters);
}

void Linker::link(const std::string& path) {
  const std::filesystem::path file(path);
  folder_ = file.parent_path().string();
  if (folder_.empty()) folder_ = ".";
  const std::string name = file.stem().string();
  Location at;
  const Module& module = load_module(name, at, nullptr);
  if (module.name != name) {
    throw SpecError(module.at, "module " + module.name + " is in a file named " +
                                   file.filename().string() + ": expected " + module.name + ".tla");
  }
  // The root itself is never shared, so that its names can be bound.
  closed_[&module] = false;
  root_ = &context_of(module, *root_world_, nullptr);
  bind_configuration();
  check_constants_are_bound();
  for (const Assumption& assumption : assumptions_) {
    Builder builder;
    Place place;
    place.context = assumption.context;
    place.order = assumption.order;
    place.builder = &builder;
    const Node* node = expression(*assumption.expression, place);
    program_.assumptions.push_back({node, builder.slots, assumption.expression->at, {}});
  }
  link_behaviour();
  link_all_operators();
  list_actions();
  list_guards();
}

EntryPoint Linker::link_expression(const std::string& text,
                                   const std::vector<std::string>& parameters) {
  auto source = std::make_shared<Source>(Source{"expression", text});
  sources_.push_back(source);
  expressions_.push_back(parse_expression(source));
  const Expression& parsed = *expressions_.back();
  Builder builder;
  Place place;
  place.context = root_;
  place.builder = &builder;
  for (const std::string& parameter : parameters) {
    const Local local = new_local(Local::Type::value, builder);
    place.scope = add_scope(place.scope, parameter, local);
  }
  const Node* node = expression(parsed, place);
  return {node, builder.slots, parsed.at, text};
}

EntryPoint Linker::entry(const std::string& name, const Location& at) {
  Builder builder;
  Place place;
  place.context = root_;
  place.builder = &builder;
  const Node* node = expression(*name_expression(name, at), place);
  return {node, builder.slots, at, name};
}

EntryPoint Linker::named_entry(const ConfigName& name, const char* what, Level level) {
  const Symbol& symbol = root_symbol(name, what);
  if (symbol.type == Symbol::Type::operation && symbol.arity != 0) {
    throw SpecError(name.at, std::string(what) + " " + name.name + " must not have parameters");
  }
  EntryPoint point = entry(name.name, name.at);
  if (point.node->level > level) {
    throw SpecError(name.at,
                    std::string(what) + " " + name.name + " is " +
                        (point.node->level == kTemporalLevel ? "a temporal formula"
                                                             : "an action: it has a prime"));
  }
  return point;
}

void Linker::link_behaviour() {
  const Config& config = program_.config;
  if (config.specification) {
    if (config.init || config.next) {
      throw SpecError(config.specification->at,
                      "SPECIFICATION cannot be combined with INIT and NEXT");
    }
    link_specification(*config.specification);
  } else {
    const auto take = [&](const std::optional<ConfigName>& given,
                          const char* usual) -> std::optional<ConfigName> {
      if (given) return given;
      const auto found = root_->symbols.find(usual);
      if (config.source != nullptr || found == root_->symbols.end()) return std::nullopt;
      return ConfigName{usual, found->second->at};
    };
    if (config.init.has_value() != config.next.has_value()) {
      throw SpecError((config.init ? config.init : config.next)->at,
                      config.init ? "INIT without NEXT" : "NEXT without INIT");
    }
    if (const auto init = take(config.init, "Init")) {
      program_.initial.push_back(named_entry(*init, "INIT", kStateLevel));
    }
    if (const auto next = take(config.next, "Next")) {
      program_.next = named_entry(*next, "NEXT", kActionLevel);
    }
  }
  for (const ConfigName& name : config.invariants) {
    program_.invariants.push_back(named_entry(name, "INVARIANT", kStateLevel));
  }
  for (const ConfigName& name : config.constraints) {
    program_.constraints.push_back(named_entry(name, "CONSTRAINT", kStateLevel));
  }
  for (const ConfigName& name : config.action_constraints) {
    program_.action_constraints.push_back(named_entry(name, "ACTION_CONSTRAINT", kActionLevel));
  }
  for (const ConfigName& name : config.symmetries) {
    program_.symmetries.push_back(named_entry(name, "SYMMETRY", kConstantLevel));
  }
  if (config.view) program_.view = named_entry(*config.view, "VIEW", kStateLevel);
  if (config.postcondition) {
    program_.postcondition = named_entry(*config.postcondition, "POSTCONDITION", kStateLevel);
  }
  if (config.alias) program_.alias = named_entry(*config.alias, "ALIAS", kActionLevel);
  link_properties();
}

namespace {

/// False: something in the formula has no translation (\AA, \EE, -+->).
bool is_checkable(const Node& node, std::set<const Node*>& seen) {
  if (node.level != kTemporalLevel || !seen.insert(&node).second) return true;
  if (node.type == NodeType::temporal) return false;
  if (node.callee != nullptr && node.callee->body != nullptr &&
      !is_checkable(*node.callee->body, seen)) {
    return false;
  }
  return std::all_of(node.kids.begin(), node.kids.end(),
                     [&](const Node* kid) { return is_checkable(*kid, seen); });
}

bool is_checkable(const EntryPoint& entry) {
  std::set<const Node*> seen;
  return is_checkable(*entry.node, seen);
}

}  // namespace

/// Takes Init /\ [][A]_v /\ ... apart, through definitions. What remains is about behaviours.
void Linker::split_formula(const Node* node, std::uint32_t frame_size, StepProperty& parts,
                           std::vector<EntryPoint>& temporal) {
  if (node->type == NodeType::conjunction) {
    for (const Node* kid : node->kids) split_formula(kid, frame_size, parts, temporal);
    return;
  }
  if (node->type == NodeType::call && node->kids.empty() && node->callee->body != nullptr &&
      node->level == kTemporalLevel) {
    split_formula(node->callee->body, node->callee->frame_size, parts, temporal);
    return;
  }
  if (node->level <= kStateLevel) {
    parts.initial.push_back({node, frame_size, node->at, {}});
    return;
  }
  if (node->type == NodeType::always && node->first->level <= kActionLevel) {
    const Node* inner = node->first;
    if (inner->level <= kStateLevel) parts.initial.push_back({inner, frame_size, node->at, {}});
    parts.steps.push_back({inner, frame_size, node->at, {}});
    return;
  }
  temporal.push_back({node, frame_size, node->at, {}});
}

void Linker::link_specification(const ConfigName& name) {
  const EntryPoint whole = named_entry(name, "SPECIFICATION", kTemporalLevel);
  StepProperty parts;
  split_formula(whole.node, whole.frame_size, parts, program_.fairness);
  program_.initial = parts.initial;
  for (const EntryPoint& step : parts.steps) {
    if (step.node->type != NodeType::action_box) {
      const Node* always = make(NodeType::always, {step.node}, step.at);
      program_.fairness.push_back({always, step.frame_size, step.at, {}});
      continue;
    }
    if (program_.next) {
      throw SpecError(name.at, name.name + " has more than one [][Next]_vars");
    }
    program_.next = EntryPoint{step.node->first, step.frame_size, step.node->at, name.name};
    program_.subscript = EntryPoint{step.node->second, step.frame_size, step.node->at, {}};
  }
  if (!program_.next) {
    throw SpecError(
        name.at, "expected a formula Init /\\ [][Next]_vars; " + name.name + " has no [][...]_...");
  }
}

void Linker::link_properties() {
  const auto leave_out = [this](const EntryPoint& entry, const std::string& name) {
    program_.notices.push_back(
        {entry.at, "is not checked: " + entry.at.excerpt() + " of property " + name});
    std::vector<std::string>& unchecked = program_.unchecked_properties;
    if (unchecked.empty() || unchecked.back() != name) unchecked.push_back(name);
  };
  const bool is_fairness_known =
      std::all_of(program_.fairness.begin(), program_.fairness.end(),
                  [](const EntryPoint& entry) { return is_checkable(entry); });
  for (const ConfigName& name : program_.config.properties) {
    const EntryPoint whole = named_entry(name, "PROPERTY", kTemporalLevel);
    StepProperty parts;
    parts.name = name.name;
    std::vector<EntryPoint> temporal;
    split_formula(whole.node, whole.frame_size, parts, temporal);
    for (const EntryPoint& entry : temporal) {
      if (is_fairness_known && is_checkable(entry)) {
        program_.temporal_properties.push_back({name.name, entry});
      } else {
        leave_out(entry, name.name);
      }
    }
    if (!parts.initial.empty() || !parts.steps.empty()) {
      program_.properties.push_back(std::move(parts));
    }
  }
}

/// Errors in definitions that nothing uses are reported, too; and logs may name any action.
void Linker::link_all_operators() {
  const auto link_context = [this](Context& context) {
    for (const auto& [name, symbol] : context.symbols) {
      if (symbol->type == Symbol::Type::operation && !symbol->context->is_library &&
          !symbol->definition->is_theorem) {
        operator_of(*symbol);
      }
    }
  };
  link_context(*root_);
  for (const auto& [name, symbol] : root_->symbols) {
    if (symbol->type == Symbol::Type::instance) link_context(*symbol->instance->context);
  }
}

void Linker::list_actions() {
  for (Operator& operation : program_.operators) {
    if (!operation.is_action_named || operation.level != kActionLevel || operation.depth != 1) {
      continue;
    }
    operation.action = static_cast<ActionId>(program_.actions.size());
    ActionDescription description;
    description.name = operation.name;
    description.at = operation.at;
    for (const OperatorParameter& parameter : operation.parameters) {
      description.parameters.push_back(parameter.name);
    }
    program_.actions.push_back(std::move(description));
    program_.action_operators.push_back(&operation);
  }
  // Steps through no named action need a label, too.
  if (program_.next && program_.next->node->type != NodeType::call) {
    program_.default_action = static_cast<ActionId>(program_.actions.size());
    program_.actions.push_back({program_.next->name, {}, program_.next->at, true});
    program_.action_operators.push_back(nullptr);
  }
  std::set<const Node*> seen;
  if (program_.next) mark_labels(program_.next->node, seen);
}

void Linker::mark_labels(const Node* node, std::set<const Node*>& seen) {
  if (!seen.insert(node).second) return;
  switch (node->type) {
    case NodeType::call: {
      const Operator& operation = *node->callee;
      if (operation.is_action_named && operation.level == kActionLevel && operation.depth == 1) {
        program_.actions[operation.action].is_label = true;
      }
      if (operation.body != nullptr) mark_labels(operation.body, seen);
      break;
    }
    case NodeType::disjunction:
    case NodeType::if_else:
    case NodeType::case_of:
    case NodeType::exists:
    case NodeType::let:
    case NodeType::let_value:
    case NodeType::remembered:
    case NodeType::action_box:
    case NodeType::action_angle:
      for (const Node* kid : node->kids) mark_labels(kid, seen);
      break;
    default:
      break;
  }
}

void Linker::list_guards() {
  for (const Guard& guard : guards_) {
    if (guard.operation == nullptr) continue;  // of an assumption
    const Operator& operation = *guard.operation;
    if (!operation.is_action_named || operation.level != kActionLevel || operation.depth != 1) {
      continue;
    }
    GuardDescription description;
    description.module = guard.module;
    description.at = guard.at;
    description.action = operation.action;
    description.is_assignment = guard.node->level == kActionLevel;
    program_.guards.push_back(std::move(description));
  }
  guards_.clear();
}

}  // namespace dissensus::tla
