#include "faults/fault_strategy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

std::uint64_t* round_of(const FaultKind& kind, void* fault) {
  for (const PartPtr& part : kind.parts) {
    if (std::uint64_t* const round = part->round(fault)) return round;
  }
  return nullptr;
}

class LiarStrategy final : public FaultStrategy {
 public:
  LiarStrategy(const FaultSpace::Liars& space, std::size_t nodes) : space_(space), nodes_(nodes) {}

  Fault draw(Random& random) const override { return random_lie(space_, nodes_, random); }
  Fault vary(const Fault& fault, Random& random) const override {
    const FaultKind& kind = fault.kind();
    Fault fresh = draw(random);
    for (int i = 0; i < kAttempts && &fresh.kind() != &kind; ++i) fresh = draw(random);
    if (&fresh.kind() != &kind) return fresh;
    const bool moves = random.chance(0.5);
    std::uint64_t round = 0;
    bool has_round = false;
    const Fault moved = kind.changed(fault, [&](void* value) {
      std::uint64_t* const own = round_of(kind, value);
      if (own == nullptr) return;
      has_round = true;
      round = *own;
      if (moves) *own = next_round(round, random);
    });
    if (!has_round) return fresh;
    if (moves) return moved;
    return kind.changed(fresh, [&](void* value) { *round_of(kind, value) = round; });
  }

 private:
  static constexpr int kAttempts = 20;

  std::uint64_t next_round(std::uint64_t round, Random& random) const {
    if (random.chance(0.5)) return std::min(round + 1, space_.last_round);
    return round > space_.first_round ? round - 1 : space_.first_round;
  }

  FaultSpace::Liars space_;
  std::size_t nodes_;
};

class StoryStrategy final : public FaultStrategy, public StoryTeller {
 public:
  StoryStrategy(const FaultSpace& space, std::size_t nodes) : space_(space), nodes_(nodes) {}

  Fault draw(Random& random) const override { return faults::random_fault(space_, nodes_, random); }
  Fault vary(const Fault& fault, Random& random) const override {
    return varied_fault(fault, space_, nodes_, random);
  }
  std::vector<Fault> draw_plan(std::size_t most, Random& random) const override {
    return tell(story(random), most, random);
  }
  std::vector<Fault> tell(Story story, std::size_t most, Random& random) const override {
    std::vector<Fault> plan = random_story(space_, nodes_, story, random);
    if (plan.size() > most)
      plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(most), plan.end());
    return plan;
  }

 private:
  /// Every other story is a relay, where there is something to wait for: faults that follow each
  /// other leave the system able to go on, and most of what goes wrong needs that.
  Story story(Random& random) const {
    if (!space_.anchors.empty() && random.chance(0.5)) return Story::relay;
    constexpr std::array kOthers{Story::independent, Story::waves, Story::chain};
    return kOthers[random.below(space_.anchors.empty() ? 2 : 3)];
  }

  FaultSpace space_;
  std::size_t nodes_;
};

/// Faults of liars beside others.
class MixedStrategy final : public FaultStrategy {
 public:
  MixedStrategy(const FaultSpace& space, std::size_t nodes)
      : liars_(space.liars, nodes),
        others_(space, nodes),
        space_(space.liars),
        share_(static_cast<double>(space.total()) / static_cast<double>(space.plan_size_max())) {}

  Fault draw(Random& random) const override {
    return random.chance(share_) ? others_.draw(random) : liars_.draw(random);
  }
  Fault vary(const Fault& fault, Random& random) const override {
    return space_.most(fault.kind()) > 0 ? liars_.vary(fault, random) : others_.vary(fault, random);
  }

 private:
  LiarStrategy liars_;
  StoryStrategy others_;
  FaultSpace::Liars space_;
  double share_;
};

}  // namespace

std::shared_ptr<const FaultStrategy> make_fault_strategy(const FaultSpace& space, std::size_t nodes,
                                                         std::size_t exposed) {
  if (space.liars.empty()) return std::make_shared<StoryStrategy>(space, exposed);
  if (!space.has_families()) return std::make_shared<LiarStrategy>(space.liars, nodes);
  return std::make_shared<MixedStrategy>(space, nodes);
}

}  // namespace dissensus::faults
