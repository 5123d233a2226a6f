#include "hunt/islands.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/bytes.h"
#include "faults/schedule_bytes.h"
#include "hunt/evaluator.h"
#include "hunt/seen_states.h"
#include "hunt/shipment.h"

namespace dissensus::hunt {

namespace {

class Gathering {
 public:
  Gathering(const run::Scenario& scenario, const HuntParts& parts, const HuntOptions& options,
            HuntObserver* observer, Store& store, WorkQueue& queue)
      : options_(options),
        observer_(observer),
        store_(store),
        queue_(queue),
        plan_{scenario,        parts,        options.seed,
              options.repeats, store.path(), make_evidence(scenario, 0, std::string())} {
    result_.progress.best.assign(parts.objectives.size(), 0.0);
    recall();
  }

  HuntResult run() {
    while (!is_over()) {
      const std::vector<ArrivedShipment> arrived = queue_.shipments(store_.hunt());
      for (const ArrivedShipment& shipment : arrived) {
        accept(shipment);
        if (is_over()) break;
      }
      constexpr std::chrono::milliseconds kPause{50};
      if (arrived.empty()) std::this_thread::sleep_for(kPause);
    }
    return std::move(result_);
  }

 private:
  /// What an earlier coordinator has gathered.
  void recall() {
    ItemCursor items = store_.known_items();
    for (ItemRecord record; items.next(record);) {
      states_.know(record.new_states);
      items_ = record.number + 1;
      if (record.outcome == oracle::Outcome::fail) note_failure(record, 1, true);
    }
    HuntProgress& progress = result_.progress;
    const HuntTotals totals = store_.totals();
    progress.runs = progress.known = totals.runs();
    progress.failed = totals.failed;
    progress.unknown = totals.unknown;
    progress.virtual_time = totals.virtual_time;
    progress.states = states_.size();
    for (Finding& finding : progress.findings) finding.count = store_.count_of(finding.signature);
    for (auto& [signature, passed] : progress.passed_over)
      passed.count = store_.count_of(signature);
  }

  void accept(const ArrivedShipment& arrived) {
    const std::string name = fmt::format("{}: shipment {}", plan_.store, arrived.id);
    Shipment sent = from_bytes<Shipment>(arrived.cargo, name);
    Arrival arrival{arrived.id, result_.progress.runs, sent, {}};
    for (ItemRecord& item : sent.items) {
      if (item.objectives.size() != plan_.parts.objectives.size()) {
        throw InputError(fmt::format("{}: a run has {} objectives, expected {}", name,
                                     item.objectives.size(), plan_.parts.objectives.size()));
      }
      item.new_states = states_.take_new(item.new_states);
      const bool failed = item.outcome == oracle::Outcome::fail;
      if (item.new_states.empty() && !(failed && kept_[item.signature] < kFailuresKept)) continue;
      item.number = items_++;
      arrival.items.push_back(std::move(item));
    }
    store_.add(arrival);
    count(sent);
    for (const ItemRecord& item : arrival.items) {
      if (item.outcome == oracle::Outcome::fail) note_failure(item, 0, false);
    }
    for (Finding& finding : result_.progress.findings) {
      const auto found = sent.failures.find(finding.signature);
      if (found != sent.failures.end()) finding.count += found->second;
    }
    for (auto& [signature, passed] : result_.progress.passed_over) {
      const auto found = sent.failures.find(signature);
      if (found != sent.failures.end()) passed.count += found->second;
    }
  }

  void count(const Shipment& sent) {
    HuntProgress& progress = result_.progress;
    for (std::size_t i = 0; i < std::min(sent.best.size(), progress.best.size()); ++i) {
      if (progress.runs == 0 || sent.best[i] < progress.best[i]) progress.best[i] = sent.best[i];
    }
    for (const auto& [key, sums] : sent.sums) {
      progress.runs += sums.runs;
      progress.failed += sums.failed;
      progress.unknown += sums.unknown;
      progress.virtual_time += sums.virtual_time;
      add_yield(progress.members, key.first, sums);
      add_yield(progress.origins, key.second, sums);
    }
    progress.states = states_.size();
    progress.events += sent.events;
    progress.repeated += sent.repeated;
    progress.equal += sent.equal;
    progress.disagreement_margin = std::max(progress.disagreement_margin, sent.disagreement_margin);
    progress.termination_margin = std::max(progress.termination_margin, sent.termination_margin);
  }

  static void add_yield(std::map<std::string, Yield, std::less<>>& yields, const std::string& name,
                        const RunSums& sums) {
    if (name.empty()) return;
    Yield& yield = yields[name];
    yield.runs += sums.runs;
    yield.failures += sums.failed;
    yield.new_states += sums.new_states;
  }

  /// The first of a signature is run again here: it counts as reproduced if it is the same run.
  void note_failure(const ItemRecord& record, std::uint64_t count, bool is_known) {
    std::vector<Finding>& findings = result_.progress.findings;
    if (++kept_[record.signature] > 1) return;
    if (!is_hunted(options_.finding, record.signature)) {
      result_.progress.passed_over.try_emplace(record.signature, PassedOver{record.number, count});
      return;
    }
    Item item;
    item.is_known = is_known;
    item.is_remote = true;
    item.record = record;
    item.schedule = faults::decode_schedule(
        record.schedule, fmt::format("{}: item {}", plan_.store, record.number),
        plan_.scenario.system_description(), plan_.scenario.nodes());
    findings.push_back(make_finding(plan_, worker_, item));
    findings.back().count = count;
  }

  bool is_over() {
    if (is_ended(options_, observer_, result_)) return true;
    const HuntProgress& progress = result_.progress;
    const Budget& budget = options_.budget;
    return progress.runs >= budget.runs || progress.virtual_time >= budget.virtual_time ||
           (budget.wall != std::chrono::microseconds::max() &&
            Clock::now() - start_ >= budget.wall);
  }

  using Clock = std::chrono::steady_clock;
  const HuntOptions& options_;
  HuntObserver* observer_;
  Store& store_;
  WorkQueue& queue_;
  EvaluationPlan plan_;
  EvaluationWorker worker_;
  HuntResult result_;
  SeenStates states_;
  std::map<std::string, std::uint64_t> kept_;  ///< failing items by signature
  std::uint64_t items_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

HuntResult gather_islands(const run::Scenario& scenario, const HuntParts& parts,
                          const HuntOptions& options, HuntObserver* observer, Store& store,
                          WorkQueue& queue) {
  return Gathering(scenario, parts, options, observer, store, queue).run();
}

}  // namespace dissensus::hunt
