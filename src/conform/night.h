// All night: both workflows in turn (Algorithm 1 of FMDSE), on several workers, until no new trace
// appears or the time is over. A violation does not end it: every finding is kept once, by its
// signature. What was seen is kept in a store, and a second night goes on where the first ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "conform/finding_file.h"
#include "conform/workflow.h"

namespace dissensus::conform {

struct NightOptions {
  std::uint64_t seed = 1;
  std::size_t depth = 1'000;  ///< of a walk
  std::size_t workers = 1;
  /// So many traces in a row of each workflow that were all seen before: there is nothing new.
  std::size_t patience = 50;
  std::uint64_t traces = 0;  ///< in all nights together; 0: no limit
  WorkflowLimits limits;     ///< seconds: of this night
  bool shrinks = true;
};

/// Trace number n, of Workflow I where n is even, of Workflow II where it is odd. A pure function
/// of mapping, variant, seed and number, whatever the number of workers and nights.
struct NightTrace {
  int workflow = 1;
  std::uint64_t hash = 0;   ///< of the model's constants and all that the implementation reported
  bool is_known = false;    ///< seen before, not judged
  bool is_partly = false;   ///< a limit was hit before the end, and no violation until then
  std::uint64_t steps = 0;  ///< judged or compared
  double generate_seconds = 0;
  double verify_seconds = 0;
  std::vector<ConformanceFinding> findings;  ///< of different signatures
};

/// A finding as it is kept.
struct NightFinding {
  std::string signature;
  std::string types;  ///< "Type-I", "Type-I, Type-II": how it showed
  std::uint64_t first_trace = 0;
  std::uint64_t traces = 0;     ///< in which it showed
  std::string value;            ///< of the inputs
  std::size_t length = 0;       ///< of the trace up to the violation, before shrinking
  double generate_seconds = 0;  ///< of all traces until it was found
  double verify_seconds = 0;
  std::string file;  ///< FindingFile as JSON
};

struct NightTotals {
  std::uint64_t traces = 0;  ///< the number of the next one
  std::uint64_t walks = 0;   ///< of them
  std::uint64_t new_traces = 0;
  std::uint64_t run_steps = 0, walk_steps = 0;
  std::uint64_t partly = 0;
  double generate_seconds = 0, verify_seconds = 0;
};

/// Hashes of both workflows. Threads share it.
class SeenTraces {
 public:
  bool contains(std::uint64_t hash) const;
  /// False: it was there.
  bool add(std::uint64_t hash);

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::uint64_t> hashes_;  ///< never iterated
};

/// What is kept of nights over one mapping and variant.
class NightRecord {
 public:
  /// SQLite file or PostgreSQL URL, made where it is missing; empty: nothing is kept. `identity`:
  /// all that a trace depends on; an earlier night with the same one is continued.
  NightRecord(const std::string& location, const std::string& identity);
  ~NightRecord();

  const NightTotals& totals() const;
  const std::vector<NightFinding>& findings() const;
  SeenTraces& seen();
  /// Traces before this night.
  std::uint64_t first_trace() const;
  /// In the order of their numbers. `is_new`: to be told whether the trace was.
  void add(const NightTrace& trace, bool& is_new);
  /// Nullptr: no finding of this signature yet.
  NightFinding* find(const std::string& signature);
  NightFinding& add(NightFinding finding);
  /// Everything up to now is in the store afterwards, or nothing of it.
  void commit();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

struct NightResult {
  bool is_exhausted = false;  ///< no new trace appeared
  std::vector<std::string> gaps;
};

/// Text that two nights share if and only if their traces are the same: mapping, specification and
/// scenario by content, variant, seed, depth and limits.
std::string night_identity(const Mapping& mapping, const Variant& variant,
                           const NightOptions& options);

/// `goes_on` is asked after every trace, and told of new findings by `found`.
NightResult run_night(const Mapping& mapping, const Variant& variant, const SystemRegistry& systems,
                      const NightOptions& options, NightRecord& record,
                      const std::function<bool()>& goes_on,
                      const std::function<void(const NightFinding&)>& found);

}  // namespace dissensus::conform
