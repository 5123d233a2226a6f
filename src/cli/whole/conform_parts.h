// Sub-verbs of conform that have a file of their own, and what they share with it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/scenario_changes.h"
#include "cli/whole/tla_options.h"
#include "conform/pairing.h"

namespace dissensus::cli {

Verb add_conform_compare_verb(CLI::App& conform);
Verb add_conform_follow_verb(CLI::App& conform);
Verb add_conform_night_verb(CLI::App& conform);
Verb add_conform_tlc_verb(CLI::App& conform);

/// "3/2": two whole numbers; the first may be "all" where that is more than 0.
std::pair<std::size_t, std::size_t> split_numbers(const std::string& text, std::string_view option,
                                                  std::size_t all);
/// --set and --constant.
conform::Variant variant_of(const ScenarioChanges& changes,
                            const std::vector<std::string>& constants);

}  // namespace dissensus::cli
