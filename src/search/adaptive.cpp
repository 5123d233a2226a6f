#include "search/adaptive.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/assert.h"
#include "search/immigration.h"
#include "search/registry.h"
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
/// How fast what is usual follows what is seen, and how fast an arm forgets.
constexpr double kUsualMemory = 0.05;
constexpr double kForget = 0.98;
/// Runs without a new state or a record, after which all arms return half-way to their priors.
constexpr std::size_t kRestart = 150;

/// One shape, again and again.
class ShapeArm final : public Search {
 public:
  ShapeArm(const SearchContext& context, Shape shape)
      : space_(context.space), random_(context.seed, "shape-arm"), shape_(shape) {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.genotype = draw_shape(space_, shape_, random_);
    candidate.origin = kShapeNames[static_cast<std::size_t>(shape_)];
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  Random random_;
  Shape shape_;
};

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

struct Arm {
  std::string_view name;
  double prior = 0.5;
  std::unique_ptr<Search> search;
  bool single_objective = false;
  double sum = 0;     ///< of rewards, older ones count less
  double weight = 0;  ///< of the same results
  std::size_t asked = 0;

  double yield() const { return (prior * kPriorWeight + sum) / (kPriorWeight + weight); }
};

class Adaptive final : public Search, public Immigration {
 public:
  Adaptive(std::vector<Arm> arms, double floor, bool has_first_turns, std::uint64_t seed)
      : arms_(std::move(arms)),
        floor_(floor),
        first_turns_(has_first_turns ? kFirstTurns : 0),
        random_(seed, "adaptive") {}

  std::optional<Candidate> ask() override {
    std::vector<std::size_t> ready(arms_.size());
    for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = i;
    while (!ready.empty()) {
      const auto chosen = ready.begin() + static_cast<std::ptrdiff_t>(choose(ready));
      Arm& arm = arms_[*chosen];
      if (std::optional<Candidate> candidate = arm.search->ask()) {
        ++arm.asked;
        ++asked_;
        under_way_.push_back({*chosen, candidate->tag});
        candidate->member = arm.name;
        return candidate;
      }
      ready.erase(chosen);
    }
    return std::nullopt;
  }

  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    const UnderWay asked = under_way_.front();
    under_way_.pop_front();
    Arm& arm = arms_[asked.arm];
    arm.sum = arm.sum * kForget + reward(evaluation);
    arm.weight = arm.weight * kForget + 1;
    forget_if_stuck(evaluation);

    Candidate own = candidate;
    own.tag = asked.tag;
    arm.search->tell(own, arm.single_objective ? summed(evaluation) : evaluation);
    share_with_corpus(arm, candidate, evaluation);
  }

  void welcome(const Genotype& genotype, const Evaluation& evaluation) override {
    if (evaluation.failed) ++known_[evaluation.signature];
    for (Arm& arm : arms_) {
      search::welcome(*arm.search, genotype,
                      arm.single_objective ? summed(evaluation) : evaluation);
    }
  }

  /// What is learned from the first runs is worth more than many threads.
  std::size_t look_ahead(std::size_t told) const override { return 2 + told / 8; }

 private:
  struct UnderWay {
    std::size_t arm;
    std::uint64_t tag;
  };

  static Evaluation summed(const Evaluation& evaluation) {
    Evaluation single = evaluation;
    double sum = 0;
    for (const double objective : evaluation.objectives) sum += objective;
    single.objectives = {sum};
    return single;
  }

  /// What one arm found others may alter: schedules of genes, not decisions of schedulers.
  void share_with_corpus(const Arm& finder, const Candidate& candidate,
                         const Evaluation& evaluation) {
    if (candidate.scheduler) return;
    for (Arm& arm : arms_) {
      if (&arm != &finder && arm.name == "coverage") {
        search::welcome(*arm.search, candidate.genotype, evaluation);
      }
    }
  }

  std::size_t choose(const std::vector<std::size_t>& ready) {
    if (asked_ < first_turns_ && ready.size() == arms_.size()) return asked_ % kFirstArms;
    double total = 0;
    for (const std::size_t arm : ready) total += share(arm);
    double left = random_.unit() * total;
    for (std::size_t i = 0; i + 1 < ready.size(); ++i) {
      left -= share(ready[i]);
      if (left < 0) return i;
    }
    return ready.size() - 1;
  }
  double share(std::size_t index) const {
    double yields = 0;
    for (const Arm& arm : arms_) yields += power(arm.yield());
    const double even = 1 / static_cast<double>(arms_.size());
    return floor_ * even + (1 - floor_) * power(arms_[index].yield()) / yields;
  }
  static double power(double yield) { return yield * yield * yield * yield; }

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
    for (Arm& arm : arms_) {
      arm.sum /= 2;
      arm.weight /= 2;
    }
  }

  /// A moving average, and how a value compares with it, 0.5 for one that equals it.
  struct Average {
    double mean = 0;
    double judge(double value) {
      const double sum = value + mean;
      mean += (value - mean) * kUsualMemory;
      return sum > 0 ? value / sum : 0.5;
    }
  };

  std::vector<Arm> arms_;
  double floor_;
  std::size_t first_turns_;
  Random random_;
  std::size_t asked_ = 0;
  std::deque<UnderWay> under_way_;
  std::map<std::string, std::size_t> known_;
  Average usual_states_;
  Average usual_seconds_;
  std::vector<Average> usual_objectives_;
  std::vector<double> best_;
  std::size_t since_record_ = 0;
};

Arm make_arm(const SearchContext& context, const ArmPlan& plan, std::size_t index) {
  SearchContext own = context;
  own.seed = derive_seed(context.seed, plan.name, index);
  const auto shape = std::find(kShapeNames.begin(), kShapeNames.end(), plan.name);
  if (shape != kShapeNames.end()) {
    return {plan.name, plan.prior,
            std::make_unique<ShapeArm>(own, static_cast<Shape>(shape - kShapeNames.begin()))};
  }
  if (plan.name == "story") return {plan.name, plan.prior, std::make_unique<StoryArm>(own)};
  const SearchEntry* entry = find_search(built_in_searches(), plan.name);
  DISSENSUS_ASSERT(entry, "make_adaptive : arms are shapes or built in");
  const bool single = entry->fitness.size() == 1 && context.objectives > 1;
  if (single) own.objectives = 1;
  const bool is_corpus = plan.name == "coverage";
  const Options options = Options::from_toml(is_corpus ? "records = true" : "", "adaptive");
  return {plan.name, plan.prior, entry->make(own, options), single};
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
  std::vector<Arm> arms;
  const auto add = [&](const auto& plans) {
    for (const ArmPlan& plan : plans) {
      if (suits(context.space, plan.name)) arms.push_back(make_arm(context, plan, arms.size()));
    }
  };
  if (has_genes) {
    add(kDelayArms);
  } else {
    add(kFaultArms);
  }
  return std::make_unique<Adaptive>(std::move(arms), floor, has_genes, context.seed);
}

}  // namespace dissensus::search
