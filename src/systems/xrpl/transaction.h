// Payments in XRP and what can become of them (consensus.md 13).
#pragma once

#include <cstdint>
#include <string_view>

#include "dissensus/digest.h"

#include "systems/xrpl/parameters.h"

namespace dissensus::xrpl {

/// Dense numbers that a Store gives to transactions and accounts of one run.
using TxIndex = std::uint32_t;
using AccountIndex = std::uint32_t;

/// The signed content; equal contents are one transaction.
struct Payment {
  Digest from;
  Digest to;
  Drops amount = 0;
  Drops fee = 10;
  std::uint32_t sequence = 0;
  std::uint32_t last_ledger = 0;  ///< 0: never expires
  std::uint32_t tag = 0;          ///< tells otherwise equal payments apart
};

inline Digest transaction_id(const Payment& payment) {
  return DigestBuilder{}
      .add(payment.from)
      .add(payment.to)
      .add(payment.amount)
      .add(payment.fee)
      .add((std::uint64_t{payment.sequence} << 32) | payment.last_ledger)
      .add(payment.tag)
      .finish();
}

struct Transaction {
  Digest id;
  Payment payment;
  AccountIndex from = 0;
  AccountIndex to = 0;
  TxIndex index = 0;
};

/// Result codes in order of their class; class_of depends on that order.
enum class TxResult : std::uint8_t {
  tel_insuf_fee_p,
  tem_bad,
  tef_past_seq,
  tef_already,
  tef_max_ledger,
  ter_no_account,
  ter_pre_seq,
  ter_insuf_fee_b,
  ter_queued,
  tes_success,
  tec_unfunded_payment,
  tec_no_dst_insuf_xrp,
  tec_insuff_fee,
};
enum class TxClass : std::uint8_t { tel, tem, tef, ter, tes, tec };

constexpr TxClass class_of(TxResult result) {
  if (result >= TxResult::tec_unfunded_payment) return TxClass::tec;
  if (result == TxResult::tes_success) return TxClass::tes;
  if (result >= TxResult::ter_no_account) return TxClass::ter;
  if (result >= TxResult::tef_past_seq) return TxClass::tef;
  return result == TxResult::tem_bad ? TxClass::tem : TxClass::tel;
}
std::string_view to_string(TxResult result);

}  // namespace dissensus::xrpl
