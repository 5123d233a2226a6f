// A linked specification as the evaluator runs it: trees of nodes with resolved names.
//
// Nodes are immutable once linked and shared by machines; whatever a machine remembers about a node
// is kept under the node's `index` in the machine. Names became slots: parameters, bound variables
// and LET values live in the frame of the operator that is being called; an operator inside LET
// reaches the frame around it through `hops` links.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tla/library/native.h"
#include "tla/linking/spec.h"
#include "tla/values/value.h"

namespace dissensus::tla {

class Evaluator;
struct Frame;
struct Node;
struct Operator;

using EvaluateFunction = Value (*)(Evaluator&, const Node&, Frame&);

enum class NodeType : std::uint8_t {
  immediate,  ///< value
  literal,    ///< Program::literals[index], made once per machine
  constant,   ///< kids[0], evaluated once per machine and kept under index
  /// kids[0], of state level and costly: its last values are kept under index by the values of the
  /// variables that it reads, detail->variables.
  remembered,
  local,      ///< a bound variable: slot `index`, `hops` frames out
  parameter,  ///< likewise; may hold an argument that is not evaluated yet
  variable,
  primed_variable,
  substituted,     ///< a variable of an INSTANCE: kids[0] stands for it; index: which of these
  call,            ///< callee, kids: arguments; its outer frame is `hops` out
  call_argument,   ///< an operator that was passed as a parameter: slot, kids: arguments
  operator_value,  ///< an operator as an argument: callee, or (null) the parameter in the slot
  native,          ///< callee->native, kids: arguments
  let,             ///< detail->slots are emptied; kids[0]
  let_value,       ///< slot `index` (value) and index + 1 (context), kids[0]: the definition
  conjunction,
  disjunction,
  implies,
  equivalent,
  negation,
  equal,
  unequal,
  member,
  not_member,
  if_else,
  case_of,
  for_all,
  exists,
  choose,
  choose_unbounded,
  set_of,
  set_filter,
  set_map,
  function,
  function_set,
  application,
  apply_definition,  ///< f[a] where f is defined as a function: callee, kids: arguments
  record,            ///< detail->literals: names; kids: values
  record_set,
  field,  ///< kids[0], detail->literals[0]: name; index: inline cache
  except,
  tuple,
  product,
  subset_of,  ///< \subseteq
  set_union,
  intersection,
  difference,
  powerset,
  union_of,
  domain,
  domain_of_definition,  ///< DOMAIN f where f is defined as a function: callee
  prime,
  unchanged,
  enabled,  ///< index 1: of an INSTANCE, whose variables may have any next value
  action_box,
  action_angle,
  compose,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  negate,
  less,
  less_equal,
  greater,
  greater_equal,
  interval,
  cardinality,
  length,
  append,
  head,
  tail,
  concatenate,
  always,
  eventually,
  leads_to,
  weak_fairness,    ///< kids: <<A>>_v and ENABLED <<A>>_v
  strong_fairness,  ///< likewise
  temporal,         ///< any other temporal formula
};

/// Levels of the language: what an expression may depend on.
enum Level : std::uint8_t { kConstantLevel, kStateLevel, kActionLevel, kTemporalLevel };

/// One name or tuple pattern over one set.
struct Binding {
  const Node* set = nullptr;  ///< null: unbounded
  std::vector<std::uint32_t> slots;
  bool is_tuple = false;
};

struct Update {
  struct Step {
    std::uint32_t field = kNoField;  ///< literal of the name, or
    std::vector<const Node*> indexes;
    Location at;
  };
  static constexpr std::uint32_t kNoField = ~std::uint32_t{0};
  std::vector<Step> path;
  const Node* value = nullptr;
  std::uint32_t old_slot = 0;  ///< where @ is kept
};

struct NodeDetail {
  std::vector<Binding> bindings;
  std::vector<Update> updates;
  std::vector<std::uint32_t> literals;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> memo_slots;  ///< of functions defined in LET
  /// UNCHANGED and subscripts that are nothing but variables: which. Sorted as written.
  std::vector<std::uint32_t> variables;
};

struct Node {
  EvaluateFunction evaluate = nullptr;
  const Node* first = nullptr;  ///< kids[0]
  const Node* second = nullptr;
  const Node* third = nullptr;
  const Operator* callee = nullptr;
  const NodeDetail* detail = nullptr;
  Value value;
  std::uint32_t index = 0;
  std::uint16_t hops = 0;
  NodeType type = NodeType::immediate;
  Level level = kConstantLevel;
  bool is_pure = true;
  bool only_variables = false;  ///< detail->variables says all
  /// Can be stepped through in more than one way, or assigns: evaluating it as a predicate would
  /// miss something that TLC counts.
  bool is_branching = false;
  /// The lowest number of a local that it reads: see Linker. All ones: none.
  std::uint32_t oldest_local = ~std::uint32_t{0};
  std::vector<const Node*> kids;
  Location at;
};

struct OperatorParameter {
  std::string name;
  std::uint32_t arity = 0;
  /// Its argument must be passed unevaluated: it is primed, or may be assigned.
  bool by_name = false;
};

struct Operator {
  std::string name;  ///< with the instance's name before it: "I!Receive"
  Location at;
  std::vector<OperatorParameter> parameters;
  const Node* body = nullptr;  ///< null while it is being linked
  const NativeOperator* native = nullptr;
  std::uint32_t id = 0;
  std::uint32_t frame_size = 0;
  std::uint16_t depth = 1;  ///< how many frames it sees, its own included
  Level level = kConstantLevel;
  bool is_pure = true;
  bool is_recursive = false;
  bool is_function = false;  ///< f[x \in S] == e: the body is a function node
  bool is_costly = false;    ///< loops or recurses
  bool is_memoised = false;  ///< constant level and worth remembering by its arguments
  bool is_action_named = false;
  /// A LET function remembers what it computed in this slot of the frame around it.
  std::uint32_t memo_slot = kNoSlot;
  ActionId action = 0;
  std::uint32_t oldest_local = ~std::uint32_t{0};
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
};

/// Something to evaluate from outside: a node and the size of the frame that it needs.
struct EntryPoint {
  const Node* node = nullptr;
  std::uint32_t frame_size = 0;
  Location at;
  std::string name;
};

/// A value that every machine makes for itself when it starts.
struct Literal {
  enum class Type : std::uint8_t { text, config, strings, booleans };
  Type type = Type::text;
  std::string text;
  const ConfigValue* config = nullptr;
};

/// PROPERTY of the shape Init /\ [][A]_v /\ ..., as far as it is checked.
struct StepProperty {
  std::string name;
  std::vector<EntryPoint> initial;
  std::vector<EntryPoint> steps;  ///< action_box nodes
};

/// PROPERTY, or a conjunct of it, that speaks of whole behaviours.
struct TemporalProperty {
  std::string name;
  EntryPoint entry;
};

struct LinkerState;

struct Program {
  Program();
  ~Program();

  std::string path;
  Config config;
  std::vector<std::string> variables;
  std::vector<Notice> notices;

  std::deque<Node> nodes;
  std::deque<NodeDetail> details;
  std::deque<Operator> operators;
  std::vector<Literal> literals;
  std::uint32_t constants = 0;  ///< number of constant nodes
  std::uint32_t inline_caches = 0;
  std::uint32_t substituted = 0;  ///< variables of instances that are not plainly a variable
  std::uint32_t remembered = 0;   ///< number of nodes of that type

  std::vector<ActionDescription> actions;
  std::vector<const Operator*> action_operators;  ///< null: Next itself, where it has no name
  ActionId default_action = 0;                    ///< the label of steps through no named action
  std::vector<GuardDescription> guards;

  std::vector<EntryPoint> initial;
  std::optional<EntryPoint> next;
  /// The subscript of [][Next]_vars, when the configuration named a SPECIFICATION.
  std::optional<EntryPoint> subscript;
  std::vector<EntryPoint> assumptions;
  std::vector<EntryPoint> invariants;
  std::vector<EntryPoint> constraints;
  std::vector<EntryPoint> action_constraints;
  std::vector<EntryPoint> symmetries;
  std::vector<StepProperty> properties;
  /// What SPECIFICATION says besides Init and [][Next]_vars.
  std::vector<EntryPoint> fairness;
  std::vector<TemporalProperty> temporal_properties;
  std::optional<EntryPoint> view;
  std::optional<EntryPoint> postcondition;
  std::optional<EntryPoint> alias;

  /// What is needed to link further expressions (Machine::compile), under the lock.
  std::unique_ptr<LinkerState> linker;
  mutable std::mutex linking;

  std::vector<std::string> unchecked_properties;  ///< of the configuration, or parts of them
};

/// The function that evaluates nodes of a type.
EvaluateFunction evaluate_function(NodeType type);

std::unique_ptr<Program> link(const std::string& path, const Config& config,
                              const SpecOptions& options);
/// Adds an expression over the spec's names; slots 0... of its frame are the parameters.
EntryPoint link_expression(Program& program, const std::string& text,
                           const std::vector<std::string>& parameters);

}  // namespace dissensus::tla
