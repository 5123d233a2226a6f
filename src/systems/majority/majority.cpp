#include "systems/majority/majority.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace dissensus::majority {

namespace {

struct Proposal {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t value;
  std::uint64_t round;
};
struct Commit {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t value;
  std::uint64_t round;
};

constexpr Level kOutcome = 0;
constexpr std::uint32_t kVoting = 0;
constexpr std::uint32_t kStopped = 1;
/// "Decides to move on to the next round" is a decision too, and differs from every value.
const Digest kMoveOn{0xFFFF'FFFF'FFFF'FFFFULL};

struct Settings {
  std::vector<std::uint64_t> values;  ///< initial value per node
  std::uint64_t rounds = 1;
  bool fixed = false;  ///< without the bug: a commit is taken at its word
};

/// Thesis Algorithm 1, line by line; the loop's "while" becomes a check after each message.
class MajorityNode final : public Node {
 public:
  MajorityNode(NodeId id, const Settings& settings)
      : settings_(settings), value_(settings.values[id]) {}

  void start(Context& context) override { begin_round(context); }

  void receive(Context& context, NodeId, const Message& message) override {
    if (const auto* proposal = message.get<Proposal>()) {
      if (proposal->round == round_ && !finished_) {
        ++votes_[proposal->value];
        decide_on_majority(context);
      }
    } else if (const auto* commit = message.get<Commit>()) {
      if (commit->round != round_ || finished_) return;
      // Lines 19 to 23: the node stops waiting whether or not it has seen the majority itself.
      if (settings_.fixed || has_majority(context, commit->value)) {
        finish_round(context, commit->value);
      } else {
        finish_round(context, kMoveOn);
      }
    }
  }

 private:
  void begin_round(Context& context) {
    votes_.clear();
    votes_[value_] = 1;
    context.round(round_);
    context.phase(kVoting);
    context.proposed(kOutcome, round_, value_);
    context.broadcast(Proposal{value_, round_});
    decide_on_majority(context);
  }

  bool has_majority(const Context& context, std::uint64_t value) const {
    const auto found = votes_.find(value);
    return found != votes_.end() && found->second > context.node_count() / 2;
  }

  void decide_on_majority(Context& context) {
    for (const auto& [value, count] : votes_) {
      if (!has_majority(context, value)) continue;
      context.broadcast(Commit{value, round_});
      finish_round(context, value);
      return;
    }
  }

  void finish_round(Context& context, const Digest& outcome) {
    if (context.logging()) {
      context.log(
          fmt::format("round {}: {}", round_, outcome == kMoveOn ? "move on" : to_string(outcome)));
    }
    context.decided(kOutcome, round_, outcome);
    if (round_ + 1 < settings_.rounds) {
      ++round_;
      begin_round(context);
    } else {
      finished_ = true;
      context.phase(kStopped);
    }
  }

  const Settings& settings_;
  std::uint64_t value_;
  std::uint64_t round_ = 0;
  std::map<std::uint64_t, std::size_t> votes_;
  bool finished_ = false;
};

class MajoritySystem final : public System {
 public:
  explicit MajoritySystem(const Options& options) {
    for (const OptionValue& value : options.at("values").list()) {
      settings_.values.push_back(static_cast<std::uint64_t>(value.integer(0)));
    }
    // The values of the first ones again, where there are to be more nodes than values.
    const auto given = settings_.values.size();
    const auto nodes = static_cast<std::size_t>(
        options.integer("nodes", std::max<std::int64_t>(static_cast<std::int64_t>(given), 1), 1,
                        static_cast<std::int64_t>(kMaxNodes)));
    if (given > 0) {
      settings_.values.resize(nodes);
      for (std::size_t i = given; i < nodes; ++i) settings_.values[i] = settings_.values[i % given];
    }
    if (settings_.values.empty() || settings_.values.size() > kMaxNodes) {
      options.fail("values",
                   fmt::format("expected 1 to {} initial values, one per node", kMaxNodes));
    }
    settings_.rounds = static_cast<std::uint64_t>(options.integer("rounds", 1, 1, 1'000'000));
    settings_.fixed = options.boolean("fixed", false);

    description_.name = "majority";
    description_.nodes = NodeKind::simulated;
    description_.summary = "the thesis's tutorial algorithm: majority voting in rounds, with a bug";
    description_.message<Proposal>("Proposal")
        .field("value", SemanticType::value, &Proposal::value)
        .field("round", SemanticType::round, &Proposal::round);
    description_.message<Commit>("Commit")
        .field("value", SemanticType::value, &Commit::value)
        .field("round", SemanticType::round, &Commit::round);
    // Moving on is proposed by nobody, so validity is not asked of this level.
    description_.levels = {
        {.name = "outcome", .validity = false, .value_names = {{kMoveOn, "move on"}}}};
    description_.phases = {"voting", "stopped"};
  }

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.values.size(); }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<MajorityNode>(id, settings_);
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

SystemEntry majority_entry() {
  return {"majority", "the thesis's tutorial algorithm: majority voting in rounds, with a bug",
          [](const Options& options) { return std::make_unique<MajoritySystem>(options); }};
}

}  // namespace dissensus::majority
