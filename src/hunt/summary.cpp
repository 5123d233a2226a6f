#include "hunt/summary.h"

#include <utility>

namespace dissensus::hunt {

namespace {

std::vector<HuntSummary> summarize_once(const std::string& location, bool all, Patience& patience) {
  StoreReader reader(location);
  std::vector<HuntSummary> summaries;
  for (HuntRecord& record : reader.hunts()) {
    if (record.finished && !all) continue;
    HuntSummary summary;
    summary.totals = reader.totals(record.id);
    summary.findings = reader.findings(record.id);
    summary.record = std::move(record);
    summaries.push_back(std::move(summary));
  }
  if (sql::is_url(location)) {
    WorkQueue queue(location, patience);
    for (HuntSummary& summary : summaries) summary.queue = queue.state(summary.record.id);
  }
  return summaries;
}

}  // namespace

std::vector<HuntSummary> summarize_store(const std::string& location, bool all,
                                         Patience& patience) {
  return keep_trying(&patience, [&] { return summarize_once(location, all, patience); });
}

}  // namespace dissensus::hunt
