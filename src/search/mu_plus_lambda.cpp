// The (mu + lambda) evolutionary algorithm of the DiscoTest thesis, Algorithm 4.
#include <algorithm>
#include <numeric>
#include <utility>

#include "search/algorithms.h"
#include "search/generational.h"

namespace dissensus::search {

namespace {
class MuPlusLambda final : public Generational {
 public:
  MuPlusLambda(const SearchContext& context, std::size_t mu, std::size_t lambda,
               const Options& options, const VariationDefaults& defaults)
      : Generational(context, "mu-plus-lambda", lambda),
        mu_(mu),
        lambda_(lambda),
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

  /// Parents are paired at random, each once before any is used again.
  std::vector<Genotype> offspring() {
    std::vector<Genotype> result;
    std::vector<std::size_t> deck;
    const auto draw = [&] {
      if (deck.empty()) {
        deck.resize(parents_.size());
        std::iota(deck.begin(), deck.end(), std::size_t{0});
      }
      std::swap(deck[random().below(deck.size())], deck.back());
      const std::size_t parent = deck.back();
      deck.pop_back();
      return parent;
    };
    while (result.size() < lambda_) {
      const std::size_t first = draw();
      const std::size_t second = draw();
      auto [child_1, child_2] =
          variation_.children(parents_[first].genotype, parents_[second].genotype, random());
      result.push_back(std::move(child_1));
      if (result.size() < lambda_) result.push_back(std::move(child_2));
    }
    return result;
  }

  std::size_t mu_;
  std::size_t lambda_;
  Variation variation_;
  std::vector<Individual> parents_;
};
}  // namespace

std::unique_ptr<Search> make_mu_plus_lambda(const SearchContext& context, const Options& options,
                                            const VariationDefaults& defaults) {
  const auto mu = static_cast<std::size_t>(options.integer("mu", 4, 1, 10'000));
  const auto lambda = static_cast<std::size_t>(options.integer("lambda", 4, 1, 10'000));
  auto search = std::make_unique<MuPlusLambda>(context, mu, lambda, options, defaults);
  options.finish();
  return search;
}

}  // namespace dissensus::search
