#include "systems/pbft/replica.h"

#include <algorithm>

#include "core/assert.h"

namespace dissensus::pbft {

Disk::Disk(const Settings& settings)
    : clients(settings.nodes),
      log(settings),
      client(settings),
      checkpoints(settings.nodes),
      pending(settings.nodes),
      changes(settings.nodes),
      change_messages(settings.nodes) {
  snapshots[0] = State{0, chain, clients};
}

Replica::Replica(const Settings& settings, NodeId id)
    : settings_(settings), id_(id), disk_(settings), next_source_(id) {}

// ---- life

void Replica::start(Context& context) {
  context.phase(kNormalPhase);
  arm(context);
}

void Replica::restart(Context& context, const Node& before) {
  const auto* earlier = dynamic_cast<const Replica*>(&before);
  DISSENSUS_ASSERT(earlier != nullptr, "Replica::restart : the same replica as before");
  disk_ = earlier->disk_;
  context.phase(disk_.active ? kNormalPhase : kViewChangePhase);
  arm(context);
  watch(context);
}

void Replica::arm(Context& context) {
  context.round(disk_.executed + 1);
  // Clients do not begin in step with each other, and neither do the replicas' reports.
  const auto part_of = [&context](Duration whole) {
    return Duration{static_cast<std::int64_t>(
        context.random().below(static_cast<std::uint64_t>(whole.count())))};
  };
  if (settings_.is_client(id_)) {
    const bool waits = disk_.client.waiting().has_value();
    context.set_timer(part_of(waits ? settings_.client_timeout : settings_.think),
                      static_cast<std::uint64_t>(waits ? Alarm::retry : Alarm::think));
  }
  context.set_timer(part_of(settings_.status_interval), static_cast<std::uint64_t>(Alarm::status));
}

void Replica::receive(Context& context, NodeId from, const Message& message) {
  if (const auto* request = message.get<Request>()) {
    on_request(context, from, *request);
  } else if (const auto* pre_prepare = message.get<PrePrepare>()) {
    on_pre_prepare(context, from, *pre_prepare);
  } else if (const auto* prepare = message.get<Prepare>()) {
    on_vote(context, from, *prepare);
  } else if (const auto* commit = message.get<Commit>()) {
    on_vote(context, from, *commit);
  } else if (const auto* reply = message.get<Reply>()) {
    on_reply(context, from, *reply);
  } else if (const auto* checkpoint = message.get<Checkpoint>()) {
    on_checkpoint(context, from, *checkpoint);
  } else if (const auto* change = message.get<ViewChange>()) {
    on_view_change(context, *change);
  } else if (const auto* new_view = message.get<NewView>()) {
    on_new_view(context, from, *new_view);
  } else if (const auto* status = message.get<Status>()) {
    on_status(context, from, *status);
  } else if (const auto* fetch = message.get<FetchState>()) {
    on_fetch_state(context, from, *fetch);
  } else if (const auto* state = message.get<State>()) {
    on_state(context, *state);
  }
}

void Replica::timer(Context& context, TimerId, std::uint64_t tag) {
  switch (static_cast<Alarm>(tag)) {
    case Alarm::think:
      ask(context);
      break;
    case Alarm::retry:
      ask_again(context);
      break;
    case Alarm::view:
      view_timer_runs_ = false;
      change_view(context, disk_.view + 1);
      break;
    case Alarm::status:
      tick(context);
      break;
  }
}

void Replica::submit(Context& context, const dissensus::Request&) {
  // A request of the workload comes on top of those that the client makes by itself.
  if (!disk_.client.waiting()) ask(context);
}

// ---- the client

void Replica::ask(Context& context) {
  if (disk_.client.waiting()) return;
  const Request request = disk_.client.next(id_);
  const NodeId primary = disk_.client.primary();
  if (primary == id_) {
    on_request(context, id_, request);
  } else {
    context.send(primary, request);
  }
  context.set_timer(settings_.client_timeout, static_cast<std::uint64_t>(Alarm::retry));
}

void Replica::ask_again(Context& context) {
  const std::optional<Request> request = disk_.client.waiting();
  if (!request) return;
  context.broadcast(*request);
  on_request(context, id_, *request);
  context.set_timer(settings_.client_timeout, static_cast<std::uint64_t>(Alarm::retry));
}

void Replica::on_reply(Context& context, NodeId from, const Reply& reply) {
  const std::optional<Digest> result = disk_.client.on_reply(from, reply);
  if (!result) return;
  context.decided(kReplyLevel, reply.timestamp << kClientBits | id_, *result);
  context.set_timer(settings_.think, static_cast<std::uint64_t>(Alarm::think));
}

// ---- the normal case (section 4.2)

void Replica::on_request(Context& context, NodeId from, const Request& request) {
  if (request.client >= settings_.nodes) return;
  const RequestId id = request.id();
  if (timestamp_of(id) <= disk_.clients[request.client].timestamp) {
    answer(context, request.client);
    return;
  }
  std::optional<RequestId>& known = disk_.pending[request.client];
  if (!known || timestamp_of(*known) < timestamp_of(id)) known = id;
  if (is_primary()) {
    assign_pending(context);
  } else if (from == request.client && settings_.primary(disk_.view) != from) {
    context.send(settings_.primary(disk_.view), request);
  }
  watch(context);
}

void Replica::assign_pending(Context& context) {
  if (!disk_.active || !is_primary()) return;
  for (const std::optional<RequestId>& request : disk_.pending) {
    if (!request || disk_.log.holds(disk_.view, *request)) continue;
    const std::uint64_t sequence = std::max(disk_.assigned, disk_.stable.sequence) + 1;
    if (!is_inside(sequence)) return;
    disk_.assigned = sequence;
    const PrePrepare message{disk_.view, sequence, *request};
    context.proposed(kOrderLevel, sequence, Digest{*request});
    context.broadcast(message);
    accept(context, message);
  }
}

void Replica::on_pre_prepare(Context& context, NodeId from, const PrePrepare& message) {
  if (from != settings_.primary(message.view) || !is_inside(message.sequence) ||
      message.request == kNullRequest || !is_signed(message.request) ||
      client_of(message.request) >= settings_.nodes) {
    return;
  }
  Slot& slot = disk_.log.slot(message.sequence);
  if (message.view > disk_.view || (message.view == disk_.view && !disk_.active)) {
    if (!slot.early || slot.early->view < message.view) slot.early = message;
    return;
  }
  if (message.view < disk_.view) return;
  if (slot.accepted && slot.accepted->view == message.view) return;
  accept(context, message);
}

void Replica::accept(Context& context, const PrePrepare& message) {
  Slot& slot = disk_.log.slot(message.sequence);
  slot.accepted = message;
  if (settings_.has(Bug::forgets_older_views) && slot.certificate &&
      slot.certificate->view < message.view) {
    slot.certificate.reset();
  }
  if (!is_primary()) {
    slot.prepares.add(message.view, message.request, id_);
    context.broadcast(Prepare{message.view, message.sequence, message.request});
  }
  if (message.request != kNullRequest) {
    const NodeId client = client_of(message.request);
    std::optional<RequestId>& known = disk_.pending[client];
    const std::uint32_t timestamp = timestamp_of(message.request);
    if (timestamp > disk_.clients[client].timestamp &&
        (!known || timestamp_of(*known) < timestamp)) {
      known = message.request;
    }
    watch(context);
  }
  advance(context, message.sequence);
}

template <class T>
void Replica::on_vote(Context& context, NodeId from, const T& vote) {
  const bool is_old = vote.view < disk_.view && !settings_.has(Bug::votes_after_leaving);
  if (!is_inside(vote.sequence) || is_old) return;
  Slot& slot = disk_.log.slot(vote.sequence);
  if constexpr (std::is_same_v<T, Prepare>) {
    if (from == settings_.primary(vote.view)) return;
    slot.prepares.add(vote.view, vote.request, from);
  } else {
    slot.commits.add(vote.view, vote.request, from);
  }
  advance(context, vote.sequence);
}

void Replica::advance(Context& context, std::uint64_t sequence) {
  Slot& slot = disk_.log.slot(sequence);
  if (!slot.accepted) return;
  const std::uint64_t view = slot.accepted->view;
  const bool takes_part = disk_.active && view == disk_.view;
  if (!takes_part && !settings_.has(Bug::votes_after_leaving)) return;
  disk_.log.note_prepared(sequence, slot);
  const bool prepared = slot.certificate && slot.certificate->view == view;
  if (prepared && slot.commit_sent != view) {
    slot.commit_sent = view;
    slot.commits.add(view, slot.accepted->request, id_);
    context.broadcast(Commit{view, sequence, slot.accepted->request});
  }
  if (disk_.log.note_committed(slot)) execute_committed(context);
}

void Replica::execute_committed(Context& context) {
  while (true) {
    const Slot* slot = disk_.log.find(disk_.executed + 1);
    if (slot == nullptr || !slot->committed) break;
    ++disk_.executed;
    execute(context, *slot->committed);
    context.round(disk_.executed + 1);
    if (disk_.executed % settings_.checkpoint_interval == 0) take_checkpoint(context);
  }
  forget_pending(context);
}

void Replica::execute(Context& context, RequestId request) {
  context.decided(kOrderLevel, disk_.executed, Digest{request});
  disk_.chain = DigestBuilder{}.add(disk_.chain).add(request).finish();
  if (request == kNullRequest) return;
  const NodeId client = client_of(request);
  ClientRecord& record = disk_.clients[client];
  if (timestamp_of(request) <= record.timestamp) return;  // exactly once
  record = {timestamp_of(request), disk_.chain};
  context.proposed(kReplyLevel, std::uint64_t{record.timestamp} << kClientBits | client,
                   record.result);
  answer(context, client);
}

void Replica::answer(Context& context, NodeId client) {
  const ClientRecord& record = disk_.clients[client];
  const Reply reply{disk_.view, record.timestamp, record.result};
  if (client == id_) {
    on_reply(context, id_, reply);
  } else {
    context.send(client, reply);
  }
}

/// Requests that were executed are no reason to change the view any more; others go on counting,
/// from now.
void Replica::forget_pending(Context& context) {
  bool forgot = false;
  for (NodeId client = 0; client < settings_.nodes; ++client) {
    std::optional<RequestId>& request = disk_.pending[client];
    if (!request || timestamp_of(*request) > disk_.clients[client].timestamp) continue;
    request.reset();
    forgot = true;
  }
  if (forgot && disk_.active) {
    unwatch(context);
    watch(context);
  }
}

}  // namespace dissensus::pbft
