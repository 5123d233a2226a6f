#include "systems/live/servers/toy_ledger.h"

#include <nlohmann/json.hpp>

#include "systems/live/wire/hash.h"
#include "systems/live/wire/keys.h"
#include "systems/live/wire/payment.h"

namespace dissensus::live::toy {

using nlohmann::json;

namespace {

constexpr std::uint64_t kAllDrops = 100'000'000'000'000'000;
constexpr std::uint64_t kReserve = 10'000'000;
constexpr std::uint32_t kCloseStep = 3;  // seconds of ledger time: no consensus on close times here

std::string state_text(const Accounts& accounts) {
  json state = json::object();
  for (const auto& [address, account] : accounts) {
    state[address] = {account.balance, account.sequence};
  }
  return state.dump();
}

void seal(Ledger& ledger) {
  ledger.header.state_hash = sha512_half(view_of(state_text(ledger.accounts)));
  ledger.hash = ledger_hash(ledger.header);
}

Bytes bytes_of(const std::string& text) {
  return Bytes(text.begin(), text.end());
}

}  // namespace

Hash256 set_id(const TransactionSet& set) {
  std::vector<Hash256> ids;
  for (const auto& [id, blob] : set) ids.push_back(id);
  return transaction_set_id(std::move(ids));
}

std::string apply(Accounts& accounts, const Bytes& blob, std::uint32_t sequence) {
  const ParsedTransaction parsed = parse_transaction(blob);
  if (parsed.type_name != "Payment" || !parsed.account || !parsed.destination || !parsed.drops ||
      !parsed.fee || !parsed.sequence || !verify_transaction(blob)) {
    return "temMALFORMED";
  }
  const auto found = accounts.find(*parsed.account);
  if (found == accounts.end()) return "terNO_ACCOUNT";
  Account& payer = found->second;
  if (*parsed.sequence < payer.sequence) return "tefPAST_SEQ";
  if (*parsed.sequence > payer.sequence) return "terPRE_SEQ";
  if (parsed.last_ledger && *parsed.last_ledger < sequence) return "tefMAX_LEDGER";
  if (payer.balance < *parsed.fee) return "terINSUF_FEE_B";
  payer.balance -= *parsed.fee;
  ++payer.sequence;
  const bool fresh = !accounts.contains(*parsed.destination);
  if (fresh && *parsed.drops < kReserve) return "tecNO_DST_INSUF_XRP";
  if (payer.balance < *parsed.drops + kReserve) return "tecUNFUNDED_PAYMENT";
  payer.balance -= *parsed.drops;
  if (fresh) accounts[*parsed.destination].sequence = sequence;
  accounts[*parsed.destination].balance += *parsed.drops;
  return "tesSUCCESS";
}

Applied apply_all(Accounts& accounts, const TransactionSet& set, std::uint32_t sequence) {
  Applied done;
  TransactionSet left = set;
  for (bool progress = true; progress;) {
    progress = false;
    for (auto entry = left.begin(); entry != left.end();) {
      const std::string result = apply(accounts, entry->second, sequence);
      if (result.starts_with("tes") || result.starts_with("tec")) {
        done.emplace_back(entry->second, result);
        entry = left.erase(entry);
        progress = true;
      } else {
        ++entry;
      }
    }
  }
  return done;
}

Ledger first_ledger() {
  Ledger ledger;
  ledger.header.sequence = 2;
  ledger.header.drops = kAllDrops;
  ledger.header.close_resolution = 10;
  const KeyPair genesis = account_keys(Seed::from_passphrase("masterpassphrase"));
  ledger.accounts[genesis.public_key.account_address()] = {kAllDrops, 1};
  seal(ledger);
  return ledger;
}

Ledger next_ledger(const Ledger& parent, const TransactionSet& set) {
  Ledger ledger;
  ledger.header = parent.header;
  ++ledger.header.sequence;
  ledger.header.parent_hash = parent.hash;
  ledger.header.transactions_hash = set_id(set);
  ledger.header.parent_close_time = parent.header.close_time;
  ledger.header.close_time += kCloseStep;
  ledger.accounts = parent.accounts;
  ledger.transactions = apply_all(ledger.accounts, set, ledger.sequence());
  seal(ledger);
  return ledger;
}

LedgerData to_data(const Ledger& ledger) {
  LedgerData data;
  data.hash = ledger.hash;
  data.ledger_seq = ledger.sequence();
  data.item = LedgerItem::base;
  data.nodes.push_back({encode_ledger_header(ledger.header), {}, {}});
  data.nodes.push_back({bytes_of(state_text(ledger.accounts)), {}, {}});
  return data;
}

Ledger from_data(const LedgerData& data) {
  const auto header = ledger_header_of(data);
  if (!header || data.nodes.size() < 2) throw WireError("ledger data without a ledger");
  Ledger ledger;
  ledger.header = *header;
  const json state = json::parse(text_of(data.nodes[1].data), nullptr, false);
  if (!state.is_object()) throw WireError("ledger data without a state");
  for (const auto& [address, account] : state.items()) {
    ledger.accounts[address] = {account.at(0).get<std::uint64_t>(),
                                account.at(1).get<std::uint32_t>()};
  }
  seal(ledger);
  if (ledger.hash != data.hash) throw WireError("ledger data that does not hash to its name");
  return ledger;
}

}  // namespace dissensus::live::toy
