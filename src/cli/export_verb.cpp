#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/plugins.h"
#include "cli/store_row.h"
#include "cli/verb.h"
#include "core/file.h"
#include "core/suggestion.h"
#include "trace/exporters.h"
#include "trace/trace_file.h"

namespace dissensus::cli {

namespace {

struct ExportOptions {
  std::string path;
  std::string format;
  std::string out;
  std::string from;
  std::string until;
  std::vector<std::string> hide;
  std::size_t messages_max = trace::DiagramOptions{}.messages_max;
  PluginOptions plugins;
  OutputOptions output;
};

Time parse_moment(const std::string& option, const std::string& text, Time fallback) {
  if (text.empty()) return fallback;
  const auto duration = parse_duration(text);
  if (!duration)
    throw InputError(fmt::format("{}: expected a time such as 2.5s, found '{}'", option, text));
  return Time{} + *duration;
}

trace::DiagramOptions diagram_options(const ExportOptions& options, const trace::Header& header) {
  trace::DiagramOptions diagram;
  diagram.from = parse_moment("--from", options.from, diagram.from);
  diagram.until = parse_moment("--until", options.until, diagram.until);
  diagram.messages_max = options.messages_max;
  for (const std::string& name : options.hide) {
    const auto found = std::find(header.kinds.begin(), header.kinds.end(), name);
    if (found == header.kinds.end()) {
      throw InputError(fmt::format("--hide: no message kind '{}'{} (known: {})", name,
                                   suggestion(name, header.kinds), fmt::join(header.kinds, ", ")));
    }
    diagram.hidden_kinds.insert(static_cast<MessageKind>(found - header.kinds.begin()));
  }
  return diagram;
}

struct ExportAnswer {
  std::optional<std::string> format;
  std::optional<std::string> content;
  std::optional<std::string> written;
  std::optional<std::size_t> bytes;
};
template <class Visit>
constexpr void fields_of(const ExportAnswer*, const Visit& visit) {
  visit("format", &ExportAnswer::format);
  visit("content", &ExportAnswer::content, "where --out names no file");
  visit("written", &ExportAnswer::written);
  visit("bytes", &ExportAnswer::bytes);
}
const AnswerRegistration kExportAnswer = answers_with<ExportAnswer>("export");

ExitCode export_trace(const ExportOptions& options) {
  const Registry registry = options.plugins.load();
  const std::string path = folder_of_run(options.path, registry.systems);
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  const trace::Trace trace = trace::read_trace(is_folder ? path + "/trace.jsonl.gz" : path);
  std::ostringstream content;
  if (options.format == "svg") {
    trace::export_svg(trace, diagram_options(options, trace.header), content);
  } else if (options.format == "dot") {
    trace::export_dot(trace, content);
  } else if (options.format == "shiviz") {
    trace::export_shiviz(trace, content);
  } else if (options.format == "perfetto") {
    trace::export_perfetto(trace, content);
  } else {
    trace::export_json(trace, content);
  }
  if (options.out.empty()) {
    const OutputOptions output{options.output.json, false};  // it was asked for
    print_answer(output, ExportAnswer{options.format, content.str(), {}, {}}, content.str());
    return kAllHeld;
  }
  write_file(options.out, content.str());
  print_answer(options.output, ExportAnswer{{}, {}, options.out, content.str().size()},
               fmt::format("wrote {}\n", options.out));
  return kAllHeld;
}

}  // namespace

Verb add_export_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("export", "Draw a trace or convert it for another tool");
  const auto options = std::make_shared<ExportOptions>();
  app->add_option("trace", options->path, "Trace file or run folder")->required();
  app->add_option("--to", options->format, "svg, dot, shiviz, perfetto or json")
      ->required()
      ->check(CLI::IsMember({"svg", "dot", "shiviz", "perfetto", "json"}));
  app->add_option("-o,--out", options->out, "File to write; default: standard output");
  app->add_option("--from", options->from, "svg: draw from this time on, e.g. 2.5s");
  app->add_option("--until", options->until, "svg: draw up to this time");
  app->add_option("--hide", options->hide, "svg: message kinds to leave out");
  app->add_option("--messages", options->messages_max, "svg: draw at most so many messages")
      ->capture_default_str();
  // A trace says itself what its messages are. The option is here so that it goes with every verb
  // that is given a run of a plugin's system.
  options->plugins.add_to(*app, false);
  options->output.add_to(*app);
  app->footer("Example:\n  dissensus export runs/latest --to svg -o diagram.svg");
  return {app, [options] { return export_trace(*options); }};
}

}  // namespace dissensus::cli
