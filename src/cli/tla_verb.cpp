// TLA+ specifications, checked, walked, matched with logs, and evaluated (docs/tla-engine.md).
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/tla_options.h"
#include "cli/verb.h"
#include "conform/tla/machine.h"
#include "conform/tla/search_worker.h"
#include "core/suggestion.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EvalOptions {
  std::string expression;
  SpecOptions spec;
  bool in_initial_states = false;
  OutputOptions output;
};

/// A module to evaluate in when the user names none: everything that a calculation may need.
std::shared_ptr<const tla::Spec> calculator() {
  tla::SpecOptions options;
  options.modules.emplace_back(
      "Calculator",
      "---- MODULE Calculator ----\n"
      "EXTENDS Integers, Sequences, FiniteSets, Bags, TLC, SequencesExt, FiniteSetsExt, Functions, "
      "Folds\n"
      "====\n");
  return tla::Spec::load("Calculator.tla", {}, options);
}

ExitCode evaluate(EvalOptions& options) {
  constexpr std::size_t kStatesMax = 20;
  const std::shared_ptr<const tla::Spec> spec =
      options.spec.spec.empty() ? calculator() : options.spec.load();
  tla::Machine machine(spec);
  tla::CheckOptions settings;
  settings.environment = tla::process_environment();
  settings.print = [](std::string_view text) { fmt::print("{}\n", text); };
  std::uint32_t level = 1;
  tla::set_up_environment(machine, settings, {}, &level);
  const auto expression = machine.compile(options.expression);
  std::vector<tla::Value> values;
  if (options.in_initial_states) {
    std::vector<tla::State> states;
    machine.initial_states([&](const tla::State& state) {
      states.push_back(state);
      return states.size() < kStatesMax;
    });
    for (const tla::State& state : states) {
      values.push_back(machine.evaluate(*expression, &state));
    }
  } else {
    values.push_back(machine.evaluate(*expression));
  }
  for (const tla::Value value : values) {
    if (options.output.quiet) continue;
    if (options.output.json) {
      Json json;
      json["value"] = tla::to_string(value);
      json["json"] = Json::parse(tla::to_json(value));
      fmt::print("{}\n", json.dump());
    } else {
      fmt::print("{}\n", tla::to_pretty_string(value));
    }
  }
  return kAllHeld;
}

/// Words that the program's own explanation does not see: it looks at verbs.
void refuse_unknown_words(const CLI::App& verb) {
  const std::vector<std::string> words = verb.remaining();
  if (words.empty()) return;
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  throw InputError(fmt::format("tla {0}: unexpected '{1}'{2} (see dissensus tla {0} --help)",
                               verb.get_name(), words.front(), suggestion(words.front(), known)));
}

ExitCode run(const CLI::App& tla, const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    names.push_back(verb.app->get_name());
    if (!verb.app->parsed()) continue;
    refuse_unknown_words(*verb.app);
    return verb.execute();
  }
  const std::vector<std::string> words = tla.remaining();
  if (words.empty()) {
    throw InputError(fmt::format("tla: expected what to do ({})", fmt::join(names, ", ")));
  }
  throw InputError(fmt::format("tla: no verb '{}'{} (verbs: {})", words.front(),
                               suggestion(words.front(), names), fmt::join(names, ", ")));
}

}  // namespace

Verb add_tla_eval_verb(CLI::App& tla) {
  CLI::App* app = tla.add_subcommand("eval", "Evaluate an expression");
  const auto options = std::make_shared<EvalOptions>();
  app->add_option("expression", options->expression, "TLA+ expression")->required();
  options->spec.add_to(*app, false);
  app->add_flag("--initial", options->in_initial_states,
                "Evaluate in each initial state (at most 20) of the specification");
  options->output.add_to(*app);
  app->footer(
      "Examples:\n"
      "  dissensus tla eval '{x * x : x \\in 1..5}'\n"
      "  dissensus tla eval 'Quorum({1, 2})' --spec specs/dag/Dag.tla");
  return {app, [options] { return evaluate(*options); }};
}

Verb add_tla_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "tla", "TLA+ specifications: check, simulate, match with a log, evaluate");
  app->require_subcommand(0, 1);
  app->allow_extras();  // unknown words are explained by run
  std::vector<Verb> verbs{add_tla_check_verb(*app), add_tla_simulate_verb(*app),
                          add_tla_trace_verb(*app), add_tla_eval_verb(*app)};
  app->footer(
      "Exit codes: 0 everything holds, 1 violation or deadlock, 2 bad specification or usage,\n"
      "3 incomplete.\n\nExample:\n  dissensus tla check specs/examples/TwoPhase.tla");
  return {app, [app, verbs] { return run(*app, verbs); }};
}

}  // namespace dissensus::cli
