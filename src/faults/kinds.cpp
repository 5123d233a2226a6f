#include "faults/kinds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dissensus/faults.h"

#include "core/assert.h"

namespace dissensus::faults {

namespace {

constexpr std::string_view kSpanOfTime = "a span of time (from, until)";

/// What windows need, whichever fault has them.
const std::array<Requirement, 3>& window_requirements() {
  static const std::array<Requirement, 3> kRows{{
      {"rounds", "rounds", {Offer::rounds}, kSpanOfTime, nullptr},
      {"after: round", "after", {Offer::rounds}, kSpanOfTime, nullptr},
      {"after: phase", "after", {Offer::phases}, kSpanOfTime, nullptr},
  }};
  return kRows;
}

std::string_view lack_of(Offer offer) {
  switch (offer) {
    case Offer::rounds:
      return "report no rounds";
    case Offer::phases:
      return "report no phases";
    case Offer::fields:
      return "send no message with a field to change";
    case Offer::pause:
      return "cannot be held";
    case Offer::slow_disk:
      return "have no disk that schedules know";
    case Offer::bad_disk:
      return "have no disk whose calls can fail";
    case Offer::clock:
      return "have a clock of their own";
    case Offer::twins:
      return "exist once";
  }
  return "";
}

/// The first of what a row needs that is not offered.
std::optional<Offer> lacking(const Requirement& row, const Offers& offers) {
  for (std::size_t i = 0; i < kOffers; ++i) {
    const auto offer = static_cast<Offer>(i);
    if (row.needs.has(offer) && !offers.has(offer)) return offer;
  }
  return std::nullopt;
}

std::optional<Obstacle> obstacle_to(const Requirement& row, const SystemDescription& description) {
  const std::optional<Offer> lack = lacking(row, offers_of(description));
  if (!lack) return std::nullopt;
  return Obstacle{row.key, fmt::format("'{}' is not possible: {} {}; possible: {}", row.name,
                                       dissensus::offers_of(description.nodes).in_full,
                                       lack_of(*lack), row.instead)};
}

std::optional<Obstacle> obstacle_to(const Window& window, const SystemDescription& description) {
  const std::array<bool, 3> asked{window.by_round(), window.after && window.after->round,
                                  window.after && window.after->phase};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!asked[i]) continue;
    if (auto obstacle = obstacle_to(window_requirements()[i], description)) return obstacle;
  }
  return std::nullopt;
}

/// `access` gives parts of a value that it does not change.
void* unchanged(const Fault& fault) {
  return const_cast<void*>(fault.value());
}

}  // namespace

bool operator==(const Fault& a, const Fault& b) {
  if (a.kind_ != b.kind_) return false;
  return a.value_ == b.value_ || a.kind_->equal(a.value(), b.value());
}

std::vector<const Part*> FaultKind::windows_last() const {
  std::vector<const Part*> result;
  for (const PartPtr& part : parts) result.push_back(part.get());
  std::stable_partition(result.begin(), result.end(),
                        [](const Part* part) { return !part->is_window(); });
  return result;
}

bool FaultKind::may_wait() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const PartPtr& part) { return part->may_wait(); });
}

// ---- the catalogue

std::span<const FaultKind* const> fault_kinds() {
  static const std::vector<const FaultKind*> kKinds = [] {
    std::vector<const FaultKind*> kinds;
    declare_all(kinds);
    return kinds;
  }();
  return kKinds;
}

const FaultKind* find_kind(std::string_view name) {
  for (const FaultKind* const kind : fault_kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

std::vector<const Requirement*> requirements() {
  std::vector<const Requirement*> rows;
  for (const FaultKind* const kind : fault_kinds()) {
    for (const Requirement& row : kind->requirements) rows.push_back(&row);
  }
  for (const Requirement& row : window_requirements()) rows.push_back(&row);
  return rows;
}

bool is_possible(const Requirement& requirement, const Offers& offers) {
  return !lacking(requirement, offers);
}

Offers offers_of(const SystemDescription& description) {
  Offers offers = dissensus::offers_of(description.nodes).offers;
  if (description.phases.empty()) offers = offers.without(Offer::phases);
  const bool can_change = std::any_of(description.payloads.begin(), description.payloads.end(),
                                      [](const auto& payload) {
                                        for (std::size_t i = 0; i < payload.setters.size(); ++i) {
                                          if (payload.setters[i] && i != payload.author)
                                            return true;
                                        }
                                        return false;
                                      });
  return can_change ? offers : offers.without(Offer::fields);
}

std::optional<Obstacle> obstacle_to(const Fault& fault, const SystemDescription& description) {
  for (const Requirement& row : fault.kind().requirements) {
    if (row.concerns != nullptr && !row.concerns(fault.value())) continue;
    if (auto obstacle = obstacle_to(row, description)) return obstacle;
  }
  if (const Window* const window = window_of(fault)) {
    if (auto obstacle = obstacle_to(*window, description)) return obstacle;
  }
  if (!fault.kind().obstacle) return std::nullopt;
  return fault.kind().obstacle(fault.value(), description);
}

std::optional<Obstacle> obstacle_to_kind(std::string_view name,
                                         const SystemDescription& description) {
  for (const Requirement* const row : requirements()) {
    if (row->name == name) return obstacle_to(*row, description);
  }
  DISSENSUS_ASSERT(false, "obstacle_to_kind : a row of the table");
  return std::nullopt;
}

std::optional<Obstacle> obstacle_to_clocks(const SystemDescription& description) {
  return obstacle_to_kind(SkewFault::kind().requirements.front().name, description);
}

bool adds_nodes(const Fault& fault) {
  const auto& rows = fault.kind().requirements;
  return std::any_of(rows.begin(), rows.end(),
                     [](const Requirement& row) { return row.needs.has(Offer::twins); });
}

std::string kinds_table() {
  std::string text = "| fault |";
  std::string line = "|---|";
  for (const NodeKindOffers& nodes : kNodeKindOffers) {
    text += fmt::format(" {} |", nodes.name);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const Requirement* const row : requirements()) {
    text += fmt::format("| {} |", row->name);
    for (const NodeKindOffers& nodes : kNodeKindOffers) {
      text += is_possible(*row, nodes.offers) ? " yes |" : " refused |";
    }
    text += "\n";
  }
  return text;
}

std::string faults_schema() {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
  for (const FaultKind* const kind : fault_kinds()) {
    nlohmann::ordered_json properties{{"type", {{"const", kind->name}}}};
    nlohmann::ordered_json required = nlohmann::ordered_json::array({"type"});
    for (const PartPtr& part : kind->parts) {
      part->add_schema(properties);
      if (part->is_required()) required.push_back(part->key);
    }
    kinds.push_back({{"title", kind->name},
                     {"type", "object"},
                     {"properties", properties},
                     {"required", required},
                     {"additionalProperties", false}});
  }
  const nlohmann::ordered_json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                      {"title", "faults of a schedule"},
                                      {"type", "array"},
                                      {"items", {{"oneOf", kinds}}}};
  return schema.dump(2);
}

// ---- what follows from the parts

Fault read_fault(const Options& fault, const Target& target) {
  std::vector<std::string_view> names;
  for (const FaultKind* const kind : fault_kinds()) names.push_back(kind->name);
  const FaultKind& kind = *fault_kinds()[fault.at("type").choice(names)];
  const std::shared_ptr<void> value = kind.copy(nullptr);
  for (const PartPtr& part : kind.parts) part->read(value.get(), fault, target);
  if (kind.check) kind.check(value.get(), fault, target);
  Fault result(kind, value);
  if (const auto obstacle = obstacle_to(result, target.description)) {
    fault.fail(obstacle->key, obstacle->text);
  }
  return result;
}

std::string to_json(const Fault& fault, const SystemDescription& description, std::size_t nodes) {
  const Target target{description, {nodes, description.kinds.size()}};
  Members members;
  members.add_text("type", fault.kind().name);
  for (const PartPtr& part : fault.kind().parts) part->write(fault.value(), members, target);
  return members.on_one_line();
}

const Window* window_of(const Fault& fault) {
  for (const PartPtr& part : fault.kind().parts) {
    if (const Window* const window = part->window(unchanged(fault))) return window;
  }
  return nullptr;
}

Fault with_window(const Fault& fault, const Window& window) {
  return fault.kind().changed(fault, [&](void* value) {
    for (const PartPtr& part : fault.kind().parts) {
      if (Window* const old = part->window(value)) *old = window;
    }
  });
}

const MessageFilter* filter_of(const Fault& fault) {
  for (const PartPtr& part : fault.kind().parts) {
    if (const MessageFilter* const filter = part->filter(fault.value())) return filter;
  }
  return nullptr;
}

std::optional<Fault> reduced(const Fault& fault, std::size_t nodes, Duration end,
                             LevelSource& source) {
  Reduction reduction{nodes, end, source};
  bool is_left = true;
  bool has_one_of = false;
  bool one_is_left = false;
  Fault result = fault.kind().changed(fault, [&](void* value) {
    for (const Part* const part : fault.kind().windows_last()) {
      const bool left = part->reduce(value, reduction);
      if (part->weight == Weight::essential) is_left = is_left && left;
      if (part->weight != Weight::one_of) continue;
      has_one_of = true;
      one_is_left = one_is_left || left;
    }
  });
  if (!is_left || (has_one_of && !one_is_left)) return std::nullopt;
  return result;
}

std::vector<FaultNumber> numbers_of(const Fault& fault) {
  std::vector<FaultNumber> numbers;
  for (const Part* const part : fault.kind().windows_last()) {
    part->add_numbers(fault.value(), numbers);
  }
  return numbers;
}

Fault with_number(const Fault& fault, const FaultNumber& number, Duration value) {
  return fault.kind().changed(fault, [&](void* each) { number.set(each, value); });
}

Fault shortened(const Fault& fault, const Part::Shorten& shorten) {
  return fault.kind().changed(fault, [&](void* value) {
    for (const PartPtr& part : fault.kind().parts) part->shorten(value, shorten);
  });
}

Fault random_fault(const FaultKind& kind, const std::vector<Range>& ranges, Drawer& drawer,
                   const Window& when) {
  const std::shared_ptr<void> value = kind.copy(nullptr);
  bool one_is_named = false;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    one_is_named = one_is_named || (ranges[i] && kind.parts[i]->weight == Weight::one_of);
  }
  for (std::size_t i = 0; i < kind.parts.size(); ++i) {
    const Part& part = *kind.parts[i];
    if (!ranges.empty() && ranges[i]) {
      ranges[i](value.get(), drawer, when);
    } else if (!one_is_named || part.weight != Weight::one_of) {
      part.draw(value.get(), drawer, when);
    }
  }
  return Fault(kind, value);
}

std::optional<std::string> mistake_in(const Fault& fault, const SystemDescription& description,
                                      std::size_t nodes) {
  try {
    const Target target{description, {nodes, description.kinds.size()}};
    read_fault(Options::from_json(to_json(fault, description, nodes), "it"), target);
  } catch (const InputError& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace dissensus::faults
