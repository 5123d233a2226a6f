// The tutorial system: the fictitious consensus algorithm of the DiscoTest thesis (Algorithm 1),
// with its bug: a commit that overtakes a proposal makes its receiver give up a round that the
// others decide (Figure 1.1).
#pragma once

#include "dissensus/system.h"

namespace dissensus::majority {

SystemEntry majority_entry();

}  // namespace dissensus::majority
