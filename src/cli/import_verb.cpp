#include <memory>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/verb.h"
#include "core/file.h"
#include "search/genotype.h"
#include "systems/built_in/built_in.h"
#include "systems/xrpl/outside/recording.h"
#include "trace/node_log.h"

namespace dissensus::cli {

namespace {

struct ImportOptions {
  std::string path;
  std::string scenario;
  std::string out;
  bool back = false;
  OutputOptions output;
};

/// Without a file, the answer is the schedule itself (docs/formats/schedule.md).
struct WrittenFile {
  std::string written;
  std::size_t bytes = 0;
};
DISSENSUS_DESCRIBE(WrittenFile, written, bytes)

ExitCode import_rocket(const ImportOptions& options) {
  const run::Scenario scenario = run::load_scenario(options.scenario, built_in_systems());
  std::string content;
  if (options.back) {
    content = search::to_rocket(run::load_schedule(options.path, scenario), scenario);
  } else {
    const std::string text = read_file(options.path, kScheduleBytesMax);
    content = faults::to_json(search::from_rocket(text, options.path, scenario),
                              scenario.system_description(), scenario.nodes());
  }
  if (options.out.empty()) {
    fmt::print("{}", content);
    return kAllHeld;
  }
  write_file(options.out, content);
  print_answer(options.output, WrittenFile{options.out, content.size()},
               fmt::format("wrote {}\n", options.out));
  return kAllHeld;
}

Verb add_rocket_part(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "rocket", "A vector of Rocket: one number per message type, sender and receiver");
  const auto options = std::make_shared<ImportOptions>();
  app->add_option("file", options->path,
                  "Vector file: a JSON list, or numbers with commas or blanks")
      ->required();
  app->add_option("--scenario", options->scenario, "Scenario that the schedule is for")->required();
  app->add_flag("--back", options->back, "The file is a schedule: write it as a vector");
  app->add_option("-o,--out", options->out, "File to write; default: standard output");
  options->output.add_to(*app);
  app->footer(
      "Example:\n"
      "  dissensus import rocket vector.json --scenario scenarios/xrpl/operators-2025.toml -o "
      "s.json\n"
      "  dissensus run scenarios/xrpl/operators-2025.toml --schedule s.json");
  return {app, [options] { return import_rocket(*options); }};
}

struct RecordingOptions {
  std::string messages;
  std::string cases;
  std::string id;
  std::string out;
  std::size_t nodes = 5;
  OutputOptions output;
};

struct WrittenLogs {
  std::string written;
  std::size_t nodes = 0;
};
DISSENSUS_DESCRIBE(WrittenLogs, written, nodes)
const AnswerRegistration kWrittenLogs = answers_with<WrittenLogs>("import recording");

ExitCode import_recording(const RecordingOptions& options) {
  trace::NodeLogFiles files(options.out, options.nodes);
  xrpl::OutsideSteps outside(files);
  xrpl::replay_recording(options.messages, options.cases, options.id, outside);
  files.finish();
  print_answer(options.output, WrittenLogs{options.out, options.nodes},
               fmt::format("wrote logs of {} nodes to {}\n", options.nodes, options.out));
  return kAllHeld;
}

Verb add_recording_part(CLI::App& program) {
  CLI::App* app = program.add_subcommand(
      "recording", "Recorded messages of rippled servers as node logs, for conform follow");
  const auto options = std::make_shared<RecordingOptions>();
  app->add_option("messages", options->messages, "Messages that a relay wrote down (JSON lines)")
      ->required();
  app->add_option("--cases", options->cases, "Which ledgers nodes validated (JSON lines)");
  app->add_option("--id", options->id, "Of the case in --cases")->needs("--cases");
  app->add_option("--nodes", options->nodes, "How many")->check(CLI::Range(1, 1000));
  app->add_option("-o,--out", options->out, "Folder for the logs")->required();
  options->output.add_to(*app);
  app->footer(
      "Example:\n"
      "  dissensus import recording a-01.jsonl.gz --cases cases.jsonl.gz --id a-01 -o logs\n"
      "  dissensus conform follow specs/xrpl/outside.toml logs/node-*.jsonl");
  return {app, [options] { return import_recording(*options); }};
}

}  // namespace

Verb add_import_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("import", "Read schedules and recordings of other tools");
  app->require_subcommand(0, 1);
  app->allow_extras();
  app->footer(
      "Example:\n  dissensus import rocket vector.json --scenario "
      "scenarios/xrpl/thesis.toml");
  const std::vector<Verb> parts{add_rocket_part(*app), add_recording_part(*app)};
  return {app, [app, parts] { return run_part(*app, parts); }};
}

}  // namespace dissensus::cli
