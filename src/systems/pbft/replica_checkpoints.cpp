// Checkpoints and what they let go (OSDI '99, section 4.3), state transfer to replicas that missed
// too much, and retransmission to those that missed a little (section 5 of the thesis).
#include <algorithm>

#include "systems/pbft/replica.h"

namespace dissensus::pbft {

namespace {
/// A correct replica vouches for few checkpoints at a time; a liar only drops its own.
constexpr std::size_t kCheckpointsPerReplica = 8;
/// How many numbers a replica sends votes for in answer to one status.
constexpr std::uint64_t kResent = 8;
}  // namespace

void Replica::take_checkpoint(Context& context) {
  State state{disk_.executed, disk_.chain, disk_.clients};
  const Checkpoint checkpoint{disk_.executed, state.digest()};
  disk_.snapshots[disk_.executed] = std::move(state);
  disk_.backoff = 0;  // this view works
  context.decided(kCheckpointLevel, checkpoint.sequence, checkpoint.state);
  context.broadcast(checkpoint);
  if (settings_.has(Bug::early_collection)) disk_.log.collect(disk_.executed);
  on_checkpoint(context, id_, checkpoint);
}

void Replica::on_checkpoint(Context& context, NodeId from, const Checkpoint& checkpoint) {
  if (checkpoint.sequence <= disk_.stable.sequence ||
      checkpoint.sequence % settings_.checkpoint_interval != 0) {
    return;
  }
  std::map<std::uint64_t, Digest>& votes = disk_.checkpoints[from];
  votes[checkpoint.sequence] = checkpoint.state;
  if (votes.size() > kCheckpointsPerReplica) votes.erase(votes.begin());
  look_for_stable(context, checkpoint);
}

Mask Replica::supporters(const Checkpoint& checkpoint) const {
  Mask result = 0;
  for (NodeId replica = 0; replica < settings_.nodes; ++replica) {
    const auto vote = disk_.checkpoints[replica].find(checkpoint.sequence);
    if (vote != disk_.checkpoints[replica].end() && vote->second == checkpoint.state) {
      result |= mask_of(replica);
    }
  }
  return result;
}

void Replica::look_for_stable(Context& context, const Checkpoint& checkpoint) {
  const StableCheckpoint stable{checkpoint.sequence, checkpoint.state, supporters(checkpoint)};
  if (size_of(stable.signers) < settings_.quorum()) return;
  if (disk_.executed >= stable.sequence) {
    make_stable(context, stable);
  } else {
    learn_of(stable);
  }
}

void Replica::make_stable(Context& context, const StableCheckpoint& stable) {
  if (stable.sequence <= disk_.stable.sequence) return;
  disk_.stable = stable;
  disk_.log.collect(stable.sequence);
  disk_.snapshots.erase(disk_.snapshots.begin(), disk_.snapshots.lower_bound(stable.sequence));
  for (std::map<std::uint64_t, Digest>& votes : disk_.checkpoints) {
    votes.erase(votes.begin(), votes.upper_bound(stable.sequence));
  }
  if (disk_.ahead && disk_.ahead->sequence <= stable.sequence) disk_.ahead.reset();
  assign_pending(context);
}

void Replica::learn_of(const StableCheckpoint& stable) {
  if (!disk_.ahead || disk_.ahead->sequence < stable.sequence) disk_.ahead = stable;
}

/// Once per interval: how far this replica is, and a request for the state that it cannot reach by
/// itself any more.
void Replica::tick(Context& context) {
  context.broadcast(Status{disk_.view, disk_.executed, disk_.stable.sequence,
                           disk_.active ? std::uint64_t{1} : 0});
  if (disk_.ahead && disk_.ahead->sequence > disk_.executed) {
    do {
      next_source_ = static_cast<NodeId>((next_source_ + 1u) % settings_.nodes);
    } while (next_source_ == id_);
    context.send(next_source_, FetchState{disk_.ahead->sequence});
  }
  context.set_timer(settings_.status_interval, static_cast<std::uint64_t>(Alarm::status));
}

void Replica::on_status(Context& context, NodeId from, const Status& status) {
  if (status.stable < disk_.stable.sequence) {
    context.send(from, Checkpoint{disk_.stable.sequence, disk_.stable.state});
  }
  if (status.executed >= status.stable + settings_.window) vouch_again(context, from);
  const bool waits = status.view == disk_.view && status.active == 0;
  if (status.view < disk_.view || waits) {
    if (disk_.new_view && disk_.active) {
      context.send(from, *disk_.new_view);
    } else if (disk_.changes[id_] && disk_.changes[id_]->view == disk_.view) {
      context.send(from, *disk_.changes[id_]);
    }
  }
  if (status.view == disk_.view && disk_.active && status.active != 0) {
    send_votes(context, from, status.executed);
  }
}

/// To one that has filled its window: if votes for checkpoints were lost, nobody can go on.
void Replica::vouch_again(Context& context, NodeId to) {
  for (auto own = disk_.snapshots.upper_bound(disk_.stable.sequence); own != disk_.snapshots.end();
       ++own) {
    context.send(to, Checkpoint{own->first, own->second.digest()});
  }
}

void Replica::send_votes(Context& context, NodeId to, std::uint64_t above) {
  for (const auto& [sequence, slot] : disk_.log.slots()) {
    if (sequence <= above || !slot.accepted || slot.accepted->view != disk_.view) continue;
    if (sequence > above + kResent) break;
    const RequestId request = slot.accepted->request;
    if (!is_primary()) {
      context.send(to, Prepare{disk_.view, sequence, request});
    } else if (request != kNullRequest) {
      context.send(to, PrePrepare{disk_.view, sequence, request});
    }
    if (slot.commit_sent == disk_.view) context.send(to, Commit{disk_.view, sequence, request});
  }
}

void Replica::on_fetch_state(Context& context, NodeId from, const FetchState& fetch) {
  // The newest that is not older than asked: the asker checks it against what it knows.
  const auto found = disk_.snapshots.lower_bound(fetch.sequence);
  if (found != disk_.snapshots.end()) context.send(from, found->second);
}

void Replica::on_state(Context& context, const State& state) {
  if (!disk_.ahead || state.sequence != disk_.ahead->sequence || state.sequence <= disk_.executed ||
      state.digest() != disk_.ahead->state || state.clients.size() != settings_.nodes) {
    return;
  }
  const StableCheckpoint stable = *disk_.ahead;
  disk_.executed = state.sequence;
  disk_.chain = state.chain;
  disk_.clients = state.clients;
  disk_.snapshots[state.sequence] = state;
  context.decided(kCheckpointLevel, stable.sequence, stable.state);
  context.round(disk_.executed + 1);
  make_stable(context, stable);
  execute_committed(context);
}

}  // namespace dissensus::pbft
