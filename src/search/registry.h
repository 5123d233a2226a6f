// Every search and fitness function that comes with the program, by name.
#pragma once

#include <string_view>
#include <vector>

#include "dissensus/plugin.h"

namespace dissensus::search {

/// What `dissensus hunt` uses when no search is named.
inline constexpr std::string_view kDefaultSearch = "portfolio";

const std::vector<SearchEntry>& built_in_searches();
/// Null where there is none.
const SearchEntry* find_search(const std::vector<SearchEntry>& searches, std::string_view name);

/// Searches, fitness functions and schedulers; systems are added by whoever knows them.
Registry built_in_registry();

}  // namespace dissensus::search
