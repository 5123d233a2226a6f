// A linked specification: modules found and joined, names resolved, constants bound as the
// configuration says. Immutable; shared by machines on several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/ast.h"
#include "tla/syntax/config.h"

namespace dissensus::tla {

/// Where a specification comes from.
struct SpecOptions {
  std::vector<std::string> folders;  ///< searched for modules after the spec's own folder
  /// Constants that are given besides the configuration, as TLA+ text: {"N", "7"}; they win.
  std::vector<std::pair<std::string, std::string>> constants;
  /// Modules given as text instead of files (tests, fuzzers): {"M", "---- MODULE M ..."}.
  std::vector<std::pair<std::string, std::string>> modules;
  /// For mutation tests: the conjunct that begins at this line and column is left out, or negated.
  struct GuardChange {
    std::string module;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool negate = false;
  };
  std::optional<GuardChange> change;
};

using ActionId = std::uint32_t;

/// An action with a name: an operator without or with parameters that is of action level and is
/// reached from Next through disjunction, \E, IF, CASE, LET and other such operators alone, so that
/// it can be the label of a step. Also every other action-level operator, so that a log can name
/// it.
struct ActionDescription {
  std::string name;  ///< "Receive"; of a named instance "I!Receive"
  std::vector<std::string> parameters;
  Location at;
  bool is_label = false;  ///< a step of Next can carry it
};

/// A conjunct of an action, where a mutation test can act.
struct GuardDescription {
  std::string module;
  Location at;
  ActionId action = 0;
  bool is_assignment = false;  ///< assigns primed variables: not a guard proper
};

struct Program;  // the linked form, src/tla/linking/program.h

class Spec {
 public:
  /// Throws SpecError. `config` may be empty: then constants must all be given in the options, and
  /// Init and Next are taken where they are defined.
  static std::shared_ptr<const Spec> load(const std::string& path, const Config& config,
                                          const SpecOptions& options = {});
  ~Spec();

  const std::string& path() const;
  const Config& config() const;
  const std::vector<std::string>& variables() const;
  const std::vector<ActionDescription>& actions() const;
  /// Nullopt: there is no action of that name.
  std::optional<ActionId> find_action(std::string_view name) const;
  std::vector<GuardDescription> guards() const;
  /// Where the conjuncts are that decide on steps of these actions: guards, and conditions on the
  /// way, in operators, too. Each place once, in the order of the text.
  std::vector<Location> conjuncts(const std::vector<ActionId>& actions) const;
  /// Proofs and temporal formulas that were left out, cfg entries without effect (liveness).
  const std::vector<Notice>& notices() const;
  /// Properties of the configuration that are not checked, or only their safety part.
  const std::vector<std::string>& unchecked_properties() const;
  const Program& program() const;
  /// True when there is an Init and a Next: not a module that is only evaluated.
  bool has_behaviour() const;

 private:
  struct Hidden {};

 public:
  Spec(Hidden, std::unique_ptr<Program> program);

 private:
  std::unique_ptr<Program> program_;
};

}  // namespace dissensus::tla
