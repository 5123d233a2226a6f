// A plugin: one scheduler, one fault strategy, one fitness function and one search algorithm.
// docs/guides/your-own-search.md explains this file step by step.
#include <algorithm>
#include <chrono>

#include "dissensus/dissensus.h"

namespace {

using namespace dissensus;

/// Keeps the best schedule that it knows and changes a few of its genes.
class Climber final : public Search {
 public:
  Climber(const SearchContext& context, const Options& options)
      : space_(context.space), random_(context.seed, "climber") {
    changes_ = static_cast<std::size_t>(options.integer("changes", 3, 1, 1000));
  }

  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.genotype = best_;
    candidate.origin = best_.genes.empty() ? "first" : "changed";
    if (best_.genes.empty()) candidate.genotype.genes = space_.low;
    for (std::size_t i = 0; i < changes_; ++i) change_a_gene(candidate.genotype.genes);
    if (space_.fault_strategy) candidate.genotype.faults = {space_.fault_strategy->draw(random_)};
    return candidate;
  }

  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    const double score = evaluation.objectives.front();
    if (!best_.genes.empty() && score > best_score_) return;
    best_ = candidate.genotype;
    best_score_ = score;
  }

 private:
  void change_a_gene(std::vector<double>& genes) {
    const std::size_t gene = random_.below(genes.size());
    const double range = space_.high[gene] - space_.low[gene];
    genes[gene] = space_.low[gene] +
                  static_cast<double>(random_.below(static_cast<std::uint64_t>(range) + 1));
  }

  SearchSpace space_;
  Random random_;
  std::size_t changes_ = 0;
  Genotype best_;
  double best_score_ = 0;
};

std::unique_ptr<Search> make_climber(const SearchContext& context, const Options& options) {
  if (context.space.type != SearchSpace::Type::delay)
    throw InputError("climber: expected a scenario with schedule.type = \"delay\"");
  if (context.objectives == 0) throw InputError("climber: expected at least one --fitness");
  return std::make_unique<Climber>(context, options);
}

/// The later the last decision, the better.
class LateDecision final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    Time last{};
    for (const auto& level : run.decisions) {
      for (const RunSummary::Report& decision : level) last = std::max(last, decision.time);
    }
    return -static_cast<double>(microseconds_of(last)) / 1e6;
  }
};

std::unique_ptr<Fitness> make_late_decision(const SystemDescription&) {
  return std::make_unique<LateDecision>();
}

/// Mostly, the newest message goes first.
class NewestFirst final : public Scheduler {
 public:
  explicit NewestFirst(std::uint64_t seed) : random_(seed, "newest-first") {}

  std::size_t pick(std::span<const PendingMessage> inbox) override {
    if (random_.chance(0.7)) return inbox.size() - 1;
    return static_cast<std::size_t>(random_.below(inbox.size()));
  }

 private:
  Random random_;
};

std::unique_ptr<Scheduler> make_newest_first(std::uint64_t seed, const Options&) {
  return std::make_unique<NewestFirst>(seed);
}

/// Nodes that crash for a moment.
class ShortCrashes final : public FaultStrategy {
 public:
  ShortCrashes(std::size_t nodes, const Options& options)
      : nodes_(nodes), until_(options.duration("until", std::chrono::seconds(10))) {}

  faults::Fault draw(Random& random) const override {
    faults::CrashFault crash;
    crash.node = static_cast<NodeId>(random.below(nodes_));
    crash.at = Duration(random.between(0, until_.count()));
    crash.restart_after = until_ / 10;
    return crash;
  }

 private:
  std::size_t nodes_;
  Duration until_;
};

std::unique_ptr<FaultStrategy> make_short_crashes(std::size_t nodes, const SystemDescription&,
                                                  const Options& options) {
  return std::make_unique<ShortCrashes>(nodes, options);
}

}  // namespace

DISSENSUS_PLUGIN(registry) {
  registry.searches.push_back(
      {"climber", "changes a few genes of the best schedule", {"late-decision"}, make_climber});
  registry.fitness.push_back({"late-decision", "the later the better", make_late_decision});
  registry.schedulers.push_back({"newest-first", "overtakes a lot", make_newest_first});
  registry.fault_strategies.push_back(
      {"short-crashes", "nodes crash and come back", make_short_crashes});
}
