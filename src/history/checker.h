// All checkers by name: what `dissensus history check --model` offers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/history.h"

#include "history/linearizability.h"
#include "history/transactional.h"
#include "history/verdict.h"

namespace dissensus::history {

struct CheckOptions {
  Value initial;                     ///< of registers
  bool failed_cas_compares = false;  ///< see LinearOptions
  Isolation promised = Isolation::strict_serializable;
  CheckLimits limits;
};

struct CheckerDescription {
  std::string_view name;
  std::string_view functions;  ///< that its histories may have
  std::string_view promise;    ///< what is checked, in a few words
};
std::span<const CheckerDescription> checkers();

/// Throws InputError for a name that no checker has, and for histories that are not for it.
Verdict check(const History& history, const std::vector<Operation>& operations,
              std::string_view model, const CheckOptions& options);

/// One object: outcome, reason, findings with their operations, figures.
std::string to_json(const Verdict& verdict, const History& history,
                    const std::vector<Operation>& operations);

}  // namespace dissensus::history
