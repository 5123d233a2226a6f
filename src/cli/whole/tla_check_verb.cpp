#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/whole/tla_options.h"
#include "conform/quint.h"
#include "conform/tlc.h"
#include "core/file.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CheckVerb {
  SpecOptions spec;
  std::size_t workers = 0;
  bool deadlock = false, no_deadlock = false;
  std::uint64_t seed = 1;
  tla::CheckLimits limits;
  std::uint64_t limit_megabytes = 0;
  std::string itf, tlc;
  bool may_write = false;
  bool changes_only = false;
  std::size_t states_shown = 40;
  OutputOptions output;
};

/// With registers and statistics of the checker in the text, one worker is what the author meant.
std::size_t workers_for(const std::string& path) {
  constexpr std::size_t kBytesMax = std::size_t{64} << 20;
  const std::string text = read_file(path, kBytesMax);
  const bool is_about_checker =
      text.find("TLCSet") != std::string::npos || text.find("TLCGet") != std::string::npos;
  return is_about_checker ? 1 : default_jobs();
}

void show_progress(const tla::CheckProgress& progress) {
  fmt::print(stderr, "\r{} generated, {} distinct, {} queued, depth {}, {:.0f} s   ",
             grouped(progress.generated), grouped(progress.distinct), grouped(progress.queued),
             progress.depth, progress.seconds);
}

/// Of the properties that were asked for, those that were not checked, or only in part.
std::vector<std::string> unchecked_of(const tla::Spec& spec, const tla::CheckResult& result) {
  std::vector<std::string> names = spec.unchecked_properties();
  for (const std::string& name : result.unjudged_properties) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Properties that were asked for and not checked are part of the answer.
std::string verdict_of(const tla::Spec& spec, const tla::CheckResult& result) {
  if (result.outcome != tla::CheckOutcome::ok) return result.message;
  const std::vector<std::string> unchecked = unchecked_of(spec, result);
  if (!unchecked.empty()) {
    return fmt::format("safety holds in every reachable state; liveness was not checked: {}",
                       fmt::join(unchecked, ", "));
  }
  if (result.judged_properties.empty()) return "ok: every reachable state was checked";
  return fmt::format("ok: every reachable state was checked, and all fair behaviours for {}",
                     fmt::join(result.judged_properties, ", "));
}

void print_result(const CheckVerb& verb, const tla::Spec& spec, const tla::CheckResult& result) {
  if (result.left_out_symmetry) {
    fmt::print("notice    SYMMETRY is left out: it would make liveness unsound\n");
  }
  for (const std::string& remark : result.remarks) fmt::print("notice    {}\n", remark);
  fmt::print("result    {}\n", verdict_of(spec, result));
  fmt::print("states    {} generated, {} distinct, depth {}, {} not expanded\n",
             grouped(result.generated), grouped(result.distinct), result.depth,
             grouped(result.queued));
  fmt::print("time      {:.2f} s, {} states/s, {} MB; chance of a lost state {:.1e}\n",
             result.seconds, grouped(static_cast<std::uint64_t>(result.states_per_second())),
             result.peak_bytes >> 20, result.collision_estimate());
  if (result.outcome == tla::CheckOutcome::ok) print_actions(spec, result.steps_by_action);
  for (const tla::EvaluationError::Call& call : result.calls) {
    fmt::print("  in {} at {}\n", call.name, call.at.to_string());
  }
  tla::TextOptions text;
  text.changes_only = verb.changes_only;
  text.states_max = verb.states_shown;
  if (!result.trace.empty()) fmt::print("\n{}", tla::to_text(result.trace, text));
}

Json json_of(const tla::Spec& spec, const SpecOptions& options, const tla::CheckResult& result) {
  Json json;
  json["spec"] = spec.path();
  json["config"] = options.config_path.empty() ? Json(nullptr) : Json(options.config_path);
  json["result"] = tla::to_string(result.outcome);
  json["property"] = result.property.empty() ? Json(nullptr) : Json(result.property);
  json["message"] = result.message;
  json["distinct"] = result.distinct;
  json["generated"] = result.generated;
  json["initial"] = result.initial;
  json["queued"] = result.queued;
  json["depth"] = result.depth;
  json["seconds"] = result.seconds;
  json["cpu_seconds"] = result.cpu_seconds;
  json["states_per_second"] = result.states_per_second();
  json["peak_bytes"] = result.peak_bytes;
  json["collision_estimate"] = result.collision_estimate();
  if (result.outcome == tla::CheckOutcome::ok) {
    json["actions"] = json_of_actions(spec, result.steps_by_action);
  }
  json["temporal_properties"] = result.judged_properties;
  json["unchecked_properties"] = unchecked_of(spec, result);
  json["notices"] = json_of_notices(spec);
  json["remarks"] = result.remarks;
  json["trace"] = Json::parse(tla::to_json(result.trace));
  json["loop"] = result.trace.loop ? Json(*result.trace.loop) : Json(nullptr);
  return json;
}

ExitCode cross_check(const CheckVerb& verb, const tla::Spec& spec, const tla::CheckResult& result,
                     Json& json) {
  conform::TlcQuestion question;
  question.jar = verb.tlc;
  question.spec = spec.path();
  question.config = verb.spec.config_path;
  question.ignore_deadlock = verb.no_deadlock;
  const conform::TlcAnswer answer = conform::ask_tlc(question);
  const std::string difference = conform::disagreement(result, answer);
  json["tlc"] = {{"result", answer.result},
                 {"message", answer.message},
                 {"seconds", answer.seconds},
                 {"agrees", difference.empty()}};
  if (answer.distinct) json["tlc"]["distinct"] = *answer.distinct;
  if (answer.generated) json["tlc"]["generated"] = *answer.generated;
  if (answer.depth) json["tlc"]["depth"] = *answer.depth;
  if (!verb.output.json && !verb.output.quiet) {
    fmt::print("TLC       {} in {:.2f} s\n",
               difference.empty() ? "agrees" : "disagrees: " + difference, answer.seconds);
  }
  return difference.empty() ? exit_code_of(result.outcome) : kUnknown;
}

ExitCode check(CheckVerb& verb) {
  if (!verb.tlc.empty() && !verb.spec.constants.empty()) {
    throw InputError("--tlc: TLC knows only the constants of the configuration, not --constant");
  }
  const std::shared_ptr<const tla::Spec> spec = verb.spec.load();
  tla::CheckOptions options;
  options.workers =
      verb.workers == 0
          ? workers_for(conform::is_quint(verb.spec.spec) ? verb.spec.spec : spec->path())
          : verb.workers;
  if (verb.deadlock) options.deadlock = true;
  if (verb.no_deadlock) options.deadlock = false;
  options.seed = verb.seed;
  options.limits = verb.limits;
  options.limits.bytes = verb.limit_megabytes << 20;
  options.environment = tla::process_environment();
  options.may_write_files = verb.may_write;
  const bool shows_text = !verb.output.json && !verb.output.quiet;
  if (shows_text) {
    print_header(*spec, verb.spec,
                 fmt::format(", {} worker{}", options.workers, options.workers == 1 ? "" : "s"));
    options.print = [](std::string_view text) { fmt::print("{}\n", text); };
  }
  const bool shows_progress = !verb.output.quiet && is_terminal();
  if (shows_progress) options.progress = show_progress;
  const tla::CheckResult result = tla::check(spec, options);
  if (shows_progress) fmt::print(stderr, "\r{:78}\r", "");
  if (!verb.itf.empty() && !result.trace.empty()) {
    write_file(verb.itf, tla::to_itf(result.trace, spec->path()));
  }
  if (shows_text) print_result(verb, *spec, result);
  Json json = verb.output.json ? json_of(*spec, verb.spec, result) : Json::object();
  ExitCode code = exit_code_of(result.outcome);
  if (!verb.tlc.empty()) code = cross_check(verb, *spec, result, json);
  if (verb.output.json && !verb.output.quiet) fmt::print("{}\n", json.dump(2));
  return code;
}

}  // namespace

Verb add_tla_check_verb(CLI::App& tla) {
  CLI::App* app = tla.add_subcommand("check", "Visit every reachable state, breadth first");
  const auto verb = std::make_shared<CheckVerb>();
  verb->spec.add_to(*app);
  app->add_option("--workers", verb->workers,
                  "Threads; default: one per core, or 1 where the specification uses TLCGet or "
                  "TLCSet")
      ->check(CLI::Range(1, 256));
  CLI::Option* on =
      app->add_flag("--deadlock", verb->deadlock, "Report states without successor (default)");
  app->add_flag("--no-deadlock", verb->no_deadlock, "Do not")->excludes(on);
  app->add_option("--seed", verb->seed, "Of RandomElement and its like, in constants, too")
      ->capture_default_str();
  app->add_option("--limit-states", verb->limits.states, "Stop after so many distinct states");
  app->add_option("--limit-seconds", verb->limits.seconds, "Stop after this time");
  app->add_option("--limit-memory", verb->limit_megabytes, "Stop at so many MB");
  app->add_option("--limit-depth", verb->limits.depth, "Expand no state of this level or deeper");
  app->add_option("--itf", verb->itf, "Write the counterexample in Informal Trace Format")
      ->type_name("FILE");
  app->add_option("--tlc", verb->tlc, "Compare with TLC: its jar (several joined by ':')")
      ->type_name("JAR");
  app->add_option("--states", verb->states_shown, "States shown of a counterexample; 0 = all")
      ->capture_default_str();
  app->add_flag("--changes", verb->changes_only, "Of each step show only what changed");
  app->add_flag("--write-files", verb->may_write, "Let the specification write files");
  verb->output.add_to(*app);
  app->footer(
      "Exit codes: 0 everything that was checked holds, 1 violation, deadlock or false "
      "assumption,\n"
      "2 bad specification or usage, 3 incomplete.\n\n"
      "Examples:\n"
      "  dissensus tla check specs/examples/TwoPhase.tla\n"
      "  dissensus tla check Raft.tla --config small.cfg --constant 'Server={1, 2, 3}' --json");
  return {app, [verb] { return check(*verb); }};
}

}  // namespace dissensus::cli
