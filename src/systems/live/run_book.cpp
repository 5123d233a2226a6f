#include "systems/live/run_book.h"

#include <algorithm>

#include "systems/live/wire/hash.h"

namespace dissensus::live {

Digest to_digest(const Hash256& hash) {
  const ByteView bytes(hash);
  return {read_number<std::uint64_t>(bytes), read_number<std::uint64_t>(bytes.subspan(8))};
}

NodeId RunBook::node_of(const PublicKey& validator) const {
  const auto found = std::find_if(validators_.begin(), validators_.end(), [&](const KeyPair& keys) {
    return keys.public_key == validator;
  });
  return found == validators_.end() ? kNoNode : static_cast<NodeId>(found - validators_.begin());
}

Digest RunBook::note(const Hash256& hash) {
  const Digest digest = to_digest(hash);
  hashes_.emplace(digest, hash);
  return digest;
}

Hash256 RunBook::full(const Digest& digest) const {
  const auto found = hashes_.find(digest);
  if (found != hashes_.end()) return found->second;
  Bytes head;
  append_number(head, digest.high);
  append_number(head, digest.low);
  Hash256 hash = sha512_half(head);
  std::copy(head.begin(), head.end(), hash.begin());
  return hash;
}

const RunBook::Ledger* RunBook::ledger(const Hash256& hash) const {
  const auto found = ledgers_.find(hash);
  return found == ledgers_.end() ? nullptr : &found->second;
}

std::uint32_t RunBook::shifted(std::uint32_t seq, std::int64_t shift) {
  if (seq == 0) return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seq + shift, 0, UINT32_MAX));
}

}  // namespace dissensus::live
