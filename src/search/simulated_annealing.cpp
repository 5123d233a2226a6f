// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983), geometric cooling, reheated when cold.
#include <cmath>
#include <utility>

#include "search/algorithms.h"
#include "search/generational.h"
#include "search/genotype.h"
#include "search/immigration.h"
#include "search/portable_math.h"

namespace dissensus::search {

namespace {
struct AnnealingParameters {
  double temperature = 0;  ///< first one, in units of the objective; 0: from the first changes
  double cooling = 0.995;  ///< factor per told candidate
  double coldest = 1e-4;   ///< share of the first temperature at which it is reheated
};

/// How much worse b is than a, in the first objective that differs.
double loss(const Point& a, const Point& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) return b[k] - a[k];
  }
  return 0;
}

class SimulatedAnnealing final : public Search, public Immigration {
 public:
  SimulatedAnnealing(const SearchContext& context, const AnnealingParameters& parameters,
                     const Options& options)
      : context_(context),
        parameters_(parameters),
        random_(context.seed, "simulated-annealing"),
        variation_(context_.space, options, {.mutation = "gaussian", .sigma_share = 0.1}),
        first_temperature_(parameters.temperature),
        temperature_(parameters.temperature) {}

  std::optional<Candidate> ask() override {
    Candidate candidate;
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
    Individual told{candidate.genotype, finite_objectives(evaluation, context_.objectives)};
    if (!place_) {
      place_ = best_ = std::move(told);
      return;
    }
    if (better(told, *best_)) best_ = told;
    const double worse = loss(place_->objectives, told.objectives);
    learn_temperature(std::fabs(worse));
    if (worse <= 0 || random_.chance(portable_exp(-worse / temperature_))) {
      place_ = std::move(told);
    }
    temperature_ *= parameters_.cooling;
    if (temperature_ < parameters_.coldest * first_temperature_) {
      temperature_ = first_temperature_;
      place_ = best_;
    }
  }

  /// Only where the next cooling starts from: the place itself is a walk of its own.
  void welcome(const Genotype& genotype, const Evaluation& evaluation) override {
    Individual told{genotype, finite_objectives(evaluation, context_.objectives)};
    if (best_ && better(told, *best_)) best_ = std::move(told);
  }

 private:
  /// Until told otherwise: the mean change among the first candidates, each counting at once.
  void learn_temperature(double change) {
    constexpr int kChanges = 20;
    if (parameters_.temperature > 0 || changes_ == kChanges) return;
    total_change_ += change;
    ++changes_;
    first_temperature_ = total_change_ / changes_;
    if (!(first_temperature_ > 0)) first_temperature_ = 1e-9;
    temperature_ = first_temperature_;
  }

  SearchContext context_;
  AnnealingParameters parameters_;
  Random random_;
  Variation variation_;
  std::optional<Individual> place_;
  std::optional<Individual> best_;
  double first_temperature_;
  double temperature_;
  double total_change_ = 0;
  int changes_ = 0;
};
}  // namespace

std::unique_ptr<Search> make_simulated_annealing(const SearchContext& context,
                                                 const Options& options) {
  AnnealingParameters parameters;
  parameters.temperature = options.number("temperature", parameters.temperature, 0, 1e12);
  parameters.cooling = options.number("cooling", parameters.cooling, 0.01, 1 - 1e-9);
  parameters.coldest = options.number("coldest", parameters.coldest, 1e-12, 0.999);
  auto search = std::make_unique<SimulatedAnnealing>(context, parameters, options);
  options.finish();
  return search;
}

}  // namespace dissensus::search
