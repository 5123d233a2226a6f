#include "tla/pluscal/flatten.h"

#include <algorithm>

namespace dissensus::tla::pluscal {

namespace {

using Tokens = std::vector<std::pair<TokenType, std::string>>;

std::shared_ptr<Statement> assign(Place at, std::string variable, Formula value) {
  auto result = std::make_shared<Statement>();
  result->type = StatementType::assign;
  result->at = at;
  Assignment one;
  one.variable = std::move(variable);
  one.value = std::move(value);
  one.at = at;
  result->assignments.push_back(std::move(one));
  return result;
}

/// "Head(stack).name" as tokens.
Tokens top_of_stack(const std::string& name) {
  return {{TokenType::name, "Head"}, {TokenType::symbol, "("}, {TokenType::added, "stack"},
          {TokenType::symbol, ")"},  {TokenType::symbol, "."}, {TokenType::name, name}};
}

/// << [ procedure |-> ..., pc |-> ..., variables ] >> \o stack, with its columns in order.
class Frame {
 public:
  void field(const std::string& name, const Tokens& value) {
    constexpr std::uint32_t kNameColumn = 6;
    constexpr std::uint32_t kArrowColumn = 16;
    if (line_ == 0) {
      put(TokenType::symbol, "<<", 1);
      put(TokenType::symbol, "[", 4);
    } else {
      put(TokenType::symbol, ",", column_);
    }
    ++line_;
    const std::uint32_t row = line_ - 1;
    put(TokenType::name, name, kNameColumn, row);
    put(TokenType::symbol, "|->", std::max(column_ + 1, kArrowColumn), row);
    column_ += 2;
    for (const auto& [type, text] : value) put(type, text, column_, row);
  }
  Formula on_top_of(const Tokens& stack) {
    put(TokenType::symbol, "]", column_ + 1, line_ - 1);
    put(TokenType::symbol, ">>", column_ + 1, line_ - 1);
    put(TokenType::symbol, "\\o", 2, line_);
    column_ += 1;
    for (const auto& [type, text] : stack) put(type, text, column_, line_);
    return Formula(std::move(tokens_));
  }

 private:
  void put(TokenType type, std::string text, std::uint32_t column, std::uint32_t line) {
    Token token;
    token.type = type;
    token.text = std::move(text);
    token.column = column;
    token.line = line;
    column_ = column + token.width();
    tokens_.push_back(std::move(token));
  }
  void put(TokenType type, std::string text, std::uint32_t column) {
    put(type, std::move(text), column, line_ == 0 ? 0 : line_ - 1);
  }

  std::vector<Token> tokens_;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
};

class Flattening {
 public:
  Flattening(const Algorithm& algorithm, bool needs_pc)
      : algorithm_(algorithm), needs_pc_(needs_pc) {}

  std::vector<Step> steps(const std::vector<Step>& list, const std::string& next) const {
    std::vector<Step> result;
    for (std::size_t i = 0; i < list.size(); ++i) {
      append(result, step(list[i], i + 1 < list.size() ? list[i + 1].label : next));
    }
    return result;
  }

 private:
  static void append(std::vector<Step>& to, std::vector<Step> more) {
    std::move(more.begin(), more.end(), std::back_inserter(to));
  }

  static std::shared_ptr<Statement> go_to(const std::string& label) {
    return assign({}, "pc", formula_of(label, TokenType::text));
  }

  static std::shared_ptr<Statement> at_label(const std::string& label) {
    auto result = std::make_shared<Statement>();
    result->type = StatementType::when;
    Token pc{TokenType::added, "pc", {}, 0, 0};
    Token equals{TokenType::symbol, "=", {}, 0, 3};
    Token text{TokenType::text, label, {}, 0, 5};
    result->formula = Formula({pc, equals, text});
    return result;
  }

  std::vector<Step> step(const Step& from, const std::string& next) const {
    if (from.statements->front()->type == StatementType::loop) return loop(from, next);
    Step flat = from;
    flat.statements = std::make_shared<Block>(*from.statements);
    std::vector<Step> more = finish(*flat.statements, next);
    if (!needs_pc_) return more;
    flat.statements->insert(flat.statements->begin(), at_label(from.label));
    append_first(more, std::move(flat));
    return more;
  }

  static void append_first(std::vector<Step>& steps, Step first) {
    steps.insert(steps.begin(), std::move(first));
  }

  static bool is_true(const Formula& formula) {
    const auto& tokens = formula.tokens();
    if (formula.line_count() != 1) return false;
    if (tokens.size() == 1) return tokens.front().is("TRUE");
    return tokens.size() == 3 && tokens[0].is("(") && tokens[1].is("TRUE") && tokens[2].is(")");
  }

  std::vector<Step> loop(const Step& from, const std::string& next) const {
    const Statement& statement = *from.statements->front();
    const Branch& body = statement.branches.front();
    Step flat = from;
    flat.statements = std::make_shared<Block>();
    if (needs_pc_) flat.statements->push_back(at_label(from.label));
    auto inside = std::make_shared<Block>(*body.plain);
    std::vector<Step> of_inside =
        finish(*inside, body.steps.empty() ? from.label : body.steps.front().label);
    auto behind = std::make_shared<Block>(from.statements->begin() + 1, from.statements->end());
    std::vector<Step> of_behind = finish(*behind, next);
    const bool is_endless = is_true(statement.formula);
    if (is_endless) {
      flat.statements->insert(flat.statements->end(), inside->begin(), inside->end());
    } else {
      auto choice = std::make_shared<Statement>();
      choice->type = StatementType::if_else;
      choice->at = statement.at;
      choice->formula = statement.formula;
      choice->branches.resize(2);
      choice->branches[0].plain = inside;
      choice->branches[1].plain = behind;
      flat.statements->push_back(std::move(choice));
    }
    std::vector<Step> result;
    result.push_back(std::move(flat));
    append(result, steps(body.steps, from.label));
    append(result, std::move(of_inside));
    if (!is_endless) append(result, std::move(of_behind));
    return result;
  }

  /// Flattens the last statement and lets pc go on.
  std::vector<Step> finish(Block& block, const std::string& next) const {
    bool goes_on = false;
    std::vector<Step> more = last(block, next, goes_on);
    if (goes_on) block.push_back(go_to(next));
    return more;
  }

  /// `goes_on`: pc is still to be set. Returns the steps that stood inside.
  std::vector<Step> last(Block& block, const std::string& next, bool& goes_on) const {
    goes_on = needs_pc_;
    if (block.empty()) return {};
    const std::shared_ptr<Statement> statement = block.back();
    switch (statement->type) {
      case StatementType::if_else:
      case StatementType::either:
        if (!statement->is_cut) return choice(*statement, next, goes_on);
        goes_on = false;
        block.pop_back();
        return cut(block, *statement, next);
      case StatementType::with:
        return last(*statement->branches.front().plain, next, goes_on);
      case StatementType::jump:
        block.back() = go_to(statement->name);
        break;
      case StatementType::call:
        block.pop_back();
        call(block, *statement, next);
        break;
      case StatementType::call_goto:
        block.pop_back();
        call(block, *statement, statement->target);
        break;
      case StatementType::call_return:
        block.pop_back();
        call_return(block, *statement);
        break;
      case StatementType::give_back:
        block.pop_back();
        give_back(block, *statement);
        break;
      default:
        return {};
    }
    goes_on = false;
    return {};
  }

  /// An if or either without labels: where one branch leaves, the others set pc themselves.
  std::vector<Step> choice(Statement& statement, const std::string& next, bool& goes_on) const {
    std::vector<Step> more;
    std::vector<bool> open;
    for (Branch& branch : statement.branches) {
      bool branch_goes_on = false;
      append(more, last(*branch.plain, next, branch_goes_on));
      open.push_back(branch_goes_on);
    }
    goes_on = needs_pc_ && std::all_of(open.begin(), open.end(), [](bool one) { return one; });
    if (goes_on || !needs_pc_) return more;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i]) statement.branches[i].plain->push_back(go_to(next));
    }
    return more;
  }

  std::vector<Step> cut(Block& block, const Statement& statement, const std::string& next) const {
    auto flat = std::make_shared<Statement>(statement);
    flat->is_cut = false;
    std::vector<Step> labelled, nested;
    const bool is_if = statement.type == StatementType::if_else;
    for (Branch& branch : flat->branches) {
      // The block of the statement as it was written stays empty where it is.
      if (branch.plain->empty()) branch.plain = std::make_shared<Block>();
      append(nested,
             finish(*branch.plain, branch.steps.empty() ? next : branch.steps.front().label));
      append(is_if ? labelled : nested, steps(branch.steps, next));
      branch.steps.clear();
    }
    block.push_back(std::move(flat));
    append(labelled, std::move(nested));
    return labelled;
  }

  const Procedure& procedure(const std::string& name) const {
    return *std::find_if(algorithm_.procedures.begin(), algorithm_.procedures.end(),
                         [&](const Procedure& one) { return one.name == name; });
  }

  static Formula frame(const Procedure& to, const Tokens& back, const Tokens& stack) {
    Frame frame;
    frame.field("procedure", {{TokenType::text, to.name}});
    frame.field("pc", back);
    for (const auto* list : {&to.variables, &to.parameters}) {
      for (const Declaration& one : *list) frame.field(one.name, {{TokenType::name, one.name}});
    }
    return frame.on_top_of(stack);
  }

  void enter(Block& block, std::shared_ptr<Statement> first, const Procedure& to,
             const Statement& statement) const {
    for (std::size_t i = 0; i < to.parameters.size(); ++i) {
      Assignment one;
      one.variable = to.parameters[i].name;
      one.value = statement.arguments[i];
      one.at = statement.at;
      first->assignments.push_back(std::move(one));
    }
    block.push_back(std::move(first));
    for (const Declaration& one : to.variables) {
      block.push_back(assign(statement.at, one.name, one.value));
    }
    block.push_back(go_to(to.steps.empty() ? "" : to.steps.front().label));
  }

  void call(Block& block, const Statement& statement, const std::string& back) const {
    const Procedure& to = procedure(statement.name);
    enter(block,
          assign(statement.at, "stack",
                 frame(to, {{TokenType::text, back}}, {{TokenType::added, "stack"}})),
          to, statement);
  }

  /// The caller's frame is replaced; a procedure that calls itself so keeps its own.
  void call_return(Block& block, const Statement& statement) const {
    const Procedure& to = procedure(statement.name);
    auto first = std::make_shared<Statement>();
    first->type = StatementType::assign;
    first->at = statement.at;
    if (statement.procedure != statement.name) {
      for (const Declaration& one : procedure(statement.procedure).variables) {
        first->assignments.push_back(
            assign(statement.at, one.name, formula_of_tokens(top_of_stack(one.name)))
                ->assignments.front());
      }
      const Tokens rest = {{TokenType::name, "Tail"},
                           {TokenType::symbol, "("},
                           {TokenType::added, "stack"},
                           {TokenType::symbol, ")"}};
      first->assignments.push_back(
          assign(statement.at, "stack", frame(to, top_of_stack("pc"), rest))->assignments.front());
    }
    enter(block, std::move(first), to, statement);
  }

  void give_back(Block& block, const Statement& statement) const {
    const Procedure& from = procedure(statement.procedure);
    block.push_back(assign(statement.at, "pc", formula_of_tokens(top_of_stack("pc"))));
    for (const auto* list : {&from.variables, &from.parameters}) {
      for (const Declaration& one : *list) {
        block.push_back(assign(statement.at, one.name, formula_of_tokens(top_of_stack(one.name))));
      }
    }
    block.push_back(assign(statement.at, "stack",
                           formula_of_tokens({{TokenType::name, "Tail"},
                                              {TokenType::symbol, "("},
                                              {TokenType::added, "stack"},
                                              {TokenType::symbol, ")"}})));
  }

  const Algorithm& algorithm_;
  bool needs_pc_;
};

}  // namespace

std::vector<Step> flatten(const std::vector<Step>& steps, const Algorithm& algorithm, bool needs_pc,
                          const std::string& after_last) {
  return Flattening(algorithm, needs_pc).steps(steps, after_last);
}

}  // namespace dissensus::tla::pluscal
