#include "systems/libraft/messages.h"

#include <span>

namespace dissensus::libraft {

Digest digest_of(std::uint16_t type, const void* data, std::size_t bytes) {
  const std::span content(static_cast<const std::byte*>(data), bytes);
  DigestBuilder builder;
  builder.add(type);
  if (bytes > 0) builder.add(digest_of_bytes(content));
  return builder.finish();
}

namespace {
Digest digest_of(const std::vector<Entry>& entries) {
  DigestBuilder builder;
  for (const Entry& entry : entries) {
    builder.add(entry.term)
        .add(libraft::digest_of(entry.type, entry.data.data(), entry.data.size()));
  }
  return builder.finish();
}
}  // namespace

Digest AppendEntries::digest() const {
  DigestBuilder builder;
  builder.add(kind()).add(term).add(prev_log_index).add(prev_log_term).add(leader_commit);
  if (!entries->empty()) builder.add(digest_of(*entries));
  return builder.finish();
}

std::uint32_t AppendEntries::wire_bytes() const {
  std::size_t bytes = 48;
  for (const Entry& entry : *entries) bytes += 16 + entry.data.size();
  return static_cast<std::uint32_t>(bytes);
}

Digest InstallSnapshot::digest() const {
  DigestBuilder builder;
  builder.add(kind()).add(term).add(last_index).add(last_term).add(configuration_index);
  for (const Member& member : *members) {
    builder.add(member.server).add(static_cast<std::uint64_t>(member.role));
  }
  if (!data->empty()) builder.add(digest_of_bytes(*data));
  return builder.finish();
}

std::uint32_t InstallSnapshot::wire_bytes() const {
  return static_cast<std::uint32_t>(64 + members->size() * 32 + data->size());
}

namespace {
void describe_votes(SystemDescription& description) {
  description.message<RequestVote>("RequestVote", {"RequestVote", "RequestPreVote"})
      .field("term", SemanticType::round, &RequestVote::term)
      .field("candidate", SemanticType::number, &RequestVote::candidate)
      .field("last_log_index", SemanticType::sequence, &RequestVote::last_log_index)
      .field("last_log_term", SemanticType::round, &RequestVote::last_log_term)
      .field("disrupt_leader", SemanticType::boolean, &RequestVote::disrupt_leader)
      .field("pre_vote", SemanticType::boolean, &RequestVote::pre_vote);
  description.message<VoteResult>("VoteResult", {"VoteResult", "PreVoteResult"})
      .field("term", SemanticType::round, &VoteResult::term)
      .field("granted", SemanticType::boolean, &VoteResult::granted);
}

void describe_replication(SystemDescription& description) {
  description.message<AppendEntries>("AppendEntries", {"AppendEntries", "Heartbeat"})
      .field("term", SemanticType::round, &AppendEntries::term)
      .field("prev_log_index", SemanticType::sequence, &AppendEntries::prev_log_index)
      .field("prev_log_term", SemanticType::round, &AppendEntries::prev_log_term)
      .field("leader_commit", SemanticType::sequence, &AppendEntries::leader_commit)
      .field("count", SemanticType::number,
             [](const AppendEntries& message) {
               return FieldValue{std::uint64_t{message.entries->size()}};
             })
      .field("terms", SemanticType::text,
             [](const AppendEntries& message) {
               std::string text;
               for (const Entry& entry : *message.entries) {
                 text += (text.empty() ? "" : " ") + std::to_string(entry.term);
               }
               return FieldValue{text};
             })
      .field("entries", SemanticType::hash, [](const AppendEntries& message) {
        return FieldValue{message.entries->empty() ? Digest{} : digest_of(*message.entries)};
      });
  description.message<AppendResult>("AppendResult")
      .field("term", SemanticType::round, &AppendResult::term)
      .field("rejected", SemanticType::sequence, &AppendResult::rejected)
      .field("last_log_index", SemanticType::sequence, &AppendResult::last_log_index);
  description.message<InstallSnapshot>("InstallSnapshot")
      .field("term", SemanticType::round, &InstallSnapshot::term)
      .field("last_index", SemanticType::sequence, &InstallSnapshot::last_index)
      .field("last_term", SemanticType::round, &InstallSnapshot::last_term)
      .field("configuration_index", SemanticType::sequence, &InstallSnapshot::configuration_index)
      .field("data", SemanticType::hash, [](const InstallSnapshot& message) {
        return FieldValue{digest_of_bytes(*message.data)};
      });
  description.message<TimeoutNow>("TimeoutNow")
      .field("term", SemanticType::round, &TimeoutNow::term)
      .field("last_log_index", SemanticType::sequence, &TimeoutNow::last_log_index)
      .field("last_log_term", SemanticType::round, &TimeoutNow::last_log_term);
}
}  // namespace

void describe_messages(SystemDescription& description) {
  describe_votes(description);
  describe_replication(description);
  description.message<ClientRequest>("Request")
      .field("number", SemanticType::number, &ClientRequest::number)
      .field("operation", SemanticType::number, &ClientRequest::operation)
      .field("argument", SemanticType::value, &ClientRequest::argument);
  description.message<ClientReply>("Reply")
      .field("number", SemanticType::number, &ClientReply::number)
      .field("status", SemanticType::number, &ClientReply::status)
      .field("index", SemanticType::sequence, &ClientReply::index)
      .field("leader", SemanticType::number, &ClientReply::leader);
}

}  // namespace dissensus::libraft
