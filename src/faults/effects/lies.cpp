// Nodes that lie: fields that are changed, earlier messages that are said again, and noise.
#include <fmt/format.h>

#include "dissensus/random.h"

#include "faults/kinds.h"
#include "faults/mutation.h"

namespace dissensus::faults {

namespace {

/// Liars choose among the values that they have heard.
class Ear final : public Effect {
 public:
  explicit Ear(const Site& site) : nodes_(site.nodes) {}

  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::overhear};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    if (passage.round() && passage.own_words()) seen(passage.world).note(passage.sent.message);
  }
  void falsify(Passage& passage, MutationOrder order, const Mark& mark) {
    order.nodes = nodes_;
    sim::World& world = passage.world;
    sim::Transmission& sent = passage.sent;
    Mutation mutation = mutate(sent.message, order, seen(world), world.description(), world.pool());
    if (!mutation.message) return;
    sent.message = std::move(mutation.message);
    world.record(EventType::mutate, sent.from, sent.to, 0, mutation.text, sent.send, &sent.message);
    mark();
    world.lied(sent.from);
  }

 private:
  SeenValues& seen(const sim::World& world) {
    if (!seen_) seen_.emplace(world.description());
    return *seen_;
  }
  std::size_t nodes_;
  std::optional<SeenValues> seen_;
};

class Lie final : public Effect {
 public:
  Lie(const MutateFault& fault, Site& site)
      : fault_(fault),
        mark_(site),
        receivers_(table_of(fault.receivers, site.nodes)),
        ear_(site.shared<Ear>()) {}
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::lie};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const sim::Transmission& sent = passage.sent;
    if (sent.from != fault_.node || !receivers_[sent.to]) return;
    if (passage.round() != fault_.round || !passage.own_words()) return;
    ear_.falsify(passage, {fault_.scope, fault_.seed, fault_.field}, mark_);
  }

 private:
  MutateFault fault_;
  Mark mark_;
  std::vector<bool> receivers_;
  Ear& ear_;
};

/// The naive baseline.
class Noise final : public Effect {
 public:
  Noise(const NoiseFault& fault, Site& site)
      : fault_(fault),
        span_(fault.when),
        mark_(site),
        random_(fault.seed, "noise"),
        ear_(site.shared<Ear>()) {}
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::noise};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const NodeId sender = passage.sent.from;
    if (fault_.node && *fault_.node != sender) return;
    if (!span_.contains(passage.world, sender)) return;
    // Drawn for those that are lost already, too: what happens to one message does not shift the
    // next.
    if (random_.chance(fault_.drop)) {
      passage.lose(DropReason::schedule);
      mark_();
    }
    if (random_.chance(fault_.corrupt) && !passage.lost && passage.own_words()) {
      ear_.falsify(passage, {MutationScope::any, random_.next(), {}}, mark_);
    }
  }

 private:
  NoiseFault fault_;
  Span span_;
  Mark mark_;
  Random random_;
  Ear& ear_;
};

class Replay final : public Effect {
 public:
  Replay(const ReplayFault& fault, const Site& site)
      : fault_(fault), mark_(site), receivers_(table_of(fault.receivers, site.nodes)) {}
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::replay};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const sim::Transmission& sent = passage.sent;
    if (sent.from != fault_.node || !receivers_[sent.to] || !passage.round()) return;
    if (passage.world.description().kinds[sent.message.kind()].loss == dissensus::Loss::resent)
      return;
    if (*passage.round() < fault_.round) {
      if (sent_.size() == kKept) sent_.erase(sent_.begin());
      sent_.push_back(sent);
    } else if (*passage.round() == fault_.round && !passage.replay) {
      repeat(passage);
    }
  }
  void forget() override { sent_.clear(); }

 private:
  static constexpr std::size_t kKept = 64;

  void repeat(Passage& passage) {
    const auto type_of = [&passage](const sim::Transmission& transmission) {
      return passage.world.description().kinds[transmission.message.kind()].payload;
    };
    const sim::Transmission& sent = passage.sent;
    std::vector<const sim::Transmission*> earlier;
    for (const sim::Transmission& candidate : sent_) {
      const bool fits = candidate.to == sent.to && type_of(candidate) == type_of(sent) &&
                        candidate.message.digest() != sent.message.digest();
      if (fits) earlier.push_back(&candidate);
    }
    if (earlier.empty()) return;
    Random random(fault_.seed, "replay", type_of(sent));
    passage.replay = *earlier[random.below(earlier.size())];
    passage.replay->latency = sent.latency;
    mark_();
  }

  ReplayFault fault_;
  Mark mark_;
  std::vector<bool> receivers_;
  std::vector<sim::Transmission> sent_;  ///< before the round
};

// ---- declarations

constexpr std::array<std::string_view, 2> kScopes{"small", "any"};

void check_noise(const NoiseFault& fault, const Options& document, const Target&) {
  if (fault.corrupt > 0 && !fault.node) {
    document.fail("corrupt",
                  "expected 'node' beside it: corrupted messages make their sender a liar");
  }
}

std::string words_of_lie(const MutateFault& fault, const Speaker&) {
  const std::string field = fault.field.empty() ? "one field" : "field " + fault.field;
  return fmt::format("in protocol round {} node {} lies to {}: {} is changed {} (seed {})",
                     fault.round, fault.node, listed(fault.receivers), field,
                     fault.scope == MutationScope::small ? "a little" : "to anything", fault.seed);
}

std::string words_of_noise(const NoiseFault& fault, const Speaker&) {
  std::vector<std::string> parts;
  if (fault.drop > 0) parts.push_back(fmt::format("{:g} % are lost", fault.drop * 100));
  if (fault.corrupt > 0) parts.push_back(fmt::format("{:g} % are corrupted", fault.corrupt * 100));
  if (parts.empty()) parts.emplace_back("none is lost");
  const std::string whose =
      fault.node ? fmt::format("the messages of node {}", *fault.node) : "all messages";
  return fmt::format("of {} {}{} (seed {})", whose, listed(parts), words_of(fault.when),
                     fault.seed);
}

bool corrupts(const void* fault) {
  return static_cast<const NoiseFault*>(fault)->corrupt > 0;
}

}  // namespace

const FaultKind& MutateFault::kind() {
  static const FaultKind kKind =
      Declaration<MutateFault>("mutate")
          .part(make_node("node", member<&MutateFault::node>))
          .part(make_round("round", member<&MutateFault::round>))
          .part(
              make_nodes("receivers", member<&MutateFault::receivers>,
                         {.missing = ListOf::Default::others, .node = member<&MutateFault::node>}))
          .part(make_seed(member<&MutateFault::seed>))
          .part(make_choice("scope", choice<&MutateFault::scope>, kScopes, false))
          .part(make_field(member<&MutateFault::field>))
          .needs({.name = "mutate",
                  .key = "type",
                  .needs = {Offer::fields, Offer::rounds},
                  .instead = "noise, drop"})
          .said(words_of_lie)
          .lies([](const MutateFault& fault) { return std::optional(fault.node); })
          .done_by([](const MutateFault& fault, Site& site) -> std::unique_ptr<Effect> {
            return std::make_unique<Lie>(fault, site);
          });
  return kKind;
}

const FaultKind& NoiseFault::kind() {
  static const FaultKind kKind =
      Declaration<NoiseFault>("noise")
          .part(make_node("node", member<&NoiseFault::node>))
          .part(make_share("drop", member<&NoiseFault::drop>))
          .part(make_share("corrupt", member<&NoiseFault::corrupt>))
          .part(make_seed(member<&NoiseFault::seed>))
          .part(make_window(member<&NoiseFault::when>, {}))
          .needs({.name = "noise: drop",
                  .key = "drop",
                  .concerns = [](const void* fault) { return !corrupts(fault); }})
          .needs({.name = "noise: corrupt",
                  .key = "corrupt",
                  .needs = {Offer::fields},
                  .instead = "drop",
                  .concerns = corrupts})
          .checked(check_noise)
          .said(words_of_noise)
          .lies(
              [](const NoiseFault& fault) { return fault.corrupt > 0 ? fault.node : std::nullopt; })
          .done<Noise>();
  return kKind;
}

const FaultKind& ReplayFault::kind() {
  static const FaultKind kKind =
      Declaration<ReplayFault>("replay")
          .part(make_node("node", member<&ReplayFault::node>))
          .part(make_round("round", member<&ReplayFault::round>))
          .part(
              make_nodes("receivers", member<&ReplayFault::receivers>,
                         {.missing = ListOf::Default::others, .node = member<&ReplayFault::node>}))
          .part(make_seed(member<&ReplayFault::seed>))
          .needs(
              {.name = "replay", .key = "type", .needs = {Offer::rounds}, .instead = "duplicate"})
          .said([](const ReplayFault& fault, const Speaker&) {
            return fmt::format(
                "in protocol round {} node {} repeats an earlier message to {} "
                "(seed {})",
                fault.round, fault.node, listed(fault.receivers), fault.seed);
          })
          .done<Replay>();
  return kKind;
}

void declare_lies(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&MutateFault::kind(), &NoiseFault::kind(), &ReplayFault::kind()});
}

}  // namespace dissensus::faults
