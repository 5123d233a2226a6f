// First-improvement hill climbing with random restarts.
#include <utility>

#include "search/algorithms.h"
#include "search/generational.h"
#include "search/genotype.h"
#include "search/immigration.h"

namespace dissensus::search {

namespace {
/// Never waits: while results are outstanding it proposes further neighbours of the same place.
class HillClimbing final : public Search, public Immigration {
 public:
  HillClimbing(const SearchContext& context, std::uint64_t patience, const Options& options)
      : context_(context),
        random_(context.seed, "hill-climbing"),
        variation_(context_.space, options, {.mutation = "gaussian", .sigma_share = 0.1}),
        patience_(patience) {}

  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.tag = climb_;
    if (place_) {
      candidate.genotype = variation_.neighbour(place_->genotype, random_);
      candidate.origin = variation_.neighbour_origin();
    } else {
      candidate.genotype = random_genotype(context_.space, random_);
      candidate.origin = "random";
    }
    return candidate;
  }

  void tell(const Candidate& candidate, const Evaluation& evaluation) override {
    if (candidate.tag != climb_) return;  // a neighbour of a place that was given up
    Individual told{candidate.genotype, finite_objectives(evaluation, context_.objectives)};
    const bool improves = !place_ || better(told, *place_);
    failures_ = improves ? 0 : failures_ + 1;
    // A step on a plateau is taken, but does not count as progress.
    if (improves || !better(*place_, told)) place_ = std::move(told);
    if (failures_ < patience_) return;
    place_.reset();
    failures_ = 0;
    ++climb_;
  }

  /// Climbs on from a better place; equal ones stay apart.
  void welcome(const Genotype& genotype, const Evaluation& evaluation) override {
    Individual told{genotype, finite_objectives(evaluation, context_.objectives)};
    if (!place_ || !better(told, *place_)) return;
    place_ = std::move(told);
    failures_ = 0;
  }

 private:
  SearchContext context_;
  Random random_;
  Variation variation_;
  std::uint64_t patience_;
  std::optional<Individual> place_;
  std::uint64_t failures_ = 0;
  std::uint64_t climb_ = 0;
};
}  // namespace

std::unique_ptr<Search> make_hill_climbing(const SearchContext& context, const Options& options) {
  const auto patience =
      static_cast<std::uint64_t>(options.integer("patience", 500, 1, 1'000'000'000));
  auto search = std::make_unique<HillClimbing>(context, patience, options);
  options.finish();
  return search;
}

}  // namespace dissensus::search
