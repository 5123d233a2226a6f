// A module as it was written: what the parser makes and the linker (spec.h) reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tla/syntax/source.h"

namespace dissensus::tla {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;
struct Definition;
using DefinitionPtr = std::unique_ptr<Definition>;

enum class Syntax : std::uint8_t {
  number,  ///< name = decimal digits (\b, \o, \h literals are converted); 1.5 stays "1.5"
  text,    ///< name = the string without quotes, escapes resolved
  /// A use of a name or an operator symbol with operands: x, Op(a, b), a + b, ~a, a', ENABLED A,
  /// DOMAIN f, [](P). Symbols are canonical, see canonical_operator. Prefix minus is "-.".
  /// With a path, A!B(1)!C(2): name = "C", operands = {2}, path = {A, B(1)}.
  apply,
  conjunction,  ///< operands: a bulleted list or a chain of /\, flattened
  disjunction,  ///< likewise with \/
  if_else,      ///< operands: condition, then, else
  case_of,      ///< operands: guard, value, guard, value... and a last single one for OTHER
  let,          ///< definitions; operands: body
  for_all,      ///< bounds (unbounded: Bound::set null); operands: body
  exists,       ///< likewise
  temporal_for_all,
  temporal_exists,
  choose,         ///< one bound; operands: body
  set_of,         ///< {a, b}: operands
  set_filter,     ///< {x \in S : p}: one bound (one pattern); operands: p
  set_map,        ///< {e : x \in S, y \in T}: bounds; operands: e
  function,       ///< [x \in S, y \in T |-> e]: bounds; operands: e
  function_set,   ///< [S -> T]: operands S, T
  application,    ///< f[a, b]: operands f, a, b
  record,         ///< [a |-> e]: fields, operands
  record_set,     ///< [a : S]: fields, operands
  field,          ///< r.a: name; operands: r
  except,         ///< operands: the function; updates
  except_at,      ///< @ within an update
  tuple,          ///< <<a, b>>: operands
  product,        ///< S \X T \X U: operands, flattened as one n-ary product
  action_box,     ///< [A]_v: operands A, v
  action_angle,   ///< <<A>>_v: operands A, v
  weak_fairness,  ///< WF_v(A): operands v, A
  strong_fairness,
  lambda,           ///< parameters; operands: body
  operator_symbol,  ///< an infix operator passed as an argument, e.g. Fold(+, ...): name
};

/// x, y \in S or <<x, y>> \in S.
struct Bound {
  std::vector<std::string> names;
  std::vector<Location> name_locations;
  bool is_tuple = false;
  ExpressionPtr set;  ///< null: unbounded
};

/// !.a[b, c] = e
struct ExceptUpdate {
  struct Step {
    std::string field;                   ///< .a, or
    std::vector<ExpressionPtr> indexes;  ///< [b, c]
    Location at;
  };
  std::vector<Step> path;
  ExpressionPtr value;
};

struct PathPart {
  std::string name;  ///< "1", ":", "<<", ">>", "@" and "()" select parts of an expression
  std::vector<ExpressionPtr> operands;
  Location at;
};

struct Parameter {
  std::string name;
  std::uint32_t arity = 0;  ///< Op(_, _) has 2
  Location at;
};

struct Expression {
  Syntax syntax = Syntax::apply;
  Location at;
  std::string name;
  std::vector<ExpressionPtr> operands;
  std::vector<Bound> bounds;
  std::vector<std::string> fields;
  std::vector<ExceptUpdate> updates;
  std::vector<PathPart> path;
  std::vector<Parameter> parameters;
  std::vector<DefinitionPtr> definitions;
  /// Of the tree below: 1 for a leaf. The parser keeps it under kHeightMax, so that functions that
  /// call themselves on parts are safe.
  std::uint32_t height = 1;
};
constexpr std::uint32_t kHeightMax = 4000;

struct Substitution {
  std::string name;  ///< an operator symbol is allowed
  ExpressionPtr value;
  Location at;
};

/// An operator, a function f[x \in S] == e, or a named instance I(p) == INSTANCE M WITH a <- b.
struct Definition {
  enum class Type : std::uint8_t { operation, function, instance };
  Type type = Type::operation;
  std::string name;  ///< empty: INSTANCE without a name
  Location at;       ///< of the name
  std::vector<Parameter> parameters;
  ExpressionPtr body;                       ///< operation, function
  std::vector<Bound> bounds;                ///< function
  std::string module;                       ///< instance
  std::vector<Substitution> substitutions;  ///< instance
  bool is_local = false;
  bool is_theorem = false;    ///< the statement of a named THEOREM or AXIOM
  bool is_recursive = false;  ///< declared RECURSIVE before, in the same module or LET
};

struct Module;

/// The parts of a module in the order in which they were written: a name may be used only after its
/// definition (or RECURSIVE declaration).
struct ModuleUnit {
  enum class Type : std::uint8_t { constants, variables, recursive, definition, assume, submodule };
  Type type = Type::definition;
  Location at;
  std::vector<Parameter> declared;  ///< constants, variables, recursive
  DefinitionPtr definition;
  std::string name;          ///< of a named ASSUME
  ExpressionPtr assumption;  ///< assume
  std::unique_ptr<Module> submodule;
  bool is_local = false;
};

/// Something that was read and left out, a proof or a theorem, or that is not what it seems.
struct Notice {
  Location at;
  std::string message;
};

struct Module {
  std::string name;
  Location at;
  SourcePtr source;
  struct Extend {
    std::string name;
    Location at;
  };
  std::vector<Extend> extends;
  std::vector<ModuleUnit> units;
  std::vector<Notice> notices;
};

/// The one spelling under which an operator is known: "\leq" and "=<" are "<=", "\land" is "/\",
/// "/=" is "#", "\union" is "\cup", "\o" is "\circ", "\times" is "\X", "\neg" and "\lnot" are "~",
/// "\equiv" is "<=>"; unknown text comes back unchanged.
std::string_view canonical_operator(std::string_view spelling);

/// Parses the (first) module of a source; text before and after it is ignored. Throws SpecError.
std::unique_ptr<Module> parse_module(SourcePtr source);
/// Parses one expression, e.g. of `tla eval` or a mapping. Throws SpecError.
ExpressionPtr parse_expression(SourcePtr source);

}  // namespace dissensus::tla
