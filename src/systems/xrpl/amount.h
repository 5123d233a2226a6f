// Amounts of XRP in scenario files.
#pragma once

#include <optional>
#include <string_view>

#include "dissensus/options.h"

#include "systems/xrpl/parameters.h"

namespace dissensus::xrpl {

/// "100.0001" exactly: at most six decimals, at most 100 billion XRP; nullopt for anything else.
std::optional<Drops> parse_xrp(std::string_view text);

/// A text as above, or a number that has an exact value in drops.
Drops read_xrp(const OptionValue& value);

}  // namespace dissensus::xrpl
