// Failing runs in groups: divided as far as anything tells two sides apart, and put together again
// where nothing does that would tell two causes apart.
//
// Nothing here depends on how often a cause occurs: the sides of a division count alike, however
// many runs each has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isolate/causes.h"
#include "isolate/features.h"

namespace dissensus::isolate {

/// A group of failing runs and the conditions that made it, of which one holds in each of its runs.
struct Group {
  RunSet runs;
  std::vector<std::vector<Literal>> rules;
  std::string shared = {};  ///< what several rules have in common, in words
};

/// A division of a group by a feature.
struct Cut {
  std::size_t feature = 0;
  double within = 0;  ///< share of what differs between two runs of the group that it explains
  std::size_t holds = 0;
  std::size_t rest = 0;
};

class Divider {
 public:
  Divider(const Features& features, const CauseOptions& options);

  /// All divisions of a group, the best first.
  std::vector<Cut> cuts(const RunSet& group) const;
  /// Those of which some feature is explained by the cut.
  std::vector<std::string> witnesses(const RunSet& group, const Cut& cut) const;
  /// Whether each side has what the other one has not. The runs in which a failure went on for
  /// longer have more than the others, and these have nothing that those lack.
  bool differs_both_ways(const RunSet& one, const RunSet& other) const;
  /// As `differs_both_ways`, so surely that they are two causes.
  bool are_two(const RunSet& one, const RunSet& other) const;
  /// The share of what differs between runs of two groups that is between the groups.
  double distance(const RunSet& one, const RunSet& other) const;

  Division division_of(const RunSet& group, const Cut& cut) const;
  Literal literal_of(const Cut& cut, bool holds) const;
  const RunSet& runs_of(const Cut& cut) const { return features_.list[cut.feature].runs; }
  /// The share of predicates in which two runs of the group agree, weighted.
  double likeness(const RunSet& group) const;
  /// The run, by its number among the failing ones, that differs least from the rest of the group.
  std::size_t middle_of(const RunSet& group) const;

 private:
  const Features& features_;
  const CauseOptions& options_;
  std::vector<std::string> witnesses_;
  std::vector<std::uint32_t> witness_of_;  ///< by feature
};

/// The second becomes part of the first; `shared`, if any, is what they have in common.
void unite(std::vector<Group>& groups, std::size_t one, std::size_t other,
           const std::string& shared);

/// Leaves out conditions and rules without which the rules still say the same of the failing runs.
void simplify_rules(const Features& features, std::vector<Group>& groups);

/// What was divided and what was not goes to `result`.
std::vector<Group> group_runs(const Features& features, const CauseOptions& options,
                              Separation& result);

}  // namespace dissensus::isolate
