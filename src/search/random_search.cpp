#include <cmath>

#include "search/algorithms.h"
#include "search/genotype.h"

namespace dissensus::search {

namespace {
class RandomSearch final : public Search {
 public:
  /// Delays from this share of their range on.
  RandomSearch(const SearchContext& context, double from)
      : space_(context.space), random_(context.seed, "random") {
    if (from == 0 || space_.type == SearchSpace::Type::priority) return;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      space_.low[i] = std::floor(space_.low[i] + from * (space_.high[i] - space_.low[i]));
    }
  }

  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.genotype = random_genotype(space_, random_);
    candidate.origin = "random";
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  Random random_;
};
}  // namespace

std::unique_ptr<Search> make_random(const SearchContext& context, const Options& options) {
  const double from = options.number("from", 0, 0, 1);
  options.finish();
  return std::make_unique<RandomSearch>(context, from);
}

}  // namespace dissensus::search
