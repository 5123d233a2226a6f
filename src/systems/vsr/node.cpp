#include "systems/vsr/node.h"

#include <algorithm>

namespace dissensus::vsr {

void Replica::start(Context& context) {
  promised_ = view_;
  enter_view(context, 0);
  context.set_timer(settings_.heartbeat, kTick);
  // Clients begin one after another.
  context.set_timer(settings_.client_every / 2 + settings_.client_every * id_ / 8, kAsk);
}

void Replica::restart(Context& context, const Node& before) {
  const auto& old = dynamic_cast<const Replica&>(before);
  // The client is a machine of its own and has lost nothing.
  own_number_ = old.own_number_;
  waits_ = old.waits_;
  const bool forgets = makes(Mistake::forgets_view) || makes(Mistake::one_recovery_answer);
  promised_ = forgets ? 0 : old.promised_;
  heard_ = context.now();
  context.set_timer(settings_.heartbeat, kTick);
  context.set_timer(settings_.client_every, kAsk);
  if (makes(Mistake::forgetful_restart)) {
    enter_view(context, promised_);
    return;
  }
  status_ = Status::recovering;
  context.phase(kRecovering);
  nonce_ = context.random().next();
  report(context);
  ask_for_recovery(context);
}

void Replica::receive(Context& context, NodeId from, const Message& message) {
  if (const auto* request = message.get<ClientRequest>()) {
    on_request(context, request->operation);
  } else if (const auto* reply = message.get<Reply>()) {
    on_reply(context, *reply);
  } else if (const auto* prepare = message.get<Prepare>()) {
    on_prepare(context, from, *prepare);
  } else if (const auto* ok = message.get<PrepareOk>()) {
    on_prepare_ok(context, from, *ok);
  } else if (const auto* commit = message.get<Commit>()) {
    on_commit(context, from, *commit);
  } else if (const auto* begin = message.get<StartViewChange>()) {
    on_start_view_change(context, from, *begin);
  } else if (const auto* change = message.get<DoViewChange>()) {
    on_do_view_change(context, from, *change);
  } else if (const auto* view = message.get<StartView>()) {
    on_start_view(context, *view);
  } else if (const auto* get = message.get<GetState>()) {
    on_get_state(context, from, *get);
  } else if (const auto* state = message.get<NewState>()) {
    on_new_state(context, *state);
  } else if (const auto* recovery = message.get<Recovery>()) {
    on_recovery(context, from, *recovery);
  } else if (const auto* response = message.get<RecoveryResponse>()) {
    on_recovery_response(context, from, *response);
  }
}

void Replica::timer(Context& context, TimerId /*timer*/, std::uint64_t tag) {
  if (tag == kAsk) {
    ask(context);
  } else {
    tick(context);
    context.set_timer(settings_.heartbeat, kTick);
  }
}

void Replica::tick(Context& context) {
  if (status_ == Status::recovering) {
    ask_for_recovery(context);
  } else if (leads()) {
    if (context.now() - sent_ >= settings_.heartbeat) {
      // What got lost is sent again, one operation at a time.
      if (commit_ < log_.size()) {
        context.broadcast(Prepare{view_, commit_ + 1, commit_, log_[commit_]});
      } else {
        context.broadcast(Commit{view_, commit_});
      }
      sent_ = context.now();
    }
  } else if (context.now() - heard_ > patience_) {
    begin_view_change(context, view_ + 1);
  }
}

// ---- the client

void Replica::ask(Context& context) {
  if (!waits_) {
    waits_ = true;
    const Operation operation{id_, ++own_number_};
    const NodeId primary = primary_of(view_);
    if (primary == id_) {
      on_request(context, operation);
    } else {
      context.send(primary, ClientRequest{operation});
    }
  } else {
    const Operation operation{id_, own_number_};
    context.broadcast(ClientRequest{operation});
    on_request(context, operation);
  }
  context.set_timer(waits_ ? settings_.client_timeout : settings_.client_every, kAsk);
}

void Replica::on_reply(Context& /*context*/, const Reply& reply) {
  if (reply.number == own_number_) waits_ = false;
}

// ---- normal operation

bool Replica::is_known(const Operation& operation) const {
  const auto found = asked_.find(operation.client);
  return found != asked_.end() && found->second >= operation.number;
}

void Replica::on_request(Context& context, const Operation& operation) {
  if (!leads()) return;
  if (is_known(operation) && !makes(Mistake::no_client_table)) {
    const auto done = executed_.find(operation.client);
    const bool is_done = done != executed_.end() && done->second == operation.number;
    if (is_done && operation.client != id_) {
      context.send(operation.client, Reply{view_, operation.number});
    }
    return;
  }
  append(context, operation);
  context.proposed(kOperation, log_.size(), operation.digest());
  context.broadcast(Prepare{view_, log_.size(), commit_, operation});
  sent_ = context.now();
  report(context);
  commit_acknowledged(context);
}

void Replica::append(Context& /*context*/, const Operation& operation) {
  log_.push_back(operation);
  std::uint64_t& highest = asked_[operation.client];
  highest = std::max(highest, operation.number);
}

void Replica::on_prepare(Context& context, NodeId from, const Prepare& prepare) {
  const bool is_old =
      prepare.view < view_ && status_ == Status::normal && makes(Mistake::old_prepares) && !leads();
  const bool is_late = status_ == Status::view_change && prepare.view == last_normal_ &&
                       makes(Mistake::acks_in_view_change);
  if (!is_old && !is_late && !follows(context, from, prepare.view)) return;
  if (prepare.index > log_.size() + 1 && !makes(Mistake::fills_gaps)) {
    if (is_old || is_late) return;
    if (makes(Mistake::acks_gaps)) context.send(from, PrepareOk{view_, prepare.index});
    ask_for_state(context, from, view_);
    return;
  }
  if (prepare.index > log_.size()) append(context, prepare.operation);
  if (is_late) {
    context.send(from, PrepareOk{prepare.view, log_.size()});
    return;
  }
  acknowledge(context);
  if (!is_old) commit_up_to(context, prepare.commit);
  report(context);
}

void Replica::acknowledge(Context& context) {
  const NodeId primary = primary_of(view_);
  if (primary != id_) context.send(primary, PrepareOk{view_, log_.size()});
}

void Replica::on_prepare_ok(Context& context, NodeId from, const PrepareOk& ok) {
  if (!leads()) return;
  if (ok.view != view_ && !(ok.view < view_ && makes(Mistake::stale_acks))) return;
  std::uint64_t& reached = acknowledged_[from];
  reached = std::max(reached, ok.index);
  commit_acknowledged(context);
}

void Replica::commit_acknowledged(Context& context) {
  const std::size_t needed = settings_.faulty() - (makes(Mistake::small_commit) ? 1 : 0);
  const std::uint64_t before = commit_;
  for (std::uint64_t index = commit_ + 1; index <= log_.size(); ++index) {
    const auto holders = std::count_if(acknowledged_.begin(), acknowledged_.end(),
                                       [&](const auto& backup) { return backup.second >= index; });
    if (static_cast<std::size_t>(holders) < needed) break;
    commit_up_to(context, index);
  }
  if (commit_ != before) report(context);
}

void Replica::on_commit(Context& context, NodeId from, const Commit& commit) {
  if (makes(Mistake::commits_any_view) && status_ != Status::recovering && commit.view != view_) {
    commit_up_to(context, commit.commit);
  }
  if (!follows(context, from, commit.view)) return;
  if (commit.commit > log_.size()) {
    ask_for_state(context, from, view_);
    return;
  }
  commit_up_to(context, commit.commit);
  report(context);
}

void Replica::commit_up_to(Context& context, std::uint64_t commit) {
  while (commit_ < commit && commit_ < log_.size()) {
    const Operation operation = log_[commit_++];
    context.decided(kOperation, commit_, operation.digest());
    execute(context, operation);
  }
}

void Replica::execute(Context& context, const Operation& operation) {
  std::uint64_t& last = executed_[operation.client];
  if (operation.number <= last) context.broken(kAtMostOnce, commit_);
  last = std::max(last, operation.number);
  if (operation.client == id_) {
    if (operation.number == own_number_) waits_ = false;
  } else if (leads()) {
    context.send(operation.client, Reply{view_, operation.number});
  }
}

void Replica::report(Context& context) {
  const std::array<std::int64_t, 5> now{
      static_cast<std::int64_t>(view_), static_cast<std::int64_t>(log_.size()),
      static_cast<std::int64_t>(commit_), leads() ? 1 : 0, status_ == Status::recovering ? 1 : 0};
  for (std::uint32_t i = 0; i < now.size(); ++i) {
    if (now[i] != reported_[i]) context.observe(i, now[i]);
  }
  reported_ = now;
}

}  // namespace dissensus::vsr
