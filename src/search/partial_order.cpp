#include "search/partial_order.h"

#include <algorithm>

#include "core/assert.h"
#include "search/genotype.h"

namespace dissensus::search {

void PartialOrderScheduler::start(std::size_t /*nodes*/, std::size_t /*kinds*/) {
  random_ = Random(seed_, "pos");
  priority_.clear();
}

void PartialOrderScheduler::arrived(const PendingMessage& /*message*/) {
  priority_.push_back(random_.next());
}

std::size_t PartialOrderScheduler::pick(std::span<const PendingMessage> inbox) {
  DISSENSUS_ASSERT(priority_.size() == inbox.size(), "PartialOrderScheduler : sees each message");
  const auto best = std::max_element(priority_.begin(), priority_.end());
  const auto index = static_cast<std::size_t>(best - priority_.begin());
  for (std::size_t i = 0; i < inbox.size(); ++i) {
    if (inbox[i].to == inbox[index].to) priority_[i] = random_.next();
  }
  priority_.erase(best);
  return index;
}

namespace {
class PartialOrderSearch final : public Search {
 public:
  PartialOrderSearch(const SearchContext& context, const HoldDraw& hold)
      : space_(context.space), random_(context.seed, "pos-search"), hold_(hold) {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    const auto scheduler = std::make_shared<PartialOrderScheduler>(random_.next());
    scheduler->set_hold(hold_.draw(random_));
    candidate.scheduler = scheduler;
    candidate.origin = "pos";
    add_plan(candidate, space_, random_);
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  Random random_;
  HoldDraw hold_;
};
}  // namespace

std::unique_ptr<Search> make_partial_order(const SearchContext& context, const Options& options) {
  return std::make_unique<PartialOrderSearch>(context, HoldDraw(context, options));
}

}  // namespace dissensus::search
