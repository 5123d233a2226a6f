#include "hunt/shipment.h"

namespace dissensus::hunt {

void RunSums::add(const ItemRecord& record) {
  ++runs;
  failed += record.outcome == oracle::Outcome::fail ? 1 : 0;
  unknown += record.outcome == oracle::Outcome::unknown ? 1 : 0;
  new_states += record.new_states.size();
  virtual_time += record.virtual_time;
}

void RunSums::add(const RunSums& other) {
  runs += other.runs;
  failed += other.failed;
  unknown += other.unknown;
  new_states += other.new_states;
  virtual_time += other.virtual_time;
}

}  // namespace dissensus::hunt
