#include "tla/linking/spec.h"

#include <algorithm>
#include <tuple>

#include "tla/linking/program.h"
#include "tla/linking/reading.h"

namespace dissensus::tla {

Spec::Spec(Hidden, std::unique_ptr<Program> program) : program_(std::move(program)) {}

Spec::~Spec() = default;

std::shared_ptr<const Spec> Spec::load(const std::string& path, const Config& config,
                                       const SpecOptions& options) {
  return std::make_shared<const Spec>(Hidden{}, link(path, config, options));
}

const std::string& Spec::path() const {
  return program_->path;
}

const Config& Spec::config() const {
  return program_->config;
}

const std::vector<std::string>& Spec::variables() const {
  return program_->variables;
}

const std::vector<ActionDescription>& Spec::actions() const {
  return program_->actions;
}

std::optional<ActionId> Spec::find_action(std::string_view name) const {
  for (std::size_t i = 0; i < program_->actions.size(); ++i) {
    if (program_->actions[i].name == name) return static_cast<ActionId>(i);
  }
  return std::nullopt;
}

std::vector<GuardDescription> Spec::guards() const {
  return program_->guards;
}

std::vector<Location> Spec::conjuncts(const std::vector<ActionId>& actions) const {
  std::set<const Node*> seen;
  std::vector<const Node*> found;
  for (const ActionId action : actions) {
    const Operator* operation = program_->action_operators[action];
    if (operation != nullptr && operation->body != nullptr) {
      collect_conjuncts(*operation->body, seen, found);
    }
  }
  const auto order = [](const Location& at) {
    return std::tie(at.source->path, at.line, at.column);
  };
  std::vector<Location> places;
  for (const Node* node : found) {
    if (node->at.source != nullptr) places.push_back(node->at);
  }
  std::sort(places.begin(), places.end(),
            [&](const Location& a, const Location& b) { return order(a) < order(b); });
  places.erase(
      std::unique(places.begin(), places.end(),
                  [&](const Location& a, const Location& b) { return order(a) == order(b); }),
      places.end());
  return places;
}

const std::vector<std::string>& Spec::unchecked_properties() const {
  return program_->unchecked_properties;
}
const std::vector<Notice>& Spec::notices() const {
  return program_->notices;
}

const Program& Spec::program() const {
  return *program_;
}

bool Spec::has_behaviour() const {
  return !program_->initial.empty() && program_->next.has_value();
}

}  // namespace dissensus::tla
