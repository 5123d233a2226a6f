#include "serve/comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "diff/difference.h"
#include "diff/neighbour.h"
#include "diff/steps.h"
#include "serve/json_text.h"
#include "trace/dependence.h"

namespace dissensus::serve {

namespace {

/// Records of steps that the other run does not have, ascending.
std::vector<std::size_t> only_here(const diff::Steps& steps) {
  std::vector<std::size_t> records;
  for (const diff::Step& step : steps.all) {
    if (step.equal != diff::kNone) continue;
    records.push_back(step.record);
    records.insert(records.end(), step.effects.begin(), step.effects.end());
  }
  std::sort(records.begin(), records.end());
  return records;
}

Json record_of(const LoadedRun& run, EventId event) {
  const std::size_t record = trace::find_record(run.trace, event);
  return record == trace::kNoIndex ? Json(nullptr) : Json(record);
}

}  // namespace

std::optional<std::pair<std::shared_ptr<const LoadedRun>, std::string>> nearest_passing(
    const LoadedRun& failing, const std::function<bool()>& keep_going) {
  diff::NeighbourOptions options;
  options.keep_going = keep_going;
  auto neighbour = diff::nearest_passing(recipe_that_repeats(failing), failing.trace, options);
  if (!neighbour) return std::nullopt;
  auto run = std::make_shared<LoadedRun>();
  run->recipe = std::move(neighbour->recipe);
  *run->was_made_again = true;
  run->trace = std::move(neighbour->trace);
  run->verdict.outcome = oracle::Outcome::pass;
  index_run(*run);
  return std::pair{std::shared_ptr<const LoadedRun>(run), neighbour->words};
}

std::string comparison_members(const LoadedRun& failing, const LoadedRun& passing) {
  const trace::Header& a = failing.trace.header;
  const trace::Header& b = passing.trace.header;
  if (failing.verdict.violations.empty()) {
    throw InputError("neither run fails; expected a failing one to compare with");
  }
  if (a.system != b.system || a.nodes != b.nodes) {
    throw InputError(
        fmt::format("a run of {} with {} nodes cannot be compared with one of {} with {}", a.system,
                    a.nodes, b.system, b.nodes));
  }
  const oracle::Violation& violation = failing.verdict.violations.front();
  const diff::Difference difference = diff::compare(failing.trace, violation, passing.trace);
  diff::Steps here(failing.trace);
  diff::Steps there(passing.trace);
  diff::align(here, there);
  Json json{{"words", diff::in_words(difference, violation)},
            {"equal_steps", difference.equal},
            {"only_failing", only_here(here)},
            {"only_passing", only_here(there)},
            {"first", nullptr},
            {"chain", Json::array()},
            {"waiting", Json::array()}};
  if (difference.first) {
    const diff::Divergence& first = *difference.first;
    json["first"] = {
        {"node", first.node},
        {"failing", first.failing ? record_of(failing, first.failing->event) : Json(nullptr)},
        {"passing", first.passing ? record_of(passing, first.passing->event) : Json(nullptr)},
        {"failing_came", first.failing ? first.failing->came : ""},
        {"passing_came", first.passing ? first.passing->came : ""},
        {"fate_of_expected", first.fate_of_expected},
        {"fate_of_other", first.fate_of_other}};
  }
  for (const diff::Moment& moment : difference.chain) {
    json["chain"].push_back({{"record", record_of(failing, moment.event)},
                             {"node", moment.node},
                             {"time_us", microseconds_of(moment.time)},
                             {"came", moment.came},
                             {"did", moment.did},
                             {"instead", moment.instead}});
  }
  for (const diff::Waiting& waiting : difference.waiting) {
    json["waiting"].push_back({{"node", waiting.node},
                               {"since_us", microseconds_of(waiting.since)},
                               {"state", waiting.state},
                               {"asked", waiting.asked},
                               {"heard", waiting.heard},
                               {"missing", waiting.missing}});
  }
  const std::string text = to_text(json);
  return text.substr(1, text.size() - 2);
}

}  // namespace dissensus::serve
