// A plugin that is not deterministic: when a node speaks depends on rand(), which nobody seeds, and
// each decides what it hears first.
#include <cstdlib>

#include "dissensus/dissensus.h"

namespace {

using namespace dissensus;

struct Vote {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t of;
};

SystemDescription describe() {
  SystemDescription description;
  description.name = "chance";
  description.summary = "decides what it hears first, which is by chance";
  description.message<Vote>("Vote").field("of", SemanticType::sequence, &Vote::of);
  description.levels = {{.name = "value", .validity = false}};
  return description;
}

class ChanceNode final : public Node {
 public:
  void start(Context& context) override {
    context.set_timer(std::chrono::microseconds(rand() % 1'000'000));
  }
  void timer(Context& context, TimerId, std::uint64_t) override {
    for (NodeId to = 0; to < 3; ++to) {
      if (to != context.self()) context.send(to, Vote{context.self()});
    }
    decide(context, context.self());
  }
  void receive(Context& context, NodeId, const Message& message) override {
    if (const auto* vote = message.get<Vote>()) decide(context, vote->of);
  }

 private:
  void decide(Context& context, std::uint64_t value) {
    if (!decided_) context.decided(0, 0, Digest{0, value});
    decided_ = true;
  }
  bool decided_ = false;
};

class Chance final : public System {
 public:
  Chance() : description_(describe()) {}
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 3; }
  std::unique_ptr<Node> make_node(NodeId) const override { return std::make_unique<ChanceNode>(); }

 private:
  SystemDescription description_;
};

}  // namespace

DISSENSUS_PLUGIN(registry) {
  registry.systems.add({"chance", "decides what it hears first, which is by chance",
                        [](const Options&) { return std::make_unique<Chance>(); }});
}
