// An algorithm as it was written, and, after flattening, as steps that assign pc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tla/pluscal/formula.h"

namespace dissensus::tla::pluscal {

struct Statement;
/// Statements are shared, so that a step and the block that it was cut from see the same one.
using Block = std::vector<std::shared_ptr<Statement>>;

/// A label with the statements up to the next one: an atomic step.
struct Step {
  std::string label;
  Place at;
  /// Where the macro was called that the first statement comes from.
  std::optional<Place> macro_call;
  std::shared_ptr<Block> statements;
};

/// A body of a statement. First everything is `plain`; once labels are in place (labels.h), what
/// begins with the first label is in `steps`.
struct Branch {
  std::shared_ptr<Block> plain = std::make_shared<Block>();
  std::vector<Step> steps;
};

struct Assignment {
  std::string variable;
  Formula subscript;  ///< "[i].f", or empty
  Formula value;
  Place at;
  std::optional<Place> macro_call;
};

enum class StatementType : std::uint8_t {
  assign,
  if_else,  ///< branches: then, else
  either,   ///< branches
  with,     ///< name = or \in formula; one branch
  when,     ///< await, too
  print,
  check,  ///< assert
  skip,
  loop,         ///< while; one branch
  call,         ///< name(arguments)
  give_back,    ///< return
  call_return,  ///< call and return
  call_goto,    ///< call and goto `target`
  jump,         ///< goto name
  macro_call,   ///< name(arguments)
};

struct Statement {
  StatementType type = StatementType::skip;
  Place at;
  std::optional<Place> macro_call;  ///< where the macro was called that it comes from
  std::string label;                ///< empty: none
  Place label_at;
  /// An if or either with a label inside, or something that leaves the step in another way.
  bool is_cut = false;
  bool is_equal = true;  ///< of with: "=", not "\in"
  std::string name;
  std::string target;
  std::string procedure;  ///< in which return stands; empty: in none
  Formula formula;
  std::vector<Assignment> assignments;
  std::vector<Formula> arguments;
  std::vector<Branch> branches;
};

struct Declaration {
  std::string name;
  bool is_equal = true;  ///< "=", not "\in"
  Formula value = formula_of("defaultInitValue");
  Place at;
};

struct Macro {
  std::string name;
  std::vector<std::string> parameters;
  Block body;
};

enum class Fairness : std::uint8_t { unfair, weak, strong };

/// What a procedure and a process have in common.
struct Routine {
  std::string name;
  Place at;
  std::vector<std::string> minus_labels, plus_labels, calls;
  std::vector<Declaration> variables;
  Block body;
  std::vector<Step> steps;  ///< of the body, once labels are in place
};

struct Procedure : Routine {
  std::vector<Declaration> parameters;
};

struct Process : Routine {
  Fairness fairness = Fairness::unfair;
  bool is_equal = true;  ///< "= id", not "\in set"
  Formula id;
};

struct Algorithm {
  std::string name;
  bool is_fair = false;  ///< --fair algorithm
  bool has_processes = false;
  std::vector<Declaration> variables;
  Formula definitions;
  std::vector<Macro> macros;
  std::vector<Procedure> procedures;
  std::vector<Process> processes;
  Routine main;  ///< without processes

  bool has_labels = false;          ///< somebody wrote one
  std::vector<std::string> labels;  ///< that were written
  bool has_default_values = false;  ///< a variable without an initial value
  bool has_goto = false;
  bool has_goto_done = false;
  bool has_label_fairness = false;  ///< l:+ or l:-
};

}  // namespace dissensus::tla::pluscal
