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

void RaposScheduler::start(std::size_t nodes, std::size_t /*kinds*/) {
  random_ = Random(seed_, "rapos");
  batch_.clear();
  is_hit_.assign(nodes, true);  // at first any message may begin
}

void RaposScheduler::draw_batch(std::span<const PendingMessage> inbox) {
  std::vector<std::size_t> schedulable;
  for (std::size_t i = 0; i < inbox.size(); ++i) {
    if (is_hit_[inbox[i].to]) schedulable.push_back(i);
  }
  if (schedulable.empty()) schedulable.push_back(random_.below(inbox.size()));
  for (std::size_t i = schedulable.size(); i > 1; --i) {
    std::swap(schedulable[i - 1], schedulable[random_.below(i)]);
  }
  is_hit_.assign(is_hit_.size(), false);
  for (const std::size_t index : schedulable) {
    const PendingMessage& message = inbox[index];
    // The first one always, then each that races with none before it by a coin.
    if (is_hit_[message.to] || (!batch_.empty() && !random_.chance(0.5))) continue;
    is_hit_[message.to] = true;
    batch_.push_back(message.number);
  }
}

std::size_t RaposScheduler::pick(std::span<const PendingMessage> inbox) {
  for (;;) {
    if (batch_.empty()) draw_batch(inbox);
    const std::uint64_t number = batch_.back();
    batch_.pop_back();
    const auto found =
        std::find_if(inbox.begin(), inbox.end(),
                     [number](const PendingMessage& waiting) { return waiting.number == number; });
    // What the world has dropped meanwhile is passed over.
    if (found != inbox.end()) return static_cast<std::size_t>(found - inbox.begin());
  }
}

namespace {
template <class Drawn>
class SamplingSearch final : public Search {
 public:
  SamplingSearch(const SearchContext& context, std::string_view name, std::string_view stream,
                 const HoldDraw& hold)
      : space_(context.space), random_(context.seed, stream), name_(name), hold_(hold) {}
  std::optional<Candidate> ask() override {
    Candidate candidate;
    const auto scheduler = std::make_shared<Drawn>(random_.next());
    scheduler->set_hold(hold_.draw(random_));
    candidate.scheduler = scheduler;
    candidate.origin = name_;
    add_plan(candidate, space_, random_);
    return candidate;
  }
  void tell(const Candidate&, const Evaluation&) override {}

 private:
  SearchSpace space_;
  Random random_;
  std::string_view name_;
  HoldDraw hold_;
};
}  // namespace

std::unique_ptr<Search> make_partial_order(const SearchContext& context, const Options& options) {
  return std::make_unique<SamplingSearch<PartialOrderScheduler>>(context, "pos", "pos-search",
                                                                 HoldDraw(context, options));
}

std::unique_ptr<Search> make_rapos(const SearchContext& context, const Options& options) {
  return std::make_unique<SamplingSearch<RaposScheduler>>(context, "rapos", "rapos-search",
                                                          HoldDraw(context, options));
}

}  // namespace dissensus::search
