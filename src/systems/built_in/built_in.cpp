#include "systems/built_in/built_in.h"

#include "systems/live/system.h"
#include "systems/process/system.h"
#include "systems/server/system.h"
#include "systems/simulated/simulated.h"

namespace dissensus {

const SystemRegistry& built_in_systems() {
  static const SystemRegistry kRegistry = [] {
    SystemRegistry registry = simulated_systems();
    registry.add(live::rippled_entry());
    registry.add(server::server_entry());
    registry.add(process::process_entry());
    return registry;
  }();
  return kRegistry;
}

}  // namespace dissensus
