// Finding modules; EXTENDS, INSTANCE and the configuration's constants.
#include <algorithm>
#include <filesystem>

#include "core/assert.h"
#include "core/file.h"
#include "core/suggestion.h"
#include "tla/linking/linker.h"
#include "tla/pluscal/pluscal.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kModuleBytesMax = std::size_t{64} << 20;

bool is_fixed_library(std::string_view name) {
  for (const std::string_view fixed :
       {"Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "TLC", "Bags"}) {
    if (name == fixed) return true;
  }
  return false;
}

SourcePtr library_source(const std::string& name) {
  const auto text = library_module(name);
  if (!text) return nullptr;
  return std::make_shared<Source>(Source{"standard module " + name, std::string(*text)});
}

/// The source from the header of a module on: what stands before is blank, so that places stay
/// true. Null: it has no such module.
SourcePtr from_header(const Source& source, const std::string& name) {
  const std::string& text = source.text;
  for (std::size_t at = text.find("MODULE"); at != std::string::npos;
       at = text.find("MODULE", at + 1)) {
    const std::size_t name_at = text.find_first_not_of(" \t", at + 6);
    if (name_at == std::string::npos || text.compare(name_at, name.size(), name) != 0) continue;
    const std::size_t after = text.find_first_not_of(" \t", name_at + name.size());
    const std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at);
    if (after == std::string::npos || text.compare(after, 4, "----") != 0 ||
        text.find("----", begin) > at) {
      continue;
    }
    std::string rest = text;
    std::replace_if(
        rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(begin),
        [](char c) { return c != '\n'; }, ' ');
    return std::make_shared<Source>(Source{source.path, std::move(rest)});
  }
  return nullptr;
}

}  // namespace

Linker::Linker(Program& program, const SpecOptions& options)
    : program_(program), options_(options) {
  root_world_ = &worlds_.emplace_back();
  shared_world_ = &worlds_.emplace_back();
}

SourcePtr Linker::find_module(const std::string& name, bool& is_library) {
  is_library = false;
  for (const auto& [given, text] : options_.modules) {
    if (given == name) return std::make_shared<Source>(Source{name + ".tla", text});
  }
  if (is_fixed_library(name)) {
    if (SourcePtr source = library_source(name)) {
      is_library = true;
      return source;
    }
  }
  std::vector<std::string> folders = {folder_};
  folders.insert(folders.end(), options_.folders.begin(), options_.folders.end());
  for (std::size_t i = 0; i < folders.size(); ++i) {
    // What the spec's own folder has comes before our library, which comes before other folders.
    if (i == 1) {
      if (SourcePtr source = library_source(name)) {
        is_library = true;
        return source;
      }
    }
    const std::filesystem::path path = std::filesystem::path(folders[i]) / (name + ".tla");
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) {
      return std::make_shared<Source>(
          Source{path.lexically_normal().string(), read_file(path.string(), kModuleBytesMax)});
    }
  }
  if (SourcePtr source = library_source(name)) {
    is_library = true;
    return source;
  }
  // A module without a file of its own may follow another one in that one's file.
  for (const auto& [other, loaded] : modules_) {
    if (loaded.is_library || loaded.module == nullptr) continue;
    if (SourcePtr source = from_header(*loaded.module->source, name)) return source;
  }
  return nullptr;
}

const Module& Linker::load_module(const std::string& name, const Location& at,
                                  const Context* from) {
  for (const Context* context = from; context != nullptr; context = context->enclosing) {
    if (const auto found = context->submodules.find(name); found != context->submodules.end()) {
      return *found->second;
    }
  }
  if (const auto found = modules_.find(name); found != modules_.end()) {
    return *found->second.module;
  }
  bool is_library = false;
  SourcePtr source = find_module(name, is_library);
  if (source != nullptr && !is_library) {
    source = pluscal::with_translation(source, program_.notices);
  }
  if (source == nullptr) {
    std::vector<std::string> known;
    for (const std::string_view module : library_modules()) known.emplace_back(module);
    throw SpecError(at, "there is no module " + name +
                            " in the spec's folder, the given folders "
                            "or the standard modules" +
                            suggestion(name, known));
  }
  Loaded& loaded = modules_[name];
  loaded.module = parse_module(source);
  loaded.is_library = is_library;
  is_library_[loaded.module.get()] = is_library;
  if (!is_library) {
    program_.notices.insert(program_.notices.end(), loaded.module->notices.begin(),
                            loaded.module->notices.end());
  }
  return *loaded.module;
}

/// Without constants and variables of its own or of what it extends: it means the same in every
/// world.
bool Linker::is_closed_module(const Module& module) {
  if (const auto known = closed_.find(&module); known != closed_.end()) return known->second;
  closed_[&module] = false;
  bool closed = true;
  for (const ModuleUnit& unit : module.units) {
    closed = closed && unit.type != ModuleUnit::Type::constants &&
             unit.type != ModuleUnit::Type::variables;
  }
  for (const Module::Extend& extended : module.extends) {
    closed = closed && is_closed_module(load_module(extended.name, extended.at, nullptr));
  }
  closed_[&module] = closed;
  return closed;
}

Context& Linker::context_of(const Module& module, World& world, Context* enclosing) {
  const bool is_shared = enclosing == nullptr && is_closed_module(module);
  World& home = is_shared ? *shared_world_ : world;
  if (enclosing == nullptr) {
    const auto found = home.contexts.find(module.name);
    if (found != home.contexts.end()) {
      if (!found->second->is_complete) {
        throw SpecError(module.at, "module " + module.name + " extends or instantiates itself");
      }
      return *found->second;
    }
  }
  const std::string key = enclosing == nullptr ? module.name
                                               : enclosing->module->name + "!" + module.name + "@" +
                                                     std::to_string(home.contexts.size());
  auto& slot = home.contexts[key];
  slot = std::make_unique<Context>();
  Context& context = *slot;
  context.module = &module;
  context.world = &home;
  context.enclosing = enclosing;
  const auto library = is_library_.find(&module);
  context.is_library = library != is_library_.end() && library->second;
  if (enclosing != nullptr) {
    for (const auto& [name, symbol] : enclosing->symbols) {
      context.symbols[name] = symbol;
      context.hidden.insert(name);
    }
  }
  for (const Module::Extend& extended : module.extends) extend(context, extended);
  std::uint32_t order = 0;
  for (const ModuleUnit& unit : module.units) declare(context, unit, ++order);
  context.is_complete = true;
  return context;
}

void Linker::extend(Context& context, const Module::Extend& extended) {
  const Module& module = load_module(extended.name, extended.at, &context);
  if (&module == context.module) {
    throw SpecError(extended.at, "module " + extended.name + " extends itself");
  }
  import(context, context_of(module, *context.world, nullptr), false, extended.at);
}

void Linker::import(Context& context, const Context& from, bool is_local, const Location& at) {
  for (const auto& [name, symbol] : from.symbols) {
    if (from.hidden.count(name) != 0) continue;
    const auto [place, is_new] = context.symbols.try_emplace(name, symbol);
    if (is_new) {
      if (is_local) context.hidden.insert(name);
      continue;
    }
    if (place->second == symbol) {
      if (!is_local) context.hidden.erase(name);
      continue;
    }
    const Symbol& old = *place->second;
    const bool is_declared = symbol->type == Symbol::Type::variable;
    if (is_declared && old.type == Symbol::Type::operation) {
      throw SpecError(at, "variable " + name + " of module " + from.module->name +
                              " is already defined at " + old.at.to_string());
    }
  }
  for (const auto& [name, module] : from.submodules) context.submodules.try_emplace(name, module);
}

Symbol& Linker::add_symbol(Context& context, const std::string& name, const Location& at,
                           std::uint32_t order) {
  const auto old = context.symbols.find(name);
  if (old != context.symbols.end()) {
    const bool from_library = old->second->context->is_library || context.is_library;
    const bool is_hidden = context.hidden.count(name) != 0;
    if (!from_library && !is_hidden) {
      throw SpecError(at, name + " is already defined at " + old->second->at.to_string());
    }
    context.hidden.erase(name);
  }
  Symbol& symbol = symbols_.emplace_back();
  symbol.name = name;
  symbol.at = at;
  symbol.context = &context;
  symbol.order = order;
  context.symbols[name] = &symbol;
  return symbol;
}

void Linker::declare(Context& context, const ModuleUnit& unit, std::uint32_t order) {
  switch (unit.type) {
    case ModuleUnit::Type::constants:
    case ModuleUnit::Type::variables: {
      const bool is_variable = unit.type == ModuleUnit::Type::variables;
      for (const Parameter& declared : unit.declared) {
        // An instance gave these names their meaning before the module was gone through.
        const auto known = context.world->contexts.find("");
        if (known != context.world->contexts.end()) {
          const auto given = known->second->symbols.find(declared.name);
          if (given != known->second->symbols.end()) {
            context.symbols[declared.name] = given->second;
            continue;
          }
        }
        Symbol& symbol = add_symbol(context, declared.name, declared.at, order);
        symbol.type = is_variable ? Symbol::Type::variable : Symbol::Type::constant;
        symbol.arity = declared.arity;
        if (is_variable) {
          symbol.variable = static_cast<std::uint32_t>(program_.variables.size());
          program_.variables.push_back(declared.name);
        }
      }
      break;
    }
    case ModuleUnit::Type::recursive:
      for (const Parameter& declared : unit.declared) context.recursive[declared.name] = order;
      break;
    case ModuleUnit::Type::definition:
      define(context, *unit.definition, order);
      break;
    case ModuleUnit::Type::assume:
      if (!unit.name.empty()) {
        Symbol& symbol = add_symbol(context, unit.name, unit.at, order);
        symbol.type = Symbol::Type::substituted;
        symbol.expression = unit.assumption.get();
        symbol.expression_context = &context;
      }
      if (context.world == root_world_ || context.world == shared_world_) {
        if (!context.is_library) assumptions_.push_back({&context, unit.assumption.get(), order});
      }
      break;
    case ModuleUnit::Type::submodule:
      context.submodules[unit.submodule->name] = unit.submodule.get();
      break;
  }
}

void Linker::define(Context& context, const Definition& definition, std::uint32_t order) {
  if (definition.type == Definition::Type::instance) {
    Place place;
    place.context = &context;
    place.order = order;
    auto instance = instantiate(definition, place);
    if (definition.name.empty()) {
      import(context, *instance->context, definition.is_local, definition.at);
      let_instances_.push_back(std::move(instance));
      return;
    }
    Symbol& symbol = add_symbol(context, definition.name, definition.at, order);
    symbol.type = Symbol::Type::instance;
    symbol.definition = &definition;
    symbol.instance = std::move(instance);
    if (definition.is_local) context.hidden.insert(definition.name);
    return;
  }
  Symbol& symbol = add_symbol(context, definition.name, definition.at, order);
  symbol.type = Symbol::Type::operation;
  symbol.definition = &definition;
  symbol.arity = static_cast<std::uint32_t>(definition.parameters.size());
  symbol.is_recursive = context.recursive.count(definition.name) != 0;
  if (definition.is_local) context.hidden.insert(definition.name);
}

const Expression* Linker::name_expression(const std::string& name, const Location& at) {
  auto expression = std::make_unique<Expression>();
  expression->syntax = Syntax::apply;
  expression->name = name;
  expression->at = at;
  expressions_.push_back(std::move(expression));
  return expressions_.back().get();
}

std::unique_ptr<Instance> Linker::instantiate(const Definition& definition, const Place& place) {
  const Module& module = load_module(definition.module, definition.at, place.context);
  auto instance = std::make_unique<Instance>();
  instance->parameters = definition.parameters;
  const bool is_submodule =
      modules_.find(module.name) == modules_.end() || modules_[module.name].module.get() != &module;
  if (!is_submodule && is_closed_module(module)) {
    instance->world = shared_world_;
    instance->context = &context_of(module, *shared_world_, nullptr);
    if (!definition.substitutions.empty()) {
      const Substitution& first = definition.substitutions.front();
      throw SpecError(
          first.at, first.name + " is neither a constant nor a variable of module " + module.name);
    }
    return instance;
  }
  World& outer = *place.context->world;
  World& world = worlds_.emplace_back();
  world.outer = &outer;
  world.prefix = outer.prefix + (definition.name.empty() ? std::string() : definition.name + "!");
  world.scope = place.scope;
  world.depth =
      place.builder == nullptr ? outer.depth : static_cast<std::uint16_t>(place.builder->depth + 1);
  // Inside LET the parameters around are reached through the outer frame.
  if (place.builder == nullptr) world.parameters = outer.parameters;
  instance->inherited = world.parameters.size();
  world.parameters.insert(world.parameters.end(), definition.parameters.begin(),
                          definition.parameters.end());
  for (std::size_t i = 0; i < world.parameters.size(); ++i) {
    Local local;
    local.type =
        world.parameters[i].arity == 0 ? Local::Type::parameter : Local::Type::operator_parameter;
    local.arity = world.parameters[i].arity;
    local.depth = world.depth;
    local.slot = static_cast<std::uint32_t>(i);
    local.number = ++locals_;
    world.locals.push_back(local);
  }
  instance->world = &world;
  if (++instantiating_ > 100) {
    throw SpecError(definition.at, "module " + module.name + " instantiates itself");
  }
  substitute(*instance, definition, place);
  instance->context = &context_of(module, world, is_submodule ? place.context : nullptr);
  --instantiating_;
  return instance;
}

namespace {

void collect_declared(const Module& module,
                      const std::function<const Module&(const Module::Extend&)>& load,
                      std::vector<Parameter>& declared) {
  for (const Module::Extend& extended : module.extends) {
    collect_declared(load(extended), load, declared);
  }
  for (const ModuleUnit& unit : module.units) {
    if (unit.type == ModuleUnit::Type::constants || unit.type == ModuleUnit::Type::variables) {
      declared.insert(declared.end(), unit.declared.begin(), unit.declared.end());
    }
  }
}

}  // namespace

namespace {

/// Both are the same plain name.
bool is_same_name(const Expression& a, const Expression& b) {
  return a.syntax == Syntax::apply && b.syntax == Syntax::apply && a.name == b.name &&
         a.operands.empty() && b.operands.empty() && a.path.empty() && b.path.empty();
}

}  // namespace

/// Gives every constant and variable of the module its meaning in the world outside.
void Linker::substitute(Instance& instance, const Definition& definition, const Place& place) {
  const Module& module = load_module(definition.module, definition.at, place.context);
  std::vector<Parameter> declared;
  collect_declared(
      module,
      [&](const Module::Extend& extended) -> const Module& {
        return load_module(extended.name, extended.at, nullptr);
      },
      declared);
  World& world = *instance.world;
  auto& given = world.contexts[""];  // a context of nothing but the substituted names
  given = std::make_unique<Context>();
  given->world = &world;
  given->module = &module;
  const Scope* scope = place.scope;
  for (std::size_t i = 0; i < world.parameters.size(); ++i) {
    scope = add_scope(scope, world.parameters[i].name, world.locals[i]);
  }
  for (const Substitution& substitution : definition.substitutions) {
    const bool is_known = std::any_of(declared.begin(), declared.end(), [&](const Parameter& each) {
      return each.name == substitution.name;
    });
    if (!is_known) {
      std::vector<std::string> known;
      for (const Parameter& each : declared) known.push_back(each.name);
      throw SpecError(substitution.at, substitution.name +
                                           " is neither a constant nor a variable of module " +
                                           module.name + suggestion(substitution.name, known));
    }
  }
  for (const Parameter& each : declared) {
    const Expression* value = nullptr;
    for (const Substitution& substitution : definition.substitutions) {
      if (substitution.name == each.name) value = substitution.value.get();
    }
    if (value == nullptr) value = name_expression(each.name, definition.at);
    Symbol& symbol = symbols_.emplace_back();
    symbol.type = Symbol::Type::substituted;
    symbol.name = each.name;
    symbol.at = each.at;
    symbol.context = given.get();
    symbol.arity = each.arity;
    symbol.expression = value;
    symbol.expression_context = place.context;
    symbol.expression_scope = scope;
    symbol.order = place.order;
    // x <- z, y <- z: under ENABLED x' and y' may differ, so each needs a value of its own.
    for (const auto& [name, other] : given->symbols) {
      if (!is_same_name(*other->expression, *value)) continue;
      symbol.is_shared = other->is_shared = true;
    }
    given->symbols[each.name] = &symbol;
  }
}

Symbol& Linker::root_symbol(const ConfigName& name, const char* what) {
  const auto found = root_->symbols.find(name.name);
  if (found == root_->symbols.end()) {
    std::vector<std::string> known;
    for (const auto& [each, symbol] : root_->symbols) {
      if (!symbol->context->is_library) known.push_back(each);
    }
    throw SpecError(name.at, std::string(what) + " " + name.name + " is not defined in module " +
                                 root_->module->name + suggestion(name.name, known));
  }
  return *found->second;
}

void Linker::bind_configuration() {
  const auto in_module = [this](const std::string& module, const std::string& name,
                                const std::function<void(Symbol&)>& bind) {
    for (World& world : worlds_) {
      for (const auto& [key, context] : world.contexts) {
        if (key.empty() || context->module->name != module) continue;
        const auto found = context->symbols.find(name);
        if (found != context->symbols.end()) bind(*found->second);
      }
    }
  };
  for (const Config::Assignment& assignment : program_.config.assignments) {
    const std::string& name = assignment.name.name;
    if (!assignment.module.empty()) {
      in_module(assignment.module, name, [&](Symbol& symbol) { symbol.value = &assignment.value; });
      continue;
    }
    if (root_->symbols.count(name) == 0) {
      program_.notices.push_back(
          {assignment.name.at,
           "constant " + name + " is not declared in module " + root_->module->name});
      continue;
    }
    Symbol& symbol = root_symbol(assignment.name, "constant");
    if (!assignment.arguments.empty()) {
      symbol.table.push_back(&assignment);
    } else {
      symbol.value = &assignment.value;
    }
  }
  for (const Config::Replacement& replacement : program_.config.replacements) {
    Symbol& by = root_symbol(replacement.definition, "definition");
    if (replacement.module.empty()) {
      Symbol& symbol = root_symbol(replacement.name, "constant");
      if (&symbol != &by) symbol.replacement = &by;
      continue;
    }
    in_module(replacement.module, replacement.name.name, [&](Symbol& symbol) {
      if (&symbol != &by) symbol.replacement = &by;
    });
  }
  bind_constants_of_options();
  for (Symbol& symbol : symbols_) {
    if (symbol.definition != nullptr &&
        (symbol.replacement != nullptr || symbol.value != nullptr)) {
      bound_definitions_.try_emplace(symbol.definition, &symbol);
    }
  }
}

void Linker::bind_constants_of_options() {
  for (const auto& [name, text] : options_.constants) {
    auto source = std::make_shared<Source>(Source{"constant " + name, text});
    Location at;
    at.source = source.get();
    at.line = at.column = 1;
    Symbol& symbol = root_symbol({name, at}, "constant");
    expressions_.push_back(parse_expression(source));
    sources_.push_back(source);
    Symbol& value = symbols_.emplace_back();
    value.type = Symbol::Type::substituted;
    value.name = name;
    value.at = at;
    value.context = root_;
    value.arity = symbol.arity;
    value.expression = expressions_.back().get();
    value.expression_context = root_;
    symbol.value = nullptr;
    symbol.replacement = &value;
  }
}

void Linker::check_constants_are_bound() {
  for (const auto& [name, symbol] : root_->symbols) {
    if (symbol->type != Symbol::Type::constant) continue;
    if (symbol->replacement != nullptr || symbol->value != nullptr || !symbol->table.empty()) {
      continue;
    }
    throw SpecError(symbol->at, "constant " + name +
                                    " has no value: give it one in the configuration (CONSTANT " +
                                    name + " = ...)");
  }
}

}  // namespace dissensus::tla
