#include "conform/guard_coverage.h"

#include <algorithm>

#include <fmt/format.h>

namespace dissensus::conform {

namespace {

/// Conjuncts of steps that are tried as if they held, in one state.
constexpr std::uint64_t kTriesMost = 2'000;
/// After so many looks in vain only each second state is looked at, then each third...
constexpr std::uint64_t kLooksInVain = 100;

/// The definition that a place is in: the nearest line above that begins with a name.
std::string definition_around(const tla::Location& at) {
  for (std::uint32_t line = at.line; line > 0; --line) {
    const std::string_view text = at.source->line(line);
    std::size_t size = 0;
    while (size < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[size])) != 0 || text[size] == '_')) {
      ++size;
    }
    if (size > 0 && text.find("==", size) != std::string_view::npos) {
      return std::string(text.substr(0, size));
    }
  }
  return "?";
}

bool is_compared(const Mapping& mapping, const std::string& action) {
  const auto weight = std::find_if(mapping.weights.begin(), mapping.weights.end(),
                                   [&](const MappingWeight& one) { return one.action == action; });
  if (weight != mapping.weights.end() && weight->weight == 0) return false;
  return std::any_of(mapping.replays.begin(), mapping.replays.end(),
                     [&](const MappingReplay& replay) { return replay.action == action; });
}

}  // namespace

void GuardCoverage::add_model(const tla::Spec& spec, const Mapping& mapping) {
  std::vector<tla::ActionId> compared;
  for (tla::ActionId id = 0; id < spec.actions().size(); ++id) {
    const tla::ActionDescription& action = spec.actions()[id];
    if (!action.is_label || !is_compared(mapping, action.name)) continue;
    compared.push_back(id);
    actions_.insert(action.name);
  }
  for (const tla::Location& at : spec.conjuncts(compared)) {
    const std::string place = at.to_string();
    if (guards_.contains(place)) continue;
    Guard guard;
    guard.name = fmt::format("{}: {}", definition_around(at), at.excerpt());
    guards_.emplace(place, std::move(guard));
  }
  for (const std::string& implied : mapping.implied_guards) {
    bool is_known = false;
    for (auto& [place, guard] : guards_) {
      if (guard.name != implied) continue;
      guard.is_implied = true;
      is_known = true;
    }
    if (!is_known) {
      throw InputError(
          fmt::format("{}: coverage.implied: the compared actions have no guard \"{}\"; expected "
                      "\"DEFINITION: CONJUNCT\" as `conform check` prints it",
                      mapping.path, implied));
    }
  }
}

void GuardCoverage::took(tla::Machine& machine, std::span<const double> weights,
                         const tla::Label& label, const tla::State& state, bool is_new) {
  const std::string& action = machine.spec().actions()[label.action].name;
  taken_.insert(action);
  if (!last_.empty()) pairs_.emplace(last_, action);
  last_ = action;
  if (is_new && offered_++ % (1 + looks_in_vain_ / kLooksInVain) == 0)
    look_at(machine, weights, state);
}

void GuardCoverage::look_at(tla::Machine& machine, std::span<const double> weights,
                            const tla::State& state) {
  const bool has_open_guards = std::any_of(guards_.begin(), guards_.end(),
                                           [](const auto& one) { return !one.second.has_decided; });
  if (!has_open_guards || !machine.spec().has_behaviour()) return;
  bool is_first = false;
  machine.deciding_guards(state, weights, kTriesMost, [&](const tla::Location& at) {
    const auto guard = guards_.find(at.to_string());
    if (guard == guards_.end() || guard->second.has_decided) return;
    guard->second.has_decided = is_first = true;
  });
  looks_in_vain_ = is_first ? 0 : looks_in_vain_ + 1;
}

GuardCoverage::Summary GuardCoverage::summary() const {
  Summary summary;
  summary.actions = actions_.size();
  for (const std::string& action : actions_) {
    if (taken_.contains(action)) {
      ++summary.actions_taken;
    } else {
      summary.never_taken.push_back(action);
    }
  }
  summary.pairs = actions_.size() * actions_.size();
  for (const auto& [first, second] : pairs_) {
    summary.pairs_taken += actions_.contains(first) && actions_.contains(second) ? 1 : 0;
  }
  for (const auto& [place, guard] : guards_) {
    if (guard.is_implied && !guard.has_decided) {
      summary.implied.push_back(guard.name);
      continue;
    }
    ++summary.guards;
    if (guard.has_decided) {
      ++summary.guards_decided;
    } else {
      summary.never_decided.push_back(fmt::format("{}  ({})", guard.name, place));
    }
  }
  return summary;
}

}  // namespace dissensus::conform
