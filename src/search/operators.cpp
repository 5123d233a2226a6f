#include "search/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "search/portable_math.h"

namespace dissensus::search {

// ---- crossover

double SimulatedBinaryCrossover::beta(double unit) const {
  const double base = unit <= 0.5 ? 2 * unit : 1 / (2 * (1 - unit));
  // The papers' eta, and half of the time of a search.
  if (eta == 3) return std::sqrt(std::sqrt(base));
  return portable_pow(base, 1 / (eta + 1));
}

void SimulatedBinaryCrossover::operator()(std::span<double> first, std::span<double> second,
                                          Random& random) const {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!random.chance(gene_probability)) continue;
    const double reach = beta(random.unit()) * (second[i] - first[i]);
    const double sum = first[i] + second[i];
    first[i] = 0.5 * (sum - reach);
    second[i] = 0.5 * (sum + reach);
    if (exchange_probability > 0 && random.chance(exchange_probability)) {
      std::swap(first[i], second[i]);
    }
  }
}

void BlendCrossover::operator()(std::span<double> first, std::span<double> second,
                                Random& random) const {
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto [low, high] = std::minmax({first[i], second[i]});
    const double begin = low - alpha * (high - low);
    const double range = (1 + 2 * alpha) * (high - low);
    first[i] = begin + range * random.unit();
    second[i] = begin + range * random.unit();
  }
}

void UniformCrossover::operator()(std::span<double> first, std::span<double> second,
                                  Random& random) const {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (random.chance(gene_probability)) std::swap(first[i], second[i]);
  }
}

void PartiallyMappedCrossover::operator()(std::span<double> first, std::span<double> second,
                                          Random& random) const {
  // Two different ones of the size + 1 gaps between genes.
  const std::uint64_t a = random.below(first.size() + 1);
  std::uint64_t b = random.below(first.size());
  if (b >= a) ++b;
  cross(first, second, std::min(a, b), std::max(a, b));
}

void OnePointCrossover::operator()(std::span<double> first, std::span<double> second,
                                   Random& random) const {
  if (first.size() < 2) return;
  // A cut before the first gene or behind the last one would exchange nothing.
  const std::size_t cut = 1 + random.below(first.size() - 1);
  for (std::size_t i = cut; i < first.size(); ++i) std::swap(first[i], second[i]);
}

namespace {
/// By value: where in `genes` it is.
std::vector<std::uint32_t> positions(const std::vector<double>& genes) {
  std::vector<std::uint32_t> result(genes.size() + 1);
  for (std::size_t i = 0; i < genes.size(); ++i) {
    result[static_cast<std::size_t>(genes[i])] = static_cast<std::uint32_t>(i);
  }
  return result;
}

/// The child that keeps [begin, end) of `inner` and takes the rest from `outer`; a value that the
/// kept part has already is followed through the mapping between both parts.
void inherit(std::span<double> child, const std::vector<double>& inner,
             const std::vector<double>& outer, std::size_t begin, std::size_t end) {
  const std::vector<std::uint32_t> where = positions(inner);
  for (std::size_t i = 0; i < child.size(); ++i) {
    if (i >= begin && i < end) continue;
    double value = outer[i];
    for (;;) {
      const std::size_t position = where[static_cast<std::size_t>(value)];
      if (position < begin || position >= end) break;
      value = outer[position];
    }
    child[i] = value;
  }
}
}  // namespace

void PartiallyMappedCrossover::cross(std::span<double> first, std::span<double> second,
                                     std::size_t begin, std::size_t end) {
  const std::vector<double> parent_1(first.begin(), first.end());
  const std::vector<double> parent_2(second.begin(), second.end());
  inherit(first, parent_1, parent_2, begin, end);
  inherit(second, parent_2, parent_1, begin, end);
}

std::span<const std::string_view> crossover_names() {
  static constexpr std::array<std::string_view, 8> kNames{
      "none", "sbx", "blend", "uniform", "pmx", "bounded-sbx", "own-cuts-pmx", "one-point"};
  static_assert(kNames.size() == std::variant_size_v<Crossover>);
  return kNames;
}

// ---- mutation

double GaussianMutation::operator()(double gene, const GeneBounds& bounds, Random& random) const {
  const double deviation = sigma > 0 ? sigma : share * (bounds.high - bounds.low);
  return gene + deviation * random.normal();
}

double PolynomialMutation::operator()(double gene, const GeneBounds& bounds, Random& random) const {
  const double unit = random.unit();
  const double exponent = 1 / (eta + 1);
  if (unit <= 0.5) return gene - (1 - portable_pow(2 * unit, exponent)) * (gene - bounds.low);
  return gene + (1 - portable_pow(2 * (1 - unit), exponent)) * (bounds.high - gene);
}

double UniformMutation::operator()(double /*gene*/, const GeneBounds& bounds,
                                   Random& random) const {
  return bounds.low + (bounds.high - bounds.low) * random.unit();
}

std::span<const std::string_view> mutation_names() {
  static constexpr std::array<std::string_view, 4> kNames{"gaussian", "polynomial", "uniform",
                                                          "swap"};
  static_assert(kNames.size() == std::variant_size_v<Mutation>);
  return kNames;
}

namespace {
double repaired(double gene, std::size_t index, const SearchSpace& space) {
  if (space.integral) gene = std::floor(gene + 0.5);
  return std::clamp(gene, space.low[index], space.high[index]);
}
}  // namespace

void from_unit_cube(std::span<double> genes, const SearchSpace& space) {
  if (space.type == SearchSpace::Type::priority) {
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(genes.size());
    for (std::size_t i = 0; i < genes.size(); ++i) order.emplace_back(genes[i], i);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < genes.size(); ++i) {
      genes[order[i].second] = static_cast<double>(i + 1);
    }
    return;
  }
  for (std::size_t i = 0; i < genes.size(); ++i) {
    genes[i] = space.low[i] + genes[i] * (space.high[i] - space.low[i]);
  }
  repair(genes, space);
}

void repair(std::span<double> genes, const SearchSpace& space) {
  if (space.type == SearchSpace::Type::priority) return;
  for (std::size_t i = 0; i < genes.size(); ++i) genes[i] = repaired(genes[i], i, space);
}

void mutate_gene(std::span<double> genes, std::size_t index, const SearchSpace& space,
                 const Mutation& mutation, Random& random) {
  if (std::holds_alternative<SwapMutation>(mutation)) {
    if (genes.size() < 2) return;
    std::size_t other = random.below(genes.size() - 1);
    if (other >= index) ++other;
    std::swap(genes[index], genes[other]);
    return;
  }
  const GeneBounds bounds{space.low[index], space.high[index]};
  const double gene = std::visit(
      [&](const auto& operation) {
        if constexpr (requires { operation(0.0, bounds, random); }) {
          return operation(genes[index], bounds, random);
        } else {
          return genes[index];
        }
      },
      mutation);
  genes[index] = repaired(gene, index, space);
}

void mutate(std::span<double> genes, const SearchSpace& space, const Mutation& mutation,
            double gene_probability, Random& random) {
  for (std::size_t i = 0; i < genes.size(); ++i) {
    if (random.chance(gene_probability)) mutate_gene(genes, i, space, mutation, random);
  }
}

// ---- fault plans

void cross_plans(std::vector<faults::Fault>& first, std::vector<faults::Fault>& second,
                 PlanCrossover crossover, std::size_t faults_max, Random& random) {
  if (crossover == PlanCrossover::none || (first.empty() && second.empty())) return;
  std::vector<faults::Fault> children[2];
  if (crossover == PlanCrossover::one_point) {
    const std::size_t cut_1 = random.below(first.size() + 1);
    const std::size_t cut_2 = random.below(second.size() + 1);
    const auto append = [](std::vector<faults::Fault>& to, const std::vector<faults::Fault>& from,
                           std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to.push_back(from[i]);
    };
    append(children[0], first, 0, cut_1);
    append(children[0], second, cut_2, second.size());
    append(children[1], second, 0, cut_2);
    append(children[1], first, cut_1, first.size());
  } else {
    for (const auto* parent : {&first, &second}) {
      for (const faults::Fault& fault : *parent) children[random.below(2)].push_back(fault);
    }
  }
  for (std::vector<faults::Fault>& child : children) {
    if (child.size() > faults_max) {
      child.erase(child.begin() + static_cast<std::ptrdiff_t>(faults_max), child.end());
    }
  }
  first = std::move(children[0]);
  second = std::move(children[1]);
}

void mutate_plan(std::vector<faults::Fault>& plan, const SearchSpace& space, Random& random) {
  if (!space.fault_strategy) return;
  enum class Step { add, remove, vary };
  std::vector<Step> steps;
  if (plan.size() < space.faults_max) steps.push_back(Step::add);
  if (!plan.empty()) {
    steps.push_back(Step::remove);
    steps.push_back(Step::vary);
  }
  if (steps.empty()) return;
  const Step step = steps[random.below(steps.size())];
  if (step == Step::add) {
    plan.push_back(space.fault_strategy->draw(random));
    return;
  }
  const std::size_t index = random.below(plan.size());
  if (step == Step::remove) {
    plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(index));
  } else {
    plan[index] = space.fault_strategy->vary(plan[index], random);
  }
}

}  // namespace dissensus::search
