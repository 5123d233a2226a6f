#include "conform/model.h"

#include <utility>

#include "tla/syntax/config.h"

namespace dissensus::conform {

std::optional<tla::ActionId> Model::find_action(std::string_view name) const {
  for (std::size_t index = 0; index < actions().size(); ++index) {
    if (actions()[index].name == name) return static_cast<tla::ActionId>(index);
  }
  return std::nullopt;
}

TlaModel::TlaModel(std::shared_ptr<const tla::Spec> spec) : machine_(std::move(spec)) {}

namespace {
/// A module that declares the variables, so that expressions can name them.
std::shared_ptr<const tla::Spec> declarations(const std::string& name,
                                              const std::vector<std::string>& variables) {
  std::string text =
      "---- MODULE " + name + " ----\nEXTENDS Integers, Sequences, FiniteSets, SequencesExt, TLC\n";
  for (const std::string& variable : variables) text += "VARIABLE " + variable + "\n";
  text += "====\n";
  tla::SpecOptions options;
  options.modules.emplace_back(name, text);
  return tla::Spec::load(name + ".tla", tla::Config{}, options);
}
}  // namespace

CxxModel::CxxModel(std::string name, std::vector<std::string> variables,
                   std::vector<tla::ActionDescription> actions)
    : actions_(std::move(actions)),
      machine_(std::make_unique<tla::Machine>(declarations(name, variables))) {}

void CxxModel::successors(const tla::State& state,
                          tla::FunctionRef<bool(const tla::Label&, const tla::State&)> visit) {
  bool goes_on = true;
  for (const tla::Label& label : candidates(state)) {
    perform(state, label.action, label.arguments,
            [&](const tla::State& next) { return goes_on = visit(label, next); });
    if (!goes_on) return;
  }
}

bool CxxModel::random_step(const tla::State& state, std::span<const double> weights, Random& random,
                           tla::Label& label, tla::State& next) {
  std::vector<tla::Label> open = candidates(state);
  const auto weight = [&](const tla::Label& one) {
    return weights.empty() ? 1.0 : weights[one.action];
  };
  while (!open.empty()) {
    double sum = 0;
    for (const tla::Label& one : open) sum += weight(one);
    if (sum <= 0) return false;
    double rest = random.unit() * sum;
    std::size_t chosen = 0;
    while (chosen + 1 < open.size() && (rest -= weight(open[chosen])) >= 0) ++chosen;
    std::vector<tla::State> found;
    perform(state, open[chosen].action, open[chosen].arguments, [&](const tla::State& one) {
      found.push_back(one);
      return true;
    });
    if (!found.empty()) {
      label = open[chosen];
      next = found[random.below(found.size())];
      return true;
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return false;
}

tla::Explanation CxxModel::explain(const tla::State&, tla::ActionId, std::span<const tla::Value>) {
  return {};  // code has no guards that could be shown
}

}  // namespace dissensus::conform
