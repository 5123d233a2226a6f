// A row of a store, opened like a run folder.
#pragma once

#include <string>

#include "dissensus/system.h"

namespace dissensus::cli {

/// "hunt.sqlite#17", run 17 of a store, or "hunt.sqlite#2/17", that of its second hunt: makes the
/// run again, writes it to runs/NAME-2-17 unless it is there already, and returns that folder. Any
/// other path is returned as it is. Throws InputError where there is no such row, or where the run
/// is another one now.
std::string folder_of_run(const std::string& path, const SystemRegistry& systems);

}  // namespace dissensus::cli
