#include "systems/simulated/simulated.h"

#include "systems/dag/system.h"
#ifdef DISSENSUS_LIBRAFT
#include "systems/libraft/system.h"
#endif
#include "systems/majority/majority.h"
#include "systems/pbft/system.h"
#include "systems/xrpl/system.h"

namespace dissensus {

const SystemRegistry& simulated_systems() {
  static const SystemRegistry kRegistry = [] {
    SystemRegistry registry;
    registry.add(majority::majority_entry());
    registry.add(xrpl::xrpl_entry());
    registry.add(dag::dag_entry());
    registry.add(pbft::pbft_entry());
#ifdef DISSENSUS_LIBRAFT
    registry.add(libraft::libraft_entry());
#endif
    return registry;
  }();
  return kRegistry;
}

}  // namespace dissensus
