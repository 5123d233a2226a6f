#include "hunt/first_run.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dissensus/outside.h"
#include "dissensus/programs.h"

#include "run/recording.h"
#include "run/runner.h"

namespace dissensus::hunt {

namespace {

using About = InvariantDescription::About;

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  return text.substr(text.rfind('\n') + 1);
}

/// What a node's program wrote last.
std::string last_words(const run::RunResult& result, NodeId node) {
  for (const std::string& name :
       {fmt::format("servers/{}.log", node), fmt::format("nodes/n{}.log", node)}) {
    for (const Outside::Attachment& file : result.attachments) {
      if (file.name == name) return std::string(last_line(file.text));
    }
  }
  std::string words;
  for (const trace::Record& record : result.records) {
    const bool is_its = record.type == EventType::log && record.node == node;
    if (is_its && record.text != kNeverBegan) words = last_line(record.text);
  }
  return words;
}

/// Nodes whose programs ended before they had begun, in the order of their ends.
std::vector<NodeId> never_began(const run::RunResult& result) {
  std::vector<NodeId> nodes;
  for (const trace::Record& record : result.records) {
    if (record.type == EventType::log && record.text == kNeverBegan) nodes.push_back(record.node);
  }
  return nodes;
}

About about(const run::Scenario& scenario, const oracle::Violation& violation) {
  if (violation.property == "crash" && scenario.system->traits().outside) {
    return About::end_of_program;
  }
  if (violation.property != "invariant") return About::protocol;
  const auto& invariants = scenario.system_description().invariants;
  const auto found = std::find_if(
      invariants.begin(), invariants.end(),
      [&violation](const auto& invariant) { return invariant.name == violation.rule; });
  return found == invariants.end() ? About::protocol : found->about;
}

void refuse_mistakes(const run::Scenario& scenario, const run::RunResult& result) {
  const oracle::Violation& violation = result.verdict.violations.front();
  const About what = about(scenario, violation);
  if (what == About::understanding) {
    const NodeId node = violation.nodes.empty() ? kNoNode : violation.nodes.front();
    throw InputError(fmt::format("{}: node {}, without any fault: {}: {}", scenario.path, node,
                                 violation.rule, last_words(result, node)));
  }
  const std::vector<NodeId> ended = never_began(result);
  if (what != About::end_of_program || ended.empty()) return;
  const std::string words = last_words(result, ended.front());
  throw OutsideError(fmt::format("{}: node {} ends before it has begun, without any fault ({}){}",
                                 scenario.path, ended.front(), violation.rule,
                                 words.empty() ? "" : ": " + words));
}

}  // namespace

FirstRun try_without_faults(const run::Scenario& scenario, std::uint64_t seed) {
  FirstRun first;
  const SystemTraits traits = scenario.system->traits();
  run::Runner runner;
  // What is there once is recorded at once.
  run::RunResult result = runner.run(
      scenario, {}, seed, traits.repeatable ? run::RunOptions{} : run::with_everything());
  if (result.broken_off) throw OutsideError(result.ended_by);
  if (!result.verdict.violations.empty()) {
    if (traits.repeatable) result = runner.run(scenario, {}, seed, run::with_everything());
    refuse_mistakes(scenario, result);
    first.violation = result.verdict.violations.front().text;
  } else if (result.verdict.outcome == oracle::Outcome::unknown) {
    for (const oracle::PropertyVerdict& judged : result.verdict.properties) {
      if (judged.property == oracle::kEvidence) first.unknown = judged.reason;
    }
  }
  return first;
}

}  // namespace dissensus::hunt
