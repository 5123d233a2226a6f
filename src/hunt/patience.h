// Patience with a server that went away: whatever was begun is done again once it is back.
#pragma once

#include <string>

#include "hunt/sql.h"

namespace dissensus::hunt {

/// What to do while a server cannot be reached.
class Patience {
 public:
  virtual ~Patience() = default;
  /// Waits a little; false: it is not worth it any more.
  virtual bool wait(const std::string& trouble) = 0;
};

/// Does `action`, and does it again each time the connection was lost, after `recover`. Throws
/// ConnectionLost where nobody wants to wait (any longer); null: nobody does.
template <class Action, class Recovery>
auto keep_trying(Patience* patience, const Action& action, const Recovery& recover) {
  for (bool is_lost = false;;) {
    try {
      if (is_lost) recover();
      is_lost = false;
      return action();
    } catch (const sql::ConnectionLost& lost) {
      if (patience == nullptr || !patience->wait(lost.what())) throw;
      is_lost = true;
    }
  }
}

/// For actions that connect by themselves.
template <class Action>
auto keep_trying(Patience* patience, const Action& action) {
  return keep_trying(patience, action, [] {});
}

}  // namespace dissensus::hunt
