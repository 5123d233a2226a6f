// From the names of a command line or an experiment file to the parts of a hunt.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/plugin.h"

#include "hunt/hunt.h"
#include "run/scenario.h"

namespace dissensus::hunt {

/// Finds search, fitness functions and fault strategy by name, and makes them. Throws InputError,
/// with a suggestion, for names and parameters that do not exist. `registry` must outlive the
/// result.
HuntParts make_parts(const run::Scenario& scenario, const Registry& registry,
                     const HuntOptions& options);

/// Not a search of the registry: samples of a scenario's space, and of its seeds where it has none.
inline constexpr std::string_view kSampleSearch = "sample";
/// The same for campaigns, which know kSampleSearch as well.
HuntParts make_campaign_parts(const run::Scenario& scenario, const Registry& registry,
                              const HuntOptions& options);

/// "key=value" of --parameter as a line of TOML (parse_assignment). Throws InputError.
std::string parameter_line(const std::string& assignment);

/// Throws InputError where no violation in this scenario can have a signature that begins so.
/// `option` is where the signatures come from.
void check_finding(std::string_view option, const std::vector<std::string>& finding,
                   const run::Scenario& scenario);

/// Everything that the results of a hunt depend on, for the store.
HuntRecord describe_hunt(const run::Scenario& scenario, const HuntOptions& options);
/// The inverse, as far as results depend on options. Throws InputError that begins with `store`.
HuntOptions options_of(const HuntRecord& hunt, const std::string& store);

}  // namespace dissensus::hunt
