// A first system: two-phase commit, with a mistake that only some message delays bring to light.
// docs/guides/two-phase-commit.md explains this file step by step.
#include <set>
#include <string>

#include "dissensus/dissensus.h"

namespace {

using namespace dissensus;

constexpr NodeId kCoordinator = 0;
constexpr Level kOutcome = 0;
constexpr std::uint64_t kAbort = 0;
constexpr std::uint64_t kCommit = 1;

struct Prepare {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t transaction;
};
struct Vote {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t transaction;
  std::uint64_t yes;
};
struct Decision {
  static constexpr MessageKind kind() { return 2; }
  std::uint64_t transaction;
  std::uint64_t outcome;
};

SystemDescription describe() {
  SystemDescription description;
  description.name = "two-phase-commit";
  description.summary = "a coordinator and participants that commit or abort together";
  description.message<Prepare>("Prepare").field("transaction", SemanticType::sequence,
                                                &Prepare::transaction);
  description.message<Vote>("Vote")
      .field("transaction", SemanticType::sequence, &Vote::transaction)
      .field("yes", SemanticType::boolean, &Vote::yes);
  description.message<Decision>("Decision")
      .field("transaction", SemanticType::sequence, &Decision::transaction)
      .field("outcome", SemanticType::value, &Decision::outcome);
  // An abort needs nobody who proposed it, so validity is not asked of this level.
  description.levels = {{.name = "outcome", .validity = false}};
  return description;
}

struct Settings {
  std::size_t participants = 3;
  std::uint64_t transactions = 1;
  Duration timeout = std::chrono::seconds(1);
  double refusal = 0;  ///< probability that a participant votes no
  bool fixed = false;
};

class Coordinator final : public Node {
 public:
  explicit Coordinator(const Settings& settings) : settings_(settings) {}

  void start(Context& context) override { begin(context); }

  void receive(Context& context, NodeId, const Message& message) override {
    const auto* vote = message.get<Vote>();
    if (vote == nullptr || vote->transaction != transaction_) return;
    if (vote->yes == 0) {
      decide(context, kAbort);
    } else if (++yes_votes_ == settings_.participants) {
      decide(context, kCommit);
    }
  }

  void timer(Context& context, TimerId, std::uint64_t transaction) override {
    if (transaction == transaction_) decide(context, kAbort);
  }

 private:
  void begin(Context& context) {
    if (transaction_ == settings_.transactions) return;
    yes_votes_ = 0;
    context.round(transaction_);
    context.proposed(kOutcome, transaction_, kCommit);
    context.broadcast(Prepare{transaction_});
    context.set_timer(settings_.timeout, transaction_);
  }

  void decide(Context& context, std::uint64_t outcome) {
    context.decided(kOutcome, transaction_, outcome);
    context.broadcast(Decision{transaction_, outcome});
    ++transaction_;
    begin(context);
  }

  const Settings& settings_;
  std::uint64_t transaction_ = 0;
  std::size_t yes_votes_ = 0;
};

class Participant final : public Node {
 public:
  explicit Participant(const Settings& settings) : settings_(settings) {}

  void start(Context&) override {}

  void receive(Context& context, NodeId, const Message& message) override {
    if (const auto* prepare = message.get<Prepare>()) {
      vote(context, prepare->transaction);
    } else if (const auto* decision = message.get<Decision>()) {
      decide(context, decision->transaction, decision->outcome);
    }
  }

  // The mistake: whoever has voted yes has given its word, and may no longer abort by itself.
  void timer(Context& context, TimerId, std::uint64_t transaction) override {
    if (decided_.contains(transaction)) return;
    if (context.logging()) context.log(std::to_string(transaction) + ": no decision in time");
    decide(context, transaction, kAbort);
  }

 private:
  void vote(Context& context, std::uint64_t transaction) {
    if (decided_.contains(transaction)) return;
    context.round(transaction);
    const bool yes = !context.random().chance(settings_.refusal);
    context.send(kCoordinator, Vote{transaction, yes ? 1u : 0u});
    if (!yes) {
      decide(context, transaction, kAbort);
    } else if (!settings_.fixed) {
      context.set_timer(settings_.timeout, transaction);
    }
  }

  void decide(Context& context, std::uint64_t transaction, std::uint64_t outcome) {
    if (decided_.insert(transaction).second) context.decided(kOutcome, transaction, outcome);
  }

  const Settings& settings_;
  std::set<std::uint64_t> decided_;
};

class TwoPhaseCommit final : public System {
 public:
  explicit TwoPhaseCommit(const Options& options) : description_(describe()) {
    settings_.participants = static_cast<std::size_t>(options.integer("participants", 3, 1, 100));
    settings_.transactions =
        static_cast<std::uint64_t>(options.integer("transactions", 1, 1, 1'000'000));
    settings_.timeout = options.duration("timeout", settings_.timeout);
    settings_.refusal = options.number("refusal", 0, 0, 1);
    settings_.fixed = options.boolean("fixed", false);
  }

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.participants + 1; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    if (id == kCoordinator) return std::make_unique<Coordinator>(settings_);
    return std::make_unique<Participant>(settings_);
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

DISSENSUS_PLUGIN(registry) {
  registry.systems.add(
      {"two-phase-commit", "a coordinator and participants that commit or abort together",
       [](const Options& options) { return std::make_unique<TwoPhaseCommit>(options); }});
}
