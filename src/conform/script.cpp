#include "conform/script.h"

#include <fmt/format.h>

#include "tla/syntax/ast.h"

namespace dissensus::conform {

std::vector<tla::Label> parse_labels(tla::Machine& model, const std::vector<std::string>& texts) {
  std::vector<tla::Label> labels;
  for (const std::string& text : texts) {
    const auto source = std::make_shared<const tla::Source>(tla::Source{"label", text});
    const tla::ExpressionPtr expression = tla::parse_expression(source);
    std::string name;
    for (const tla::PathPart& part : expression->path) name += part.name + "!";
    name += expression->name;
    const auto action = model.spec().find_action(name);
    if (!action) throw InputError(fmt::format("\"{}\": the model has no such action", text));
    tla::Label label{*action, {}};
    for (const tla::ExpressionPtr& operand : expression->operands) {
      const auto compiled = model.compile(operand->at.excerpt(text.size() + 1));
      label.arguments.push_back(model.store().canonical(model.evaluate(*compiled)));
    }
    if (label.arguments.size() != model.spec().actions()[*action].parameters.size()) {
      throw InputError(fmt::format("\"{}\": wrong number of arguments", text));
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

namespace {

/// Workflow I: the implementation takes the step, the model follows.
ScriptResult drive_script(Pairing& pairing, std::span<const tla::Label> labels,
                          tla::FunctionRef<void(const ScriptStep&)> watch) {
  Lockstep& lockstep = pairing.lockstep();
  ScriptResult result;
  for (const tla::Label& label : labels) {
    const tla::State before = pairing.judge().frontier().front();
    bool is_done = false;
    result.violation = lockstep.drive(label, is_done);
    if (!is_done) continue;
    ++result.used;
    watch({lockstep.seen(), before, pairing.judge().frontier().front(), label});
    if (result.violation) break;
  }
  return result;
}

/// Workflow II: the model takes the step, the implementation follows.
ScriptResult follow_script(Pairing& pairing, std::span<const tla::Label> labels,
                           tla::FunctionRef<void(const ScriptStep&)> watch) {
  Lockstep& lockstep = pairing.lockstep();
  ScriptResult result;
  for (const tla::Label& label : labels) {
    const tla::State before = lockstep.state();
    std::optional<tla::State> next;
    pairing.machine().perform(before, label.action, label.arguments, [&](const tla::State& state) {
      next = state;
      return false;
    });
    if (!next) continue;  // not possible without a step that was left out
    ++result.used;
    result.violation = lockstep.step(label, *next);
    watch({lockstep.seen(), before, result.violation ? *next : lockstep.state(), label});
    if (result.violation) break;
  }
  return result;
}

}  // namespace

ScriptResult run_script(Pairing& pairing, int workflow, std::uint64_t seed,
                        std::span<const tla::Label> labels,
                        tla::FunctionRef<void(const ScriptStep&)> watch) {
  pairing.lockstep().start(seed);
  return workflow == 1 ? drive_script(pairing, labels, watch)
                       : follow_script(pairing, labels, watch);
}

ScriptResult run_script(Pairing& pairing, int workflow, std::uint64_t seed,
                        std::span<const tla::Label> labels) {
  return run_script(pairing, workflow, seed, labels, [](const ScriptStep&) {});
}

ObservedTrace record_run(Pairing& pairing, run::Runner& runner, std::uint64_t seed,
                         std::size_t most) {
  TraceRecorder recorder(pairing.mapping(), most);
  Stepper stepper(*pairing.scenario().system, seed);
  stepper.start();
  recorder.trace().initial_states =
      node_states(pairing.machine().store(), stepper, pairing.scenario().nodes());
  run::RunOptions options;
  options.sinks = {&recorder};
  runner.run(pairing.scenario(), {}, seed, options);
  return std::move(recorder.trace());
}

}  // namespace dissensus::conform
