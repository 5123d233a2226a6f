// The (mu + lambda) evolutionary algorithm of the DiscoTest thesis, Algorithm 4.
#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "search/algorithms.h"
#include "search/generational.h"

namespace dissensus::search {

namespace {
/// Who becomes a parent (thesis 2.4.2).
enum class Selection : unsigned char {
  pairs,       ///< everybody as often as everybody else: the thesis's Algorithm 4
  roulette,    ///< as often as the first objective is better than the worst one's: proportionate
  tournament,  ///< the better of two
};

class MuPlusLambda final : public Generational {
 public:
  MuPlusLambda(const SearchContext& context, std::size_t mu, std::size_t lambda,
               Selection selection, const Options& options, const VariationDefaults& defaults)
      : Generational(context, "mu-plus-lambda", lambda),
        mu_(mu),
        lambda_(lambda),
        selection_(selection),
        variation_(space(), options, defaults) {}

 private:
  std::vector<Genotype> next_generation(std::vector<Individual> told) override {
    // Of equal ones the younger goes first, so that a plateau is walked, not sat on.
    std::move(parents_.begin(), parents_.end(), std::back_inserter(told));
    parents_ = std::move(told);
    std::stable_sort(parents_.begin(), parents_.end(), better);
    if (parents_.size() > mu_) parents_.resize(mu_);
    return offspring();
  }
  std::string_view origin() const override { return variation_.origin(); }

  std::vector<Genotype> offspring() {
    std::vector<Genotype> result;
    deck_.clear();
    while (result.size() < lambda_) {
      const std::size_t first = select();
      const std::size_t second = select();
      auto [child_1, child_2] =
          variation_.children(parents_[first].genotype, parents_[second].genotype, random());
      result.push_back(std::move(child_1));
      if (result.size() < lambda_) result.push_back(std::move(child_2));
    }
    return result;
  }

  std::size_t select() {
    switch (selection_) {
      case Selection::roulette:
        return spin();
      case Selection::tournament: {
        // They are sorted.
        const std::size_t first = random().below(parents_.size());
        return std::min<std::size_t>(first, random().below(parents_.size()));
      }
      case Selection::pairs:
        break;
    }
    return deal();
  }

  /// At random, each once before any is used again.
  std::size_t deal() {
    if (deck_.empty()) {
      deck_.resize(parents_.size());
      std::iota(deck_.begin(), deck_.end(), std::size_t{0});
    }
    std::swap(deck_[random().below(deck_.size())], deck_.back());
    const std::size_t parent = deck_.back();
    deck_.pop_back();
    return parent;
  }

  /// Objectives may be below zero and are minimised, so a share of the wheel is what an individual
  /// is better by than the worst one of the parents.
  std::size_t spin() {
    const double worst = parents_.back().objectives[0];
    double sum = 0;
    for (const Individual& parent : parents_) sum += worst - parent.objectives[0];
    if (!(sum > 0)) return random().below(parents_.size());
    double ball = random().unit() * sum;
    for (std::size_t i = 0; i + 1 < parents_.size(); ++i) {
      ball -= worst - parents_[i].objectives[0];
      if (ball < 0) return i;
    }
    return parents_.size() - 1;
  }

  std::size_t mu_;
  std::size_t lambda_;
  Selection selection_;
  Variation variation_;
  std::vector<Individual> parents_;  ///< best first
  std::vector<std::size_t> deck_;
};
}  // namespace

std::unique_ptr<Search> make_mu_plus_lambda(const SearchContext& context, const Options& options,
                                            const VariationDefaults& defaults) {
  const auto mu = static_cast<std::size_t>(options.integer("mu", 4, 1, 10'000));
  const auto lambda = static_cast<std::size_t>(options.integer("lambda", 4, 1, 10'000));
  static constexpr std::array<std::string_view, 3> kSelections{"pairs", "roulette", "tournament"};
  const auto selection =
      static_cast<Selection>(options.choice("selection", kSelections, std::size_t{0}));
  auto search = std::make_unique<MuPlusLambda>(context, mu, lambda, selection, options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
