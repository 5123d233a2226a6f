#include "systems/vsr/messages.h"

namespace dissensus::vsr {

Digest digest_of(const SharedLog& log) {
  DigestBuilder builder;
  if (log) {
    for (const Operation& operation : *log) builder.add(operation.client).add(operation.number);
  }
  return builder.finish();
}

namespace {

template <class T>
FieldValue operation_of(const T& message) {
  return message.operation.digest();
}

/// A log cannot be forged: it has no setter.
template <class T>
FieldValue log_of(const T& message) {
  return digest_of(message.log);
}

void describe_operations(SystemDescription& description) {
  description.message<ClientRequest>("Request").field("operation", SemanticType::value,
                                                      operation_of<ClientRequest>);
  description.message<Reply>("Reply")
      .field("view", SemanticType::round, &Reply::view)
      .field("number", SemanticType::sequence, &Reply::number);
  description.message<Prepare>("Prepare")
      .field("view", SemanticType::round, &Prepare::view)
      .field("index", SemanticType::sequence, &Prepare::index)
      .field("commit", SemanticType::number, &Prepare::commit)
      .field("operation", SemanticType::value, operation_of<Prepare>);
  description.message<PrepareOk>("PrepareOk")
      .field("view", SemanticType::round, &PrepareOk::view)
      .field("index", SemanticType::sequence, &PrepareOk::index);
  description.message<Commit>("Commit")
      .field("view", SemanticType::round, &Commit::view)
      .field("commit", SemanticType::sequence, &Commit::commit);
}

void describe_view_changes(SystemDescription& description) {
  description.message<StartViewChange>("StartViewChange")
      .field("view", SemanticType::round, &StartViewChange::view);
  description.message<DoViewChange>("DoViewChange")
      .field("view", SemanticType::round, &DoViewChange::view)
      .field("last_normal", SemanticType::number, &DoViewChange::last_normal)
      .field("commit", SemanticType::sequence, &DoViewChange::commit)
      .field("log", SemanticType::hash, log_of<DoViewChange>);
  description.message<StartView>("StartView")
      .field("view", SemanticType::round, &StartView::view)
      .field("commit", SemanticType::sequence, &StartView::commit)
      .field("log", SemanticType::hash, log_of<StartView>);
}

void describe_catching_up(SystemDescription& description) {
  description.message<GetState>("GetState")
      .field("view", SemanticType::round, &GetState::view)
      .field("after", SemanticType::sequence, &GetState::after);
  description.message<NewState>("NewState")
      .field("view", SemanticType::round, &NewState::view)
      .field("after", SemanticType::sequence, &NewState::after)
      .field("commit", SemanticType::number, &NewState::commit)
      .field("log", SemanticType::hash, log_of<NewState>);
  description.message<Recovery>("Recovery").field("nonce", SemanticType::number, &Recovery::nonce);
  description.message<RecoveryResponse>("RecoveryResponse")
      .field("view", SemanticType::round, &RecoveryResponse::view)
      .field("nonce", SemanticType::number, &RecoveryResponse::nonce)
      .field("commit", SemanticType::sequence, &RecoveryResponse::commit)
      .field("is_primary", SemanticType::boolean, &RecoveryResponse::is_primary)
      .field("log", SemanticType::hash, log_of<RecoveryResponse>);
}

}  // namespace

void describe_messages(SystemDescription& description) {
  describe_operations(description);
  describe_view_changes(description);
  describe_catching_up(description);
}

}  // namespace dissensus::vsr
