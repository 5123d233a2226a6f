// A failing run beside one that passes: diff's answer, and which events only one of them has.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "serve/loaded_run.h"

namespace dissensus::serve {

/// The nearest run that passes, and in what it differs; none where each that was tried fails.
/// Throws InputError where the run cannot be made again.
std::optional<std::pair<std::shared_ptr<const LoadedRun>, std::string>> nearest_passing(
    const LoadedRun& failing, const std::function<bool()>& keep_going);

/// Without braces: members of a JSON object. Throws InputError where the runs cannot be compared.
std::string comparison_members(const LoadedRun& failing, const LoadedRun& passing);

}  // namespace dissensus::serve
