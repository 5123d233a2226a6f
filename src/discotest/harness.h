// A hunt as DiscoTest's program makes it: one network for all test cases of a run, balances set up
// before each of them, delays or priorities only while one is running, a case that ends when its
// payment is validated everywhere or after 6000 deliveries, and the program's own rules for what
// counts as a finding. What is found depends on everything before it, so it is told as a result of
// an experiment, not as a schedule that can be replayed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/time.h"

#include "hunt/hunt.h"
#include "run/scenario.h"

namespace dissensus::discotest {

struct HarnessOptions {
  bool shared_network = true;                    ///< false: every case has a network of its own
  std::uint64_t deliveries = 6000;               ///< after so many a case is cut; 0: never
  Duration start_up = std::chrono::seconds(10);  ///< connecting and funding, before the first case
  Duration restart = std::chrono::seconds(0);    ///< what a network of its own costs
  friend bool operator==(const HarnessOptions&, const HarnessOptions&) = default;
};

/// Reads the table `harness` of an experiment; throws InputError.
HarnessOptions read_harness(const Options& options);
/// All of the options in one line, for keys and captions.
std::string to_string(const HarnessOptions& options);

/// The scenario's workload is the pattern of a case: the request at 0 s pays in what the payer
/// lacks, the others follow at their times. Throws InputError where it has no such pattern.
void check_scenario(const run::Scenario& scenario);

struct HarnessResult {
  bool found = false;
  std::string signature;
  double seconds = 0;  ///< to the finding, or all
  std::uint64_t cases = 0;
  std::uint64_t capped = 0;                    ///< cases cut by the number of deliveries
  double case_seconds = 0;                     ///< spent in cases, the rest between them
  std::map<std::string, std::uint64_t> signs;  ///< cases that showed it
  /// By type of message: its share of the deliveries of a case, the mean over all cases.
  std::vector<double> shares;
};

/// Runs cases until `counts` accepts what one showed or the budget is spent; asks and tells
/// `parts.search`, strictly one after another. A pure function of its arguments.
HarnessResult run_harness(const run::Scenario& scenario, hunt::HuntParts& parts,
                          const HarnessOptions& options, Duration budget, std::uint64_t seed,
                          const std::function<bool(const std::string&)>& counts);

}  // namespace dissensus::discotest
