#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/whole/tla_options.h"

namespace dissensus::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TraceVerb {
  SpecOptions spec;
  std::string events;  ///< a log of ours
  std::vector<std::string> hidden;
  std::size_t frontier = tla::LogOptions{}.frontier_max;
  bool no_invariants = false;
  tla::TraceSpecOptions trace;
  tla::CheckLimits limits;
  OutputOptions output;
};

constexpr std::size_t kGuardsShown = 5;

// A log of ours

ExitCode exit_code_of_log(tla::LogOutcome outcome) {
  switch (outcome) {
    case tla::LogOutcome::matched:
      return kAllHeld;
    case tla::LogOutcome::rejected:
    case tla::LogOutcome::violation:
      return kViolation;
    case tla::LogOutcome::error:
      return kBadInput;
    case tla::LogOutcome::incomplete:
      break;
  }
  return kUnknown;
}

void print_log_result(const tla::LogResult& result) {
  fmt::print("result    {}\n", result.outcome == tla::LogOutcome::matched
                                   ? "matched: the model admits the log"
                                   : result.message);
  fmt::print("events    {} matched, {} model states visited, at most {} agreed at once{}\n",
             grouped(result.events), grouped(result.states), grouped(result.frontier),
             result.used_hidden_steps ? ", with hidden steps" : "");
  fmt::print("time      {:.3f} s\n", result.seconds);
  if (result.outcome == tla::LogOutcome::matched) return;
  if (!result.event.empty()) fmt::print("\nline {}: {}\n", result.line, result.event);
  print_explanation(result.explanation, kGuardsShown);
  if (!result.differences.empty()) fmt::print("where log and model differ:\n");
  for (const tla::Difference& difference : result.differences) {
    fmt::print("  {}: logged {}, model {}\n", difference.what, difference.logged,
               difference.modelled);
  }
  if (!result.enabled.empty()) {
    fmt::print("enabled instead, the most similar first:\n");
    for (const std::string& action : result.enabled) fmt::print("  {}\n", action);
  }
  if (!result.before.empty()) {
    std::string text = tla::to_text(result.before);
    text.erase(0, text.find('\n') + 1);
    fmt::print("the model's state {}:\n{}",
               result.outcome == tla::LogOutcome::violation ? "after it" : "before it", text);
  }
}

Json json_of_log(const tla::LogResult& result) {
  Json json;
  json["result"] = tla::to_string(result.outcome);
  json["message"] = result.message;
  json["property"] = result.property.empty() ? Json(nullptr) : Json(result.property);
  json["events"] = result.events;
  json["line"] = result.line == 0 ? Json(nullptr) : Json(result.line);
  json["states"] = result.states;
  json["frontier"] = result.frontier;
  json["hidden_steps"] = result.used_hidden_steps;
  json["enabled"] = result.is_enabled;
  json["guards"] = cli::json_of(result.explanation);
  json["differences"] = Json::array();
  for (const tla::Difference& difference : result.differences) {
    json["differences"].push_back({{"what", difference.what},
                                   {"logged", Json::parse(difference.logged)},
                                   {"model", difference.modelled}});
  }
  json["instead"] = result.enabled;
  json["seconds"] = result.seconds;
  json["state"] = Json::parse(tla::to_json(result.before));
  return json;
}

ExitCode match_log(TraceVerb& verb, const std::shared_ptr<const tla::Spec>& spec) {
  tla::LogOptions options;
  for (const std::string& hidden : verb.hidden) {
    const auto [name, count] = split_number(hidden, "--hidden");
    options.hidden.emplace_back(name, static_cast<std::uint32_t>(count));
  }
  options.frontier_max = verb.frontier;
  options.check_invariants = !verb.no_invariants;
  options.environment = tla::process_environment();
  const tla::LogResult result = tla::check_log(spec, verb.events, options);
  if (!verb.output.quiet) {
    if (verb.output.json) {
      fmt::print("{}\n", json_of_log(result).dump(2));
    } else {
      print_header(*spec, verb.spec, "");
      print_log_result(result);
    }
  }
  return exit_code_of_log(result.outcome);
}

// A trace specification

std::string verdict_of(const tla::TraceSpecResult& result) {
  if (result.check.outcome != tla::CheckOutcome::ok) return result.check.message;
  if (result.has_matched) return "matched: the specification admits the log";
  if (!result.deepest) return "no state was found";
  if (!result.lines) {
    return fmt::format("{} came to {}; how long the log is could not be found (--length)",
                       result.cursor, *result.deepest);
  }
  return fmt::format("rejected: line {} of {} fits no step", *result.deepest, *result.lines);
}

ExitCode exit_code_of_trace(const tla::TraceSpecResult& result) {
  if (result.check.outcome != tla::CheckOutcome::ok) return exit_code_of(result.check.outcome);
  if (result.has_matched) return kAllHeld;
  return result.lines ? kViolation : kUnknown;
}

Json json_of_trace(const tla::Spec& spec, const tla::TraceSpecResult& result) {
  Json json;
  json["result"] = result.check.outcome != tla::CheckOutcome::ok
                       ? std::string(tla::to_string(result.check.outcome))
                   : result.has_matched ? "matched"
                   : result.lines       ? "rejected"
                                        : "incomplete";
  json["message"] = verdict_of(result);
  json["deepest"] = result.deepest ? Json(*result.deepest) : Json(nullptr);
  json["lines"] = result.lines ? Json(*result.lines) : Json(nullptr);
  json["distinct"] = result.check.distinct;
  json["generated"] = result.check.generated;
  json["depth"] = result.check.depth;
  json["property"] = result.check.property.empty() ? Json(nullptr) : Json(result.check.property);
  json["seconds"] = result.check.seconds;
  json["cpu_seconds"] = result.check.cpu_seconds;
  json["peak_bytes"] = result.check.peak_bytes;
  json["guards"] = cli::json_of(result.explanation);
  json["notices"] = json_of_notices(spec);
  const tla::Behaviour& trace =
      result.check.trace.empty() ? result.check.maximum_trace : result.check.trace;
  json["trace"] = Json::parse(tla::to_json(trace));
  return json;
}

void print_trace_result(const tla::TraceSpecResult& result) {
  fmt::print("result    {}\n", verdict_of(result));
  if (result.deepest && result.lines) {
    fmt::print("log       {} came to {}, the log has {} lines\n", result.cursor, *result.deepest,
               *result.lines);
  }
  fmt::print("states    {} generated, {} distinct, depth {}\n", grouped(result.check.generated),
             grouped(result.check.distinct), result.check.depth);
  fmt::print("time      {:.2f} s, CPU {:.2f} s, {} MB\n", result.check.seconds,
             result.check.cpu_seconds, result.check.peak_bytes >> 20);
  if (result.check.outcome == tla::CheckOutcome::ok && result.has_matched) return;
  print_explanation(result.explanation, kGuardsShown);
  const tla::Behaviour& trace =
      result.check.trace.empty() ? result.check.maximum_trace : result.check.trace;
  tla::TextOptions text;
  text.states_max = 2;
  text.changes_only = true;
  if (!trace.empty()) fmt::print("\n{}", tla::to_text(trace, text));
}

ExitCode run_trace_spec(TraceVerb& verb, const std::shared_ptr<const tla::Spec>& spec) {
  tla::TraceSpecOptions& options = verb.trace;
  options.check.environment = tla::process_environment();
  options.check.limits = verb.limits;
  const bool shows_text = !verb.output.json && !verb.output.quiet;
  if (shows_text) print_header(*spec, verb.spec, "");
  const tla::TraceSpecResult result = tla::check_trace_spec(spec, options);
  if (shows_text) print_trace_result(result);
  if (verb.output.json && !verb.output.quiet)
    fmt::print("{}\n", json_of_trace(*spec, result).dump(2));
  return exit_code_of_trace(result);
}

ExitCode trace(TraceVerb& verb) {
  const std::shared_ptr<const tla::Spec> spec = verb.spec.load();
  if (!spec->has_behaviour()) {
    throw InputError(
        fmt::format("{}: has no initial predicate and next-state relation; the "
                    "configuration names them with SPECIFICATION, or INIT and NEXT",
                    spec->path()));
  }
  return verb.events.empty() ? run_trace_spec(verb, spec) : match_log(verb, spec);
}

}  // namespace

Verb add_tla_trace_verb(CLI::App& tla) {
  CLI::App* app = tla.add_subcommand("trace", "Does the specification admit what a log says?");
  const auto verb = std::make_shared<TraceVerb>();
  verb->spec.add_to(*app);
  CLI::Option* events =
      app->add_option("log", verb->events,
                      "Events, one JSON object per line (docs/formats/tla-trace.md); without it, "
                      "SPEC is a trace specification that reads a log itself");
  events->type_name("LOG");
  app->add_option("--hidden", verb->hidden, "ACTION=COUNT: steps that the log may leave out")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--frontier", verb->frontier, "Most model states that may agree with the log")
      ->capture_default_str();
  app->add_flag("--no-invariants", verb->no_invariants, "Do not check invariants on the way");
  app->add_option("--log", verb->trace.log, "The log that a trace specification is to read")
      ->excludes(events)
      ->type_name("FILE");
  app->add_option("--log-variable", verb->trace.variable,
                  "Environment variable by which it learns the log; default: found in its text");
  app->add_option("--cursor", verb->trace.cursor,
                  "Expression for the next line of the log; default: its variable l, i, cursor...");
  app->add_option("--length", verb->trace.length,
                  "Expression for the number of lines; default: Len(TraceLog)...");
  app->add_flag("--dfs", verb->trace.check.depth_first,
                "Depth first, and stop at the first match: for logs that leave much open");
  app->add_option("--limit-states", verb->limits.states, "Stop after so many distinct states");
  app->add_option("--limit-seconds", verb->limits.seconds, "Stop after this time");
  verb->output.add_to(*app);
  app->footer(
      "Examples:\n"
      "  dissensus tla trace specs/examples/TwoPhase.tla run.ndjson --hidden Timeout=1\n"
      "  dissensus tla trace Traceetcdraft.tla --log example.ndjson");
  return {app, [verb] { return trace(*verb); }};
}

}  // namespace dissensus::cli
