#include "tla/pluscal/labels.h"

#include <algorithm>

#include "tla/pluscal/parse.h"

namespace dissensus::tla::pluscal {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool overlap(const Names& a, const Names& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& name) { return contains(b, name); });
}

void join(Names& names, const Names& more) {
  for (const std::string& name : more) {
    if (!contains(names, name)) names.push_back(name);
  }
}

/// The rules of the PlusCal manual, section 3.7: a step assigns a variable once at most; what
/// follows a call, return, goto or a statement with a label inside begins a step, and so does
/// while.
class LabelRules {
 public:
  LabelRules(const Algorithm& algorithm, const std::string& root)
      : algorithm_(algorithm), root_(root) {}

  void body(const Block& block, const std::string& procedure) {
    procedure_ = procedure;
    Names assigned;
    visit(block, true, false, assigned);
  }

  std::vector<AddedLabel> take_added() { return std::move(added_); }

 private:
  /// `assigned`: what the step has assigned so far, before and after. True: what follows needs a
  /// label.
  bool visit(const Block& block, bool needs_label, bool in_with, Names& assigned) {
    const Names before = assigned;
    bool has_label = false;
    for (const auto& statement : block) {
      if (!statement->label.empty()) {
        if (in_with) throw AlgorithmError(statement->at, "a label inside of with");
        has_label = true;
        assigned.clear();
      }
      if (needs_label) {
        if (in_with) {
          throw AlgorithmError(statement->at,
                               "inside of with nothing may follow a call, return or goto");
        }
        label(*statement);
        has_label = true;
        assigned.clear();
      }
      needs_label = visit(*statement, in_with, before, assigned, has_label);
    }
    return has_label || needs_label;
  }

  bool visit(Statement& statement, bool in_with, const Names& before, Names& assigned,
             bool& has_label) {
    switch (statement.type) {
      case StatementType::if_else:
      case StatementType::either:
        return branches(statement, in_with, assigned);
      case StatementType::loop: {
        if (in_with) throw AlgorithmError(statement.at, "while inside of with");
        label(statement);
        has_label = true;
        assigned.clear();
        Names inside;
        visit(*statement.branches.front().plain, false, false, inside);
        return false;
      }
      case StatementType::with: {
        Names inside;
        if (in_with) inside = before;
        const bool needs_label = visit(*statement.branches.front().plain, false, true, inside);
        assigned = std::move(inside);
        if (!in_with && overlap(before, assigned)) {
          label(statement);
          has_label = true;
          assigned.clear();
        }
        return needs_label;
      }
      default: {
        const Names here = assigned_by(statement);
        if (overlap(assigned, here)) {
          if (in_with) {
            throw AlgorithmError(statement.at,
                                 "a variable is assigned a second time inside of with");
          }
          label(statement);
          has_label = true;
          assigned = here;
        } else {
          join(assigned, here);
        }
        return leaves(statement);
      }
    }
  }

  bool branches(Statement& statement, bool in_with, Names& assigned) {
    bool needs_label = false;
    Names after;
    for (Branch& branch : statement.branches) {
      Names inside = assigned;
      needs_label = visit(*branch.plain, false, in_with, inside) || needs_label;
      join(after, inside);
    }
    assigned = std::move(after);
    return needs_label;
  }

  static bool leaves(const Statement& statement) {
    switch (statement.type) {
      case StatementType::call:
      case StatementType::give_back:
      case StatementType::call_return:
      case StatementType::call_goto:
      case StatementType::jump:
        return true;
      default:
        return false;
    }
  }

  Names assigned_by(const Statement& statement) const {
    Names names;
    if (statement.type == StatementType::assign) {
      for (const Assignment& one : statement.assignments) join(names, {one.variable});
    } else if (leaves(statement) && statement.type != StatementType::jump) {
      names.push_back("stack");
      const bool is_return = statement.type == StatementType::give_back ||
                             statement.type == StatementType::call_return;
      if (is_return || statement.name == procedure_) {
        for (const Procedure& procedure : algorithm_.procedures) {
          for (const Declaration& one : procedure.parameters) names.push_back(one.name);
          for (const Declaration& one : procedure.variables) names.push_back(one.name);
        }
      }
    }
    return names;
  }

  void label(Statement& statement) {
    if (!statement.label.empty()) return;
    do {
      statement.label = root_ + std::to_string(next_++);
    } while (contains(algorithm_.labels, statement.label));
    added_.push_back({statement.label, statement.at});
  }

  const Algorithm& algorithm_;
  const std::string& root_;
  std::string procedure_;
  std::size_t next_ = 1;
  std::vector<AddedLabel> added_;
};

std::vector<Step> steps_of(const Block& block);

/// Moves what begins with a label out of the branches' plain statements.
void cut_branches(const Block& block) {
  for (const auto& statement : block) {
    if (statement->type == StatementType::with) continue;
    for (Branch& branch : statement->branches) {
      Block& plain = *branch.plain;
      const auto first = std::find_if(plain.begin(), plain.end(),
                                      [](const auto& inner) { return !inner->label.empty(); });
      branch.steps = steps_of(Block(first, plain.end()));
      plain.erase(first, plain.end());
      cut_branches(plain);
    }
  }
}

std::vector<Step> steps_of(const Block& block) {
  std::vector<Step> steps;
  for (const auto& statement : block) {
    if (steps.empty() || !statement->label.empty()) {
      steps.push_back(
          {statement->label, statement->at, statement->macro_call, std::make_shared<Block>()});
    }
    steps.back().statements->push_back(statement);
  }
  for (const Step& step : steps) cut_branches(*step.statements);
  return steps;
}

void mark_steps(const std::vector<Step>& steps, bool in_procedure);

/// Sets is_cut. True: the block has a label inside, and so has its end in another step.
bool mark(const Block& block, bool in_procedure) {
  bool is_cut = false;
  for (const auto& statement : block) {
    if ((statement->type == StatementType::give_back ||
         statement->type == StatementType::call_return) &&
        !in_procedure) {
      throw AlgorithmError(statement->at, "return outside of a procedure");
    }
    for (const Branch& branch : statement->branches) {
      const bool inside = mark(*branch.plain, in_procedure);
      mark_steps(branch.steps, in_procedure);
      statement->is_cut = statement->is_cut || inside || !branch.steps.empty();
    }
    if (statement->type == StatementType::loop) statement->is_cut = false;
    is_cut = is_cut || statement->is_cut;
  }
  return is_cut;
}

void mark_steps(const std::vector<Step>& steps, bool in_procedure) {
  for (const Step& step : steps) mark(*step.statements, in_procedure);
}

/// One step that is while (TRUE), and whether something in its body needs pc.
void look_at(const std::vector<Step>& steps, bool& needs_pc, bool& can_end) {
  if (steps.empty()) return;
  const Block& block = *steps.front().statements;
  const auto& tokens = block.front()->formula.tokens();
  const bool is_endless = steps.size() == 1 && block.size() == 1 &&
                          block.front()->type == StatementType::loop && tokens.size() == 1 &&
                          tokens.front().text == "TRUE";
  if (!is_endless) {
    needs_pc = can_end = true;
    return;
  }
  const Branch& body = block.front()->branches.front();
  needs_pc = needs_pc || !body.steps.empty() ||
             std::any_of(body.plain->begin(), body.plain->end(),
                         [](const auto& statement) { return statement->is_cut; });
}

}  // namespace

std::vector<AddedLabel> cut_into_steps(Algorithm& algorithm, const std::string& label_root) {
  LabelRules rules(algorithm, label_root);
  const auto cut = [&](Routine& routine, const std::string& procedure) {
    rules.body(routine.body, procedure);
    routine.steps = steps_of(routine.body);
    mark_steps(routine.steps, !procedure.empty());
  };
  for (Process& process : algorithm.processes) cut(process, "");
  for (Procedure& procedure : algorithm.procedures) cut(procedure, procedure.name);
  if (!algorithm.has_processes) cut(algorithm.main, "");
  return rules.take_added();
}

Shape shape_of(const Algorithm& algorithm) {
  Shape shape;
  shape.needs_pc =
      !algorithm.procedures.empty() || algorithm.has_goto || algorithm.has_label_fairness;
  if (algorithm.has_processes) {
    for (const Process& process : algorithm.processes) {
      bool can_end = false;
      look_at(process.steps, shape.needs_pc, can_end);
      shape.can_end = shape.can_end && can_end;
    }
    if (algorithm.has_goto_done) shape.needs_pc = shape.can_end = true;
  } else if (algorithm.has_goto_done) {
    shape.needs_pc = shape.can_end = true;
  } else {
    shape.can_end = false;
    look_at(algorithm.main.steps, shape.needs_pc, shape.can_end);
  }
  return shape;
}

}  // namespace dissensus::tla::pluscal
