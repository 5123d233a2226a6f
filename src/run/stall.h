// A run that made no progress in time: was it slow, or does it stand still for good?
#pragma once

#include "oracle/verdict.h"
#include "sim/world.h"

namespace dissensus::run {

/// Runs the world on after its end, unseen, and says in the verdict where it is shown that a
/// violation of termination would have lasted forever: either nothing is left to happen, or a
/// situation comes again, and with it everything after it. Says nothing where it is not shown.
void tell_stall_from_slowness(sim::World& world, sim::StopReason stop, oracle::Verdict& verdict);

}  // namespace dissensus::run
