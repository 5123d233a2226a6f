// From modules as they were written to nodes: finding modules, EXTENDS and INSTANCE, resolving
// names, levels, and the configuration.
//
// A World is one substitution: the root's (none), or that of an INSTANCE. A module that has
// constants or variables is linked anew in every world; its declared names stand for expressions of
// the world outside. An instance with parameters, I(p) == INSTANCE M, adds p to the parameters of
// each of its operators.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "tla/linking/program.h"

namespace dissensus::tla {

struct World;
struct Context;
struct Symbol;
struct Instance;

/// A name inside an expression. Numbers grow with every local made, so that an expression whose
/// oldest local is younger than the expression itself depends on nothing outside.
struct Local {
  enum class Type : std::uint8_t {
    value,
    parameter,
    operator_parameter,
    let_value,
    let_operator,
    let_instance
  };
  Type type = Type::value;
  std::uint16_t depth = 1;
  std::uint32_t slot = 0;
  std::uint32_t number = 0;
  std::uint32_t arity = 0;
  const Node* body = nullptr;
  Operator* operation = nullptr;
  const Instance* instance = nullptr;
  Operator* owner = nullptr;  ///< whose parameter it is
};

struct Scope {
  const Scope* outer = nullptr;
  std::string name;
  Local local;
};

struct World {
  std::string prefix;  ///< "I!" for the names of its operators
  World* outer = nullptr;
  const Scope* scope = nullptr;  ///< an INSTANCE inside LET: what it sees
  std::uint16_t depth = 1;       ///< of its operators
  std::vector<Parameter> parameters;
  std::vector<Local> locals;  ///< of the parameters
  std::map<std::string, std::unique_ptr<Context>> contexts;
};

struct Instance {
  World* world = nullptr;
  Context* context = nullptr;
  std::vector<Parameter> parameters;
  std::size_t inherited = 0;  ///< parameters of the world around it, which come first
};

struct Symbol {
  enum class Type : std::uint8_t { constant, variable, operation, instance, substituted };
  Type type = Type::operation;
  std::string name;
  Location at;
  Context* context = nullptr;
  std::uint32_t order = 0;  ///< within its module
  std::uint32_t arity = 0;
  bool is_local = false;
  bool is_recursive = false;
  const Definition* definition = nullptr;
  Operator* operation = nullptr;
  std::uint32_t variable = 0;
  std::unique_ptr<Instance> instance;
  // substituted: an expression of another context
  const Expression* expression = nullptr;
  Context* expression_context = nullptr;
  const Scope* expression_scope = nullptr;
  bool is_shared = false;  ///< another name of the instance stands for the same one
  // What the configuration says.
  Symbol* replacement = nullptr;
  const ConfigValue* value = nullptr;
  std::vector<const Config::Assignment*> table;  ///< Op(1, 2) = value
};

struct Context {
  const Module* module = nullptr;
  World* world = nullptr;
  bool is_library = false;
  std::map<std::string, Symbol*, std::less<>> symbols;  ///< all that can be used inside
  std::set<std::string> hidden;                         ///< of these, not exported
  std::map<std::string, std::uint32_t> recursive;       ///< declared, and at which unit
  std::map<std::string, const Module*> submodules;
  Context* enclosing = nullptr;  ///< of a submodule
  bool is_complete = false;
};

/// The operator whose body is being linked, and the slots of its frame.
struct Builder {
  Operator* operation = nullptr;
  std::uint16_t depth = 1;
  std::uint32_t slots = 0;
  Builder* outer = nullptr;
};

/// Where an expression stands.
struct Place {
  Context* context = nullptr;
  const Scope* scope = nullptr;
  Builder* builder = nullptr;
  std::uint32_t order = ~std::uint32_t{0};
  bool is_primed = false;
};

class Linker {
 public:
  Linker(Program& program, const SpecOptions& options);
  void link(const std::string& path);
  EntryPoint link_expression(const std::string& text, const std::vector<std::string>& parameters);

 private:
  // link_modules.cpp
  struct Loaded {
    std::unique_ptr<Module> module;
    bool is_library = false;
    std::optional<bool> is_closed;
  };
  const Module& load_module(const std::string& name, const Location& at, const Context* from);
  SourcePtr find_module(const std::string& name, bool& is_library);
  bool is_closed_module(const Module& module);
  Context& context_of(const Module& module, World& world, Context* enclosing);
  void extend(Context& context, const Module::Extend& extended);
  void declare(Context& context, const ModuleUnit& unit, std::uint32_t order);
  void define(Context& context, const Definition& definition, std::uint32_t order);
  void import(Context& context, const Context& from, bool is_local, const Location& at);
  Symbol& add_symbol(Context& context, const std::string& name, const Location& at,
                     std::uint32_t order);
  std::unique_ptr<Instance> instantiate(const Definition& definition, const Place& place);
  void substitute(Instance& instance, const Definition& definition, const Place& place);
  const Expression* name_expression(const std::string& name, const Location& at);
  void bind_configuration();
  void bind_constants_of_options();
  void check_constants_are_bound();
  Symbol& root_symbol(const ConfigName& name, const char* what);

  // link_operators.cpp
  Operator& operator_of(Symbol& symbol);
  Operator& new_operator(const std::string& name, const Location& at, std::uint16_t depth);
  void link_body(Operator& operation, const Definition& definition, Builder& builder, Place place,
                 bool is_function);
  const Node* function_body(const Definition& definition, const Place& place);
  const Scope* add_parameters(Operator& operation, Builder& builder,
                              const std::vector<Parameter>& parameters, const Scope* scope);
  void finish_operator(Operator& operation, const Builder& builder);
  const Node* use_symbol(Symbol& symbol, std::vector<const Node*> prefix,
                         const std::vector<ExpressionPtr>& operands, const Place& place,
                         const Location& at, bool is_by_path = false);
  const Node* use_table(const Symbol& symbol, const std::vector<ExpressionPtr>& operands,
                        const Place& place, const Location& at);
  const Node* use_local(const Local& local, const std::string& name,
                        const std::vector<ExpressionPtr>& operands, const Place& place,
                        const Location& at);
  const Node* use_builtin(const std::string& name, const std::vector<ExpressionPtr>& operands,
                          const Place& place, const Location& at);
  const Node* use_path(const Expression& expression, const Place& place);
  const Node* use_part(const Expression& expression, std::size_t first, const Place& place);
  Symbol* resolve_path(const Expression& expression, const Place& place,
                       std::vector<const Node*>& prefix);
  Operator& partial(Operator& operation, const std::vector<const Node*>& prefix,
                    std::uint32_t arity, const Place& place, const Location& at);
  const Node* call(Operator& operation, std::vector<const Node*> prefix,
                   const std::vector<ExpressionPtr>& operands, const Place& place,
                   const Location& at);
  const Node* call_nodes(Operator& operation, std::vector<const Node*> arguments,
                         const Place& place, const Location& at);
  const Node* argument(const OperatorParameter& parameter, const Expression& expression,
                       const Place& place, const std::string& of);
  const Node* operator_argument(const Expression& expression, std::uint32_t arity,
                                const Place& place);
  Operator& builtin_operator(const std::string& name, std::uint32_t arity, const Location& at);
  static bool is_builtin(const std::string& name);
  Operator& native_wrapper(Operator& native, const Location& at);
  Operator& lambda(const Expression& expression, const Place& place);
  std::vector<const Node*> inherited_arguments(const World& world, std::size_t count,
                                               const Place& place, const Location& at);
  Symbol& effective(Symbol& symbol, bool is_by_path = false);
  Symbol* find_symbol(Context& context, const std::string& name, const Place* place,
                      const Location& at);
  [[noreturn]] void unknown_name(const std::string& name, const Place& place, const Location& at);
  void check_arity(const std::string& name, std::size_t expected, std::size_t given,
                   const Location& at);

  // link_expressions.cpp
  const Node* expression(const Expression& expression, const Place& place);
  const Node* expression_unwrapped(const Expression& expression, const Place& place);
  const Node* apply(const Expression& expression, const Place& place);
  const Node* junction(const Expression& expression, const Place& place);
  const Node* guard(const Expression& expression, const Place& place);
  const Node* let(const Expression& expression, const Place& place);
  Operator& declare_let_operator(const Definition& definition, NodeDetail& detail, Place& place);
  void link_let_operator(Operator& operation, const Definition& definition, const Place& place);
  void link_let_instance(const Definition& definition, Place& place);
  const Node* fairness(const Expression& text, NodeType type, const Place& place);
  const Node* enabled(const Node* action, const Place& place, const Location& at);
  const Node* substituted_variable(const Symbol& symbol, const Node* stands_for,
                                   const Location& at);
  const Node* quantified(const Expression& expression, NodeType type, const Place& place);
  const Node* application(const Expression& expression, const Place& place);
  const Node* except(const Expression& expression, const Place& place);
  const Node* record(const Expression& expression, NodeType type, const Place& place);
  const Node* subscripted(const Expression& expression, NodeType type, const Place& place);
  const Node* primed(const Node* inner, const Location& at);
  const Node* domain_of(const Node* inner, const Location& at);
  std::vector<Binding> bind(const std::vector<Bound>& bounds, Place& inner, const Place& outer);
  Local new_local(Local::Type type, Builder& builder);
  const Scope* add_scope(const Scope* outer, const std::string& name, const Local& local);
  const Node* local_node(const Local& local, const Place& place, const Location& at);
  Node& new_node(NodeType type, const Location& at);
  const Node* finish(Node& node);
  const Node* make(NodeType type, std::vector<const Node*> kids, const Location& at);
  const Node* wrap_constant(const Node* node, std::uint32_t start);
  static void check_is_new(const std::string& name, const Place& place, const Location& at);
  const Node* wrap_random(const Node* body);
  const Node* wrap_remembered(const Node* node);
  std::uint32_t literal_text(const std::string& text);
  NodeDetail& new_detail() { return program_.details.emplace_back(); }
  void note_by_name(const Node* node);

  // link_behaviour.cpp
  EntryPoint entry(const std::string& name, const Location& at);
  EntryPoint named_entry(const ConfigName& name, const char* what, Level level);
  void link_behaviour();
  void link_specification(const ConfigName& name);
  void link_properties();
  void split_formula(const Node* node, std::uint32_t frame_size, StepProperty& parts,
                     std::vector<EntryPoint>& temporal);
  void link_all_operators();
  void list_actions();
  void mark_labels(const Node* node, std::set<const Node*>& seen);
  void list_guards();

  std::map<const Symbol*, std::uint32_t> substituted_;  // their numbers
  Program& program_;
  SpecOptions options_;
  std::string folder_;
  std::map<std::string, Loaded> modules_;
  std::map<const Module*, bool> is_library_;
  std::map<const Module*, bool> closed_;
  std::deque<World> worlds_;
  World* root_world_ = nullptr;
  World* shared_world_ = nullptr;
  Context* root_ = nullptr;
  std::deque<Symbol> symbols_;
  std::map<const Definition*, Symbol*> bound_definitions_;  ///< by the configuration
  std::deque<Scope> scopes_;
  std::vector<std::unique_ptr<Instance>> let_instances_;
  std::vector<ExpressionPtr> expressions_;
  std::vector<SourcePtr> sources_;
  std::map<std::string, std::uint32_t> texts_;
  std::map<std::string, Operator*> builtins_;
  std::map<const Operator*, Operator*> wrappers_;
  std::vector<Operator*> linking_;  ///< operators whose bodies are being linked
  std::uint32_t locals_ = 0;
  std::map<const Node*, std::pair<Operator*, std::uint32_t>> parameter_owners_;
  std::uint32_t instantiating_ = 0;
  struct Guard {
    const Operator* operation;
    std::string module;
    Location at;
    const Node* node;
  };
  std::vector<Guard> guards_;
  struct Assumption {
    Context* context;
    const Expression* expression;
    std::uint32_t order;
  };
  std::vector<Assumption> assumptions_;
};

struct LinkerState {
  LinkerState(Program& program, const SpecOptions& options) : linker(program, options) {}
  Linker linker;
};

}  // namespace dissensus::tla
