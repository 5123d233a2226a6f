#include <algorithm>

#include "systems/vsr/node.h"

namespace dissensus::vsr {

// ---- state transfer

/// True: a message of this view's primary is for this replica as it is. A later view is asked for.
bool Replica::follows(Context& context, NodeId from, std::uint64_t view) {
  if (status_ == Status::view_change && view == last_normal_ && makes(Mistake::returns_to_view)) {
    enter_view(context, view);
  }
  if (status_ == Status::recovering || view < view_) return false;
  if (view == view_ && status_ == Status::normal) {
    heard_ = context.now();
    return true;
  }
  if (makes(Mistake::transfer_forgets)) {
    take_log(Log(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(
                                                  std::min<std::size_t>(commit_, log_.size()))));
    enter_view(context, view);
  }
  ask_for_state(context, from, view);
  return false;
}

void Replica::ask_for_state(Context& context, NodeId from, std::uint64_t view) {
  const bool is_behind = view == view_ && status_ == Status::normal;
  const bool keeps_all = is_behind || makes(Mistake::transfer_keeps_tail);
  context.send(from, GetState{view, keeps_all ? log_.size() : commit_});
}

void Replica::on_get_state(Context& context, NodeId from, const GetState& get) {
  const bool tells = status_ == Status::normal ||
                     (status_ == Status::view_change && makes(Mistake::tells_in_view_change));
  if (!tells || get.view != view_ || get.after > log_.size()) return;
  const auto begin = log_.begin() + static_cast<std::ptrdiff_t>(get.after);
  context.send(from,
               NewState{view_, get.after, commit_, std::make_shared<const Log>(begin, log_.end())});
}

void Replica::on_new_state(Context& context, const NewState& state) {
  if (status_ == Status::recovering || state.view < view_) return;
  const bool is_same_view = state.view == view_ && status_ == Status::normal;
  // Of another view, only what is committed is sure to be a part of the log.
  const bool keeps_all = is_same_view || makes(Mistake::transfer_keeps_tail);
  const std::uint64_t sure = keeps_all ? log_.size() : commit_;
  if (state.after > sure || state.after > log_.size()) return;
  if (is_same_view && state.after + state.log->size() <= log_.size()) return;
  Log log(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(state.after));
  log.insert(log.end(), state.log->begin(), state.log->end());
  take_log(log);
  if (!is_same_view) {
    const std::uint64_t last_normal = last_normal_;
    enter_view(context, state.view);
    if (makes(Mistake::transfer_not_normal)) last_normal_ = last_normal;
  }
  acknowledge(context);
  commit_up_to(context, state.commit);
  report(context);
}

// ---- recovery

void Replica::ask_for_recovery(Context& context) {
  context.broadcast(Recovery{nonce_});
}

void Replica::on_recovery(Context& context, NodeId from, const Recovery& recovery) {
  if (status_ != Status::normal) return;
  const bool tells = leads() || makes(Mistake::any_recovery_log);
  context.send(from, RecoveryResponse{view_, recovery.nonce, commit_, leads(),
                                      tells ? shared_log() : std::make_shared<const Log>()});
}

void Replica::on_recovery_response(Context& context, NodeId from,
                                   const RecoveryResponse& response) {
  if (status_ != Status::recovering || response.view < promised_) return;
  if (response.nonce != nonce_ && !makes(Mistake::nonce_ignored)) return;
  responses_[from] = response;
  if (makes(Mistake::one_recovery_answer) && response.is_primary) {
    finish_recovery(context, RecoveryResponse(response));
    return;
  }
  if (responses_.size() < settings_.faulty() + 1) return;
  std::uint64_t latest = 0;
  const RecoveryResponse* longest = nullptr;
  for (const auto& [node, known] : responses_) {
    latest = std::max(latest, known.view);
    if (longest == nullptr || known.log->size() > longest->log->size()) longest = &known;
  }
  if (makes(Mistake::any_recovery_log)) {
    RecoveryResponse source = *longest;
    source.view = latest;
    finish_recovery(context, source);
    return;
  }
  const auto primary = responses_.find(primary_of(latest));
  if (primary == responses_.end() || primary->second.view != latest ||
      !primary->second.is_primary) {
    return;
  }
  finish_recovery(context, RecoveryResponse(primary->second));
}

void Replica::finish_recovery(Context& context, const RecoveryResponse& source) {
  responses_.clear();
  take_log(*source.log);
  enter_view(context, source.view);
  commit_up_to(context, source.commit);
  report(context);
}

}  // namespace dissensus::vsr
