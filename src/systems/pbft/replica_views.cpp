// View changes (OSDI '99, section 4.4): when a replica gives up on a primary, and how the next one
// begins.
#include <algorithm>

#include "systems/pbft/replica.h"

namespace dissensus::pbft {

namespace {
/// Enough for any delay of a run, and no shift beyond the clock.
constexpr std::uint64_t kBackoffMax = 16;
}  // namespace

/// The clock runs while a request waits, or while a quorum waits for the new primary.
void Replica::watch(Context& context) {
  if (view_timer_runs_) return;
  if (disk_.active) {
    const bool waits = std::any_of(disk_.pending.begin(), disk_.pending.end(),
                                   [](const auto& request) { return request.has_value(); });
    if (!waits) return;
  } else {
    if (wanted_changes().size() < settings_.quorum()) return;
  }
  const std::uint64_t doublings =
      settings_.has(Bug::constant_timeout) ? 0 : std::min(disk_.backoff, kBackoffMax);
  view_timer_ = context.set_timer(settings_.view_timeout * (std::int64_t{1} << doublings),
                                  static_cast<std::uint64_t>(Alarm::view));
  view_timer_runs_ = true;
}

void Replica::unwatch(Context& context) {
  if (view_timer_runs_) context.cancel_timer(view_timer_);
  view_timer_runs_ = false;
}

void Replica::change_view(Context& context, std::uint64_t view) {
  unwatch(context);
  disk_.view = view;
  disk_.active = false;
  disk_.new_view.reset();
  ++disk_.backoff;
  ++disk_.view_changes;
  context.phase(kViewChangePhase);
  context.observe(kViewObservable, static_cast<std::int64_t>(view));
  context.observe(kViewChangesObservable, disk_.view_changes);
  ViewChange change{view, id_, disk_.stable, disk_.log.certificates(disk_.stable.sequence)};
  disk_.changes[id_] = change;
  context.broadcast(std::move(change));
  gather_changes(context);
}

void Replica::on_view_change(Context& context, const ViewChange& change) {
  if (change.replica >= settings_.nodes || !is_valid(change, settings_)) return;
  std::optional<ViewChange>& known = disk_.changes[change.replica];
  if (known && known->view > change.view) return;
  std::size_t& messages = disk_.change_messages[change.replica];
  messages = known && known->view == change.view ? messages + 1 : 1;
  if (messages > 1 && !settings_.has(Bug::votes_repeated)) return;
  known = change;
  follow_others(context);
  gather_changes(context);
}

/// Section 4.5.2: f + 1 others have left this view, so a correct one has, and the timer need not
/// end for this replica to follow.
void Replica::follow_others(Context& context) {
  std::size_t ahead = 0;
  std::uint64_t smallest = ~std::uint64_t{0};
  for (NodeId replica = 0; replica < settings_.nodes; ++replica) {
    const std::optional<ViewChange>& change = disk_.changes[replica];
    if (replica == id_ || !change || change->view <= disk_.view) continue;
    ++ahead;
    smallest = std::min(smallest, change->view);
  }
  if (ahead > settings_.faulty()) change_view(context, smallest);
}

void Replica::gather_changes(Context& context) {
  if (disk_.active) return;
  watch(context);
  if (!is_primary() || disk_.new_view) return;
  NewView new_view{disk_.view, wanted_changes(), {}};
  if (new_view.changes.size() < settings_.quorum()) return;
  new_view.proposals = start_of(new_view.changes, settings_).proposals;
  disk_.new_view = new_view;
  context.broadcast(new_view);
  enter_view(context, new_view);
}

std::vector<ViewChange> Replica::wanted_changes() const {
  std::vector<ViewChange> result;
  for (NodeId replica = 0; replica < settings_.nodes; ++replica) {
    const std::optional<ViewChange>& change = disk_.changes[replica];
    if (!change || change->view != disk_.view) continue;
    const bool counts_messages = settings_.has(Bug::votes_repeated) && replica != id_;
    result.insert(result.end(), counts_messages ? disk_.change_messages[replica] : 1, *change);
  }
  return result;
}

void Replica::on_new_view(Context& context, NodeId from, const NewView& new_view) {
  if (from != settings_.primary(new_view.view) || new_view.view < disk_.view ||
      (new_view.view == disk_.view && disk_.active) || new_view.view == 0 ||
      !is_valid(new_view, settings_)) {
    return;
  }
  enter_view(context, new_view);
}

void Replica::enter_view(Context& context, const NewView& new_view) {
  unwatch(context);
  disk_.view = new_view.view;
  disk_.active = true;
  context.phase(kNormalPhase);
  context.observe(kViewObservable, static_cast<std::int64_t>(disk_.view));
  const Start start = start_of(new_view.changes, settings_);
  disk_.assigned = settings_.has(Bug::sequence_reuse) ? start.stable.sequence : start.last;
  if (start.stable.sequence > disk_.executed) learn_of(start.stable);
  for (const Proposal& proposal : new_view.proposals) {
    if (!is_inside(proposal.sequence)) continue;
    if (is_primary()) {
      context.proposed(kOrderLevel, proposal.sequence, Digest{proposal.request});
    }
    accept(context, {disk_.view, proposal.sequence, proposal.request});
  }
  // What overtook the new view.
  std::vector<PrePrepare> early;
  for (const auto& [sequence, slot] : disk_.log.slots()) {
    if (slot.early && slot.early->view == disk_.view) early.push_back(*slot.early);
  }
  for (const PrePrepare& message : early) {
    on_pre_prepare(context, settings_.primary(message.view), message);
  }
  watch(context);
  assign_pending(context);
}

}  // namespace dissensus::pbft
