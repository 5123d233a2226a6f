// The system "xrpl": consensus of the XRP Ledger, versions 1.7.2, 2.4.0 and 2.5.0.
#pragma once

#include "dissensus/system.h"

#include "systems/xrpl/network.h"

namespace dissensus::xrpl {

SystemEntry xrpl_entry();

/// Declares levels, phases and rounds, which real servers share.
void describe_reports(SystemDescription& description, const NetworkConfig& config);

}  // namespace dissensus::xrpl
