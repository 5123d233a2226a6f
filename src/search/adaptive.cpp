#include "search/adaptive.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/suggestion.h"
#include "faults/fault_strategy.h"
#include "search/shared_budget.h"
#include "search/structured.h"

namespace dissensus::search {

namespace {

/// A way to make candidates, and what is expected of it before anything is known: 0.5 is what is
/// usual. All draw each candidate for itself; how often each should come was chosen by what single
/// draws show of the bugs of benchmarks/, sets 1 and 2.
struct ArmPlan {
  std::string_view name;  ///< a shape, a story, or a search of the registry
  double prior;
};
constexpr ArmPlan kDelayArms[] = {
    {"overtaking", 0.75}, {"passing-split", 0.65}, {"even-split", 0.55},
    {"pct", 0.55},        {"noisy-split", 0.55},   {"slow", 0.5},
    {"uniform", 0.5},     {"remote-node", 0.5},    {"pos", 0.45},
};
constexpr ArmPlan kFaultArms[] = {{"waves", 0.7}, {"relay", 0.6}, {"full", 0.5}, {"random", 0.45}};
constexpr std::array<std::pair<std::string_view, faults::Story>, 2> kStoryArms{
    {{"waves", faults::Story::waves}, {"relay", faults::Story::relay}}};

/// The first turns, before shares are drawn: what one arm never finds another one finds at once, so
/// each comes early. Where messages can overtake others of their type they do so every other time:
/// nothing else shows what that breaks.
constexpr std::string_view kFirstDelayTurns[] = {
    "overtaking",  "even-split", "overtaking",    "passing-split", "overtaking", "pct",
    "noisy-split", "overtaking", "remote-node",   "slow",          "overtaking", "uniform",
    "overtaking",  "even-split", "overtaking",    "passing-split", "overtaking", "pct",
    "noisy-split", "overtaking", "remote-node",   "slow",          "overtaking", "pos",
    "overtaking",  "even-split", "passing-split", "overtaking",    "pct",        "noisy-split"};
constexpr std::string_view kFirstFaultTurns[] = {
    "waves", "full",  "relay",  "waves", "random", "waves", "relay", "waves",
    "full",  "waves", "random", "relay", "waves",  "full",  "waves", "relay"};
/// A prior counts as much as so many results.
constexpr double kPriorWeight = 4;
/// How fast an arm forgets.
constexpr double kForget = 0.98;
/// Runs without a new state or a record, after which all arms return half-way to their priors.
constexpr std::size_t kRestart = 150;

/// The part of a space that knows stories, if it has one.
const faults::StoryTeller* teller_of(const SearchSpace& space) {
  return dynamic_cast<const faults::StoryTeller*>(space.fault_strategy.get());
}

/// Faults that belong together, always in the same way. A plan without any is a run without a
/// schedule, and drawn again.
class StoryArm final : public Search {
 public:
  StoryArm(const SearchContext& context, faults::Story story, std::string_view name)
      : space_(context.space), story_(story), name_(name), random_(context.seed, "story-arm") {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.origin = name_;
    constexpr std::size_t kTries = 16;
    for (std::size_t i = 0; i < kTries && candidate.genotype.faults.empty(); ++i) {
      candidate.genotype.faults = teller_of(space_)->tell(story_, space_.faults_max, random_);
    }
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  faults::Story story_;
  std::string_view name_;
  Random random_;
};

/// As many faults as a plan may have, each for itself.
class FullPlanArm final : public Search {
 public:
  explicit FullPlanArm(const SearchContext& context)
      : space_(context.space), random_(context.seed, "full-plan-arm") {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.origin = "full";
    for (std::size_t i = 0; i < space_.faults_max; ++i) {
      candidate.genotype.faults.push_back(space_.fault_strategy->draw(random_));
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
           std::vector<std::size_t> first_turns, std::uint64_t seed)
      : SharedBudget(std::move(arms), floor, Random(seed, "adaptive")),
        records_(std::move(records)),
        first_turns_(std::move(first_turns)) {}

  /// What is learned from the first runs is worth more than many threads.
  std::size_t look_ahead(std::size_t told) const override { return 2 + told / 8; }

 private:
  double yield_of(std::size_t arm) const override {
    const Record& record = records_[arm];
    return (record.prior * kPriorWeight + record.sum) / (kPriorWeight + record.weight);
  }
  std::optional<std::size_t> fixed_turn(const std::vector<std::size_t>& ready) const override {
    if (asked() >= first_turns_.size() || ready.size() != members().size()) return std::nullopt;
    return first_turns_[asked()];
  }

  void learn(std::size_t arm, const Evaluation& evaluation) override {
    Record& record = records_[arm];
    record.sum = record.sum * kForget + reward(evaluation);
    record.weight = record.weight * kForget + 1;
    forget_if_stuck(evaluation);
  }
  void know(const std::string& signature) override { ++known_[signature]; }

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
  std::vector<std::size_t> first_turns_;  ///< members
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
  const auto story = std::find_if(kStoryArms.begin(), kStoryArms.end(),
                                  [&](const auto& arm) { return arm.first == name; });
  if (story != kStoryArms.end()) {
    return {name, std::make_unique<StoryArm>(own, story->second, name)};
  }
  if (name == "full") return {name, std::make_unique<FullPlanArm>(own)};
  return make_member(context, name, index, Options::from_toml("", "adaptive"));
}

bool suits(const SearchSpace& space, std::string_view arm) {
  const bool has_ranks = std::any_of(space.subjects.begin(), space.subjects.end(),
                                     [](const auto& subject) { return subject.ranks > 1; });
  if (arm == "overtaking") return has_ranks;
  if (arm == "waves" || arm == "relay") return teller_of(space) != nullptr;
  // Where priorities vary these would bring delays that the scenario does not have.
  const bool is_online = arm == "pct" || arm == "pos" || arm == "passing-split";
  return !is_online || space.type == SearchSpace::Type::delay;
}

/// The arms of a hunt: the parameter `arms`, or all.
std::vector<ArmPlan> plans_of(const SearchSpace& space, const Options& options) {
  const bool has_genes = space.size() > 0;
  const std::span<const ArmPlan> known =
      has_genes ? std::span<const ArmPlan>(kDelayArms) : std::span<const ArmPlan>(kFaultArms);
  std::vector<ArmPlan> plans(known.begin(), known.end());
  if (const auto list = options.find("arms")) {
    plans.clear();
    for (const OptionValue& name : list->list()) {
      const auto plan = std::find_if(known.begin(), known.end(),
                                     [&](const ArmPlan& arm) { return arm.name == name.text(); });
      if (plan == known.end()) {
        std::vector<std::string> names;
        for (const ArmPlan& arm : known) names.emplace_back(arm.name);
        name.fail("expected the name of an arm" + suggestion(name.text(), names));
      }
      plans.push_back(*plan);
    }
    if (plans.empty()) list->fail("expected at least one arm");
  }
  std::erase_if(plans, [&](const ArmPlan& plan) { return !suits(space, plan.name); });
  if (plans.empty()) options.fail("arms", "none of these suits what the scenario lets vary");
  return plans;
}

/// Members by their turns; arms that a hunt does not have are passed over.
std::vector<std::size_t> first_turns_of(const std::vector<Member>& arms, bool has_genes) {
  const std::span<const std::string_view> names =
      has_genes ? std::span<const std::string_view>(kFirstDelayTurns)
                : std::span<const std::string_view>(kFirstFaultTurns);
  std::vector<std::size_t> turns;
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      if (arms[i].name == name) turns.push_back(i);
    }
  }
  return turns;
}

}  // namespace

std::unique_ptr<Search> make_adaptive(const SearchContext& context, const Options& options) {
  const bool has_genes = context.space.size() > 0;
  const double floor = options.number("floor", has_genes ? 0.25 : 0.4, 0, 1);
  const std::vector<ArmPlan> plans = plans_of(context.space, options);
  options.finish();
  std::vector<Member> arms;
  std::vector<Record> records;
  for (const ArmPlan& plan : plans) {
    arms.push_back(make_arm(context, plan.name, arms.size()));
    records.push_back({plan.prior});
  }
  std::vector<std::size_t> first_turns = first_turns_of(arms, has_genes);
  return std::make_unique<Adaptive>(std::move(arms), std::move(records), floor,
                                    std::move(first_turns), context.seed);
}

}  // namespace dissensus::search
