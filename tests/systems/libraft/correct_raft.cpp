#include "systems/libraft/correct_raft.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "systems/libraft/witness.h"

namespace dissensus::libraft {

namespace {

using std::chrono::milliseconds;

struct Command {
  std::uint64_t term = 0;
  std::uint64_t value = 0;  ///< 0: a new leader's first entry
};
using Log = std::vector<Command>;

struct Ask {  // RequestVote
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t term, last_index, last_term;
};
struct Grant {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t term, granted;
};
struct Append {
  static constexpr MessageKind kind() { return 2; }
  Digest digest() const {
    DigestBuilder builder;
    builder.add(term).add(previous).add(previous_term).add(commit);
    for (const Command& command : *entries) builder.add(command.term).add(command.value);
    return builder.finish();
  }
  std::uint64_t term, previous, previous_term, commit;
  std::shared_ptr<const Log> entries;
};
struct Appended {
  static constexpr MessageKind kind() { return 3; }
  std::uint64_t term, ok, match;
};

enum Phase : std::uint32_t { kDown, kFollower, kCandidate, kLeader };
enum Timer : std::uint64_t { kTick = 1, kClient, kRevive };

struct Settings {
  std::size_t servers = 5;
  Duration client_every = milliseconds(300);
  bool break_commit_rule = false;
};

class Server final : public Node {
 public:
  Server(NodeId id, const Settings& settings, Witness& witness)
      : id_(id), settings_(settings), witness_(witness) {}

  void start(Context& context) override {
    load(context);
    context.set_timer(Duration{static_cast<std::int64_t>(context.random().below(50'000))}, kTick);
    context.set_timer(settings_.client_every, kClient);
  }
  void restart(Context& context, const Node&) override { start(context); }

  void timer(Context& context, TimerId, std::uint64_t tag) override {
    if (tag == kRevive) {
      load(context);
      return;
    }
    context.set_timer(tag == kTick ? Duration(milliseconds(50)) : settings_.client_every, tag);
    if (phase_ == kDown) return;
    if (tag == kClient && phase_ == kLeader) {
      add(context, {term_, context.random().next() | 1});
    } else if (tag == kTick && phase_ == kLeader) {
      replicate(context);
    } else if (tag == kTick && context.now() >= election_at_) {
      campaign(context);
    }
  }

  void receive(Context& context, NodeId from, const Message& message) override {
    if (phase_ == kDown) return;
    if (const auto* ask = message.get<Ask>()) {
      on_ask(context, from, *ask);
    } else if (const auto* grant = message.get<Grant>()) {
      if (!see(context, grant->term) || phase_ != kCandidate || grant->term != term_) return;
      if (grant->granted != 0) votes_[from] = true;
      count_votes(context);
    } else if (const auto* append = message.get<Append>()) {
      on_append(context, from, *append);
    } else if (const auto* appended = message.get<Appended>()) {
      on_appended(context, from, *appended);
    }
  }

 private:
  std::uint64_t last() const { return log_.size(); }
  std::uint64_t term_at(std::uint64_t index) const {
    return index == 0 || index > last() ? 0 : log_[static_cast<std::size_t>(index - 1)].term;
  }
  Digest content(const Command& command) const {
    return DigestBuilder().add(command.value).finish();
  }

  // ---- what survives a crash: one file, written as a whole or not at all

  void load(Context& context) {
    const std::vector<std::byte> bytes = context.disk().read(0);
    const auto word = [&](std::size_t i) {
      std::uint64_t value = 0;
      if (bytes.size() >= (i + 1) * 8) std::memcpy(&value, bytes.data() + i * 8, 8);
      return value;
    };
    term_ = word(0);
    vote_ = word(1);
    log_.clear();
    for (std::uint64_t i = 0; i < word(2); ++i) {
      log_.push_back(
          {word(3 + 2 * static_cast<std::size_t>(i)), word(4 + 2 * static_cast<std::size_t>(i))});
    }
    commit_ = applied_ = 0;
    for (std::size_t i = 0; i < log_.size(); ++i) context.proposed(0, i + 1, content(log_[i]));
    context.round(term_);
    enter(context, kFollower);
  }

  /// False: it could not be stored, and the server does nothing more until it is started again.
  bool save(Context& context) {
    std::vector<std::uint64_t> words{term_, vote_, last()};
    for (const Command& command : log_) {
      words.push_back(command.term);
      words.push_back(command.value);
    }
    if (context.disk().write_through(0, 0, std::as_bytes(std::span(words))) == DiskStatus::ok) {
      return true;
    }
    enter(context, kDown);
    context.set_timer(milliseconds(500), kRevive);
    return false;
  }

  // ---- elections

  void enter(Context& context, std::uint32_t phase) {
    phase_ = phase;
    context.phase(phase);
    if (phase == kFollower || phase == kCandidate) wait(context);
  }
  void wait(Context& context) {
    election_at_ = context.now() + milliseconds(1000 + context.random().below(1000));
  }
  /// False: the server cannot go on.
  bool see(Context& context, std::uint64_t term) {
    if (term <= term_) return true;
    term_ = term;
    vote_ = 0;
    if (!save(context)) return false;
    context.round(term_);
    if (phase_ != kFollower) enter(context, kFollower);
    return true;
  }
  bool is_majority(std::size_t count) const { return 2 * count > settings_.servers; }

  void campaign(Context& context) {
    ++term_;
    vote_ = id_ + 1u;
    if (!save(context)) return;
    context.round(term_);
    enter(context, kCandidate);
    votes_.assign(settings_.servers, false);
    votes_[id_] = true;
    context.broadcast(Ask{term_, last(), term_at(last())});
    count_votes(context);
  }
  void on_ask(Context& context, NodeId from, const Ask& ask) {
    if (!see(context, ask.term)) return;
    const bool current = ask.term == term_ && (vote_ == 0 || vote_ == from + 1u);
    const std::uint64_t own = term_at(last());
    const bool complete = ask.last_term > own || (ask.last_term == own && ask.last_index >= last());
    const bool granted = current && complete;
    if (granted && vote_ == 0) {
      vote_ = from + 1u;
      if (!save(context)) return;
      if (!witness_.voted(id_, term_, vote_)) context.broken(kOneVotePerTerm, term_);
      wait(context);
    }
    context.send(from, Grant{term_, granted ? 1u : 0u});
  }
  void count_votes(Context& context) {
    if (!is_majority(static_cast<std::size_t>(std::count(votes_.begin(), votes_.end(), true))))
      return;
    enter(context, kLeader);
    context.decided(1, term_, Digest{id_ + 1u});
    const std::uint64_t missing =
        witness_.missing(term_, 1, [this](std::uint64_t index) { return term_at(index); });
    if (missing != 0) context.broken(kLeaderCompleteness, missing);
    next_.assign(settings_.servers, last() + 1);
    match_.assign(settings_.servers, 0);
    add(context, {term_, 0});
  }

  // ---- the log

  void store(Context& context, const Command& command) {
    log_.push_back(command);
    context.proposed(0, last(), content(command));
    if (last() > 1 &&
        !witness_.stored(last(), command.term, term_at(last() - 1), content(command))) {
      context.broken(kLogMatching, last());
    }
  }
  void add(Context& context, const Command& command) {
    store(context, command);
    if (!save(context)) return;
    match_[id_] = last();
    replicate(context);
    advance(context);
  }
  void replicate(Context& context) {
    for (const NodeId peer : context.peers()) {
      const std::uint64_t previous = next_[peer] - 1;
      const auto first = log_.begin() + static_cast<std::ptrdiff_t>(previous);
      context.send(peer, Append{term_, previous, term_at(previous), commit_,
                                std::make_shared<const Log>(first, log_.end())});
    }
  }
  void on_append(Context& context, NodeId from, const Append& append) {
    if (!see(context, append.term)) return;
    if (append.term < term_) {
      context.send(from, Appended{term_, 0, 0});
      return;
    }
    if (phase_ != kFollower) enter(context, kFollower);
    wait(context);
    if (append.previous > last() || term_at(append.previous) != append.previous_term) {
      context.send(from, Appended{term_, 0, std::min(last(), append.previous)});
      return;
    }
    std::uint64_t index = append.previous;
    bool changed = false;
    for (const Command& command : *append.entries) {
      ++index;
      if (index <= last() && term_at(index) == command.term) continue;
      if (index <= last()) log_.resize(static_cast<std::size_t>(index - 1));
      store(context, command);
      changed = true;
    }
    if (changed && !save(context)) return;
    context.send(from, Appended{term_, 1, index});
    if (std::min(append.commit, index) > commit_) {
      commit_ = std::min(append.commit, index);
      apply(context);
    }
  }
  void on_appended(Context& context, NodeId from, const Appended& appended) {
    if (!see(context, appended.term) || phase_ != kLeader || appended.term != term_) return;
    if (appended.ok == 0) {
      next_[from] = std::max<std::uint64_t>(1, std::min(next_[from] - 1, appended.match + 1));
      return;
    }
    match_[from] = std::max(match_[from], appended.match);
    next_[from] = std::max(next_[from], match_[from] + 1);
    advance(context);
  }
  void advance(Context& context) {
    for (std::uint64_t index = last(); index > commit_; --index) {
      const auto holders = std::count_if(match_.begin(), match_.end(),
                                         [index](std::uint64_t match) { return match >= index; });
      if (!is_majority(static_cast<std::size_t>(holders))) continue;
      // Section 5.4.2: only entries of the leader's own term are committed by counting.
      if (term_at(index) != term_ && !settings_.break_commit_rule) return;
      commit_ = index;
      apply(context);
      return;
    }
  }
  void apply(Context& context) {
    while (applied_ < commit_) {
      const Command& command = log_[static_cast<std::size_t>(applied_++)];
      context.decided(0, applied_, content(command));
      witness_.applied(applied_, command.term, term_);
    }
  }

  NodeId id_;
  const Settings& settings_;
  Witness& witness_;
  std::uint32_t phase_ = kDown;
  std::uint64_t term_ = 0;
  std::uint64_t vote_ = 0;
  Log log_;
  std::uint64_t commit_ = 0;
  std::uint64_t applied_ = 0;
  Time election_at_{};
  std::vector<bool> votes_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint64_t> match_;
};

class CorrectCluster final : public Cluster {
 public:
  explicit CorrectCluster(const Settings& settings) : settings_(settings) {}
  std::unique_ptr<Node> make_node(NodeId id) override {
    return std::make_unique<Server>(id, settings_, witness_);
  }

 private:
  const Settings& settings_;
  Witness witness_;
};

class CorrectSystem final : public System {
 public:
  explicit CorrectSystem(const Options& options) {
    settings_.servers = static_cast<std::size_t>(options.integer("servers", 5, 2, 64));
    settings_.client_every = options.table("clients").duration("every", settings_.client_every);
    settings_.break_commit_rule = options.boolean("break_commit_rule", false);
    description_.name = "correct-raft";
    description_.message<Ask>("Ask").field("term", SemanticType::round, &Ask::term);
    description_.message<Grant>("Grant").field("term", SemanticType::round, &Grant::term);
    description_.message<Append>("Append").field("term", SemanticType::round, &Append::term);
    description_.message<Appended>("Appended").field("term", SemanticType::round, &Appended::term);
    describe_invariants(description_);
    description_.levels = {{.name = "entry", .repeatable = true},
                           {.name = "leader", .validity = false, .repeatable = true}};
    description_.phases = {"unavailable", "follower", "candidate", "leader"};
    description_.anchors = {kCandidate, kLeader};
    description_.time_scale = std::chrono::seconds(1);
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.servers; }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t) const override {
    return std::make_unique<CorrectCluster>(settings_);
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

SystemEntry correct_raft_entry() {
  return {"correct-raft", "a small Raft that is right",
          [](const Options& options) { return std::make_unique<CorrectSystem>(options); }};
}

}  // namespace dissensus::libraft
