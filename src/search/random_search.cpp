#include "search/algorithms.h"
#include "search/genotype.h"

namespace dissensus::search {

namespace {
class RandomSearch final : public Search {
 public:
  explicit RandomSearch(const SearchContext& context)
      : space_(context.space), random_(context.seed, "random") {}

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
  options.finish();
  return std::make_unique<RandomSearch>(context);
}

}  // namespace dissensus::search
