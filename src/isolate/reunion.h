// Groups of failing runs that are one cause although they end differently.
#pragma once

#include <vector>

#include "isolate/grouping.h"

namespace dissensus::isolate {

/// One bug may show in two ways, an early fork and a late stall for example. Groups are one cause
/// after all if
///  * the nodes of both decided on the same too little evidence, and those of other failing runs
///    did not. That it is also seen in successful runs is what tells it from a symptom: no failing
///    made it so. Or if
///  * what they have in common, and other failing runs have not, came before all in which they
///    differ: what comes first is nearer to the cause. This is asked of logs without signs alone:
///    elsewhere evidence says it better, and runs that end at their violation are cut at different
///    moments.
void reunite(const Features& features, std::vector<Group>& groups);

}  // namespace dissensus::isolate
