#include "search/adaptive.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/shared_budget.h"
#include "search/structured.h"

namespace dissensus::search {

namespace {

/// A way to make candidates, and what is expected of it before anything is known: 0.5 is what is
/// usual. Chosen on the development bugs of benchmarks/ alone.
struct ArmPlan {
  std::string_view name;  ///< a shape, or a search of the registry
  double prior;
};
constexpr ArmPlan kDelayArms[] = {
    {"overtaking", 0.6},  {"even-split", 0.7},    {"sequence", 0.65},  {"remote-node", 0.65},
    {"slow", 0.6},        {"late-links", 0.5},    {"pos", 0.5},        {"noisy-split", 0.5},
    {"slow-nodes", 0.45}, {"late-messages", 0.5}, {"pct", 0.45},       {"coverage", 0.5},
    {"patches", 0.45},    {"slow-links", 0.45},   {"discotest", 0.45}, {"uniform", 0.5},
};
constexpr ArmPlan kFaultArms[] = {
    {"story", 0.55}, {"random", 0.55}, {"coverage", 0.5}, {"discotest", 0.4}};
/// Of the first turns of delays: these arms one after another, since they need no results.
constexpr std::size_t kFirstTurns = 10;
constexpr std::size_t kFirstArms = 5;
/// A prior counts as much as so many results.
constexpr double kPriorWeight = 4;
/// How fast an arm forgets.
constexpr double kForget = 0.98;
/// Runs without a new state or a record, after which all arms return half-way to their priors.
constexpr std::size_t kRestart = 150;

/// Faults that belong together. A plan without any is a run without a schedule, and drawn again.
class StoryArm final : public Search {
 public:
  explicit StoryArm(const SearchContext& context)
      : space_(context.space), random_(context.seed, "story-arm") {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.origin = "story";
    constexpr std::size_t kTries = 16;
    for (std::size_t i = 0; i < kTries && candidate.genotype.faults.empty(); ++i) {
      candidate.genotype.faults = space_.fault_strategy->draw_plan(space_.faults_max, random_);
    }
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  Random random_;
};

/// What is known of a member's results.
struct Record {
  double prior = 0.5;
  double sum = 0;     ///< of rewards, older ones count less
  double weight = 0;  ///< of the same results
};

class Adaptive final : public SharedBudget {
 public:
  Adaptive(std::vector<Member> arms, std::vector<Record> records, double floor,
           bool has_first_turns, std::uint64_t seed)
      : SharedBudget(std::move(arms), floor, Random(seed, "adaptive")),
        records_(std::move(records)),
        first_turns_(has_first_turns ? kFirstTurns : 0) {}

  /// What is learned from the first runs is worth more than many threads.
  std::size_t look_ahead(std::size_t told) const override { return 2 + told / 8; }

 private:
  double yield_of(std::size_t arm) const override {
    const Record& record = records_[arm];
    return (record.prior * kPriorWeight + record.sum) / (kPriorWeight + record.weight);
  }
  std::optional<std::size_t> fixed_turn(const std::vector<std::size_t>& ready) const override {
    if (asked() >= first_turns_ || ready.size() != members().size()) return std::nullopt;
    return asked() % kFirstArms;
  }

  void learn(std::size_t arm, const Evaluation& evaluation) override {
    Record& record = records_[arm];
    record.sum = record.sum * kForget + reward(evaluation);
    record.weight = record.weight * kForget + 1;
    forget_if_stuck(evaluation);
  }
  void know(const std::string& signature) override { ++known_[signature]; }

  /// What one arm found others may alter: schedules of genes, not decisions of schedulers.
  void pass_on(std::size_t finder, const Candidate& candidate,
               const Evaluation& evaluation) override {
    if (candidate.scheduler) return;
    for (std::size_t i = 0; i < members().size(); ++i) {
      if (i != finder && members()[i].name == "coverage") {
        search::welcome(*members()[i].search, candidate.genotype, evaluation);
      }
    }
  }

  /// A violation that is new to the hunt counts most; the same one again less each time. Otherwise
  /// states that no run had reached and the nearest of all objectives, the larger of the two, each
  /// against what is usual in this hunt, for the time that it took.
  double reward(const Evaluation& evaluation) {
    if (evaluation.failed) {
      const std::size_t before = known_[evaluation.signature]++;
      return before == 0 ? 1.0 : std::max(0.5, 0.9 - 0.05 * static_cast<double>(before));
    }
    const double news = usual_states_.judge(static_cast<double>(evaluation.new_states));
    double near = 0;
    usual_objectives_.resize(evaluation.objectives.size());
    for (std::size_t i = 0; i < evaluation.objectives.size(); ++i) {
      const double value = std::max(0.0, -evaluation.objectives[i]);
      near = std::max(near, usual_objectives_[i].judge(value));
    }
    const double slowness = usual_seconds_.judge(evaluation.virtual_seconds);
    return std::min(1.0, (0.5 * news + 0.5 * std::max(news, near)) * 2 * (1 - slowness));
  }

  void forget_if_stuck(const Evaluation& evaluation) {
    bool is_record = evaluation.new_states > 0;
    best_.resize(std::max(best_.size(), evaluation.objectives.size()), 0);
    for (std::size_t i = 0; i < evaluation.objectives.size(); ++i) {
      if (evaluation.objectives[i] >= best_[i]) continue;
      best_[i] = evaluation.objectives[i];
      is_record = true;
    }
    since_record_ = is_record ? 0 : since_record_ + 1;
    if (since_record_ < kRestart) return;
    since_record_ = 0;
    for (Record& record : records_) {
      record.sum /= 2;
      record.weight /= 2;
    }
  }

  std::vector<Record> records_;
  std::size_t first_turns_;
  std::map<std::string, std::size_t> known_;
  Usual usual_states_;
  Usual usual_seconds_;
  std::vector<Usual> usual_objectives_;
  std::vector<double> best_;
  std::size_t since_record_ = 0;
};

Member make_arm(const SearchContext& context, std::string_view name, std::size_t index) {
  SearchContext own = context;
  own.seed = derive_seed(context.seed, name, index);
  const auto shape = std::find(kShapeNames.begin(), kShapeNames.end(), name);
  if (shape != kShapeNames.end()) {
    return {name,
            make_one_shape(own, static_cast<Shape>(shape - kShapeNames.begin()), "shape-arm")};
  }
  if (name == "story") return {name, std::make_unique<StoryArm>(own)};
  const bool is_corpus = name == "coverage";
  return make_member(context, name, index,
                     Options::from_toml(is_corpus ? "records = true" : "", "adaptive"));
}

bool suits(const SearchSpace& space, std::string_view arm) {
  const bool has_ranks = std::any_of(space.subjects.begin(), space.subjects.end(),
                                     [](const auto& subject) { return subject.ranks > 1; });
  if (arm == "overtaking") return has_ranks;
  // These decide about messages alone: without the faults of a plan they would find little, and
  // where priorities vary they would bring delays that the scenario does not have.
  const bool is_online = arm == "pct" || arm == "pos" || arm == "sequence";
  if (is_online && space.type == SearchSpace::Type::priority) return false;
  return !((arm == "pct" || arm == "pos") && space.fault_strategy);
}

}  // namespace

std::unique_ptr<Search> make_adaptive(const SearchContext& context, const Options& options) {
  const bool has_genes = context.space.size() > 0;
  const double floor = options.number("floor", has_genes ? 0.25 : 0.4, 0, 1);
  options.finish();
  std::vector<Member> arms;
  std::vector<Record> records;
  const auto add = [&](const auto& plans) {
    for (const ArmPlan& plan : plans) {
      if (!suits(context.space, plan.name)) continue;
      arms.push_back(make_arm(context, plan.name, arms.size()));
      records.push_back({plan.prior});
    }
  };
  if (has_genes) {
    add(kDelayArms);
  } else {
    add(kFaultArms);
  }
  return std::make_unique<Adaptive>(std::move(arms), std::move(records), floor, has_genes,
                                    context.seed);
}

}  // namespace dissensus::search
