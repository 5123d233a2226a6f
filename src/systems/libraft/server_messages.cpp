// The library's messages, as the world's.
#include <fmt/format.h>

#include "systems/libraft/library_values.h"
#include "systems/libraft/server.h"

namespace dissensus::libraft {

raft_message Server::envelope(NodeId from, unsigned short type) {
  sender_address_ = fmt::to_string(server_of(from));
  raft_message message{};
  message.type = type;
  message.server_id = server_of(from);
  message.server_address = sender_address_.c_str();
  return message;
}

void Server::receive_entries(NodeId from, const AppendEntries& message) {
  raft_message received = envelope(from, RAFT_IO_APPEND_ENTRIES);
  received.append_entries = {message.term,
                             message.prev_log_index,
                             message.prev_log_term,
                             message.leader_commit,
                             batch_of(*message.entries),
                             static_cast<unsigned>(message.entries->size())};
  recv_(&io_, &received);
}

void Server::receive_snapshot(NodeId from, const InstallSnapshot& message) {
  raft_message received = envelope(from, RAFT_IO_INSTALL_SNAPSHOT);
  received.install_snapshot.term = message.term;
  received.install_snapshot.last_index = message.last_index;
  received.install_snapshot.last_term = message.last_term;
  fill(received.install_snapshot.conf, *message.members);
  received.install_snapshot.conf_index = message.configuration_index;
  received.install_snapshot.data = copy(*message.data);
  recv_(&io_, &received);
}

void Server::receive(Context& context, NodeId from, const Message& message) {
  const Entered entered(*this, context);
  if (const auto* request = message.get<ClientRequest>()) {
    execute(from, *request);
    return;
  }
  if (const auto* reply = message.get<ClientReply>()) {
    client_.answered(context, *reply);
    return;
  }
  if (!running_ || !started_) return;
  if (const auto* entries = message.get<AppendEntries>()) {
    receive_entries(from, *entries);
  } else if (const auto* result = message.get<AppendResult>()) {
    raft_message received = envelope(from, RAFT_IO_APPEND_ENTRIES_RESULT);
    received.append_entries_result = {result->term, result->rejected, result->last_log_index};
    recv_(&io_, &received);
  } else if (const auto* vote = message.get<RequestVote>()) {
    raft_message received = envelope(from, RAFT_IO_REQUEST_VOTE);
    received.request_vote = {vote->term,          vote->candidate,      vote->last_log_index,
                             vote->last_log_term, vote->disrupt_leader, vote->pre_vote};
    recv_(&io_, &received);
  } else if (const auto* answer_to_vote = message.get<VoteResult>()) {
    raft_message received = envelope(from, RAFT_IO_REQUEST_VOTE_RESULT);
    received.request_vote_result = {answer_to_vote->term, answer_to_vote->granted,
                                    static_cast<raft_tribool>(answer_to_vote->pre_vote)};
    recv_(&io_, &received);
  } else if (const auto* snapshot = message.get<InstallSnapshot>()) {
    receive_snapshot(from, *snapshot);
  } else if (const auto* now = message.get<TimeoutNow>()) {
    raft_message received = envelope(from, RAFT_IO_TIMEOUT_NOW);
    received.timeout_now = {now->term, now->last_log_index, now->last_log_term};
    recv_(&io_, &received);
  }
}

int Server::send(raft_io_send* request, const raft_message& message, raft_io_send_cb done) {
  const NodeId to = node_of(message.server_id);
  if (to >= settings_.servers || to == id_) return RAFT_NOCONNECTION;
  switch (message.type) {
    case RAFT_IO_APPEND_ENTRIES: {
      const raft_append_entries& content = message.append_entries;
      context_->send(to, AppendEntries{content.term, content.prev_log_index, content.prev_log_term,
                                       content.leader_commit,
                                       std::make_shared<const std::vector<Entry>>(
                                           entries_of(content.entries, content.n_entries))});
      break;
    }
    case RAFT_IO_APPEND_ENTRIES_RESULT: {
      const raft_append_entries_result& content = message.append_entries_result;
      if (content.rejected == 0) steps_.acknowledged(content.last_log_index);
      context_->send(to, AppendResult{content.term, content.rejected, content.last_log_index});
      break;
    }
    case RAFT_IO_REQUEST_VOTE: {
      const raft_request_vote& content = message.request_vote;
      steps_.asked(content.term, content.pre_vote, content.disrupt_leader);
      context_->send(to,
                     RequestVote{content.term, content.candidate_id, content.last_log_index,
                                 content.last_log_term, content.disrupt_leader, content.pre_vote});
      break;
    }
    case RAFT_IO_REQUEST_VOTE_RESULT: {
      const raft_request_vote_result& content = message.request_vote_result;
      if (content.vote_granted) {
        steps_.granted(to, content.term, content.pre_vote == raft_tribool_true);
      }
      context_->send(to, VoteResult{content.term, content.vote_granted,
                                    static_cast<std::uint8_t>(content.pre_vote)});
      break;
    }
    case RAFT_IO_INSTALL_SNAPSHOT: {
      const raft_install_snapshot& content = message.install_snapshot;
      context_->send(
          to,
          InstallSnapshot{content.term, content.last_index, content.last_term, content.conf_index,
                          std::make_shared<const std::vector<Member>>(members_of(content.conf)),
                          std::make_shared<const std::vector<std::byte>>(bytes_of(content.data))});
      break;
    }
    case RAFT_IO_TIMEOUT_NOW: {
      const raft_timeout_now& content = message.timeout_now;
      steps_.handed_over(to);
      context_->send(to, TimeoutNow{content.term, content.last_log_index, content.last_log_term});
      break;
    }
    default:
      return RAFT_INVALID;
  }
  if (done != nullptr) later_.push_back([request, done] { done(request, 0); });
  return 0;
}

}  // namespace dissensus::libraft
