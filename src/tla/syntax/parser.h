// The parser: tokens to modules and expressions. Its parts are in parser.cpp (modules and
// definitions), expression_parser.cpp, bracket_parser.cpp and proof_parser.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/ast.h"
#include "tla/syntax/lexer.h"

namespace dissensus::tla {

class Parser {
 public:
  Parser(const Source& source, Tokens tokens);

  /// From "---- MODULE" on.
  std::unique_ptr<Module> module();
  /// An expression that is all of the text.
  ExpressionPtr whole_expression();

 private:
  /// Bounds recursion.
  class Nested {
   public:
    explicit Nested(Parser& parser);
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };
  /// What stands at or left of the innermost bullet ends its item.
  class Item {
   public:
    Item(Parser& parser, const Token* bullet) : parser_(parser), outer_(parser.bullet_) {
      parser.bullet_ = bullet;
    }
    ~Item() { parser_.bullet_ = outer_; }
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;

   private:
    Parser& parser_;
    const Token* outer_;
  };
  struct Operand {
    ExpressionPtr expression;
    bool is_chain = false;  ///< made by an infix operator, so that the next one may continue it
  };
  struct Pending {
    const Operator* operation;
    std::size_t token;
    std::vector<PathPart> path;  ///< a I!+ b
  };

  // Tokens.

  /// The next token but `offset`, or a token of type end where an item of a junction list ends.
  const Token& peek(std::size_t offset = 0) const;
  /// The same, whatever the bullets.
  const Token& raw(std::size_t offset = 0) const;
  const Token& take();
  bool accept(std::string_view symbol_or_keyword);
  const Token& expect(std::string_view symbol_or_keyword, std::string_view after);
  const Token& expect_name(std::string_view what);
  /// A closing bracket; the message names the opening one.
  void close(std::string_view symbol, std::size_t open);
  Location location_of(const Token& token) const { return token.location(source_); }
  Location since(std::size_t first_token) const;
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  [[noreturn]] void unexpected(std::string_view expected) const;
  std::string found() const;
  std::string hint() const;

  // Trees.

  ExpressionPtr make(Syntax syntax, std::string_view name = {}) const;
  void raise(Expression& parent, const Expression& child) const;
  void adopt(Expression& parent, ExpressionPtr child) const;
  void adopt_bounds(Expression& parent, std::vector<Bound> bounds) const;
  void adopt_path(Expression& parent, std::vector<PathPart> path) const;

  // Modules and definitions.

  void unit(Module& module);
  void declaration(Module& module);
  void assumption(Module& module);
  void theorem(Module& module);
  void add_statement(Module& module, const Token& name, ExpressionPtr statement, std::size_t first);
  void submodule(Module& module);
  void local_or_definition(Module& module);
  DefinitionPtr definition(std::string_view where);
  void definition_head(Definition& definition, std::string_view where);
  DefinitionPtr instance();
  std::vector<Parameter> parameters(std::string_view what, bool may_have_arity);
  Parameter parameter(std::string_view what, bool may_have_arity);
  std::uint32_t underscores();
  /// It looks like the beginning of a definition, perhaps with a mistake later.
  bool is_definition_head() const;
  /// It is one: == follows.
  bool is_definition() const;

  // Expressions.

  ExpressionPtr expression();
  void prefix_operators(std::vector<Pending>& pending);
  void postfix_operators(std::vector<Operand>& operands, std::vector<Pending>& pending);
  bool infix_operator(std::vector<Operand>& operands, std::vector<Pending>& pending);
  void reduce_before(const Operator& next, const Token& token, std::vector<Operand>& operands,
                     std::vector<Pending>& pending);
  void reduce(std::vector<Operand>& operands, std::vector<Pending>& pending);
  [[noreturn]] void conflict(const Pending& left, const Token& right) const;
  std::optional<std::vector<PathPart>> path_of_infix_operator();
  ExpressionPtr apply_postfix(ExpressionPtr operand);

  ExpressionPtr primary();
  ExpressionPtr primary_symbol();
  ExpressionPtr primary_keyword();
  ExpressionPtr number();
  ExpressionPtr text();
  ExpressionPtr identifier();
  PathPart path_part();
  std::vector<ExpressionPtr> arguments();
  ExpressionPtr argument();
  bool is_operator_argument() const;
  ExpressionPtr junction_list();
  ExpressionPtr parenthesised();
  ExpressionPtr tuple_or_action();
  ExpressionPtr bracket();
  ExpressionPtr fields(Syntax syntax, std::string_view separator, std::size_t open);
  ExpressionPtr function(std::vector<Bound> bounds, std::size_t open);
  ExpressionPtr except(ExpressionPtr base, std::size_t open);
  ExceptUpdate except_update(Expression& parent);
  ExpressionPtr brace();
  ExpressionPtr if_else();
  ExpressionPtr case_of();
  ExpressionPtr let();
  ExpressionPtr choose();
  ExpressionPtr quantifier();
  ExpressionPtr lambda();
  ExpressionPtr fairness();
  ExpressionPtr subscript();
  std::vector<Bound> bounds(bool may_be_unbounded);
  Bound bound(bool may_be_unbounded);
  void bound_name(Bound& bound);
  /// {x \in S : ...}: an expression "x \in S" or "<<x, y>> \in S" as a bound.
  bool is_membership(const Expression& expression) const;
  Bound bound_of_membership(ExpressionPtr membership) const;

  // Proofs, which are read and forgotten.

  bool at_proof() const;
  /// Null for ASSUME ... PROVE.
  ExpressionPtr theorem_statement();
  void assume_prove();
  void new_declaration();
  void proof(std::int64_t level);
  void steps(std::int64_t level);
  bool step(std::int64_t level);
  void facts();
  bool at_unit() const;
  void skip_to_next_unit(std::uint32_t indent);

  const Source& source_;
  std::vector<Token> tokens_;
  std::vector<Notice> notices_;
  std::size_t position_ = 0;
  const Token* bullet_ = nullptr;
  bool is_closed_ = false;              ///< the expression read last was in parentheses as a whole
  std::vector<std::string> recursive_;  ///< declared in this module or LET
  std::size_t depth_ = 0;
  std::size_t except_depth_ = 0;
  bool in_proof_ = false;
};

}  // namespace dissensus::tla
