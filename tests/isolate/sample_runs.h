// Small runs for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isolate/isolation.h"
#include "isolate/run_table.h"

namespace dissensus::isolate {

/// Hands out runs that are already there.
class ListSource : public RunSource {
 public:
  ListSource(Schema schema, std::vector<Run> runs)
      : schema_(std::move(schema)), runs_(std::move(runs)) {}
  std::string name() const override { return "list"; }
  const Schema& schema() const override { return schema_; }
  bool next(Run& run) override {
    if (next_ == runs_.size()) return false;
    run = runs_[next_++];
    return true;
  }

 private:
  Schema schema_;
  std::vector<Run> runs_;
  std::size_t next_ = 0;
};

/// Votes with a round and a value.
inline Schema vote_schema(std::size_t nodes) {
  Schema schema;
  schema.kinds = {
      {"Vote", {{"round", SemanticType::round, "round"}, {"value", SemanticType::value, "value"}}}};
  schema.nodes = nodes;
  schema.trust_everybody();
  schema.labels = {"split"};
  return schema;
}

inline void add_message(Run& run, std::size_t node, std::uint16_t kind, std::uint16_t sender,
                        const std::vector<std::int64_t>& values) {
  run.inboxes[node].add(kind, sender);
  run.inboxes[node].values.insert(run.inboxes[node].values.end(), values.begin(), values.end());
}

inline Run empty_run(const std::string& name, bool failing, std::size_t nodes) {
  Run run;
  run.reset(nodes);
  run.name = name;
  run.failing = failing;
  return run;
}

/// The index of the finding's predicate among the sets of its pair, by its assertions.
inline std::size_t find_set(const KindPair& pair, const AssertionSet& wanted) {
  for (std::size_t set = 0; set < pair.sets.size(); ++set) {
    if (pair.sets[set] == wanted) return set;
  }
  return pair.sets.size();
}

inline std::uint32_t bit_of(const PredicateSpace& space, std::size_t pair_index,
                            std::size_t threshold, std::size_t set) {
  const KindPair& pair = space.pairs()[pair_index];
  return static_cast<std::uint32_t>((pair.first_word + (threshold - 1) * pair.words) * 64 + set);
}

}  // namespace dissensus::isolate
