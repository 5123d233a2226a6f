// Genotypes and schedules: which genes vary, and the way from one to the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dissensus/search.h"

#include "run/scenario.h"

namespace dissensus::search {

/// The space of a scenario ([schedule]); throws InputError where the scenario has none.
SearchSpace make_space(const run::Scenario& scenario);

/// The schedule that a genotype stands for: genes that do not vary keep delay 0, or the lowest
/// priorities in their natural order.
faults::Schedule to_schedule(const Genotype& genotype, const run::Scenario& scenario);
/// The genotype of a schedule of the scenario's type; genes outside the space are left out.
Genotype to_genotype(const faults::Schedule& schedule, const run::Scenario& scenario);

/// A uniform draw: delays in their bounds, a uniform permutation, a number of faults.
Genotype random_genotype(const SearchSpace& space, Random& random);
/// For candidates that decide about messages while the run goes on: the faults that the scenario
/// has beside them.
void add_plan(Candidate& candidate, const SearchSpace& space, Random& random);

/// Rocket's flat vectors: 7 types x n(n-1) numbers, index = type * n(n-1) + from * (n-1) + to';
/// types in the order Transaction, GetLedger, LedgerData, ProposeSet, StatusChange,
/// HaveTransactionSet, Validation.
/// Delays in milliseconds, priorities as they are. The text is a JSON array, or numbers separated
/// by commas or white space; `name` is the file in error messages.
faults::Schedule from_rocket(std::string_view text, std::string name,
                             const run::Scenario& scenario);
/// Throws InputError where Rocket has no such schedule.
std::string to_rocket(const faults::Schedule& schedule, const run::Scenario& scenario);

}  // namespace dissensus::search
