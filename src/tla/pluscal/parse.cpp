#include "tla/pluscal/parse.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>

namespace dissensus::tla::pluscal {

namespace {

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return token.type != TokenType::text &&
         std::find(words.begin(), words.end(), token.text) != words.end();
}

// What ends an expression wherever it stands, except as the name of a field.
constexpr auto kDelimiters = std::to_array<std::string_view>(
    {";",    "do",    "then",   ":=",     "begin",     "variable", "variables", "||",   "end",
     "else", "elsif", "if",     "either", "or",        "while",    "with",      "call", "return",
     "goto", "print", "assert", "skip",   "procedure", "define",   "process",   "fair"});

// What may follow where a semicolon is left out.
constexpr auto kAfterSemicolon =
    std::to_array<std::string_view>({"end", "begin", "else", "elsif", "or", "do", "macro",
                                     "procedure", "process", "fair", "define", "}", "{"});

constexpr auto kNoLabels = std::to_array<std::string_view>(
    {"while", "if", "assert", "print", "else", "elsif", "either", "or", "end", "with", "when",
     "await", "skip", "call", "return", "goto"});

constexpr auto kOpening = std::to_array<std::string_view>({"(", "[", "{", "<<"});
constexpr auto kClosing = std::to_array<std::string_view>({")", "]", "}", ">>", "]_"});

bool is_quantifier(const Token& token) {
  return token.is("\\A") || token.is("\\E");
}

class Parser {
 public:
  Parser(std::vector<Token> tokens, Fairness processes)
      : tokens_(std::move(tokens)), default_fairness_(processes) {}

  Algorithm run() {
    algorithm_.name = take_name("the algorithm's name");
    braces_ = peek().is("{");
    if (braces_) take();
    if (is_variables(peek())) algorithm_.variables = variables();
    if (peek().is("define")) definitions();
    while (peek().is("macro")) macro();
    while (peek().is("procedure")) procedure();
    algorithm_.has_processes = peek().is("process") || peek().is("fair");
    if (algorithm_.has_processes) {
      while (peek().is("process") || peek().is("fair")) process();
      close("algorithm");
    } else {
      algorithm_.main.at = peek().at;
      open_body();
      algorithm_.main.body = statements();
      if (braces_) expect("}");
      close("algorithm");
    }
    return std::move(algorithm_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    const Token token = peek();
    if (token.type == TokenType::illegal) {
      throw AlgorithmError(token.at, "a token that is none: " + token.text);
    }
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  static std::string shown(const Token& token) {
    return token.type == TokenType::end ? "the end of the comment" : "'" + token.printed() + "'";
  }
  [[noreturn]] static void expected(std::string_view what, const Token& found) {
    throw AlgorithmError(found.at, fmt::format("expected {}, found {}", what, shown(found)));
  }
  Token expect(std::string_view text) {
    if (!peek().is(text)) expected(fmt::format("'{}'", text), peek());
    return take();
  }
  std::string take_name(std::string_view what) {
    if (peek().type != TokenType::name) expected(what, peek());
    return take().text;
  }
  /// A semicolon, which may be left out before words that end a list or begin a part.
  void semicolon() {
    if (peek().is(";")) {
      take();
    } else if (!is_one_of(peek(), kAfterSemicolon)) {
      expected("';'", peek());
    }
  }
  void comma_or_semicolon() {
    if (peek().is(",")) {
      take();
    } else {
      semicolon();
    }
  }
  void open_body() { expect(braces_ ? "{" : "begin"); }
  void close(std::string_view word) {
    if (braces_) {
      expect("}");
    } else {
      expect("end");
      expect(word);
    }
  }

  static bool is_variables(const Token& token) {
    return token.is("variable") || token.is("variables");
  }

  /// Up to a delimiter, or to a comma or bracket that is not its own.
  Formula expression(std::string_view what, bool may_be_empty = false) {
    std::vector<Token> tokens;
    std::size_t depth = 0;
    bool in_quantifier = false;
    for (;; tokens.push_back(take())) {
      const Token& token = peek();
      if (token.type == TokenType::end) expected("the end of an expression", token);
      if (token.type == TokenType::text) continue;
      const Token* before = tokens.empty() ? nullptr : &tokens.back();
      const bool is_field = token.type == TokenType::name && before != nullptr &&
                            (before->is(".") || before->is("[") || before->is(","));
      if ((is_one_of(token, kDelimiters) && !is_field) ||
          (depth == 0 && ((token.is(",") && !in_quantifier) || token.is(")") || token.is("}")))) {
        if (depth != 0) {
          throw AlgorithmError(
              token.at, fmt::format("an expression with an open bracket ends at {}", shown(token)));
        }
        if (in_quantifier) {
          throw AlgorithmError(token.at,
                               fmt::format("a quantifier without ':' ends at {}", shown(token)));
        }
        break;
      }
      if (is_one_of(token, kOpening)) ++depth;
      if (is_one_of(token, kClosing)) {
        if (depth == 0) {
          throw AlgorithmError(token.at, fmt::format("{} without what it closes", shown(token)));
        }
        --depth;
      }
      if (depth == 0 && is_quantifier(token)) in_quantifier = true;
      if (depth == 0 && token.is(":")) in_quantifier = false;
    }
    if (tokens.empty() && !may_be_empty) expected(what, peek());
    return Formula(std::move(tokens));
  }

  bool equal_or_in() {
    if (!peek().is("=") && !peek().is("\\in")) expected("'=' or '\\in'", peek());
    return take().is("=");
  }

  Declaration declaration(bool may_choose) {
    Declaration result;
    result.at = peek().at;
    result.name = take_name("a variable");
    if (peek().is("=") || (may_choose && peek().is("\\in"))) {
      result.is_equal = equal_or_in();
      result.value = expression("an initial value");
    } else {
      algorithm_.has_default_values = true;
    }
    return result;
  }

  std::vector<Declaration> variables(bool may_choose = true) {
    take();
    std::vector<Declaration> result;
    while (!is_one_of(peek(), std::to_array<std::string_view>({"begin", "{", "procedure", "process",
                                                               "fair", "define", "macro"}))) {
      result.push_back(declaration(may_choose));
      comma_or_semicolon();
    }
    return result;
  }

  void definitions() {
    take();
    if (braces_) expect("{");
    algorithm_.definitions = expression("definitions", true);
    close("define");
    semicolon();
  }

  void macro() {
    take();
    Macro result;
    const Place at = peek().at;
    result.name = take_name("the macro's name");
    for (const Macro& other : algorithm_.macros) {
      if (other.name == result.name) {
        throw AlgorithmError(at, fmt::format("a second macro {}", result.name));
      }
    }
    expect("(");
    while (!peek().is(")")) {
      if (!result.parameters.empty()) expect(",");
      result.parameters.push_back(take_name("a parameter"));
    }
    take();
    open_body();
    in_macro_ = true;
    result.body = statements();
    in_macro_ = false;
    close("macro");
    if (peek().is(";")) take();
    expand_macros(result.body, algorithm_.macros);
    algorithm_.macros.push_back(std::move(result));
  }

  void routine_body(Routine& routine, std::string_view word, bool may_choose) {
    if (!peek().is("begin") && !peek().is("{")) {
      if (!is_variables(peek())) expected("'variables' or a body", peek());
      routine.variables = variables(may_choose);
    }
    routine_ = &routine;
    open_body();
    routine.body = statements();
    close(word);
    routine_ = nullptr;
    if (peek().is(";")) take();
  }

  void procedure() {
    Procedure result;
    result.at = take().at;
    result.name = take_name("the procedure's name");
    expect("(");
    while (!peek().is(")")) {
      if (!result.parameters.empty()) expect(",");
      result.parameters.push_back(declaration(false));
    }
    take();
    procedure_ = result.name;
    routine_body(result, "procedure", false);
    procedure_.clear();
    algorithm_.procedures.push_back(std::move(result));
  }

  void process() {
    Process result;
    result.fairness = default_fairness_;
    if (peek().is("fair")) {
      take();
      result.fairness = peek().is("+") ? Fairness::strong : Fairness::weak;
      if (peek().is("+")) take();
    }
    result.at = expect("process").at;
    if (braces_) expect("(");
    result.name = take_name("the process's name");
    result.is_equal = equal_or_in();
    result.id = expression("the process's identifier");
    if (braces_) expect(")");
    routine_body(result, "process", true);
    algorithm_.processes.push_back(std::move(result));
  }

  bool is_label_next() const {
    return peek().type == TokenType::name && !is_one_of(peek(), kNoLabels) && peek(1).is(":");
  }

  /// "l:", "l:+" or "l:-", or empty.
  std::string label(Place& at) {
    if (!is_label_next()) return {};
    const Token token = take();
    at = token.at;
    if (in_macro_) throw AlgorithmError(at, "a macro must not have labels: " + token.text);
    if (token.is("Done") || token.is("Error")) {
      throw AlgorithmError(at, fmt::format("{} cannot be a label", token.text));
    }
    take();
    algorithm_.has_labels = true;
    algorithm_.labels.push_back(token.text);
    if (peek().is("+") || peek().is("-")) {
      algorithm_.has_label_fairness = true;
      Routine& routine = routine_ != nullptr ? *routine_ : algorithm_.main;
      (peek().is("+") ? routine.plus_labels : routine.minus_labels).push_back(token.text);
      take();
    }
    return token.text;
  }

  bool ends_statements() const {
    if (braces_) return peek().is("}");
    return peek().is("end") || peek().is("else") || peek().is("elsif") || peek().is("or");
  }

  Block statements() {
    Block result;
    while (!ends_statements()) labelled(result);
    if (braces_ && result.empty()) expected("a statement", peek());
    return result;
  }

  /// A statement, or several in braces, with its label.
  void labelled(Block& result) {
    Place at;
    std::string name = label(at);
    if (braces_ && peek().is("{")) {
      take();
      Block inner = statements();
      expect("}");
      semicolon();
      if (!name.empty()) {
        if (!inner.front()->label.empty()) {
          throw AlgorithmError(inner.front()->label_at, "a statement with two labels");
        }
        inner.front()->label = name;
        inner.front()->label_at = at;
      }
      result.insert(result.end(), inner.begin(), inner.end());
      return;
    }
    auto next = statement();
    next->label = std::move(name);
    next->label_at = at;
    result.push_back(std::move(next));
  }

  /// What stands where C's syntax wants one statement.
  Branch one_branch() {
    Branch branch;
    labelled(*branch.plain);
    return branch;
  }
  Branch branch_of(Block block) {
    Branch branch;
    *branch.plain = std::move(block);
    return branch;
  }

  std::shared_ptr<Statement> make(StatementType type) {
    auto result = std::make_shared<Statement>();
    result->type = type;
    result->at = peek().at;
    return result;
  }

  std::shared_ptr<Statement> statement() {
    const Token& next = peek();
    if (next.is("if")) return if_else(true);
    if (next.is("either")) return either();
    if (next.is("with")) return with();
    if (next.is("when") || next.is("await")) return with_formula(StatementType::when);
    if (next.is("print")) return with_formula(StatementType::print);
    if (next.is("assert")) return with_formula(StatementType::check);
    if (next.is("while")) return loop();
    if (next.is("call")) return call();
    if (next.is("skip") || next.is("return")) {
      auto result = make(next.is("skip") ? StatementType::skip : StatementType::give_back);
      result->procedure = procedure_;
      take();
      semicolon();
      return result;
    }
    if (next.is("goto")) {
      auto result = make(StatementType::jump);
      take();
      result->name = jump_target();
      semicolon();
      return result;
    }
    if (next.type != TokenType::name) expected("a statement", next);
    if (peek(1).is("(")) {
      auto result = make(StatementType::macro_call);
      result->name = take().text;
      result->arguments = arguments();
      semicolon();
      return result;
    }
    return assignment();
  }

  std::string jump_target() {
    algorithm_.has_goto = true;
    std::string target = take_name("a label");
    if (target == "Done") algorithm_.has_goto_done = true;
    return target;
  }

  std::vector<Formula> arguments() {
    std::vector<Formula> result;
    expect("(");
    while (!peek().is(")")) {
      if (!result.empty()) expect(",");
      result.push_back(expression("an argument"));
    }
    take();
    return result;
  }

  std::shared_ptr<Statement> assignment() {
    auto result = make(StatementType::assign);
    for (;;) {
      Assignment one;
      one.at = peek().at;
      one.variable = take_name("a variable");
      if (!peek().is("[") && !peek().is(".") && !peek().is(":=")) expected("':='", peek());
      one.subscript = expression("a subscript", true);
      expect(":=");
      one.value = expression("a value");
      result->assignments.push_back(std::move(one));
      if (!peek().is("||")) break;
      take();
    }
    semicolon();
    return result;
  }

  std::shared_ptr<Statement> with_formula(StatementType type) {
    auto result = make(type);
    take();
    result->formula = expression("an expression");
    semicolon();
    return result;
  }

  std::shared_ptr<Statement> if_else(bool is_outer) {
    auto result = make(StatementType::if_else);
    take();
    if (braces_) expect("(");
    result->formula = expression("a condition");
    if (braces_) {
      expect(")");
      result->branches.push_back(one_branch());
      result->branches.emplace_back();
      if (peek().is("else")) {
        take();
        result->branches.back() = one_branch();
      }
      return result;
    }
    expect("then");
    result->branches.push_back(branch_of(statements()));
    result->branches.emplace_back();
    if (peek().is("else")) {
      take();
      result->branches.back() = branch_of(statements());
    } else if (peek().is("elsif")) {
      result->branches.back() = branch_of({if_else(false)});
    } else if (!peek().is("end")) {
      expected("'else', 'elsif' or 'end'", peek());
    }
    if (result->branches.front().plain->empty() && result->branches.back().plain->empty()) {
      throw AlgorithmError(result->at, "an if without statements");
    }
    if (is_outer) {
      expect("end");
      expect("if");
      semicolon();
    }
    return result;
  }

  std::shared_ptr<Statement> either() {
    auto result = make(StatementType::either);
    do {
      take();
      result->branches.push_back(braces_ ? one_branch() : branch_of(statements()));
      if (result->branches.back().plain->empty()) expected("a statement", peek());
    } while (peek().is("or"));
    if (result->branches.size() < 2) {
      throw AlgorithmError(result->at, "an either without or");
    }
    if (!braces_) {
      expect("end");
      expect("either");
      semicolon();
    }
    return result;
  }

  std::shared_ptr<Statement> with() {
    const Place at = take().at;
    if (braces_) expect("(");
    return with_inside(at);
  }

  std::shared_ptr<Statement> with_inside(Place at) {
    auto result = make(StatementType::with);
    result->at = at;
    result->name = take_name("a name");
    result->is_equal = equal_or_in();
    result->formula = expression("a set or a value");
    if (!braces_ || !peek().is(")")) comma_or_semicolon();
    if (!braces_ && peek().is("do")) {
      take();
      result->branches.push_back(branch_of(statements()));
      if (result->branches.back().plain->empty()) expected("a statement", peek());
      expect("end");
      expect("with");
      semicolon();
    } else if (braces_ && peek().is(")")) {
      take();
      result->branches.push_back(one_branch());
    } else {
      result->branches.push_back(branch_of({with_inside(peek().at)}));
    }
    return result;
  }

  std::shared_ptr<Statement> loop() {
    auto result = make(StatementType::loop);
    take();
    if (braces_) expect("(");
    result->formula = expression("a condition");
    if (braces_) {
      expect(")");
      result->branches.push_back(one_branch());
      return result;
    }
    expect("do");
    result->branches.push_back(branch_of(statements()));
    if (result->branches.back().plain->empty()) expected("a statement", peek());
    expect("end");
    expect("while");
    semicolon();
    return result;
  }

  std::shared_ptr<Statement> call() {
    auto result = make(StatementType::call);
    take();
    result->name = take_name("a procedure");
    result->arguments = arguments();
    semicolon();
    if (!in_macro_) {
      std::vector<std::string>& calls = (routine_ != nullptr ? *routine_ : algorithm_.main).calls;
      if (std::find(calls.begin(), calls.end(), result->name) == calls.end()) {
        calls.push_back(result->name);
      }
    }
    if (peek().is("return")) {
      take();
      result->type = StatementType::call_return;
      result->procedure = procedure_;
      semicolon();
    } else if (peek().is("goto")) {
      take();
      result->type = StatementType::call_goto;
      result->target = jump_target();
      semicolon();
    }
    return result;
  }

  std::vector<Token> tokens_;
  Fairness default_fairness_;
  std::size_t at_ = 0;
  Algorithm algorithm_;
  bool braces_ = false;  ///< C's syntax
  bool in_macro_ = false;
  std::string procedure_;  ///< that is being read
  Routine* routine_ = nullptr;
};

/// A copy of the body of a macro for one call.
class MacroExpansion {
 public:
  MacroExpansion(const Macro& macro, const Statement& call) : call_(call) {
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
      replacements_.emplace_back(macro.parameters[i], call.arguments[i]);
    }
  }

  Block block(const Block& body) const {
    Block result;
    for (const auto& statement : body) result.push_back(copy(*statement));
    return result;
  }

 private:
  Formula replaced(const Formula& formula) const { return formula.replaced(replacements_, true); }

  std::shared_ptr<Statement> copy(const Statement& from) const {
    auto result = std::make_shared<Statement>(from);
    result->macro_call = call_.at;
    result->formula = replaced(from.formula);
    for (Formula& argument : result->arguments) argument = replaced(argument);
    for (Branch& branch : result->branches) {
      branch.plain = std::make_shared<Block>(block(*branch.plain));
    }
    for (Assignment& one : result->assignments) assign(one);
    return result;
  }

  /// A parameter that is assigned stands for a variable, which may have subscripts.
  void assign(Assignment& one) const {
    one.macro_call = call_.at;
    one.value = replaced(one.value);
    one.subscript = replaced(one.subscript);
    for (const auto& [name, argument] : replacements_) {
      if (name != one.variable) continue;
      const Token& variable = argument.tokens().front();
      if (variable.type != TokenType::name) {
        throw AlgorithmError(
            call_.at,
            fmt::format("the macro assigns to '{}', which is no variable", variable.printed()));
      }
      one.variable = variable.text;
      one.subscript = argument.without_first().followed_by(one.subscript);
      return;
    }
  }

  const Statement& call_;
  Replacements replacements_;
};

}  // namespace

Algorithm parse_algorithm(std::vector<Token> tokens, Fairness processes) {
  return Parser(std::move(tokens), processes).run();
}

void expand_macros(Block& block, const std::vector<Macro>& macros) {
  Block result;
  for (const auto& statement : block) {
    for (Branch& branch : statement->branches) expand_macros(*branch.plain, macros);
    if (statement->type != StatementType::macro_call) {
      result.push_back(statement);
      continue;
    }
    const auto macro = std::find_if(macros.begin(), macros.end(),
                                    [&](const Macro& one) { return one.name == statement->name; });
    if (macro == macros.end()) {
      throw AlgorithmError(statement->at, fmt::format("there is no macro {}", statement->name));
    }
    if (macro->parameters.size() != statement->arguments.size()) {
      throw AlgorithmError(statement->at,
                           fmt::format("the macro {} has {} parameters, not {}", macro->name,
                                       macro->parameters.size(), statement->arguments.size()));
    }
    const Block body = MacroExpansion(*macro, *statement).block(macro->body);
    if (!body.empty()) {
      body.front()->label = statement->label;
      body.front()->label_at = statement->label_at;
    }
    result.insert(result.end(), body.begin(), body.end());
  }
  block = std::move(result);
}

}  // namespace dissensus::tla::pluscal
