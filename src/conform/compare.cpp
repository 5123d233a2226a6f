#include "conform/compare.h"

#include <algorithm>

#include <fmt/format.h>

#include "conform/bound_mapping.h"
#include "conform/stepper.h"
#include "tla/linking/spec.h"

namespace dissensus::conform {
namespace {

/// One thing that can happen next in a stepper.
struct Choice {
  enum class Type : std::uint8_t { deliver, fire, crash, restart };
  Type type = Type::deliver;
  std::size_t index = 0;  ///< of the message or timer, or the node
};

class ImplementationPair {
 public:
  ImplementationPair(const System& first, const System& second, std::uint64_t seed)
      : description_(first.description()), first_(first, seed), second_(second, seed) {
    first_.start();
    second_.start();
  }

  std::optional<Choice> choose(Random& random, double crash_chance, std::size_t nodes) const {
    const auto node = static_cast<NodeId>(random.below(nodes));
    if (first_.is_running(node)) {
      if (random.chance(crash_chance)) return Choice{Choice::Type::crash, node};
    } else if (random.chance(10 * crash_chance)) {
      return Choice{Choice::Type::restart, node};
    }
    const std::size_t messages = first_.messages().size();
    const std::size_t waiting = messages + first_.timers().size();
    if (waiting == 0) return std::nullopt;
    const std::size_t index = random.below(waiting);
    if (index < messages) return Choice{Choice::Type::deliver, index};
    return Choice{Choice::Type::fire, index - messages};
  }

  std::string describe(const Choice& choice) const {
    switch (choice.type) {
      case Choice::Type::deliver: {
        const Stepper::WaitingMessage& message = first_.messages()[choice.index];
        return fmt::format("deliver {} {} -> {}", description_.kinds[message.message.kind()].name,
                           message.from, message.to);
      }
      case Choice::Type::fire:
        return fmt::format("timer {} of node {}", first_.timers()[choice.index].tag,
                           first_.timers()[choice.index].node);
      case Choice::Type::crash:
        return fmt::format("crash node {}", choice.index);
      case Choice::Type::restart:
        return fmt::format("restart node {}", choice.index);
    }
    return "";
  }

  /// Lets both do it. Nullopt: they agree; otherwise what differs.
  std::optional<std::string> take(const Choice& choice) {
    switch (choice.type) {
      case Choice::Type::deliver: {
        const auto other = counterpart(first_.messages()[choice.index]);
        if (!other) return "the second implementation has not sent this message";
        first_.deliver(choice.index);
        second_.deliver(*other);
        break;
      }
      case Choice::Type::fire: {
        const auto other = counterpart(first_.timers()[choice.index]);
        if (!other) return "the second implementation has no such timer";
        first_.fire(choice.index);
        second_.fire(*other);
        break;
      }
      case Choice::Type::crash:
        first_.crash(static_cast<NodeId>(choice.index));
        second_.crash(static_cast<NodeId>(choice.index));
        break;
      case Choice::Type::restart:
        first_.restart(static_cast<NodeId>(choice.index));
        second_.restart(static_cast<NodeId>(choice.index));
        break;
    }
    return compare_steps();
  }

 private:
  std::optional<std::size_t> counterpart(const Stepper::WaitingMessage& wanted) const {
    const auto& messages = second_.messages();
    const auto found = std::find_if(messages.begin(), messages.end(), [&](const auto& one) {
      return one.from == wanted.from && one.to == wanted.to &&
             one.message.kind() == wanted.message.kind() &&
             one.message.digest() == wanted.message.digest();
    });
    if (found == messages.end()) return std::nullopt;
    return static_cast<std::size_t>(found - messages.begin());
  }
  std::optional<std::size_t> counterpart(const Stepper::WaitingTimer& wanted) const {
    const auto& timers = second_.timers();
    const auto found = std::find_if(timers.begin(), timers.end(), [&](const auto& one) {
      return one.node == wanted.node && one.tag == wanted.tag;
    });
    if (found == timers.end()) return std::nullopt;
    return static_cast<std::size_t>(found - timers.begin());
  }

  std::string describe(const ReportedStep& step) {
    std::string text = fmt::format("{}(node {}", description_.steps[step.step].name, step.node);
    for (const StateValue& argument : step.arguments) {
      text += ", " + tla::to_string(to_value(store_, argument));
    }
    return text + ")";
  }

  std::optional<std::string> compare_steps() {
    const std::vector<ReportedStep> ours = first_.take_steps();
    const std::vector<ReportedStep> theirs = second_.take_steps();
    const std::size_t common = std::min(ours.size(), theirs.size());
    for (std::size_t index = 0; index < common; ++index) {
      const std::string our = describe(ours[index]);
      const std::string their = describe(theirs[index]);
      if (our != their) return fmt::format("the first does {}, the second {}", our, their);
      if (auto difference = compare_states(ours[index].state, theirs[index].state)) {
        return fmt::format("after {}: {}", our, *difference);
      }
    }
    if (ours.size() > common) {
      return fmt::format("only the first does {}", describe(ours[common]));
    }
    if (theirs.size() > common) {
      return fmt::format("only the second does {}", describe(theirs[common]));
    }
    return std::nullopt;
  }

  std::optional<std::string> compare_states(const StateValue::Record& ours,
                                            const StateValue::Record& theirs) {
    for (const auto& [name, value] : ours.fields) {
      const std::string our = tla::to_string(to_value(store_, value));
      std::string their = "missing";
      for (const auto& [other_name, other] : theirs.fields) {
        if (other_name == name) their = tla::to_string(to_value(store_, other));
      }
      if (our != their) return fmt::format("{} is {} and {}", name, our, their);
    }
    if (theirs.fields.size() > ours.fields.size()) return "only the second says more of its state";
    return std::nullopt;
  }

  const SystemDescription& description_;
  Stepper first_;
  Stepper second_;
  tla::Store store_;
};

/// Follows one model with another.
class ModelPair final : private tla::SeenEvents {
 public:
  using Expressions = std::vector<std::shared_ptr<const tla::CompiledExpression>>;

  ModelPair(tla::Machine& first, tla::Machine& second, std::vector<std::string> expressions,
            const tla::MatchLimits& limits)
      : first_(first),
        second_(second),
        texts_(std::move(expressions)),
        matcher_(second, *this, {}, limits) {
    if (texts_.empty()) {
      const auto& others = second.spec().variables();
      for (const std::string& name : first.spec().variables()) {
        if (std::find(others.begin(), others.end(), name) != others.end()) texts_.push_back(name);
      }
    }
    if (texts_.empty()) throw InputError("the models have no variable of the same name to compare");
    for (const std::string& text : texts_) {
      ours_.push_back(compiled(first, text));
      theirs_.push_back(compiled(second, text));
    }
  }

  /// Both at the start of a walk; the first in one of its initial states.
  tla::Match start(Random& random) {
    first_.collect();
    second_.collect();
    std::vector<tla::State> initial;
    first_.initial_states([&](const tla::State& state) {
      initial.push_back(state);
      return initial.size() < matcher_.limits().states;
    });
    if (initial.empty()) {
      throw InputError(fmt::format("{}: the model has no initial state", first_.spec().path()));
    }
    state_ = initial[random.below(initial.size())];
    return matcher_.start();
  }

  std::optional<tla::Label> walk(Random& random) {
    tla::Label label;
    tla::State next;
    if (!first_.random_step(state_, {}, random, label, next)) return std::nullopt;
    state_ = next;
    return label;
  }

  /// Why the second does not come along; `match` is `admitted` or `unknown` otherwise.
  std::optional<std::string> follow(const tla::Label& label, tla::Match& match) {
    const tla::ActionDescription& ours = first_.spec().actions()[label.action];
    const auto action = second_.spec().find_action(ours.name);
    match = tla::Match::refused;
    if (!action || second_.spec().actions()[*action].parameters.size() != ours.parameters.size()) {
      return fmt::format("the second model has no action {} of {} arguments", ours.name,
                         ours.parameters.size());
    }
    label_ = {*action, {}};
    for (const tla::Value argument : label.arguments) {
      label_.arguments.push_back(tla::copied(second_.store(), argument));
    }
    match = matcher_.next();
    if (match != tla::Match::refused) return std::nullopt;
    return refusal();
  }

 private:
  static std::shared_ptr<const tla::CompiledExpression> compiled(tla::Machine& machine,
                                                                 const std::string& text) {
    try {
      return machine.compile(text);
    } catch (const tla::SpecError& error) {
      throw InputError(fmt::format("\"{}\": {}", text, error.message()));
    }
  }

  bool fits_initially(const tla::State& state) override { return !difference(state); }
  bool steps(std::size_t, const tla::State& from,
             tla::FunctionRef<bool(const tla::State&)> visit) override {
    const std::vector<tla::State> all = reached(from);
    if (all.size() > matcher_.limits().states) return false;
    for (const tla::State& state : all) {
      if (!difference(state) && !visit(state)) break;
    }
    return true;
  }
  std::vector<tla::State> reached(const tla::State& from) {
    tla::Frontier found;
    second_.perform(from, label_.action, label_.arguments, [&](const tla::State& next) {
      found.add(next);
      return found.size() <= matcher_.limits().states;
    });
    return found.states();
  }

  std::string refusal() {
    for (const tla::State& state : matcher_.frontier().states()) {
      const std::vector<tla::State> all = reached(state);
      if (!all.empty()) return *difference(all.front());
    }
    const auto guards =
        second_.explain(matcher_.frontier().states().front(), label_.action, label_.arguments)
            .guards;
    return guards.empty() ? std::string("the second model does not allow this step")
                          : fmt::format("the second model does not allow this step: {}: {}",
                                        guards.front().at.to_string(), guards.front().text);
  }

  std::optional<std::string> difference(const tla::State& other) {
    for (std::size_t index = 0; index < texts_.size(); ++index) {
      const std::string our = tla::to_string(first_.evaluate(*ours_[index], &state_));
      const std::string their = tla::to_string(second_.evaluate(*theirs_[index], &other));
      if (our != their) return fmt::format("{} is {} and {}", texts_[index], our, their);
    }
    return std::nullopt;
  }

  tla::Machine& first_;
  tla::Machine& second_;
  std::vector<std::string> texts_;
  Expressions ours_;
  Expressions theirs_;
  tla::State state_;
  tla::Label label_;  ///< of the second, that it is to take
  tla::Matcher matcher_;
};

void require_alike(const SystemDescription& first, const SystemDescription& second) {
  const auto differ = [](const auto& ours, const auto& theirs) {
    return ours.size() != theirs.size() ||
           !std::equal(ours.begin(), ours.end(), theirs.begin(),
                       [](const auto& a, const auto& b) { return a.name == b.name; });
  };
  if (differ(first.kinds, second.kinds)) {
    throw InputError("the two systems have different kinds of messages");
  }
  if (differ(first.steps, second.steps)) {
    throw InputError("the two systems report different steps");
  }
}

}  // namespace

std::vector<std::string> Comparison::gaps() const {
  std::vector<std::string> found;
  if (steps == 0) found.push_back(fmt::format("none of {} walks had a step to compare", walks));
  if (unknown_walks > 0) {
    found.push_back(
        fmt::format("{} of {} walks ended at a limit (--frontier)", unknown_walks, walks));
  }
  return found;
}

Comparison compare_implementations(const System& first, const System& second,
                                   const CompareOptions& options) {
  if (first.node_count() != second.node_count()) {
    throw InputError("the two systems have different numbers of nodes");
  }
  require_alike(first.description(), second.description());
  Comparison comparison;
  for (std::size_t walk = 0; walk < options.walks; ++walk) {
    const std::uint64_t seed = derive_seed(options.seed, "compare", walk);
    Random random(seed);
    ImplementationPair pair(first, second, seed);
    std::vector<std::string> path;
    ++comparison.walks;
    while (path.size() < options.depth) {
      const auto choice = pair.choose(random, options.crash_chance, first.node_count());
      if (!choice) break;
      const std::string what = pair.describe(*choice);
      ++comparison.steps;
      if (auto message = pair.take(*choice)) {
        comparison.disagreement = Disagreement{path.size() + 1, what, *message, path};
        return comparison;
      }
      path.push_back(what);
    }
  }
  return comparison;
}

Comparison compare_models(tla::Machine& first, tla::Machine& second,
                          const std::vector<std::string>& expressions,
                          const CompareOptions& options) {
  ModelPair pair(first, second, expressions, options.limits);
  Comparison comparison;
  for (std::size_t walk = 0; walk < options.walks; ++walk) {
    Random random(options.seed, "compare", walk);
    ++comparison.walks;
    tla::Match match = pair.start(random);
    if (match == tla::Match::refused) {
      comparison.disagreement =
          Disagreement{0, "Init", "no initial state of the second model looks the same", {}};
      return comparison;
    }
    std::vector<std::string> path;
    while (path.size() < options.depth && match == tla::Match::admitted) {
      const auto label = pair.walk(random);
      if (!label) break;
      const std::string what = tla::to_string(first.spec(), *label);
      ++comparison.steps;
      if (auto message = pair.follow(*label, match)) {
        comparison.disagreement = Disagreement{path.size() + 1, what, *message, path};
        return comparison;
      }
      path.push_back(what);
    }
    comparison.unknown_walks += match == tla::Match::unknown ? 1 : 0;
  }
  return comparison;
}

}  // namespace dissensus::conform
