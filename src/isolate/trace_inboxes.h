// Inboxes from a recorded run of our own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isolate/declaration.h"
#include "isolate/run_source.h"
#include "trace/trace.h"

namespace dissensus::isolate {

/// Collects the deliveries of one run after the other, record by record. The trace must have been
/// recorded with trace::Detail::everything. Kinds that the declaration does not name are left out.
class InboxCollector {
 public:
  /// Throws InputError where the declaration names a kind or field that the header does not have,
  /// or where the numbers of nodes differ.
  InboxCollector(const Declaration& declaration, const trace::Header& header);

  /// Starts a new run; outcome, labels and link are the caller's to fill in.
  void start(Run& run);
  void add(const trace::Record& record, Run& run);

 private:
  struct KindPlan {
    std::uint16_t kind = 0;            ///< of the schema
    std::vector<std::size_t> fields;   ///< of the record, per field of the schema
    std::size_t sender_field = kNone;  ///< of the record
    static constexpr std::size_t kNone = ~std::size_t{0};
  };
  struct Content {
    std::uint16_t sender = 0;
    bool has_sender = false;
    std::vector<std::int64_t> values;
  };
  std::int64_t number_of(const FieldValue& value, SemanticType type);

  Schema schema_;
  std::vector<KindPlan> plans_;  ///< per kind of the header
  static constexpr std::uint16_t kUnused = 0xFFFF;
  std::map<Digest, Content> contents_;  ///< messages of the run that were sent
  std::map<Digest, std::int64_t> interned_;
};

/// A whole trace at once.
void fill_inboxes(const Declaration& declaration, const trace::Trace& trace, Run& run);

/// Runs from trace files, one at a time. A run fails if its trace says so; traces with an unknown
/// outcome are left out. Runs have no labels.
class TraceSource : public RunSource {
 public:
  TraceSource(Declaration declaration, std::vector<std::string> paths);
  std::string name() const override { return declaration_.name; }
  const Schema& schema() const override { return declaration_.schema; }
  bool next(Run& run) override;
  std::size_t unknown() const { return unknown_; }

 private:
  Declaration declaration_;
  std::vector<std::string> paths_;
  std::size_t next_ = 0;
  std::size_t unknown_ = 0;
};

}  // namespace dissensus::isolate
