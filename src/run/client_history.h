// The history of a run's clients: collected from its events, judged when it is over.
#pragma once

#include <string>
#include <vector>

#include "dissensus/history.h"

#include "core/event.h"
#include "history/verdict.h"
#include "oracle/verdict.h"
#include "run/scenario.h"
#include "trace/trace.h"

namespace dissensus::run {

/// Listens to clients.
class HistoryCollector final : public EventSink {
 public:
  EventMask wants() const override { return EventMask().with(EventType::operation); }
  void on_event(const Event& event) override;

  /// docs/formats/history.md, JSON lines; what is said about lines of a history counts these.
  const std::string& lines() const { return lines_; }
  /// Adds the property `history` and, where the checker found something, a violation per anomaly.
  /// Returns how close the history came to one (history/closeness.h).
  double judge(const HistoryDemand& demand, const std::string& name,
               oracle::Verdict& verdict) const;

 private:
  /// Adds a violation where fewer questions succeeded than the demand says.
  void judge_availability(double demanded, const std::vector<history::Operation>& operations,
                          oracle::PropertyVerdict& property, oracle::Verdict& verdict) const;

  std::string lines_;
  std::vector<EventId> events_;  ///< of each line
  std::vector<Time> times_;
  std::vector<NodeId> nodes_;
  bool has_answers_ = false;  ///< some operation is known to be done
};

/// The same from the records of a trace.
history::History history_of(const std::vector<trace::Record>& records, const std::string& name);

}  // namespace dissensus::run
