// Every node says its number and decides on the first one that it hears: they disagree as soon as
// delays differ.
#include <cstdio>

#include <dissensus/dissensus.h>

namespace {

using namespace dissensus;

struct Number {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t value;
};

class EchoNode final : public Node {
 public:
  explicit EchoNode(NodeId id) : id_(id) {}
  void start(Context& context) override {
    context.proposed(0, 0, id_);
    context.broadcast(Number{id_});
  }
  void receive(Context& context, NodeId, const Message& message) override {
    const auto* number = message.get<Number>();
    if (number == nullptr || is_decided_) return;
    is_decided_ = true;
    context.decided(0, 0, number->value);
  }

 private:
  NodeId id_;
  bool is_decided_ = false;
};

class Echo final : public System {
 public:
  explicit Echo(const Options& options)
      : nodes_(static_cast<std::size_t>(options.integer("nodes", 3, 2, 9))) {
    description_.name = "echo";
    description_.message<Number>("Number").field("value", SemanticType::value, &Number::value);
    description_.levels = {{.name = "number"}};
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return nodes_; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<EchoNode>(id);
  }

 private:
  std::size_t nodes_;
  SystemDescription description_;
};

}  // namespace

DISSENSUS_PLUGIN(registry) {
  registry.systems.add({"echo", "decides on the first number that it hears",
                        [](const Options& options) { return std::make_unique<Echo>(options); }});
}

#ifdef ECHO_CHECK
// What the public headers declare, from the library: options, descriptions, registries.
int main() {
  Registry registry;
  dissensus_plugin(registry);
  const SystemEntry* entry = registry.systems.find("echo");
  if (entry == nullptr) return 1;
  const auto system = entry->make(Options::from_toml("nodes = 5\n", "echo.toml"));
  try {
    entry->make(Options::from_toml("nodes = 50\n", "echo.toml"));
  } catch (const InputError& error) {
    std::printf("%zu nodes; %s\n", system->node_count(), error.what());
    return 0;
  }
  return 1;
}
#endif
