#include "systems/libraft/steps.h"

#include <algorithm>
#include <utility>

#include "systems/libraft/messages.h"
#include "systems/libraft/raft.h"

namespace dissensus::libraft {

namespace {

StateValue::Set set_of(const std::vector<NodeId>& nodes) {
  StateValue::Set set;
  for (const NodeId node : nodes) set.items.emplace_back(node);
  return set;
}

}  // namespace

std::vector<StepDescription> describe_steps() {
  return {{"update-term", {"term"}},
          {"step-down", {}},
          {"ask-pre", {}},
          {"grant-pre", {"candidate", "term"}},
          {"stand", {"forced"}},
          {"grant", {"candidate"}},
          {"lead", {}},
          {"hand-over", {"to"}},
          {"store", {"kind", "voters"}},
          {"accept", {"index"}},
          {"acknowledge", {"index"}},
          {"commit", {"index"}},
          {"learn", {"index"}},
          {"compact", {"index"}},
          {"install", {"index"}},
          {"load", {"base"}}};
}

void Steps::asked(std::uint64_t term, bool pre, bool forced) {
  // A request goes to several servers, and is one step.
  if (pre) {
    asked_pre_ = true;
  } else if (term > view_.term) {
    stood_ = true;
    forced_ = forced;
  }
}

void Steps::granted(NodeId candidate, std::uint64_t term, bool pre) {
  if (listening_) granted_.push_back({candidate, term, pre});
}

void Steps::report(Context& context, Step step, std::vector<StateValue> arguments) {
  context.step(static_cast<std::uint32_t>(step), arguments);
}

void Steps::forget() {
  asked_pre_ = stood_ = forced_ = false;
  granted_.clear();
  acknowledged_.clear();
  handed_.clear();
  committed_before_.clear();
  compacted_.reset();
  installed_.reset();
  loaded_.reset();
}

void Steps::tell(Context& context, const ServerView& now) {
  if (loaded_) {
    // The log may begin later than it did: what a snapshot stands for is not read again.
    view_ = now;
    view_.role = ServerView::Role::follower;
    base_ = *loaded_;
    own_acknowledged_ = 0;
    running_ = true;
    report(context, Step::load, {base_});
  } else if (!running_) {
    view_ = now;  // the first start is where the model begins
    running_ = true;
  }
  // A leader that a change removed has committed that change first.
  const bool led = view_.role == ServerView::Role::leader && now.term == view_.term;
  if (led) tell_leading(context, now);
  tell_elections(context, now);
  if (!led && now.role == ServerView::Role::leader) tell_leading(context, now);
  if (now.role != ServerView::Role::leader) tell_following(context, now);
  view_ = now;
  if (compacted_ && *compacted_ > base_) {
    base_ = *compacted_;
    report(context, Step::compact, {base_});
  }
  forget();
}

void Steps::tell_elections(Context& context, const ServerView& now) {
  if (now.term > view_.term && !stood_) {
    view_.term = now.term;
    view_.vote = 0;
    view_.role = ServerView::Role::follower;
    report(context, Step::update_term, {now.term});
  }
  if (asked_pre_) report(context, Step::ask_pre, {});
  if (stood_) {
    view_.term = now.term;
    view_.vote = server_of(self_);
    view_.role = ServerView::Role::candidate;
    report(context, Step::stand, {forced_});
  }
  for (const Granted& granted : granted_) {
    if (granted.pre) {
      report(context, Step::grant_pre, {granted.candidate, granted.term});
    } else {
      view_.vote = server_of(granted.candidate);
      report(context, Step::grant, {granted.candidate});
    }
  }
  if (now.role == ServerView::Role::follower && view_.role != now.role) {
    view_.role = now.role;
    report(context, Step::step_down, {});
  } else if (now.role == ServerView::Role::leader && view_.role != now.role) {
    view_.role = now.role;
    own_acknowledged_ = 0;
    report(context, Step::lead, {});
  }
}

void Steps::tell_leading(Context& context, const ServerView& now) {
  const std::uint64_t stored = std::min(now.stored, view_.last());
  if (stored > own_acknowledged_) {
    own_acknowledged_ = stored;
    report(context, Step::acknowledge, {stored});
  }
  tell_stored(context, now);
  tell_committed(context, now.commit);
  for (const NodeId to : std::exchange(handed_, {})) report(context, Step::hand_over, {to});
}

void Steps::tell_committed(Context& context, std::uint64_t commit) {
  if (commit <= view_.commit) return;
  view_.commit = commit;
  report(context, Step::commit, {commit});
}

void Steps::tell_stored(Context& context, const ServerView& now) {
  for (std::uint64_t index = view_.last() + 1; index <= now.last(); ++index) {
    const auto before = committed_before_.find(index);
    if (before != committed_before_.end()) tell_committed(context, before->second);
    const ServerView::Logged& entry = now.log[static_cast<std::size_t>(index - now.first)];
    view_.log.push_back(entry);
    const bool change = entry.type == RAFT_CHANGE;
    if (change) view_.voters = now.voters;
    report(context, Step::store,
           {change                       ? "change"
            : entry.type == RAFT_BARRIER ? "barrier"
                                         : "command",
            set_of(change ? now.voters : std::vector<NodeId>{})});
  }
}

void Steps::tell_following(Context& context, const ServerView& now) {
  if (installed_) {
    base_ = *installed_;
    view_.log.clear();
    view_.first = base_ + 1;
    view_.commit = base_;
    view_.voters = now.voters;
    report(context, Step::install, {base_});
  }
  if (view_.last() != now.last() || view_.log != now.log) {
    view_.first = now.first;
    view_.log = now.log;
    view_.voters = now.voters;
    view_.stored = now.stored;
    report(context, Step::accept, {now.last()});
  }
  view_.voters = now.voters;
  view_.stored = now.stored;
  for (const std::uint64_t index : acknowledged_) report(context, Step::acknowledge, {index});
  if (now.commit > view_.commit) {
    view_.commit = now.commit;
    report(context, Step::learn, {now.commit});
  }
}

StateValue::Record Steps::state() const {
  constexpr const char* kRoles[] = {"follower", "candidate", "leader"};
  StateValue::Sequence terms;
  for (const ServerView::Logged& entry : view_.log) terms.items.emplace_back(entry.term);
  StateValue::Record record;
  record.fields = {{"running", running_},
                   {"role", kRoles[static_cast<std::size_t>(view_.role)]},
                   {"term", view_.term},
                   {"vote", static_cast<std::int64_t>(view_.vote) - 1},
                   {"first", view_.first},
                   {"stored", view_.stored},
                   {"terms", std::move(terms)},
                   {"voters", set_of(view_.voters)},
                   {"base", base_},
                   {"commit", view_.commit}};
  return record;
}

}  // namespace dissensus::libraft
