// The baseline: predicates over branch outcomes (Liblit et al. 2005), from logs in the public
// format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isolate/statistics.h"

namespace dissensus::isolate {

struct BranchRun {
  std::string name;
  bool failing = false;
  std::uint64_t labels = 0;
  /// Sites that were reached, in the order in which the run reached them first.
  std::vector<std::uint32_t> sites;
  /// For each of them: 1 = was seen false, 2 = was seen true, 4 = the last observation was true.
  std::vector<std::uint8_t> bits;
};

struct BranchData {
  std::string name;  ///< of its folder, for error messages
  std::vector<std::string> sites;
  std::vector<std::string> labels;
  std::vector<BranchRun> runs;
};

/// Reads branches.jsonl.gz and runs.jsonl of a data set.
BranchData read_branches(const std::string& folder);

enum class BranchMode : std::uint8_t {
  reference,  ///< a predicate is true if the last observation of its site says so
  liblit,     ///< if any observation says so; and Increase must be positive with 95 % confidence
};

struct BranchFinding {
  std::uint32_t site = 0;
  bool is_true = true;  ///< "<site> is true" or "<site> is false"
  double importance = 0;
  Counts counts;
  std::vector<std::size_t> cluster;
  std::vector<Scores> scores;  ///< the cluster against the failing runs, as in the paper's Table 2
};
std::string branch_name(const BranchData& data, const BranchFinding& finding);

/// Throws InputError where there is not at least one failing and one successful run.
std::vector<BranchFinding> isolate_branches(const BranchData& data, BranchMode mode);

}  // namespace dissensus::isolate
