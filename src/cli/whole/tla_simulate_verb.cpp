#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/whole/tla_options.h"
#include "core/file.h"
#include "tla/linking/program.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct SimulateVerb {
  SpecOptions spec;
  tla::SimulateOptions options;
  std::size_t workers = 0;
  bool deadlock = false, no_deadlock = false;
  std::vector<std::string> weights;
  std::string out;
  std::string format = "log";
  std::string itf;
  std::size_t states_shown = 40;
  OutputOptions output;
};

/// A walk ends: what it says of behaviours without end is nothing.
void print_unjudged(const tla::Spec& spec) {
  for (const tla::TemporalProperty& property : spec.program().temporal_properties) {
    fmt::print("notice    {}: temporal property {} is not judged by walks\n",
               property.entry.at.to_string(), property.name);
  }
}

void write_walk(const SimulateVerb& verb, const tla::Spec& spec, const tla::Walk& walk) {
  const std::string stem = fmt::format("walk-{:05}", walk.number);
  if (verb.format == "itf") {
    write_file((fs::path(verb.out) / (stem + ".itf.json")).string(),
               tla::to_itf(walk.behaviour, spec.path()));
  } else if (verb.format == "json") {
    write_file((fs::path(verb.out) / (stem + ".json")).string(),
               tla::to_json(walk.behaviour) + '\n');
  } else {
    write_file((fs::path(verb.out) / (stem + ".ndjson")).string(), tla::to_log(walk.behaviour));
  }
}

void print_result(const SimulateVerb& verb, const tla::Spec& spec,
                  const tla::SimulateResult& result) {
  for (const std::string& remark : result.remarks) fmt::print("notice    {}\n", remark);
  fmt::print("result    {}\n", result.outcome == tla::CheckOutcome::ok
                                   ? "ok: no walk broke a property"
                                   : result.message);
  fmt::print("walks     {}, {} states, {} distinct, the longest {}\n", grouped(result.walks),
             grouped(result.states), grouped(result.distinct), result.longest);
  fmt::print("ended by  ");
  bool is_first = true;
  for (std::size_t i = 0; i < result.ends.size(); ++i) {
    if (result.ends[i] == 0) continue;
    fmt::print("{}{} {}", is_first ? "" : ", ", tla::to_string(static_cast<tla::WalkEnd>(i)),
               grouped(result.ends[i]));
    is_first = false;
  }
  fmt::print("\ntime      {:.2f} s, {} states/s\n", result.seconds,
             grouped(static_cast<std::uint64_t>(
                 result.seconds > 0 ? static_cast<double>(result.states) / result.seconds : 0)));
  print_actions(spec, result.steps_by_action);
  if (result.trace.empty()) return;
  tla::TextOptions text;
  text.states_max = verb.states_shown;
  fmt::print("\nwalk {} of seed {}:\n{}", result.failing_walk, verb.options.seed,
             tla::to_text(result.trace, text));
}

Json json_of(const SimulateVerb& verb, const tla::Spec& spec, const tla::SimulateResult& result) {
  Json json;
  json["spec"] = spec.path();
  json["result"] = tla::to_string(result.outcome);
  json["property"] = result.property.empty() ? Json(nullptr) : Json(result.property);
  json["message"] = result.message;
  json["seed"] = verb.options.seed;
  json["walks"] = result.walks;
  json["states"] = result.states;
  json["distinct"] = result.distinct;
  json["longest"] = result.longest;
  json["ends"] = Json::object();
  for (std::size_t i = 0; i < result.ends.size(); ++i) {
    json["ends"][std::string(tla::to_string(static_cast<tla::WalkEnd>(i)))] = result.ends[i];
  }
  json["actions"] = json_of_actions(spec, result.steps_by_action);
  json["seconds"] = result.seconds;
  json["states_per_second"] =
      result.seconds > 0 ? static_cast<double>(result.states) / result.seconds : 0;
  json["failing_walk"] = result.trace.empty() ? Json(nullptr) : Json(result.failing_walk);
  json["notices"] = json_of_notices(spec);
  json["remarks"] = result.remarks;
  json["trace"] = Json::parse(tla::to_json(result.trace));
  return json;
}

ExitCode simulate(SimulateVerb& verb) {
  const std::shared_ptr<const tla::Spec> spec = verb.spec.load();
  if (!spec->has_behaviour()) {
    throw InputError(
        fmt::format("{}: has no initial predicate and next-state relation; the "
                    "configuration names them with SPECIFICATION, or INIT and NEXT",
                    spec->path()));
  }
  tla::SimulateOptions& options = verb.options;
  options.workers = verb.workers == 0 ? default_jobs() : verb.workers;
  if (verb.deadlock) options.deadlock = true;
  if (verb.no_deadlock) options.deadlock = false;
  for (const std::string& weight : verb.weights) {
    options.weights.push_back(split_number(weight, "--weight"));
  }
  options.environment = tla::process_environment();
  options.keep_behaviours = !verb.out.empty();
  if (!verb.out.empty()) make_folders(verb.out);
  const bool shows_text = !verb.output.json && !verb.output.quiet;
  if (shows_text) {
    print_header(*spec, verb.spec, "");
    print_unjudged(*spec);
  }
  const tla::SimulateResult result = tla::simulate(spec, options, [&](const tla::Walk& walk) {
    if (!verb.out.empty()) write_walk(verb, *spec, walk);
  });
  if (!verb.itf.empty() && !result.trace.empty()) {
    write_file(verb.itf, tla::to_itf(result.trace, spec->path()));
  }
  if (shows_text) print_result(verb, *spec, result);
  if (verb.output.json && !verb.output.quiet) {
    fmt::print("{}\n", json_of(verb, *spec, result).dump(2));
  }
  return exit_code_of(result.outcome);
}

}  // namespace

Verb add_tla_simulate_verb(CLI::App& tla) {
  CLI::App* app =
      tla.add_subcommand("simulate", "Random walks, with properties checked on the way");
  const auto verb = std::make_shared<SimulateVerb>();
  verb->spec.add_to(*app);
  app->add_option("--walks", verb->options.walks, "How many walks")->capture_default_str();
  app->add_option("--depth", verb->options.depth, "States per walk")->capture_default_str();
  app->add_option("--seed", verb->options.seed, "Of all randomness")->capture_default_str();
  app->add_option("--weight", verb->weights,
                  "ACTION=NUMBER: how often it is tried first; 0 = never")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_flag("--swarm", verb->options.swarm,
                "Switch off a random part of the actions in three walks of four");
  app->add_option("--limit-seconds", verb->options.seconds, "Start no walk after this time");
  app->add_option("--workers", verb->workers, "Threads; default: one per core")
      ->check(CLI::Range(1, 256));
  CLI::Option* on =
      app->add_flag("--deadlock", verb->deadlock, "Report states without successor (default)");
  app->add_flag("--no-deadlock", verb->no_deadlock, "Do not")->excludes(on);
  app->add_option("--out", verb->out, "Folder for a file per walk")->type_name("FOLDER");
  app->add_option("--format", verb->format, "Of these files: log (as tla trace reads), json or itf")
      ->check(CLI::IsMember({"log", "json", "itf"}))
      ->capture_default_str();
  app->add_option("--itf", verb->itf, "Write the failing walk in Informal Trace Format")
      ->type_name("FILE");
  app->add_option("--states", verb->states_shown, "States shown of a failing walk; 0 = all")
      ->capture_default_str();
  verb->output.add_to(*app);
  app->footer(
      "Example:\n"
      "  dissensus tla simulate specs/examples/TwoPhase.tla --walks 1000 --weight Prepare=8 "
      "--swarm");
  return {app, [verb] { return simulate(*verb); }};
}

}  // namespace dissensus::cli
