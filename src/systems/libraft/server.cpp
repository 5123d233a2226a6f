// Life and death of a server, what happens to it, and what it tells.
#include "systems/libraft/server.h"

#include <chrono>

#include <fmt/format.h>

#include "core/assert.h"
#include "systems/libraft/library_values.h"

namespace dissensus::libraft {

namespace {

unsigned milliseconds_of(Duration duration) {
  return static_cast<unsigned>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

Server::Server(NodeId id, const Settings& settings, Witness& witness, Heap& heap)
    : id_(id),
      settings_(settings),
      witness_(witness),
      heap_(heap),
      client_(settings, witness),
      address_(fmt::to_string(server_of(id))),
      steps_(id) {}

// ---- life and death

void Server::launch() {
  storage_ = {};
  state_ = {};
  later_.clear();
  syncs_.clear();
  pending_.clear();
  log_.clear();
  snapshot_.reset();
  applied_ = commit_ = 0;
  started_ = false;
  raft_ = {};
  io_ = {};
  fsm_ = {};
  install_io();
  install_fsm();
  running_ = true;
  phase_ = ~std::uint32_t{0};
  ++life_;
  int result = raft_init(&raft_, &io_, &fsm_, server_of(id_), address_.c_str());
  if (result == 0) {
    raft_set_election_timeout(&raft_, milliseconds_of(settings_.election_timeout));
    raft_set_heartbeat_timeout(&raft_, milliseconds_of(settings_.heartbeat));
    raft_set_pre_vote(&raft_, settings_.pre_vote);
    raft_set_snapshot_threshold(&raft_, settings_.snapshot_threshold);
    raft_set_snapshot_trailing(&raft_, settings_.snapshot_trailing);
    result = raft_start(&raft_);
  }
  if (result != 0) {
    if (context_->logging())
      context_->log(fmt::format("does not start: {}", raft_strerror(result)));
    give_up();
  }
}

/// The instance is of no use any more: a supervisor starts another one later.
void Server::give_up() {
  if (!running_) return;
  running_ = false;
  context_->phase(kUnavailable);
  phase_ = kUnavailable;
  context_->set_timer(settings_.supervisor, kReviveTimer | life_ << 8);
}

void Server::arm_client(bool first) {
  const auto period = static_cast<std::uint64_t>(settings_.client_every.count());
  const Duration delay{static_cast<std::int64_t>(
      first ? context_->random().below(period) : period / 2 + context_->random().below(period))};
  context_->set_timer(delay, kClientTimer);
}

// ---- events

void Server::timer(Context& context, TimerId, std::uint64_t tag) {
  const Entered entered(*this, context);
  if (tag >> 8 != 0 && tag >> 8 != life_) return;
  switch (tag & 0xFF) {
    case kTickTimer:
      if (!running_) return;
      arm_tick(settings_.heartbeat);
      tick_(&io_);
      break;
    case kClientTimer:
      if (settings_.client_every > Duration{}) {
        if (client_.idle()) client_.draw(context);
        arm_client(false);
      } else if (!client_.idle()) {
        context.set_timer(settings_.client_timeout / 4, kClientTimer);
      }
      call_leader();
      break;
    case kReviveTimer:
      launch();
      break;
    case kWorkTimer: {
      if (!running_ || work_.first == nullptr) return;
      const auto [request, done] = std::exchange(work_, {});
      done(request, request->work(request));
      break;
    }
    default:
      break;
  }
}

void Server::submit(Context& context, const Request& request) {
  const Entered entered(*this, context);
  const auto& asked = dynamic_cast<const WorkloadRequest&>(request);
  client_.add(asked.operation(), asked.argument());
  call_leader();
  if (settings_.client_every == Duration{}) {
    // Without a client of its own a server asks again until the time is up.
    context.set_timer(settings_.client_timeout / 4, kClientTimer);
  }
}

void Server::disk_done(Context& context, const DiskCompletion& completion) {
  const Entered entered(*this, context);
  const auto found = syncs_.find(completion.tag);
  if (found == syncs_.end()) return;  // of an instance that gave up
  const SyncDone done = std::move(found->second);
  syncs_.erase(found);
  if (running_) done(code_of(completion.status));
}

// ---- reports

std::uint64_t Server::term_at(std::uint64_t index) const {
  if (index + 1 == first_index_) return before_first_term_;
  if (index < first_index_ || index - first_index_ >= log_.size()) return 0;
  return log_[static_cast<std::size_t>(index - first_index_)].term;
}

/// The event has been handled; what had to wait for that comes now, and then what is to be told.
void Server::finish() {
  for (int rounds = 0; running_ && !later_.empty(); ++rounds) {
    DISSENSUS_ASSERT(rounds < 1'000'000, "libraft : a server answers itself without end");
    const std::function<void()> next = std::move(later_.front());
    later_.pop_front();
    next();
  }
  if (!running_ || !started_) return;
  if (context_->stepping()) steps_.tell(*context_, view());
  report();
}

/// A candidate that only asks whether it would be elected is none yet.
ServerView Server::view() const {
  ServerView view;
  const bool stands = raft_.state == RAFT_CANDIDATE && !raft_.candidate_state.in_pre_vote;
  view.role = raft_.state == RAFT_LEADER ? ServerView::Role::leader
              : stands                   ? ServerView::Role::candidate
                                         : ServerView::Role::follower;
  view.term = raft_.current_term;
  view.vote = raft_.voted_for;
  view.commit = raft_.commit_index;
  view.first = first_index_;
  view.stored = raft_.last_stored;
  for (const LogEntry& entry : log_) view.log.push_back({entry.term, entry.type});
  for (unsigned i = 0; i < raft_.configuration.n; ++i) {
    const raft_server& server = raft_.configuration.servers[i];
    if (server.role == RAFT_VOTER) view.voters.push_back(node_of(server.id));
  }
  return view;
}

void Server::report() {
  if (raft_.current_term != term_) {
    term_ = raft_.current_term;
    context_->round(term_);
  }
  if (raft_.voted_for != vote_) {
    vote_ = raft_.voted_for;
    context_->observe(kVote, static_cast<std::int64_t>(vote_));
  }
  if (raft_.state != phase_) {
    phase_ = raft_.state;
    context_->phase(phase_);
    if (phase_ == kLeader) became_leader();
  }
  if (raft_.commit_index != commit_) {
    commit_ = raft_.commit_index;
    context_->observe(kCommitIndex, static_cast<std::int64_t>(commit_));
  }
  report_applied();
  if (raft_.state == RAFT_UNAVAILABLE) give_up();
}

void Server::became_leader() {
  context_->decided(kLeaderLevel, term_, Digest{server_of(id_)});
  const std::uint64_t missing =
      witness_.missing(term_, first_index_, [this](std::uint64_t index) { return term_at(index); });
  if (missing != 0) context_->broken(kLeaderCompleteness, missing);
}

/// Entries that the state machine does not see: configurations and barriers, and what a snapshot
/// stands for.
void Server::report_applied() {
  if (applied_ + 1 < first_index_ && raft_.last_applied + 1 >= first_index_) {
    applied_ = first_index_ - 1;
  }
  while (applied_ < raft_.last_applied) {
    const std::uint64_t index = ++applied_;
    if (index < first_index_ || index - first_index_ >= log_.size()) continue;
    const LogEntry& entry = log_[static_cast<std::size_t>(index - first_index_)];
    if (entry.type == RAFT_COMMAND) continue;  // told when it was applied
    context_->decided(kEntryLevel, index, entry.content);
    witness_.applied(index, entry.term, raft_.current_term);
  }
}

std::unique_ptr<Node> make_server(NodeId id, const Settings& settings, Witness& witness,
                                  Heap& heap) {
  return std::make_unique<Server>(id, settings, witness, heap);
}

}  // namespace dissensus::libraft
