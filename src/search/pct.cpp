#include "search/pct.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "search/genotype.h"

namespace dissensus::search {

PctScheduler::PctScheduler(std::uint64_t seed, const Parameters& parameters)
    : seed_(seed), parameters_(parameters) {}

void PctScheduler::start(std::size_t nodes, std::size_t /*kinds*/) {
  Random random(seed_, "pct");
  nodes_ = nodes;
  step_ = 0;
  // Above all that chains can fall to.
  priority_.resize(nodes * nodes);
  std::iota(priority_.begin(), priority_.end(), std::uint64_t{parameters_.depth});
  for (std::size_t i = priority_.size(); i > 1; --i) {
    std::swap(priority_[i - 1], priority_[random.below(i)]);
  }
  changes_.resize(parameters_.depth - 1);
  for (std::uint64_t& change : changes_) change = 1 + random.below(parameters_.steps);
}

std::size_t PctScheduler::pick(std::span<const PendingMessage> inbox) {
  const auto link = [this](const PendingMessage& message) {
    return message.from * nodes_ + message.to;
  };
  // Of equal priority, so of one chain, the first one stays.
  std::size_t best = 0;
  for (std::size_t i = 1; i < inbox.size(); ++i) {
    if (priority_[link(inbox[i])] > priority_[link(inbox[best])]) best = i;
  }
  if (parameters_.races_only && !races(inbox, best)) return best;
  ++step_;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (changes_[i] == step_) priority_[link(inbox[best])] = i + 1;
  }
  return best;
}

bool PctScheduler::races(std::span<const PendingMessage> inbox, std::size_t index) {
  const PendingMessage& picked = inbox[index];
  return std::any_of(inbox.begin(), inbox.end(), [&](const PendingMessage& other) {
    return other.to == picked.to && other.from != picked.from;
  });
}

namespace {
class PctSearch final : public Search {
 public:
  PctSearch(const SearchContext& context, const PctScheduler::Parameters& parameters, bool learns,
            const HoldDraw& hold)
      : space_(context.space),
        random_(context.seed, "pct-search"),
        parameters_(parameters),
        learns_(learns),
        hold_(hold) {}

  std::optional<Candidate> ask() override {
    Candidate candidate;
    const auto scheduler = std::make_shared<PctScheduler>(random_.next(), parameters_);
    scheduler->set_hold(hold_.draw(random_));
    candidate.scheduler = scheduler;
    candidate.origin = parameters_.races_only ? "tapct" : "pct";
    add_plan(candidate, space_, random_);
    return candidate;
  }
  void tell(const Candidate& candidate, const Evaluation&) override {
    const auto* scheduler = dynamic_cast<const PctScheduler*>(candidate.scheduler.get());
    if (!learns_ || scheduler == nullptr || scheduler->steps() == 0) return;
    longest_ = std::max(longest_, scheduler->steps());
    parameters_.steps = longest_;
  }

 private:
  SearchSpace space_;
  Random random_;
  PctScheduler::Parameters parameters_;
  bool learns_;
  HoldDraw hold_;
  std::uint64_t longest_ = 0;
};
}  // namespace

namespace {
std::unique_ptr<Search> make_change_points(const SearchContext& context, const Options& options,
                                           PctScheduler::Parameters parameters) {
  parameters.depth =
      static_cast<std::uint32_t>(options.integer("depth", parameters.depth, 1, 1000));
  const std::int64_t steps = options.integer("steps", 0, 0, 1'000'000'000);
  if (steps != 0) parameters.steps = static_cast<std::uint64_t>(steps);
  return std::make_unique<PctSearch>(context, parameters, steps == 0, HoldDraw(context, options));
}
}  // namespace

std::unique_ptr<Search> make_pct(const SearchContext& context, const Options& options) {
  return make_change_points(context, options, {});
}

std::unique_ptr<Search> make_tapct(const SearchContext& context, const Options& options) {
  return make_change_points(context, options, {.races_only = true});
}

}  // namespace dissensus::search
