#include "shrink/candidates.h"

#include <algorithm>
#include <array>

#include "core/assert.h"
#include "faults/words.h"
#include "run/schedule_space.h"

namespace dissensus::shrink {

using faults::DelaySchedule;
using faults::MessageSchedule;
using faults::PrioritySchedule;
using std::chrono::milliseconds;

namespace {

/// Pairs of senders and receivers are tried up to ten nodes; beyond they are too many.
constexpr std::size_t kPairedEnds = 20;

/// Small numbers, one by one at first.
std::vector<std::int64_t> counts_below(std::int64_t value) {
  std::vector<std::int64_t> values;
  for (std::int64_t count = 1; count < value && count <= 16; ++count) values.push_back(count);
  for (const std::int64_t count : round_values_below(value)) {
    if (count > 16) values.push_back(count);
  }
  return values;
}

/// A quarter and a half, where that is something.
std::vector<std::int64_t> parts_of(std::int64_t level) {
  std::vector<std::int64_t> values;
  for (const std::int64_t part : {level / 4, level / 2}) {
    if (part > 0 && (values.empty() || part > values.back())) values.push_back(part);
  }
  return values;
}

}  // namespace

std::vector<std::int64_t> delay_bounds(const run::Scenario& scenario,
                                       const faults::Schedule& schedule) {
  const bool draws_delays = scenario.space.type == run::ScheduleSpace::Type::delay;
  const std::int64_t most =
      draws_delays ? std::chrono::floor<milliseconds>(scenario.space.max_delay).count()
                   : std::chrono::floor<milliseconds>(faults::longest_delay(schedule)).count();
  std::vector<std::int64_t> bounds(scenario.genes().size(), draws_delays ? 0 : most);
  if (draws_delays) {
    for (const std::size_t gene : run::varying_genes(scenario)) bounds[gene] = most;
  }
  return bounds;
}

bool leaves_bounds(const run::Scenario& scenario, const faults::Schedule& schedule) {
  const std::vector<std::int64_t> bounds = delay_bounds(scenario, schedule);
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    for (std::size_t gene = 0; gene < delays->delay_ms.size(); ++gene) {
      if (std::int64_t{delays->delay_ms[gene]} > bounds[gene]) return true;
    }
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    return std::any_of(messages->delays.begin(), messages->delays.end(),
                       [&](const MessageSchedule::Delay& delay) {
                         return delay.delay >= milliseconds(bounds[delay.gene] + 1);
                       });
  }
  return false;
}

std::vector<std::uint32_t> towards_natural_order(const std::vector<std::uint32_t>& priority,
                                                 const std::vector<bool>& kept) {
  std::vector<bool> taken(priority.size() + 1);
  for (std::size_t gene = 0; gene < priority.size(); ++gene) {
    if (kept[gene]) taken[priority[gene]] = true;
  }
  std::vector<std::uint32_t> result = priority;
  std::size_t place = priority.size();
  for (std::size_t gene = 0; gene < priority.size(); ++gene) {
    if (kept[gene]) continue;
    while (taken[place]) --place;
    result[gene] = static_cast<std::uint32_t>(place--);
  }
  return result;
}

/// Notes the units of a fault as it is.
class Candidates::Collector final : public LevelSource {
 public:
  Collector(Candidates& candidates, std::size_t fault) : candidates_(candidates), fault_(fault) {}
  std::int64_t next(std::int64_t start, Scale scale) override {
    candidates_.add(UnitType::part, scale, fault_, start);
    return start;
  }

 private:
  Candidates& candidates_;
  std::size_t fault_;
};

/// Reads the levels of a fault's units.
class Candidates::Reader final : public LevelSource {
 public:
  explicit Reader(const std::int64_t* level) : level_(level) {}
  std::int64_t next(std::int64_t /*start*/, Scale /*scale*/) override { return *level_++; }

 private:
  const std::int64_t* level_;
};

Candidates::Candidates(const run::Scenario& scenario, const faults::Schedule& schedule,
                       const FailingRun& failing, const SystemRegistry& systems)
    : scenario_(std::make_shared<const run::Scenario>(scenario)),
      schedule_(schedule),
      genes_(scenario.genes()),
      failing_(failing),
      text_(scenario),
      systems_(systems) {
  add_scheduler_units();
  add_fault_units();
  add_scenario_units();
}

void Candidates::add(UnitType type, Scale scale, std::size_t index, std::int64_t level) {
  units_.push_back({type, scale, static_cast<std::uint32_t>(index)});
  start_.push_back(level);
}

void Candidates::add_scheduler_units() {
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule_.scheduler)) {
    for (std::size_t gene = 0; gene < delays->delay_ms.size(); ++gene) {
      add(UnitType::gene, Scale::milliseconds, gene, delays->delay_ms[gene]);
    }
  } else if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule_.scheduler)) {
    for (std::size_t gene = 0; gene < priorities->priority.size(); ++gene) {
      const bool natural = priorities->priority[gene] == priorities->priority.size() - gene;
      add(UnitType::gene, Scale::whole, gene, natural ? 0 : 1);
    }
    add(UnitType::scheduler, Scale::whole, 0, 1);
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule_.scheduler)) {
    for (std::size_t index = 0; index < messages->delays.size(); ++index) {
      add(UnitType::message, Scale::milliseconds, index,
          whole_milliseconds(messages->delays[index].delay));
    }
  }
}

void Candidates::add_fault_units() {
  for (std::size_t index = 0; index < schedule_.faults.size(); ++index) {
    add(UnitType::fault, Scale::whole, index, 1);
    Collector collector(*this, index);
    reduced(schedule_.faults[index], genes_.nodes, failing_.end, collector);
  }
}

void Candidates::add_scenario_units() {
  for (std::size_t index = 0; index < text_.requests(); ++index) {
    add(UnitType::request, Scale::whole, index, 1);
  }
  if (text_.faults_until()) {
    add(UnitType::faults_until, Scale::milliseconds, 0, whole_milliseconds(*text_.faults_until()));
  }
  if (text_.virtual_time() && !failing_.is_costly) {
    add(UnitType::virtual_time, Scale::milliseconds, 0, whole_milliseconds(*text_.virtual_time()));
  }
}

Problem Candidates::problem() const {
  Problem problem;
  problem.start = start_;
  problem.groups = groups();
  problem.stories = stories(problem.groups);
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const UnitType type = units_[unit].type;
    if (type == UnitType::gene || type == UnitType::message || type == UnitType::fault) {
      problem.bulk.push_back(static_cast<std::uint32_t>(unit));
    }
  }
  // A delay may grow where that lets others go: one message that is twice as late may do what two
  // late ones did. But a schedule that the scenario cannot draw explains another network.
  std::int64_t longest = 0;
  for (const std::uint32_t unit : problem.bulk) longest = std::max(longest, start_[unit]);
  const std::int64_t most = std::min<std::int64_t>(2 * longest, faults::kDelayMsMax);
  std::vector<std::int64_t> bounds(genes_.size(), most);
  if (!failing_.beyond_bounds) bounds = delay_bounds(*scenario_, schedule_);
  problem.most = [this, most, bounds = std::move(bounds)](std::size_t unit) -> std::int64_t {
    if (units_[unit].scale != Scale::milliseconds) return 0;
    return std::min(most, bounds[gene_of(units_[unit])]);
  };
  problem.normalise = [this](Levels& levels) { normalise(levels); };
  if (failing_.is_costly) {
    problem.unused = unused();
    problem.smaller = [](std::size_t, std::int64_t level) { return parts_of(level); };
    return problem;
  }
  problem.smaller = [this](std::size_t unit, std::int64_t level) -> std::vector<std::int64_t> {
    switch (units_[unit].scale) {
      case Scale::whole:
        break;
      case Scale::milliseconds:
        return round_values_below(level);
      case Scale::count:
        return counts_below(level);
    }
    return {};
  };
  return problem;
}

std::size_t Candidates::gene_of(const Unit& unit) const {
  if (unit.type == UnitType::gene) return unit.index;
  return std::get<MessageSchedule>(schedule_.scheduler).delays[unit.index].gene;
}

/// Genes without any message in the failing run.
Units Candidates::unused() const {
  Units result;
  for (std::size_t unit = 0; unit < units_.size() && !failing_.used.empty(); ++unit) {
    if (units_[unit].type != UnitType::gene || failing_.used[units_[unit].index]) continue;
    if (start_[unit] > 0) result.push_back(static_cast<std::uint32_t>(unit));
  }
  return result;
}

/// All genes; those of a kind, of a node, of a sender, of a receiver, of a kind and sender, of a
/// kind and receiver, of a link; the single messages of a gene; all faults; the whole workload.
std::vector<Units> Candidates::groups() const {
  constexpr std::size_t kWays = 9;
  std::array<std::map<std::uint64_t, Units>, kWays> genes;
  Units faults;
  Units requests;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const auto number = static_cast<std::uint32_t>(unit);
    const UnitType type = units_[unit].type;
    if (type == UnitType::gene || type == UnitType::message) {
      const std::size_t index = gene_of(units_[unit]);
      const auto [from, to, kind] = genes_.gene(index);
      const std::uint64_t of_kind = kind * genes_.nodes;
      const std::array<std::uint64_t, kWays> keys{
          0, kind, from, from, to, of_kind + from, of_kind + to, from * genes_.nodes + to, index};
      for (std::size_t way = 0; way < kWays; ++way) genes[way][keys[way]].push_back(number);
      genes[2][to].push_back(number);
    } else if (type == UnitType::scheduler) {
      genes[0][0].push_back(number);
    } else if (type == UnitType::fault) {
      faults.push_back(number);
    } else if (type == UnitType::request) {
      requests.push_back(number);
    }
  }
  std::vector<Units> result;
  for (const auto& way : genes) {
    for (const auto& [key, units] : way) {
      if (units.size() > 1) result.push_back(units);
    }
  }
  if (faults.size() > 1) result.push_back(std::move(faults));
  if (requests.size() > 1) result.push_back(std::move(requests));
  return result;
}

/// The groups; two kinds; and of one kind what two nodes send or receive.
std::vector<Units> Candidates::stories(const std::vector<Units>& groups) const {
  std::map<MessageKind, std::map<std::pair<bool, NodeId>, Units>> ends;
  std::map<MessageKind, Units> kinds;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].type != UnitType::gene || start_[unit] == 0) continue;
    const auto [from, to, kind] = genes_.gene(units_[unit].index);
    const auto number = static_cast<std::uint32_t>(unit);
    ends[kind][{false, from}].push_back(number);
    ends[kind][{true, to}].push_back(number);
    kinds[kind].push_back(number);
  }
  std::vector<Units> result = groups;
  const auto add_pairs = [&result](const auto& parts) {
    for (auto first = parts.begin(); first != parts.end(); ++first) {
      for (auto second = std::next(first); second != parts.end(); ++second) {
        Units both = first->second;
        both.insert(both.end(), second->second.begin(), second->second.end());
        result.push_back(std::move(both));
      }
    }
  };
  add_pairs(kinds);
  for (const auto& [kind, parts] : ends) {
    if (parts.size() <= kPairedEnds) add_pairs(parts);
  }
  return result;
}

void Candidates::normalise(Levels& levels) const {
  bool fault_there = true;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].type == UnitType::fault) fault_there = levels[unit] > 0;
    if (units_[unit].type == UnitType::part && !fault_there) levels[unit] = 0;
    if (units_[unit].type == UnitType::scheduler && levels[unit] == 0) {
      std::fill(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(unit), 0);
    }
  }
}

faults::Schedule Candidates::schedule_of(const Levels& levels) const {
  faults::Schedule result;
  const auto any = [&](std::size_t count) {
    return std::any_of(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(count),
                       [](std::int64_t level) { return level > 0; });
  };
  // Units of the scheduler come first, so their numbers are those of genes and single messages.
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule_.scheduler)) {
    const std::size_t count = delays->delay_ms.size();
    if (any(count)) {
      DelaySchedule left;
      for (std::size_t gene = 0; gene < count; ++gene) {
        left.delay_ms.push_back(static_cast<std::uint32_t>(levels[gene]));
      }
      result.scheduler = std::move(left);
    }
  } else if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule_.scheduler)) {
    const std::size_t count = priorities->priority.size();
    if (levels[count] > 0) {
      std::vector<bool> kept;
      for (std::size_t gene = 0; gene < count; ++gene) kept.push_back(levels[gene] > 0);
      result.scheduler =
          PrioritySchedule{towards_natural_order(priorities->priority, kept), priorities->rate};
    }
  } else if (const auto* messages = std::get_if<MessageSchedule>(&schedule_.scheduler)) {
    const std::size_t count = messages->delays.size();
    if (any(count)) {
      MessageSchedule left;
      for (std::size_t index = 0; index < count; ++index) {
        if (levels[index] == 0) continue;
        left.delays.push_back(messages->delays[index]);
        if (levels[index] != start_[index]) left.delays.back().delay = milliseconds(levels[index]);
      }
      result.scheduler = std::move(left);
    }
  }
  result.faults = faults_of(levels);
  return result;
}

std::vector<faults::Fault> Candidates::faults_of(const Levels& levels) const {
  std::vector<faults::Fault> result;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].type != UnitType::fault || levels[unit] == 0) continue;
    Reader reader(levels.data() + unit + 1);
    auto left = reduced(schedule_.faults[units_[unit].index], genes_.nodes, failing_.end, reader);
    if (left) result.push_back(std::move(*left));
  }
  return result;
}

ScenarioEdit Candidates::edit_of(const Levels& levels) const {
  ScenarioEdit edit;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (levels[unit] == start_[unit]) continue;
    if (units_[unit].type == UnitType::request) {
      edit.removed_requests.push_back(units_[unit].index);
    } else if (units_[unit].type == UnitType::faults_until) {
      edit.faults_until = milliseconds(levels[unit]);
    } else if (units_[unit].type == UnitType::virtual_time) {
      edit.virtual_time = milliseconds(levels[unit]);
    }
  }
  return edit;
}

std::shared_ptr<const run::Scenario> Candidates::scenario_of(const ScenarioEdit& edit) const {
  if (edit.empty()) return scenario_;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const run::Scenario>& known = scenarios_[edit];
  if (!known) {
    known = std::make_shared<const run::Scenario>(
        run::parse_scenario(text_.edited(edit), scenario_->path, systems_));
  }
  return known;
}

Candidate Candidates::make(const Levels& levels) const {
  DISSENSUS_ASSERT(levels.size() == start_.size(), "Candidates::make : one level per unit");
  return {scenario_of(edit_of(levels)), schedule_of(levels)};
}

Size Candidates::size(const Levels& levels) const {
  Size size;
  const bool delays = !std::holds_alternative<PrioritySchedule>(schedule_.scheduler);
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (levels[unit] == 0) continue;
    switch (units_[unit].type) {
      case UnitType::gene:
        ++size.genes;
        if (delays) size.delay_total += milliseconds(levels[unit]);
        break;
      case UnitType::message:
        ++size.messages;
        size.delay_total += milliseconds(levels[unit]);
        break;
      case UnitType::request:
        ++size.requests;
        break;
      default:
        break;
    }
  }
  size.faults = faults_of(levels).size();
  return size;
}

}  // namespace dissensus::shrink
