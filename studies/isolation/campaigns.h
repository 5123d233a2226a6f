// Labelled campaigns: runs of one scenario with one or several switches on, and which of them made
// each failing run fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/system.h"

#include "hunt/interventions.h"
#include "isolate/declaration.h"
#include "isolate/run_source.h"
#include "isolate/trace_inboxes.h"
#include "run/runner.h"

namespace dissensus::study {

/// A mistake that can be switched on, by an entry in a list of the scenario.
struct Switch {
  std::string name;
  std::string on;            ///< the entry
  std::string off;           ///< the entry without the mistake; empty: none
  std::uint64_t weight = 1;  ///< how often it is drawn: rare failures need more runs
};

struct CampaignPlan {
  std::string name;
  bool is_held_out = false;  ///< nothing was tuned on it; fixed before tuning
  std::string scenario;      ///< file
  /// Where entries go in it: this text becomes `slot_before` + entries + "]".
  std::string slot = "bugs = []";
  std::string slot_before = "bugs = [";
  std::string messages;  ///< declaration; empty: all that the system describes
  std::vector<Switch> switches;
  /// What the scenario does with all switches off is a cause of its own, of this name; empty: it
  /// must not fail.
  std::string without;
  std::size_t failing = 100;  ///< of each part
  std::size_t successful = 100;
  std::size_t runs_max = 8'000;
  /// So many failing runs of each label, and no others; empty: as they come. One switch at a time
  /// is on then.
  std::vector<std::size_t> quotas = {};
};

const std::vector<CampaignPlan>& campaign_plans();

/// Of four systems, each with causes at the given frequencies.
std::vector<CampaignPlan> unequal_plans(const std::vector<std::size_t>& failing,
                                        std::size_t successful);

/// Runs of a plan, one part after the other: until there are enough failing ones, or too many runs.
/// Labels are the causes. A failing run has several if several switches make it fail the same way,
/// each alone, and none if only several together do.
class LabelledRuns final : public isolate::RunSource {
 public:
  /// `first_seed` tells the parts of a campaign apart.
  LabelledRuns(const CampaignPlan& plan, std::uint64_t first_seed, const SystemRegistry& systems);
  std::string name() const override { return plan_.name; }
  const isolate::Schema& schema() const override { return declaration_.schema; }
  bool next(isolate::Run& run) override;
  std::size_t runs_made() const { return made_; }
  /// From now on, of each failing run, what it needs in order to fail.
  void ask() { asks_ = true; }
  std::size_t runs_asked() const { return interventions_.runs(); }

 private:
  const run::Scenario& scenario_with(std::uint64_t switches);
  std::uint64_t draw_switches(Random& random) const;
  bool is_wanted(std::uint64_t causes);
  std::uint64_t causes_of(std::uint64_t on, const faults::Schedule& schedule, std::uint64_t seed,
                          const run::RunResult& result);

  const CampaignPlan& plan_;
  const SystemRegistry& systems_;
  std::string text_;
  std::uint64_t seed_;
  std::size_t made_ = 0;
  std::size_t failing_ = 0;
  std::size_t successful_ = 0;
  std::vector<std::size_t> left_;  ///< of the quotas
  isolate::Declaration declaration_;
  std::vector<std::unique_ptr<run::Scenario>> scenarios_;  ///< by set of switches
  trace::Header header_;                                   ///< the same for all of them
  std::unique_ptr<isolate::InboxCollector> collector_;
  run::Runner runner_;
  bool asks_ = false;
  hunt::Interventions interventions_;
};

}  // namespace dissensus::study
