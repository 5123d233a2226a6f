#include "search/shared_budget.h"

#include <utility>

#include "core/assert.h"
#include "search/registry.h"

namespace dissensus::search {

namespace {

/// How fast what is usual follows what is seen: the weight of the newest value.
constexpr double kMemory = 0.05;

double power(double yield) {
  return yield * yield * yield * yield;
}

Evaluation summed(const Evaluation& evaluation) {
  Evaluation single = evaluation;
  double sum = 0;
  for (const double objective : evaluation.objectives) sum += objective;
  single.objectives = {sum};
  return single;
}

}  // namespace

Member make_member(const SearchContext& context, std::string_view name, std::size_t index,
                   const Options& options) {
  const SearchEntry* entry = find_search(built_in_searches(), name);
  DISSENSUS_ASSERT(entry, "make_member : members are built in");
  SearchContext own = context;
  own.seed = derive_seed(context.seed, name, index);
  const bool single = entry->fitness.size() == 1 && context.objectives > 1;
  if (single) own.objectives = 1;
  return {entry->name, entry->make(own, options), single};
}

SharedBudget::SharedBudget(std::vector<Member> members, double floor, Random random)
    : members_(std::move(members)), floor_(floor), random_(random) {}

std::optional<Candidate> SharedBudget::ask() {
  // One that waits for results is passed over.
  std::vector<std::size_t> ready(members_.size());
  for (std::size_t i = 0; i < ready.size(); ++i) ready[i] = i;
  while (!ready.empty()) {
    const auto chosen = ready.begin() + static_cast<std::ptrdiff_t>(choose(ready));
    Member& member = members_[*chosen];
    if (std::optional<Candidate> candidate = member.search->ask()) {
      ++member.asked;
      ++asked_;
      under_way_.push_back({*chosen, candidate->tag});
      candidate->member = member.name;
      return candidate;
    }
    ready.erase(chosen);
  }
  return std::nullopt;
}

void SharedBudget::tell(const Candidate& candidate, const Evaluation& evaluation) {
  const UnderWay asked = under_way_.front();
  under_way_.pop_front();
  learn(asked.member, evaluation);

  Member& member = members_[asked.member];
  Candidate own = candidate;
  own.tag = asked.tag;
  member.search->tell(own, member.single_objective ? summed(evaluation) : evaluation);
}

void SharedBudget::welcome(const Genotype& genotype, const Evaluation& evaluation) {
  if (evaluation.failed) know(evaluation.signature);
  for (Member& member : members_) {
    search::welcome(*member.search, genotype,
                    member.single_objective ? summed(evaluation) : evaluation);
  }
}

std::size_t SharedBudget::choose(const std::vector<std::size_t>& ready) {
  if (const std::optional<std::size_t> turn = fixed_turn(ready)) return *turn;
  double total = 0;
  for (const std::size_t member : ready) total += share(member);
  double left = random_.unit() * total;
  for (std::size_t i = 0; i + 1 < ready.size(); ++i) {
    left -= share(ready[i]);
    if (left < 0) return i;
  }
  return ready.size() - 1;
}

double SharedBudget::share(std::size_t member) const {
  double yields = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) yields += power(yield_of(i));
  const double even = 1 / static_cast<double>(members_.size());
  const double own = power(yield_of(member));
  return floor_ * even + (1 - floor_) * (yields > 0 ? own / yields : even);
}

double Usual::judge(double value) {
  const double sum = value + mean_;
  mean_ += (value - mean_) * kMemory;
  return sum > 0 ? value / sum : 0.5;
}

}  // namespace dissensus::search
