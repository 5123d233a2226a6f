// A ring of nodes that pass a token on, its model, and mappings: small enough to know every answer.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "dissensus/dissensus.h"

namespace dissensus::conform::test {

struct Token {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t hops = 0;
};

struct RingSettings {
  std::size_t nodes = 3;
  bool forgets = false;    ///< node 1 keeps the token: cannot do what the model allows
  bool doubles = false;    ///< node 1 once sends the token twice: does what the model forbids
  bool miscounts = false;  ///< node 2 counts hops wrong
  bool lies = false;       ///< nodes say that they hold the token after they passed it on
};

/// Step 0 `take(node, hops)`, step 1 `pass(node, hops)`; state: holds, hops.
class RingNode final : public Node {
 public:
  RingNode(const RingSettings& settings, NodeId id) : settings_(settings), id_(id) {}

  void start(Context& context) override {
    if (id_ == 0) {
      holds_ = true;
      context.set_timer(Duration{1000}, 1);
    }
  }
  void receive(Context& context, NodeId, const Message& message) override {
    holds_ = true;
    hops_ = message.get<Token>()->hops + (settings_.miscounts && id_ == 2 ? 1 : 0);
    report(context, 0);
    context.set_timer(Duration{1000}, 1);
  }
  void timer(Context& context, TimerId, std::uint64_t) override {
    if (settings_.forgets && id_ == 1) return;
    const auto next = static_cast<NodeId>((id_ + 1u) % settings_.nodes);
    holds_ = settings_.lies;
    report(context, 1);
    context.send(next, Token{hops_ + 1});
    if (settings_.doubles && id_ == 1 && hops_ == 1) context.send(next, Token{hops_ + 1});
  }
  void restart(Context&, const Node& before) override {
    holds_ = static_cast<const RingNode&>(before).holds_;
  }
  StateValue::Record state() const override {
    return {{{"holds", holds_}, {"hops", static_cast<std::int64_t>(hops_)}}};
  }

 private:
  void report(Context& context, std::uint32_t step) {
    if (!context.stepping()) return;
    const std::vector<StateValue> arguments{id_, static_cast<std::int64_t>(hops_)};
    context.step(step, arguments);
  }

  const RingSettings& settings_;
  NodeId id_;
  bool holds_ = false;
  std::uint64_t hops_ = 0;
};

class RingSystem final : public System {
 public:
  explicit RingSystem(const Options& options) {
    settings_.nodes = static_cast<std::size_t>(options.integer("nodes", 3, 2, 50));
    settings_.forgets = options.boolean("forgets", false);
    settings_.doubles = options.boolean("doubles", false);
    settings_.miscounts = options.boolean("miscounts", false);
    settings_.lies = options.boolean("lies", false);
    description_.name = "ring";
    description_.message<Token>("token").field("hops", SemanticType::number, &Token::hops);
    description_.levels = {{.name = "hop"}};
    description_.steps = {{"take", {"node", "hops"}}, {"pass", {"node", "hops"}}};
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.nodes; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<RingNode>(settings_, id);
  }

 private:
  RingSettings settings_;
  SystemDescription description_;
};

inline const SystemRegistry& ring_registry() {
  static const SystemRegistry registry = [] {
    SystemRegistry made;
    made.add({"ring", "a token ring",
              [](const Options& options) { return std::make_unique<RingSystem>(options); }});
    return made;
  }();
  return registry;
}

inline constexpr std::string_view kRingSpec = R"text(
---- MODULE Ring ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANT N, Limit
VARIABLES holder,  \* the node that holds the token, or 0 - while it is under way
          sent,    \* where it goes
          hops
vars == <<holder, sent, hops>>
Init == holder = 1 /\ sent = 0 /\ hops = 0
Pass(p) ==
  /\ holder = p
  /\ hops < Limit
  /\ holder' = 0
  /\ sent' = (p % N) + 1
  /\ hops' = hops + 1
Take(p) ==
  /\ holder = 0
  /\ sent = p
  /\ holder' = p
  /\ UNCHANGED <<sent, hops>>
Next == \E p \in 1..N : Pass(p) \/ Take(p)
Holders(p) == IF holder = p THEN {p} ELSE {}
FewHops == hops < 5
OneHolder == Cardinality(UNION {Holders(p) : p \in 1..N}) <= 1
====
)text";

inline constexpr std::string_view kRingConfig = R"text(
INIT Init
NEXT Next
CONSTANTS
  N = 3
  Limit = 1000
)text";

inline constexpr std::string_view kRingScenario = R"text(
format = "dissensus-scenario/1"
name = "ring"
[system]
kind = "ring"
nodes = 3
[network]
latency = "1ms"
[limits]
virtual_time = "100ms"
)text";

inline constexpr std::string_view kRingMapping = R"text(
format = "dissensus-mapping/1"
scenario = "ring.toml"
spec = "Ring.tla"
config = "Ring.cfg"

[constants]
N = "{nodes}"

[inputs]
nodes = { sets = "system.nodes", from = 2, to = 6 }

[[event]]
name = "take"
is = "Take(node + 1)"

[[event]]
name = "pass"
is = "Pass(node + 1)"

[[view]]
name = "holds"
model = "holder = node + 1"
implementation = "state.holds"

[[view]]
name = "hops"
model = "hops - (IF holder = 0 THEN 1 ELSE 0)"
implementation = "state.hops"

[[replay]]
action = "Pass(p)"
timer = "1"
node = "p - 1"

[[replay]]
action = "Take(p)"
deliver = "token"
to = "p - 1"
where = { hops = "hops" }
)text";

/// A folder with the four files, removed at the end.
class RingFiles {
 public:
  RingFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ring-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    write("Ring.tla", kRingSpec);
    write("Ring.cfg", kRingConfig);
    write("ring.toml", kRingScenario);
    write("mapping.toml", kRingMapping);
  }
  ~RingFiles() { std::filesystem::remove_all(folder_); }
  RingFiles(const RingFiles&) = delete;
  RingFiles& operator=(const RingFiles&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string mapping() const { return path("mapping.toml"); }

 private:
  std::filesystem::path folder_;
};

/// The mapping's text with one part replaced.
inline std::string mapping_with(std::string_view from, std::string_view to) {
  std::string text(kRingMapping);
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace dissensus::conform::test
