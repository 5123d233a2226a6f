// Experiments with Byzantine faults on the XRP Ledger; results go to docs/results/byzantine.md.
#pragma once

#include <cstdint>
#include <string>

namespace dissensus::studies {

struct ByzantineStudyOptions {
  std::string scenarios = "scenarios/xrpl";
  std::string docs = "docs";
  std::uint64_t seed = 1;
  std::size_t jobs = 2;
  std::size_t runs = 300;             ///< per ByzzFuzz scenario and seed
  std::size_t seeds = 10;             ///< repetitions of the search with one process fault
  std::size_t correct_runs = 10'000;  ///< on the correct network
  std::size_t divisions = 20;         ///< runs per overlap and number of twins
  bool dry = false;                   ///< print instead of writing
};

/// What ByzzFuzz, its baseline and twins find, run by run.
void study_rates(const ByzantineStudyOptions& options);
/// Forks by overlap of two UNLs, beside the bounds of the thesis (2.2.2).
void study_overlap(const ByzantineStudyOptions& options);

/// Renews a section of docs/results/byzantine.md, or prints it.
void write_section(const ByzantineStudyOptions& options, const std::string& name,
                   const std::string& markdown);

}  // namespace dissensus::studies
