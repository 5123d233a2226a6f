// The runs of a store as isolation reads them. A simulated run is a pure function, so a store keeps
// no messages: each run is made again from its schedule and seed. Live runs are kept (kept_runs.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "dissensus/digest.h"

#include "hunt/interventions.h"
#include "hunt/store.h"
#include "isolate/declaration.h"
#include "isolate/run_source.h"
#include "isolate/trace_inboxes.h"
#include "run/runner.h"

namespace dissensus::hunt {

/// What isolation reads of a run: messages, outcome, how it fails and what else it shows. Name,
/// link and labels are the caller's. The result must have been made with run::with_trace().
void read_result(const run::RunResult& result, const trace::Header& header,
                 isolate::InboxCollector& collector, isolate::Run& run);

struct DigestHash {
  std::size_t operator()(const Digest& digest) const { return digest.high ^ digest.low; }
};

/// All hunts and campaigns of a store, which must be of one system and size, or one of them. Labels
/// are the violated properties, and the names of the scenario's own rules; runs whose verdict is
/// unknown are left out. A simulated run is a pure function: one that several hunts made, with the
/// same scenario, schedule and seed, is one run and counts once.
/// A run's name is its row, STORE#HUNT/NUMBER, which other verbs open; no two runs have the same.
class StoreSource final : public isolate::RunSource {
 public:
  /// Without a declaration, what follows from the system's own description. `systems` must outlive
  /// this. `hunt`: this one alone, by its number; 0: all.
  StoreSource(std::string path, std::optional<isolate::Declaration> declaration,
              const SystemRegistry& systems, std::uint64_t hunt = 0);

  /// Only these shares of the runs, drawn by their numbers: the same ones each time.
  void sample(double failing_share, double passing_share);

  /// From now on failing runs also say what they need in order to fail (interventions.h), which
  /// takes some dozen runs of each; none once `keep_going` says no. Throws InputError where runs
  /// cannot be made again.
  void ask(std::function<bool()> keep_going);
  /// Runs that were made to ask.
  std::size_t runs_asked() const { return interventions_ ? interventions_->runs() : 0; }

  /// Once all were read: a line for each hunt some of whose runs an earlier one had made.
  const std::vector<std::string>& repetitions() const { return repetitions_; }

  std::string name() const override { return path_; }
  const isolate::Schema& schema() const override { return declaration_.schema; }
  bool next(isolate::Run& run) override;

  /// What isolation reads of a run of any recipe of this system. Needs a run that can be repeated.
  isolate::Run read(const run::Recipe& recipe);
  /// How to make a run again that next() gave under this name.
  run::Recipe recipe_of(const std::string& run_name);

 private:
  void open(const HuntRecord& hunt);
  void add_answers(const run::Scenario& scenario, const faults::Schedule& schedule,
                   std::uint64_t seed, isolate::Run& run);
  bool is_drawn(const ItemRecord& item) const;
  bool is_new(const ItemRecord& item);
  void end_hunt();
  std::string name_of(const HuntRecord& hunt, const ItemRecord& item) const;
  faults::Schedule schedule_of(const ItemRecord& item) const;
  run::RunResult run_again(const ItemRecord& item);
  std::uint64_t labels_of(const oracle::Verdict& verdict) const;

  std::string path_;
  std::string shown_;  ///< the same without a password
  const SystemRegistry& systems_;
  StoreReader reader_;
  std::vector<HuntRecord> hunts_;
  std::size_t hunt_ = 0;  ///< whose items are read
  run::Scenario scenario_;
  isolate::Declaration declaration_;
  trace::Header header_;  ///< of the scenario
  std::optional<isolate::InboxCollector> collector_;
  std::optional<ItemCursor> items_;
  ItemRecord item_;
  run::Runner runner_;
  std::unordered_set<Digest, DigestHash> seen_;  ///< runs, by what makes them
  std::size_t repeated_ = 0;                     ///< of the hunt that is read
  std::vector<std::string> repetitions_;
  std::optional<Interventions> interventions_;  ///< none: nothing is asked
  double failing_share_ = 1;
  double passing_share_ = 1;
};

}  // namespace dissensus::hunt
