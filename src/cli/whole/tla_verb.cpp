// TLA+ specifications, checked, walked, matched with logs, and evaluated (docs/tla-engine.md).
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "cli/whole/tla_options.h"
#include "tla/evaluation/machine.h"
#include "tla/exploration/search_worker.h"

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
      "tla", "TLA+ specifications: check, simulate, match with a log, evaluate, translate PlusCal");
  app->require_subcommand(0, 1);
  app->allow_extras();  // unknown words are explained by run_part
  std::vector<Verb> verbs{add_tla_check_verb(*app), add_tla_simulate_verb(*app),
                          add_tla_trace_verb(*app), add_tla_eval_verb(*app),
                          add_tla_translate_verb(*app)};
  app->footer(
      "Exit codes: 0 everything holds, 1 violation or deadlock, 2 bad specification or usage,\n"
      "3 incomplete.\n\nExample:\n  dissensus tla check specs/examples/TwoPhase.tla");
  return {app, [app, verbs] { return run_part(*app, verbs); }};
}

}  // namespace dissensus::cli
