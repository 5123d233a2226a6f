// Delays and priorities as DiscoTest's program carries them out: both act only while a test case
// is running.
#pragma once

#include <cstdint>
#include <optional>

#include "faults/priority_inbox.h"
#include "faults/release_rate.h"
#include "faults/schedule.h"
#include "sim/world.h"

namespace dissensus::discotest {

class CaseScheduler {
 public:
  CaseScheduler(const faults::GeneSpace& genes, const faults::PriorityRate& rate);

  /// `schedule` must live until end_case.
  void begin_case(sim::World& world, const faults::Schedule& schedule);
  /// Messages that wait for their priority leave at once; delayed ones still come late.
  void end_case(sim::World& world);
  void pass(sim::World& world, sim::Transmission&& transmission);
  /// A tick of the priority scheduler, faults::kReleaseAlarm. A tick that finds nothing lowers the
  /// rate, too.
  void on_alarm(sim::World& world);
  void forget_all() { inbox_.clear(); }

 private:
  faults::GeneSpace genes_;
  faults::ReleaseRate rate_;  ///< goes on from case to case
  faults::PriorityInbox inbox_;
  const faults::DelaySchedule* delays_ = nullptr;
  const faults::PrioritySchedule* priorities_ = nullptr;
  bool ticking_ = false;
};

}  // namespace dissensus::discotest
