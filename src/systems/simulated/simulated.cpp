#include "systems/simulated/simulated.h"

#include "systems/dag/system.h"
#include "systems/majority/majority.h"
#include "systems/xrpl/system.h"

namespace dissensus {

const SystemRegistry& simulated_systems() {
  static const SystemRegistry kRegistry = [] {
    SystemRegistry registry;
    registry.add(majority::majority_entry());
    registry.add(xrpl::xrpl_entry());
    registry.add(dag::dag_entry());
    return registry;
  }();
  return kRegistry;
}

}  // namespace dissensus
