#include "systems/live/wire/messages.h"

#include "systems/live/wire/hash.h"
#include "systems/live/wire/payment.h"
#include "systems/live/wire/serialized_object.h"

namespace dissensus::live {

Hash256 signing_digest(const Proposal& proposal) {
  Bytes signed_bytes;
  append_number(signed_bytes, proposal.propose_seq);
  append_number(signed_bytes, proposal.close_time);
  append(signed_bytes, proposal.previous_ledger);
  append(signed_bytes, proposal.transaction_set);
  return prefixed_hash(HashPrefix::proposal, signed_bytes);
}

void sign(Proposal& proposal, const KeyPair& keys) {
  proposal.node_key = keys.public_key;
  proposal.signature = sign(keys, signing_digest(proposal));
}

bool verify(const Proposal& proposal) {
  return verify(proposal.node_key, signing_digest(proposal), proposal.signature);
}

Hash256 suppression_id(const Proposal& proposal) {
  Bytes content;
  append(content, proposal.transaction_set);
  append(content, proposal.previous_ledger);
  append_number(content, proposal.propose_seq);
  append_number(content, proposal.close_time);
  append_with_length(content, proposal.node_key.bytes);
  append_with_length(content, proposal.signature);
  return sha512_half(content);
}

Hash256 suppression_id(const ValidationMessage& message) {
  return sha512_half(message.validation);
}

Hash256 suppression_id(const TransactionMessage& message) {
  return transaction_id(message.raw);
}

}  // namespace dissensus::live
