// From Quint's intermediate form to TLA+ text; internal to quint*.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace dissensus::conform {

/// What has no counterpart in TLA+ or is not what Quint writes.
class QuintError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class QuintTranslator {
 public:
  using Json = nlohmann::json;

  /// `module` outlives the translator.
  explicit QuintTranslator(const Json& module);

  std::string module_name() const { return module_name_; }
  /// There are an init and a step.
  bool has_behaviour() const { return root("init") != nullptr && root("step") != nullptr; }
  /// Throws QuintError when Init or Next cannot be written.
  std::string translate();

 private:
  /// In the initial predicate `x' = e` says something about the first state.
  enum class Mode { step, initial };

  struct Definition {
    const Json* expression = nullptr;  ///< null: a constant or variable
    std::string qualifier;
    std::string names[2];  ///< in TLA+, by mode
    enum class Progress { none, begun, written, left_out } progress[2] = {};
    std::string why;  ///< it was left out
    bool is_action = false;
  };
  struct Local {
    std::string name;
    std::string tla_name;
    const Json* lambda = nullptr;  ///< of an operator that LET defines
  };
  /// `is_closed`: needs no parentheses as an operand.
  struct Text {
    std::string text;
    bool is_closed = false;
  };

  // quint.cpp: definitions and names
  void declare(const Json& declaration);
  const Definition* root(std::string_view name) const;
  void name_definitions();
  bool assigns(const Json& expression, std::size_t depth = 0) const;
  void require(const std::string& name, Mode mode);
  void write(const std::string& name, Definition& definition, Mode mode);
  std::string fresh(std::string_view name) const;
  const Local* find_local(std::string_view name) const;
  std::string fresh_local(std::string_view name) const;
  std::string bind(std::string_view name);
  std::vector<std::string> bind_parameters(const Json& lambda);
  std::string with_helpers(const std::string& body) const;

  // quint_expression.cpp
  std::string block(const Json& expression, std::size_t column);
  std::string junction(const Json& arguments, std::string_view bullet, std::size_t column);
  std::string quantifier(std::string_view word, const Json& arguments, std::size_t column);
  // Over several lines from a column on, or on one line.
  std::string let_text(const Json& expression, std::optional<std::size_t> column);
  std::string match_text(const Json& arguments, std::optional<std::size_t> column);
  std::string branch_text(const Json& branch, const std::string& subject,
                          std::optional<std::size_t> column);
  std::string part_text(const Json& expression, std::optional<std::size_t> column);
  Text render(const Json& expression);
  Text render_application(const Json& expression);
  Text render_name(const std::string& name);
  Text render_record(const Json& arguments);
  Text render_assignment(const Json& arguments);
  Text render_call(const std::string& name, const Json& arguments);
  Text render_special(const std::string& opcode, const Json& arguments);
  Text fill(std::string_view opcode, std::string_view pattern, const Json& arguments);
  std::string closed(const Json& expression);
  std::string bare(const Json& expression);
  std::string list(const Json& arguments, bool is_closed);
  std::string definition_head(const std::string& tla_name, const Json& expression,
                              const Json** body);
  /// An operator as an argument: its name or a LAMBDA.
  std::string operator_argument(const Json& expression, std::size_t arity);
  /// The operator's parameter, bound, and its body: for {x \in S : body}.
  std::pair<std::string, std::string> bound_body(const Json& expression,
                                                 std::optional<std::size_t> column);
  std::vector<std::size_t> parameter_arities(const Json& lambda);
  std::size_t operator_arity(const Json& expression, const std::string& parameter,
                             std::size_t depth);
  const Json* lambda_of(const std::string& name) const;

  std::string module_name_;
  std::vector<std::string> order_;  ///< names in the order of the file
  std::map<std::string, Definition, std::less<>> definitions_;
  std::vector<std::string> constants_;
  std::vector<std::string> variables_;
  std::vector<const Json*> assumptions_;
  std::set<std::string, std::less<>> taken_;  ///< TLA+ names that no local may have
  std::vector<Local> locals_;
  std::map<const Json*, std::vector<std::size_t>> arities_;
  std::string written_;
  Mode mode_ = Mode::step;
  std::size_t depth_ = 0;
};

// Reading Quint's nodes; QuintError when a part is missing.
const nlohmann::json& quint_part(const nlohmann::json& node, const char* key);
const std::string& quint_text(const nlohmann::json& node, const char* key);
const nlohmann::json& quint_argument(const nlohmann::json& arguments, std::size_t index,
                                     std::string_view opcode);
/// How deep expressions may nest.
inline constexpr std::size_t kQuintDepthMax = 400;
/// A name that TLA+ allows, perhaps taken.
std::string quint_identifier(std::string_view name);
bool is_tla_keyword(std::string_view name);

}  // namespace dissensus::conform
