#include "conform/external_tlc.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "core/file.h"

namespace dissensus::conform {
namespace {

constexpr std::string_view kModule = "DissensusTrace";

std::string module_name(const std::string& spec_path) {
  return std::filesystem::path(spec_path).stem().string();
}

/// One event as a conjunction: where in the trace, the action, and how the node looks afterwards.
std::string event_formula(BoundMapping& mapping, const Observation& observation,
                          const tla::Label& label, bool is_last, std::size_t line) {
  std::string text = fmt::format("  \\/ /\\ line = {}\n     /\\ {}\n     /\\ line' = {}\n", line,
                                 tla::to_string(mapping.model().machine().spec(), label), line + 1);
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
  const tla::Config& config = mapping.model().machine().spec().config();
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
  tla::Machine& machine = mapping.model().machine();
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

std::string trace_module(BoundMapping& mapping, const ObservedTrace& trace, std::size_t events_most,
                         std::size_t& events) {
  const tla::Spec& spec = mapping.model().machine().spec();
  std::string text = fmt::format("---- MODULE {} ----\nEXTENDS {}\nVARIABLE line\n\n", kModule,
                                 module_name(spec.path()));
  for (const std::string& name : constants_of(mapping)) {
    text += fmt::format("Trace_{} == {}\n", name, tla::to_string(value_of(mapping, name)));
  }
  text += "TraceInit == Init /\\ line = 1\n\nTraceNext ==\n";
  std::size_t line = 1;
  events = 0;
  for (const Observation& observation : trace.observations) {
    if (events == events_most) break;
    const BoundMapping::Meaning meaning = mapping.meaning(observation);
    ++events;
    for (std::size_t index = 0; index < meaning.labels.size(); ++index) {
      text += event_formula(mapping, observation, meaning.labels[index],
                            index + 1 == meaning.labels.size(), line++);
    }
  }
  text += fmt::format("\nTraceIsNotOver == line < {}\n====\n", line);
  return text;
}

TlcVerdict judge_with_tlc(BoundMapping& mapping, const std::string& spec_path,
                          const ObservedTrace& trace, const TlcOptions& options) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "dissensus-tlc-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw InputError("no temporary folder can be made");
  const fs::path folder = pattern;
  const std::unique_ptr<const fs::path, void (*)(const fs::path*)> cleaner(
      &folder, [](const fs::path* path) {
        std::error_code ignored;
        fs::remove_all(*path, ignored);
      });
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(spec_path).parent_path())) {
    if (entry.path().extension() == ".tla") {
      fs::copy_file(entry.path(), folder / entry.path().filename());
    }
  }
  TlcVerdict verdict;
  write_file((folder / (std::string(kModule) + ".tla")).string(),
             trace_module(mapping, trace, options.events_most, verdict.events));
  write_file((folder / (std::string(kModule) + ".cfg")).string(), config_text(mapping));
  const std::string log = (folder / "log").string();
  const std::string command = fmt::format(
      "cd '{}' && '{}' -XX:+UseSerialGC -cp '{}' tlc2.TLC -workers 1 -metadir '{}/states' {}.tla "
      "> '{}' 2>&1 < /dev/null",
      folder.string(), options.java, options.jar, folder.string(), kModule, log);
  const auto start = std::chrono::steady_clock::now();
  const int status = std::system(command.c_str());
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string said = read_file(log, std::size_t{256} << 20);
  if (said.find("Invariant TraceIsNotOver is violated") != std::string::npos) {
    verdict.is_admitted = true;
    return verdict;
  }
  const std::size_t depth_at = said.find("The depth of the complete state graph search is ");
  if (depth_at == std::string::npos) {
    const std::size_t error = said.find("Error: ");
    throw InputError(fmt::format("TLC gave no verdict (exit {}): {}", status,
                                 error == std::string::npos
                                     ? "is that its jar?"
                                     : said.substr(error, said.find('\n', error) - error)));
  }
  verdict.refused = std::stoul(said.substr(depth_at + 48));
  return verdict;
}

}  // namespace dissensus::conform
