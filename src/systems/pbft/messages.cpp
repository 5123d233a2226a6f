#include "systems/pbft/messages.h"

namespace dissensus::pbft {

namespace {
constexpr std::uint64_t kTimestampMask = 0xFF'FFFF;
constexpr std::uint64_t kSealMask = 0xFFFF;

constexpr std::uint64_t seal_of(std::uint64_t content) {
  return mix64(content, 0x5043'4F4E'5345'4E53ULL) >> 48;
}
}  // namespace

RequestId request_id(NodeId client, std::uint32_t timestamp, std::uint16_t operation) {
  const std::uint64_t content = std::uint64_t{client} << 56 | (timestamp & kTimestampMask) << 32 |
                                std::uint64_t{operation} << 16;
  return content | seal_of(content);
}

bool is_signed(RequestId request) {
  return (request & kSealMask) == seal_of(request & ~kSealMask);
}

NodeId client_of(RequestId request) {
  return static_cast<NodeId>(request >> 56);
}

std::uint32_t timestamp_of(RequestId request) {
  return static_cast<std::uint32_t>(request >> 32 & kTimestampMask);
}

Digest Request::digest() const {
  return DigestBuilder{}.add(id()).finish();
}

namespace {
void add(DigestBuilder& builder, const ViewChange& change) {
  builder.add(change.view).add(change.replica);
  builder.add(change.stable.sequence).add(change.stable.state).add(change.stable.signers);
  builder.add(change.prepared.size());
  for (const Certificate& certificate : change.prepared) {
    builder.add(certificate.view).add(certificate.sequence);
    builder.add(certificate.request).add(certificate.signers);
  }
}
}  // namespace

Digest ViewChange::digest() const {
  DigestBuilder builder;
  add(builder, *this);
  return builder.finish();
}

Digest NewView::digest() const {
  DigestBuilder builder;
  builder.add(view).add(changes.size());
  for (const ViewChange& change : changes) add(builder, change);
  for (const Proposal& proposal : proposals) builder.add(proposal.sequence).add(proposal.request);
  return builder.finish();
}

Digest State::digest() const {
  DigestBuilder builder;
  builder.add(sequence).add(chain);
  for (const ClientRecord& client : clients) builder.add(client.timestamp).add(client.result);
  return builder.finish();
}

namespace {

template <class T>
FieldValue request_field(const T& message) {
  return Digest{message.request};
}
template <class T>
void set_request_field(T& message, const FieldValue& value) {
  message.request = std::get<Digest>(value).low;
}

/// The three phases: the primary, or whoever votes, may say what it likes to whom it likes.
template <class T>
void describe_phase(SystemDescription& description, const char* name) {
  description.message<T>(name)
      .field("view", SemanticType::round, &T::view)
      .field("sequence", SemanticType::sequence, &T::sequence)
      .field("request", SemanticType::value, &request_field<T>, &set_request_field<T>)
      .small_scope({"sequence", "request"});
}

void describe_view_change(SystemDescription& description) {
  description.message<ViewChange>("view-change")
      .field("view", SemanticType::round, &ViewChange::view)
      .field("replica", SemanticType::node, &ViewChange::replica)
      .field("stable", SemanticType::sequence,
             [](const ViewChange& change) { return FieldValue{change.stable.sequence}; })
      // A liar may keep certificates to itself; it cannot make any.
      .field(
          "prepared", SemanticType::number,
          [](const ViewChange& change) {
            return FieldValue{std::uint64_t{change.prepared.size()}};
          },
          [](ViewChange& change, const FieldValue& value) {
            std::uint64_t count = 0;
            internal::from_field_value(count, value);
            // More than there are cannot be shown: the neighbour above means none at all.
            change.prepared.resize(count < change.prepared.size() ? count : 0);
          })
      .author("replica")
      .small_scope({"view", "prepared"});
}

void describe_new_view(SystemDescription& description) {
  description.message<NewView>("new-view")
      .field("view", SemanticType::round, &NewView::view)
      .field("changes", SemanticType::number,
             [](const NewView& view) { return FieldValue{std::uint64_t{view.changes.size()}}; })
      .field("proposals", SemanticType::number,
             [](const NewView& view) { return FieldValue{std::uint64_t{view.proposals.size()}}; })
      .field(
          "request", SemanticType::value,
          [](const NewView& view) {
            return FieldValue{view.proposals.empty() ? Digest{}
                                                     : Digest{view.proposals.back().request}};
          },
          [](NewView& view, const FieldValue& value) {
            if (!view.proposals.empty()) {
              view.proposals.back().request = std::get<Digest>(value).low;
            }
          })
      .small_scope({"request"});
}

}  // namespace

void describe_messages(SystemDescription& description) {
  description.message<Request>("request")
      .field("client", SemanticType::node, &Request::client)
      .field("timestamp", SemanticType::sequence, &Request::timestamp)
      .field("operation", SemanticType::number, &Request::operation)
      .author("client");
  describe_phase<PrePrepare>(description, "pre-prepare");
  describe_phase<Prepare>(description, "prepare");
  describe_phase<Commit>(description, "commit");
  description.message<Reply>("reply")
      .field("view", SemanticType::round, &Reply::view)
      .field("timestamp", SemanticType::sequence, &Reply::timestamp)
      .field("result", SemanticType::hash, &Reply::result);
  description.message<Checkpoint>("checkpoint")
      .field("sequence", SemanticType::sequence, &Checkpoint::sequence)
      .field("state", SemanticType::hash, &Checkpoint::state);
  describe_view_change(description);
  describe_new_view(description);
  description.message<Status>("status")
      .field("view", SemanticType::round, &Status::view)
      .field("executed", SemanticType::sequence, &Status::executed)
      .field("stable", SemanticType::sequence, &Status::stable)
      .field("active", SemanticType::boolean, &Status::active);
  description.message<FetchState>("fetch-state")
      .field("sequence", SemanticType::sequence, &FetchState::sequence);
  description.message<State>("state")
      .field("sequence", SemanticType::sequence, &State::sequence)
      .field("chain", SemanticType::hash, &State::chain);
}

}  // namespace dissensus::pbft
