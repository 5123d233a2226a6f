// The user's TLC as a second judge of whole runs (docs/conformance.md).
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/plugins.h"
#include "cli/whole/conform_parts.h"
#include "conform/external_tlc.h"
#include "conform/quint.h"
#include "conform/workflow.h"

namespace dissensus::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TlcVerb {
  std::string mapping;
  conform::TlcOptions tlc;
  std::size_t rounds = 3;
  std::uint64_t seed = 1;
  std::size_t steps = 200;
  ScenarioChanges changes;
  std::vector<std::string> constants;
  PluginOptions plugins;
  OutputOptions output;
};

/// What both said of one run.
struct TwoVerdicts {
  std::size_t events = 0;
  bool is_cut = false;
  bool is_known = true;  ///< the judge came to a verdict
  std::size_t refused = 0;
  conform::TlcVerdict tlc;
  bool agree() const { return is_known && refused == tlc.refused; }
};

TwoVerdicts judge_one(conform::Conformance& conformance, const conform::Mapping& mapping,
                      const TlcVerb& verb, const conform::WorkflowLimits& limits) {
  const conform::Conformance::Run run = conformance.next_run(limits);
  conform::Judge& judge = run.pairing.judge();
  const auto violation = judge.judge(run.trace);
  TwoVerdicts verdicts;
  verdicts.events = run.trace.observations.size();
  verdicts.is_cut = run.trace.is_cut;
  // TLC is not asked about properties of the implementation's own states.
  verdicts.is_known =
      !judge.is_unknown() && (!violation || violation->type != conform::Violation::Type::property);
  verdicts.refused = violation ? violation->step : 0;
  verdicts.tlc = conform::judge_with_tlc(run.pairing.mapping(), mapping.spec, run.trace, verb.tlc);
  return verdicts;
}

std::string to_text(std::size_t refused) {
  return refused == 0 ? "admits it" : fmt::format("refuses event {}", refused);
}

ExitCode ask(const TlcVerb& verb) {
  const conform::Mapping mapping = conform::load_mapping(verb.mapping);
  if (conform::is_quint(mapping.spec)) {
    throw InputError(fmt::format("{}: TLC reads TLA+, this is Quint", mapping.spec));
  }
  conform::WorkflowLimits limits;
  limits.trace_events = verb.steps;
  const Registry registry = verb.plugins.load();
  conform::Conformance conformance(mapping, variant_of(verb.changes, verb.constants), verb.seed,
                                   registry.systems);
  Json runs = Json::array();
  std::size_t admitted = 0, refused = 0, apart = 0, unknown = 0, cut = 0;
  for (std::size_t round = 0; round < verb.rounds; ++round) {
    const TwoVerdicts one = judge_one(conformance, mapping, verb, limits);
    unknown += one.is_known ? 0 : 1;
    apart += one.is_known && !one.agree() ? 1 : 0;
    refused += one.agree() && one.refused > 0 ? 1 : 0;
    admitted += one.agree() && one.refused == 0 && one.events > 0 ? 1 : 0;
    cut += one.is_cut ? 1 : 0;
    runs.push_back({{"events", one.events},
                    {"cut", one.is_cut},
                    {"refused", one.is_known ? Json(one.refused) : Json(nullptr)},
                    {"tlc_refused", one.tlc.refused},
                    {"tlc_seconds", one.tlc.seconds}});
    if (verb.output.quiet || verb.output.json) continue;
    fmt::print("run {}: {} events{}; the judge {}; TLC {} ({:.2f} s){}\n", round + 1, one.events,
               one.is_cut ? " and more" : "", one.is_known ? to_text(one.refused) : "does not say",
               to_text(one.tlc.refused), one.tlc.seconds,
               one.is_known && !one.agree() ? ": THEY DISAGREE" : "");
  }
  const std::string sentence = fmt::format(
      "{} runs: both admit {}, both refuse {} at the same event, {} apart, {} without a verdict; "
      "{} "
      "judged in part",
      verb.rounds, admitted, refused, apart, unknown, cut);
  if (verb.output.json) {
    fmt::print("{}\n", Json{{"message", sentence},
                            {"admitted", admitted},
                            {"refused", refused},
                            {"apart", apart},
                            {"unknown", unknown},
                            {"runs", runs}}
                           .dump());
  } else if (!verb.output.quiet) {
    fmt::print("{}\n", sentence);
  }
  if (apart > 0 || unknown > 0 || admitted + refused == 0) return kUnknown;
  return refused > 0 ? kViolation : kAllHeld;
}

}  // namespace

Verb add_conform_tlc_verb(CLI::App& conform) {
  CLI::App* app = conform.add_subcommand("tlc", "Let the user's TLC judge runs as well");
  const auto verb = std::make_shared<TlcVerb>();
  app->add_option("MAPPING", verb->mapping, "Mapping file")->required();
  app->add_option("--jar", verb->tlc.jar, "TLC: tla2tools.jar (several joined by ':')")->required();
  app->add_option("--java", verb->tlc.java, "The program that runs it")->capture_default_str();
  app->add_option("--rounds", verb->rounds, "Runs")->capture_default_str();
  app->add_option("--seed", verb->seed, "Seed of everything drawn")->capture_default_str();
  app->add_option("--limit-steps", verb->steps, "Of a run; TLC reads them as one formula")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
  verb->changes.add_to(*app);
  app->add_option("--constant", verb->constants, "NAME=VALUE of the model");
  verb->plugins.add_to(*app, false);
  verb->output.add_to(*app);
  app->footer(
      "Exit codes: 0 both admit all, 1 both refuse a run, 2 bad input, 3 they disagree or nothing "
      "was judged.\n\n"
      "Example:\n  dissensus conform tlc specs/dag/mapping.toml --jar tla2tools.jar");
  return {app, [verb] { return ask(*verb); }};
}

}  // namespace dissensus::cli
