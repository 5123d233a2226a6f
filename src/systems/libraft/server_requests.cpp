// The state machine, and what clients want of it.
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "systems/libraft/library_values.h"
#include "systems/libraft/server.h"

namespace dissensus::libraft {

// ---- the state machine

void Server::install_fsm() {
  fsm_.version = 3;
  fsm_.data = this;
  fsm_.apply = [](raft_fsm* fsm, const raft_buffer* command, void** result) {
    *result = nullptr;
    return self(fsm).apply(*command);
  };
  // The state as of now is copied at once; what takes time is done by snapshot_async.
  fsm_.snapshot = [](raft_fsm* fsm, raft_buffer** buffers, unsigned* count) {
    return self(fsm).make_snapshot(buffers, count);
  };
  fsm_.restore = [](raft_fsm* fsm, raft_buffer* data) { return self(fsm).restore(data); };
  fsm_.snapshot_finalize = [](raft_fsm*, raft_buffer** buffers, unsigned* count) {
    for (unsigned i = 0; *buffers != nullptr && i < *count; ++i) raft_free((*buffers)[i].base);
    raft_free(*buffers);
    *buffers = nullptr;
    *count = 0;
    return 0;
  };
  fsm_.snapshot_async = [](raft_fsm*, raft_buffer**, unsigned*) { return 0; };
}

int Server::apply(const raft_buffer& command) {
  report_applied();  // up to here, so that everything is told in order
  state_.index = raft_.last_applied + 1;
  const Digest content = digest_of(RAFT_COMMAND, command.base, command.len);
  state_.chain = DigestBuilder().add(state_.chain).add(content).finish();
  ++state_.commands;
  // What the state machine gets is what counts, whatever the log says.
  if (state_.index == applied_ + 1) {
    ++applied_;
    context_->decided(kEntryLevel, state_.index, content);
    witness_.applied(state_.index, term_at(state_.index), raft_.current_term);
  }
  witness_.state_after(state_.index, state_.chain);
  return 0;
}

int Server::make_snapshot(raft_buffer** buffers, unsigned* count) {
  static_assert(std::is_trivially_copyable_v<State>);
  *count = 1;
  *buffers = static_cast<raft_buffer*>(raft_malloc(sizeof(raft_buffer)));
  (*buffers)[0] = {raft_malloc(sizeof(State)), sizeof(State)};
  std::memcpy((*buffers)[0].base, &state_, sizeof(State));
  return 0;
}

int Server::restore(raft_buffer* data) {
  if (data->len != sizeof(State)) return RAFT_MALFORMED;
  std::memcpy(&state_, data->base, sizeof(State));
  raft_free(data->base);
  if (state_.commands > 0 && !witness_.state_after(state_.index, state_.chain)) {
    context_->broken(kSnapshotState, state_.index);
  }
  return 0;
}

// ---- clients

std::uint64_t Server::leader() {
  if (!running_ || !started_) return 0;
  raft_id id = 0;
  const char* address = nullptr;
  raft_leader(&raft_, &id, &address);
  return id;
}

void Server::call_leader() {
  const std::optional<Client::Call> call = client_.next(*context_, leader());
  if (!call) return;
  const NodeId to = node_of(call->server);
  if (to == id_) {
    execute(id_, call->request);
  } else {
    context_->send(to, call->request);
  }
}

void Server::answer(NodeId client, const ClientReply& reply) {
  if (client == id_) {
    client_.answered(*context_, reply);
  } else {
    context_->send(client, reply);
  }
}

void Server::execute(NodeId client, const ClientRequest& request) {
  if (!running_ || !started_ || raft_state(&raft_) != RAFT_LEADER) {
    const std::uint64_t hint = leader();
    answer(client, {request.number, 0, hint == server_of(id_) ? 0 : hint, RAFT_NOTLEADER});
    return;
  }
  auto owned = std::make_unique<Pending>();
  Pending& pending = *owned;
  pending.server = this;
  pending.client = client;
  pending.number = request.number;
  pending.operation = request.operation;
  pending_.emplace(&pending, std::move(owned));
  const int result = submit_to_library(pending, request.argument);
  if (result != 0) complete(&pending, result, 0);
}

int Server::submit_to_library(Pending& pending, std::uint64_t argument) {
  const raft_id server = argument >> 8;
  const auto changed = [](raft_change* change, int status) {
    auto* const done = static_cast<Pending*>(change->data);
    done->server->complete(done, status, 0);
  };
  switch (pending.operation) {
    case Operation::command: {
      pending.apply = {};
      pending.apply.data = &pending;
      raft_buffer command{raft_malloc(sizeof argument), sizeof argument};
      std::memcpy(command.base, &argument, sizeof argument);
      const int result = raft_apply(&raft_, &pending.apply, &command, 1,
                                    [](struct raft_apply* apply, int status, void*) {
                                      auto* const done = static_cast<Pending*>(apply->data);
                                      done->server->complete(done, status, apply->index);
                                    });
      if (result != 0) raft_free(command.base);
      return result;
    }
    case Operation::read:
      pending.barrier = {};
      pending.barrier.data = &pending;
      return raft_barrier(&raft_, &pending.barrier, [](struct raft_barrier* barrier, int status) {
        auto* const done = static_cast<Pending*>(barrier->data);
        done->server->complete(done, status, done->server->state_.index);
      });
    case Operation::add:
      pending.change = {&pending, nullptr};
      return raft_add(&raft_, &pending.change, server, fmt::to_string(server).c_str(), changed);
    case Operation::assign:
      pending.change = {&pending, nullptr};
      return raft_assign(&raft_, &pending.change, server, static_cast<int>(argument & 0xFF),
                         changed);
    case Operation::remove:
      pending.change = {&pending, nullptr};
      return raft_remove(&raft_, &pending.change, server, changed);
    case Operation::transfer:
      pending.transfer = {};
      pending.transfer.data = &pending;
      return raft_transfer(&raft_, &pending.transfer, server, [](struct raft_transfer* transfer) {
        auto* const done = static_cast<Pending*>(transfer->data);
        done->server->complete(done, 0, 0);
      });
  }
  return RAFT_INVALID;
}

void Server::complete(Pending* pending, int status, std::uint64_t index) {
  const auto found = pending_.find(pending);
  if (found == pending_.end()) return;
  const std::unique_ptr<Pending> done = std::move(found->second);
  pending_.erase(found);
  // Only "not leader" and "leadership lost" are worth another try elsewhere; what the library
  // refuses for good, such as a second change at a time, is over.
  const bool retry = status == RAFT_NOTLEADER || status == RAFT_LEADERSHIPLOST;
  const bool change = done->operation != Operation::command && done->operation != Operation::read;
  answer(done->client, {done->number, index, 0, change && !retry ? 0 : status});
}

}  // namespace dissensus::libraft
