#include <algorithm>
#include <tuple>

#include "systems/vsr/node.h"

namespace dissensus::vsr {

void Replica::enter_view(Context& context, std::uint64_t view) {
  view_ = view;
  last_normal_ = view;
  promised_ = std::max(promised_, view);
  status_ = Status::normal;
  acknowledged_.clear();
  starters_.clear();
  changes_.clear();
  sent_change_ = false;
  heard_ = context.now();
  // No two replicas lose patience at once.
  patience_ = settings_.view_timeout +
              Duration{context.random().between(0, settings_.view_timeout.count() / 2)};
  context.round(view_);
  context.phase(leads() ? kPrimary : kBackup);
  report(context);
}

void Replica::begin_view_change(Context& context, std::uint64_t view) {
  if (makes(Mistake::view_as_normal)) last_normal_ = view_;
  view_ = view;
  promised_ = std::max(promised_, view);
  status_ = Status::view_change;
  starters_.clear();
  if (!makes(Mistake::old_changes)) changes_.clear();
  sent_change_ = false;
  heard_ = context.now();
  context.round(view_);
  context.phase(kViewChange);
  report(context);
  context.broadcast(StartViewChange{view_});
  if (settings_.faulty() == 0) send_log_to_new_primary(context);
}

void Replica::on_start_view_change(Context& context, NodeId from, const StartViewChange& start) {
  if (status_ == Status::recovering || start.view < view_) return;
  if (start.view > view_) begin_view_change(context, start.view);
  if (status_ != Status::view_change) return;
  starters_[from] = true;
  if (starters_.size() >= settings_.faulty()) send_log_to_new_primary(context);
}

void Replica::send_log_to_new_primary(Context& context) {
  if (sent_change_) return;
  sent_change_ = true;
  DoViewChange change{view_, last_normal_, commit_, shared_log()};
  const NodeId primary = primary_of(view_);
  if (primary == id_) {
    changes_[id_] = std::move(change);
    begin_view_if_complete(context);
  } else {
    context.send(primary, std::move(change));
  }
}

void Replica::on_do_view_change(Context& context, NodeId from, const DoViewChange& change) {
  if (status_ == Status::recovering) return;
  if (change.view < view_ && !makes(Mistake::old_changes)) return;
  if (change.view > view_) begin_view_change(context, change.view);
  if (status_ != Status::view_change || primary_of(view_) != id_) return;
  changes_[from] = change;
  begin_view_if_complete(context);
}

void Replica::begin_view_if_complete(Context& context) {
  const std::size_t needed = settings_.faulty() + (makes(Mistake::small_view_change) ? 0 : 1);
  if (changes_.find(id_) == changes_.end() || changes_.size() < needed) return;
  const auto merit = [this](const DoViewChange& candidate) {
    const std::uint64_t first = makes(Mistake::longest_log)      ? 0
                                : makes(Mistake::most_committed) ? candidate.commit
                                                                 : candidate.last_normal;
    return std::tuple(first, candidate.log->size());
  };
  const DoViewChange* best = nullptr;
  std::uint64_t commit = 0;
  for (const auto& [from, change] : changes_) {
    if (best == nullptr || merit(*best) < merit(change)) best = &change;
    commit = std::max(commit, change.commit);
  }
  if (makes(Mistake::own_log)) best = &changes_.at(id_);
  take_log(Log(*best->log));
  enter_view(context, view_);
  context.broadcast(StartView{view_, commit, shared_log()});
  sent_ = context.now();
  commit_up_to(context, commit);
  commit_acknowledged(context);
  report(context);
}

void Replica::on_start_view(Context& context, const StartView& start) {
  if (status_ == Status::recovering || start.view < view_) return;
  if (start.view == view_ && status_ == Status::normal && !makes(Mistake::repeats_view)) return;
  Log log = *start.log;
  if (makes(Mistake::keeps_tail) && log_.size() > log.size()) {
    log.insert(log.end(), log_.begin() + static_cast<std::ptrdiff_t>(log.size()), log_.end());
  }
  take_log(log);
  enter_view(context, start.view);
  commit_up_to(context, makes(Mistake::commits_new_log) ? log_.size() : start.commit);
  if (commit_ < log_.size()) acknowledge(context);
  report(context);
}

void Replica::take_log(const Log& log) {
  log_ = log;
  asked_.clear();
  for (const Operation& operation : log_) {
    std::uint64_t& highest = asked_[operation.client];
    highest = std::max(highest, operation.number);
  }
}

}  // namespace dissensus::vsr
