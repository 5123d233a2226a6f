// Who evaluates the items of a hunt: threads of this process, or workers anywhere through the
// store. Results come back in the order of submission, so that a search cannot tell the difference.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "hunt/evaluator.h"

namespace dissensus::hunt {

class WorkQueue;

class Crew {
 public:
  virtual ~Crew() = default;
  virtual std::size_t under_way() const = 0;
  virtual void submit(std::unique_ptr<Item> item) = 0;
  /// The oldest item, done; there must be one. Null: nobody wants to wait any longer. An exception
  /// of its evaluation is thrown here.
  virtual std::unique_ptr<Item> take_oldest() = 0;
  /// Forgets the items that nobody has begun; those under way can still be taken.
  virtual void withdraw() = 0;
};

/// `plan` must outlive the crew.
std::unique_ptr<Crew> make_threads(const EvaluationPlan& plan, std::size_t jobs);

/// Puts items into the queue of the store, in batches that take about a second. Items whose
/// scheduler decides while the run goes on are run here: such a scheduler lives in the search.
/// `keep_waiting` is asked now and then. `plan` and `queue` must outlive the crew.
std::unique_ptr<Crew> make_fleet(const EvaluationPlan& plan, WorkQueue& queue, std::int64_t hunt,
                                 std::size_t window, std::function<bool()> keep_waiting);

}  // namespace dissensus::hunt
