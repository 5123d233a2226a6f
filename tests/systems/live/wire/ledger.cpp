#include "systems/live/wire/ledger.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "systems/live/wire/hash.h"
#include "systems/live/wire/payment.h"

namespace dissensus::live {

namespace {
constexpr std::size_t kBranches = 16;
constexpr std::uint8_t kTransactionNodeType = 0;

std::size_t nibble(const Hash256& key, std::size_t depth) {
  const std::uint8_t byte = key[depth / 2];
  return depth % 2 == 0 ? byte >> 4 : byte & 15;
}

/// Of the inner node at `depth` above these leaves: sorted, no two equal, at least one.
Hash256 inner_hash(std::span<const Hash256> leaves, std::size_t depth) {
  Bytes children;
  children.reserve(kBranches * sizeof(Hash256));
  auto first = leaves.begin();
  for (std::size_t branch = 0; branch < kBranches; ++branch) {
    const auto last = std::find_if(
        first, leaves.end(), [&](const Hash256& leaf) { return nibble(leaf, depth) != branch; });
    const std::span<const Hash256> below(first, last);
    // A transaction is the hash of its own leaf.
    const Hash256 child = below.empty()       ? Hash256{}
                          : below.size() == 1 ? below.front()
                                              : inner_hash(below, depth + 1);
    append(children, child);
    first = last;
  }
  return prefixed_hash(HashPrefix::inner_node, children);
}

class HeaderReader {
 public:
  explicit HeaderReader(ByteView bytes) : rest_(bytes) {}
  template <std::unsigned_integral Number>
  void read(Number& value) {
    value = read_number<Number>(rest_);
    rest_ = rest_.subspan(sizeof(Number));
  }
  void read(Hash256& hash) {
    std::copy_n(rest_.begin(), hash.size(), hash.begin());
    rest_ = rest_.subspan(hash.size());
  }

 private:
  ByteView rest_;
};
}  // namespace

Hash256 transaction_set_id(std::vector<Hash256> transaction_ids) {
  if (transaction_ids.empty()) return {};
  std::sort(transaction_ids.begin(), transaction_ids.end());
  transaction_ids.erase(std::unique(transaction_ids.begin(), transaction_ids.end()),
                        transaction_ids.end());
  return inner_hash(transaction_ids, 0);
}

Hash256 transaction_set_id(const std::vector<Bytes>& transactions) {
  std::vector<Hash256> ids;
  for (const Bytes& blob : transactions) ids.push_back(transaction_id(blob));
  return transaction_set_id(std::move(ids));
}

LedgerHeader decode_ledger_header(ByteView bytes) {
  if (bytes.size() != kLedgerHeaderBytes) {
    throw WireError(
        fmt::format("ledger header: {} bytes, expected {}", bytes.size(), kLedgerHeaderBytes));
  }
  LedgerHeader header;
  HeaderReader reader(bytes);
  reader.read(header.sequence);
  reader.read(header.drops);
  reader.read(header.parent_hash);
  reader.read(header.transactions_hash);
  reader.read(header.state_hash);
  reader.read(header.parent_close_time);
  reader.read(header.close_time);
  reader.read(header.close_resolution);
  reader.read(header.close_flags);
  return header;
}

Bytes encode_ledger_header(const LedgerHeader& header) {
  Bytes bytes;
  bytes.reserve(kLedgerHeaderBytes);
  append_number(bytes, header.sequence);
  append_number(bytes, header.drops);
  append(bytes, header.parent_hash);
  append(bytes, header.transactions_hash);
  append(bytes, header.state_hash);
  append_number(bytes, header.parent_close_time);
  append_number(bytes, header.close_time);
  append_number(bytes, header.close_resolution);
  append_number(bytes, header.close_flags);
  return bytes;
}

Hash256 ledger_hash(const LedgerHeader& header) {
  return prefixed_hash(HashPrefix::ledger, encode_ledger_header(header));
}

std::optional<LedgerHeader> ledger_header_of(const LedgerData& data) {
  if (data.item != LedgerItem::base || data.nodes.empty()) return std::nullopt;
  return decode_ledger_header(data.nodes.front().data);
}

std::vector<Bytes> candidate_transactions(const LedgerData& data) {
  std::vector<Bytes> result;
  if (data.item != LedgerItem::candidate_set) return result;
  for (const LedgerNode& node : data.nodes) {
    if (node.data.empty() || node.data.back() != kTransactionNodeType) continue;
    result.emplace_back(node.data.begin(), node.data.end() - 1);
  }
  return result;
}

}  // namespace dissensus::live
