#include "tla/pluscal/names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tla/pluscal/parse.h"

namespace dissensus::tla::pluscal {

namespace {

// In the order in which they are renamed.
enum class NameType : std::uint8_t {
  global,
  label,
  procedure,
  process,
  process_variable,
  procedure_variable,
  parameter
};
constexpr auto kTypeNames =
    std::to_array<std::string_view>({"Global variable", "Label", "Procedure", "Process",
                                     "Process variable", "Procedure variable", "Parameter"});

struct Name {
  NameType type;
  std::string name;
  std::string context;  ///< the process or procedure; empty: the algorithm
  std::string_view context_type;
  Place at;
  std::string used;  ///< in the translation
};

bool is_variable(NameType type) {
  return type == NameType::global || type >= NameType::process_variable;
}

class NameTable {
 public:
  void collect(const Algorithm& algorithm) {
    add({NameType::global, "pc", "", "", {}, ""});
    if (!algorithm.procedures.empty()) add({NameType::global, "stack", "", "", {}, ""});
    for (const Declaration& one : algorithm.variables) {
      add({NameType::global, one.name, "", "", one.at, ""});
    }
    for (const Procedure& one : algorithm.procedures) {
      add({NameType::procedure, one.name, "", "procedure", one.at, ""});
      declarations(one.variables, NameType::procedure_variable, one.name, "procedure");
      declarations(one.parameters, NameType::parameter, one.name, "procedure");
      labels(one.steps, one.name, "procedure");
    }
    for (const Process& one : algorithm.processes) {
      add({NameType::process, one.name, "", "process", one.at, ""});
      declarations(one.variables, NameType::process_variable, one.name, "process");
      labels(one.steps, one.name, "process");
    }
    if (!algorithm.has_processes) labels(algorithm.main.steps, "", "");
  }

  std::vector<std::string> make_unique() {
    std::vector<std::string> comments;
    for (std::size_t type = 0; type < kTypeNames.size(); ++type) {
      for (Name& name : names_) {
        if (static_cast<std::size_t>(name.type) != type) continue;
        rename(name);
        if (name.used == name.name) continue;
        const std::string of =
            name.context.empty() ? "" : fmt::format(" of {} {}", name.context_type, name.context);
        comments.push_back(fmt::format("\\* {} {}{} at line {} col {} changed to {}",
                                       kTypeNames[type], name.name, of, name.at.line,
                                       name.at.column, name.used));
      }
    }
    return comments;
  }

  const Name* find(NameType type, const std::string& name, const std::string& context) const {
    for (const Name& one : names_) {
      if (one.type == type && one.name == name && one.context == context) return &one;
    }
    return nullptr;
  }
  const Name* find(const std::string& name, const std::string& context) const {
    for (const Name& one : names_) {
      if (one.name == name && one.context == context) return &one;
    }
    return nullptr;
  }
  std::string label(const std::string& name, const std::string& context) const {
    const Name* found = find(NameType::label, name, context);
    return found == nullptr ? name : found->used;
  }
  std::string variable(const std::string& name, const std::string& context) const {
    const Name* found = find(name, context);
    return found != nullptr && is_variable(found->type) ? found->used : name;
  }

 private:
  void add(Name name) {
    const bool is_local = name.type >= NameType::process_variable;
    const bool is_known = is_local ? find(NameType::global, name.name, "") != nullptr ||
                                         find(name.name, name.context) != nullptr
                                   : find(name.type, name.name, name.context) != nullptr;
    if (is_known) {
      throw AlgorithmError(name.at, fmt::format("{} is declared a second time", name.name));
    }
    name.used = name.name;
    names_.push_back(std::move(name));
  }
  void declarations(const std::vector<Declaration>& list, NameType type, const std::string& context,
                    std::string_view context_type) {
    for (const Declaration& one : list) add({type, one.name, context, context_type, one.at, ""});
  }
  void labels(const std::vector<Step>& steps, const std::string& context,
              std::string_view context_type) {
    for (const Step& step : steps) {
      add({NameType::label, step.label, context, context_type, step.at, ""});
      labels(*step.statements, context, context_type);
    }
  }
  void labels(const Block& block, const std::string& context, std::string_view context_type) {
    for (const auto& statement : block) {
      for (const Branch& branch : statement->branches) {
        labels(*branch.plain, context, context_type);
        labels(branch.steps, context, context_type);
      }
    }
  }

  bool is_ambiguous(const std::string& used) const {
    return std::count_if(names_.begin(), names_.end(),
                         [&](const Name& one) { return one.used == used; }) > 1;
  }
  /// a, a_, a_p, a_pr, a_pro... with the letters of its process.
  void rename(Name& name) {
    if (name.type == NameType::global) return;
    for (std::size_t size = 1; is_ambiguous(name.used); ++size) {
      if (size == 1) {
        name.used += '_';
      } else if (size > name.context.size() + 1) {
        name.used += std::to_string(static_cast<int>(name.type));
      } else {
        name.used += name.context[size - 2];
      }
    }
  }

  std::vector<Name> names_;
};

/// Puts the new names in their places.
class Renaming {
 public:
  Renaming(const NameTable& names, const Algorithm& algorithm)
      : names_(names), algorithm_(algorithm) {}

  void declarations(std::vector<Declaration>& list, const std::string& context) const {
    for (Declaration& one : list) {
      one.name = names_.variable(one.name, context);
      formula(one.value, context);
    }
  }
  void steps(std::vector<Step>& list, const std::string& context) const {
    for (Step& step : list) {
      step.label = names_.label(step.label, context);
      block(*step.statements, context);
    }
  }
  void label_lists(Routine& routine) const {
    for (auto* list : {&routine.plus_labels, &routine.minus_labels}) {
      for (std::string& name : *list) name = names_.label(name, routine.name);
    }
    for (std::string& name : routine.calls) name = procedure(name, routine.at);
  }
  std::string procedure(const std::string& name, Place at) const {
    const Name* found = names_.find(NameType::procedure, name, "");
    if (found == nullptr) {
      throw AlgorithmError(at, fmt::format("there is no procedure {}", name));
    }
    return found->used;
  }

 private:
  void formula(Formula& formula, const std::string& context) const {
    Replacements replacements;
    for (const Token& token : formula.tokens()) {
      if (token.type != TokenType::name) continue;
      const std::string used = names_.variable(token.text, context);
      if (used != token.text) replacements.emplace_back(token.text, formula_of(used));
    }
    if (!replacements.empty()) formula = formula.replaced(replacements, false);
  }

  void block(Block& block, const std::string& context) const {
    for (const auto& statement : block) rename(*statement, context);
  }

  void rename(Statement& statement, const std::string& context) const {
    switch (statement.type) {
      case StatementType::jump:
        statement.name = target(statement.name, statement.at, context);
        break;
      case StatementType::call_goto:
        statement.target = target(statement.target, statement.at, context);
        statement.name = call(statement);
        break;
      case StatementType::call:
      case StatementType::call_return:
        statement.name = call(statement);
        break;
      default:
        break;
    }
    if (!statement.procedure.empty()) {
      statement.procedure = procedure(statement.procedure, statement.at);
    }
    formula(statement.formula, context);
    for (Formula& argument : statement.arguments) formula(argument, context);
    for (Assignment& one : statement.assignments) {
      one.variable = names_.variable(one.variable, context);
      formula(one.subscript, context);
      formula(one.value, context);
    }
    for (Branch& branch : statement.branches) {
      block(*branch.plain, context);
      steps(branch.steps, context);
    }
  }

  std::string call(const Statement& statement) const {
    for (const Procedure& one : algorithm_.procedures) {
      if (one.name != statement.name) continue;
      if (one.parameters.size() == statement.arguments.size()) break;
      throw AlgorithmError(statement.at,
                           fmt::format("the procedure {} has {} parameters, not {}", one.name,
                                       one.parameters.size(), statement.arguments.size()));
    }
    return procedure(statement.name, statement.at);
  }

  std::string target(const std::string& name, Place at, const std::string& context) const {
    if (name == "Done") return name;
    if (names_.find(NameType::label, name, context) == nullptr) {
      throw AlgorithmError(at, fmt::format("there is no label {} here", name));
    }
    return names_.label(name, context);
  }

  const NameTable& names_;
  const Algorithm& algorithm_;
};

/// Of each procedure also those that are called on the way.
void close_calls(Algorithm& algorithm) {
  const auto add = [](std::vector<std::string>& to, const std::string& name) {
    if (std::find(to.begin(), to.end(), name) != to.end()) return false;
    to.push_back(name);
    return true;
  };
  const auto calls_of = [&](const std::string& name) -> const std::vector<std::string>& {
    return std::find_if(algorithm.procedures.begin(), algorithm.procedures.end(),
                        [&](const Procedure& one) { return one.name == name; })
        ->calls;
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (Procedure& one : algorithm.procedures) {
      const std::vector<std::string> calls = one.calls;
      for (const std::string& name : calls) {
        const std::vector<std::string> more = calls_of(name);
        for (const std::string& called : more) grows = add(one.calls, called) || grows;
      }
    }
  }
  // In the order of their declarations.
  for (Procedure& one : algorithm.procedures) {
    std::vector<std::string> sorted;
    for (const Procedure& other : algorithm.procedures) {
      if (std::find(one.calls.begin(), one.calls.end(), other.name) != one.calls.end()) {
        sorted.push_back(other.name);
      }
    }
    one.calls = std::move(sorted);
  }
  for (Process& process : algorithm.processes) {
    for (std::size_t i = 0; i < process.calls.size(); ++i) {
      const std::vector<std::string> more = calls_of(process.calls[i]);
      for (const std::string& called : more) add(process.calls, called);
    }
  }
}

}  // namespace

std::vector<std::string> make_names_unique(Algorithm& algorithm) {
  NameTable names;
  names.collect(algorithm);
  std::vector<std::string> comments = names.make_unique();
  const Renaming renaming(names, algorithm);
  renaming.declarations(algorithm.variables, "");
  for (Procedure& one : algorithm.procedures) {
    renaming.declarations(one.variables, one.name);
    renaming.declarations(one.parameters, one.name);
    renaming.steps(one.steps, one.name);
    renaming.label_lists(one);
  }
  for (Process& one : algorithm.processes) {
    renaming.declarations(one.variables, one.name);
    renaming.steps(one.steps, one.name);
    renaming.label_lists(one);
  }
  renaming.steps(algorithm.main.steps, "");
  for (Procedure& one : algorithm.procedures) one.name = renaming.procedure(one.name, one.at);
  for (Process& one : algorithm.processes) {
    one.name = names.find(NameType::process, one.name, "")->used;
  }
  if (algorithm.has_processes) close_calls(algorithm);
  return comments;
}

}  // namespace dissensus::tla::pluscal
