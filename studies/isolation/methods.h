// The methods that are compared: each looks at the runs of one part, knowing which fail, and then
// says of failing runs, of that part and of another, which belong together.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isolate/causes.h"
#include "isolate/isolation.h"
#include "isolate/run_source.h"
#include "isolate/run_table.h"

namespace dissensus::study {

struct Clusters {
  std::vector<std::size_t> of_training;  ///< cluster by run; successful runs have one as well
  std::vector<std::size_t> of_held_out;
  std::size_t count = 0;
  std::size_t predicates = 0;  ///< conditions that tell the clusters apart, in all
  std::string text;            ///< for who looks closer
};

/// Runs in memory, for methods that read them with different spaces.
class StoredRuns final : public isolate::RunSource {
 public:
  StoredRuns(const isolate::Schema& schema, const std::vector<isolate::Run>& runs)
      : schema_(schema), runs_(runs) {}
  std::string name() const override { return "campaign"; }
  const isolate::Schema& schema() const override { return schema_; }
  bool next(isolate::Run& run) override;

 private:
  const isolate::Schema& schema_;
  const std::vector<isolate::Run>& runs_;
  std::size_t next_ = 0;
};

/// What was divided, united and left, for who looks closer.
std::string describe(const isolate::RunTable& table, const isolate::Separation& separation);

/// By how many causes `isolate` says there are.
Clusters by_causes(const isolate::RunTable& training, const isolate::RunTable& held_out,
                   const isolate::CauseOptions& options);
/// By recursive elimination: the first predicate of the list that holds.
Clusters by_elimination(const isolate::RunTable& training, const isolate::RunTable& held_out,
                        isolate::Mode mode);
/// By the leaves of a decision tree that predicts failing (Gini's index; as many runs in a leaf as
/// a cause needs).
Clusters by_tree(const isolate::RunTable& training, const isolate::RunTable& held_out);

/// What the features allow: a decision tree over them that is shown the causes of the first part
/// (`causes`: by run; none where it is not known). No method: it bounds what any can reach on the
/// second part.
Clusters by_labels(const isolate::RunTable& training, const isolate::RunTable& held_out,
                   const std::vector<std::optional<std::size_t>>& causes);

}  // namespace dissensus::study
