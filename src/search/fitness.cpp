#include "search/fitness.h"

#include <algorithm>
#include <numeric>

namespace dissensus::search {

namespace {

double seconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

/// Thesis 3.5: how long the test case took.
class TimeFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return -seconds(run.duration);
  }
};

/// Thesis 3.5: nodes x highest sequence number of a proposal + number of bow-outs. Systems that do
/// not report these are scored by how often a node put a value forward again for one instance,
/// which is what the sequence number counts.
class ProposalFitness final : public Fitness {
 public:
  explicit ProposalFitness(const SystemDescription& description) {
    const auto& names = description.observables;
    const auto index_of = [&names](std::string_view name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    sequence_ = index_of("max_propose_seq");
    bow_outs_ = index_of("bow_outs");
    is_reported_ = sequence_ < names.size() && bow_outs_ < names.size();
    for (const LevelDescription& level : description.levels) {
      single_valued_.push_back(level.agreement || level.integrity);
    }
  }
  double score(const RunSummary& run, const faults::Schedule&) const override {
    const auto nodes = static_cast<double>(run.nodes);
    if (!is_reported_) return -nodes * static_cast<double>(most_proposals(run));
    return -(nodes * static_cast<double>(run.observed_max[sequence_]) +
             static_cast<double>(run.observed_max[bow_outs_]));
  }

 private:
  /// Of one node for one instance.
  std::size_t most_proposals(const RunSummary& run) const {
    std::size_t most = 0;
    std::vector<std::pair<std::uint64_t, NodeId>> keys;
    for (std::size_t level = 0; level < run.proposals.size(); ++level) {
      if (!single_valued_[level]) continue;
      keys.clear();
      for (const RunSummary::Report& report : run.proposals[level]) {
        keys.emplace_back(report.instance, report.node);
      }
      std::sort(keys.begin(), keys.end());
      std::size_t same = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        same = i > 0 && keys[i] == keys[i - 1] ? same + 1 : 1;
        most = std::max(most, same);
      }
    }
    return most;
  }

  std::size_t sequence_ = 0;
  std::size_t bow_outs_ = 0;
  bool is_reported_ = false;
  std::vector<bool> single_valued_;
};

/// DiscoTest's program: as TimeFitness, but a test case that was cut counts nothing.
class DiscoTestTimeFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return run.capped ? 0 : -seconds(run.duration);
  }
};

/// Thesis 3.5 as printed: nodes x highest sequence number + every copy of a bow-out, relays
/// included. DiscoTest's program: the same, but nothing for a test case that was cut.
class CountedProposalFitness : public Fitness {
 public:
  explicit CountedProposalFitness(const SystemDescription& description)
      : bow_out_(description.find_kind("ProposeSetBowOut")) {
    const auto& names = description.observables;
    sequence_ = static_cast<std::size_t>(std::find(names.begin(), names.end(), "max_propose_seq") -
                                         names.begin());
  }
  double score(const RunSummary& run, const faults::Schedule&) const override {
    const bool has_sequence = sequence_ < run.observed_max.size();
    const auto sequence = has_sequence ? static_cast<double>(run.observed_max[sequence_]) : 0.0;
    const auto copies = bow_out_ < run.sent.size() ? static_cast<double>(run.sent[bow_out_]) : 0.0;
    return -(static_cast<double>(run.nodes) * sequence + copies);
  }

 private:
  MessageKind bow_out_;
  std::size_t sequence_ = 0;
};
class DiscoTestProposalFitness final : public CountedProposalFitness {
 public:
  using CountedProposalFitness::CountedProposalFitness;
  double score(const RunSummary& run, const faults::Schedule& schedule) const override {
    return run.capped ? 0 : CountedProposalFitness::score(run, schedule);
  }
};

/// DiscoTest's program, not selectable there: rounds that ended otherwise than by acceptance.
class FailedRoundsFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return run.capped ? 0 : -static_cast<double>(run.failed_rounds);
  }
};

/// DiscoTest's program, not selectable there: by how much the last node's validated ledger rose.
class ValidatedLedgersFitness final : public Fitness {
 public:
  explicit ValidatedLedgersFitness(const SystemDescription& description) {
    for (std::size_t i = 0; i < description.levels.size(); ++i) {
      if (description.levels[i].final) level_ = i;
    }
  }
  double score(const RunSummary& run, const faults::Schedule&) const override {
    if (run.capped || run.decisions.empty() || run.decisions[level_].empty()) return 0;
    std::uint64_t first = run.decisions[level_].front().instance;
    std::vector<std::uint64_t> last(run.nodes, 0);
    for (const RunSummary::Report& report : run.decisions[level_]) {
      first = std::min(first, report.instance);
      last[report.node] = std::max(last[report.node], report.instance);
    }
    const std::uint64_t least = *std::min_element(last.begin(), last.end());
    return least < first ? 0 : -static_cast<double>(least - first + 1);
  }

 private:
  std::size_t level_ = 0;
};

/// DiscoTest's program asks its servers how long they were not in full operation. Simulated ones
/// are not asked; a server that is behind the others is one that is not.
class BehindFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return run.capped ? 0 : -seconds(run.behind);
  }
};

/// ICSE-SEIP 2023, VII: what a test case costs, to be kept small beside another objective.
class TrafficFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return static_cast<double>(std::accumulate(run.sent.begin(), run.sent.end(), std::uint64_t{0}));
  }
};

/// A control: a number that says nothing, the same for the same run.
class NoFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    DigestBuilder digest;
    digest.add(static_cast<std::uint64_t>(run.duration.count()));
    for (const std::uint64_t count : run.sent) digest.add(count);
    return -static_cast<double>(digest.finish().high >> 11);
  }
};

/// 2025 paper, f_t: mean time that a ledger takes to be validated, here the time between decisions
/// of one node on the last final level. A run with fewer decisions than nodes took all its time.
class ValidationTimeFitness final : public Fitness {
 public:
  explicit ValidationTimeFitness(const SystemDescription& description) {
    for (std::size_t i = 0; i < description.levels.size(); ++i) {
      if (description.levels[i].final) level_ = i;
    }
  }
  double score(const RunSummary& run, const faults::Schedule&) const override {
    const std::size_t decisions = run.decisions.empty() ? 0 : run.decisions[level_].size();
    const double per_node = static_cast<double>(decisions) / static_cast<double>(run.nodes);
    return -seconds(run.duration) / std::max(per_node, 1.0);
  }

 private:
  std::size_t level_ = 0;
};

/// Rocket's program: its f_t is taken when a ledger closes, not when it is validated.
class CloseTimeFitness final : public Fitness {
 public:
  explicit CloseTimeFitness(const SystemDescription& description) {
    while (level_ < description.levels.size() && description.levels[level_].name != "built") {
      ++level_;
    }
  }
  double score(const RunSummary& run, const faults::Schedule&) const override {
    const std::size_t built = level_ < run.decisions.size() ? run.decisions[level_].size() : 0;
    const double per_node = static_cast<double>(built) / static_cast<double>(run.nodes);
    return -seconds(run.duration) / std::max(per_node, 1.0);
  }

 private:
  std::size_t level_ = 0;
};

/// 2025 paper: how many violations.
class ViolationsFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return -static_cast<double>(run.violations);
  }
};

/// Thesis 5.3: the sum of all delays in seconds, to be kept small beside another objective, so that
/// the search does not drift to the largest delay everywhere. Priorities delay nothing by
/// themselves: 0.
class TotalDelayFitness final : public Fitness {
 public:
  double score(const RunSummary&, const faults::Schedule& schedule) const override {
    if (const auto* delays = std::get_if<faults::DelaySchedule>(&schedule.scheduler)) {
      const auto sum =
          std::accumulate(delays->delay_ms.begin(), delays->delay_ms.end(), std::uint64_t{0});
      return static_cast<double>(sum) / 1e3;
    }
    if (const auto* messages = std::get_if<faults::MessageSchedule>(&schedule.scheduler)) {
      Duration sum{};
      for (const auto& delay : messages->delays) sum += delay.delay;
      return seconds(sum);
    }
    return 0;
  }
};

/// How many abstract states the run reached; new ones count twice.
class NoveltyFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return -static_cast<double>(run.states.size());
  }
  double with_new_states(double score, std::size_t new_states) const override {
    return score - static_cast<double>(new_states);
  }
};

class DisagreementFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return -run.disagreement_margin;
  }
};

class TerminationFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return -run.termination_margin;
  }
};

/// A run that failed has arrived.
class AnomalyFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    return run.failed ? -1 : -run.history_margin;
  }
};

/// The nearest that any rule of the scenario came to being broken.
class RulesFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    const auto nearest = std::max_element(run.rule_margins.begin(), run.rule_margins.end());
    return nearest == run.rule_margins.end() ? 0 : -*nearest;
  }
};

class WaypointsFitness final : public Fitness {
 public:
  double score(const RunSummary& run, const faults::Schedule&) const override {
    if (run.waypoints == 0) return 0;
    return -static_cast<double>(run.waypoints_reached) / static_cast<double>(run.waypoints);
  }
};

template <class F>
std::unique_ptr<Fitness> make(const SystemDescription&) {
  return std::make_unique<F>();
}
template <class F>
std::unique_ptr<Fitness> make_described(const SystemDescription& description) {
  return std::make_unique<F>(description);
}

}  // namespace

const std::vector<FitnessEntry>& fitness_functions() {
  static const std::vector<FitnessEntry> entries{
      {"time", "Longest test case (thesis 3.5)", make<TimeFitness>},
      {"proposal",
       "Highest sequence number of a proposal x nodes + bow-outs (thesis 3.5); other systems: most "
       "proposals of a node for one instance",
       make_described<ProposalFitness>},
      {"discotest-time", "Longest test case, 0 if it was cut (DiscoTest as programmed)",
       make<DiscoTestTimeFitness>},
      {"discotest-proposal",
       "Highest sequence number x nodes + copies of bow-outs, 0 if cut (DiscoTest as programmed)",
       make_described<DiscoTestProposalFitness>},
      {"proposal-printed",
       "Highest sequence number x nodes + copies of bow-outs (thesis 3.5, the formula as printed)",
       make_described<CountedProposalFitness>},
      {"failed-rounds",
       "Most phases entered out of their described order: rounds given up, 0 if cut (in "
       "DiscoTest's "
       "program)",
       make<FailedRoundsFitness>},
      {"validated-ledgers",
       "Most decisions of the node that has fewest, 0 if cut (in DiscoTest's program)",
       make_described<ValidatedLedgersFitness>},
      {"behind",
       "Longest time that nodes were behind the most advanced one, summed, 0 if cut (for the state "
       "accounting of DiscoTest's program)",
       make<BehindFitness>},
      {"traffic", "Fewest messages, beside another objective (ICSE-SEIP 2023, VII)",
       make<TrafficFitness>},
      {"none", "A number without meaning: the control of experiments", make<NoFitness>},
      {"close-time", "Longest mean time between ledgers built (Rocket as programmed)",
       make_described<CloseTimeFitness>},
      {"validation-time", "Longest mean time per decision of a node (2025 paper)",
       make_described<ValidationTimeFitness>},
      {"violations", "Most violations (2025 paper)", make<ViolationsFitness>},
      {"total-delay", "Least sum of delays, beside another objective (thesis 5.3)",
       make<TotalDelayFitness>},
      {"novelty",
       "Most abstract states: the multiset over nodes of phase, instances behind, down or not, and "
       "rank of the latest decision among the values of its instance",
       make<NoveltyFitness>},
      {"disagreement",
       "Nearest to deciding differently: how evenly reports of one instance were split, later "
       "levels counting more",
       make<DisagreementFitness>},
      {"termination", "Longest wait for a decision, as a share of the bound that is demanded",
       make<TerminationFitness>},
      {"anomaly",
       "Nearest to an anomaly of what clients saw: stale or late reads, unanswered changes that "
       "took "
       "effect, conflicting transactions, slow visibility",
       make<AnomalyFitness>},
      {"rules", "Nearest to breaking a rule of the scenario: branch distance over its expression",
       make<RulesFitness>, Signal::rules},
      {"waypoints", "Furthest along the scenario's waypoints, as a share of them",
       make<WaypointsFitness>},
  };
  return entries;
}

}  // namespace dissensus::search
