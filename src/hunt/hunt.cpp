#include "hunt/hunt.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dissensus/outside.h"
#include "dissensus/random.h"

#include "core/assert.h"
#include "hunt/crew.h"
#include "hunt/evaluator.h"
#include "hunt/kept_runs.h"
#include "hunt/seen_states.h"

namespace dissensus::hunt {

std::uint64_t run_seed(std::uint64_t hunt_seed, std::uint64_t item) {
  return derive_seed(hunt_seed, "run", item) >> 11;
}

bool is_hunted(std::span<const std::string> finding, std::string_view signature) {
  return finding.empty() ||
         std::any_of(finding.begin(), finding.end(), [signature](const std::string& beginning) {
           return signature.starts_with(beginning);
         });
}

namespace {

using WallClock = std::chrono::steady_clock;

class Hunt {
 public:
  Hunt(const run::Scenario& scenario, HuntParts& parts, const HuntOptions& options,
       HuntObserver* observer, Store* store, WorkQueue* queue)
      : parts_(parts),
        options_(options),
        observer_(observer),
        store_(store),
        plan_{scenario,
              parts,
              options.seed,
              options.repeats,
              store == nullptr ? std::string() : store->path(),
              make_evidence(scenario, options.confirmations,
                            store == nullptr ? std::string() : kept_runs_prefix(*store))} {
    window_ = options.window != 0 ? options.window : plan_.evidence->window(options.jobs);
    crew_ = queue == nullptr
                ? make_threads(plan_, options.jobs)
                : make_fleet(plan_, *queue, store->hunt(), window_, [this] {
                    return observer_ == nullptr || observer_->keep_going(result_.progress);
                  });
    if (store != nullptr && store->known_count() > 0) known_.emplace(store->known_items());
    result_.progress.best.assign(parts.objectives.size(), 0.0);
  }

  HuntResult run() {
    read_next_known();
    do {
      fill_window();
    } while (crew_->under_way() > 0 && take_one() && !is_over());
    if (trouble_ || !plan_.evidence->can_show_again()) keep_what_is_under_way();
    if (store_ != nullptr) store_->flush();
    if (trouble_ && result_.progress.runs == 0 && result_.trouble != kInterrupted) {
      std::rethrow_exception(trouble_);
    }
    return std::move(result_);
  }

 private:
  /// False: the hunt cannot go on.
  bool take_one() {
    try {
      const std::unique_ptr<Item> item = crew_->take_oldest();
      if (item) {
        accept(*item);
        return true;
      }
    } catch (const OutsideError& error) {
      // What has been done so far stays, and the hunt can be resumed.
      if (!trouble_) result_.trouble = error.what();
      trouble_ = std::current_exception();
    }
    result_.end = HuntEnd::stopped;
    return false;
  }

  /// Runs that were begun come to their end, and nobody could make them again.
  void keep_what_is_under_way() {
    const HuntEnd end = result_.end;
    const std::string trouble = result_.trouble;
    const std::exception_ptr first = trouble_;
    is_ending_ = true;
    crew_->withdraw();
    while (crew_->under_way() > 0) take_one();
    result_.end = end;
    result_.trouble = trouble;
    trouble_ = first;
  }

  void read_next_known() {
    ItemRecord record;
    next_known_.reset();
    if (known_ && known_->next(record)) next_known_ = std::move(record);
  }

  void fill_window() {
    const std::size_t window = std::min(window_, parts_.search->look_ahead(result_.progress.runs));
    while (crew_->under_way() < window && asked_ < options_.budget.runs) {
      std::optional<Candidate> candidate = parts_.search->ask();
      if (!candidate) {
        DISSENSUS_ASSERT(crew_->under_way() > 0,
                         "hunt : a search with nothing under way has a candidate");
        return;
      }
      crew_->submit(make_item(std::move(*candidate)));
    }
  }

  std::unique_ptr<Item> make_item(Candidate candidate) {
    auto item = std::make_unique<Item>();
    item->candidate = std::move(candidate);
    const std::uint64_t number = asked_++;
    // Some may be missing: a run that could not be made while others could.
    if (next_known_ && next_known_->number == number) {
      item->record = std::move(*next_known_);
      item->is_known = true;
      read_next_known();
      return item;
    }
    item->record.number = number;
    item->record.seed = run_seed(options_.seed, number);
    item->record.member = item->candidate.member;
    item->record.origin = item->candidate.origin;
    return item;
  }

  /// In the order of asking.
  void accept(Item& item) {
    if (item.is_known) {
      seen_states_.know(item.record.new_states);
    } else {
      seen_states_.note(parts_, item.all_states, item.record);
    }
    if (store_ != nullptr && !item.is_known) store_->add(item.record);
    parts_.search->tell(item.candidate, to_evaluation(item.record));
    count(item);
    if (item.record.outcome == oracle::Outcome::fail) note_finding(item);
  }

  void count(const Item& item) {
    const ItemRecord& record = item.record;
    HuntProgress& progress = result_.progress;
    const bool improved = note_best(record);
    ++progress.runs;
    progress.known += item.is_known ? 1 : 0;
    progress.virtual_time += record.virtual_time;
    progress.events += record.events;
    progress.failed += record.outcome == oracle::Outcome::fail ? 1 : 0;
    progress.unknown += record.outcome == oracle::Outcome::unknown ? 1 : 0;
    progress.states = seen_states_.size();
    progress.repeated += record.stability != Stability::not_checked ? 1 : 0;
    progress.equal += record.stability == Stability::equal ? 1 : 0;
    if (record.stability == Stability::different && !progress.unequal) {
      progress.unequal = Unequal{record.number, item.schedule, record.seed, record.hash};
    }
    progress.disagreement_margin =
        std::max(progress.disagreement_margin, record.disagreement_margin);
    progress.termination_margin = std::max(progress.termination_margin, record.termination_margin);
    add_yield(progress.members, record.member, record, improved);
    add_yield(progress.origins, record.origin, record, improved);
  }

  /// True when the first objective was never as small before.
  bool note_best(const ItemRecord& record) {
    HuntProgress& progress = result_.progress;
    bool improved = false;
    for (std::size_t i = 0; i < record.objectives.size() && i < progress.best.size(); ++i) {
      if (progress.runs > 0 && !(record.objectives[i] < progress.best[i])) continue;
      progress.best[i] = record.objectives[i];
      improved = improved || i == 0;
    }
    return improved;
  }

  static void add_yield(std::map<std::string, Yield, std::less<>>& yields, const std::string& name,
                        const ItemRecord& record, bool improved) {
    if (name.empty()) return;
    Yield& yield = yields[name];
    ++yield.runs;
    yield.failures += record.outcome == oracle::Outcome::fail ? 1 : 0;
    yield.new_states += record.new_states.size();
    yield.improvements += improved ? 1 : 0;
  }

  void note_finding(const Item& item) {
    if (!is_hunted(options_.finding, item.record.signature)) {
      const PassedOver first{item.record.number, 0};
      ++result_.progress.passed_over.try_emplace(item.record.signature, first).first->second.count;
      return;
    }
    std::vector<Finding>& findings = result_.progress.findings;
    const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.signature == item.record.signature;
    });
    if (same != findings.end()) {
      ++same->count;
    } else {
      findings.push_back(make_finding(plan_, finding_worker_, item));
      if (observer_ != nullptr) observer_->found(findings.back());
      if (!item.is_known && !is_ending_) confirm(findings.back());
    }
  }

  void confirm(Finding& finding) {
    plan_.evidence->confirm(options_.jobs, finding, [this](const Finding& repeated) {
      if (observer_ != nullptr) observer_->repeated(repeated);
    });
  }

  bool is_over() {
    if (is_ended(options_, observer_, result_)) return true;
    const HuntProgress& progress = result_.progress;
    const Budget& budget = options_.budget;
    if (progress.virtual_time >= budget.virtual_time && may_end()) return true;
    return budget.wall != std::chrono::microseconds::max() &&
           WallClock::now() - start_ >= budget.wall;
  }

  bool may_end() const {
    const Search& search = *parts_.search;
    return !search.completes_generations() || search.is_between_generations();
  }

  HuntParts& parts_;
  const HuntOptions& options_;
  HuntObserver* observer_;
  Store* store_;
  HuntResult result_;
  std::optional<ItemCursor> known_;
  std::optional<ItemRecord> next_known_;
  std::exception_ptr trouble_;  ///< the first one of the outside
  bool is_ending_ = false;
  std::uint64_t asked_ = 0;
  SeenStates seen_states_;
  EvaluationWorker finding_worker_;
  WallClock::time_point start_ = WallClock::now();
  EvaluationPlan plan_;
  std::size_t window_ = 0;
  std::unique_ptr<Crew> crew_;
};

}  // namespace

HuntResult hunt(const run::Scenario& scenario, HuntParts& parts, const HuntOptions& options,
                HuntObserver* observer, Store* store) {
  return Hunt(scenario, parts, options, observer, store, nullptr).run();
}

HuntResult hunt_with_workers(const run::Scenario& scenario, HuntParts& parts,
                             const HuntOptions& options, HuntObserver* observer, Store& store,
                             WorkQueue& queue) {
  return Hunt(scenario, parts, options, observer, &store, &queue).run();
}

}  // namespace dissensus::hunt
