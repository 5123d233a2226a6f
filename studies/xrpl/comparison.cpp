#include "comparison.h"

#include "dissensus/random.h"

namespace dissensus::studies {

Sample collect(const std::vector<const ComparedCase*>& cases, const CaseValue& value,
               const CaseFilter& filter) {
  Sample sample;
  for (const ComparedCase* compared : cases) {
    const CaseMetrics& recorded = compared->recorded.metrics;
    if (!filter || filter(recorded)) sample.recorded.push_back(value(recorded));
    for (const CaseMetrics& simulated : compared->simulated) {
      if (!filter || filter(simulated)) sample.simulated.push_back(value(simulated));
    }
  }
  return sample;
}

Sample collect_all(const std::vector<const ComparedCase*>& cases, const CaseValues& values) {
  Sample sample;
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const ComparedCase* compared : cases) {
    append(sample.recorded, values(compared->recorded.metrics));
    for (const CaseMetrics& simulated : compared->simulated) {
      append(sample.simulated, values(simulated));
    }
  }
  return sample;
}

std::vector<double> ranks(const std::vector<const ComparedCase*>& cases, const CaseValue& value,
                          std::uint64_t seed, const CaseFilter& filter) {
  std::vector<double> result;
  Random random(seed, "ranks");
  for (const ComparedCase* compared : cases) {
    if (filter && !filter(compared->recorded.metrics)) continue;
    const double recorded = value(compared->recorded.metrics);
    double below = 0;
    double equal = 1;  // the recorded value itself
    double all = 1;
    for (const CaseMetrics& simulated : compared->simulated) {
      if (filter && !filter(simulated)) continue;
      const double other = value(simulated);
      all += 1;
      below += other < recorded ? 1 : 0;
      equal += other == recorded ? 1 : 0;
    }
    result.push_back((below + equal * random.unit()) / all);
  }
  return result;
}

RatePair rates(const std::vector<const ComparedCase*>& cases, const CaseFilter& event) {
  RatePair result;
  for (const ComparedCase* compared : cases) {
    ++result.recorded.all;
    result.recorded.yes += event(compared->recorded.metrics) ? 1 : 0;
    for (const CaseMetrics& simulated : compared->simulated) {
      ++result.simulated.all;
      result.simulated.yes += event(simulated) ? 1 : 0;
    }
  }
  return result;
}

}  // namespace dissensus::studies
