// The DAG consensus system: see docs/systems/dag.md.
#pragma once

#include "dissensus/system.h"

namespace dissensus::dag {

SystemEntry dag_entry();

}  // namespace dissensus::dag
