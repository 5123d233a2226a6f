// Applying transactions to ledgers (consensus.md 13.2 to 13.4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systems/xrpl/ledger.h"
#include "systems/xrpl/parameters.h"
#include "systems/xrpl/transaction.h"

namespace dissensus::xrpl {

class Store;

/// A state that is being changed; copies its base only when something changes.
class View {
 public:
  View() = default;
  /// `base` must outlive the view. `seq` is the sequence of the ledger in the making.
  View(const State& base, std::uint32_t seq, bool open) : base_(&base), seq_(seq), open_(open) {}

  AccountRoot read(AccountIndex account) const {
    const std::vector<AccountRoot>& accounts = changed_ ? accounts_ : base_->accounts;
    return account < accounts.size() ? accounts[account] : AccountRoot{};
  }
  AccountRoot& write(AccountIndex account);
  void burn(Drops fee) { burnt_ += fee; }

  std::uint32_t seq() const { return seq_; }
  bool is_open() const { return open_; }
  bool changed() const { return changed_; }
  /// The state as it is now, digest included.
  State finish() const;

 private:
  const State* base_ = nullptr;
  std::vector<AccountRoot> accounts_;
  Drops burnt_ = 0;
  std::uint32_t seq_ = 0;
  bool open_ = false;
  bool changed_ = false;
};

/// Tries one transaction. With `retry` a tec result changes nothing, so that it can be tried again.
TxResult apply_transaction(View& view, const Transaction& transaction, const Fees& fees,
                           bool retry);

/// True when apply_transaction with these arguments and this result changed the view.
constexpr bool was_applied(TxResult result, bool retry) {
  return result == TxResult::tes_success || (class_of(result) == TxClass::tec && !retry);
}

/// Sorts by (account XOR salt, sequence, id), consensus.md 13.4.
void sort_canonically(std::vector<TxIndex>& transactions, const Digest& salt, const Store& store);

/// Three passes over `transactions` in the given order (13.3). What stays in `transactions` are
/// those that may succeed later (ter).
std::vector<AppliedTransaction> apply_in_passes(View& view, std::vector<TxIndex>& transactions,
                                                const Store& store, const Fees& fees);

}  // namespace dissensus::xrpl
