#include "hunt/summary.h"

#include <utility>

namespace dissensus::hunt {

std::vector<HuntSummary> summarize_store(const std::string& location, bool all,
                                         Patience& patience) {
  for (;;) {
    try {
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
    } catch (const sql::ConnectionLost& lost) {
      if (!patience.wait(lost.what())) throw;
    }
  }
}

}  // namespace dissensus::hunt
