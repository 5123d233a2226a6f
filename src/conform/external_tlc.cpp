#include "conform/external_tlc.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "conform/tlc.h"
#include "core/file.h"

namespace dissensus::conform {
namespace {

constexpr std::string_view kModule = "DissensusTrace";

std::string module_name(const std::string& spec_path) {
  return std::filesystem::path(spec_path).stem().string();
}

/// A step that changes nothing.
std::string unchanged(const tla::Spec& spec) {
  return fmt::format("UNCHANGED <<{}>>", fmt::join(spec.variables(), ", "));
}

/// One step as a conjunction: where in the trace, the action, and how the node looks afterwards.
std::string step_formula(BoundMapping& mapping, const Observation& observation,
                         const std::string& action, bool is_last, std::size_t line) {
  std::string text = fmt::format("  \\/ /\\ line = {}\n     /\\ {}\n     /\\ line' = {}\n", line,
                                 action, line + 1);
  if (!is_last || observation.state.is_null()) return text;
  text += fmt::format("     /\\ LET node == {}\n            state == {} IN\n", observation.node,
                      tla::to_string(observation.state));
  for (const MappingView& view : mapping.mapping().views) {
    std::string comparison;
    const std::string model = fmt::format("({})'", view.model.text);
    switch (view.compare) {
      case MappingView::Compare::equal:
        comparison = fmt::format("{} = ({})", model, view.implementation.text);
        break;
      case MappingView::Compare::subset:
        comparison = fmt::format("({}) \\subseteq {}", view.implementation.text, model);
        break;
      case MappingView::Compare::superset:
        comparison = fmt::format("{} \\subseteq ({})", model, view.implementation.text);
        break;
      case MappingView::Compare::prefix:
        comparison = fmt::format("SubSeq({}, 1, Len({})) = ({})", model, view.implementation.text,
                                 view.implementation.text);
        break;
    }
    if (view.when) comparison = fmt::format("({}) => ({})", view.when->text, comparison);
    text += fmt::format("          /\\ {}\n", comparison);
  }
  return text;
}

/// The model's constants, by name.
std::vector<std::string> constants_of(const BoundMapping& mapping) {
  const tla::Config& config = mapping.machine().spec().config();
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& assignment : config.assignments) add(assignment.name.name);
  for (const auto& replacement : config.replacements) add(replacement.name.name);
  for (const auto& [name, text] : mapping.mapping().constants) add(name);
  return names;
}

tla::Value value_of(const BoundMapping& mapping, const std::string& constant) {
  tla::Machine& machine = mapping.machine();
  return machine.store().canonical(machine.evaluate(*machine.compile(constant)));
}

/// The constants have the values that they have here, whatever they came from.
std::string config_text(const BoundMapping& mapping) {
  std::string text =
      "INIT TraceInit\nNEXT TraceNext\nINVARIANT TraceIsNotOver\nCHECK_DEADLOCK FALSE\nCONSTANTS\n";
  for (const std::string& name : constants_of(mapping)) {
    const tla::Value value = value_of(mapping, name);
    text += value.is_cell() && value.is(tla::Type::model_value)
                ? fmt::format("  {} = {}\n", name, tla::to_string(value))
                : fmt::format("  {} <- Trace_{}\n", name, name);
  }
  return text;
}

}  // namespace

TraceModule trace_module(BoundMapping& mapping, const ObservedTrace& trace) {
  const tla::Spec& spec = mapping.machine().spec();
  TraceModule module;
  module.text = fmt::format("---- MODULE {} ----\nEXTENDS {}\nVARIABLE line\n\n", kModule,
                            module_name(spec.path()));
  for (const std::string& name : constants_of(mapping)) {
    module.text += fmt::format("Trace_{} == {}\n", name, tla::to_string(value_of(mapping, name)));
  }
  module.text += "TraceInit == Init /\\ line = 1\n\nTraceNext ==\n";
  using Type = BoundMapping::Meaning::Type;
  for (std::size_t event = 0; event < trace.observations.size(); ++event) {
    const Observation& observation = trace.observations[event];
    const BoundMapping::Meaning meaning = mapping.meaning(observation);
    if (meaning.type == Type::pending) continue;
    std::vector<std::string> actions;
    for (const tla::Label& label : meaning.labels) actions.push_back(tla::to_string(spec, label));
    if (meaning.type == Type::stutter) actions.push_back(unchanged(spec));
    if (meaning.type == Type::unmapped) actions.push_back("FALSE /\\ " + unchanged(spec));
    for (std::size_t index = 0; index < actions.size(); ++index) {
      module.events.push_back(event + 1);
      module.text += step_formula(mapping, observation, actions[index], index + 1 == actions.size(),
                                  module.events.size());
    }
  }
  module.text += fmt::format("\nTraceIsNotOver == line < {}\n====\n", module.events.size() + 1);
  return module;
}

TlcVerdict judge_with_tlc(BoundMapping& mapping, const std::string& spec_path,
                          const ObservedTrace& trace, const TlcOptions& options) {
  namespace fs = std::filesystem;
  if (mapping.has_hidden()) {
    throw InputError(fmt::format("{}: TLC is given whole traces, and this mapping has hidden steps",
                                 mapping.mapping().path));
  }
  const TraceModule module = trace_module(mapping, trace);
  if (module.events.empty()) return {true, 0, 0};
  const TemporaryFolder folder;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::absolute(spec_path).parent_path())) {
    if (entry.path().extension() == ".tla") {
      fs::copy_file(entry.path(), folder.path() / entry.path().filename());
    }
  }
  TlcVerdict verdict;
  TlcQuestion question;
  question.jar = options.jar;
  question.java = options.java;
  question.spec = (folder.path() / (std::string(kModule) + ".tla")).string();
  question.config = (folder.path() / (std::string(kModule) + ".cfg")).string();
  write_file(question.spec, module.text);
  write_file(question.config, config_text(mapping));
  const TlcAnswer answer = ask_tlc(question);
  verdict.seconds = answer.seconds;
  verdict.is_admitted =
      answer.result == "violation" && answer.message.find("TraceIsNotOver") != std::string::npos;
  if (verdict.is_admitted) return verdict;
  if (answer.result != "ok" || !answer.depth) {
    throw InputError(fmt::format("TLC gave no verdict: {}",
                                 answer.message.empty() ? "is that its jar?" : answer.message));
  }
  // As deep as it came, so many steps less one were taken.
  const std::size_t step = std::max<std::size_t>(*answer.depth, 1);
  verdict.refused = module.events[std::min(step, module.events.size()) - 1];
  return verdict;
}

}  // namespace dissensus::conform
