// A row of a store, opened like a run folder.
#pragma once

#include <optional>
#include <string>

#include "dissensus/system.h"

#include "hunt/examination.h"

namespace dissensus::cli {

/// "hunt.sqlite#17", run 17 of the first hunt of a store, or "postgresql:///dissensus#2/17", that
/// of its hunt 2: makes the run again, writes it to runs/NAME-2-17 unless it is there already, and
/// returns that folder. Any other path is returned as it is. Throws InputError where there is no
/// such row, or where the run is another one now.
std::string folder_of_run(const std::string& path, const SystemRegistry& systems);

/// What workers have found out about a row; none: nothing, or the path names no row.
std::optional<hunt::ExaminationResult> examination_of_run(const std::string& path);

}  // namespace dissensus::cli
