// Frames as messages of a run: the seven types that schedules act on, with the kinds and fields of
// the simulated system, so that schedules, predicates and diagrams mean the same for both.
//
// A message carries its frame. Replacing a field makes a new frame at once, signed with the key of
// the validator that it claims to be from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/ids.h"
#include "dissensus/message.h"
#include "dissensus/node.h"

#include "systems/live/run_book.h"
#include "systems/live/wire/frame.h"
#include "systems/live/wire/messages.h"
#include "systems/live/wire/payment.h"
#include "systems/live/wire/validation.h"
#include "systems/xrpl/messages.h"

namespace dissensus::live {

/// What all messages of a run have.
struct Carried {
  std::shared_ptr<const Bytes> frame;
  RunBook* book = nullptr;
  xrpl::KindScheme scheme = xrpl::KindScheme::thirteen;

  /// Identity of the bytes.
  Digest digest() const;
  std::uint32_t wire_bytes() const { return static_cast<std::uint32_t>(frame->size()); }
  void carry(Frame&& frame_of_message);
  /// In the place of the frame that it came in.
  void carry_forged(Frame&& forged);
};

struct CarriedProposal : Carried {
  Proposal content;
  NodeId origin = kNoNode;  ///< who signed it
  MessageKind kind() const { return xrpl::proposal_kind(content.propose_seq, scheme); }
  void seal();
};
struct CarriedStatus : Carried {
  StatusChange content;
  MessageKind kind() const { return xrpl::kind_number(xrpl::Kind::status_change, scheme); }
  void seal() { carry_forged(encode(content)); }
};
struct CarriedValidation : Carried {
  ValidationMessage message;
  std::shared_ptr<const ValidationObject> content;
  NodeId origin = kNoNode;
  MessageKind kind() const { return xrpl::kind_number(xrpl::Kind::validation, scheme); }
  void replace(ValidationObject object);
};
struct CarriedTransaction : Carried {
  TransactionMessage content;
  Digest id;
  Digest account;
  Digest destination;
  std::uint64_t drops = 0;
  std::uint32_t sequence = 0;
  MessageKind kind() const { return xrpl::kind_number(xrpl::Kind::transaction, scheme); }
  void seal() { carry_forged(encode(content)); }
};
struct CarriedSet : Carried {
  HaveSet content;
  MessageKind kind() const { return xrpl::kind_number(xrpl::Kind::have_transaction_set, scheme); }
  void seal() { carry_forged(encode(content)); }
};
struct CarriedRequest : Carried {
  GetLedger content;
  MessageKind kind() const { return xrpl::kind_number(xrpl::Kind::get_ledger, scheme); }
  void seal() { carry_forged(encode(content)); }
};
struct CarriedReply : Carried {
  LedgerData content;
  MessageKind kind() const { return xrpl::kind_number(xrpl::Kind::ledger_data, scheme); }
  void seal() { carry_forged(encode(content)); }
};

/// Declares kinds, fields and their setters, in the order of the simulated system.
void describe_messages(SystemDescription& description, xrpl::KindScheme scheme);

/// A frame's content as far as runs need it: read once, at the entrance.
using RunMessage = std::variant<CarriedProposal, CarriedStatus, CarriedValidation,
                                CarriedTransaction, CarriedSet, CarriedRequest, CarriedReply>;
/// Nothing for types that no schedule acts on. Throws WireError.
std::optional<RunMessage> read_message(Frame&& frame, RunBook& book, xrpl::KindScheme scheme);

/// The frame to write for a message that the world delivers.
const Carried& carried(const Message& message);

}  // namespace dissensus::live
