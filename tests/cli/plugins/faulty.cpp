// A plugin whose node 0 does what no node should, but only when a message of node 2 overtakes that
// of node 1: [system] fault says what.
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "dissensus/dissensus.h"

namespace {

using namespace dissensus;

constexpr std::array<std::string_view, 9> kFaults{"none",  "throw",   "segfault", "loop",   "wait",
                                                  "flood", "instant", "memory",   "to-self"};
enum Fault : std::size_t {
  kNone,
  kThrow,
  kSegfault,
  kLoop,
  kWait,
  kFlood,
  kInstant,
  kMemory,
  kToSelf
};

struct Tick {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t round;
};

SystemDescription describe() {
  SystemDescription description;
  description.name = "faulty";
  description.summary = "ends badly when node 2 overtakes node 1";
  description.message<Tick>("Tick").field("round", SemanticType::sequence, &Tick::round);
  description.levels = {{.name = "round", .validity = false}};
  return description;
}

int* volatile nowhere = nullptr;

class FaultyNode final : public Node {
 public:
  explicit FaultyNode(std::size_t fault) : fault_(fault) {}

  void start(Context& context) override { context.set_timer(std::chrono::milliseconds(100)); }

  void timer(Context& context, TimerId, std::uint64_t instant) override {
    if (instant != 0) {
      context.set_timer(Duration{}, 1);
      return;
    }
    context.decided(0, round_, Digest{});
    if (context.self() != 0) context.send(0, Tick{round_});
    if (++round_ < 10) context.set_timer(std::chrono::milliseconds(100));
  }

  void receive(Context& context, NodeId from, const Message& message) override {
    const auto* tick = message.get<Tick>();
    if (tick == nullptr) return;
    if (from == 1) seen_ = tick->round + 1;
    if (from == 2 && seen_ <= tick->round) misbehave(context);
  }

 private:
  void misbehave(Context& context) {
    std::vector<std::string> memory;
    switch (fault_) {
      case kThrow:
        throw std::runtime_error("boom");
      case kSegfault:
        *nowhere = 1;
        break;
      case kLoop:
        for (volatile bool on = true; on;) {
        }
        break;
      case kWait:
        for (;;) pause();
      case kFlood:
        for (;;) context.send(1, Tick{99});
      case kInstant:
        context.set_timer(Duration{}, 1);
        break;
      case kMemory:
        for (;;) memory.emplace_back(std::size_t{1} << 20, 'x');
      case kToSelf:
        context.send(context.self(), Tick{0});
        break;
      default:
        break;
    }
  }

  std::size_t fault_;
  std::uint64_t round_ = 0;
  std::uint64_t seen_ = 0;
};

class Faulty final : public System {
 public:
  explicit Faulty(const Options& options)
      : description_(describe()), fault_(options.choice("fault", kFaults, 0)) {}
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 3; }
  std::unique_ptr<Node> make_node(NodeId) const override {
    return std::make_unique<FaultyNode>(fault_);
  }

 private:
  SystemDescription description_;
  std::size_t fault_;
};

}  // namespace

DISSENSUS_PLUGIN(registry) {
  registry.systems.add({"faulty", "ends badly when node 2 overtakes node 1",
                        [](const Options& options) { return std::make_unique<Faulty>(options); }});
}
