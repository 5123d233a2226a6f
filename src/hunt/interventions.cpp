#include "hunt/interventions.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "faults/kinds.h"
#include "faults/single.h"
#include "isolate/signs.h"

namespace dissensus::hunt {
namespace {

using faults::Fault;
using faults::Schedule;

const std::string& kind_of(const Fault& fault) {
  return fault.kind().name;
}

/// What makes nodes is no trouble that could be left out.
bool may_go(const Fault& fault) {
  return !faults::adds_nodes(fault);
}

std::set<std::string> kinds_of(const std::vector<Fault>& list) {
  std::set<std::string> kinds;
  for (const Fault& fault : list) {
    if (may_go(fault)) kinds.insert(kind_of(fault));
  }
  return kinds;
}

bool has_delays(const Schedule& schedule) {
  const auto* delays = std::get_if<faults::DelaySchedule>(&schedule.scheduler);
  return delays != nullptr && std::any_of(delays->delay_ms.begin(), delays->delay_ms.end(),
                                          [](std::uint32_t delay) { return delay > 0; });
}

class Questions {
 public:
  Questions(const run::Scenario& scenario, const Schedule& schedule)
      : scenario_(scenario),
        schedule_(schedule),
        genes_{scenario.nodes(), scenario.system_description().kinds.size()} {}

  std::vector<Question> all() {
    const std::set<std::string> kinds = kinds_of(schedule_.faults);
    const bool is_scheduled = schedule_.scheduler.index() != 0;
    for (const std::string& kind : kinds) take_away(kind);
    if (kinds.size() + (is_scheduled ? 1 : 0) > 1) {
      for (const std::string& kind : kinds) keep(kind);
    }
    if (is_scheduled) take_scheduler_away();
    const auto& messages = scenario_.system_description().kinds;
    for (std::size_t kind = 0; kind < messages.size(); ++kind) {
      if (has_delays(schedule_)) let_be_in_time(kind, messages[kind].name);
      withhold(static_cast<MessageKind>(kind), messages[kind].name);
    }
    return std::move(list_);
  }

 private:
  void add(Schedule schedule, const std::string& what, std::string if_it_fails,
           std::string if_not) {
    list_.push_back({std::move(schedule), fmt::format("{}, {}", isolate::kIntervention, what),
                     std::move(if_it_fails), std::move(if_not)});
  }

  void take_away(const std::string& kind) {
    Schedule changed = schedule_;
    std::erase_if(changed.faults, [&](const Fault& fault) { return kind_of(fault) == kind; });
    add(std::move(changed), kind, {},
        fmt::format("Without its faults of kind {} it does not fail so.", kind));
  }
  void keep(const std::string& kind) {
    Schedule changed = schedule_;
    changed.scheduler = std::monostate{};
    std::erase_if(changed.faults,
                  [&](const Fault& fault) { return may_go(fault) && kind_of(fault) != kind; });
    add(std::move(changed), kind, fmt::format("Its faults of kind {} alone make it fail so.", kind),
        {});
  }
  void take_scheduler_away() {
    Schedule changed = schedule_;
    changed.scheduler = std::monostate{};
    add(std::move(changed), "delays", {}, "Without its delays it does not fail so.");
  }
  void let_be_in_time(std::size_t kind, const std::string& name) {
    Schedule changed = schedule_;
    auto& delays = std::get<faults::DelaySchedule>(changed.scheduler).delay_ms;
    bool is_changed = false;
    for (std::size_t gene = 0; gene < delays.size(); ++gene) {
      if (genes_.gene(gene).kind != kind || delays[gene] == 0) continue;
      delays[gene] = 0;
      is_changed = true;
    }
    if (!is_changed) return;
    add(std::move(changed), "delays of " + name, {},
        fmt::format("With every {} in time it does not fail so.", name));
  }
  void withhold(MessageKind kind, const std::string& name) {
    Schedule changed = schedule_;
    changed.faults.push_back(faults::lost({std::nullopt, std::nullopt, kind}, {},
                                          std::numeric_limits<std::uint32_t>::max()));
    add(std::move(changed), name, {}, fmt::format("Without any {} it does not fail so.", name));
  }

  const run::Scenario& scenario_;
  const Schedule& schedule_;
  faults::GeneSpace genes_;
  std::vector<Question> list_;
};

}  // namespace

std::vector<Question> questions_about(const run::Scenario& scenario, const Schedule& schedule) {
  return Questions(scenario, schedule).all();
}

std::vector<isolate::Sign> Interventions::ask(const run::Scenario& scenario,
                                              const Schedule& schedule, std::uint64_t seed,
                                              const std::string& symptom) {
  std::vector<isolate::Sign> answers;
  for (const Question& question : questions_about(scenario, schedule)) {
    if (keep_going_ && !keep_going_()) break;
    const run::RunResult result = runner_.run(scenario, question.schedule, seed);
    ++runs_;
    const bool fails = result.verdict.outcome == oracle::Outcome::fail &&
                       result.verdict.violations.front().signature() == symptom;
    const std::string& words = fails ? question.if_it_fails : question.if_not;
    if (!words.empty()) answers.push_back({question.about, words, {}});
  }
  return answers;
}

}  // namespace dissensus::hunt
