#include "search/generational.h"

#include <utility>

#include "core/assert.h"
#include "search/genotype.h"

namespace dissensus::search {

Point finite_objectives(const Evaluation& evaluation, std::size_t count) {
  constexpr double kMax = 1e100;  // differences and squares of which are finite too
  Point result = evaluation.objectives;
  result.resize(count == 0 ? 1 : count, 0);
  for (double& value : result) {
    if (!(value < kMax)) value = kMax;  // NaN too
    if (value < -kMax) value = -kMax;
  }
  return result;
}

Generational::Generational(const SearchContext& context, std::string_view name, std::size_t size)
    : context_(context), random_(context.seed, name) {
  for (std::size_t i = 0; i < size; ++i) {
    members_.push_back({random_genotype(context_.space, random_), {}});
  }
}

void Generational::begin(std::vector<Genotype> first) {
  for (Genotype& genotype : first) members_.push_back({std::move(genotype), {}});
  origin_ = origin();
}

std::optional<Candidate> Generational::ask() {
  if (asked_ == members_.size()) return std::nullopt;
  Candidate candidate;
  candidate.genotype = members_[asked_].genotype;
  candidate.origin = origin_;
  candidate.tag = asked_++;
  return candidate;
}

void Generational::tell(const Candidate& /*candidate*/, const Evaluation& evaluation) {
  DISSENSUS_ASSERT(told_ < asked_, "Generational::tell : told what was asked for");
  members_[told_++].objectives = finite_objectives(evaluation, context_.objectives);
  if (told_ < members_.size()) return;
  std::vector<Genotype> next = next_generation(std::move(members_));
  DISSENSUS_ASSERT(!next.empty(), "Generational::tell : a generation has members");
  members_.clear();
  asked_ = 0;
  told_ = 0;
  begin(std::move(next));
}

Points objectives_of(const std::vector<Individual>& individuals) {
  Points points;
  points.reserve(individuals.size());
  for (const Individual& individual : individuals) points.push_back(individual.objectives);
  return points;
}

}  // namespace dissensus::search
