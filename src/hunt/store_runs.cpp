#include "hunt/store_runs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "core/assert.h"
#include "faults/schedule_bytes.h"
#include "hunt/kept_runs.h"
#include "hunt/row_recipe.h"
#include "hunt/sql.h"
#include "isolate/signs.h"
#include "run/recording.h"
#include "run/remake.h"

namespace dissensus::hunt {

namespace {

constexpr std::array<std::string_view, 4> kProperties{"agreement", "validity", "integrity",
                                                      "termination"};

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void add_label(const std::string& name, std::vector<std::string>& labels) {
  if (std::find(labels.begin(), labels.end(), name) == labels.end()) labels.push_back(name);
}

}  // namespace

void read_result(const run::RunResult& result, const trace::Header& header,
                 isolate::InboxCollector& collector, isolate::Run& run) {
  collector.start(run);
  for (const trace::Record& record : result.records) collector.add(record, run);
  run.failing = result.verdict.outcome == oracle::Outcome::fail;
  std::vector<isolate::Failure> failures;
  if (run.failing) {
    for (const oracle::Violation& violation : result.verdict.violations)
      failures.push_back({violation.signature(), violation.event, violation.nodes});
  }
  run.symptom = failures.empty() ? "" : failures.front().signature;
  run.signs = isolate::signs_of(header, result.records, failures);
}

StoreSource::StoreSource(std::string path, std::optional<isolate::Declaration> declaration,
                         const SystemRegistry& systems, std::uint64_t hunt)
    : path_(std::move(path)),
      shown_(sql::is_url(path_) ? sql::without_password(path_) : path_),
      systems_(systems),
      reader_(path_),
      hunts_(reader_.hunts()) {
  if (hunts_.empty()) throw InputError(shown_ + ": this store holds no runs");
  if (hunt != 0) hunts_ = {hunt_of_row(reader_, hunt, shown_)};
  std::vector<std::string> labels(kProperties.begin(), kProperties.end());
  std::vector<std::string> kinds;
  for (const HuntRecord& record : hunts_) {
    const run::Scenario scenario =
        run::parse_scenario(record.scenario, shown_ + "(scenario)", systems);
    for (const oracle::Rule& rule : scenario.oracle.rules) add_label(rule.name, labels);
    trace::Header header;
    trace::describe(scenario.system_description(), scenario.nodes(), header);
    if (&record == &hunts_.front()) {
      declaration_ = declaration ? std::move(*declaration) : isolate::declaration_of(header);
      kinds = header.kinds;
    }
    if (header.kinds != kinds || scenario.nodes() != declaration_.schema.nodes) {
      throw InputError(fmt::format("{}: runs of {} have other messages or nodes than those of {}",
                                   shown_, record.scenario_name, hunts_.front().scenario_name));
    }
  }
  declaration_.schema.labels = std::move(labels);
  open(hunts_.front());
}

void StoreSource::open(const HuntRecord& hunt) {
  scenario_ = run::parse_scenario(hunt.scenario, shown_ + "(scenario)", systems_);
  header_ = {};
  trace::describe(scenario_.system_description(), scenario_.nodes(), header_);
  collector_.emplace(declaration_, header_);
  items_.emplace(reader_.items(hunt.id));
}

void StoreSource::sample(double failing_share, double passing_share) {
  failing_share_ = failing_share;
  passing_share_ = passing_share;
}

bool StoreSource::is_drawn(const ItemRecord& item) const {
  const double share = item.outcome == oracle::Outcome::fail ? failing_share_ : passing_share_;
  if (share >= 1) return true;
  return Random(static_cast<std::uint64_t>(hunts_[hunt_].id), "sample", item.number).unit() < share;
}

std::string StoreSource::name_of(const HuntRecord& hunt, const ItemRecord& item) const {
  return fmt::format("{}#{}/{}", shown_, hunt.id, item.number + 1);
}

bool StoreSource::is_new(const ItemRecord& item) {
  // Two runs of real servers are two, whatever they have in common.
  if (hunts_.size() == 1 || !scenario_.system->traits().repeatable) return true;
  const Digest key = DigestBuilder()
                         .add(std::string_view(hunts_[hunt_].scenario))
                         .add(std::string_view(item.schedule))
                         .add(item.seed)
                         .finish();
  if (seen_.insert(key).second) return true;
  ++repeated_;
  return false;
}

void StoreSource::end_hunt() {
  if (repeated_ > 0) {
    repetitions_.push_back(
        fmt::format("{}: {} of the {} runs of hunt {} are runs of an earlier hunt, made again: "
                    "they count once",
                    shown_, repeated_, reader_.item_count(hunts_[hunt_].id), hunts_[hunt_].id));
  }
  repeated_ = 0;
}

bool StoreSource::next(isolate::Run& run) {
  if (hunt_ >= hunts_.size()) return false;
  for (;;) {
    if (!items_->next(item_)) {
      end_hunt();
      if (++hunt_ >= hunts_.size()) return false;
      open(hunts_[hunt_]);
      continue;
    }
    if (!is_new(item_) || item_.outcome == oracle::Outcome::unknown || !is_drawn(item_)) continue;
    const run::RunResult result = run_again(item_);
    read_result(result, header_, *collector_, run);
    if (interventions_ && run.failing) add_answers(scenario_, schedule_of(item_), item_.seed, run);
    run.name = name_of(hunts_[hunt_], item_);
    run.link.clear();
    run.labels = labels_of(result.verdict);
    return true;
  }
}

faults::Schedule StoreSource::schedule_of(const ItemRecord& item) const {
  return faults::decode_schedule(item.schedule, name_of(hunts_[hunt_], item),
                                 scenario_.system_description(), scenario_.nodes());
}

void StoreSource::ask(std::function<bool()> keep_going) {
  if (!scenario_.system->traits().repeatable)
    throw InputError(shown_ + ": runs of real servers cannot be made again to ask what they need");
  interventions_.emplace(std::move(keep_going));
}

void StoreSource::add_answers(const run::Scenario& scenario, const faults::Schedule& schedule,
                              std::uint64_t seed, isolate::Run& run) {
  for (isolate::Sign& sign : interventions_->ask(scenario, schedule, seed, run.symptom))
    run.signs.push_back(std::move(sign));
}

run::RunResult StoreSource::run_again(const ItemRecord& item) {
  if (!scenario_.system->traits().repeatable) {
    return *read_kept_run(kept_runs_prefix(path_, hunts_[hunt_].id), item.number);
  }
  const faults::Schedule schedule = schedule_of(item);
  run::RunResult result = runner_.run(scenario_, schedule, item.seed, run::with_trace());
  if (result.hash != item.hash) {
    const std::string hash = trace::to_hex(item.hash);
    const run::Recipe recipe{scenario_, schedule, item.seed, std::nullopt, hash};
    const run::Recorded recorded{
        name_of(hunts_[hunt_], item), run::ending_of(item.outcome, item.signature), {}};
    throw InputError(run::difference_of(recipe, result, run::with_trace(), recorded));
  }
  return result;
}

isolate::Run StoreSource::read(const run::Recipe& recipe) {
  isolate::Run run;
  read_result(runner_.run(recipe.scenario, recipe.schedule, recipe.seed, run::with_trace()),
              header_, *collector_, run);
  if (interventions_ && run.failing)
    add_answers(recipe.scenario, recipe.schedule, recipe.seed, run);
  run.name = recipe.hash;
  return run;
}

run::Recipe StoreSource::recipe_of(const std::string& run_name) {
  const std::string_view row = std::string_view(run_name).substr(run_name.rfind('#') + 1);
  const std::size_t slash = row.find('/');
  std::uint64_t hunt = 0;
  std::uint64_t number = 0;
  if (slash == std::string_view::npos || !read_number(row.substr(0, slash), hunt) ||
      !read_number(row.substr(slash + 1), number)) {
    throw InputError(fmt::format("{}: no run '{}'", shown_, run_name));
  }
  return recipe_of_row(reader_, hunt_of_row(reader_, hunt, shown_), number, shown_, run_name,
                       systems_);
}

std::uint64_t StoreSource::labels_of(const oracle::Verdict& verdict) const {
  const std::vector<std::string>& names = declaration_.schema.labels;
  std::uint64_t labels = 0;
  const auto set = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return false;
    labels |= std::uint64_t{1} << (found - names.begin());
    return true;
  };
  for (const oracle::Violation& violation : verdict.violations) {
    if (!set(violation.rule)) set(violation.property);
  }
  return labels;
}

}  // namespace dissensus::hunt
