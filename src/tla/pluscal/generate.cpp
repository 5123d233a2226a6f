#include "tla/pluscal/generate.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "tla/pluscal/flatten.h"
#include "tla/pluscal/parse.h"
#include "tla/pluscal/writer.h"

namespace dissensus::tla::pluscal {

namespace {

/// How often each variable was assigned so far in a step.
using Assigned = std::vector<std::size_t>;

enum class Reach : std::uint8_t { algorithm, procedure, process_set };

struct Variable {
  std::string name;
  Reach reach;
};

constexpr std::size_t kShortName = 5;

/// "x, y" cut into lines of a width.
std::vector<std::string> wrapped(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> rows;
  std::string row;
  bool is_first = true;
  for (const std::string& name : names) {
    if (!is_first) row += ", ";
    is_first = false;
    if (row.size() + name.size() > width) {
      if (!row.empty()) rows.push_back(row);
      row = name;
    } else {
      row += name;
    }
  }
  if (!row.empty()) rows.push_back(row);
  return rows;
}

/// The value of a variable goes into parentheses where its first line has an operator outside of
/// all brackets that may bind less than '='.
bool needs_parentheses(const Formula& formula) {
  if (formula.empty()) return false;
  const std::string line = formula.lines().front();
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char next = i + 1 < line.size() ? line[i + 1] : ' ';
    if (in_text) {
      if (line[i] == '\\') ++i;
      if (line[i] == '"') in_text = false;
      continue;
    }
    bool is_operator = false;
    switch (line[i]) {
      case '"':
        in_text = true;
        break;
      case '=':
      case '#':
        is_operator = true;
        break;
      case '<':
      case '>':
        if (next != line[i]) {
          is_operator = true;
          break;
        }
        ++i;
        if (next == '>') {
          if (depth == 0) return true;
          --depth;
        } else {
          ++depth;
        }
        break;
      case '|':
        is_operator = next == '-' || (i > 0 && line[i - 1] == '-');
        break;
      case '\\':
        is_operator = next != ' ' && next != 'o' && next != 'X';
        break;
      case '/':
        is_operator = next == '\\';
        break;
      case '(':
      case '[':
      case '{':
        ++depth;
        break;
      case ')':
      case ']':
      case '}':
        if (depth == 0) return true;
        --depth;
        break;
      default:
        break;
    }
    if (is_operator && depth == 0) return true;
  }
  return in_text;
}

class Generator {
 public:
  Generator(const Algorithm& algorithm, const Shape& shape, const GenerateOptions& options)
      : algorithm_(algorithm), shape_(shape), options_(options) {}

  std::vector<GeneratedLine> run(const std::vector<std::string>& comments) {
    for (const std::string& comment : comments) out_.line(comment);
    declarations();
    if (algorithm_.has_processes) process_set();
    initial();
    for (const Procedure& one : algorithm_.procedures) procedure(one);
    for (const Process& one : algorithm_.processes) process(one);
    if (!algorithm_.has_processes) main();
    next();
    specification();
    termination();
    return std::move(out_.lines);
  }

 private:
  bool many() const { return algorithm_.has_processes; }
  std::size_t width() const { return options_.line_width; }

  // ---- variables

  void declarations() {
    std::vector<Variable> global, local;
    if (shape_.needs_pc) global.push_back({"pc", Reach::algorithm});
    for (const Declaration& one : algorithm_.variables) {
      global.push_back({one.name, Reach::algorithm});
    }
    if (!algorithm_.procedures.empty()) global.push_back({"stack", Reach::algorithm});
    for (const Procedure& procedure : algorithm_.procedures) {
      for (const auto* list : {&procedure.parameters, &procedure.variables}) {
        for (const Declaration& one : *list) local.push_back({one.name, Reach::procedure});
      }
    }
    for (const Process& process : algorithm_.processes) {
      for (const Declaration& one : process.variables) {
        local.push_back({one.name, process.is_equal ? Reach::algorithm : Reach::process_set});
      }
    }
    if (algorithm_.has_default_values) out_.line("CONSTANT defaultInitValue");
    variables_ = global;
    variables_.insert(variables_.end(), local.begin(), local.end());
    if (algorithm_.definitions.empty()) {
      declare(variables_);
    } else {
      declare(global);
      out_.line("");
      out_.line("(* define statement *)");
      for (const std::string& line : algorithm_.definitions.lines())
        out_.lines.push_back({line, {}});
      out_.line("");
      declare(local);
    }
    out_.line("");
    if (variables_.empty()) {
      throw AlgorithmError(algorithm_.main.at, "the algorithm has no variables");
    }
    constexpr std::string_view kBegin = "vars == << ";
    out_.put(kBegin);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (i > 0) out_.put(", ");
      if (out_.column() + variables_[i].name.size() + 1 > width()) {
        out_.end_line();
        out_.put(spaces(kBegin.size()));
      }
      out_.put(variables_[i].name);
    }
    if (out_.column() + 4 > width()) {
      out_.end_line();
      out_.put(spaces(std::string_view("vars ==").size()));
    }
    out_.put(" >>");
    out_.end_line();
    out_.line("");
  }

  void declare(const std::vector<Variable>& list) {
    if (list.empty()) return;
    const std::string_view begin = list.size() > 1 ? "VARIABLES " : "VARIABLE ";
    out_.put(begin);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_.put(", ");
      if (out_.column() + list[i].name.size() + 1 > width()) {
        out_.end_line();
        out_.put(spaces(begin.size()));
      }
      out_.put(list[i].name);
    }
    out_.end_line();
  }

  void process_set() {
    out_.put("ProcSet == ");
    for (std::size_t i = 0; i < algorithm_.processes.size(); ++i) {
      const Process& one = algorithm_.processes[i];
      if (i > 0) out_.put(" \\cup ");
      out_.put(one.is_equal ? "{" : "(");
      out_.put(one.id);
      out_.put(one.is_equal ? "}" : ")");
    }
    out_.end_line();
    out_.line("");
  }

  // ---- Init

  void initial() {
    std::string begin = "Init == ";
    const std::string indent = spaces(begin.size());
    // The first line of Init has its name before it.
    const auto start = [&]() -> std::string { return std::exchange(begin, indent); };
    if (!algorithm_.variables.empty()) {
      out_.line(start() + "(* Global variables *)");
      for (const Declaration& one : algorithm_.variables) initial_value(start(), one);
    }
    for (const Procedure& procedure : algorithm_.procedures) {
      if (procedure.parameters.empty() && procedure.variables.empty()) continue;
      out_.line(fmt::format("{}(* Procedure {} *)", start(), procedure.name));
      for (const auto* list : {&procedure.parameters, &procedure.variables}) {
        for (const Declaration& one : *list) procedure_value(start(), one);
      }
    }
    for (const Process& process : algorithm_.processes) {
      if (process.variables.empty()) continue;
      out_.line(fmt::format("{}(* Process {} *)", start(), process.name));
      for (const Declaration& one : process.variables) process_value(start(), process, one);
    }
    if (!algorithm_.procedures.empty()) {
      out_.line(start() +
                (many() ? "/\\ stack = [self \\in ProcSet |-> << >>]" : "/\\ stack = << >>"));
    }
    if (shape_.needs_pc) initial_pc(start());
    out_.from = {};
    out_.line("");
  }

  void initial_value(const std::string& begin, const Declaration& one) {
    out_.from = one.at;
    out_.put(fmt::format("{}/\\ {}{}", begin, one.name, one.is_equal ? " = " : " \\in "));
    const bool parenthesize = needs_parentheses(one.value);
    if (parenthesize) out_.put("(");
    out_.put(one.value);
    if (parenthesize) out_.put(")");
    out_.end_line();
  }

  void procedure_value(const std::string& begin, const Declaration& one) {
    if (!many()) return initial_value(begin, one);
    out_.from = one.at;
    out_.put(fmt::format("{}/\\ {} = [ self \\in ProcSet |-> ", begin, one.name));
    out_.put(subscripted(one.value, formula_of("self"), nullptr));
    out_.put("]");
    out_.end_line();
  }

  void process_value(const std::string& begin, const Process& process, const Declaration& one) {
    out_.from = one.at;
    out_.put(fmt::format("{}/\\ ", begin));
    if (process.is_equal) {
      out_.put(fmt::format("{}{}", one.name, one.is_equal ? " = " : " \\in "));
      out_.put(one.value);
    } else if (one.is_equal) {
      out_.put(fmt::format("{} = [self \\in ", one.name));
      out_.put(process.id);
      out_.put(" |-> ");
      out_.put(subscripted(one.value, formula_of("self"), nullptr));
      out_.put("]");
    } else {
      out_.put(fmt::format("{} \\in [", one.name));
      out_.put(process.id);
      out_.put(" -> ");
      out_.put(any_process(process, one.value));
      out_.put("]");
    }
    out_.end_line();
  }

  /// Names of variables of the process with [CHOOSE self \in id : TRUE] behind.
  Formula any_process(const Process& process, const Formula& value) const {
    const auto piece = [](std::string text, std::uint32_t column, TokenType type) {
      Token token;
      token.type = type;
      token.text = std::move(text);
      token.column = column;
      return token;
    };
    const Formula begin({piece("[", 0, TokenType::symbol), piece("CHOOSE", 1, TokenType::symbol),
                         piece("self", 8, TokenType::name), piece("\\in ", 13, TokenType::symbol)});
    const Formula end({piece(" :", 0, TokenType::symbol), piece(" TRUE", 2, TokenType::symbol),
                       piece("]", 7, TokenType::symbol)});
    return subscripted_with(value, begin.followed_by(process.id).followed_by(end), nullptr);
  }

  void initial_pc(const std::string& begin) {
    out_.from = {};
    if (!many()) {
      out_.line(fmt::format("{}/\\ pc = \"{}\"", begin, first_label(algorithm_.main)));
      return;
    }
    const bool is_one = algorithm_.processes.size() == 1;
    out_.put(fmt::format("{}/\\ pc = [self \\in ProcSet |-> {}", begin, is_one ? "" : "CASE "));
    const std::size_t column = out_.column() - 3;
    for (std::size_t i = 0; i < algorithm_.processes.size(); ++i) {
      const Process& one = algorithm_.processes[i];
      if (i > 0) out_.put(spaces(column) + "[] ");
      if (!is_one) {
        out_.put(one.is_equal ? "self = " : "self \\in ");
        out_.put(one.id);
        out_.put(" -> ");
      }
      out_.put(fmt::format("\"{}\"", first_label(one)));
      if (i + 1 == algorithm_.processes.size()) out_.put("]");
      out_.end_line();
    }
  }

  static std::string first_label(const Routine& routine) {
    return routine.steps.empty() ? "null" : routine.steps.front().label;
  }

  // ---- steps

  void procedure(const Procedure& one) {
    self_ = many() ? formula_of("self") : Formula{};
    has_parameter_ = many();
    routine(one, "Error");
  }

  void process(const Process& one) {
    self_ = one.is_equal ? one.id : formula_of("self");
    has_parameter_ = !one.is_equal;
    action_name_ = one.name;
    routine(one, "Done");
  }

  void main() {
    self_ = {};
    has_parameter_ = false;
    action_name_ = "Next";
    for (const Step& step : flatten(algorithm_.main.steps, algorithm_, shape_.needs_pc, "Done")) {
      main_labels_.push_back(step.label);
      generate_step(step);
    }
  }

  void routine(const Routine& one, const std::string& after_last) {
    const std::vector<Step> steps = flatten(one.steps, algorithm_, shape_.needs_pc, after_last);
    for (const Step& step : steps) generate_step(step);
    if (!shape_.needs_pc) return;
    out_.from = one.at;
    const std::string parameter = has_parameter_ ? "(self)" : "";
    out_.put(fmt::format("{}{} == ", one.name, parameter));
    const std::string indent = spaces(out_.column() + 2);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string disjunct = steps[i].label + parameter;
      if (i > 0 && out_.column() + 7 + disjunct.size() > width()) out_.end_line();
      if (i > 0) out_.put((out_.column() == 0 ? indent : "") + " \\/ ");
      out_.put(disjunct);
    }
    out_.end_line();
    out_.from = {};
    out_.line("");
  }

  void generate_step(const Step& step) {
    out_.from = step.at;
    std::string begin = fmt::format("{}{} == ", shape_.needs_pc ? step.label : action_name_,
                                    has_parameter_ ? "(self)" : "");
    const std::size_t column = begin.size();
    begin += "/\\ ";
    const std::size_t first_line = out_.lines.size();
    Assigned assigned(variables_.size(), 0);
    for (const auto& statement : *step.statements) {
      generate_statement(*statement, assigned, begin, column + 3);
      begin = spaces(column) + "/\\ ";
    }
    out_.from = step.at;
    const std::vector<std::string> unchanged =
        names_where([&](std::size_t i) { return assigned[i] == 0; });
    if (unchanged.empty()) {
      if (step.statements->size() == 1) unbullet(first_line, column);
    } else {
      const std::string bullet = spaces(column) + "/\\ ";
      put_unchanged(bullet, unchanged,
                    width() - column - std::string_view("/\\ UNCHANGED << ").size());
    }
    out_.end_line();
    out_.from = {};
    out_.line("");
  }

  /// A conjunction of one is none.
  void unbullet(std::size_t first_line, std::size_t column) {
    constexpr std::size_t kBullet = 3;
    for (std::size_t i = first_line; i < out_.lines.size(); ++i) {
      std::string& line = out_.lines[i].text;
      if (i == first_line) {
        line.erase(column, kBullet);
      } else if (line.size() > kBullet) {
        line.erase(0, kBullet);
      }
    }
  }

  std::vector<std::string> names_where(const std::function<bool(std::size_t)>& holds) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (holds(i)) names.push_back(variables_[i].name);
    }
    return names;
  }

  void put_unchanged(const std::string& bullet, const std::vector<std::string>& names,
                     std::size_t row_width) {
    if (names.size() == 1) {
      out_.line(bullet + one_unchanged(names.front()));
      return;
    }
    std::string line = bullet + "UNCHANGED << ";
    const std::string indent = spaces(line.size());
    const std::vector<std::string> rows = wrapped(names, row_width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out_.line((i == 0 ? line : indent) + rows[i] + (i + 1 == rows.size() ? " >>" : ""));
    }
  }

  static std::string one_unchanged(const std::string& name) {
    return name.size() > kShortName ? "UNCHANGED " + name : fmt::format("{0}' = {0}", name);
  }

  void generate_statement(Statement& statement, Assigned& assigned, const std::string& begin,
                          std::size_t column) {
    if (statement.at.line != 0) out_.from = statement.at;
    switch (statement.type) {
      case StatementType::assign:
        return generate_assignment(statement, assigned, begin);
      case StatementType::if_else:
        return generate_if(statement, assigned, begin);
      case StatementType::either:
        return generate_either(statement, assigned, begin);
      case StatementType::with:
        return generate_with(statement, assigned, begin, column);
      case StatementType::check:
        return generate_check(statement, assigned, begin);
      case StatementType::print:
        out_.put(begin + "PrintT(");
        out_.put(in_step(statement.formula, assigned));
        out_.put(")");
        break;
      case StatementType::skip:
        out_.put(begin + "TRUE");
        break;
      case StatementType::when:
        out_.put(begin);
        out_.put(in_step(statement.formula, assigned));
        break;
      default:
        throw AlgorithmError(statement.at, "a statement that should begin a step of its own");
    }
    out_.end_line();
  }

  void generate_assignment(Statement& statement, Assigned& assigned, const std::string& begin) {
    Assigned after = assigned;
    std::vector<Assignment>& list = statement.assignments;
    std::stable_sort(list.begin(), list.end(), [](const Assignment& a, const Assignment& b) {
      return a.variable < b.variable;
    });
    out_.put(begin);
    bool has_several = false;
    for (std::size_t first = 0; first < list.size();) {
      const std::string& name = list[first].variable;
      const auto variable = std::find_if(variables_.begin(), variables_.end(),
                                         [&](const Variable& one) { return one.name == name; });
      if (variable == variables_.end()) {
        throw AlgorithmError(list[first].at, fmt::format("{} is no variable", name));
      }
      std::size_t end = first;
      bool is_whole = false;
      for (; end < list.size() && list[end].variable == name; ++end) {
        is_whole = is_whole || list[end].subscript.empty();
      }
      has_several = has_several || end < list.size();
      std::size_t& times = after[static_cast<std::size_t>(variable - variables_.begin())];
      if (++times > 1 || (end - first > 1 && is_whole)) {
        throw AlgorithmError(statement.at, fmt::format("{} is assigned twice in one step", name));
      }
      if (has_several) out_.put("/\\ ");
      put_assignments(list, first, end, *variable, assigned);
      first = end;
      if (first < list.size()) {
        out_.end_line();
        out_.put(spaces(begin.size()));
      }
    }
    out_.end_line();
    assigned = std::move(after);
  }

  void put_assignments(const std::vector<Assignment>& list, std::size_t first, std::size_t end,
                       const Variable& variable, const Assigned& assigned) {
    const std::string& name = variable.name;
    const bool is_single = end - first == 1;
    const bool is_of_process = many() && (variable.reach != Reach::algorithm ||
                                          (is_single && (name == "pc" || name == "stack")));
    if (is_single && !is_of_process && list[first].subscript.empty()) {
      const Formula value = in_step(list[first].value, assigned);
      const bool parenthesize = needs_parentheses(value);
      out_.put(name + "' = " + (parenthesize ? "(" : ""));
      out_.put(value);
      if (parenthesize) out_.put(")");
      return;
    }
    out_.put(fmt::format("{0}' = [{0} EXCEPT ", name));
    const std::size_t column = out_.column();
    for (std::size_t i = first; i < end; ++i) {
      out_.put("!");
      if (is_of_process) {
        out_.put("[");
        out_.put(self_);
        out_.put("]");
      }
      out_.put(in_step(list[i].subscript, assigned));
      out_.put(" = ");
      out_.put(in_step(list[i].value, assigned));
      out_.put(i + 1 == end ? "]" : ",");
      if (i + 1 < end) {
        out_.end_line();
        out_.put(spaces(column));
      }
    }
  }

  void generate_if(Statement& statement, Assigned& assigned, const std::string& begin) {
    const Place from = out_.from;
    out_.put(begin + "IF ");
    const std::size_t column = begin.size() + 3;
    out_.put(in_step(statement.formula, assigned));
    out_.end_line();
    std::string bullet = spaces(column) + "THEN /\\ ";
    const std::size_t inside = bullet.size();
    const std::string next_bullet = spaces(inside - 3) + "/\\ ";
    Assigned then_assigned = assigned, else_assigned = assigned;
    for (const auto& inner : *statement.branches[0].plain) {
      generate_statement(*inner, then_assigned, bullet, inside);
      bullet = next_bullet;
    }
    const std::string then_bullet = bullet;
    const std::size_t then_end = out_.lines.size();
    bullet = spaces(column) + "ELSE /\\ ";
    if (statement.branches[1].plain->empty()) {
      out_.from = from;
      out_.line(bullet + "TRUE");
      bullet = next_bullet;
    }
    for (const auto& inner : *statement.branches[1].plain) {
      generate_statement(*inner, else_assigned, bullet, inside);
      bullet = next_bullet;
    }
    out_.from = from;
    put_unchanged_beside(bullet, else_assigned, then_assigned);
    // The other branch's line, now that it is known what this one assigns.
    std::vector<GeneratedLine> behind(out_.lines.begin() + static_cast<std::ptrdiff_t>(then_end),
                                      out_.lines.end());
    out_.lines.resize(then_end);
    put_unchanged_beside(then_bullet, then_assigned, else_assigned);
    out_.lines.insert(out_.lines.end(), behind.begin(), behind.end());
    merge(assigned, then_assigned);
    merge(assigned, else_assigned);
  }

  static void merge(Assigned& to, const Assigned& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
  }

  /// What another branch assigns and this one does not.
  std::vector<std::string> unchanged_beside(const Assigned& mine, const Assigned& other) const {
    return names_where([&](std::size_t i) { return mine[i] == 0 && other[i] > 0; });
  }

  void put_unchanged_beside(const std::string& bullet, const Assigned& mine,
                            const Assigned& other) {
    const std::vector<std::string> names = unchanged_beside(mine, other);
    const std::size_t taken = bullet.size() + std::string_view("UNCHANGED << ").size();
    if (!names.empty()) put_unchanged(bullet, names, width() > taken ? width() - taken : 1);
  }

  void generate_either(Statement& statement, Assigned& assigned, const std::string& begin) {
    const Place from = out_.from;
    const std::size_t inside = begin.size() + 3;
    std::vector<Assigned> after;
    std::vector<std::size_t> ends;
    Assigned all = assigned;
    for (std::size_t i = 0; i < statement.branches.size(); ++i) {
      std::string bullet = (i == 0 ? begin : spaces(begin.size())) + "\\/ /\\ ";
      Assigned mine = assigned;
      for (const auto& inner : *statement.branches[i].plain) {
        generate_statement(*inner, mine, bullet, inside + 3);
        bullet = spaces(inside) + "/\\ ";
      }
      merge(all, mine);
      after.push_back(std::move(mine));
      ends.push_back(out_.lines.size());
    }
    for (std::size_t i = statement.branches.size(); i-- > 0;) {
      const std::vector<std::string> names = unchanged_beside(after[i], all);
      if (names.empty()) continue;
      const std::string text = names.size() == 1
                                   ? one_unchanged(names.front())
                                   : fmt::format("UNCHANGED <<{}>>", fmt::join(names, ", "));
      out_.lines.insert(out_.lines.begin() + static_cast<std::ptrdiff_t>(ends[i]),
                        {spaces(inside) + "/\\ " + text, from});
    }
    merge(assigned, all);
  }

  void generate_with(Statement& statement, Assigned& assigned, const std::string& begin,
                     std::size_t column) {
    out_.put(fmt::format("{}{} {} {} ", begin, statement.is_equal ? "LET" : "\\E", statement.name,
                         statement.is_equal ? "==" : "\\in"));
    out_.put(in_step(statement.formula, assigned));
    out_.put(statement.is_equal ? " IN" : ":");
    out_.end_line();
    const Block& body = *statement.branches.front().plain;
    std::string bullet = spaces(column + 2) + (body.size() > 1 ? "/\\ " : "");
    for (const auto& inner : body) {
      generate_statement(*inner, assigned, bullet, bullet.size());
      bullet = spaces(column + 2) + "/\\ ";
    }
  }

  void generate_check(const Statement& statement, Assigned& assigned, const std::string& begin) {
    const std::string call = begin + "Assert(";
    out_.put(call);
    out_.put(in_step(statement.formula, assigned));
    std::string place = fmt::format("line {}, column {}", statement.at.line, statement.at.column);
    if (statement.macro_call) {
      place += fmt::format(" of macro called at line {}, column {}", statement.macro_call->line,
                           statement.macro_call->column);
    }
    const std::string message = fmt::format("\"Failure of assertion at {}.\")", place);
    out_.put(", ");
    if (out_.column() + message.size() >= width()) {
      out_.end_line();
      out_.put(spaces(call.size()));
    }
    out_.put(message);
    out_.end_line();
  }

  // ---- names in expressions

  /// Primes on variables that the step has assigned, and the process's element of its variables.
  Formula in_step(const Formula& formula, const Assigned& assigned) const {
    return subscripted(formula, self_, &assigned);
  }

  Formula subscripted(const Formula& formula, const Formula& self, const Assigned* assigned) const {
    Formula behind;
    if (many()) {
      behind = formula_of("[", TokenType::symbol)
                   .followed_by(self)
                   .followed_by(formula_of("]", TokenType::symbol));
    }
    return subscripted_with(formula, behind, assigned);
  }

  Formula subscripted_with(const Formula& formula, const Formula& behind,
                           const Assigned* assigned) const {
    Replacements replacements;
    std::vector<std::string> seen;
    for (const Token& token : formula.tokens()) {
      const bool is_name = token.type == TokenType::name;
      if (!is_name && token.type != TokenType::added) continue;
      if (std::find(seen.begin(), seen.end(), token.text) != seen.end()) continue;
      const auto variable =
          std::find_if(variables_.begin(), variables_.end(),
                       [&](const Variable& one) { return one.name == token.text; });
      if (variable == variables_.end()) continue;
      const bool is_changed =
          is_name && assigned != nullptr &&
          (*assigned)[static_cast<std::size_t>(variable - variables_.begin())] > 0;
      const bool is_of_process =
          !behind.empty() && (!is_name || (many() && variable->reach != Reach::algorithm));
      if (!is_changed && !is_of_process) continue;
      seen.push_back(token.text);
      Formula with = formula_of(token.text);
      if (is_changed) with = with.followed_by(formula_of("'", TokenType::symbol));
      if (is_of_process) with = with.followed_by(behind);
      replacements.emplace_back(token.text, std::move(with));
    }
    return replacements.empty() ? formula : formula.replaced(replacements, false);
  }

  // ---- Next and Spec

  bool has_terminating() const { return options_.stutters_when_done && shape_.can_end; }

  void next() {
    if (!shape_.needs_pc && !many()) return;
    if (has_terminating()) {
      out_.line("(* Allow infinite stuttering to prevent deadlock on termination. *)");
      if (many()) {
        out_.line("Terminating == /\\ \\A self \\in ProcSet: pc[self] = \"Done\"");
        out_.line("               /\\ UNCHANGED vars");
      } else {
        out_.line("Terminating == pc = \"Done\" /\\ UNCHANGED vars");
      }
      out_.line("");
    }
    std::string begin = "Next == ";
    const std::size_t column = begin.size() + 2;
    const std::string again = spaces(column) + " \\/ ";
    std::vector<std::string> plain;
    for (const Procedure& one : algorithm_.procedures) {
      if (!many()) plain.push_back(one.name);
    }
    for (const Process& one : algorithm_.processes) {
      if (one.is_equal) plain.push_back(one.name);
    }
    plain.insert(plain.end(), main_labels_.begin(), main_labels_.end());
    bool is_first = true;
    for (const std::string& row : disjuncts(plain, width() - 11)) {
      out_.line(std::exchange(begin, again) + row);
      is_first = false;
    }
    if (many() && !algorithm_.procedures.empty()) {
      std::vector<std::string> calls;
      for (const Procedure& one : algorithm_.procedures) calls.push_back(one.name + "(self)");
      std::vector<std::string> rows = disjuncts(calls, width() - 36);
      rows.back() += ")";
      std::string line = std::exchange(begin, again) + "(\\E self \\in ProcSet: ";
      const std::string indent = spaces(line.size());
      if (rows.size() > 1) line += " \\/ ";
      for (const std::string& row : rows) {
        out_.line(line + row);
        line = indent + " \\/ ";
      }
      is_first = false;
    }
    for (const Process& one : algorithm_.processes) {
      if (one.is_equal) continue;
      out_.from = one.at;
      constexpr std::string_view kSome = "(\\E self \\in ";
      const std::vector<std::string> set = one.id.lines();
      for (std::size_t i = 0; i < set.size(); ++i) {
        std::string line = i == 0
                               ? std::exchange(begin, again) + std::string(kSome)
                               : spaces(is_first ? column - 2 : column + 4) + spaces(kSome.size());
        line += set[i];
        if (i + 1 == set.size()) line += fmt::format(": {}(self))", one.name);
        out_.line(line);
      }
      is_first = false;
    }
    out_.from = {};
    if (has_terminating()) out_.line(begin + "Terminating");
    out_.line("");
  }

  static std::vector<std::string> disjuncts(const std::vector<std::string>& names,
                                            std::size_t row_width) {
    std::vector<std::string> rows;
    std::string row;
    for (const std::string& name : names) {
      if (name.size() + 4 + row.size() > row_width && !row.empty()) {
        rows.push_back(row);
        row.clear();
      }
      if (!row.empty()) row += " \\/ ";
      row += name;
    }
    if (!row.empty()) rows.push_back(row);
    return rows;
  }

  void specification() {
    std::vector<std::string> conjuncts;
    const bool is_fair =
        options_.fairness == SpecFairness::weak || options_.fairness == SpecFairness::strong;
    if (options_.fairness != SpecFairness::none) {
      if (options_.fairness == SpecFairness::weak_next || algorithm_.is_fair ||
          (!many() && is_fair)) {
        conjuncts.push_back("WF_vars(Next)");
      }
      for (const Process& one : algorithm_.processes) {
        if (one.fairness != Fairness::unfair) conjuncts.push_back(fairness_of(one));
      }
    }
    if (conjuncts.empty()) {
      out_.line("Spec == Init /\\ [][Next]_vars");
    } else {
      out_.line("Spec == /\\ Init /\\ [][Next]_vars");
      for (const std::string& conjunct : conjuncts) {
        std::string_view rest = conjunct;
        std::string line = "        /\\ ";
        for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
          out_.line(line + std::string(rest.substr(0, end)));
          rest.remove_prefix(end + 1);
          line.clear();
        }
        out_.line(line + std::string(rest));
      }
    }
    out_.line("");
  }

  /// WF_vars((pc[self] # "l") /\ p(self)) and SF of the labels with '+'.
  struct StepFairness {
    std::string weak, strong;
    std::string one_line() const { return strong.empty() ? weak : weak + " /\\ " + strong; }
    std::string lines(std::size_t column) const {
      return "/\\ " + weak + (strong.empty() ? "" : "\n" + spaces(column) + "/\\ " + strong);
    }
  };

  static StepFairness step_fairness(const Routine& routine, bool is_strong, const std::string& self,
                                    const std::string& parameter) {
    const std::string_view kind = is_strong ? "SF" : "WF";
    StepFairness result;
    result.weak = fmt::format("{}_vars(", kind);
    if (routine.minus_labels.size() == 1) {
      result.weak += fmt::format("(pc[{}] # \"{}\") /\\ ", self, routine.minus_labels.front());
    } else if (!routine.minus_labels.empty()) {
      result.weak += fmt::format("(pc[{}] \\notin {{\"{}\"}}) /\\ ", self,
                                 fmt::join(routine.minus_labels, "\", \""));
    }
    result.weak += routine.name + parameter + ")";
    if (is_strong) return result;
    for (const std::string& label : routine.plus_labels) {
      if (!result.strong.empty()) result.strong += " /\\ ";
      result.strong += fmt::format("SF_vars({}{})", label, parameter);
    }
    return result;
  }

  std::string fairness_of(const Process& one) const {
    constexpr std::size_t kColumn = 11;  // behind "Spec == /\ "
    const std::vector<std::string> id = one.id.lines();
    const bool names_self = one.is_equal && id.size() > 1;
    const std::string self = one.is_equal && !names_self ? id.front() : "self";
    const bool is_strong = one.fairness == Fairness::strong;
    const StepFairness body = step_fairness(one, is_strong, self, one.is_equal ? "" : "(self)");
    std::vector<StepFairness> calls;
    for (const std::string& name : one.calls) {
      const auto called = std::find_if(algorithm_.procedures.begin(), algorithm_.procedures.end(),
                                       [&](const Procedure& other) { return other.name == name; });
      calls.push_back(step_fairness(*called, is_strong, self, "(" + self + ")"));
    }
    std::string prefix;
    std::size_t last_row = 0, longest_row = 0;
    if (names_self || !one.is_equal) {
      const std::string begin = one.is_equal ? "LET self == " : "\\A self \\in ";
      for (std::size_t i = 0; i < id.size(); ++i) {
        std::string row = (i == 0 ? begin : spaces(begin.size())) + id[i];
        if (i + 1 == id.size() && !one.is_equal) row += " : ";
        if (i > 0) prefix += "\n" + spaces(kColumn);
        longest_row =
            i + 1 < id.size() || names_self ? std::max(longest_row, row.size()) : longest_row;
        last_row = row.size();
        prefix += row;
      }
      if (names_self) {
        prefix += "\n" + spaces(kColumn) + "IN ";
        last_row = 3;
      }
    }
    std::size_t size = longest_row == 0 ? 0 : last_row;
    size += body.weak.size() + body.strong.size();
    for (const StepFairness& call : calls) size += call.one_line().size();
    size = std::max(size, longest_row);
    std::string text = prefix;
    if (kColumn + size <= width() || (body.strong.empty() && calls.empty())) {
      text += body.one_line();
      for (const StepFairness& call : calls) text += " /\\ " + call.one_line();
      return text;
    }
    const std::size_t column = kColumn + last_row;
    const auto fits = [&](const StepFairness& part) {
      return column + part.one_line().size() + 3 <= width();
    };
    text += fits(body) ? "/\\ " + body.one_line() : body.lines(column);
    for (const StepFairness& call : calls) {
      text += "\n" + spaces(column);
      text += fits(call) ? "/\\ " + call.one_line() : call.lines(column);
    }
    return text;
  }

  void termination() {
    if (!shape_.needs_pc || !shape_.can_end) return;
    out_.line(fmt::format("Termination == <>({} = \"Done\")",
                          many() ? "\\A self \\in ProcSet: pc[self]" : "pc"));
    out_.line("");
  }

  const Algorithm& algorithm_;
  const Shape& shape_;
  const GenerateOptions& options_;
  Writer out_;
  std::vector<Variable> variables_;
  std::vector<std::string> main_labels_;
  Formula self_;                ///< whose steps are being written
  bool has_parameter_ = false;  ///< they are steps of self
  std::string action_name_;     ///< of a step without pc
};

}  // namespace

void Writer::put(const Formula& formula) {
  const std::vector<std::string> rows = formula.lines();
  const std::string indent = spaces(open_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) {
      lines.push_back({std::exchange(open_, indent), from});
    }
    open_ += rows[i];
  }
}

void Writer::end_line() {
  if (!open_.empty()) lines.push_back({std::exchange(open_, {}), from});
}

void Writer::line(std::string_view text) {
  end_line();
  lines.push_back({std::string(text), from});
}

std::vector<GeneratedLine> generate(const Algorithm& algorithm, const Shape& shape,
                                    const std::vector<std::string>& comments,
                                    const GenerateOptions& options) {
  return Generator(algorithm, shape, options).run(comments);
}

}  // namespace dissensus::tla::pluscal
