// Why an action is not possible: conjuncts that fail, written down while it is stepped through.
#pragma once

#include <map>

#include "tla/evaluation/evaluator.h"

namespace dissensus::tla {

class GuardRecorder final : public Recorder {
 public:
  explicit GuardRecorder(Evaluator& evaluator) : evaluator_(evaluator) {}
  void failed(const Node& node, Frame& frame, std::uint32_t held) override;
  /// Deepest first.
  Explanation explanation() const;

 private:
  void add_operands(const Node& node, Frame& frame, FailedGuard& guard);
  void add_operand(const Node& node, Frame& frame, FailedGuard& guard);

  Evaluator& evaluator_;
  std::map<const Node*, std::size_t> places_;
  std::vector<FailedGuard> guards_;
};

}  // namespace dissensus::tla
