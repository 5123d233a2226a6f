// Trace specifications: they read a log themselves and say with their own variables how far they
// came.
#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"
#include "tla/exploration/search_worker.h"
#include "tla/logs/trace.h"

namespace dissensus::tla {

namespace {

constexpr std::size_t kSpecBytesMax = std::size_t{64} << 20;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The first of the expressions that the specification understands.
std::string first_that_compiles(Machine& machine, std::span<const std::string_view> expressions) {
  for (const std::string_view expression : expressions) {
    try {
      machine.compile(std::string(expression));
      return std::string(expression);
    } catch (const SpecError&) {
    }
  }
  return {};
}

std::string find_cursor(const Spec& spec) {
  static constexpr std::array<std::string_view, 8> kNames{"l",     "i",   "cursor", "line",
                                                          "index", "pos", "ln",     "idx"};
  for (const std::string_view name : kNames) {
    for (const std::string& variable : spec.variables()) {
      if (variable == name) return variable;
    }
  }
  return {};
}

std::string find_length(Machine& machine) {
  static constexpr std::array<std::string_view, 6> kExpressions{
      "Len(TraceLog)", "Len(JsonLog)", "Len(Trace)", "Len(Log)", "Len(trace)", "Len(ToTrace)"};
  return first_that_compiles(machine, kExpressions);
}

/// Explains the specification's own next-state relation in the last state of a behaviour.
Explanation explain_last(Machine& machine, const Behaviour& behaviour) {
  static constexpr std::array<std::string_view, 2> kNames{"TraceNext", "Next"};
  const Spec& spec = machine.spec();
  std::optional<ActionId> next;
  if (spec.config().next) next = spec.find_action(spec.config().next->name);
  for (const std::string_view name : kNames) {
    if (!next) next = spec.find_action(name);
  }
  if (!next || behaviour.empty() || !spec.actions()[*next].parameters.empty()) return {};
  State state;
  for (const Value value : behaviour[behaviour.size() - 1].state) {
    state.push_back(copied(machine.store(), value));
  }
  try {
    return machine.explain(state, *next, {});
  } catch (const EvaluationError&) {
    return {};
  }
}

}  // namespace

std::string log_variable_of(std::string_view spec_text) {
  // IOEnv.NAME; a name that is turned into a number is not a file.
  static constexpr std::string_view kAccess = "IOEnv.";
  for (std::size_t at = spec_text.find(kAccess); at != spec_text.npos;
       at = spec_text.find(kAccess, at + 1)) {
    const std::size_t begin = at + kAccess.size();
    std::size_t end = begin;
    while (end < spec_text.size() && is_word(spec_text[end])) ++end;
    const std::string_view before = spec_text.substr(0, at);
    if (end > begin && !before.ends_with("atoi(")) {
      return std::string(spec_text.substr(begin, end - begin));
    }
  }
  return {};
}

TraceSpecResult check_trace_spec(const std::shared_ptr<const Spec>& spec,
                                 const TraceSpecOptions& options) {
  TraceSpecResult result;
  CheckOptions check_options = options.check;
  if (!options.log.empty()) {
    result.variable = options.variable.empty()
                          ? log_variable_of(read_file(spec->path(), kSpecBytesMax))
                          : options.variable;
    if (result.variable.empty()) {
      throw InputError(fmt::format(
          "{}: reads no log by IOEnv.NAME; say with --log-variable which variable it takes",
          spec->path()));
    }
    std::erase_if(check_options.environment,
                  [&](const auto& entry) { return entry.first == result.variable; });
    check_options.environment.emplace_back(
        result.variable, std::filesystem::absolute(options.log).lexically_normal().string());
  }

  Machine machine(spec, check_options.machine);
  std::uint32_t level = 1;
  MachineSettings settings;
  set_up_environment(machine, check_options, settings, &level);
  result.cursor = options.cursor.empty() ? find_cursor(*spec) : options.cursor;
  result.length = options.length.empty() ? find_length(machine) : options.length;
  if (result.cursor.empty()) {
    throw InputError(fmt::format(
        "{}: found no variable for the position in the log (l, i, cursor...); name it with "
        "--cursor",
        spec->path()));
  }
  check_options.maximise = result.cursor;
  check_options.checks_liveness = false;  // the log is what it is about
  check_options.enough = result.length;
  if (check_options.depth_first && !result.length.empty()) {
    check_options.goal = fmt::format("({}) > ({})", result.cursor, result.length);
  }
  result.check = check(spec, check_options);
  result.deepest = result.check.maximum;
  result.lines = result.check.enough;
  // A specification that ends the search itself has seen what it wanted; its postcondition, if it
  // has one, is judged by the check.
  result.has_matched = result.check.reached_goal || result.check.was_asked_to_end ||
                       (result.deepest && result.lines && *result.deepest > *result.lines);
  if (!result.has_matched) {
    result.explanation = explain_last(machine, result.check.maximum_trace);
  }
  return result;
}

}  // namespace dissensus::tla
