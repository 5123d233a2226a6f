#include "search/fault_space.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace dissensus::search {

namespace {
using faults::Fault;

/// By type of fault, in the order of the variant: how many a plan may hold.
using Limits = std::array<std::size_t, std::variant_size_v<Fault>>;

template <typename Type>
constexpr std::size_t index_of() {
  return Fault(Type{}).index();
}

Limits limits_of(const faults::ByzantineSpace& space, std::size_t nodes) {
  Limits limits{};
  const std::size_t liars = std::min<std::size_t>(space.liars_per_plan, space.liars.size());
  limits[index_of<faults::MutateFault>()] = space.process_faults;
  limits[index_of<faults::RoundPartitionFault>()] = space.network_faults;
  limits[index_of<faults::ReplayFault>()] = space.replays;
  const bool apart = space.twins > 0 && space.twins_apart;
  limits[index_of<faults::SilenceFault>()] = space.silences + (apart ? nodes : 0);
  limits[index_of<faults::TwinsFault>()] = std::min<std::size_t>(space.twins, liars);
  if (space.drop > 0 || space.corrupt > 0) limits[index_of<faults::NoiseFault>()] = liars;
  if (space.skew_max > Duration{}) limits[index_of<faults::SkewFault>()] = liars;
  return limits;
}

class ByzantineStrategy final : public FaultStrategy {
 public:
  ByzantineStrategy(const faults::ByzantineSpace& space, std::size_t nodes)
      : space_(space), nodes_(nodes) {}

  Fault draw(Random& random) const override {
    constexpr int kDraws = 100;
    for (int i = 0; i < kDraws; ++i) {
      std::vector<Fault> plan = faults::random_faults(space_, nodes_, random);
      if (!plan.empty()) return std::move(plan[random.below(plan.size())]);
    }
    return faults::RoundPartitionFault{space_.first_round, {}};  // separates nobody
  }

  Fault vary(const Fault& fault, Random& random) const override {
    Fault fresh = draw(random);
    for (int i = 0; i < kAttempts && fresh.index() != fault.index(); ++i) fresh = draw(random);
    if (fresh.index() != fault.index()) return fresh;
    const bool move = random.chance(0.5);
    return std::visit(
        [&](auto varied) -> Fault {
          using Type = decltype(varied);
          const Type& other = std::get<Type>(fresh);
          if constexpr (requires { varied.round + 1; }) {
            if (move) {
              varied.round = next_round(varied.round, random);
              return varied;
            }
            const std::uint64_t round = varied.round;
            varied = other;
            varied.round = round;
            return varied;
          } else {
            return other;
          }
        },
        fault);
  }

 private:
  static constexpr int kAttempts = 20;

  std::uint64_t next_round(std::uint64_t round, Random& random) const {
    if (random.chance(0.5)) return std::min(round + 1, space_.last_round);
    return round > space_.first_round ? round - 1 : space_.first_round;
  }

  faults::ByzantineSpace space_;
  std::size_t nodes_;
};
}  // namespace

std::shared_ptr<const FaultStrategy> make_fault_strategy(const faults::ByzantineSpace& space,
                                                         std::size_t nodes) {
  return std::make_shared<ByzantineStrategy>(space, nodes);
}

namespace {
class EnvironmentStrategy final : public FaultStrategy, public StoryTeller {
 public:
  EnvironmentStrategy(const faults::EnvironmentSpace& space, std::size_t nodes)
      : space_(space), nodes_(nodes) {}

  Fault draw(Random& random) const override { return faults::random_fault(space_, nodes_, random); }
  Fault vary(const Fault& fault, Random& random) const override {
    return faults::varied_fault(fault, space_, nodes_, random);
  }
  std::vector<Fault> draw_plan(std::size_t most, Random& random) const override {
    return tell(story(random), most, random);
  }
  std::vector<Fault> tell(faults::Story story, std::size_t most, Random& random) const override {
    std::vector<Fault> plan = faults::random_story(space_, nodes_, story, random);
    if (plan.size() > most) plan.resize(most);
    return plan;
  }

 private:
  /// Every other story is a relay, where there is something to wait for: faults that follow each
  /// other leave the system able to go on, and most of what goes wrong needs that.
  faults::Story story(Random& random) const {
    using faults::Story;
    if (!space_.anchors.empty() && random.chance(0.5)) return Story::relay;
    constexpr std::array kOthers{Story::independent, Story::waves, Story::chain};
    return kOthers[random.below(space_.anchors.empty() ? 2 : 3)];
  }

  faults::EnvironmentSpace space_;
  std::size_t nodes_;
};

/// Faults of liars beside faults of the environment.
class MixedStrategy final : public FaultStrategy {
 public:
  MixedStrategy(const faults::ByzantineSpace& byzantine,
                const faults::EnvironmentSpace& environment, std::size_t nodes)
      : byzantine_(byzantine, nodes),
        environment_(environment, nodes),
        limits_(limits_of(byzantine, nodes)),
        share_(static_cast<double>(environment.total()) /
               static_cast<double>(environment.total() + plan_size_max(byzantine, nodes))) {}

  Fault draw(Random& random) const override {
    return random.chance(share_) ? environment_.draw(random) : byzantine_.draw(random);
  }
  Fault vary(const Fault& fault, Random& random) const override {
    return limits_[fault.index()] > 0 ? byzantine_.vary(fault, random)
                                      : environment_.vary(fault, random);
  }

 private:
  ByzantineStrategy byzantine_;
  EnvironmentStrategy environment_;
  Limits limits_;
  double share_;
};
}  // namespace

std::shared_ptr<const FaultStrategy> make_fault_strategy(const faults::EnvironmentSpace& space,
                                                         std::size_t nodes) {
  return std::make_shared<EnvironmentStrategy>(space, nodes);
}

std::shared_ptr<const FaultStrategy> make_fault_strategy(
    const faults::ByzantineSpace& byzantine, const faults::EnvironmentSpace& environment,
    std::size_t nodes) {
  return std::make_shared<MixedStrategy>(byzantine, environment, nodes);
}

std::size_t plan_size_max(const faults::ByzantineSpace& space, std::size_t nodes) {
  const Limits limits = limits_of(space, nodes);
  return std::accumulate(limits.begin(), limits.end(), std::size_t{0});
}

std::vector<Fault> admitted(const std::vector<Fault>& plan, const faults::ByzantineSpace& space,
                            std::size_t nodes) {
  Limits left = limits_of(space, nodes);
  std::vector<Fault> kept;
  for (const Fault& fault : plan) {
    if (left[fault.index()] == 0) continue;
    kept.push_back(fault);
    if (faults::byzantine_nodes(kept).size() > space.liars_per_plan) {
      kept.pop_back();
    } else {
      --left[fault.index()];
    }
  }
  return kept;
}

}  // namespace dissensus::search
