#include "search/delay_bounds.h"

#include <algorithm>
#include <string>
#include <utility>

#include "search/genotype.h"

namespace dissensus::search {

DelayBounds::DelayBounds(const SearchSpace& space) : nodes(space.nodes) {
  for (const SearchSpace::Subject& subject : space.subjects) {
    kinds = std::max(kinds, std::size_t{subject.kind} + 1);
  }
  most.assign(nodes * nodes * kinds, 0);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const SearchSpace::Subject& subject = space.subjects[i];
    most[place(subject.from, subject.to, subject.kind)] = space.high[i];
  }
}

namespace {
class SchedulerDraws final : public Search {
 public:
  SchedulerDraws(const SearchContext& context, std::string_view name, DelayScheduler make)
      : space_(context.space),
        name_(name),
        make_(std::move(make)),
        random_(context.seed, std::string(name) + "-search") {
    if (space_.type == SearchSpace::Type::delay && space_.size() > 0) {
      bounds_ = std::make_shared<const DelayBounds>(space_);
    }
  }
  std::optional<Candidate> ask() override {
    Candidate candidate;
    candidate.origin = name_;
    if (!bounds_) {
      candidate.genotype = random_genotype(space_, random_);
      return candidate;
    }
    candidate.scheduler = make_(bounds_, random_.next());
    add_plan(candidate, space_, random_);
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  std::string_view name_;  ///< a literal: candidates keep it
  DelayScheduler make_;
  Random random_;
  std::shared_ptr<const DelayBounds> bounds_;
};
}  // namespace

std::unique_ptr<Search> make_scheduler_draws(const SearchContext& context, std::string_view name,
                                             DelayScheduler make) {
  return std::make_unique<SchedulerDraws>(context, name, std::move(make));
}

}  // namespace dissensus::search
